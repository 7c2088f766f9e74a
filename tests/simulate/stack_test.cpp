// Stacks of blocks with restitution and friction: impacts that are passed on and back end, and the blocks lie still.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81, half_width = 0.5, half_height = 0.25;

/// Blocks that fall onto each other, each a little off the one below and tilted the other way. The lower corners of
/// each are in contact with the floor, or with the upper side of the block below.
struct Stack {
  Mechanics system{"stack"};
  std::vector<Coordinate> x, y, a;
  std::vector<Observable> gaps;
  Observable energy;

  Stack(int count, double restitution, double tilt) {
    constexpr double b = half_width, h = half_height;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      x.push_back(system.coordinate("x" + number, 0.02 * i));
      y.push_back(system.coordinate("y" + number, h + 2 * h * i + 0.1 * (i + 1) + 0.05));
      a.push_back(system.coordinate("a" + number, tilt * (i % 2 == 0 ? 1 : -1)));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto own_x = x[i], own_y = y[i], own_a = a[i];
      for (const State q : {State(own_x), State(own_y)}) system.mass(q, 1.0);
      system.mass(own_a, (b * b + h * h) / 3);
      system.potential([=](const auto& at) { return g * at[own_y]; });
      for (const double side : {-1.0, 1.0}) {
        const std::string name = std::to_string(i) + (side < 0 ? " left" : " right");
        const ContactOptions options{.restitution = restitution, .friction = 0.5};
        const auto reach_x = [=](const auto& at) { return side * b * cos(at[own_a]) + h * sin(at[own_a]); };
        const auto reach_y = [=](const auto& at) { return side * b * sin(at[own_a]) - h * cos(at[own_a]); };
        if (i == 0) {
          const auto gap = [=](const auto& at) { return at[own_y] + reach_y(at); };
          gaps.push_back(system.observable("gap " + name, gap));
          system.contact(
              name, gap, [=](const auto& at) { return at[dot(own_x)] - reach_y(at) * at[dot(own_a)]; }, options);
          continue;
        }
        const auto low_x = x[i - 1], low_y = y[i - 1], low_a = a[i - 1];
        const auto gap = [=](const auto& at) {
          return (at[low_x] - at[own_x] - reach_x(at)) * sin(at[low_a]) +
                 (at[own_y] + reach_y(at) - at[low_y]) * cos(at[low_a]) - h;
        };
        const auto slip = [=](const auto& at) {
          const auto px = at[own_x] + reach_x(at) - at[low_x], py = at[own_y] + reach_y(at) - at[low_y];
          const auto vx = at[dot(own_x)] - reach_y(at) * at[dot(own_a)] - at[dot(low_x)] + py * at[dot(low_a)];
          const auto vy = at[dot(own_y)] + reach_x(at) * at[dot(own_a)] - at[dot(low_y)] - px * at[dot(low_a)];
          return vx * cos(at[low_a]) + vy * sin(at[low_a]);
        };
        system.contact(name, gap, slip, options);
        gaps.push_back(system.observable("gap " + name, gap));
      }
    }
    energy = system.energy();
  }
};

TEST(Stacks, WithRestitutionComeToRest) {
  for (const int count : {2, 3}) {
    for (const double restitution : {0.3, 0.6, 0.8}) {
      for (const double tilt : {0.0, 0.02}) {
        SCOPED_TRACE(std::to_string(count) + " blocks, restitution " + std::to_string(restitution) + ", tilt " +
                     std::to_string(tilt));
        const Stack stack(count, restitution, tilt);
        const Result run = simulate(stack.system, {.end = 2, .tolerance = 1e-8});
        ASSERT_TRUE(run.finished()) << run.reason;
        const Instant end = run.final();
        for (std::size_t i = 0; i < stack.x.size(); ++i) {
          for (const Coordinate q : {stack.x[i], stack.y[i], stack.a[i]}) EXPECT_NEAR(end[dot(q)], 0, 1e-14);
          EXPECT_NEAR(end[stack.y[i]], half_height * (1 + 2.0 * static_cast<double>(i)), 1e-12);
          EXPECT_NEAR(end[stack.a[i]], 0, 1e-12);
        }
        double before = run.start()[stack.energy];
        const double size = before;
        for (int k = 0; k < run.sample_count(); ++k) {
          const double now = run.sample(k)[stack.energy];
          EXPECT_LE(now, before + 1e-7 * size) << run.sample(k).t;  // flights keep it to their tolerance
          before = std::min(before, now);
          for (const Observable gap : stack.gaps) EXPECT_GE(run.sample(k)[gap], -1e-14) << run.sample(k).t;
        }
        EXPECT_NEAR(before, g * half_height * count * count, 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace pawl
