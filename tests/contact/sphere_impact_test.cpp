// The impact of spheres: momenta, energy, restitution, friction.
#include "contact/sphere_impact.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pawl::contact {
namespace {

struct Meeting {
  Ball one, other;
  Flight first, second;
  Vector3 n;
};

class Drawn {
 public:
  Meeting meeting() {
    Meeting m;
    m.one = {std::exp(number()), std::exp(2 * number())};
    m.other = {std::exp(number()), std::exp(2 * number())};
    m.n = vector();
    m.n = (1 / norm(m.n)) * m.n;
    m.first = {.position = m.one.radius * m.n, .velocity = vector(), .spin = vector()};
    m.second = {.position = -m.other.radius * m.n, .velocity = vector(), .spin = vector()};
    if (dot(m.n, m.first.velocity - m.second.velocity) > 0) std::swap(m.first.velocity, m.second.velocity);
    return m;
  }
  ImpactLaws laws() {
    return {.restitution = std::abs(number()),
            .friction = std::abs(number()),
            .rolling_friction = std::abs(0.1 * number())};
  }
  double number() { return any_(random_); }

 private:
  Vector3 vector() { return {number(), number(), number()}; }
  std::mt19937 random_{13};
  std::uniform_real_distribution<double> any_{-1, 1};
};

double energy(const Ball& ball, const Flight& f) {
  return (ball.mass * dot(f.velocity, f.velocity) + ball.inertia() * dot(f.spin, f.spin)) / 2;
}
double energy(const Meeting& m) {
  return energy(m.one, m.first) + energy(m.other, m.second);
}
Vector3 momentum(const Meeting& m) {
  return m.one.mass * m.first.velocity + m.other.mass * m.second.velocity;
}
Vector3 angular_momentum(const Meeting& m) {
  return m.one.mass * cross(m.first.position, m.first.velocity) + m.one.inertia() * m.first.spin +
         m.other.mass * cross(m.second.position, m.second.velocity) + m.other.inertia() * m.second.spin;
}
Vector3 slip(const Meeting& m) {
  const Vector3 u = m.first.velocity - m.second.velocity;
  return u - dot(m.n, u) * m.n - cross(m.one.radius * m.first.spin + m.other.radius * m.second.spin, m.n);
}

TEST(SphereImpact, KeepsMomentaAndTakesTheEnergyItSays) {
  Drawn drawn;
  for (int trial = 0; trial < 20000; ++trial) {
    Meeting m = drawn.meeting();
    const Meeting before = m;
    const ImpactLaws laws = drawn.laws();
    const double lost = collide(m.one, m.first, &m.other, &m.second, m.n, laws);
    const double scale = energy(before) + 1;
    EXPECT_GE(lost, 0);
    EXPECT_NEAR(energy(before) - energy(m), lost, 1e-13 * scale);
    const Vector3 moved = momentum(m) - momentum(before), turned = angular_momentum(m) - angular_momentum(before);
    EXPECT_LT(norm(moved), 1e-13 * scale);
    EXPECT_LT(norm(turned), 1e-13 * scale);
    const double approach = -dot(m.n, before.first.velocity - before.second.velocity);
    EXPECT_NEAR(dot(m.n, m.first.velocity - m.second.velocity), laws.restitution * approach, 1e-13);
    const Vector3 impulse = m.one.mass * (m.first.velocity - before.first.velocity);
    const double pressing = dot(m.n, impulse);
    EXPECT_LE(norm(impulse - pressing * m.n), laws.friction * pressing + 1e-13 * scale);
  }
}

// Sticking: friction strong enough ends the slip, and rolling friction has nothing left to do with it.
TEST(SphereImpact, StrongFrictionEndsTheSlip) {
  Drawn drawn;
  for (int trial = 0; trial < 1000; ++trial) {
    Meeting m = drawn.meeting();
    collide(m.one, m.first, &m.other, &m.second, m.n, {.restitution = 0.5, .friction = 1e6});
    EXPECT_LT(norm(slip(m)), 1e-12);
  }
}

// A solid ball that hits a plane without slip at its end: 5/7 of the tangential speed and 2/7 of that of the spin stay.
TEST(SphereImpact, OnAPlaneTheBallLeavesRolling) {
  const Ball ball{0.5, 3};
  Flight f{.velocity = {2, 0, -1}, .spin = {0, 1, 0}};
  collide(ball, f, nullptr, nullptr, {0, 0, 1}, {.restitution = 0.25, .friction = 10});
  EXPECT_NEAR(f.velocity.z, 0.25, 1e-15);
  EXPECT_NEAR(f.velocity.x, 5.0 / 7 * 2 + 2.0 / 7 * 0.5 * 1, 1e-15);
  EXPECT_NEAR(f.velocity.x, 0.5 * f.spin.y, 1e-15);
}

// Below the speed of a hop, energy is kept: what friction takes goes into the parting.
TEST(SphereImpact, WhatRubbingTakesGoesIntoASlowParting) {
  Drawn drawn;
  for (int trial = 0; trial < 2000; ++trial) {
    Meeting m = drawn.meeting();
    const Meeting before = m;
    ImpactLaws laws = drawn.laws();
    laws.restitution = 1;
    laws.grip = 1;
    laws.hop = 1e6;
    const double lost = collide(m.one, m.first, &m.other, &m.second, m.n, laws);
    EXPECT_NEAR(lost, 0, 1e-13 * (1 + energy(before)));
    EXPECT_NEAR(energy(m), energy(before), 1e-13 * (1 + energy(before)));
    const double approach = -dot(m.n, before.first.velocity - before.second.velocity);
    EXPECT_GE(dot(m.n, m.first.velocity - m.second.velocity), approach * (1 - 1e-14));
  }
}

}  // namespace
}  // namespace pawl::contact
