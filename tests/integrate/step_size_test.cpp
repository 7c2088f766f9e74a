#include "pawl/step_size.hpp"

#include <gtest/gtest.h>

#include "pawl/fixed_grid.hpp"

namespace pawl {
namespace {

TEST(StepSize, LogarithmAndPowerAreAsGoodAsTheySay) {
  for (double x = 1e-20; x < 1e20; x *= 1.37) EXPECT_NEAR(detail::log2_estimate(x), std::log2(x), 0.09);
  for (float y = -20; y < 20; y += 0.0137F) EXPECT_NEAR(detail::exp2_estimate(y) / std::exp2(y), 1, 0.01);
}

TEST(StepSize, SettlesWhereTheErrorIsAFixedPartOfTheTolerance) {
  for (const bool dead_band : {false, true}) {
    PiController controller(5, dead_band);
    double h = 1e-3, error = 0;
    for (int i = 0; i < 60; ++i) {  // error = (10 h)^5
      error = std::pow(10 * h, 5);
      h *= error <= 1 ? controller.after_accept(error * error) : controller.after_reject(error * error);
    }
    EXPECT_GT(error, 0.05);
    EXPECT_LT(error, 0.6);
  }
}

TEST(StepSize, AnErrorThatIsNotFiniteShortensTheStepTenfold) {
  PiController controller(5, false);
  EXPECT_EQ(controller.after_reject(std::numeric_limits<double>::infinity()), 0.1);
}

TEST(StepSize, DoesNotGrowRightAfterARejection) {
  PiController controller(5, false);
  controller.after_reject(100);
  EXPECT_LE(controller.after_accept(1e-8), 1);
  EXPECT_GT(controller.after_accept(1e-8), 1);
}

TEST(FixedGrid, NeverAccumulatesRoundingAndEndsOnTheLimit) {
  FixedGrid grid;
  grid.restart(0, 0.1);
  double t = 0;
  int steps = 0;
  while (t != 1000.0) {
    t = grid.next(t, 1000.0).t1;
    ++steps;
    if (steps == 5003) {
      EXPECT_DOUBLE_EQ(t, 500.3);
    }
  }
  EXPECT_EQ(steps, 10000);
}

TEST(FixedGrid, ShortensTheLastStep) {
  FixedGrid grid;
  grid.restart(0, 0.4);
  double t = 0;
  for (int i = 0; i < 2; ++i) t = grid.next(t, 1).t1;
  const auto last = grid.next(t, 1);
  EXPECT_EQ(last.t1, 1);
  EXPECT_NEAR(last.h, 0.2, 1e-15);
}

}  // namespace
}  // namespace pawl
