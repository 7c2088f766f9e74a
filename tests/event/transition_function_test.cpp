// The transition function of a model: what it sees, when it is called, and where its iteration ends (docs/events.md).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

struct Clock {
  System system{"clock"};
  State x;
  explicit Clock(double start = 0, double rate = 1) : x(system.state("x", start)) {
    system.rates([x = x, rate](const auto& at, auto& d) { d[x] = rate + 0 * at[x]; });
  }
};

TEST(TransitionFunction, SeesWhatFiredAndWhatWasBefore) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const Guard quarter = s.guard("quarter", [=](const auto& at) { return at[x] - 0.25; });
  const auto half = s.condition("half", [=](const auto& at) { return at[x] - 0.5; });
  const auto relay = s.relay("relay", {.below = 1, .above = 2}, [=](const auto& at) { return at[x] - 0.75; });
  const auto family = s.condition_family("family", {{1, 2}}, [=](const auto& at, int i, int j) {
    return at[x] - 0.3 * i * j;  // at 0.6
  });
  const TimeEvent tick = s.at(1.0, [](Jump&) {});
  const auto p = s.parameter("p", 5);
  std::vector<std::string> log;
  auto* const seen = &log;
  s.transition([=](Jump& jump) {
    const auto note = [&](const std::string& what) { seen->push_back(what); };
    if (jump.is_start()) note("start");
    if (jump.fired(quarter)) {
      note("quarter");
      EXPECT_NEAR(jump.pre(x), 0.25, 1e-15);
      jump[p] = 6;
      EXPECT_EQ(jump.pre(p), 5);
    }
    if (jump.fired(half)) {
      note("half");
      EXPECT_TRUE(jump[half] && !jump.pre(half) && jump.edge(half));
    }
    if (jump.fired(family)) {
      note("family");
      EXPECT_EQ(jump[family], (std::vector<Pair>{{1, 2}}));
      EXPECT_TRUE(jump.pre(family).empty());
    }
    if (jump.fired(relay)) {
      note("relay");
      EXPECT_EQ(jump[relay], RelaySide::above);
      EXPECT_EQ(jump.pre(relay), RelaySide::below);
    }
    if (jump.fired(tick)) note("tick");
    if (!jump.is_start() && jump.fired().empty() && !jump.fired(tick)) note("-");
  });
  const Result run = simulate(s, {.end = 1.5});
  ASSERT_TRUE(run.finished()) << run.reason;
  // A round that changes anything is followed by one in which nothing fires; the tick changes nothing.
  EXPECT_EQ(log, (std::vector<std::string>{"start", "quarter", "-", "half", "-", "family", "-", "relay", "-", "tick"}));
  EXPECT_EQ(run.events.size(), 5U);
  ASSERT_EQ(run.times_of(half).size(), 1U);
  EXPECT_NEAR(run.times_of(half)[0], 0.5, 1e-15);
  ASSERT_EQ(run.times_of(relay).size(), 1U);
  EXPECT_NEAR(run.times_of(relay)[0], 0.75, 1e-15);
  EXPECT_EQ(run.times_of(tick), std::vector<double>{1.0});
}

TEST(TransitionFunction, AChainThroughPreIsRunToItsEndWithinOneEvent) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto a = s.discrete("a", false), b = s.discrete("b", false), c = s.discrete("c", false);
  const auto calls = s.discrete("calls", 0);
  const auto half = s.condition("half", [=](const auto& at) { return at[x] - 0.5; });
  s.transition([=](Jump& jump) {
    jump[a] = jump[half];
    jump[b] = jump.pre(a);
    jump[c] = jump.pre(b);
    if (jump.edge(c)) jump[calls] = jump.pre(calls) + 1;
  });
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.mode(*run.events[0].held_before), "not a, not b, not c, calls = 0, not half");
  EXPECT_EQ(run.mode(*run.events[0].held_after), "a, b, c, calls = 1, half");
  EXPECT_EQ(run.times_of(c), std::vector<double>{run.events[0].t});
}

TEST(TransitionFunction, AssignsVariablesOfEveryTypeStatesAndParameters) {
  enum class Gear { neutral, first };
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto on = s.discrete("on", false);
  const auto count = s.discrete("count", 3);
  const auto gear = s.discrete("gear", Gear::neutral);
  const auto level = s.discrete("level", 0.5);
  const auto p = s.parameter("p", 1);
  const TimeEvent now = s.at(0.5, [](Jump&) {});
  s.transition([=](Jump& jump) {
    if (!jump.fired(now)) return;
    jump[on] = true;
    jump[count] = jump.pre(count) + 4;
    jump[gear] = Gear::first;
    jump[level] = 2 * jump.pre(level) + 0.25;
    jump[p] = 8;
    jump[x] = 10;
  });
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant end = run.final();
  EXPECT_TRUE(end[on]);
  EXPECT_EQ(end[count], 7);
  EXPECT_EQ(end[gear], Gear::first);
  EXPECT_EQ(end[level], 1.25);
  EXPECT_EQ(end[p], 8);
  EXPECT_NEAR(end[x], 10.5, 1e-13);
  EXPECT_FALSE(run.before(0.5)[on]);
}

TEST(TransitionFunction, IsCalledAtTheStartAndWhatItAssignsBelongsToIt) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto n = s.discrete("n", 0);
  s.transition([=](Jump& jump) {
    if (!jump.is_start()) return;
    jump[n] = jump.pre(n) + 1;
    jump[x] = 5;
  });
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(run.start()[n], 1);
  EXPECT_EQ(run.start()[x], 5);
  EXPECT_NEAR(run.final()[x], 6, 1e-13);
}

// Modelica's `when x > 0` with x(0) = 0: once, at the start, if x leaves upwards.
TEST(TransitionFunction, SeesTheEdgeOfAConditionThatIsZeroAtTheStart) {
  for (const double rate : {1.0, -1.0}) {
    Clock model(0, rate);
    System& s = model.system;
    const State x = model.x;
    const auto n = s.discrete("n", 0);
    const auto positive = s.condition("x > 0", [=](const auto& at) { return at[x]; });
    s.transition([=](Jump& jump) {
      if (jump.edge(positive)) jump[n] = jump.pre(n) + 1;
    });
    const Result run = simulate(s, {.end = 1});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.start()[n], rate > 0 ? 1 : 0);
    EXPECT_EQ(run.final()[n], rate > 0 ? 1 : 0);
  }
}

// der(a) = 1; der(b) = 2; when a > 1 then reinit(b, 0); elsewhen b > 1.5 then reinit(a, 0). By hand: events at 0.75
// (b), 1.75 (a), 2.5 (b), 3.5 (a), ...; a(5.9) = 1.65, b(5.9) = 1.3.
TEST(TransitionFunction, WhenAndElsewhenFollowTheSpecification) {
  System s("elsewhen");
  const auto a = s.state("a", 0), b = s.state("b", 0);
  s.rates([=](const auto& at, auto& d) {
    d[a] = 1 + 0 * at[a];
    d[b] = 2 + 0 * at[b];
  });
  const auto first = s.condition("a > 1", [=](const auto& at) { return at[a] - 1; });
  const auto second = s.condition("b > 1.5", [=](const auto& at) { return at[b] - 1.5; });
  s.transition([=](Jump& jump) {
    if (jump.edge(first))
      jump[b] = 0;
    else if (jump.edge(second))
      jump[a] = 0;
  });
  const Result run = simulate(s, {.end = 5.9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.final()[a], 1.65, 1e-12);
  EXPECT_NEAR(run.final()[b], 1.3, 1e-12);
  std::vector<double> rising;
  for (const double t : run.times_of(second)) {
    if (run.at(t)[second]) rising.push_back(t);
  }
  ASSERT_GE(rising.size(), 2U);
  EXPECT_NEAR(rising[0], 0.75, 1e-12);
  EXPECT_NEAR(rising[1], 2.5, 1e-12);
}

// An assignment that an algebraic unknown passes on to another relation, at the same instant.
TEST(TransitionFunction, IteratesThroughAlgebraicUnknowns) {
  System s("iteration");
  const auto x = s.state("x", 0), y = s.state("y", 0);
  const auto k = s.discrete("k", 1.0);
  const auto n = s.discrete("n", 0);
  s.equation("dx", [=](const auto& at) { return at[dot(x)] - 1; });
  s.equation("dy", [=](const auto& at) { return at[y] - at[k] * at[x]; });
  const auto far = s.condition("x > 1", [=](const auto& at) { return at[x] - 1; });
  const auto high = s.condition("y > 2", [=](const auto& at) { return at[y] - 2; });
  s.transition([=](Jump& jump) {
    if (jump.edge(far)) jump[k] = 3.0;
    if (jump.edge(high)) jump[n] = jump.pre(n) + 1;
  });
  const Result run = simulate(s, {.end = 1.5});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.final()[n], 1);
  EXPECT_EQ(run.times_of(far), run.times_of(high));
  EXPECT_NEAR(run.final()[y], 4.5, 1e-6);
}

TEST(TransitionFunction, AStateThatItAlwaysPutsToTheSameValueIsAFixedPoint) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  s.every(0.25, [](Jump&) {});
  s.transition([=](Jump& jump) { jump[x] = 7; });
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.final()[x], 7);  // the last event is at the end
}

TEST(TransitionFunction, ACycleNamesWhatAlternates) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto on = s.discrete("heater", false);
  const auto n = s.discrete("n", 0);
  const auto level = s.discrete("level", 1.5);
  const auto half = s.condition("half", [=](const auto& at) { return at[x] - 0.5; });
  s.transition([=](Jump& jump) {
    if (!jump[half]) return;
    jump[on] = !jump.pre(on);
    jump[n] = jump.pre(n) + 1;
    jump[level] = jump.pre(on) ? 1.5 : -1.5;
  });
  const Result run = simulate(s, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(
      run.reason,
      "t = 0.5: 100 transitions at this instant and no end: the transition function -> the transition function -> "
      "...\n"
      "    heater: true -> false -> true\n"
      "    n: 99 -> 100 -> 101\n"
      "    level: -1.5 -> 1.5 -> -1.5\n"
      "  try:    break the cycle of jumps");
  EXPECT_NEAR(run.t_end, 0.5, 1e-15);
}

TEST(TransitionFunction, MayEndTheRunAndItsExceptionsAreOutcomes) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto half = s.condition("half", [=](const auto& at) { return at[x] - 0.5; });
  System other = s;
  s.transition([=](Jump& jump) {
    if (jump[half]) jump.terminate("it is half past");
  });
  const Result ended = simulate(s, {.end = 1});
  EXPECT_EQ(ended.outcome, Outcome::terminated);
  EXPECT_EQ(ended.reason, "t = 0.5: it is half past");
  other.transition([=](Jump& jump) {
    if (jump[half]) throw std::runtime_error("no such gear");
  });
  const Result broken = simulate(other, {.end = 1});
  EXPECT_EQ(broken.outcome, Outcome::failed);
  EXPECT_EQ(broken.reason, "t = 0.5: the transition function threw: no such gear");
}

TEST(TransitionFunction, IsDeclaredOnce) {
  Clock model;
  model.system.transition([](Jump&) {});
  EXPECT_EQ(misuse_of([&] { model.system.transition([](Jump&) {}); }),
            "system 'clock': the transition function is declared twice; one function sees every event");
}

TEST(TransitionFunction, GuardsThatItMovesFireAtTheSameInstant) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const Guard two = s.guard("two", [=](const auto& at) { return at[x] - 2; }).rising();
  const TimeEvent now = s.at(0.5, [](Jump&) {});
  const auto n = s.discrete("n", 0);
  s.transition([=](Jump& jump) {
    if (jump.fired(now)) jump[x] = 3;
    if (jump.fired(two)) jump[n] = jump.pre(n) + 1;
  });
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(two), std::vector<double>{0.5});
  EXPECT_EQ(run.final()[n], 1);
}

}  // namespace
}  // namespace pawl
