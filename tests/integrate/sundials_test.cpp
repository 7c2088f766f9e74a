// BDF and Adams through SUNDIALS: published numbers, the polynomial inside steps, starts, failures and counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrate/cvode_stepper.hpp"
#include "integrate/ida_stepper.hpp"

namespace pawl {
namespace {

using formulate::ImplicitForm;
using formulate::MassKind;
using formulate::Role;

using Rate = std::function<void(double t, const double* y, double* f)>;
using Slopes = std::function<void(double t, const double* y, double* J)>;  // column after column

/// M y' = f(t, y) with a diagonal M of zeros and ones.
class SmallForm final : public ImplicitForm {
 public:
  SmallForm(int size, Rate rate, Slopes slopes, std::vector<double> mass = {}, int added = 0)
      : rate_(std::move(rate)), slopes_(std::move(slopes)), mass_(std::move(mass)) {
    size_ = size;
    states_ = size - added;
    const auto n = static_cast<std::size_t>(size);
    roles_.resize(n);
    mass_kind_ = mass_.empty() ? MassKind::identity : MassKind::constant;
    jacobian_kind_ = "given";
    matrices_.size = size;
    matrices_.J.resize(n * n);
    if (mass_.empty()) return;
    matrices_.M.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      matrices_.M[i * n + i] = mass_[i];
      roles_[i] = {mass_[i] != 0, mass_[i] != 0 ? 0 : 1};
    }
  }

  std::function<std::string(double t, double* y, double* dy)> completion;
  int starts = 0, evaluations = 0;
  std::vector<Role>& mutable_roles() { return roles_; }

  void restart(double, const double*) override { ++starts; }
  std::string complete(double t, double* y, double* dy) override {
    if (completion) return completion(t, y, dy);
    rate_(t, y, dy);
    return {};
  }
  void residual(double t, const double* y, const double* dy, double* r) override {
    ++evaluations;
    rate_(t, y, r);
    if (!dy) return;
    for (std::size_t i = 0; i < roles_.size(); ++i) r[i] -= (mass_.empty() ? 1 : mass_[i]) * dy[i];
  }
  void linearize(double t, const double* y, const double*) override {
    slopes_(t, y, matrices_.J.data());
    ++dual_evaluations;
  }
  void time_slope(double, const double*, const double*, double*) override {}
  std::string name(int unknown) const override { return "y" + std::to_string(unknown); }

 private:
  Rate rate_;
  Slopes slopes_;
  std::vector<double> mass_;
};

StepControl tolerance(double relative, std::vector<double> absolute) {
  StepControl control;
  control.relative = relative;
  control.absolute = std::move(absolute);
  return control;
}

struct Journey {
  Attempt last = Attempt::accepted;
  double t = 0;
  int steps = 0;
  std::vector<double> x;
};

using Look = std::function<void(Stepper& stepper, Step& step)>;

Journey advance(Stepper& stepper, double from, std::vector<double> x, double end, const Look& look = {},
                double first_step = 0) {
  Journey run{.t = from, .x = std::move(x)};
  Step step(static_cast<int>(run.x.size()));
  stepper.restart(from, run.x.data(), end > from ? 1 : -1, first_step);
  while (run.t != end && run.steps < 200'000) {
    run.last = stepper.step(end, nullptr, step);
    if (run.last != Attempt::accepted) break;
    EXPECT_EQ(step.t0, run.t);
    EXPECT_TRUE(std::equal(run.x.begin(), run.x.end(), step.start()));
    if (look) look(stepper, step);
    run.t = step.t1;
    run.x.assign(step.end(), step.end() + step.size());
    ++run.steps;
  }
  return run;
}

// Van der Pol's equation in the scaling of Mazzia and Magherini, Test set for IVP solvers (2008): mu = 1000, t = 2000.
SmallForm van_der_pol() {
  constexpr double mu = 1000;
  return {2,
          [](double, const double* y, double* f) {
            f[0] = y[1];
            f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
          },
          [](double, const double* y, double* J) {
            J[0] = 0, J[1] = -2 * mu * y[0] * y[1] - 1;
            J[2] = 1, J[3] = mu * (1 - y[0] * y[0]);
          }};
}
constexpr double van_der_pol_end[] = {1.706167732170469, -0.8928097010248125e-3};

// Robertson's reaction with the sum of the species kept by an equation.
SmallForm robertson() {
  return {3,
          [](double, const double* y, double* f) {
            f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
            f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
            f[2] = y[0] + y[1] + y[2] - 1;
          },
          [](double, const double* y, double* J) {
            const double columns[] = {-0.04, 0.04,       1,           1e4 * y[2], -1e4 * y[2] - 6e7 * y[1],
                                      1,     1e4 * y[1], -1e4 * y[1], 1};
            std::copy(std::begin(columns), std::end(columns), J);
          },
          {1, 1, 0}};
}
std::string start_of_robertson(double, double* y, double* dy) {
  dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  dy[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
  dy[2] = -dy[0] - dy[1];
  return {};
}
constexpr double robertson_40[] = {0.71582706871940509047, 9.1855347645577639039e-06};

SmallForm oscillator(std::vector<double> mass = {}) {
  return {2, [](double, const double* y, double* f) { f[0] = y[1], f[1] = -y[0]; },
          [](double, const double*, double* J) { J[0] = 0, J[1] = -1, J[2] = 1, J[3] = 0; }, std::move(mass)};
}

TEST(Cvode, ReachesThePublishedEndOfVanDerPol) {
  for (const double accuracy : {1e-5, 1e-7, 1e-9}) {
    SmallForm form = van_der_pol();
    const auto control = tolerance(accuracy, {accuracy, accuracy * 1e-3});
    const auto stepper = make_cvode(form, control, CvodeKind::bdf, false);
    const Journey run = advance(*stepper, 0, {2, 0}, 2000);
    ASSERT_EQ(run.last, Attempt::accepted);
    EXPECT_EQ(run.t, 2000);
    EXPECT_NEAR(run.x[0], van_der_pol_end[0], 300 * accuracy);
    EXPECT_NEAR(run.x[1], van_der_pol_end[1], 300 * accuracy * 1e-3);
    const Work& work = stepper->work();
    EXPECT_EQ(work.accepted, run.steps);
    EXPECT_GT(work.rejected, 0);
    EXPECT_EQ(work.rhs, form.evaluations);
    EXPECT_GT(work.iterations, work.accepted);
    EXPECT_EQ(work.solves, work.iterations + form.starts);  // the first step is asked in its middle
    EXPECT_GT(work.factorizations, work.jacobians);         // a Jacobian serves more than one matrix
    EXPECT_EQ(work.jacobians, work.dual_rhs);               // of this form: one evaluation each
    EXPECT_EQ(form.starts, 1);
    long long steps = 0;
    for (const auto& [method, count] : stepper->steps_by_method()) {
      EXPECT_EQ(method.rfind("bdf order ", 0), 0u) << method;
      steps += count;
    }
    EXPECT_EQ(steps, work.accepted);
    EXPECT_EQ(stepper->solver(), "dense 2 x 2");
    EXPECT_EQ(stepper->jacobian_kind(), "given");
  }
}

TEST(Cvode, NewtonKrylovReachesItToo) {
  SmallForm form = van_der_pol();
  const auto control = tolerance(1e-7, {1e-7, 1e-10});
  const auto stepper = make_cvode(form, control, CvodeKind::bdf, true);
  const Journey run = advance(*stepper, 0, {2, 0}, 2000);
  ASSERT_EQ(run.last, Attempt::accepted);
  EXPECT_NEAR(run.x[0], van_der_pol_end[0], 1e-4);
  EXPECT_EQ(stepper->work().jacobians, 0);
  EXPECT_EQ(stepper->work().factorizations, 0);
  EXPECT_EQ(stepper->work().rhs, form.evaluations);  // differences along Krylov vectors are counted
  EXPECT_GT(stepper->work().rhs, stepper->work().iterations + stepper->work().accepted);
  EXPECT_EQ(stepper->jacobian_kind(), "matrix-free (differences along Krylov vectors)");
}

TEST(Ida, ReachesThePublishedStateOfRobertson) {
  for (const bool is_krylov : {false, true}) {
    for (const double accuracy : {1e-4, 1e-6, 1e-8}) {
      SmallForm form = robertson();
      form.completion = start_of_robertson;
      const auto control = tolerance(accuracy, {accuracy * 1e-2, accuracy * 1e-6, accuracy * 1e-2});
      const auto stepper = make_ida(form, control, is_krylov);
      const Journey run = advance(*stepper, 0, {1, 0, 0}, 40);
      ASSERT_EQ(run.last, Attempt::accepted);
      EXPECT_EQ(run.t, 40);
      EXPECT_NEAR(run.x[0], robertson_40[0], 30 * accuracy * robertson_40[0]);
      EXPECT_NEAR(run.x[1], robertson_40[1], 30 * accuracy * robertson_40[1]);
      EXPECT_NEAR(run.x[0] + run.x[1] + run.x[2], 1, is_krylov ? accuracy : 1e-14);
      EXPECT_GT(stepper->work().iterations, 0);
      EXPECT_EQ(stepper->work().jacobians > 0, !is_krylov);
    }
  }
}

void check_polynomials(Stepper& stepper, double accuracy, double end) {
  double worst = 0;
  const Look look = [&](Stepper& s, Step& step) {
    ASSERT_TRUE(s.interpolate(step));
    EXPECT_EQ(step.degree(), std::max(1, s.order()));
    EXPECT_EQ(s.dense_order(), s.order());
    double at[2];
    for (int part = 0; part <= 8; ++part) {
      const double t = step.t0 + part / 8. * step.span;
      evaluate_polynomials(step.coefficients(), 2, step.degree(), part / 8., at);
      worst = std::max({worst, std::abs(at[0] - std::cos(t)), std::abs(at[1] + std::sin(t))});
      if (part == 0) {
        EXPECT_EQ(at[0], step.start()[0]);
      }
      if (part == 8) {
        EXPECT_NEAR(at[0], step.end()[0], 4e-15);
        EXPECT_NEAR(at[1], step.end()[1], 4e-15);
      }
    }
  };
  const Journey run = advance(stepper, 0, {1, 0}, end, look);
  ASSERT_EQ(run.t, end);
  EXPECT_GT(stepper.order(), 2);
  const double end_error = std::abs(run.x[0] - std::cos(end)) + std::abs(run.x[1] + std::sin(end));
  EXPECT_LT(end_error, 100 * std::abs(end) * accuracy);
  EXPECT_LT(worst, 100 * std::abs(end) * accuracy);
}

TEST(Sundials, PolynomialsMeetBothEndsAndAreAccurateInside) {
  for (const double accuracy : {1e-5, 1e-8}) {
    const auto control = tolerance(accuracy, {accuracy, accuracy});
    for (const double end : {10., -10.}) {
      SmallForm form = oscillator(), implicit = oscillator({1, 1});
      check_polynomials(*make_cvode(form, control, CvodeKind::bdf, false), accuracy, end);
      check_polynomials(*make_cvode(form, control, CvodeKind::adams, false), accuracy, end);
      check_polynomials(*make_cvode(form, control, CvodeKind::adams, true), accuracy, end);
      check_polynomials(*make_ida(implicit, control, false), accuracy, end);
    }
  }
}

// A backward difference formula of order k is the polynomial through the last k + 1 points, wherever they are.
TEST(Sundials, PolynomialsOfBdfPassThroughThePointsBehindTheStep) {
  const auto control = tolerance(1e-7, {1e-7, 1e-7});
  SmallForm form = oscillator(), implicit = oscillator({1, 1});
  for (const bool is_ida : {false, true}) {
    const auto stepper = is_ida ? make_ida(implicit, control, false) : make_cvode(form, control, CvodeKind::bdf, false);
    std::vector<std::array<double, 3>> ends{{0, 1, 0}};
    int highest = 0;
    const Journey run = advance(*stepper, 0, {1, 0}, 10, [&](Stepper& s, Step& step) {
      ends.push_back({step.t1, step.end()[0], step.end()[1]});
      ASSERT_TRUE(s.interpolate(step));
      highest = std::max(highest, step.degree());
      ASSERT_GT(ends.size(), static_cast<std::size_t>(step.degree()));
      for (int back = 0; back <= step.degree(); ++back) {
        const auto& [t, x, y] = *(ends.end() - 1 - back);
        double at[2];
        evaluate_polynomials(step.coefficients(), 2, step.degree(), (t - step.t0) / step.span, at);
        ASSERT_NEAR(at[0], x, 1e-13) << back << " steps before " << step.t1;
        ASSERT_NEAR(at[1], y, 1e-13) << back << " steps before " << step.t1;
      }
    });
    EXPECT_EQ(run.t, 10);
    EXPECT_EQ(highest, 5);
  }
}

TEST(Cvode, AdamsNeedsNoJacobianAndFewerStepsThanBdf) {
  SmallForm form = oscillator();
  const auto control = tolerance(1e-9, {1e-9, 1e-9});
  const auto adams = make_cvode(form, control, CvodeKind::adams, false);
  const auto bdf = make_cvode(form, control, CvodeKind::bdf, false);
  const Journey quick = advance(*adams, 0, {1, 0}, 20), slow = advance(*bdf, 0, {1, 0}, 20);
  EXPECT_NEAR(quick.x[0], std::cos(20.), 1e-6);
  EXPECT_LT(1.5 * quick.steps, slow.steps);
  EXPECT_EQ(adams->work().jacobians, 0);
  EXPECT_EQ(adams->work().dual_rhs, 0);
  EXPECT_EQ(adams->jacobian_kind(), "none");
  EXPECT_EQ(adams->solver(), "functional iteration");
}

TEST(Sundials, StartsAgainWithOrderOne) {
  const auto control = tolerance(1e-7, {1e-7, 1e-7});
  SmallForm form = oscillator(), implicit = oscillator({1, 1});
  const auto steppers = {make_cvode(form, control, CvodeKind::bdf, false).release(),
                         make_cvode(form, control, CvodeKind::adams, false).release(),
                         make_ida(implicit, control, false).release()};
  for (Stepper* raw : steppers) {
    const std::unique_ptr<Stepper> stepper(raw);
    const Journey before = advance(*stepper, 0, {1, 0}, 3);
    EXPECT_GT(stepper->order(), 1);
    const Work first = stepper->work();
    // From elsewhere, as after an impact: nothing of the past may remain.
    int order = 0;
    const double first_step = 1e-4;
    const Look look = [&](Stepper& s, Step& step) {
      if (order == 0) {
        EXPECT_LE(step.t1 - step.t0, 1.0001 * first_step);
      }
      if (order == 0) order = s.order();
    };
    const double turn = 1.5;
    const Journey after = advance(*stepper, 3, {2 * std::cos(turn), -2 * std::sin(turn)}, 6, look, first_step);
    EXPECT_EQ(order, 1);
    EXPECT_NEAR(after.x[0], 2 * std::cos(turn + 3), 3e-5);
    EXPECT_EQ(stepper->work().accepted, before.steps + after.steps);
    EXPECT_GT(stepper->work().rhs, first.rhs);
    EXPECT_GE(stepper->work().rejected, first.rejected);
    EXPECT_GT(stepper->work().iterations, first.iterations);
    EXPECT_GT(stepper->next_step_size(), 0);
  }
}

TEST(Sundials, ForwardAndBackReturnsToTheStart) {
  for (const double accuracy : {1e-6, 1e-9}) {
    const auto control = tolerance(accuracy, {accuracy, accuracy});
    SmallForm form = oscillator(), implicit = oscillator({1, 1});
    for (const bool is_ida : {false, true}) {
      const auto stepper =
          is_ida ? make_ida(implicit, control, false) : make_cvode(form, control, CvodeKind::bdf, false);
      const Journey there = advance(*stepper, 0, {1, 0}, 5), back = advance(*stepper, 5, there.x, 0);
      EXPECT_EQ(back.t, 0);
      EXPECT_NEAR(back.x[0], 1, 500 * accuracy);
      EXPECT_NEAR(back.x[1], 0, 500 * accuracy);
    }
  }
}

TEST(Sundials, EndsExactlyAtEveryLimitAndKeepsItsLargestStep) {
  auto control = tolerance(1e-6, {1e-6, 1e-6});
  control.max_step = 0.05;
  SmallForm form = oscillator(), implicit = oscillator({1, 1});
  for (const bool is_ida : {false, true}) {
    const auto stepper = is_ida ? make_ida(implicit, control, false) : make_cvode(form, control, CvodeKind::bdf, false);
    Step step(2);
    const double x[] = {1, 0};
    double t = 0.1;
    stepper->restart(t, x, 1, 0);
    const double above = std::nextafter(0.7, 1);  // one rounding after a limit
    for (const double limit : {0.1 + 1e-17, std::nextafter(0.1, 1), 0.3, 0.7, above, 0.7 + 1e-9, 1.9}) {
      if (limit == t) continue;
      while (t < limit) {
        ASSERT_EQ(stepper->step(limit, nullptr, step), Attempt::accepted) << limit;
        ASSERT_EQ(step.t0, t);
        ASSERT_LE(step.t1, limit);
        ASSERT_LE(step.t1 - step.t0, 0.05 + 1e-15);
        ASSERT_TRUE(stepper->interpolate(step));
        double middle[2];
        step.at(step.t0 + 0.5 * step.span, middle);
        ASSERT_NEAR(middle[0], std::cos(step.t0 + 0.5 * step.span - 0.1), 1e-4);
        t = step.t1;
      }
      EXPECT_EQ(t, limit);
      EXPECT_NEAR(step.end()[0], std::cos(t - 0.1), 1e-4);
    }
  }
}

// y' = sqrt(1 - t) y has no rate beyond t = 1. A step across is tried and taken back.
TEST(Sundials, ARateThatIsNotFiniteShortensTheStepAndEndsTheRunWhereItMust) {
  const auto control = tolerance(1e-4, {1e-4});
  const Rate rate = [](double t, const double* y, double* f) { f[0] = std::sqrt(1 - t) * y[0]; };
  const Slopes slopes = [](double t, const double*, double* J) { J[0] = std::sqrt(1 - t); };
  for (const bool is_ida : {false, true}) {
    SmallForm form(1, rate, slopes, is_ida ? std::vector<double>{1} : std::vector<double>{});
    const auto stepper = is_ida ? make_ida(form, control, false) : make_cvode(form, control, CvodeKind::bdf, false);
    const Journey run = advance(*stepper, 0, {1}, 2);
    EXPECT_EQ(run.last, Attempt::not_finite);
    EXPECT_LE(run.t, 1);
    EXPECT_GT(run.t, 0.99);
    EXPECT_NEAR(run.x[0], std::exp(2. / 3 * (1 - std::pow(1 - run.t, 1.5))), 0.01);
    EXPECT_EQ(stepper->failure().component, 0);
    EXPECT_EQ(stepper->failure().t, run.t);
    EXPECT_GT(stepper->failure().step_size, 0);
    EXPECT_GT(stepper->failure().attempts, 1);
    const auto notes = stepper->take_notes();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].code, MessageCode::library_warning);
    EXPECT_EQ(notes[0].text.rfind(is_ida ? "IDA: " : "CVODE: ", 0), 0u) << notes[0].text;
  }
}

TEST(Sundials, OneStepBeyondTheDomainIsRecoveredFrom) {
  // y' = -y^(3/2): a large first step would make y negative.
  const auto control = tolerance(1e-6, {1e-9});
  SmallForm form(
      1, [](double, const double* y, double* f) { f[0] = -100 * std::pow(y[0], 1.5); },
      [](double, const double* y, double* J) { J[0] = -150 * std::sqrt(y[0]); });
  const auto stepper = make_cvode(form, control, CvodeKind::adams, false);
  const Journey run = advance(*stepper, 0, {1}, 1, {}, 0.5);
  ASSERT_EQ(run.last, Attempt::accepted);
  EXPECT_GT(stepper->work().divergences + stepper->work().rejected, 0);
  EXPECT_NEAR(run.x[0], 1 / (51. * 51.), 1e-6);  // 1 / sqrt y = 1 + 50 t
}

TEST(Sundials, ASingularMatrixIsNamed) {
  // 0 = y1 - y1: nothing determines y1.
  SmallForm form(
      2, [](double, const double* y, double* f) { f[0] = -y[0], f[1] = 0; },
      [](double, const double*, double* J) { J[0] = -1, J[1] = 0, J[2] = 0, J[3] = 0; }, {1, 0});
  const auto control = tolerance(1e-6, {1e-6, 1e-6});
  const auto stepper = make_ida(form, control, false);
  const Journey run = advance(*stepper, 0, {1, 0}, 1);
  EXPECT_EQ(run.last, Attempt::singular);
  EXPECT_EQ(stepper->failure().component, 1);
  EXPECT_EQ(stepper->failure().t, 0);
}

TEST(Ida, AStartThatCannotBeCompletedIsReported) {
  SmallForm form = robertson();
  form.completion = [](double, double*, double*) { return std::string("no consistent start"); };
  const auto control = tolerance(1e-6, {1e-6, 1e-6, 1e-6});
  const auto stepper = make_ida(form, control, false);
  EXPECT_EQ(advance(*stepper, 0, {1, 0, 0}, 1).last, Attempt::no_convergence);
  const auto notes = stepper->take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, MessageCode::cannot_begin);
  EXPECT_EQ(notes[0].text, "t = 0: no consistent start");
}

// A pendulum on the unit circle, its multiplier an unknown beyond the states; index 2, with the position stabilized by
// a second multiplier (Gear, Leimkuhler, Gupta, J. Comput. Appl. Math. 12 (1985) 77).
TEST(Ida, IntegratesAPendulumOfIndexTwo) {
  const Rate rate = [](double, const double* y, double* f) {
    f[0] = y[2] - 2 * y[0] * y[5];
    f[1] = y[3] - 2 * y[1] * y[5];
    f[2] = -y[0] * y[4];
    f[3] = -y[1] * y[4] - 1;
    f[4] = y[0] * y[2] + y[1] * y[3];
    f[5] = y[0] * y[0] + y[1] * y[1] - 1;
  };
  const Slopes slopes = [](double, const double* y, double* J) {
    std::fill(J, J + 36, 0.);
    const auto at = [J](int i, int j) -> double& { return J[6 * j + i]; };
    at(0, 0) = -2 * y[5], at(0, 2) = 1, at(0, 5) = -2 * y[0];
    at(1, 1) = -2 * y[5], at(1, 3) = 1, at(1, 5) = -2 * y[1];
    at(2, 0) = -y[4], at(2, 4) = -y[0];
    at(3, 1) = -y[4], at(3, 4) = -y[1];
    at(4, 0) = y[2], at(4, 1) = y[3], at(4, 2) = y[0], at(4, 3) = y[1];
    at(5, 0) = 2 * y[0], at(5, 1) = 2 * y[1];
  };
  double coarse_error = 0;
  for (const double accuracy : {1e-5, 1e-7}) {
    SmallForm form(6, rate, slopes, {1, 1, 1, 1, 0, 0}, 2);
    form.mutable_roles()[4].index = form.mutable_roles()[5].index = 2;
    form.completion = [](double, double* y, double* dy) {
      y[4] = y[2] * y[2] + y[3] * y[3] - y[1];
      y[5] = 0;
      dy[0] = y[2], dy[1] = y[3], dy[2] = -y[0] * y[4], dy[3] = -y[1] * y[4] - 1;
      dy[4] = -3 * y[3];
      dy[5] = 0;
      return std::string();
    };
    const auto control = tolerance(accuracy, std::vector<double>(4, accuracy));
    const auto stepper = make_ida(form, control, false);
    const Journey run = advance(*stepper, 0, {1, 0, 0, 0}, 3);
    ASSERT_EQ(run.last, Attempt::accepted);
    EXPECT_EQ(run.x.size(), 4u);
    EXPECT_NEAR(std::hypot(run.x[0], run.x[1]), 1, accuracy);
    // Energy zero all the way, and the error falls with the tolerance.
    const double energy = (run.x[2] * run.x[2] + run.x[3] * run.x[3]) / 2 + run.x[1];
    EXPECT_LT(std::abs(energy), 100 * accuracy);
    if (coarse_error > 0) {
      EXPECT_LT(std::abs(energy), coarse_error / 5);
    }
    coarse_error = std::abs(energy);
    EXPECT_LT(run.steps, 2000);
  }
}

// The same pendulum with the position alone: index 3, velocities of index 2. Without the weights h^(index - 1) of
// Newton's method IDA does not leave the start.
TEST(Ida, IntegratesAPendulumOfIndexThreeFromAnyFirstStep) {
  const Rate rate = [](double, const double* y, double* f) {
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] * y[4];
    f[3] = -y[1] * y[4] - 1;
    f[4] = y[0] * y[0] + y[1] * y[1] - 1;
  };
  const Slopes slopes = [](double, const double* y, double* J) {
    std::fill(J, J + 25, 0.);
    const auto at = [J](int i, int j) -> double& { return J[5 * j + i]; };
    at(0, 2) = at(1, 3) = 1;
    at(2, 0) = at(3, 1) = -y[4], at(2, 4) = -y[0], at(3, 4) = -y[1];
    at(4, 0) = 2 * y[0], at(4, 1) = 2 * y[1];
  };
  const auto run_with = [&](double accuracy, double first_step, std::vector<int> indices) {
    SmallForm form(5, rate, slopes, {1, 1, 1, 1, 0}, 1);
    for (std::size_t i = 0; i < 5; ++i) form.mutable_roles()[i].index = indices[i];
    form.completion = [](double, double* y, double* dy) {
      y[4] = y[2] * y[2] + y[3] * y[3] - y[1];
      dy[0] = y[2], dy[1] = y[3], dy[2] = -y[0] * y[4], dy[3] = -y[1] * y[4] - 1;
      dy[4] = -3 * y[3];
      return std::string();
    };
    const auto control = tolerance(accuracy, std::vector<double>(4, accuracy));
    const auto stepper = make_ida(form, control, false);
    return advance(*stepper, 0, {1, 0, 0, 0}, 10, {}, first_step);
  };
  for (const double accuracy : {1e-4, 1e-6, 1e-8}) {
    for (const double first_step : {0., 1e-3, 1e-6}) {
      const Journey run = run_with(accuracy, first_step, {1, 1, 2, 2, 3});
      ASSERT_EQ(run.last, Attempt::accepted) << accuracy << ' ' << first_step;
      EXPECT_NEAR(std::hypot(run.x[0], run.x[1]), 1, accuracy);
      // Velocities lose one power of h.
      EXPECT_NEAR((run.x[2] * run.x[2] + run.x[3] * run.x[3]) / 2 + run.x[1], 0, 10 * std::sqrt(accuracy));
    }
    const Journey misled = run_with(accuracy, 0, {1, 1, 1, 1, 1});
    EXPECT_NE(misled.last, Attempt::accepted);
    EXPECT_LT(misled.t, 0.1);
  }
}

class OntoCircle final : public Correction {
 public:
  double apply(double, double* x) override {
    const double radius = std::hypot(x[0], x[1]);
    x[0] /= radius, x[1] /= radius;
    ++calls;
    return std::abs(radius - 1) / 1e-4;
  }
  int calls = 0;
};

TEST(Sundials, CorrectedEndsLieOnTheManifoldAndContinue) {
  const auto control = tolerance(1e-4, {1e-4, 1e-4});
  SmallForm form = oscillator(), implicit = oscillator({1, 1});
  for (const int kind : {0, 1, 2}) {
    const auto stepper = kind == 0   ? make_cvode(form, control, CvodeKind::bdf, false)
                         : kind == 1 ? make_cvode(form, control, CvodeKind::adams, false)
                                     : make_ida(implicit, control, false);
    OntoCircle onto;
    Step step(2);
    std::vector<double> x{1, 0};
    for (const double from : {0., 10.}) {
      stepper->restart(from, x.data(), 1, 0);
      for (double t = from; t < from + 10; t = step.t1) {
        ASSERT_EQ(stepper->step(from + 10, &onto, step), Attempt::accepted);
        ASSERT_EQ(step.start()[0], x[0]);
        ASSERT_EQ(step.start()[1], x[1]);
        ASSERT_NEAR(std::hypot(step.end()[0], step.end()[1]), 1, 1e-13);
        x.assign(step.end(), step.end() + 2);
      }
    }
    EXPECT_GT(onto.calls, 0);
    EXPECT_NEAR(x[0], std::cos(20.), 0.1);
    const auto notes = stepper->take_notes();
    ASSERT_EQ(notes.size(), kind == 0 ? 0u : 1u);  // BDF of CVODE takes the pull inside its steps
    if (kind > 0) {
      EXPECT_EQ(notes[0].code, MessageCode::corrected_between_steps);
    }
  }
}

/// Heat in a rod of n cells between walls at zero, or (uncoupled) n cells that cool on their own.
class Rod final : public ImplicitForm {
 public:
  explicit Rod(int cells) {
    size_ = states_ = cells;
    roles_.resize(static_cast<std::size_t>(cells));
    matrices_.size = cells;
    matrices_.is_sparse = true;
  }
  bool is_coupled = true;

  void restart(double, const double*) override {
    MatrixPair& m = matrices_;
    m.first.assign(1, 0);
    m.row.clear();
    m.J.clear();
    const int reach = is_coupled ? 1 : 0;
    for (int j = 0; j < size_; ++j) {
      for (int i = std::max(0, j - reach); i <= std::min(size_ - 1, j + reach); ++i) {
        m.row.push_back(i);
        m.J.push_back(i == j ? -(1 + reach) * conductance : conductance);
      }
      m.first.push_back(static_cast<int>(m.row.size()));
    }
  }
  std::string complete(double, double*, double*) override { return {}; }
  void residual(double, const double* y, const double*, double* r) override {
    for (int i = 0; i < size_; ++i) {
      const double left = i > 0 ? y[i - 1] : 0, right = i + 1 < size_ ? y[i + 1] : 0;
      r[i] = conductance * (is_coupled ? left - 2 * y[i] + right : -y[i]);
    }
  }
  void linearize(double, const double*, const double*) override {}
  void time_slope(double, const double*, const double*, double*) override {}
  std::string name(int unknown) const override { return std::to_string(unknown); }

  static constexpr double conductance = 1000;
};

TEST(Cvode, FollowsAPatternThatChangesWithTheMode) {
  constexpr int cells = 200;
  const double pi = std::acos(-1.), slowest = 4 * Rod::conductance * std::pow(std::sin(pi / (2 * (cells + 1))), 2);
  std::vector<double> x(cells);
  for (int i = 0; i < cells; ++i) x[static_cast<std::size_t>(i)] = std::sin(pi * (i + 1) / (cells + 1));
  Rod rod(cells);
  const auto control = tolerance(1e-7, std::vector<double>(cells, 1e-9));
  const auto stepper = make_cvode(rod, control, CvodeKind::bdf, false);
  constexpr int middle = cells / 2;
  double amplitude = 1;
  for (const bool is_coupled : {true, false, true}) {
    rod.is_coupled = is_coupled;
    const double time = is_coupled ? 2 : 1e-4;
    const Journey run = advance(*stepper, 0, x, time);
    ASSERT_EQ(run.last, Attempt::accepted);
    amplitude *= std::exp(-time * (is_coupled ? slowest : Rod::conductance));
    EXPECT_NEAR(run.x[middle], amplitude * std::sin(pi * (middle + 1) / (cells + 1)), 1e-5);
    EXPECT_EQ(stepper->work().divergences, 0);  // wrong factors would not converge
    x = run.x;
  }
}

TEST(Sundials, AFixedStepIsRefused) {
  auto control = tolerance(1e-6, {1e-6, 1e-6});
  control.fixed_step = 0.1;
  SmallForm form = oscillator();
  EXPECT_THROW(make_cvode(form, control, CvodeKind::bdf, false), Misuse);
  EXPECT_THROW(make_ida(form, control, false), Misuse);
  try {
    make_cvode(form, control, CvodeKind::adams, false);
  } catch (const Misuse& misuse) {
    EXPECT_NE(std::string(misuse.what()).find("adams (CVODE) chooses its own steps"), std::string::npos);
  }
}

TEST(Sundials, WhatTheModelThrowsArrivesAtTheCaller) {
  const auto control = tolerance(1e-6, {1e-6});
  SmallForm form(
      1, [](double t, const double*, double* f) { t > 0.5 ? throw std::domain_error("table ends") : f[0] = 1; },
      [](double, const double*, double* J) { J[0] = 0; });
  for (const bool is_ida : {false, true}) {
    const auto stepper = is_ida ? make_ida(form, control, false) : make_cvode(form, control, CvodeKind::bdf, false);
    EXPECT_THROW(advance(*stepper, 0, {0}, 1), std::domain_error);
  }
}

TEST(Cvode, AKnownRateSavesAnEvaluation) {
  const auto control = tolerance(1e-6, {1e-6, 1e-6});
  SmallForm form = oscillator();
  const double x[] = {1, 0}, rate[] = {0, -1};
  long long evaluations[2];
  for (const bool is_known : {false, true}) {
    const auto stepper = make_cvode(form, control, CvodeKind::bdf, false);
    Step step(2);
    stepper->restart(0, x, 1, 1e-3, is_known ? rate : nullptr);
    ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
    evaluations[is_known ? 1 : 0] = stepper->work().rhs;
  }
  EXPECT_EQ(evaluations[1], evaluations[0] - 1);
}

// y' = 1 - cos 2 pi t is zero at both ends of a first step of 1, and so is the estimate of the library; y(1) = 1.
TEST(Sundials, AFirstStepOverWholePeriodsIsSeenThrough) {
  constexpr double pi = 3.14159265358979323846;
  for (const double accuracy : {1e-3, 1e-6}) {
    for (const int kind : {0, 1, 2}) {
      const auto control = tolerance(accuracy, {accuracy});
      SmallForm form(
          1, [](double t, const double*, double* f) { f[0] = 1 - std::cos(2 * pi * t); },
          [](double, const double*, double* J) { J[0] = 0; },
          kind == 2 ? std::vector<double>{1} : std::vector<double>{});
      const auto stepper = kind == 0   ? make_cvode(form, control, CvodeKind::bdf, false)
                           : kind == 1 ? make_cvode(form, control, CvodeKind::adams, false)
                                       : make_ida(form, control, false);
      const double start[] = {0};
      Step step(1);
      stepper->restart(0, start, 1, 1.0, nullptr);
      double t = 0, y = 0;
      while (t < 3) {
        ASSERT_EQ(stepper->step(3, nullptr, step), Attempt::accepted);
        t = step.t1;
        y = step.end()[0];
      }
      EXPECT_NEAR(y, 3, 100 * accuracy) << kind;
      EXPECT_GT(stepper->work().rejected, 0) << kind;
      EXPECT_EQ(stepper->work().rhs, form.evaluations) << kind;
    }
  }
}

}  // namespace
}  // namespace pawl
