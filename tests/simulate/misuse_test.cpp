// What cannot be run: each case throws at once, with exactly this text.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {
namespace {

System decay() {
  System system("decay");
  const auto amount = system.state("amount", 1);
  const auto rate = system.parameter("rate", 0.5);
  system.rates([=](const auto& at, auto& d) { d[amount] = -at[rate] * at[amount]; });
  return system;
}

std::string misuse_of(const std::function<void()>& action) {
  return testing::misuse_of(action);
}
std::string refusal_of(const Options& options) {
  return testing::misuse_of([&] { simulate(decay(), options); });
}
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST(Misuse, OfMethods) {
  EXPECT_EQ(refusal_of({.end = 1, .method = "dormand-prince"}),
            "unknown method 'dormand-prince'; did you mean 'dormand-prince-5'? (`pawl methods` lists them all)");
  EXPECT_EQ(
      refusal_of({.end = 1, .method = "rk4"}),
      "method 'rk4' has no error estimate: give a fixed step size, or choose an adaptive method such as tsitouras-5");
  constexpr State x{0};
  const auto f = [=](const auto& at, auto& d) { d[x] = -at[x]; };
  EXPECT_EQ(misuse_of([&] { integrate<dop853>(f, {1.0}, {.end = 1, .method = "verner-9"}); }),
            "integrate() has 'dop853' compiled in and cannot switch to 'verner-9': write integrate<table>(...), or use "
            "simulate()");
  EXPECT_EQ(
      misuse_of([&] { integrate<rk4>(f, {1.0}, {.end = 1}); }),
      "method 'rk4' has no error estimate: give a fixed step size, or choose an adaptive method such as tsitouras-5");
}

TEST(Misuse, OfTolerances) {
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = -1e-6}),
            "relative tolerance -1e-06: it must be 0, or at least 1e-15 (rounding) and below 1");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = nan}),
            "relative tolerance nan: it must be 0, or at least 1e-15 (rounding) and below 1");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = 1e-17}),
            "relative tolerance 1e-17: it must be 0, or at least 1e-15 (rounding) and below 1");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = {1e-6, -1e-9}}),
            "absolute tolerance -1e-09: it must be above 0, so that a state at zero has a scale");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = 0}),
            "absolute tolerance 0: it must be above 0, so that a state at zero has a scale");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = {1e-6, std::vector<double>{1e-9, 1e-9}}}),
            "2 absolute tolerances for 1 states");
  EXPECT_EQ(refusal_of({.end = 1, .tolerance = {1e-6, std::vector<double>{0.0}}}),
            "absolute tolerance 0 for 'amount': it must be above 0, so that a state at zero has a scale");
}

TEST(Misuse, OfLengthsWhoseSquaresAreNoNumbers) {
  EXPECT_EQ(refusal_of({.start = -1e308, .end = 1e308}),
            "the run from t = -1e+308 to t = 1e+308 is too long: its length must be between 1e-150 and 1e+150");
  EXPECT_EQ(refusal_of({.end = -1e151}),
            "the run from t = 0 to t = -1e+151 is too long: its length must be between 1e-150 and 1e+150");
  EXPECT_EQ(refusal_of({.end = 1e-300}),
            "the run from t = 0 to t = 1e-300 is too short: its length must be between 1e-150 and 1e+150");
  EXPECT_EQ(refusal_of({.end = 5e-324}),
            "the run from t = 0 to t = 4.94066e-324 is too short: its length must be between 1e-150 and 1e+150");
  EXPECT_EQ(simulate(decay(), {.end = 1e-149}).t_end, 1e-149);
  EXPECT_EQ(simulate(decay(), {.start = 3, .end = 3}).t_end, 3);
}

TEST(Misuse, OfTimesAndSteps) {
  EXPECT_EQ(refusal_of(Options{}), "the end time is not given: set Options::end, or --stop");
  EXPECT_EQ(refusal_of({.end = infinity}), "the run from t = 0 to t = inf must be finite");
  EXPECT_EQ(refusal_of({.end = 1, .step = 0.0}), "step size 0: it must be above 0");
  EXPECT_EQ(refusal_of({.end = 1, .step = -0.1}), "step size -0.1: it must be above 0");
  EXPECT_EQ(refusal_of({.end = 1, .step = nan}), "step size nan: it must be above 0");
  EXPECT_EQ(refusal_of({.end = 1, .step = infinity}), "step size inf: it must be finite");
  EXPECT_EQ(refusal_of({.end = 1, .first_step = 0.0}), "first step 0: it must be above 0");
  EXPECT_EQ(refusal_of({.end = 1, .first_step = infinity}), "first step inf: it must be finite");
  EXPECT_EQ(refusal_of({.end = 1, .max_step = 0}), "maximum step 0: it must be above 0");
  EXPECT_EQ(refusal_of({.start = 1e9, .end = 1e9 + 1, .step = 1e-9}),
            "step size 1e-09: it is below the rounding of the time, which reaches 1e+09; at least 3.6e-06 is needed");
  EXPECT_EQ(refusal_of({.end = 1, .step = 0.1, .max_step = 0.01}),
            "the fixed step size 0.1 is above the maximum step 0.01");
  EXPECT_EQ(refusal_of({.end = 1, .step = 0.1, .first_step = 0.01}),
            "a fixed step size leaves no first step to choose: give one of them");
  EXPECT_EQ(refusal_of({.end = 1, .samples = -1}), "-1 samples: the number must be between 0 and 100 million");
  EXPECT_EQ(refusal_of({.end = 1, .times = {0.5, 2}}), "the requested time 2 is outside the run from 0 to 1");
}

TEST(Misuse, OfModels) {
  EXPECT_EQ(misuse_of([] { simulate(System("empty"), {.end = 1}); }),
            "system 'empty' has no states: declare them with state(name, start)");
  EXPECT_EQ(misuse_of([] {
              System system("still");
              system.state("x", 1);
              simulate(system, {.end = 1});
            }),
            "system 'still' has no rates: declare them with rates(f)");
  EXPECT_EQ(misuse_of([] {
              System system("half");
              const auto x = system.state("x", 1);
              system.state("y", 1);
              system.rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
              simulate(system, {.end = 1});
            }),
            "system 'half': the rates never assign d[y]");
}

// In a mixture multipliers are unknowns, and what is evaluated at the mechanism's own states would read behind their
// end.
TEST(Misuse, OfMultipliersWhereTheyFollow) {
  const auto refusal_with = [](const auto& declare) {
    Mechanics rod("rod");
    const Coordinate x = rod.coordinate("x", 0), y = rod.coordinate("y", -1);
    rod.mass(x, 1.0);
    const Constraint length = rod.constraint("length", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
    const State i = rod.state("i", 0);
    rod.equation("coil", [=](const auto& at) { return at[dot(i)] + at[i] - at[dot(x)]; });
    declare(rod, x, y, length);
    return misuse_of([&] { simulate(rod, {.end = 1}); });
  };
  const std::string why =
      ": at[constraint] reads a multiplier. Those follow from constraints, masses and energies, which cannot depend on "
      "them: forces, rates, equations, guards and observables may";
  EXPECT_EQ(refusal_with([](Mechanics& rod, auto x, auto y, auto length) {
              rod.mass(y, 1.0);
              rod.constraint("odd", [=](const auto& at) { return at[x] * (1 + at[length]); });
            }),
            "system 'rod', constraint 'odd'" + why);
  EXPECT_EQ(refusal_with([](Mechanics& rod, auto x, auto y, auto length) {
              rod.mass(y, 1.0);
              rod.contact("wall", [=](const auto& at) { return at[x] + 0.1 + at[length]; });
            }),
            "system 'rod', constraint 'wall'" + why);
  EXPECT_EQ(refusal_with([](Mechanics& rod, auto x, auto y, auto length) {
              rod.mass(y, 1.0);
              rod.potential([=](const auto& at) { return at[x] * at[length]; });
            }),
            "system 'rod', a potential" + why);
  EXPECT_EQ(refusal_with([](Mechanics& rod, auto, auto y, auto length) {
              rod.mass([=](const auto& at, auto& M) { M(y, y) = 1 + sqr(at[length]); });
            }),
            "system 'rod', the mass function" + why);
}

TEST(Misuse, OfValues) {
  const System system = decay();
  Values values(system);
  values.set("amount", nan);
  EXPECT_EQ(misuse_of([&] { simulate(system, values, {.end = 1}); }),
            "system 'decay': the start value of 'amount' is nan, it must be finite");
  values.set("amount", 1);
  values.set("rate", nan);
  EXPECT_EQ(misuse_of([&] { simulate(system, values, {.end = 1}); }), "system 'decay': the parameter 'rate' is nan");
}

TEST(Misuse, OfValuesOfAnotherSystem) {
  System system = decay();
  const Values early(system);
  system.state("late", 0);
  EXPECT_EQ(misuse_of([&] { simulate(system, early, {.end = 1}); }),
            "the values are not of system 'decay' as it is now: make them after its last declaration");
}

TEST(Misuse, OfResults) {
  const Result run = simulate(decay(), {.end = 1, .keep = Keep::end});
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.at(2)); }), "t = 2 is outside the run, which covers [0, 1]");
  EXPECT_EQ(
      misuse_of([&] { static_cast<void>(run.at(0.5)); }),
      "the run kept no polynomials: ask for Options::keep = Keep::everything, or for this time in Options::times");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.final()[State{3}]); }),
            "system 'decay' has 1 state, no number 3: the handle belongs to another system");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.range(Observable{0})); }),
            "system 'decay' has 0 observables, no number 0: the handle belongs to another system");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.final()["amuont"]); }),
            "system 'decay' has no quantity 'amuont'; did you mean 'amount'?");
}

TEST(Misuse, NothingToIntegrateIsNoMisuse) {
  const Result run = simulate(decay(), {.start = 2, .end = 2});
  EXPECT_TRUE(run.finished());
  EXPECT_EQ(run.statistics.steps_accepted, 0);
  EXPECT_EQ(run.statistics.rhs, 0);
  EXPECT_EQ(run.final()["amount"], 1);
  EXPECT_EQ(run.sample_count(), 1);
  ASSERT_FALSE(run.messages.empty());
  EXPECT_EQ(run.messages.front().text, "the run ends where it starts: nothing to integrate");
}

TEST(Misuse, AStepLongerThanTheRunIsCutAndSaid) {
  const Result run = simulate(decay(), {.end = 0.25, .method = "rk4", .step = 10.0});
  EXPECT_TRUE(run.finished());
  EXPECT_EQ(run.statistics.steps_accepted, 1);
  EXPECT_EQ(run.t_end, 0.25);
  EXPECT_NEAR(run.final()["amount"], std::exp(-0.125), 1e-6);  // h^5 / 120 with h = 0.125
  ASSERT_EQ(run.messages.size(), 1u);
  EXPECT_EQ(run.messages[0].text,
            "the step size 10 is larger than the run, which is 0.25 long: one step of 0.25 is taken");
}

}  // namespace
}  // namespace pawl
