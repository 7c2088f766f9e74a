#include <gtest/gtest.h>

#include <numbers>

#include "integrate/methods.hpp"
#include "pawl/integrate.hpp"
#include "pawl/tableaus.hpp"
#include "stepper_of.hpp"

namespace pawl {
namespace {

using testing::StepperOf;
using testing::takes_fixed_steps;

// Evaluations with numbers, and with duals.
long long calls = 0, dual_calls = 0;

System rotation() {
  System system("rotation");
  const auto x = system.state("x", 1), y = system.state("y", 0);
  system.rates([=](const auto& at, auto& d) {
    using Scalar = std::decay_t<decltype(at[x])>;
    if constexpr (std::is_same_v<Scalar, double>) ++calls;
    if constexpr (std::is_same_v<Scalar, Gradient>) ++dual_calls;
    d[x] = -at[y];
    d[y] = at[x];
  });
  return system;
}
const System rotate = rotation();

StepControl control_of(double relative, int size, double fixed_step = 0) {
  StepControl control;
  control.relative = relative;
  control.absolute.assign(static_cast<std::size_t>(size), relative * 1e-3);
  control.fixed_step = fixed_step;
  return control;
}

constexpr double one_zero[] = {1, 0};

/// Pulls to the unit circle, and remembers how often it was asked.
class ToCircle : public Correction {
 public:
  explicit ToCircle(double tolerance) : tolerance_(tolerance) {}
  double apply(double, double* x) override {
    ++calls;
    const double r = std::hypot(x[0], x[1]);
    x[0] /= r;
    x[1] /= r;
    return std::abs(r - 1) / tolerance_;
  }
  int calls = 0;

 private:
  double tolerance_;
};

TEST(Stepper, EveryMethodStartsAndEndsItsPolynomialOnTheExactBits) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const StepperOf stepper(method, rotate, control_of(1e-8, 2, takes_fixed_steps(method) ? 0.125 : 0));
    stepper->restart(0, one_zero, 1, 0);
    Step step(2);
    double expected[] = {1, 0}, x[2];
    for (int i = 0; i < 6; ++i) {
      ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      stepper->interpolate(step);
      step.at(step.t0, x);
      EXPECT_EQ(x[0], expected[0]);
      EXPECT_EQ(step.coefficients()[0], expected[0]);
      step.at(step.t1, x);
      EXPECT_EQ(x[1], step.end()[1]);
      double reached[2];
      evaluate_polynomials(step.coefficients(), 2, step.degree(), 1, reached);
      EXPECT_NEAR(reached[0], step.end()[0], 4e-16);  // and the polynomial itself arrives there
      expected[0] = step.end()[0];
      expected[1] = step.end()[1];
    }
  }
}

TEST(Stepper, ReachesTheLimitExactlyAndNeverPassesIt) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    for (const double direction : {1.0, -1.0}) {
      const double end = direction * 0.7;  // no multiple of the fixed step
      const StepperOf stepper(method, rotate, control_of(1e-6, 2, method.is_adaptive ? 0 : 0.15));
      stepper->restart(0, one_zero, direction, 0);
      Step step(2);
      double t = 0;
      while (t != end) {
        ASSERT_EQ(stepper->step(end, nullptr, step), Attempt::accepted);
        EXPECT_EQ(step.t0, t);
        EXPECT_LE(std::abs(step.t1), 0.7);
        t = step.t1;
      }
      const double tolerance = method.is_adaptive ? 1e-4 : 3 * std::pow(0.15, method.order);
      EXPECT_NEAR(step.end()[1], std::sin(end), tolerance);
    }
  }
}

TEST(Stepper, ACorrectionMovesTheEndInsideTheStep) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const StepperOf stepper(method, rotate, control_of(1e-6, 2, method.is_adaptive ? 0 : 1e-3));
    stepper->restart(0, one_zero, 1, 0);
    ToCircle circle(1e-5);
    Step step(2);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(stepper->step(100, &circle, step), Attempt::accepted);
      EXPECT_NEAR(std::hypot(step.end()[0], step.end()[1]), 1, 3e-16);
      stepper->interpolate(step);
      double reached[2];
      evaluate_polynomials(step.coefficients(), 2, step.degree(), 1, reached);
      EXPECT_NEAR(reached[0], step.end()[0], 4e-16);
    }
    EXPECT_GE(circle.calls, 20);
  }
}

TEST(Stepper, APullLargerThanTheToleranceRejectsTheStep) {
  const auto longest_with = [](double pull_tolerance) {
    const StepperOf stepper(find_method("dormand-prince-5"), rotate, control_of(1e-3, 2));
    stepper->restart(0, one_zero, 1, 0);
    ToCircle circle(pull_tolerance);
    Step step(2);
    double longest = 0;
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(stepper->step(100, &circle, step), Attempt::accepted);
      longest = std::max(longest, step.h);
    }
    return longest;
  };
  // |r - 1| of one step of an order-5 method on a rotation grows like h^6. Each run's longest step lies where its
  // controller lets it rest, in a band of a factor of about five in the pull.
  EXPECT_NEAR(std::pow(longest_with(1e-6) / longest_with(1e-9), 6), 1e3, 700);
}

TEST(Stepper, AStepCutByTheLimitDoesNotShortenTheNext) {
  for (const char* name : {"dormand-prince-5", "radau", "rodas5p", "esdirk-5"}) {
    SCOPED_TRACE(name);
    const StepperOf stepper(find_method(name), rotate, control_of(1e-6, 2));
    stepper->restart(0, one_zero, 1, 0);
    Step step(2);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(stepper->step(1e3, nullptr, step), Attempt::accepted);
    const double usual = step.h;
    ASSERT_EQ(stepper->step(step.t1 + 1e-4 * usual, nullptr, step), Attempt::accepted);
    ASSERT_EQ(stepper->step(1e3, nullptr, step), Attempt::accepted);
    EXPECT_GT(step.h, 0.7 * usual);
  }
}

TEST(Stepper, CountsEveryEvaluation) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const StepperOf stepper(method, rotate, control_of(1e-8, 2, method.is_adaptive ? 0 : 0.01));
    calls = dual_calls = 0;
    stepper->restart(0, one_zero, 1, 0);
    Step step(2);
    for (int i = 0; i < 120; ++i) {  // long enough for the watch for stiffness
      ASSERT_EQ(stepper->step(1e3, nullptr, step), Attempt::accepted);
      if (i % 3 == 0) stepper->interpolate(step);
    }
    EXPECT_EQ(stepper->work().rhs, calls);
    EXPECT_EQ(stepper->work().dual_rhs, dual_calls);
    EXPECT_EQ(stepper->work().accepted, 120);
  }
}

TEST(Stepper, CostsWhatItsTableSays) {
  const auto evaluations = [](const char* name, bool dense) {
    const StepperOf stepper(find_method(name), rotate, control_of(1e-8, 2, 0.01));
    stepper->restart(0, one_zero, 1, 0);
    Step step(2);
    for (int i = 0; i < 10; ++i) {
      stepper->step(1, nullptr, step);
      if (dense) stepper->interpolate(step);
    }
    return stepper->work().rhs;
  };
  EXPECT_EQ(evaluations("dormand-prince-5", false), 1 + 6 * 10);  // first same as last
  EXPECT_EQ(evaluations("dormand-prince-5", true), 1 + 6 * 10);   // a free interpolant
  EXPECT_EQ(evaluations("rk4", false), 4 * 10);
  EXPECT_EQ(evaluations("rk4", true), 4 * 10 + 1);  // the rate at the end serves the next step
  EXPECT_EQ(evaluations("dop853", false), 12 * 10);
  EXPECT_EQ(evaluations("dop853", true), 15 * 10 + 1);
  EXPECT_EQ(evaluations("tsitouras-papakostas-8", false), 12 * 10);
  EXPECT_EQ(evaluations("tsitouras-papakostas-8", true), 16 * 10 + 1);
  EXPECT_EQ(evaluations("verner-9", true), 25 * 10 + 1);
  EXPECT_EQ(evaluations("fehlberg-78", true), 17 * 10 + 1);
  EXPECT_EQ(evaluations("adams-bashforth-moulton-4", false), 4 * 3 + 2 * 7);  // three steps by Runge-Kutta
}

TEST(Stepper, InlinedAndErasedTakeTheSameSteps) {
  const auto f = [](const auto& at, auto& d) {
    d[State{0}] = -at[State{1}];
    d[State{1}] = at[State{0}];
  };
  using Field = detail::InlinedField<decltype(f)>;
  ExplicitRungeKutta<dop853, Field, 2> inlined(Field{f}, 2, control_of(1e-10, 2));
  const StepperOf erased(find_method("dop853"), rotate, control_of(1e-10, 2));
  inlined.restart(0, one_zero, 1, 0);
  erased->restart(0, one_zero, 1, 0);
  // Not to the bit: the two multiply in different orders, and the first error estimates are rounding.
  const auto run = [](Stepper& stepper, Step& step) {
    while (step.t1 < 50) ASSERT_EQ(stepper.step(50, nullptr, step), Attempt::accepted);
  };
  Step a(2), b(2);
  run(inlined, a);
  run(*erased, b);
  EXPECT_NEAR(static_cast<double>(inlined.work().accepted), static_cast<double>(erased->work().accepted), 2);
  EXPECT_NEAR(a.end()[0], std::cos(50), 1e-7);
  EXPECT_NEAR(a.end()[0], b.end()[0], 1e-9);
}

}  // namespace
}  // namespace pawl
