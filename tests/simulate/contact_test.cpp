// Contacts as a user declares them: what follows at events, and what is refused.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81;

struct Ball {
  Mechanics system{"ball"};
  Coordinate x = system.coordinate("x", 0, 1), y = system.coordinate("y", 1), spin = system.coordinate("spin", 0);
  double radius = 0.1;
  Contact floor;
  Observable energy;
  State work;
  Discrete<double> loss;

  explicit Ball(ContactOptions options) {
    for (const State q : {State(x), State(y)}) system.mass(q, 1.0);
    system.mass(spin, 0.4 * radius * radius);
    const auto height = y, along = x, turn = spin;
    const double r = radius;
    system.potential([=](const auto& at) { return g * at[height]; });
    floor = system.contact(
        "floor", [=](const auto& at) { return at[height] - r; },
        [=](const auto& at) { return at[dot(along)] + r * at[dot(turn)]; }, options);
    energy = system.energy();
    work = system.friction_work();
    loss = system.impact_loss();
  }
};

double held_loss(const Result& run, const Ball& ball) {
  return run.events.back().held_after->numbers[static_cast<std::size_t>(ball.loss.index)];
}

class ContactMethods : public testing::TestWithParam<const char*> {};

// The impacts of a ball are a geometric series: drop for t1, then bounces of 2 e^k t1 until T = t1 (1 + e)/(1 - e).
TEST_P(ContactMethods, ABallBouncesToRestAtTheLimitOfTheSeriesAndThenRolls) {
  const double e = 0.5;
  Ball ball({.restitution = e, .friction = 0.3});
  const Result run = simulate(ball.system, {.end = 3, .tolerance = 1e-10, .method = GetParam()});
  ASSERT_EQ(run.outcome, Outcome::finished) << run.reason;
  const double t1 = std::sqrt(2 * 0.9 / g);
  double t = t1;
  std::size_t k = 0;
  for (const Event& event : run.events) {
    if (event.kind != EventKind::crossing || k == 8) continue;
    EXPECT_NEAR(event.t, t, 2e-9) << k;
    t += 2 * std::pow(e, ++k) * t1;
  }
  EXPECT_EQ(k, 8u);
  EXPECT_EQ(run.events.back().kind, EventKind::accumulation);
  EXPECT_NEAR(run.events.back().t, t1 * (1 + e) / (1 - e), 2e-9);
  EXPECT_EQ(
      static_cast<ContactMode>(run.events.back().held_after->modes[static_cast<std::size_t>(ball.floor.mode.index)]),
      ContactMode::stick);
  const auto end = run.final();
  EXPECT_NEAR(end[ball.floor.normal], g, 1e-9);
  EXPECT_NEAR(end[ball.y], ball.radius, 1e-15);
  EXPECT_NEAR(end[dot(ball.x)], 5.0 / 7, 1e-9) << "angular momentum about the point of contact is kept";
  EXPECT_NEAR(end[ball.energy] + end[ball.work] + held_loss(run, ball), g * 1 + 0.5, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(All, ContactMethods, testing::Values("auto", "radau", "esdirk-5", "bdf"), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

TEST(Contact, AStartWithinABodyIsNamed) {
  Ball ball({.restitution = 0.5});
  Values values(ball.system);
  values[State(ball.y)] = 0.05;
  const Result run = simulate(ball.system, values, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NE(run.reason.find("contact 'floor' is penetrated by 0.05 at the start"), std::string::npos) << run.reason;
}

TEST(Contact, AStartInContactNeedsNoImpact) {
  Ball ball({.restitution = 0.5, .friction = 0.3});
  Values values(ball.system);
  values[State(ball.y)] = 0.1;
  const Result run = simulate(ball.system, values, {.end = 1, .tolerance = 1e-10});
  ASSERT_EQ(run.outcome, Outcome::finished) << run.reason;
  ASSERT_EQ(run.events.size(), 2u);  // it slips at the start, and rolls when the slip has stopped
  EXPECT_EQ(run.events.front().kind, EventKind::initial);
  EXPECT_NEAR(run.events.back().t, 2.0 / (7 * 0.3 * g), 1e-12);
  const auto end = run.final();
  EXPECT_NEAR(end[ball.energy] + end[ball.work], g * 0.1 + 0.5, 1e-10);
}

TEST(Contact, AnImpactAtTheStartHappensAtTheStart) {
  Ball ball({.restitution = 0.5});
  Values values(ball.system);
  values[State(ball.y)] = 0.1;
  values[dot(ball.y)] = -2;
  const Result run = simulate(ball.system, values, {.end = 0.1});
  ASSERT_EQ(run.outcome, Outcome::finished) << run.reason;
  EXPECT_NEAR(run.at(0.05)[ball.y], 0.1 + 0.05 - 0.5 * g * 0.0025, 1e-9);
}

TEST(Contact, TheSameContactTwiceIsTheSameMotionWithHalfTheForces) {
  Ball ball({.restitution = 0.3, .friction = 0.3});
  const auto y = ball.y, x = ball.x, spin = ball.spin;
  const auto again = ball.system.contact(
      "floor again", [=](const auto& at) { return at[y] - 0.1; },
      [=](const auto& at) { return at[dot(x)] + 0.1 * at[dot(spin)]; }, {.restitution = 0.3, .friction = 0.3});
  const Result twice = simulate(ball.system, {.end = 2, .tolerance = 1e-10});
  ASSERT_EQ(twice.outcome, Outcome::finished) << twice.reason;
  EXPECT_NEAR(twice.final()[dot(x)], 5.0 / 7, 1e-9);
  EXPECT_NEAR(twice.final()[ball.floor.normal], g / 2, 1e-8);
  EXPECT_NEAR(twice.final()[again.normal], g / 2, 1e-8);
}

TEST(Contact, CannotBeRunBackwards) {
  Ball ball({.restitution = 0.5});
  EXPECT_THROW(simulate(ball.system, {.end = -1}), Misuse);
}

TEST(Contact, CoefficientsOutOfRangeAreRefused) {
  EXPECT_THROW(Ball({.restitution = 1.5}), Misuse);
  EXPECT_THROW(Ball({.friction = -0.1}), Misuse);
  EXPECT_THROW(Ball({.friction = 0.5, .static_friction = Coefficient(0.3)}), Misuse);
  EXPECT_THROW(Ball({.compliance = Compliance::hertz(-1)}), Misuse);
}

// Penetration of a ball on a spring of stiffness k settles at m g / k.
TEST(Contact, ACompliantFloorCarriesTheWeight) {
  Ball ball({.compliance = Compliance::spring_damper(1e4, 100)});
  for (const char* method : {"auto", "radau", "bdf"}) {
    const Result run = simulate(ball.system, {.end = 20, .tolerance = 1e-8, .method = method});
    ASSERT_EQ(run.outcome, Outcome::finished) << run.reason;
    EXPECT_NEAR(run.final()[ball.y], 0.1 - g / 1e4, 1e-7) << method;
    EXPECT_NEAR(run.final()[ball.floor.normal], g, 1e-4) << method;
  }
}

// A ball in a groove of 90 degrees is held by more forces than it needs. Turned by a growing torque it slips where
// friction at both sides is used up, R μ (N1 + N2) = M with N1 + N2 = g / (c (1 + μ²)), and not before.
TEST(Contact, RedundantContactsHoldAsLongAsSomeForcesWithinTheConesDo) {
  const double mu = 0.3, radius = 0.1, c = std::sqrt(0.5);
  Mechanics groove("groove");
  const auto x = groove.coordinate("x", 0), y = groove.coordinate("y", radius / c), spin = groove.coordinate("spin", 0);
  for (const State q : {State(x), State(y)}) groove.mass(q, 1.0);
  groove.mass(spin, 0.5 * radius * radius);
  groove.potential([=](const auto& at) { return g * at[y]; });
  groove.force([=](const auto& at, auto& f) { f[spin] += 0.2 * at.t; });
  std::vector<Contact> sides;
  for (const double side : {-1.0, 1.0}) {
    sides.push_back(groove.contact(
        side < 0 ? "left" : "right", [=](const auto& at) { return -side * c * at[x] + c * at[y] - radius; },
        [=](const auto& at) { return c * at[dot(x)] + side * c * at[dot(y)] + radius * at[dot(spin)]; },
        {.friction = mu}));
  }
  const Result run = simulate(groove, {.end = 3});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.events.back().t, radius * mu * g / (c * (1 + mu * mu)) / 0.2, 1e-7);
  for (const double t : {0.1, 0.5, 1.0, 1.5, 1.9}) {
    for (const Contact& side : sides) {
      EXPECT_GE(run.at(t)[side.normal], 0);
      EXPECT_LE(std::abs(run.at(t)[side.slip]), mu * run.at(t)[side.normal] * (1 + 1e-9)) << t;
    }
  }
}

// What holds by nothing at the start must not be held for ever: loads grow from zero.
TEST(Contact, LoadsThatStartAtZeroPartWhatTheyPart) {
  Mechanics pull("pull");
  const auto y = pull.coordinate("y", 0), x = pull.coordinate("x", 0);
  for (const State q : {State(x), State(y)}) pull.mass(q, 1.0);
  pull.force([=](const auto& at, auto& f) { f[y] += at.t; });
  pull.contact("floor", [=](const auto& at) { return at[y]; });
  EXPECT_NEAR(simulate(pull, {.end = 1}).final()[dot(y)], 0.5, 1e-6);
  Mechanics press("press");
  const auto height = press.coordinate("y", 0), along = press.coordinate("x", 0);
  for (const State q : {State(height), State(along)}) press.mass(q, 1.0);
  press.force([=](const auto& at, auto& f) {
    f[height] -= at.t;
    f[along] += at.t;
  });
  press.contact(
      "floor", [=](const auto& at) { return at[height]; }, [=](const auto& at) { return at[dot(along)]; },
      {.friction = 0.5});
  EXPECT_NEAR(simulate(press, {.end = 1}).final()[dot(along)], 0.25, 1e-6);
}

// The bounces of one ball accumulate; another one, with which it has nothing to do, must not notice.
TEST(Contact, AnAccumulationLeavesOtherBodiesAlone) {
  for (double height = 0.05; height < 0.6; height += 0.05) {
    Mechanics balls("balls");
    const auto a = balls.coordinate("a", 1), b = balls.coordinate("b", height);
    for (const State q : {State(a), State(b)}) balls.mass(q, 1.0);
    balls.potential([=](const auto& at) { return g * (at[a] + at[b]); });
    balls.contact("floor of a", [=](const auto& at) { return at[a]; }, {.restitution = 0.9});
    balls.contact("floor of b", [=](const auto& at) { return at[b]; }, {.restitution = 1.0});
    const Result run = simulate(balls, {.end = 10, .tolerance = 1e-10});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto end = run.final();
    EXPECT_NEAR(g * end[b] + sqr(end[dot(b)]) / 2, g * height, 1e-8) << height;
    EXPECT_NEAR(end[a], 0, 1e-15);
  }
}

TEST(Contact, AJumpIntoABodyIsNamed) {
  Ball ball({.restitution = 0.5});
  const auto y = ball.y;
  ball.system.at(0.1, [=](Jump& jump) { jump[y] = -0.5; });
  const Result run = simulate(ball.system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NE(run.reason.find("contact 'floor' is penetrated by 0.6 after a jump"), std::string::npos) << run.reason;
}

TEST(Contact, FrictionNeedsASlipSpeed) {
  Mechanics system("no slip");
  const auto y = system.coordinate("y", 1);
  system.mass(y, 1.0);
  EXPECT_THROW(system.contact("floor", [=](const auto& at) { return at[y]; }, {.friction = 0.5}), Misuse);
}

// A plastic impact whose partner is pulled away at once, with masses that couple it to another motion: what rounding
// leaves of the speed of approach is no second impact.
TEST(Contact, APlasticImpactIsOneImpact) {
  std::size_t impacts = 0;
  for (const double friction : {0.0, 0.3}) {
    for (const double coupling : {0.0, 0.3, 0.7, -0.7}) {
      for (int k = 0; k < 50; ++k) {
        Mechanics m("pulled away");
        const auto y = m.coordinate("y", 0.3, -1 - 0.04 * k), a = m.coordinate("a", 0, 0.3);
        m.mass([=](const auto&, auto& M) { M(y, y) = 1, M(y, a) = coupling, M(a, a) = 0.6; });
        m.potential([=](const auto& at) { return -at[y]; });
        const auto floor = m.contact(
            "floor", [=](const auto& at) { return at[y]; },
            [=](const auto& at) { return at[dot(a)] + 0.2 * at[dot(y)]; }, {.friction = friction});
        const Result run = simulate(m, {.end = 1});
        ASSERT_TRUE(run.finished()) << friction << " " << coupling << " " << k << ": " << run.reason;
        const std::size_t count = run.times_of(floor).size();
        EXPECT_LE(count, 1u) << friction << " " << coupling << " " << k;
        impacts += count;  // slow ones turn back before
        EXPECT_GT(run.final()[y], 0);
      }
    }
  }
  EXPECT_GT(impacts, 300u);
}

TEST(Contact, TheTransitionFunctionSeesWhichContactFired) {
  for (const char* method : {"auto", "radau"}) {
    Mechanics system("ball between floor and wall");
    const auto y = system.coordinate("y", 1.0), x = system.coordinate("x", 0.0, 1.0);
    for (const State q : {State(y), State(x)}) system.mass(q, 1.0);
    system.potential([=](const auto& at) { return g * at[y]; });
    const Contact floor = system.contact("floor", [=](const auto&at) { return at[y]; }, {.restitution = 0.5}),
                  wall = system.contact("wall", [=](const auto&at) { return 1 - at[x]; }, {.restitution = 1.0});
    std::vector<double> floor_times, wall_times;
    system.transition([=, &floor_times, &wall_times](Jump& jump) {
      const auto add = [&jump](std::vector<double>& times) {
        if (times.empty() || times.back() != jump.t) times.push_back(jump.t);
      };
      if (jump.is_start()) return;
      if (jump.fired(floor)) add(floor_times);
      if (jump.fired(wall)) add(wall_times);
    });
    const Result run = simulate(system, {.end = 2, .method = method});
    ASSERT_EQ(run.outcome, Outcome::finished) << run.reason;
    EXPECT_EQ(floor_times, run.times_of(floor)) << method;  // impacts, and the rest at sqrt(2 / g) 3
    EXPECT_EQ(wall_times, run.times_of(wall)) << method;
    ASSERT_EQ(wall_times.size(), 1u);
    EXPECT_NEAR(wall_times[0], 1, 1e-6);
    EXPECT_GT(floor_times.size(), 5u);
  }
}

// A mass on a spring of stiffness k that begins at its end: y = -v/w sin w t while it is pressed, for half a period.
TEST(CompliantContact, ThatBeginsAtAGapOfZeroIsMet) {
  constexpr double k = 400, w = 20, v = 1;
  for (const double start : {0.0, 1e-17}) {
    Mechanics system("mass");
    const auto y = system.coordinate("y", start, -v);
    system.mass(y, 1.0);
    const auto end = system.contact("spring", [=](const auto& at) { return at[y]; },
                                    {.compliance = Compliance::spring_damper(k, 0)});
    const Result run = simulate(system, {.end = 0.3, .tolerance = {1e-9, 1e-12}});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.at(0.05)[y], -v / w * std::sin(w * 0.05), 1e-8);
    EXPECT_NEAR(run.at(0.25)[y], v * (0.25 - std::numbers::pi / w), 1e-8);  // and leaves as fast as it came
    ASSERT_FALSE(run.times_of(end).empty());
    EXPECT_NEAR(run.times_of(end).back(), std::numbers::pi / w, 1e-9);
  }
}

// Put onto the spring without speed, under gravity: it sinks, and swings about g/k.
TEST(CompliantContact, ThatBeginsAtRestAtAGapOfZeroIsPressed) {
  constexpr double k = 400, w = 20;
  Mechanics system("mass");
  const auto y = system.coordinate("y", 0, 0);
  system.mass(y, 1.0);
  system.potential([=](const auto& at) { return g * at[y]; });
  system.contact("spring", [=](const auto& at) { return at[y]; }, {.compliance = Compliance::spring_damper(k, 0)});
  const Result run = simulate(system, {.end = 0.3, .tolerance = {1e-9, 1e-12}});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0.1)[y], -g / k * (1 - std::cos(w * 0.1)), 1e-8);
  EXPECT_NEAR(run.at(0.29)[y], -g / k * (1 - std::cos(w * 0.29)), 1e-8);
}

}  // namespace
}  // namespace pawl
