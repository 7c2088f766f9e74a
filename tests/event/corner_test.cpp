// Corners in which the switches of several relays accumulate.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pawl/pawl.hpp"
#include "says.hpp"

namespace pawl {
namespace {
// Between its switches the motion is a straight line; from (X, 0) it needs X/3 to the next surface and is a third as
// far out there. From (1, 0.3): to (1.1, 0) in 0.1, and then 1.1 (1/3 + 1/9 + ...) more.
TEST(Corner, OfTwoRelaysIsReachedInFiniteTimeAndKept) {
  for (const char* method : {"auto", "dop853", "tsitouras-5", "radau", "esdirk-5"}) {
    SCOPED_TRACE(method);
    System system("two relays");
    const auto x = system.state("x", 1), y = system.state("y", 0.3);
    const auto u = system.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[x]; });
    const auto w = system.relay("w", {.below = -1, .above = 1}, [=](const auto& at) { return at[y]; });
    system.rates([=](const auto& at, auto& d) {
      d[x] = -at[u] + 2 * at[w];
      d[y] = -2 * at[u] - at[w];
    });
    const Result run = simulate(system, {.end = 1, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_EQ(run.events.back().kind, EventKind::accumulation);
    EXPECT_NEAR(run.events.back().t, 0.65, 1e-12);
    EXPECT_EQ(run.names(run.events.back()), (std::vector<std::string>{"u", "w"}));
    for (const double t : {0.7, 0.9, 1.0}) {
      EXPECT_NEAR(run.at(t)[x], 0, 1e-12);
      EXPECT_NEAR(run.at(t)[y], 0, 1e-12);
      EXPECT_NEAR(run.at(t)[u], 0, 1e-12);  // the equivalent control
      EXPECT_NEAR(run.at(t)[w], 0, 1e-12);
    }
    EXPECT_EQ(run.times_of(u).back(), run.times_of(w).back());
  }
}

// -u + 2 w = -t, -2 u = w: u = t/5, w = -2t/5, which reaches its lower level at 2.5.
TEST(Corner, IsLeftWhereTheEquivalentControlReachesALevel) {
  System system("two relays and a drift");
  const auto x = system.state("x", 1), y = system.state("y", 0.3);
  const auto u = system.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[x]; });
  const auto w = system.relay("w", {.below = -1, .above = 1}, [=](const auto& at) { return at[y]; });
  system.rates([=](const auto& at, auto& d) {
    d[x] = -at[u] + 2 * at[w] + at.t;
    d[y] = -2 * at[u] - at[w];
  });
  const Result run = simulate(system, {.end = 3, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(2)[u], 0.4, 1e-9);
  EXPECT_NEAR(run.at(2)[w], -0.8, 1e-9);
  const auto left = std::find_if(run.events.begin(), run.events.end(),
                                 [](const Event& event) { return event.kind == EventKind::leave; });
  ASSERT_NE(left, run.events.end());
  EXPECT_NEAR(left->t, 2.5, 1e-9);
}

// The twisting controller of second-order sliding modes (Levant 1993): at rest any u and w with 2 u + w = 0 do.
TEST(Corner, WithoutASingleControlThatKeepsTheMotionThereEndsTheRunWithAdviceThatCanBeFollowed) {
  System system("twisting");
  const auto x = system.state("x", 1), v = system.state("v", 0.3);
  const auto u = system.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[x]; });
  const auto w = system.relay("w", {.below = -1, .above = 1}, [=](const auto& at) { return at[v]; });
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -2 * at[u] - at[w];
  });
  const Result run = simulate(system, {.end = 10});
  EXPECT_EQ(run.outcome, Outcome::terminated);
  EXPECT_TRUE(testing::says(run.reason, {"accumulate at t = ",
                                         "try:    no single control within the levels of its relays keeps the motion "
                                         "there: give the relay hysteresis"}));
}

}  // namespace
}  // namespace pawl
