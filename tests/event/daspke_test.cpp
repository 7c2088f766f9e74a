// The finder of DASPKE on the examples of its paper (Mao and Petzold 2002): rtol = atol = 1e-5, delta_1 = delta_2 =
// 1e-9.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "event/published_systems.hpp"

namespace pawl::test {
namespace {

Options as_printed(double end) {
  return {.end = end, .tolerance = {1e-5, 1e-5}, .method = "dormand-prince-5", .keep = Keep::end, .events = "daspke"};
}

std::vector<double> fired_times(const Result& result) {
  std::vector<double> times;
  for (const Event& event : result.events) {
    if (fires(event.kind)) times.push_back(event.t);
  }
  return times;
}

TEST(Daspke, FindsEverySwitchOfTheSquareWave) {
  // Example 1: DASRT skips 16 of the zeros of sin 10πt. 34 and 69 lie inside (0, 3.5).
  for (const double f : {5.0, 10.0}) {
    for (const std::string method : {"dormand-prince-5", "tsitouras-5", "dop853"}) {
      const SquareWave wave(f);
      Options options = as_printed(3.5);
      options.method = method;
      const Result result = simulate(wave.system, options);
      std::vector<double> times = fired_times(result);
      std::erase_if(times, [](double t) { return t > 3.5 - 1e-6; });  // the last zero is the end of the run
      const int expected = static_cast<int>(7 * f) - 1;
      ASSERT_EQ(times.size(), static_cast<std::size_t>(expected)) << method;
      for (int k = 1; k <= expected; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k - 1)], k / (2 * f), 1e-9);
      EXPECT_NEAR(result.final()[wave.y], 0.1 * std::exp(f == 5 ? 1.8 : 1.75), 1e-6) << method;
    }
  }
}

TEST(Daspke, AppendedGuardsKeepTheStepsShort) {
  // Nothing moves but the guard: its own error is the only reason for short steps.
  System system("still");
  const auto y = system.state("y", 1);
  system.rates([=](const auto& at, auto& d) { d[y] = 0.0 * at[y]; });
  system.guard("wave", [=](const auto& at) { return 2.0 + sin(20 * std::numbers::pi * at.t); });
  Options options = as_printed(10);
  const Result appended = simulate(system, options);
  options.events = "certified";
  const Result plain = simulate(system, options);
  EXPECT_LT(appended.statistics.max_step, 0.05);  // half a period
  EXPECT_GT(plain.statistics.max_step, 1);
  EXPECT_TRUE(fired_times(appended).empty());
}

TEST(Daspke, FindsTheNearTangentPairOfBok1) {
  const Bok1 bok(0.403);  // example 3: the two last events are 0.025 apart
  const Result result = simulate(bok.system, as_printed(3));
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0], 0.884047891319688, 1e-5);
  EXPECT_NEAR(times[1], 2.44675488624798, 1e-4);  // 2e-5 in the state moves a near-tangent root by that much
  EXPECT_NEAR(times[2], 2.47133413082483, 1e-4);
  EXPECT_NEAR(result.final()[bok.y3], 0.79180367893487, 2e-5);
  const Bok1 apart(0.41);  // past the tangency only one is left
  EXPECT_EQ(fired_times(simulate(apart.system, as_printed(3))).size(), 1U);
}

TEST(Daspke, FindsTheEventsOfBok3UpToWhereTheyAccumulate) {
  const Bok3 bok(20);
  const Result result = simulate(bok.system, as_printed(1.4));
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 20U);
  for (int k = 1; k <= 20; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k - 1)], Bok3::event_time(k), 1e-5);
  EXPECT_NEAR(result.final()[bok.y3], 0.1653848955596134, 1e-5);
  const Bok3 endless;
  const Result stopped = simulate(endless.system, as_printed(1.4));
  EXPECT_EQ(stopped.outcome, Outcome::terminated);
  EXPECT_NEAR(stopped.t_end, 2 * std::numbers::ln2, 1e-5);
}

System clock() {
  System system("clock");
  const auto x = system.state("x", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  return system;
}

TEST(Daspke, ZerosWithinTheEquivalenceBandAreOneEvent) {
  for (const double apart : {5e-10, 1e-8}) {
    System system = clock();
    const State x{0};
    const auto first = system.guard("first", [=](const auto& at) { return at[x] - 0.3; });
    const auto second = system.guard("second", [=](const auto& at) { return at[x] - 0.3 - apart; });
    const Result result = simulate(system, as_printed(1));
    ASSERT_EQ(result.times_of(first).size(), 1U);
    ASSERT_EQ(result.times_of(second).size(), 1U);
    EXPECT_EQ(fired_times(result).size(), apart < 1e-9 ? 1U : 2U);
    EXPECT_NEAR(result.times_of(second)[0], 0.3 + apart, 2.1e-9);
  }
}

TEST(Daspke, TheMiddleOfTheStepShowsAPairOfRoots) {
  // Both signs are + at the ends of the only step; the derivative has turned. The guard is quadratic, so its own error
  // asks for nothing shorter.
  System system = clock();
  const State x{0};
  const auto dip = system.guard("dip", [=](const auto& at) { return (at[x] - 0.45) * (at[x] - 0.55); });
  Options options = as_printed(1);
  options.first_step = 1;
  const Result result = simulate(system, options);
  ASSERT_EQ(result.times_of(dip).size(), 2U);
  EXPECT_NEAR(result.times_of(dip)[0], 0.45, 1e-9);
  EXPECT_NEAR(result.times_of(dip)[1], 0.55, 1e-9);
}

TEST(Daspke, AnEarlierPairIsFoundBeforeAnotherGuardsRoot) {
  System system = clock();
  const State x{0};
  const auto late = system.guard("late", [=](const auto& at) { return at[x] - 0.9; });
  const auto dip = system.guard("dip", [=](const auto& at) { return (at[x] - 0.4) * (at[x] - 0.5); });
  Options options = as_printed(1);
  options.first_step = 1;
  const Result result = simulate(system, options);
  EXPECT_EQ(result.times_of(dip).size(), 2U);
  EXPECT_EQ(result.times_of(late).size(), 1U);
  EXPECT_TRUE(std::is_sorted(result.events.begin(), result.events.end(),
                             [](const Event& a, const Event& b) { return a.t < b.t; }));
}

TEST(Daspke, UnilateralGuardsAreNeverSeenBeyondZeroAndBilateralOnesAre) {
  for (const bool is_unilateral : {false, true}) {
    System system("ball");
    const auto height = system.state("height", 1), speed = system.state("speed", 0);
    system.rates([=](const auto& at, auto& d) {
      d[height] = at[speed];
      d[speed] = -9.81;
    });
    auto at_events = std::make_shared<std::vector<double>>();
    auto guard = system.guard("ground", [=](const auto& at) { return at[height]; }).falling();
    if (is_unilateral) guard.unilateral();
    guard.then([=](Jump& jump) {
      at_events->push_back(jump[height]);
      jump[speed] = -0.8 * jump[speed];
      if (!is_unilateral) jump[height] = 1e-3;
    });
    const Result result = simulate(system, as_printed(3));
    ASSERT_EQ(result.outcome, Outcome::finished) << result.reason;
    ASSERT_GE(at_events->size(), 5U);
    for (const double g : *at_events) {
      EXPECT_LE(std::abs(g), 1e-8);
      EXPECT_TRUE(is_unilateral ? g >= 0 : g < 0) << g;
    }
  }
}

TEST(Daspke, AGuardThatStaysWhereItFiredDoesNotFireAgain) {
  // Discontinuity sticking: the motion stops at the event, with the guard within its location tolerance of zero.
  System system("stop");
  const auto x = system.state("x", 0);
  const auto moves = system.discrete("moves", true);
  system.rates([=](const auto& at, auto& d) { d[x] = at[moves] ? 1.0 : 0.0; });
  const auto wall =
      system.guard("wall", [=](const auto& at) { return at[x] - 0.3; }).then([=](Jump& jump) { jump[moves] = false; });
  const Result result = simulate(system, as_printed(1));
  EXPECT_EQ(result.times_of(wall).size(), 1U);
  EXPECT_NEAR(result.final()[x], 0.3, 2e-9);
}

}  // namespace
}  // namespace pawl::test
