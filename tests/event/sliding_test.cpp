// Sliding motion and accumulation of events.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/methods.hpp"
#include "pawl/compiled_model.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Sliding, StartsWhereBothSidesPushOntoTheSurfaceAndLeavesWhereOneStops) {
  // x' = -sign(x) + 1.3 sin t: slides while |1.3 sin t| < 1.
  System system("relay");
  const auto x = system.state("x", 1.0);
  const auto u = system.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = at[u] + 1.3 * sin(at.t); });
  const double leaves = std::asin(1 / 1.3);
  for (const Method& method : methods()) {
    if (!method.is_adaptive || method.order < 5) continue;
    SCOPED_TRACE(method.name);
    const Result run = simulate(system, {.end = 7, .tolerance = 1e-9, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    std::vector<EventKind> kinds;
    for (const Event& event : run.events) {
      if (fires(event.kind)) kinds.push_back(event.kind);
    }
    ASSERT_EQ(kinds, (std::vector<EventKind>{EventKind::slide, EventKind::leave, EventKind::slide}));
    EXPECT_NEAR(run.events[1].t, pi + leaves, 1e-8);  // downward: 1.3 sin t = -1
    const double inside = 0.5 * (run.events[0].t + run.events[1].t);
    EXPECT_NEAR(run.at(inside)[x], 0, 1e-9);
    EXPECT_NEAR(run.at(inside)[u], -1.3 * std::sin(inside), 1e-9);  // the equivalent control
    EXPECT_EQ(run.mode(run.at(inside).held()), "u sliding");
  }
}

TEST(Sliding, KeepsACurvedSurfaceToRounding) {
  // The unit circle attracts; along it the motion turns.
  System system("circle");
  const auto x = system.state("x", 1.5), y = system.state("y", 0.0);
  const auto u =
      system.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[u] * at[x] - at[y];
    d[y] = at[u] * at[y] + at[x];
  });
  const Result run = simulate(system, {.end = 50, .tolerance = 1e-6, .method = "dormand-prince-5"});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double entered = run.events[0].t;
  for (int i = 0; i < run.sample_count(); ++i) {
    const Instant at = run.sample(i);
    if (at.t <= entered) continue;
    ASSERT_NEAR(std::hypot(at[x], at[y]), 1, 1e-14) << at.t;
  }
  EXPECT_EQ(run.statistics.events.events, 1);  // no chattering
}

TEST(Sliding, OnTwoSurfacesAtOnceIsTheEquivalentControl) {
  System system("two");
  const auto x = system.state("x", 1.0), y = system.state("y", 0.7);
  const auto u = system.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  const auto w = system.relay("w", {.below = 1, .above = -1}, [=](const auto& at) { return at[y] + 0.2 * at[x]; });
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[u] + 0.3 * at[w] + 0.2 * sin(at.t);
    d[y] = at[w] + 0.1 * cos(2 * at.t);
  });
  const Result run = simulate(system, {.end = 10, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant end = run.final();
  EXPECT_NEAR(end[x], 0, 1e-15);
  EXPECT_NEAR(end[y], 0, 1e-15);
  // x' = y' = 0: w = -0.1 cos 2t, u = -0.3 w - 0.2 sin t
  EXPECT_NEAR(end[w], -0.1 * std::cos(20), 1e-12);
  EXPECT_NEAR(end[u], 0.03 * std::cos(20) - 0.2 * std::sin(10), 1e-12);
}

// Four ways to leave read the same equivalent control, three evaluations of the rates, at the same instants.
TEST(Sliding, OnTwoSurfacesAsksForTheEquivalentControlOncePerInstant) {
  System system("two relays");
  const auto x = system.state("x", 0.0), y = system.state("y", 0.0), z = system.state("z", 1.0);
  const System::Levels levels{.below = 1, .above = -1};
  const auto u = system.relay("u", levels, [=](const auto&at) { return at[x]; }),
             v = system.relay("v", levels, [=](const auto&at) { return at[y]; });
  long long calls = 0;
  system.rates([=, &calls](const Point<double>& at, Rates<double>& d) {
    ++calls;
    d[x] = at[u] + 0.5 * std::sin(at.t);
    d[y] = at[v] + 0.2 * at[u] + 0.3 * std::cos(at.t);
    d[z] = at[u] - at[v] * at[z];
  });
  const CompiledModel model(system);  // asks a black box once, for its handles
  calls = 0;
  const Result run = simulate(model, {.end = 5, .tolerance = 1e-8, .method = "dop853"});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.mode(run.final().held()), "u sliding, v sliding");
  EXPECT_EQ(run.statistics.rhs, calls);
  const long long steps = run.statistics.steps_accepted + run.statistics.steps_rejected, stages = 12 + 4;
  EXPECT_LE(calls, 3 * (run.statistics.events.guard_points / 4 + stages * steps + 20));
}

TEST(Sliding, CoulombFrictionReversesSevenTimesThenHoldsForGood) {
  System mass("friction");
  const auto x = mass.state("x", 12.0), v = mass.state("v", 6.0);
  const auto r = mass.relay("r", {.below = 1, .above = -1}, [=](const auto& at) { return at[v]; });
  mass.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x] + at[r];
  });
  const Result run = simulate(mass, {.end = 100, .tolerance = 1e-12});
  ASSERT_EQ(run.statistics.events.events, 8);
  const double first = std::atan2(6, 13);
  for (int n = 0; n < 8; ++n) EXPECT_NEAR(run.events[static_cast<std::size_t>(n)].t, first + n * pi, 1e-10);
  EXPECT_EQ(run.events[7].kind, EventKind::slide);
  EXPECT_NEAR(run.final()[x], 15 - std::sqrt(205), 1e-10);
  EXPECT_EQ(run.at(30)[x], run.final()[x]);
  EXPECT_EQ(run.final()[v], 0);
  EXPECT_NEAR(run.final()[r], run.final()[x], 1e-14);
}

TEST(Sliding, ARelayWithHysteresisSwitchesAtBothThresholds) {
  System room("room");
  const auto T = room.state("T", 15.0);
  const auto heater =
      room.relay("heater", {.below = 30, .above = 5, .hysteresis = 2}, [=](const auto& at) { return at[T] - 20; });
  room.rates([=](const auto& at, auto& d) { d[T] = at[heater] - at[T]; });
  const Result run = simulate(room, {.end = 3, .tolerance = 1e-10});
  ASSERT_GE(run.statistics.events.events, 3);
  EXPECT_NEAR(run.events[0].t, std::log(15.0 / 9), 1e-9);  // 30 - 15 e^-t = 21
  EXPECT_NEAR(run.at(run.events[0].t)[T], 21, 1e-9);
  EXPECT_NEAR(run.at(run.events[1].t)[T], 19, 1e-9);
  EXPECT_NEAR(run.events[1].t - run.events[0].t, std::log(16.0 / 14), 1e-9);
}

System ball(double restitution, bool rests) {
  System system("ball");
  const auto height = system.state("height", 1.0), speed = system.state("speed", 0.0);
  const auto resting = system.discrete("resting", false);
  system.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 : -9.81;
  });
  GuardDeclaration ground = system.guard("ground", [=](const auto& at) { return at[height]; });
  ground.falling().unilateral().only_when(!resting).then(
      [=](Jump& jump) { jump[speed] = -restitution * jump.pre(speed); });
  if (rests) {
    ground.at_accumulation([=](Jump& jump) {
      jump[height] = jump[speed] = 0;
      jump[resting] = true;
    });
  }
  return system;
}

TEST(Accumulation, BringsABouncingBallToRestAtTheLimitOfItsImpacts) {
  const double first = std::sqrt(2 / 9.81);
  for (const double e : {0.3, 0.7, 0.9}) {
    for (const char* method : {"dormand-prince-5", "tsitouras-5", "dop853"}) {
      SCOPED_TRACE(method);
      const System model = ball(e, true);
      const double limit = first * (1 + e) / (1 - e);
      const Result run = simulate(model, {.end = limit + 1, .tolerance = 1e-9, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.events.back().kind, EventKind::accumulation);
      EXPECT_NEAR(run.events.back().t, limit, 1e-10);
      double exact = first, gap = 2 * first * e;
      for (const Event& event : run.events) {
        if (event.kind != EventKind::crossing) continue;
        EXPECT_NEAR(event.t, exact, 1e-11);
        exact += gap;
        gap *= e;
      }
      for (int i = 0; i <= 1000; ++i) {
        EXPECT_GE(run.at((limit + 1) * i / 1000)[State{0}], 0.0);
        EXPECT_EQ(run.at(limit + 1e-6 + i / 2000.0)[State{0}], 0.0);
      }
    }
  }
}

TEST(Accumulation, ImpactTimesOfTheBallAreExactToRounding) {
  const Result run = simulate(ball(0.7, true), {.end = 3, .method = "dormand-prince-5"});
  double exact = std::sqrt(2 / 9.81), gap = 1.4 * exact;
  for (const double t : run.times_of(Guard{0})) {
    EXPECT_NEAR(t, exact, gap > 1e-6 ? 1e-13 : 1e-12);
    exact += gap;
    gap *= 0.7;
  }
}

TEST(Accumulation, WithoutARestingStateEndsTheRunNamingGuardAndTime) {
  const double limit = std::sqrt(2 / 9.81) * 1.7 / 0.3;
  const Result stopped = simulate(ball(0.7, false), {.end = 10});
  EXPECT_EQ(stopped.outcome, Outcome::terminated);
  EXPECT_NE(stopped.reason.find("'ground' accumulate at t = 2.55863396558"), std::string::npos) << stopped.reason;
  EXPECT_NEAR(stopped.t_end, limit, 1e-5);
  const Result failed = simulate(ball(0.7, false), {.end = 10, .at_accumulation = AtAccumulation::fail});
  EXPECT_EQ(failed.outcome, Outcome::failed);
}

TEST(Accumulation, IsNotSeenWhereEventsOnlyComeOften) {
  System system("often");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto& at, auto& d) { d[x] = 0 * at[x]; });
  system.guard("chirp", [=](const auto& at) { return sin(sqr(at.t) * 5); });
  const Result run = simulate(system, {.end = 10});
  EXPECT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.statistics.events.events, static_cast<long long>(500 / pi));
}

TEST(Accumulation, ARunEndsAfterTheEventsItMayHave) {
  System system("many");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto& at, auto& d) { d[x] = 0 * at[x]; });
  system.guard("sine", [=](const auto& at) { return sin(100 * at.t); });
  const Result run = simulate(system, {.end = 100, .max_events = 50});
  EXPECT_EQ(run.outcome, Outcome::terminated);
  EXPECT_EQ(run.statistics.events.events, 50);
  EXPECT_NE(run.reason.find("max_events"), std::string::npos);
}

TEST(Sleep, IdleGuardsAreNotEvaluatedAtEveryStepAndWakeInTime) {
  // 1000 guards far away, one that is crossed late.
  System system("many");
  const auto x = system.state("x", 0.0), y = system.state("y", 1.0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[x];
  });
  std::vector<Pair> members;
  for (int i = 0; i < 1000; ++i) members.push_back({i, 0});
  const Guard far = system.guard_family("far", members, [=](const auto& at, int i, int) { return at[x] - 2 - i; });
  const Guard near = system.guard("near", [=](const auto& at) { return at[x] + at[y] - 1.4; }).rising();
  const Result run = simulate(system, {.end = 200, .tolerance = 1e-9, .method = "dormand-prince-5"});
  EXPECT_TRUE(run.times_of(far).empty());
  EXPECT_EQ(run.times_of(near).size(), 32U);  // sqrt 2 sin(t + pi/4) = 1.4, rising, once a turn
  EXPECT_LT(run.statistics.events.guard_ranges, 20 * run.statistics.steps_accepted + 20'000);
}

TEST(Sleep, NeverMissesAnEventOfASleeper) {
  // 200 balls on one line at different speeds: every pair meets at a known time.
  System system("line");
  constexpr int n = 20;
  std::vector<double> starts;
  for (int i = 0; i < n; ++i) starts.push_back(i + 0.01 * i * i);
  const auto x = system.states("x", starts);
  system.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < n; ++i) d[x[i]] = 0.1 * (n - i) + 0 * at[x[i]];
  });
  std::vector<Pair> pairs;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) pairs.push_back({i, j});
  }
  system.guard_family("meet", pairs, [=](const auto& at, int i, int j) { return at[x[j]] - at[x[i]]; });
  const Result run = simulate(system, {.end = 20, .max_step = 0.05});
  std::size_t fired = 0;
  for (const Event& event : run.events) {
    for (const EventSource& source : event.sources) {
      const auto [i, j] = source.member;
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      EXPECT_NEAR(event.t, (starts[b] - starts[a]) / (0.1 * (j - i)), 1e-10);
      ++fired;
    }
  }
  EXPECT_EQ(fired, pairs.size());
}

}  // namespace
}  // namespace pawl
