// What must still be true after an event: truths, relays, sleepers, the order of time.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

/// x = speed t.
struct Line {
  System system{"line"};
  State x;
  explicit Line(double speed = 1) : x(system.state("x", 0)) {
    system.rates([x = x, speed](const auto& at, auto& d) { d[x] = speed + 0 * at[x]; });
  }
};

TEST(Aftermath, AConditionIsTrueToTheStateThatTheJumpOfItsOwnEventLeft) {
  Line line;
  const State x = line.x;
  const auto above = line.system.condition("x > 1", [=](const auto& at) { return at[x] - 1; });
  line.system.guard("reset", [=](const auto& at) { return at[x] - 1; }).then([=](Jump& jump) { jump[x] = 0; });
  const Result run = simulate(line.system, {.end = 2.5});
  EXPECT_FALSE(run.final()[above]);
  EXPECT_NEAR(run.final()[x], 0.5, 1e-12);
}

TEST(Aftermath, ARelayFollowsAResetAcrossItsSurface) {
  for (const double hysteresis : {0.0, 0.1}) {
    System system("relay");
    const auto x = system.state("x", -1.0);
    const auto u =
        system.relay("u", {.below = 1, .above = 2, .hysteresis = hysteresis}, [=](const auto& at) { return at[x]; });
    system.rates([=](const auto& at, auto& d) { d[x] = at[u] + 0 * at[x]; });
    system.guard("back", [=](const auto& at) { return at[x] - hysteresis / 2; }).then([=](Jump& jump) {
      jump[x] = -1;
    });
    const Result run = simulate(system, {.end = 2.5});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.final()[u], 1);
  }
}

TEST(Aftermath, AGuardThatCrossesWhileItIsSwitchedOffDoesNotFireWhenSwitchedOn) {
  Line line;
  const State x = line.x;
  const auto on = line.system.discrete("on", true);
  std::vector<Pair> members;
  for (int i = 0; i < 30; ++i) members.push_back({i, 0});  // enough to fall asleep
  const Guard far =
      line.system.guard_family("far", members, [=](const auto& at, int i, int) { return 50 + 100 * i - at[x]; })
          .only_when(on);
  line.system.at(10.0, [=](Jump& jump) { jump[on] = false; });
  line.system.at(60.0, [=](Jump& jump) { jump[on] = true; });
  EXPECT_TRUE(simulate(line.system, {.end = 100}).times_of(far).empty());
  EXPECT_EQ(simulate(line.system, {.end = 160}).times_of(far).size(), 1U);
}

TEST(Aftermath, GuardsOfARateWakeWhenAModeChangesIt) {
  System system("rates");
  const auto x = system.state("x", 0.0);
  const auto forward = system.discrete("forward", true);
  system.rates([=](const auto& at, auto& d) { d[x] = (at[forward] ? 1.0 : -1.0) + 0 * at[x]; });
  std::vector<Pair> members;
  for (int i = 0; i < 30; ++i) members.push_back({i, 0});
  const Guard turn =
      system.guard_family("turn", members, [=](const auto& at, int i, int) { return (1 + i) * at[dot(x)]; });
  for (const double t : {10.0, 20.0}) system.at(t, [=](Jump& jump) { jump[forward] = !jump[forward]; });
  const Result run = simulate(system, {.end = 30});
  std::size_t fired = 0;
  for (const Event& event : run.events) fired += event.kind == EventKind::jump ? event.sources.size() : 0;
  EXPECT_EQ(fired, 2 * members.size());
  EXPECT_TRUE(run.finished() && !run.times_of(turn).empty());
}

TEST(Aftermath, TimeNeverRunsBack) {
  Line line;
  const State x = line.x;
  const auto when = line.system.parameter("when", 5), period = line.system.parameter("period", 10);
  line.system.at(when, [](Jump&) {});
  line.system.every(period, [](Jump&) {});
  line.system.at(2.0, [=](Jump& jump) { jump[when] = 1; });
  line.system.at(5.0, [=](Jump& jump) { jump[period] = 1; });
  const Result run = simulate(line.system, {.end = 8});
  std::vector<double> times;
  for (const Event& event : run.events) times.push_back(event.t);
  EXPECT_EQ(times, (std::vector<double>{2, 5, 6, 7, 8}));
  EXPECT_NEAR(run.final()[x], 8, 1e-13);
}

TEST(Aftermath, ATimeThatBecomesImpossibleFailsNamingIt) {
  Line line;
  const auto period = line.system.parameter("period", 1);
  line.system.every(period, [=](Jump& jump) { jump[period] = -1; });
  const Result run = simulate(line.system, {.end = 8});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NE(run.reason.find("'every period' has become -1"), std::string::npos) << run.reason;
}

TEST(Aftermath, AUnilateralWrapIsNoImpact) {
  Line line;
  const State x = line.x;
  const Guard wrap =
      line.system.guard("wrap", [=](const auto& at) { return 1 - at[x]; }).unilateral().then([=](Jump& jump) {
        jump[x] = 0;
      });
  const Result run = simulate(line.system, {.end = 3.5});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(wrap).size(), 3U);
  EXPECT_LE(run.range(x).max, 1.0);
}

TEST(Aftermath, AnImpactIsPassedOnThroughAContactThatTouchesAlready) {
  System cradle("cradle");  // three balls of one mass on a line, the second and third touching
  const auto x = cradle.states("x", {0.0, 1.0, 1.0}), v = cradle.states("v", {1.0, 0.0, 0.0});
  cradle.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < 3; ++i) {
      d[x[i]] = at[v[i]];
      d[v[i]] = 0 * at[v[i]];
    }
  });
  cradle.guard_family("contact", {{0, 1}, {1, 2}}, [=](const auto& at, int i, int j) { return at[x[j]] - at[x[i]]; })
      .falling()
      .unilateral()
      .then([=](Jump& jump, int i, int j) { std::swap(jump[v[i]], jump[v[j]]); });
  const Result run = simulate(cradle, {.end = 2});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.final()[v[0]], 0);
  EXPECT_EQ(run.final()[v[1]], 0);
  EXPECT_EQ(run.final()[v[2]], 1);
}

TEST(Aftermath, SlidingWorksBackwardInTime) {
  System system("backward");
  const auto x = system.state("x", 0.5);
  const auto u = system.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = at[u] + 0 * at[x]; });
  const Result run = simulate(system, {.end = -2});
  EXPECT_EQ(run.final()[x], 0);
  EXPECT_EQ(run.statistics.events.events, 1);
}

TEST(Aftermath, ABlackBoxFieldSlidesBesideAGenericGuard) {
  System system("black box");
  const auto x = system.state("x", 0.5), y = system.state("y", 0.0);
  const auto u = system.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    d[x] = at[u];
    d[y] = 1;
  });
  const Guard g = system.guard("y = 1", [=](const auto& at) { return at[y] - 1; });
  const Result run = simulate(system, {.end = 2});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(g).size(), 1U);
  EXPECT_EQ(run.final()[x], 0);
}

// A ball thrown up so slowly that its height is lost in the rounding of the guard still comes back, and is never seen
// below.
TEST(Aftermath, AUnilateralGuardThatLeavesZeroByLessThanRoundingIsNotMissed) {
  for (const double speed : {1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-12}) {
    for (const double start : {0.0, 1.2850588, 77.7}) {
      System ball("ball");
      const auto y = ball.state("y", 0.1), v = ball.state("v", speed);
      const auto lies = ball.discrete("lies", false);
      ball.rates([=](const auto& at, auto& d) {
        d[y] = at[lies] ? 0 * at[v] : at[v];
        d[v] = at[lies] ? 0.0 : -9.81;
      });
      ball.guard("floor", [=](const auto& at) { return at[y] - 0.1; })
          .falling()
          .unilateral()
          .only_when(!lies)
          .then([=](Jump& jump) { jump[v] = -0.5 * jump.pre(v); })
          .at_accumulation([=](Jump& jump) {
            jump[v] = 0;
            jump[lies] = true;
          });
      const Result run = simulate(ball, {.start = start, .end = start + 1, .tolerance = 1e-10});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_NEAR(run.final()[y], 0.1, 1e-15) << speed << " at " << start;
      EXPECT_LT(run.events.size(), 100U);
    }
  }
}

TEST(Aftermath, SightingsAreInTheOrderOfTime) {
  Line line;
  line.system.guard("late", [](const auto& at) { return 1 - sin(at.t); });
  line.system.guard("early", [](const auto& at) { return 1 - sin(at.t + 1); });
  const Result run = simulate(line.system, {.end = 20});
  for (std::size_t i = 1; i < run.events.size(); ++i) EXPECT_LE(run.events[i - 1].t, run.events[i].t);
  EXPECT_GE(run.events.size(), 6U);
}

TEST(Aftermath, ADiscreteBoolIsSetToZeroOrOne) {
  System system("set");
  system.rates([x = system.state("x", 0)](const auto& at, auto& d) { d[x] = 0 * at[x]; });
  const auto flag = system.discrete("flag", false);
  Values values(system);
  values.set("flag", 1);
  EXPECT_TRUE(simulate(system, values, {.end = 1}).final()[flag]);
  EXPECT_THROW(values.set("flag", -1), Misuse);
  EXPECT_THROW(values.set("flag", 0.5), Misuse);
}

}  // namespace
}  // namespace pawl
