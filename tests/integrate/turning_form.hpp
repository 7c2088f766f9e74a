// Forms and problems for what the one-step methods must notice on the way: a mass matrix that begins to vary, algebraic
// unknowns faster than the differential ones, equations that are not linear in the rates.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>

#include "integrate/implicit_runs.hpp"

namespace pawl::testing {

/// The forced oscillator, its equations multiplied by a constant matrix up to `turn`, and then by one that depends on
/// the state. It turns at the first restart, or at the first linearization, from then on.
class TurningForm final : public formulate::ImplicitForm {
 public:
  TurningForm(double turn, bool turns_at_restart)
      : turn_(turn), turns_at_restart_(turns_at_restart), before_(constant_mass()), after_(varying_mass()) {
    size_ = states_ = 2;
    mass_kind_ = formulate::MassKind::constant;
    roles_.resize(2);
    jacobian_kind_ = "given";
  }

  void restart(double t, const double*) override {
    if (turns_at_restart_ && t >= turn_) mass_kind_ = formulate::MassKind::varying;
  }
  std::string complete(double t, double* y, double* dy) override { return now().complete(t, y, dy); }
  void residual(double t, const double* y, const double* dy, double* r) override { now().residual(t, y, dy, r); }
  void linearize(double t, const double* y, const double* dy) override {
    if (!turns_at_restart_ && t >= turn_) mass_kind_ = formulate::MassKind::varying;
    now().linearize(t, y, dy);
  }
  void time_slope(double t, const double* y, const double* dy, double* slope) override {
    now().time_slope(t, y, dy, slope);
  }
  const MatrixPair& matrices() const override { return now().matrices(); }
  void times_mass(const double* x, double* out) const override { now().times_mass(x, out); }
  std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const override {
    auto solver = std::make_unique<Either>();
    solver->form = this;
    solver->before = before_.make_solver(real_slots, complex_slots);
    solver->after = after_.make_solver(real_slots, complex_slots);
    return solver;
  }
  std::string name(int unknown) const override { return now().name(unknown); }

 private:
  struct Either final : ShiftedSystem {
    ShiftedSystem& now() const { return form->has_turned() ? *after : *before; }
    bool factor(int slot, double c) override { return now().factor(slot, c); }
    bool factor(int slot, std::complex<double> c) override { return now().factor(slot, c); }
    void solve(int slot, double* x) override { now().solve(slot, x); }
    void solve(int slot, double* re, double* im) override { now().solve(slot, re, im); }
    int culprit() const override { return -1; }
    std::string describe() const override { return "Eigen"; }
    const TurningForm* form = nullptr;
    std::unique_ptr<ShiftedSystem> before, after;
  };

  static ImplicitProblem constant_mass() {
    ImplicitProblem problem = forced_oscillator();
    const Matrix M{{2.0, 1.0}, {0.0, 3.0}};
    problem.M = M;
    problem.f = [M, g = problem.f](double t, const Vector& y) { return Vector(M * g(t, y)); };
    problem.J = [M, g = problem.J](double t, const Vector& y, const Vector& dy) { return Matrix(M * g(t, y, dy)); };
    problem.f_t = [M, g = problem.f_t](double t, const Vector& y) { return Vector(M * g(t, y)); };
    return problem;
  }

  bool has_turned() const { return mass_kind_ == formulate::MassKind::varying; }
  ProblemForm& now() { return has_turned() ? after_ : before_; }
  const ProblemForm& now() const { return has_turned() ? after_ : before_; }

  double turn_;
  bool turns_at_restart_;
  ProblemForm before_, after_;
};

/// x' = 1, 0 = z - sin 20 x: no error in x, whatever the step.
inline ImplicitProblem fast_algebraic() {
  return {.name = "fast algebraic",
          .end = 2,
          .start = Vector{{0.0, 0.0}},
          .exact =
              [](double t) {
                return Vector{{t, std::sin(20 * t)}};
              },
          .f =
              [](double, const Vector& y) {
                return Vector{{1.0, y[1] - std::sin(20 * y[0])}};
              },
          .J =
              [](double, const Vector& y, const Vector&) {
                return Matrix{{0.0, 0.0}, {-20 * std::cos(20 * y[0]), 1.0}};
              },
          .f_t = [](double, const Vector&) { return Vector(Vector::Zero(2)); },
          .M = Matrix{{1.0, 0.0}, {0.0, 0.0}},
          .mass = {},
          .roles = {{true, 0}, {false, 1}}};
}

/// The largest error of each unknown inside the steps of an adaptive run; infinite where the run does not end.
inline Vector errors_inside(const MakeStepper& make, const ImplicitProblem& problem, double tolerance) {
  ProblemForm form(problem);
  const StepControl control = control_for(problem, tolerance);
  const auto stepper = make(form, control);
  Step step(form.size());
  stepper->restart(problem.begin, problem.start.data(), 1, 0);
  Vector worst = Vector::Zero(form.size()), x(form.size());
  do {
    if (stepper->step(problem.end, nullptr, step) != Attempt::accepted || !stepper->interpolate(step))
      return Vector::Constant(form.size(), std::numeric_limits<double>::infinity());
    for (int part = 1; part <= 16; ++part) {
      const double t = step.t0 + part / 16.0 * step.span;
      step.at(t, x.data());
      worst = worst.cwiseMax((x - problem.exact(t)).cwiseAbs());
    }
  } while (step.t1 < problem.end);
  return worst;
}

/// φ(y') = φ(-y) with φ(d) = d (2 + sin d): y = y0 e^-t. φ' > 0 for d >= -1.6, but φ is far from linear.
class NonlinearInRate final : public formulate::ImplicitForm {
 public:
  NonlinearInRate() {
    size_ = states_ = 1;
    mass_kind_ = formulate::MassKind::varying;
    roles_.resize(1);
    matrices_.size = 1;
    matrices_.J.resize(1);
    matrices_.M.resize(1);
    jacobian_kind_ = "given";
  }

  void restart(double, const double*) override {}
  std::string complete(double, double* y, double* dy) override {
    dy[0] = -y[0];
    return {};
  }
  void residual(double, const double* y, const double* dy, double* r) override {
    r[0] = phi(-y[0]) - phi(dy == nullptr ? 0 : dy[0]);
  }
  void linearize(double, const double* y, const double* dy) override {
    matrices_.J[0] = -slope(-y[0]);
    matrices_.M[0] = slope(dy == nullptr ? 0 : dy[0]);
  }
  void time_slope(double, const double*, const double*, double* slope) override { slope[0] = 0; }
  std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const override {
    return std::make_unique<PlainShiftedSystem>(matrices_, real_slots, complex_slots);
  }
  std::string name(int) const override { return "y"; }

 private:
  static double phi(double d) { return d * (2 + std::sin(d)); }
  static double slope(double d) { return 2 + std::sin(d) + d * std::cos(d); }
};

}  // namespace pawl::testing
