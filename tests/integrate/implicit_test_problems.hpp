// Problems with known solutions for the implicit methods, without the rest of the engine: an ImplicitForm whose
// equations, Jacobians and mass matrices are written down by hand, and solved with dense factors.
#pragma once

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "formulate/implicit_form.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::testing {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

inline Eigen::VectorXcd solution(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  linear::PivotedLu<std::complex<double>> lu;
  lu.compute(A);
  Eigen::VectorXcd x;
  lu.solve(b, x);
  return x;
}

struct ImplicitProblem {
  std::string name;
  double begin = 0, end = 1;
  Vector start;
  std::function<Vector(double t)> exact;  ///< empty: not known
  // M y' = f(t, y); or, with M a function of y, r = f(t, y) - M(t, y) y' with J = dr/dy.
  std::function<Vector(double t, const Vector& y)> f;
  std::function<Matrix(double t, const Vector& y, const Vector& dy)> J;
  std::function<Vector(double t, const Vector& y)> f_t;
  Matrix M = {};                                               ///< empty: the identity
  std::function<Matrix(double t, const Vector& y)> mass = {};  ///< where M varies
  std::vector<formulate::Role> roles = {};                     ///< empty: all differential
};

/// Factors c M - J as a dense matrix, whatever the engine's own solvers do.
class PlainShiftedSystem final : public ShiftedSystem {
 public:
  PlainShiftedSystem(const MatrixPair& matrices, int real_slots, int complex_slots)
      : matrices_(matrices),
        real_(static_cast<std::size_t>(real_slots)),
        complex_(static_cast<std::size_t>(complex_slots)) {}

  bool factor(int slot, double c) override {
    const Matrix shifted = c * mass() - jacobian();
    if (!shifted.allFinite()) return false;
    auto& lu = real_[static_cast<std::size_t>(slot)];
    lu.compute(shifted);
    return lu.factors().diagonal().cwiseAbs().minCoeff() > 0;
  }
  bool factor(int slot, std::complex<double> c) override {
    const Eigen::MatrixXcd shifted = c * mass().cast<std::complex<double>>() - jacobian().cast<std::complex<double>>();
    if (!shifted.allFinite()) return false;
    auto& lu = complex_[static_cast<std::size_t>(slot)];
    lu.compute(shifted);
    return lu.factors().diagonal().cwiseAbs().minCoeff() > 0;
  }
  void solve(int slot, double* x) override {
    Eigen::Map<Vector> vector(x, matrices_.size);
    Vector solution;
    real_[static_cast<std::size_t>(slot)].solve(vector, solution);
    vector = solution;
  }
  void solve(int slot, double* re, double* im) override {
    Eigen::Map<Vector> real(re, matrices_.size), imaginary(im, matrices_.size);
    Eigen::VectorXcd vector(matrices_.size), solution;
    vector.real() = real;
    vector.imag() = imaginary;
    complex_[static_cast<std::size_t>(slot)].solve(vector, solution);
    real = solution.real();
    imaginary = solution.imag();
  }
  int culprit() const override { return -1; }
  std::string describe() const override { return "dense"; }

 private:
  Matrix jacobian() const { return Eigen::Map<const Matrix>(matrices_.J.data(), matrices_.size, matrices_.size); }
  Matrix mass() const {
    if (matrices_.M.empty()) return Matrix::Identity(matrices_.size, matrices_.size);
    return Eigen::Map<const Matrix>(matrices_.M.data(), matrices_.size, matrices_.size);
  }
  const MatrixPair& matrices_;
  std::vector<linear::PivotedLu<double>> real_;
  std::vector<linear::PivotedLu<std::complex<double>>> complex_;
};

class ProblemForm final : public formulate::ImplicitForm {
 public:
  explicit ProblemForm(ImplicitProblem problem) : problem_(std::move(problem)) {
    size_ = states_ = static_cast<int>(problem_.start.size());
    mass_kind_ = problem_.mass           ? formulate::MassKind::varying
                 : problem_.M.size() > 0 ? formulate::MassKind::constant
                                         : formulate::MassKind::identity;
    roles_ = problem_.roles;
    roles_.resize(static_cast<std::size_t>(size_));
    jacobian_kind_ = "given";
    const auto entries = static_cast<std::size_t>(size_ * size_);
    matrices_.size = size_;
    matrices_.J.resize(entries);
    if (mass_kind_ != formulate::MassKind::identity) matrices_.M.resize(entries);
  }

  const ImplicitProblem& problem() const { return problem_; }
  /// As if the Jacobian came from differences.
  void pretend_differences() {
    has_exact_jacobian_ = false;
    jacobian_kind_ = "differences";
  }

  void restart(double, const double*) override {}
  /// The rates of algebraic unknowns are not found: methods must not depend on them.
  std::string complete(double t, double* y, double* dy) override {
    const Vector at = map(y);
    Eigen::Map<Vector> rate(dy, size_);
    const Matrix M = mass(t, at);
    rate = M.size() == 0 ? problem_.f(t, at) : linear::LeastNorm(M).solve(problem_.f(t, at));
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (!roles_[i].is_differential) dy[i] = 0;
    return {};
  }
  void residual(double t, const double* y, const double* dy, double* r) override {
    const Vector at = map(y);
    Eigen::Map<Vector> out(r, size_);
    out = problem_.f(t, at);
    if (dy == nullptr) return;
    const Matrix M = mass(t, at);
    out -= M.size() == 0 ? map(dy) : Vector(M * map(dy));
  }
  void linearize(double t, const double* y, const double* dy) override {
    const Vector at = map(y), rate = dy == nullptr ? Vector(Vector::Zero(size_)) : map(dy);
    Eigen::Map<Matrix>(matrices_.J.data(), size_, size_) = problem_.J(t, at, rate);
    if (!matrices_.M.empty()) Eigen::Map<Matrix>(matrices_.M.data(), size_, size_) = mass(t, at);
    ++dual_evaluations;
  }
  void time_slope(double t, const double* y, const double*, double* slope) override {
    Eigen::Map<Vector>(slope, size_) = problem_.f_t(t, map(y));
    ++dual_evaluations;
  }
  std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const override {
    return std::make_unique<PlainShiftedSystem>(matrices_, real_slots, complex_slots);
  }
  std::string name(int unknown) const override { return "y" + std::to_string(unknown + 1); }

 private:
  Vector map(const double* y) const { return Eigen::Map<const Vector>(y, size_); }
  Matrix mass(double t, const Vector& y) const { return problem_.mass ? problem_.mass(t, y) : problem_.M; }

  ImplicitProblem problem_;
};

/// y' = -λ (y - cos t) - sin t, y = cos t (Prothero, Robinson, Math. Comp. 28 (1974) 145).
inline ImplicitProblem prothero_robinson(double lambda) {
  return {.name = "Prothero-Robinson",
          .start = Vector{{1.0}},
          .exact = [](double t) { return Vector{{std::cos(t)}}; },
          .f = [=](double t, const Vector& y) { return Vector{{-lambda * (y[0] - std::cos(t)) - std::sin(t)}}; },
          .J = [=](double, const Vector&, const Vector&) { return Matrix{{-lambda}}; },
          .f_t = [=](double t, const Vector&) { return Vector{{-lambda * std::sin(t) - std::cos(t)}}; }};
}

/// y1' = -(1/ε + 2) y1 + y2²/ε, y2' = y1 - y2 - y2²; y = (e^-2t, e^-t) (Dekker, Verwer 1984, after Kaps).
inline ImplicitProblem kaps(double epsilon) {
  return {.name = "Kaps",
          .start = Vector{{1.0, 1.0}},
          .exact =
              [](double t) {
                return Vector{{std::exp(-2 * t), std::exp(-t)}};
              },
          .f =
              [=](double, const Vector& y) {
                return Vector{{-(1 / epsilon + 2) * y[0] + y[1] * y[1] / epsilon, y[0] - y[1] - y[1] * y[1]}};
              },
          .J =
              [=](double, const Vector& y, const Vector&) {
                return Matrix{{-(1 / epsilon + 2), 2 * y[1] / epsilon}, {1.0, -1 - 2 * y[1]}};
              },
          .f_t = [](double, const Vector&) { return Vector(Vector::Zero(2)); }};
}

/// y1' = y2, y2' = μ (1 - y1²) y2 - y1 from (2, 0).
inline ImplicitProblem van_der_pol(double mu) {
  return {.name = "van der Pol",
          .end = 2 * mu,
          .start = Vector{{2.0, 0.0}},
          .exact = {},
          .f =
              [=](double, const Vector& y) {
                return Vector{{y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]}};
              },
          .J =
              [=](double, const Vector& y, const Vector&) {
                return Matrix{{0.0, 1.0}, {-2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] * y[0])}};
              },
          .f_t = [](double, const Vector&) { return Vector(Vector::Zero(2)); }};
}

/// y'' + y = 3 sin 2t, y = cos t + sin t - sin 2t.
inline ImplicitProblem forced_oscillator() {
  return {.name = "forced oscillator",
          .end = 2,
          .start = Vector{{1.0, -1.0}},
          .exact =
              [](double t) {
                return Vector{
                    {std::cos(t) + std::sin(t) - std::sin(2 * t), -std::sin(t) + std::cos(t) - 2 * std::cos(2 * t)}};
              },
          .f =
              [](double t, const Vector& y) {
                return Vector{{y[1], -y[0] + 3 * std::sin(2 * t)}};
              },
          .J =
              [](double, const Vector&, const Vector&) {
                return Matrix{{0.0, 1.0}, {-1.0, 0.0}};
              },
          .f_t =
              [](double t, const Vector&) {
                return Vector{{0.0, 6 * std::cos(2 * t)}};
              }};
}

/// y' = -2 t y², y = 1 / (1 + t²).
inline ImplicitProblem riccati() {
  return {.name = "Riccati",
          .end = 2,
          .start = Vector{{1.0}},
          .exact = [](double t) { return Vector{{1 / (1 + t * t)}}; },
          .f = [](double t, const Vector& y) { return Vector{{-2 * t * y[0] * y[0]}}; },
          .J = [](double t, const Vector& y, const Vector&) { return Matrix{{-4 * t * y[0]}}; },
          .f_t = [](double, const Vector& y) { return Vector{{-2 * y[0] * y[0]}}; }};
}

/// Index 1 with a singular constant mass matrix that is not diagonal:
///   y1' = y2 z,  y2' = -y1 z,  0 = z exp(y1) - φ'(t) exp(sin φ(t));  y = (sin φ, cos φ), z = φ' = 1 + sin(t)/2.
inline ImplicitProblem index_1() {
  static constexpr auto phase = [](double t) { return t + 0.5 * (1 - std::cos(t)); };
  static constexpr auto speed = [](double t) { return 1 + 0.5 * std::sin(t); };
  const Matrix M{{2.0, 1.0, 0.0}, {1.0, 3.0, 0.0}, {0.0, 0.0, 0.0}};
  const Matrix rows = M + Matrix{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
  return {
      .name = "index 1",
      .end = 2,
      .start = Vector{{0.0, 1.0, 1.0}},
      .exact =
          [](double t) {
            return Vector{{std::sin(phase(t)), std::cos(phase(t)), speed(t)}};
          },
      .f =
          [=](double t, const Vector& y) {
            const double wanted = speed(t) * std::exp(std::sin(phase(t)));
            return Vector(rows * Vector{{y[1] * y[2], -y[0] * y[2], y[2] * std::exp(y[0]) - wanted}});
          },
      .J =
          [=](double, const Vector& y, const Vector&) {
            return Matrix(rows *
                          Matrix{{0.0, y[2], y[1]}, {-y[2], 0.0, -y[0]}, {y[2] * std::exp(y[0]), 0.0, std::exp(y[0])}});
          },
      .f_t =
          [](double t, const Vector&) {
            const double slope = 0.5 * std::cos(t) + speed(t) * speed(t) * std::cos(phase(t));
            return Vector{{0.0, 0.0, -slope * std::exp(std::sin(phase(t)))}};
          },
      .M = M,
      .mass = {},
      .roles = {{true, 0}, {true, 0}, {false, 1}}};
}

/// The forced oscillator, its equations multiplied by a matrix that depends on the state: r = M(y) (g(t, y) - y').
inline ImplicitProblem varying_mass() {
  ImplicitProblem problem = forced_oscillator();
  const auto g = problem.f;
  problem.name = "varying mass";
  problem.mass = [](double, const Vector& y) { return Matrix{{1.0, y[1]}, {0.0, 1 + y[0] * y[0]}}; };
  problem.f = [=, mass = problem.mass](double t, const Vector& y) { return Vector(mass(t, y) * g(t, y)); };
  problem.J = [=, mass = problem.mass](double t, const Vector& y, const Vector& dy) {
    const Vector gap = g(t, y) - dy;
    return Matrix(mass(t, y) * Matrix{{0.0, 1.0}, {-1.0, 0.0}} + Matrix{{0.0, gap[1]}, {2 * y[0] * gap[1], 0.0}});
  };
  problem.f_t = {};
  return problem;
}

/// Index 2, Hessenberg: y1' = y1 y2² z², y2' = y1² y2² - 3 y2² z, 0 = y1² y2 - 1; y = (e^t, e^-2t), z = e^2t (Hairer,
/// Lubich, Roche, Lecture Notes in Mathematics 1409 (1989)).
inline ImplicitProblem index_2() {
  return {.name = "index 2",
          .start = Vector{{1.0, 1.0, 1.0}},
          .exact =
              [](double t) {
                return Vector{{std::exp(t), std::exp(-2 * t), std::exp(2 * t)}};
              },
          .f =
              [](double, const Vector& y) {
                const double a = y[0], b = y[1], z = y[2];
                return Vector{{a * b * b * z * z, a * a * b * b - 3 * b * b * z, a * a * b - 1}};
              },
          .J =
              [](double, const Vector& y, const Vector&) {
                const double a = y[0], b = y[1], z = y[2];
                return Matrix{{b * b * z * z, 2 * a * b * z * z, 2 * a * b * b * z},
                              {2 * a * b * b, 2 * a * a * b - 6 * b * z, -3 * b * b},
                              {2 * a * b, a * a, 0.0}};
              },
          .f_t = [](double, const Vector&) { return Vector(Vector::Zero(3)); },
          .M = Matrix{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}},
          .mass = {},
          .roles = {{true, 1}, {true, 1}, {false, 2}}};
}

}  // namespace pawl::testing
