// Far from zero t is coarse, and steps are not multiples of its rounding: what is lost is kept, by every method.
#include <cmath>

#include <gtest/gtest.h>

#include "integrate/methods.hpp"
#include "pawl/simulate.hpp"

namespace pawl {
namespace {

/// A circle in one unit of time.
struct Oscillator {
  System system{"oscillator"};
  State x, v;
  explicit Oscillator(double period = 1) : x(system.state("x", 1)), v(system.state("v", 0)) {
    const double w = 2 * M_PI / period;
    system.rates([w, x = x, v = v](const auto& at, auto& d) {
      d[x] = w * at[v];
      d[v] = -w * at[x];
    });
  }
};

TEST(TimeRounding, EveryAdaptiveMethodIsAsAccurateAtEpochSecondsAsAtZero) {
  constexpr double turns = 2, epoch = 1.7e9;
  for (const Method& method : methods()) {
    if (!method.is_adaptive || method.order < 4) continue;
    SCOPED_TRACE(method.name);
    const Oscillator circle;
    double error[2] = {};
    for (const int i : {0, 1}) {
      const double start = i == 0 ? 0 : epoch;
      const Result run = simulate(circle.system, {.start = start, .end = start + turns, .method = method.name});
      ASSERT_TRUE(run.finished()) << run.reason;
      error[i] = std::hypot(run.final()[circle.x] - 1, run.final()[circle.v]);
    }
    EXPECT_LE(error[1], 1.5 * error[0] + 1e-12);
  }
}

// An oscillator with a fast follower: stiff, so that `auto` changes its method on the way.
TEST(TimeRounding, AMethodThatTakesOverKeepsWhatWasLeftOut) {
  System system("followed oscillator");
  const State x = system.state("x", 1), v = system.state("v", 0), follower = system.state("follower", 1);
  system.rates([=](const auto& at, auto& d) {
    d[x] = 2 * M_PI * at[v];
    d[v] = -2 * M_PI * at[x];
    d[follower] = -1e5 * (at[follower] - at[x]);
  });
  const double epoch = 1.7e9;
  const Result run = simulate(system, {.start = epoch, .end = epoch + 10, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NE(run.method.find(", radau"), std::string::npos) << run.method;
  EXPECT_LE(std::hypot(run.final()[x] - 1, run.final()[v]), 1e-9);  // t itself is known to 2.4e-7
}

TEST(TimeRounding, StepsShorterThanTheRoundingOfTimeAreTakenTogether) {
  const double start = 1, period = 32 * 0x1p-52;  // 32 numbers
  const Oscillator circle(period);
  for (const char* method : {"bdf", "adams"}) {
    const Result run = simulate(circle.system, {.start = start, .end = start + period, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(std::hypot(run.final()[circle.x] - 1, run.final()[circle.v]), 1e-4) << method;
    EXPECT_LE(run.statistics.steps_accepted, 32);
  }
}

TEST(TimeRounding, AClockOfRadauShowsTheTime) {
  System system("clock");
  const State x = system.state("x", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1; });
  for (const char* method : {"radau-5", "radau-9", "radau-13"}) {
    const Result run = simulate(system, {.end = 1, .method = method});
    EXPECT_NEAR(run.final()[x], 1, 4 * 0x1p-52) << method;
  }
}

}  // namespace
}  // namespace pawl
