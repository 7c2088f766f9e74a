// What else moves while events accumulate is, at their limit, where it is then.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

struct Cart {
  System system{"ball on a cart"};
  State height, speed, place;
};

/// A ball that bounces by a plain guard, on a cart of speed 10.
Cart cart(double start, double restitution) {
  Cart cart;
  System& system = cart.system;
  const auto height = cart.height = system.state("height", start);
  const auto speed = cart.speed = system.state("speed", 0);
  const auto place = cart.place = system.state("place", 0);
  const auto rests = system.discrete("rests", false);
  system.rates([=](const auto& at, auto& rate) {
    rate[height] = at[speed];
    rate[speed] = at[rests] ? 0.0 : -9.81;
    rate[place] = 10.0;
  });
  system.guard("floor", [=](const auto& at) { return at[height]; })
      .unilateral()
      .falling()
      .only_when(!rests)
      .then([=](Jump& jump) { jump[speed] = -restitution * jump.pre(speed); })
      .at_accumulation([=](Jump& jump) {
        jump[speed] = 0;
        jump[rests] = true;
      });
  return cart;
}

TEST(AccumulationOfARun, TakesAlongWhatElseMoves) {
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    for (const double start : {0.7, 1.0, 2.0}) {
      for (const double tolerance : {1e-6, 1e-9}) {
        SCOPED_TRACE(method.name + fmt::format(" from {} at {}", start, tolerance));
        const Cart model = cart(start, 0.5);
        const double rest = 3 * std::sqrt(2 * start / 9.81);
        const Result run = simulate(model.system, {.end = rest + 0.5, .tolerance = tolerance, .method = method.name});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_EQ(run.events.back().kind, EventKind::accumulation);
        const double place = 10 * run.t_end,
                     rounding = 1e-16 * place * static_cast<double>(run.statistics.steps_accepted);
        EXPECT_NEAR(run.final()[model.place], place, 1e-11 + rounding);
        EXPECT_GE(run.final()[model.height], 0);
      }
    }
  }
}

}  // namespace
}  // namespace pawl
