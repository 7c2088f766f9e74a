// What happens at an event: resets, modes, propositions, time events, and everything that can go wrong there.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

struct Falling {
  System system{"falling"};
  State x;
  Falling() : x(system.state("x", 1)) {
    system.rates([x = x](const auto& at, auto& d) { d[x] = -1 + 0 * at[x]; });
  }
};

TEST(Transition, SeesTheValuesOfBeforeAndWhatFired) {
  Falling model;
  const State x = model.x;
  const auto p = model.system.parameter("p", 2);
  Guard first{}, second{};
  int calls = 0;
  int* const count = &calls;
  first = model.system.guard("first", [=](const auto& at) { return at[x]; }).then([=](Jump& jump) {
    ++*count;
    jump[x] = 5;
    jump[p] = 7;
  });
  second = model.system.guard("second", [=](const auto& at) { return 2 * at[x]; }).falling().then([=](Jump& jump) {
    ++*count;
    EXPECT_EQ(jump[x], 5);  // writes of earlier jumps are visible
    EXPECT_NEAR(jump.pre(x), 0, 1e-14);
    EXPECT_EQ(jump[p], 7);
    EXPECT_EQ(jump.pre(p), 2);
    EXPECT_EQ(jump.fired().size(), 2U);
    EXPECT_TRUE(jump.fired(Guard{0}) && jump.fired(Guard{1}));
  });
  const Result run = simulate(model.system, {.end = 2});
  EXPECT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(calls, 2);
  EXPECT_NEAR(run.final()[x], 4, 1e-13);
  EXPECT_EQ(run.final()[p], 7);
  EXPECT_EQ(run.at(0.5)[p], 2);  // parameters have a history
}

TEST(Transition, AResetThatJumpsAcrossAnotherGuardFiresItAtTheSameInstant) {
  for (const bool is_in_direction : {true, false}) {
    Falling model;
    const State x = model.x;
    const Guard ground =
        model.system.guard("ground", [=](const auto& at) { return at[x]; }).falling().then([=](Jump& jump) {
          jump[x] = 3;
        });
    GuardDeclaration other = model.system.guard("two", [=](const auto& at) { return at[x] - 2; });
    if (is_in_direction)
      other.rising();
    else
      other.falling();
    const Guard two = other;
    const Result run = simulate(model.system, {.end = 1.5});
    ASSERT_EQ(run.times_of(ground).size(), 1U);
    if (is_in_direction) {
      ASSERT_EQ(run.times_of(two).size(), 1U);
      EXPECT_EQ(run.times_of(two)[0], run.times_of(ground)[0]);
      EXPECT_EQ(run.events[1].kind, EventKind::jump);
    } else {
      EXPECT_TRUE(run.times_of(two).empty());  // re-armed above; its falling crossing comes at t = 2
      EXPECT_EQ(simulate(model.system, {.end = 2.5}).times_of(two).size(), 1U);
    }
  }
}

TEST(Transition, AResetThatLandsOnAnotherGuardsZeroFollowsTheWayItLeaves) {
  Falling model;  // x falls; the guard at 2 is left downward: it ends where it was
  const State x = model.x;
  model.system.guard("ground", [=](const auto& at) { return at[x]; }).falling().then([=](Jump& jump) { jump[x] = 2; });
  const Guard two = model.system.guard("two", [=](const auto& at) { return at[x] - 2; });
  EXPECT_TRUE(simulate(model.system, {.end = 1.5}).times_of(two).empty());
  const Guard up =
      model.system.guard("up", [=](const auto& at) { return 2 - at[x]; });  // and one that ends on the other side
  static_cast<void>(up);
  const Result run = simulate(model.system, {.end = 4});
  EXPECT_TRUE(run.finished());
}

TEST(Transition, ChainsOfJumpsAreRunToTheirEnd) {
  Falling model;
  const State x = model.x;
  const auto a = model.system.discrete("a", 0), b = model.system.discrete("b", 0);
  model.system.guard("start", [=](const auto& at) { return at[x]; }).then([=](Jump& jump) { jump[a] = 1; });
  model.system.guard("follow", [=](const auto& at) { return at[a] - 0.5 + 0 * at[x]; }).rising().then([=](Jump& jump) {
    jump[b] = 1;
  });
  model.system.guard("last", [=](const auto& at) { return at[b] - 0.5 + 0 * at[x]; }).rising().then([=](Jump& jump) {
    jump.terminate("done");
  });
  const Result run = simulate(model.system, {.end = 3});
  EXPECT_EQ(run.outcome, Outcome::terminated);
  EXPECT_TRUE(has(run.reason, "done"));
  ASSERT_EQ(run.events.size(), 3U);
  EXPECT_EQ(run.events[0].t, run.events[2].t);
}

TEST(Transition, AnEndlessCycleOfJumpsStopsAndNamesIt) {
  Falling model;
  const State x = model.x;
  const auto a = model.system.discrete("a", 0);
  model.system.guard("start", [=](const auto& at) { return at[x]; }).falling().then([=](Jump& jump) { jump[a] = 1; });
  model.system.guard("ping", [=](const auto& at) { return at[a] - 0.5 + 0 * at[x]; }).rising().then([=](Jump& jump) {
    jump[a] = 0;
  });
  model.system.guard("pong", [=](const auto& at) { return at[a] - 0.5 + 0 * at[x]; }).falling().then([=](Jump& jump) {
    jump[a] = 1;
  });
  const Result run = simulate(model.system, {.end = 3});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 1: 100 transitions at this instant and no end: 'ping' -> 'pong' -> ...\n"
            "    a: 1 -> 0 -> 1\n"
            "  try:    break the cycle of jumps");
  EXPECT_NEAR(run.t_end, 1, 1e-13);
}

TEST(Transition, EnumsAndIntsSelectTheField) {
  enum class Gear { first, second };
  System car("car");
  const auto v = car.state("v", 0);
  const auto gear = car.discrete("gear", Gear::first);
  car.rates([=](const auto& at, auto& d) { d[v] = (at[gear] == Gear::first ? 2.0 : 1.0) + 0 * at[v]; });
  car.guard("shift", [=](const auto& at) { return at[v] - 4; })
      .rising()
      .only_when(gear == Gear::first)
      .then([=](Jump& jump) { jump[gear] = Gear::second; });
  const Result run = simulate(car, {.end = 5});
  EXPECT_NEAR(run.final()[v], 4 + 3, 1e-13);
  EXPECT_EQ(run.final()[gear], Gear::second);
  EXPECT_EQ(run.mode(*run.events[0].held_after), "gear = 1");
}

TEST(Conditions, FollowTheMotionAndDecisionsFollowThem) {
  System system("logic");
  const auto x = system.state("x", 0.0);
  const auto low = system.condition("above 1", [=](const auto& at) { return at[x] - 1; });
  const auto high = system.condition("above 2", [=](const auto& at) { return at[x] - 2; });
  const auto between = system.discrete("between", false), outside = system.discrete("outside", false);
  system.decide(between, low && !high);
  system.decide(outside, !between);
  system.rates([=](const auto& at, auto& d) { d[x] = (at[between] ? 0.5 : 1.0) + 0 * at[x]; });
  const Result run = simulate(system, {.end = 4});
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_NEAR(run.events[0].t, 1, 1e-14);
  EXPECT_NEAR(run.events[1].t, 3, 1e-13);
  EXPECT_TRUE(run.at(2)[between]);
  EXPECT_FALSE(run.at(2)[outside]);
  EXPECT_TRUE(run.start()[outside]);  // decided at the start as well
  EXPECT_NEAR(run.final()[x], 3, 1e-13);
}

TEST(Conditions, ThatStartAtZeroHaveTheTruthTheyLeaveTo) {
  for (const double speed : {1.0, -1.0}) {
    System system("start");
    const auto x = system.state("x", 0.0);
    const auto positive = system.condition("positive", [=](const auto& at) { return at[x]; });
    system.rates([=](const auto& at, auto& d) { d[x] = speed + 0 * at[x]; });
    const Result run = simulate(system, {.end = 1});
    EXPECT_EQ(run.start()[positive], speed > 0);
    EXPECT_EQ(run.statistics.events.events, 0);
  }
}

TEST(Conditions, DecisionsThatContradictEachOtherStopWithTheCycleByName) {
  Falling model;
  const State x = model.x;
  const auto zero = model.system.condition("below zero", [=](const auto& at) { return -at[x]; });
  const auto on = model.system.discrete("on", false), off = model.system.discrete("off", false);
  model.system.decide(on, zero && !off);
  model.system.decide(off, zero && on);
  const Result run = simulate(model.system, {.end = 3});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NEAR(run.t_end, 1, 1e-13);
  EXPECT_TRUE(has(run.reason, "on := true because (below zero && !off)")) << run.reason;
  EXPECT_TRUE(has(run.reason, "off := true because (below zero && on)")) << run.reason;
}

TEST(TimeEvents, AreExactAndDoNotAccumulateRounding) {
  Falling model;
  const State x = model.x;
  const auto count = model.system.discrete("count", 0);
  std::vector<double> ticks;
  auto* const list = &ticks;
  model.system.every(0.1, [=](Jump& jump) {
    jump[count] = jump[count] + 1;
    list->push_back(jump.t);
  });
  model.system.at(0.35, [=](Jump& jump) { jump[x] = 10; });
  const Result run = simulate(model.system, {.end = 1});
  ASSERT_EQ(ticks.size(), 10U);
  for (int k = 1; k <= 10; ++k) EXPECT_EQ(ticks[static_cast<std::size_t>(k - 1)], 0 + k * 0.1);
  EXPECT_EQ(run.final()[count], 10);
  EXPECT_NEAR(run.final()[x], 10 - 0.65, 1e-13);
  EXPECT_EQ(run.before(0.35)[x], run.at(std::nextafter(0.35, 0))[x] - 0);  // left limit
}

TEST(TimeEvents, CoincideWithAGuardAsOneEvent) {
  Falling model;
  const State x = model.x;
  model.system.guard("zero", [=](const auto& at) { return at[x]; });
  model.system.at(1.0, [](Jump&) {});
  const Result run = simulate(model.system, {.end = 2});
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.names(run.events[0]), (std::vector<std::string>{"at 1", "zero"}));
}

TEST(TimeEvents, ATimeCanBeAParameterAndChange) {
  Falling model;
  const auto period = model.system.parameter("period", 1);
  std::vector<double> ticks;
  auto* const list = &ticks;
  model.system.every(period, [=](Jump& jump) {
    list->push_back(jump.t);
    jump[period] = 2 * jump[period];
  });
  simulate(model.system, {.end = 8});
  EXPECT_EQ(ticks, (std::vector<double>{1, 3, 7}));
}

TEST(TimeEvents, AGuardThatJumpsInTimeThereFires) {
  Falling model;
  const State x = model.x;
  const auto level = model.system.parameter("level", -5);
  const Guard g = model.system.guard("g", [=](const auto& at) { return at[x] - at[level]; });
  model.system.at(0.25, [=](Jump& jump) { jump[level] = 2; });
  const Result run = simulate(model.system, {.end = 0.5});
  ASSERT_EQ(run.times_of(g).size(), 1U);
  EXPECT_EQ(run.times_of(g)[0], 0.25);
}

TEST(BadInput, AGuardThatIsNotANumberFailsNamingItAndKeepsTheRest) {
  for (const bool is_generic : {true, false}) {
    Falling model;
    const State x = model.x;
    const auto g = [=](const auto& at) { return log(at[x] - 0.5); };
    if (is_generic)
      model.system.guard("logarithm", g);
    else
      model.system.guard("logarithm", black_box(g));
    const Result run = simulate(model.system, {.end = 2, .max_step = 0.1});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(has(run.reason, "the guard 'logarithm' is not a number")) << run.reason;
    EXPECT_GT(run.t_end, 0.3);
    EXPECT_LE(run.t_end, 0.7);
    EXPECT_GT(run.sample_count(), 3);
  }
}

TEST(BadInput, AResetThatIsNotFiniteFailsNamingStateAndGuard) {
  Falling model;
  const State x = model.x;
  model.system.guard("zero", [=](const auto& at) { return at[x]; }).then([=](Jump& jump) {
    jump[x] = std::numeric_limits<double>::quiet_NaN();
  });
  const Result run = simulate(model.system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(has(run.reason, "'zero'") && has(run.reason, "the state 'x' is nan")) << run.reason;
  EXPECT_NEAR(run.final()[x], 0, 1e-13);  // the state of before
}

TEST(BadInput, ATransitionThatThrowsFailsWithItsText) {
  Falling model;
  const State x = model.x;
  model.system.guard("zero", [=](const auto& at) { return at[x]; }).then([](Jump&) {
    throw std::runtime_error("no fuel");
  });
  const Result run = simulate(model.system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(has(run.reason, "the transition of 'zero' threw: no fuel")) << run.reason;
  EXPECT_NEAR(run.t_end, 1, 1e-13);
}

TEST(BadInput, AUnilateralGuardNothingTurnsBackFails) {
  Falling model;
  const State x = model.x;
  model.system.guard("wall", [=](const auto& at) { return at[x]; }).unilateral();
  const Result run = simulate(model.system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(has(run.reason, "the unilateral guard 'wall' still moves beyond zero")) << run.reason;
  EXPECT_GE(run.final()[x], 0.0);
}

TEST(BadInput, AUnilateralGuardPutBeyondZeroFails) {
  Falling model;
  const State x = model.x;
  model.system.guard("wall", [=](const auto& at) { return at[x]; }).falling().unilateral().then([=](Jump& jump) {
    jump[x] = -1;
  });
  const Result run = simulate(model.system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(has(run.reason, "put the unilateral guard 'wall' beyond zero")) << run.reason;
}

TEST(BadInput, ChatteringWithoutARelayIsNamed) {
  System system("chatter");
  const auto x = system.state("x", 1.0);
  const auto positive = system.condition("positive", [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = (at[positive] ? -1.0 : 1.0) + 0 * at[x]; });
  const Result run = simulate(system, {.end = 3});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(has(run.reason, "'positive'") && has(run.reason, "chatters") && has(run.reason, "relay")) << run.reason;
  EXPECT_NEAR(run.t_end, 1, 1e-9);
}

TEST(BadInput, IsRefusedBeforeTheRun) {
  const auto refused = [](const auto& declare) {
    try {
      declare();
    } catch (const Misuse& misuse) {
      return std::string(misuse.what());
    }
    return std::string();
  };
  Falling model;
  const State x = model.x;
  model.system.guard("g", [=](const auto& at) { return at[x]; });
  EXPECT_TRUE(has(refused([&] { model.system.guard("g", [=](const auto& at) { return at[x]; }); }), "declared twice"));
  EXPECT_TRUE(
      has(refused([&] { simulate(model.system, {.end = 1, .events = "certifed"}); }), "did you mean 'certified'"));
  EXPECT_TRUE(has(refused([&] { simulate(model.system, {.end = 1, .event_tolerance = -1}); }), "event tolerance -1"));
  EXPECT_TRUE(has(refused([&] { simulate(model.system, {.end = 1, .max_events = 0}); }), "max_events 0"));
  System periodic("periodic");
  periodic.rates([x = periodic.state("x", 0)](const auto& at, auto& d) { d[x] = 0 * at[x]; });
  periodic.every(0.0, [](Jump&) {});
  EXPECT_TRUE(has(refused([&] { simulate(periodic, {.end = 1}); }), "is no period"));
}

}  // namespace
}  // namespace pawl
