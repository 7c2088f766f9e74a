// Constraints and events together: multipliers as guards, joints that come and go, friction on a track.
#include <cmath>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

/// A unit mass on a string or rod of unit length, thrown from below.
struct Thrown {
  Mechanics model{"thrown"};
  Coordinate x, y;

  explicit Thrown(double speed) : x(model.coordinate("x", 0, speed)), y(model.coordinate("y", -1)) {
    for (const auto q : {x, y}) model.mass(q, 1.0);
    model.potential([y = y](const auto& at) { return 9.81 * at[y]; });
  }
  auto length() const {
    return [x = x, y = y](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; };
  }
};

TEST(MechanicsEvents, AMultiplierIsAGuard) {
  Thrown stone(5);
  const Coordinate y = stone.y;
  const Constraint rod = stone.model.constraint("rod", stone.length());
  const Guard pushes = stone.model.guard("rod pushes", black_box([=](const auto& at) { return at[rod]; })).falling();
  const Result run = simulate(stone.model, {.end = 3, .tolerance = 1e-10});
  ASSERT_EQ(run.times_of(pushes).size(), 2u);
  for (const double t : run.times_of(pushes)) {
    EXPECT_NEAR(run.at(t)[y], (25 - 2 * 9.81) / (3 * 9.81), 1e-8);  // v²/l = g cos there
    EXPECT_NEAR(run.at(t)[rod], 0, 1e-8);
  }
}

TEST(MechanicsEvents, AStringGoesSlackAndTautAgain) {
  Thrown stone(5);
  const Coordinate x = stone.x, y = stone.y;
  const auto taut = stone.model.discrete("taut", true);
  const Constraint string = stone.model.constraint("string", stone.length()).only_when(taut);
  const Observable energy = stone.model.energy();
  const Guard slackens = stone.model.guard("slackens", black_box([=](const auto& at) { return at[string]; }))
                             .falling()
                             .only_when(taut)
                             .then([=](Jump& jump) { jump[taut] = false; });
  const Guard tightens = stone.model.guard("tightens", [=](const auto& at) { return 1 - sqr(at[x]) - sqr(at[y]); })
                             .falling()
                             .unilateral()
                             .only_when(!taut)
                             .then([=](Jump& jump) { jump[taut] = true; });
  const Result run = simulate(stone.model, {.end = 6, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.times_of(slackens).size(), 5u);
  ASSERT_EQ(run.times_of(tightens).size(), 5u);
  const double off = run.times_of(slackens)[0], on = run.times_of(tightens)[0];
  EXPECT_NEAR(run.at(off)[y], (25 - 2 * 9.81) / (3 * 9.81), 1e-8);
  EXPECT_EQ(run.at(0.5 * (off + on))[string], 0);  // not in force
  // Free flight between: a parabola.
  const Instant from = run.at(off), to = run.before(on);
  EXPECT_NEAR(to[x], from[x] + from[dot(x)] * (on - off), 1e-9);
  EXPECT_NEAR(to[y], from[y] + from[dot(y)] * (on - off) - 9.81 / 2 * (on - off) * (on - off), 1e-9);
  // The string takes away the speed along it, and nothing else.
  const Instant before = run.before(on), after = run.at(on);
  const double radial = before[x] * before[dot(x)] + before[y] * before[dot(y)];
  EXPECT_GT(radial, 0.1);
  EXPECT_NEAR(after[x] * after[dot(x)] + after[y] * after[dot(y)], 0, 1e-14);
  EXPECT_NEAR(before[energy] - after[energy], radial * radial / 2, 1e-9);
  EXPECT_LT(run.statistics.constraints->position_drift, 5e-16);
}

TEST(MechanicsEvents, DryFrictionOnATrackSticksAtLast) {
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 1), y = bead.coordinate("y", 0.5);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.potential([=](const auto& at) { return 9.81 * at[y]; });
  bead.constraint("track", [=](const auto& at) { return at[y] - sqr(at[x]) / 2; });
  const auto friction = bead.relay("friction", {.below = 1, .above = -1},
                                   [=](const auto& at) { return at[dot(x)] + at[x] * at[dot(y)]; });
  bead.force([=](const auto& at, auto& f) {  // of size sqrt(1 + x²) along the track
    f[x] += at[friction];
    f[y] += at[x] * at[friction];
  });
  const Observable energy = bead.energy();
  const Result run = simulate(bead, {.end = 10, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.events.back().kind, EventKind::slide);
  EXPECT_NEAR(run.final()[dot(x)], 0, 1e-14);
  EXPECT_LT(std::abs(9.81 * run.final()[x]), 1 + run.final()[x] * run.final()[x]);  // friction can hold it there
  // Its work between two turning points: the integral of (1 + x²) dx.
  double at_turn = 1, lost = 0;
  for (const Event& event : run.events) {
    const double now = run.at(event.t)[x], primitive = now + now * now * now / 3;
    lost += std::abs(primitive - (at_turn + at_turn * at_turn * at_turn / 3));
    at_turn = now;
  }
  EXPECT_NEAR(run.start()[energy] - run.final()[energy], lost, 1e-7);
  EXPECT_LT(run.statistics.constraints->position_drift, 1e-15);
}

TEST(MechanicsEvents, WhatIsConservedKeepsItsValueAfterAJump) {
  Thrown stone(3);
  const Coordinate x = stone.x;
  stone.model.constraint("rod", stone.length());
  const Observable energy = stone.model.energy("energy", true);
  stone.model.at(1.0, [=](Jump& jump) { jump[dot(x)] = 1.5 * jump.pre(dot(x)); });  // a kick, not along the circle
  const Result run = simulate(stone.model, {.end = 20, .tolerance = 1e-6});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.before(1.0)[energy], run.start()[energy], 1e-13);
  EXPECT_NE(run.at(1.0)[energy], run.before(1.0)[energy]);
  EXPECT_NEAR(run.final()[energy], run.at(1.0)[energy], 1e-12);
  EXPECT_LT(run.statistics.constraints->position_drift, 5e-16);
}

}  // namespace
}  // namespace pawl
