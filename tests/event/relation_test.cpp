// Relations: one sign per difference, -, 0 or +, held between events (docs/events.md).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

TEST(Relation, HasTheSignOfItsDifferenceAndOneOfThreePropositionsHolds) {
  System s("wave");
  const auto x = s.state("x", 1), y = s.state("y", 0);
  s.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[x];
  });
  const auto r = s.relation("x", [=](const auto& at) { return at[x]; });
  const auto up = s.discrete("up", false), down = s.discrete("down", false), none = s.discrete("none", false);
  const auto not_up = s.discrete("not up", false), not_down = s.discrete("not down", false);
  s.decide(up, r > 0);
  s.decide(down, r < 0);
  s.decide(none, r == 0);
  s.decide(not_up, r <= 0);
  s.decide(not_down, r >= 0);
  const Result run = simulate(s, {.end = 10, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> times = run.times_of(r);
  ASSERT_EQ(times.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(times[k], (k + 0.5) * std::numbers::pi, 1e-8);
  for (const double t : {0.5, 2.0, 5.0, 8.0}) {
    const Instant now = run.at(t);
    EXPECT_EQ(now[r], std::cos(t) > 0 ? 1 : -1);
    EXPECT_EQ(now[up], now[r] > 0);
    EXPECT_EQ(now[down], now[r] < 0);
    EXPECT_EQ(now[up] + now[down] + now[none], 1);
    EXPECT_EQ(now[not_up], !now[up]);
    EXPECT_EQ(now[not_down], !now[down]);
  }
  EXPECT_EQ(run.mode(run.start().held()), "up, not down, not none, not not up, not down, x > 0");
}

TEST(Relation, RestsAtZeroAndLeavesItEitherWay) {
  for (const double way : {1.0, -1.0}) {
    System s("rest");
    const auto x = s.state("x", 1), z = s.state("z", 0);
    const auto push = s.discrete("push", -1.0);
    s.rates([=](const auto& at, auto& d) {
      d[x] = at[push] + 0 * at[x];
      d[z] = sin(3 * at[z] + 1);
    });
    const auto r = s.relation("x", [=](const auto& at) { return at[x]; });
    s.transition([=](Jump& jump) {
      if (jump.fired(r) && jump[r] < 0 && jump.pre(r) > 0) jump[push] = 0.0;  // it stops where it arrives
    });
    s.at(2.0, [=](Jump& jump) { jump[push] = way; });
    const Result run = simulate(s, {.end = 3});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.at(0.5)[r], 1);
    EXPECT_EQ(run.at(1.5)[r], 0);
    EXPECT_EQ(run.at(2.5)[r], way > 0 ? 1 : -1);
    const std::vector<double> times = run.times_of(r);
    ASSERT_EQ(times.size(), 3U);  // arrives, comes to rest, leaves
    EXPECT_NEAR(times[0], 1, 1e-13);
    EXPECT_EQ(times[1], times[0]);
    EXPECT_EQ(times[2], 2);
  }
}

// Two inertias and a clutch that sticks and slips: stuck, forward, backward and the ways between, as an automaton over
// one relation of the relative speed; and the engine's own dry friction.
struct Clutch {
  static constexpr double J1 = 1, J2 = 2, slip = 3, stick = 1.2 * slip, load = -1.0;
  double amplitude;
  System s{"clutch"};
  State w1 = s.state("w1", 0), w2 = s.state("w2", 0);
  Discrete<bool> forward = s.discrete("forward", false), backward = s.discrete("backward", false);
  Discrete<bool> start_forward = s.discrete("start forward", false),
                 start_backward = s.discrete("start backward", false);
  Discrete<bool> locked = s.discrete("locked", true);
  Relation w{};
  explicit Clutch(double largest) : amplitude(largest) {
    const auto drive = [largest](const auto& t) { return largest * sin(2.5 * t); };
    const State a = w1, b = w2;
    const Discrete<bool> sticks = locked, pulls = forward, will_pull = start_forward;
    const auto torque = [=](const auto& at) {
      using Value = std::decay_t<decltype(at[a])>;
      if (at[sticks]) return Value((load / J2 - drive(at.t) / J1) / (1 / J1 + 1 / J2));
      return Value((at[will_pull] || at[pulls] ? slip : -slip) + 0 * at[a]);
    };
    const auto path = [=](const auto& at) {
      using Value = std::decay_t<decltype(at[a])>;
      const auto f = torque(at);
      if (at[sticks]) return Value(f);
      const auto acceleration = (load - f) / J2 - (drive(at.t) + f) / J1;
      return Value(acceleration + (at[will_pull] || at[pulls] ? stick : -stick));
    };
    s.rates([=](const auto& at, auto& d) {
      const auto f = torque(at);
      d[a] = (drive(at.t) + f) / J1;
      d[b] = (load - f) / J2;
    });
    const auto up = s.condition("path > stick", [=](const auto& at) { return path(at) - stick; });
    const auto up0 = s.condition("path > slip", [=](const auto& at) { return path(at) - slip; });
    const auto down = s.condition("path < -stick", [=](const auto& at) { return -stick - path(at); });
    const auto down0 = s.condition("path < -slip", [=](const auto& at) { return -slip - path(at); });
    w = s.relation("w_rel", [=](const auto& at) { return at[b] - at[a]; });
    const Logic stuck = !forward && !backward;
    s.decide(start_forward, stuck && (up || (start_forward && up0)));
    s.decide(start_backward, stuck && (down || (start_backward && down0)));
    s.decide(locked, !(forward || start_forward || backward || start_backward));
    s.decide(forward, (forward || start_forward) && w > 0);
    s.decide(backward, (backward || start_backward) && w < 0);
  }
};

TEST(Relation, AClutchAutomatonHasNoEventsByRoundingWhileLocked) {
  for (const double amplitude : {10.0, 6.0}) {  // reversals alone; slip and stick
    const Clutch clutch(amplitude);
    const Result run = simulate(clutch.s, {.end = 20, .tolerance = 1e-8});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto is_locked = [&](const Held& held) {
      return held.modes[static_cast<std::size_t>(clutch.locked.index)] != 0;
    };
    int locks = 0;
    double locked_at = 0;
    for (const Event& event : run.events) {
      if (!fires(event.kind)) continue;
      const bool was = is_locked(*event.held_before), is = is_locked(*event.held_after);
      if (!was && is) {
        ++locks;
        locked_at = event.t;
      }
      // Coming to rest belongs to the lock, at its instant; anything later would be rounding.
      const bool is_of_speed = run.names(event) == std::vector<std::string>{"w_rel"};
      if (was && is && is_of_speed) {
        EXPECT_EQ(event.t, locked_at) << amplitude;
      }
    }
    if (amplitude == 6) {
      EXPECT_GE(locks, 10);
    }
    Mechanics m("reference");
    const auto a = m.coordinate("a", 0), b = m.coordinate("b", 0);
    m.mass(a, Clutch::J1);
    m.mass(b, Clutch::J2);
    m.force([=](const auto& at, auto& f) {
      f[a] += amplitude * sin(2.5 * at.t);
      f[b] += Clutch::load;
    });
    m.dry_friction(
        "clutch", [=](const auto& at) { return at[dot(b)] - at[dot(a)]; },
        [=](const auto& at) { return 1 + 0 * at[a]; }, {.friction = Clutch::slip, .static_friction = Clutch::stick});
    const Result reference = simulate(m, {.end = 20, .tolerance = 1e-10});
    ASSERT_TRUE(reference.finished()) << reference.reason;
    EXPECT_NEAR(run.final()[clutch.w1], reference.final()[dot(a)], 1e-6) << amplitude;
    EXPECT_NEAR(run.final()[clutch.w2], reference.final()[dot(b)], 1e-6) << amplitude;
  }
}

// What integration makes of a difference that rests depends on the method; the events do not.
TEST(Relation, EveryMethodSeesTheSameEventsOfTheClutch) {
  for (const double amplitude : {10.0, 6.0}) {
    const Clutch clutch(amplitude);
    const std::vector<double> reference =
        simulate(clutch.s, {.end = 20, .tolerance = 1e-10, .method = "dop853"}).times_of(clutch.w);
    ASSERT_GT(reference.size(), 10U);
    for (const char* method : {"tsitouras-5", "radau", "bdf", "rodas5p"}) {
      for (const double tolerance : {1e-6, 1e-9}) {
        const Result run = simulate(clutch.s, {.end = 20, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << method << ' ' << run.reason;
        const std::vector<double> times = run.times_of(clutch.w);
        ASSERT_EQ(times.size(), reference.size()) << method << ' ' << tolerance << ' ' << amplitude;
        for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], reference[i], 1e3 * tolerance) << method;
      }
    }
  }
}

// The ball of Modelica texts, relations and a flag, comes to rest by itself.
TEST(Relation, AnAccumulationIsLeftToTheTransitionFunction) {
  System s("ball");
  const auto h = s.state("h", 1), v = s.state("v", 0);
  const auto flying = s.discrete("flying", true);
  s.rates([=](const auto& at, auto& d) {
    d[h] = at[v];
    d[v] = at[flying] ? -9.81 + 0 * at[v] : 0 * at[v];
  });
  const auto below = s.condition("h <= 0", [=](const auto& at) { return -at[h]; });
  s.transition([=](Jump& jump) {
    if (jump.is_accumulation()) {
      jump[flying] = false;
      jump[h] = jump[v] = 0;
    } else if (jump.edge(below)) {
      jump[v] = -0.7 * jump.pre(v);
    }
  });
  const Result run = simulate(s, {.end = 4});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double fall = std::sqrt(2 / 9.81), rest = fall * (1 + 2 * 0.7 / (1 - 0.7));
  EXPECT_FALSE(run.final()[flying]);
  EXPECT_EQ(run.final()[h], 0);
  ASSERT_EQ(run.times_of(flying).size(), 1U);
  EXPECT_NEAR(run.times_of(flying)[0], rest, 1e-6);
}

TEST(Relation, NeedsTheCertifiedFinder) {
  System s("r");
  const auto x = s.state("x", 1);
  s.rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
  s.relation("half", [=](const auto& at) { return at[x] - 0.5; });
  EXPECT_EQ(
      misuse_of([&] { simulate(s, {.end = 1, .events = "compere"}); }),
      "system 'r', relation 'half': only the finder 'certified' knows when a difference rests at zero, not 'compere'");
}

TEST(Relation, ContradictionsAreToldInItsWords) {
  System s("r");
  const auto x = s.state("x", 1);
  s.rates([=](const auto& at, auto& d) { d[x] = -1 + 0 * at[x]; });
  const auto w = s.relation("w", [=](const auto& at) { return at[x]; });
  const auto a = s.discrete("a", false);
  s.decide(a, !a && w < 0);
  const Result run = simulate(s, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 1: after 'w' the decisions contradict each other and never settle:\n"
            "    a := false because not (!a && w < 0)\n"
            "    a := true because (!a && w < 0)\n"
            "    a := false because not (!a && w < 0)\n"
            "    a := true because (!a && w < 0)\n"
            "  try:    remove the cycle, or let one of them read a condition instead");
}

}  // namespace
}  // namespace pawl
