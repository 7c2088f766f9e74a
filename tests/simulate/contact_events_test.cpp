// What contacts did, by kind: impact, rest, stick, slip, release; and the forces that vanish, against closed forms.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81;
using Kind = ContactEvent;

std::size_t count(const Result& run, const Contact& contact, Kind kind) {
  return run.times_of(contact, kind).size();
}

// Impacts at t1 (1, 1 + 2 e, ...), rest at their limit T = t1 (1 + e)/(1 - e). Each impact takes friction times its
// impulse of the speed along the floor; from T on friction decelerates by mu g until the ball slips no more.
TEST(ContactEvents, ABallMeetsRestsSlipsAndSticks) {
  constexpr double e = 0.5, mu = 0.1, speed = 3;
  Mechanics system("ball");
  const auto x = system.coordinate("x", 0, speed), y = system.coordinate("y", 1);
  for (const State q : {State(x), State(y)}) system.mass(q, 1.0);
  system.potential([=](const auto& at) { return g * at[y]; });
  const Contact floor = system.contact(
      "floor", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[dot(x)]; },
      {.restitution = e, .friction = mu});
  const Result run = simulate(system, {.end = 5, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double t1 = std::sqrt(2 / g), rest = t1 * (1 + e) / (1 - e);
  const std::vector<double> impacts = run.times_of(floor, Kind::impact);
  ASSERT_GT(impacts.size(), 8u);
  double t = t1;
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(impacts[k], t, 1e-9) << k;
    t += 2 * std::pow(e, k + 1) * t1;
  }
  ASSERT_EQ(count(run, floor, Kind::rest), 1u);
  EXPECT_NEAR(run.times_of(floor, Kind::rest)[0], rest, 1e-9);
  EXPECT_EQ(run.times_of(floor, Kind::slip), run.times_of(floor, Kind::rest)) << "it slips as it comes to rest";
  // By impulses m g T in all, up to T and beyond: the floor carries the weight on average.
  ASSERT_EQ(count(run, floor, Kind::stick), 1u);
  EXPECT_NEAR(run.times_of(floor, Kind::stick)[0], speed / (mu * g), 1e-8);
  EXPECT_EQ(count(run, floor, Kind::release), 0u);
  std::size_t listed = 0;
  for (const Event& event : run.events) listed += event.contacts.size();
  EXPECT_EQ(listed, impacts.size() + 3) << "one rest, one slip and one stick, and nothing else";
  EXPECT_EQ(run.contact_events(run.events[0]), std::vector<std::string>{"impact of floor"});
}

// A plastic impact on a rough floor: everything at one instant.
TEST(ContactEvents, APlasticLandingIsImpactRestAndStick) {
  for (const char* method : {"auto", "radau"}) {
    Mechanics system("bag");
    const auto x = system.coordinate("x", 0, 0.5), y = system.coordinate("y", 1);
    for (const State q : {State(x), State(y)}) system.mass(q, 1.0);
    system.potential([=](const auto& at) { return g * at[y]; });
    const Contact floor = system.contact(
        "floor", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[dot(x)]; }, {.friction = 0.8});
    const Result run = simulate(system, {.end = 1, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    const std::vector<double> once = run.times_of(floor);
    ASSERT_EQ(once.size(), 1u);
    EXPECT_NEAR(once[0], std::sqrt(2 / g), 1e-6);
    for (const Kind kind : {Kind::impact, Kind::rest, Kind::stick}) EXPECT_EQ(run.times_of(floor, kind), once);
    for (const Kind kind : {Kind::slip, Kind::release}) EXPECT_EQ(count(run, floor, kind), 0u);
  }
}

// The force of a table that moves as A sin w t is m (g - A w² sin w t); from where it vanishes the block flies until it
// meets the table again.
TEST(ContactEvents, ABlockIsReleasedWhereTheForceOfItsTableVanishes) {
  constexpr double A = 0.03, w = 20;
  for (const char* method : {"auto", "dop853", "radau", "esdirk-5"}) {
    SCOPED_TRACE(method);
    Mechanics system("block on a table");
    const auto y = system.coordinate("y", 0, A * w);
    system.mass(y, 1.0);
    system.potential([=](const auto& at) { return g * at[y]; });
    const Contact table = system.contact("table", [=](const auto& at) { return at[y] - A * sin(w * at.t); }, {});
    const Result run = simulate(system, {.end = 0.3, .tolerance = 1e-12, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    const double release = std::asin(g / (A * w * w)) / w;
    ASSERT_GE(count(run, table, Kind::release), 1u);
    EXPECT_NEAR(run.times_of(table, Kind::release)[0], release, 1e-12);
    // The flight from there ends at the one zero of height(t) - A sin w t that follows.
    const auto gap = [&](double t) {
      const double s = t - release;
      return g / (w * w) + A * w * std::cos(w * release) * s - g / 2 * s * s - A * std::sin(w * t);
    };
    double low = release + 0.05, high = 0.3;
    while (gap(high) > 0) high += 0.01;
    for (int k = 0; k < 200; ++k) (gap((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
    ASSERT_GE(count(run, table, Kind::impact), 1u);
    EXPECT_NEAR(run.times_of(table, Kind::impact)[0], low, 1e-11);
    EXPECT_EQ(run.times_of(table, Kind::rest)[0], run.times_of(table, Kind::impact)[0]) << "plastic";
  }
}

// Inside a hoop, with the speed v at its lowest point: at the angle θ from there v² - 2 g R (1 - cos θ) = -g R cos θ
// where the hoop need not press any more. Outside, sliding down from the top: cos θ = (2 + v²/(g R))/3.
TEST(ContactEvents, ABeadIsReleasedWhereItsHoopPressesNoMore) {
  constexpr double R = 0.5;
  for (const bool is_inside : {true, false}) {
    for (const double speed_squared :
         is_inside ? std::vector{3 * g * R, 4.5 * g * R} : std::vector{0.01, 0.5 * g * R}) {
      for (const char* method : {"auto", "dop853", "radau"}) {
        SCOPED_TRACE(std::string(method) + (is_inside ? " inside" : " outside"));
        Mechanics system("bead");
        const double side = is_inside ? -1 : 1;
        const auto x = system.coordinate("x", 0, std::sqrt(speed_squared)), y = system.coordinate("y", side * R);
        for (const State q : {State(x), State(y)}) system.mass(q, 1.0);
        system.potential([=](const auto& at) { return g * at[y]; });
        const Contact hoop =
            system.contact("hoop", [=](const auto& at) { return side * (hypot(at[x], at[y]) - R); }, {});
        const Result run = simulate(system, {.end = 1, .tolerance = 1e-12, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        ASSERT_GE(count(run, hoop, Kind::release), 1u);
        const Instant there = run.at(run.times_of(hoop, Kind::release)[0]);
        const double cosine = is_inside ? (2 - speed_squared / (g * R)) / 3 : (2 + speed_squared / (g * R)) / 3;
        EXPECT_NEAR(side * there[y] / R, cosine, 1e-10);
        EXPECT_NEAR(run.before(there.t)[hoop.normal], 0, 1e-9);
      }
    }
  }
}

// Dry friction under a given force: F sin t holds a mass until it exceeds μ N.
TEST(ContactEvents, ABrakeSlipsAndSlipsBack) {
  constexpr double force = 2, hold = 1;
  Mechanics system("brake");
  const auto x = system.coordinate("x", 0);
  system.mass(x, 1.0);
  system.force([=](const auto& at, auto& F) { F[x] = force * sin(at.t); });
  const Contact brake = system.dry_friction(
      "brake", [=](const auto& at) { return at[dot(x)]; }, [=](const auto&) { return hold; }, {.friction = 1.0});
  const Result run = simulate(system, {.end = 6, .tolerance = 1e-11});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double begin = std::numbers::pi / 6;  // sin t = 1/2
  ASSERT_GE(count(run, brake, Kind::slip), 1u);
  EXPECT_NEAR(run.times_of(brake, Kind::slip)[0], begin, 1e-10);
  EXPECT_EQ(count(run, brake, Kind::impact) + count(run, brake, Kind::rest) + count(run, brake, Kind::release), 0u);
  // Its speed 2 (cos t0 - cos t) - (t - t0) is zero again where the force, below -1, drives it back at once: it slips
  // the other way, and that is a slip.
  const auto speed = [&](double t) { return force * (std::cos(begin) - std::cos(t)) - (t - begin); };
  double low = 2, high = 5;
  for (int k = 0; k < 200; ++k) (speed((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  ASSERT_LT(force * std::sin(low), -hold);
  ASSERT_GE(count(run, brake, Kind::slip), 2u);
  EXPECT_NEAR(run.times_of(brake, Kind::slip)[1], low, 1e-9);
}

// A block is pulled along (0.6, 0.8) by μ m g (1 + ε u (1 - u)), u = t - 1: it sticks until u = 0 and moves by so
// little after that, at v = μ g ε (u²/2 - u³/3), that its direction of slip is that of its onset all the way. At u =
// 3/2 it stands still, and friction holds it: told once slip has turned back by a thousandth of the onset, which is
// 0.01 (100 tolerances)^0.4 of a speed of one; at a deceleration of 0.75 μ g ε that is 0.021 tolerance^0.4 later.
TEST(ContactEvents, ABlockThatHasHardlyBegunToSlipInSpaceSticksAgain) {
  constexpr double mu = 0.4, more = 1e-3;
  Mechanics system("block");
  const auto x = system.coordinate("x", 0), y = system.coordinate("y", 0), z = system.coordinate("z", 0);
  for (const auto q : {x, y, z}) system.mass(q, 1.0);
  system.force([=](const auto& at, auto& F) {
    const auto u = at.t - 1;
    const auto pull = mu * g * (1 + more * u * (1 - u));
    F[x] = 0.6 * pull;
    F[y] = 0.8 * pull;
    F[z] = -g;
  });
  const Contact floor = system.contact(
      "floor", [=](const auto& at) { return at[z]; },
      [=](const auto& at) {
        return std::array{at[dot(x)], at[dot(y)]};
      },
      {.friction = mu});
  for (const char* method : {"auto", "verner-9", "radau"}) {
    for (const double tolerance : {1e-5, 1e-8}) {
      SCOPED_TRACE(fmt::format("{} at {}", method, tolerance));
      const Result run = simulate(system, {.end = 4, .tolerance = tolerance, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      ASSERT_EQ(count(run, floor, Kind::slip), 1u);
      EXPECT_NEAR(run.times_of(floor, Kind::slip)[0], 1, 1e-9);
      ASSERT_GE(count(run, floor, Kind::stick), 1u);
      EXPECT_NEAR(run.times_of(floor, Kind::stick).back(), 2.5, 3e-2 * std::pow(tolerance, 0.4));
      const double moved = mu * g * more * (1.5 * 1.5 * 1.5 / 6 - 1.5 * 1.5 * 1.5 * 1.5 / 12);
      EXPECT_NEAR(run.final()[x], 0.6 * moved, std::pow(tolerance, 0.4) * 1e-2 * moved);
      EXPECT_NEAR(run.final()[y], 0.8 * moved, std::pow(tolerance, 0.4) * 1e-2 * moved);
    }
  }
}

// A compliant contact meets and lets go.
TEST(ContactEvents, ACompliantContactMeetsAndReleases) {
  constexpr double k = 400, w = 20;
  Mechanics system("mass");
  const auto y = system.coordinate("y", 0.1, -1);
  system.mass(y, 1.0);
  const Contact spring =
      system.contact("spring", [=](const auto& at) { return at[y]; }, {.compliance = Compliance::spring_damper(k, 0)});
  const Result run = simulate(system, {.end = 0.4, .tolerance = {1e-10, 1e-13}});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(count(run, spring, Kind::impact), 1u);
  EXPECT_NEAR(run.times_of(spring, Kind::impact)[0], 0.1, 1e-12);
  ASSERT_EQ(count(run, spring, Kind::release), 1u);
  EXPECT_NEAR(run.times_of(spring, Kind::release)[0], 0.1 + std::numbers::pi / w, 1e-9);
}

// An impulse that passes through a contact at rest is an impact there, too.
TEST(ContactEvents, AnImpulseThroughAContactAtRestIsAnImpact) {
  Mechanics system("two bodies");
  const auto a = system.coordinate("a", 0), b = system.coordinate("b", 1, -1);
  for (const State q : {State(a), State(b)}) system.mass(q, 1.0);
  system.potential([=](const auto& at) { return g * (at[a] + at[b]); });
  const Contact floor = system.contact("floor", [=](const auto&at) { return at[a]; }, {}),
                pair = system.contact("pair", [=](const auto&at) { return at[b] - at[a] - 0.5; }, {});
  const Result run = simulate(system, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(count(run, pair, Kind::impact), 1u);
  EXPECT_EQ(run.times_of(floor, Kind::impact), run.times_of(pair, Kind::impact));
  EXPECT_EQ(run.times_of(pair, Kind::rest), run.times_of(pair, Kind::impact));
  EXPECT_EQ(count(run, floor, Kind::rest), 0u) << "it had been at rest";
}

// The transition function is called again once contacts have been decided, and sees what they did: so it can count
// impacts, also one at the start.
TEST(ContactEvents, TheTransitionFunctionSeesTheirKinds) {
  for (const double height : {1.0, 0.0}) {
    Mechanics system("ball");
    const auto y = system.coordinate("y", height, height > 0 ? 0.0 : -4.0);
    const auto impacts = system.discrete("impacts", 0), rests = system.discrete("rests", 0);
    system.mass(y, 1.0);
    system.potential([=](const auto& at) { return g * at[y]; });
    const Contact floor = system.contact("floor", [=](const auto& at) { return at[y]; }, {.restitution = 0.5});
    system.transition([=](Jump& jump) {
      if (jump.fired(floor, Kind::impact)) jump[impacts] = jump.pre(impacts) + 1;
      if (jump.fired(floor, Kind::rest)) jump[rests] = jump.pre(rests) + 1;
    });
    const Result run = simulate(system, {.end = 3});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_GT(run.final()[impacts], 8);
    EXPECT_EQ(static_cast<std::size_t>(run.final()[impacts]), count(run, floor, Kind::impact)) << height;
    EXPECT_EQ(run.final()[rests], 1);
    EXPECT_EQ(run.times_of(floor, Kind::impact)[0] == 0, height == 0);
  }
}

}  // namespace
}  // namespace pawl
