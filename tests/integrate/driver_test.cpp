#include "integrate/driver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "stepper_of.hpp"

namespace pawl {
namespace {

using testing::FieldOf;
using testing::StepperOf;

long long calls = 0;  // of a right-hand side, with numbers

System turning() {
  System system("turning");
  const auto x = system.state("x", 1), y = system.state("y", 0);
  system.rates([=](const auto& at, auto& d) {
    if constexpr (std::is_same_v<std::decay_t<decltype(at[x])>, double>) ++calls;
    d[x] = -at[y];
    d[y] = at[x];
  });
  return system;
}

/// y' = -λ (y - cos t) - sin t, λ = 1e4: y = cos t, after a while limited by stability alone (Prothero and Robinson).
System stiff_cosine() {
  System system("stiff cosine");
  const auto y = system.state("y", 1);
  system.rates([=](const auto& at, auto& d) {
    using std::cos, std::sin;
    if constexpr (std::is_same_v<std::decay_t<decltype(at[y])>, double>) ++calls;
    d[y] = -1e4 * (at[y] - cos(at.t)) - sin(at.t);
  });
  return system;
}

StepControl control_of(double relative, std::size_t size) {
  StepControl control;
  control.relative = relative;
  control.absolute.assign(size, 1e-3 * relative);
  return control;
}

constexpr double one_zero[] = {1, 0};

/// Adds to x, and notes in which order it was asked.
struct Push final : Correction {
  Push(double by, std::vector<double>& log) : amount(by), order(log) {}
  double apply(double, double* x) override {
    x[0] += amount;
    order.push_back(amount);
    return amount;
  }
  double amount;
  std::vector<double>& order;
};

/// A manifold that ends at a given time.
struct EndsAt final : Keeper {
  EndsAt(double end, Correction& correction) : Keeper(correction), end_(end) {}
  void restart(double, const double*) override { has_ended_ = false; }
  std::optional<double> branching_in(Step& step, Stepper&) override {
    return step.t1 > end_ ? std::optional(std::max(end_, step.t0)) : std::nullopt;
  }
  double come_nearer(double branching) override {
    has_ended_ = true;
    return branching;
  }
  bool has_ended() const override { return has_ended_; }
  void accept(const Step& step) override { accepted.push_back(step.t1); }
  bool draw(Step& step, Stepper& method) override { return method.interpolate(step); }
  int dense_order(int) const override { return 42; }
  long long evaluations() const override { return 1000; }
  void carry(Memory&) override {}
  std::vector<double> accepted;

 private:
  double end_;
  bool has_ended_ = false;
};

TEST(Driver, WithNothingBesideTheMethodItIsTheMethod) {
  const System system = turning();
  const StepControl control = control_of(1e-8, 2);
  const StepperOf alone(find_method("dop853"), system, control), driven(find_method("dop853"), system, control);
  Driver driver(*driven);
  Step one(2), other(2);
  alone->restart(0, one_zero, 1, 0);
  driver.restart(0, one_zero, 1, 0);
  while (one.t1 < 10) {
    ASSERT_EQ(alone->step(10, nullptr, one), Attempt::accepted);
    ASSERT_EQ(driver.step(10, nullptr, other), Attempt::accepted);
    alone->interpolate(one);
    driver.interpolate(other);
    ASSERT_EQ(one.t1, other.t1);
    for (int i = 0; i < 2 * (one.degree() + 1); ++i) ASSERT_EQ(one.coefficients()[i], other.coefficients()[i]);
  }
  EXPECT_EQ(driver.work().rhs, alone->work().rhs);
  EXPECT_EQ(driver.dense_order(), alone->dense_order());
  EXPECT_FALSE(driver.corrects_ends());
}

TEST(Driver, TheKeeperPullsFirstAndThenWhatEventsAskFor) {
  const System system = turning();
  const FieldOf rates(system);
  const StepControl control = control_of(1e-3, 2);
  std::vector<double> order;
  Push small(1e-9, order), large(2e-9, order);
  EndsAt keeper(100, small);
  Driver driver({.method = find_method("tsitouras-5").make(rates.field(), 2, control), .keeper = &keeper});
  Step step(2);
  driver.restart(0, one_zero, 1, 0.01);
  ASSERT_EQ(driver.step(1, &large, step), Attempt::accepted);
  EXPECT_EQ(order, (std::vector<double>{1e-9, 2e-9}));
  ASSERT_EQ(driver.step(1, nullptr, step), Attempt::accepted);
  EXPECT_EQ(order, (std::vector<double>{1e-9, 2e-9, 1e-9}));
  EXPECT_TRUE(driver.corrects_ends());
  EXPECT_EQ(driver.dense_order(), 42);
}

TEST(Driver, AStepEndsWhereTheManifoldDoesAndThereIsNoOther) {
  const System system = turning();
  const FieldOf rates(system);
  const StepControl control = control_of(1e-6, 2);
  std::vector<double> order;
  Push none(0, order);
  EndsAt keeper(0.7, none);
  Driver driver({.method = find_method("tsitouras-5").make(rates.field(), 2, control), .keeper = &keeper});
  Step step(2);
  driver.restart(0, one_zero, 1, 0);
  while (step.t1 < 0.7) ASSERT_EQ(driver.step(1, nullptr, step), Attempt::accepted);
  EXPECT_EQ(step.t1, 0.7);
  EXPECT_NEAR(step.end()[0], std::cos(0.7), 1e-5);
  EXPECT_EQ(keeper.accepted.back(), 0.7);
  EXPECT_EQ(driver.step(1, nullptr, step), Attempt::step_too_small);
  EXPECT_EQ(driver.failure().t, 0.7);
  driver.restart(0, one_zero, 1, 0);
  EXPECT_EQ(driver.step(0.1, nullptr, step), Attempt::accepted);
}

TEST(Driver, ChangesToTheImplicitMethodWhereItIsStiffAndCountsTheWorkOfBoth) {
  const System system = stiff_cosine();
  const FieldOf rates(system);
  const StepControl control = control_of(1e-6, 1);
  const auto form = formulate::make_ode_form(rates.model, rates.active, 1);
  const Method &fast = find_method("tsitouras-5"), &stiff = find_method("radau");
  DriverParts parts{.method = fast.make(rates.field(), 1, control),
                    .make_implicit = [&] { return stiff.make_implicit(*form, control, {}); }};
  parts.switching.emplace(
      SwitchingRules{.explicit_name = fast.name, .implicit_name = stiff.name, .stability_limit = fast.stability_limit},
      rates.field(), 1, control);
  calls = 0;
  Driver driver(std::move(parts));
  const double start = 1;
  Step step(1);
  driver.restart(0, &start, 1, 0);
  while (step.t1 < 10) {
    ASSERT_EQ(driver.step(10, nullptr, step), Attempt::accepted);
    driver.interpolate(step);
    EXPECT_NEAR(step.end()[0], std::cos(step.t1), 1e-5);
  }
  EXPECT_EQ(driver.work().rhs, calls);
  EXPECT_FALSE(driver.stiffness());  // nothing to be said: it has another method
  const auto notes = driver.take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, MessageCode::method_changed);
  const auto shares = driver.steps_by_method();
  ASSERT_GE(shares.size(), 2u);
  EXPECT_EQ(shares[0].first, "tsitouras-5");
  long long steps = 0;
  for (const auto& [name, count] : shares) steps += count;
  EXPECT_EQ(steps, driver.work().accepted);
  EXPECT_LT(steps, 1000);  // an explicit method takes 10 · 1e4 / 3.3
}

/// ∫ x dt, along with x and y.
struct Integral final : Companions {
  explicit Integral(const ActiveField& of_states, const StepControl& of_run) : Companions(2, 1), inner(of_states) {
    field = {&entry, this, nullptr, nullptr};
    control = of_run;
    control.absolute.push_back(of_run.absolute[0]);
  }
  void extend(double, const double* x, const double*) override {
    std::copy_n(x, 2, start.begin());
    start[2] = 0;
  }
  static void entry(const void* self, const Point<double>& at, double* rates) {
    const auto& in = static_cast<const Integral*>(self)->inner;
    const double* x = at.states().array;
    in.call(in.self, Point<double>(at.t, x, in.parameters, in.around), rates);
    rates[2] = x[0];
  }
  const ActiveField& inner;
};

TEST(Driver, CompanionsAreIntegratedAlongAndNotSeen) {
  const System system = turning();
  const FieldOf rates(system);
  Integral integral(rates.active, control_of(1e-8, 2));
  Driver driver({.method = find_method("dop853").make(VectorField{&integral.field}, 3, integral.control),
                 .companions = &integral});
  Step step(2);
  driver.restart(0, one_zero, 1, 0);
  while (step.t1 < 2) {
    ASSERT_EQ(driver.step(2, nullptr, step), Attempt::accepted);
    ASSERT_TRUE(driver.interpolate(step));
    const double middle = 0.5 * (step.t0 + step.t1);
    double x[2];
    step.at(middle, x);
    EXPECT_NEAR(x[0], std::cos(middle), 1e-6);
    EXPECT_NEAR(integral.whole.end()[2], std::sin(step.t1), 1e-7);
  }
  EXPECT_NEAR(step.end()[1], std::sin(2), 1e-7);
  ASSERT_TRUE(driver.redo(1.9, nullptr, step));
  EXPECT_EQ(step.t1, 1.9);
  EXPECT_NEAR(step.end()[1], std::sin(1.9), 1e-7);
}

}  // namespace
}  // namespace pawl
