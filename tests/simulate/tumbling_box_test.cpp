// A box thrown in space, eight corners with friction on a floor: whatever the start, it comes to rest with its weight
// on the floor and the energy accounted for. Where a run ends before, it says that friction leaves no motion.
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81;

template <class T, class V>
std::array<T, 3> turn(const std::array<T, 4>& q, const std::array<V, 3>& r) {
  const auto& [w, x, y, z] = q;
  return {(1 - 2 * (y * y + z * z)) * r[0] + 2 * (x * y - w * z) * r[1] + 2 * (x * z + w * y) * r[2],
          2 * (x * y + w * z) * r[0] + (1 - 2 * (x * x + z * z)) * r[1] + 2 * (y * z - w * x) * r[2],
          2 * (x * z - w * y) * r[0] + 2 * (y * z + w * x) * r[1] + (1 - 2 * (x * x + y * y)) * r[2]};
}

struct Box {
  Mechanics system{"box"};
  std::vector<Contact> corners;
  std::vector<Coordinate> position;
  Attitude q{};
  Observable energy{};
  State work{};
  Discrete<double> loss{};

  Box(std::array<double, 4> attitude, std::array<double, 3> spin, double friction, double restitution) {
    position = {system.coordinate("x", 0, 0.5), system.coordinate("y", 0), system.coordinate("z", 1.2)};
    q = system.attitude("q", attitude, spin);
    const auto x = position[0], y = position[1], z = position[2];
    const auto att = q;
    const std::array half{0.5, 0.3, 0.2};
    const std::array inertia{(sqr(half[1]) + sqr(half[2])) / 3, (sqr(half[0]) + sqr(half[2])) / 3,
                             (sqr(half[0]) + sqr(half[1])) / 3};
    for (const Coordinate c : position) system.mass(c, 1.0);
    for (int i = 0; i < 3; ++i) system.mass(q.speed(i), inertia[static_cast<std::size_t>(i)]);
    system.potential([=](const auto& at) { return g * at[z]; });
    for (int k = 0; k < 8; ++k) {
      const std::array r{k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
      const auto quaternion = [=](const auto& at) {
        return std::array{at[att[0]], at[att[1]], at[att[2]], at[att[3]]};
      };
      corners.push_back(system.contact(
          "corner " + std::to_string(k + 1), [=](const auto& at) { return at[z] + turn(quaternion(at), r)[2]; },
          [=](const auto& at) {
            const auto p0 = at[att.speed(0)], p1 = at[att.speed(1)], p2 = at[att.speed(2)];
            const auto v =
                turn(quaternion(at), std::array{p1 * r[2] - p2 * r[1], p2 * r[0] - p0 * r[2], p0 * r[1] - p1 * r[0]});
            return std::array{at[dot(x)] + v[0], at[dot(y)] + v[1]};
          },
          {.restitution = restitution, .friction = friction}));
    }
    energy = system.energy();
    work = system.friction_work();
    loss = system.impact_loss();
  }
};

TEST(TumblingBox, ComesToRestWhateverTheStart) {
  int rested = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::array<double, 4> attitude{};
    double length = 0;
    for (double& one : attitude) {
      one = unit(random) - 0.5;
      length = std::hypot(length, one);
    }
    for (double& one : attitude) one /= length;
    std::array<double, 3> spin{};
    for (double& one : spin) one = 6 * unit(random) - 3;
    Box box(attitude, spin, 0.05 + 0.6 * unit(random), 0.8 * unit(random));
    const Result run = simulate(box.system, {.end = 10, .tolerance = 1e-8});
    if (!run.finished()) {
      EXPECT_NE(run.reason.find("Painlevé"), std::string::npos) << "seed " << seed << ": " << run.reason;
      continue;
    }
    ++rested;
    const auto end = run.final(), start = run.at(0);
    double weight = 0;
    for (const Contact& corner : box.corners) weight += end[corner.normal];
    EXPECT_NEAR(weight, g, 1e-6) << seed;
    EXPECT_NEAR(end[dot(box.position[2])], 0, 1e-12) << seed;
    const double lost = run.events.back().held_after->numbers[static_cast<std::size_t>(box.loss.index)];
    EXPECT_NEAR(end[box.energy] + end[box.work] + lost, start[box.energy], 1e-6) << seed;
    EXPECT_LT(run.statistics.constraints->position_drift, 1e-14) << seed;
    for (int i = 0; i <= 500; ++i) {
      const double t = 0.02 * i;
      const auto now = run.at(t);
      const std::array q{now[box.q[0]], now[box.q[1]], now[box.q[2]], now[box.q[3]]};
      for (int k = 0; k < 8; ++k) {
        const double gap =
            now[box.position[2]] + turn(q, std::array{k & 1 ? 0.5 : -0.5, k & 2 ? 0.3 : -0.3, k & 4 ? 0.2 : -0.2})[2];
        EXPECT_GT(gap, -1e-9) << "seed " << seed << " at " << t;
      }
    }
  }
  EXPECT_GE(rested, 22);
}

}  // namespace
}  // namespace pawl
