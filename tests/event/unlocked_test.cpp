// events = none: conditions follow the state at every evaluation, and the error control alone meets discontinuities.
#include <cmath>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl::test {
namespace {

using testing::misuse_of;

/// y' = 1 while y < 1, then 3: y = 3 t - 2 from t = 1 on.
struct Ramp {
  Ramp() {
    system.rates([y = y, is_high = is_high](const auto& at, auto& d) { d[y] = at[is_high] ? 3.0 : 1.0; });
  }
  System system{"ramp"};
  State y = system.state("y", 0);
  Condition is_high = system.condition("high", [y = y](const auto& at) { return at[y] - 1; });
  Observable rate = system.observable("rate", [is_high = is_high](const auto& at) { return at[is_high] ? 3.0 : 1.0; });
};

TEST(WithoutEvents, TheErrorControlMeetsTheDiscontinuity) {
  const Ramp ramp;
  for (const double tolerance : {1e-4, 1e-8}) {
    const Result run = simulate(
        ramp.system, {.end = 2, .tolerance = {tolerance, tolerance}, .method = "dormand-prince-5", .events = "none"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_TRUE(run.events.empty());
    EXPECT_NEAR(run.final()[ramp.y], 4, 100 * tolerance);  // some steps around it have a wrong rate in part
    EXPECT_GT(run.statistics.steps_rejected, 0);
    EXPECT_TRUE(run.statistics.events.guarantees.empty());
    // What is read follows the state too, at any time and in any order.
    EXPECT_EQ(run.at(1.5)[ramp.rate], 3);
    EXPECT_EQ(run.at(0.5)[ramp.rate], 1);
    EXPECT_EQ(run.range(ramp.rate).variation(), 2);
  }
}

TEST(WithoutEvents, CostsMoreThanFindingThem) {
  const Ramp ramp;
  Options options{.end = 2, .tolerance = {1e-8, 1e-8}, .method = "dormand-prince-5"};
  const long long found = simulate(ramp.system, options).statistics.rhs;
  options.events = "none";
  EXPECT_GT(simulate(ramp.system, options).statistics.rhs, found);
}

TEST(WithoutEvents, RelaysTakeTheLevelOfTheirSide) {
  System system("integrator");
  const auto y = system.state("y", 1);
  const auto relay = system.relay("side", {.below = 0, .above = -1}, [=](const auto& at) { return at[y] - 0.5; });
  system.rates([=](const auto& at, auto& d) { d[y] = at[relay] - 0.5; });
  // y = 1 - 1.5 t down to 1/2 at t = 1/3, then y' = -1/2: no sliding, it goes through.
  const Result run =
      simulate(system, {.end = 1, .tolerance = {1e-8, 1e-8}, .method = "dormand-prince-5", .events = "none"});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.final()[y], 0.5 - 0.5 * (1 - 1. / 3), 1e-6);
}

TEST(WithoutEvents, AModelThatNeedsThemIsRefused) {
  const auto refusal = [](const System& system) {
    return misuse_of([&] { simulate(system, {.end = 1, .events = "none"}); });
  };
  const auto with = [](const auto& declare) {
    System system("model");
    const auto y = system.state("y", 1);
    system.rates([=](const auto& at, auto& d) { d[y] = -at[y]; });
    declare(system, y);
    return system;
  };
  EXPECT_EQ(refusal(with([](System& system, State y) {
              system.guard("floor", [=](const auto& at) { return at[y] - 0.5; }).then([=](Jump& jump) { jump[y] = 1; });
            })),
            "system 'model' cannot be run with events 'none': 'floor' makes a jump");
  EXPECT_EQ(refusal(with([](System& system, State y) {
              system.relation("difference", [=](const auto& at) { return at[y] - 0.5; });
            })),
            "system 'model', relation 'difference': only the finder 'certified' knows when a difference rests at zero, "
            "not 'none'");
  EXPECT_EQ(refusal(with([](System& system, State y) {
              system.relay("switch", {.below = 0, .above = 1, .hysteresis = 0.1},
                           [=](const auto& at) { return at[y] - 0.5; });
            })),
            "system 'model' cannot be run with events 'none': the relay 'switch' has hysteresis");
  EXPECT_EQ(refusal(with([](System& system, State) { system.transition([](Jump&) {}); })),
            "system 'model' cannot be run with events 'none': it has a transition function");
  System equations("equations");
  const auto x = equations.state("x", 0);
  equations.equation("value", [=](const auto& at) { return at[x] - 1; });
  EXPECT_EQ(refusal(equations),
            "system 'equations' cannot be run with events 'none': it is not declared by rates alone");
}

}  // namespace
}  // namespace pawl::test
