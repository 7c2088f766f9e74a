// Polynomials of what follows from the states of a step (docs/events.md, "Forces").
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "integrate/follower_levels.hpp"

namespace pawl {
namespace {

/// The states x = t on [0, span], and one quantity that follows from them.
struct Course {
  std::function<double(double)> f;
  long long evaluations = 0;
  double known = -1;  // where it costs nothing
  Step step{1};
  FollowerLevels levels;

  Course(std::function<double(double)> value, double span, double tolerance)
      : f(std::move(value)),
        levels({.count = 1,
                .values =
                    [this](double t, const double*, double* out) {
                      if (t != known) ++evaluations;
                      out[0] = f(t);
                    },
                .are_known = [this](double t, const double*) { return t == known; }},
               tolerance, 1) {
    step.t0 = 0;
    step.t1 = step.span = step.h = span;
    step.start()[0] = 0;
    step.end()[0] = span;
    double* c = step.make_polynomial(1);
    c[0] = 0;
    c[1] = span;
  }
  double largest_error() const {
    double error = 0;
    for (int i = 0; i <= 100; ++i)
      error = std::max(error, std::abs(levels.at(0, i / 100.0) - f(i / 100.0 * step.span)));
    return error;
  }
};

TEST(FollowerLevels, AreRaisedUntilTheyAreAsGoodAsTheTolerance) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    Course course([](double t) { return std::cos(t); }, 1.5, tolerance);
    ASSERT_TRUE(course.levels.draw(course.step));
    EXPECT_EQ(course.evaluations, 3);
    EXPECT_GE(course.levels.error(0), course.largest_error()) << "a level must not promise more than it keeps";
    while (course.levels.draw(course.step)) {
      if (course.levels.error(0) > 0) {
        EXPECT_GE(course.levels.error(0), course.largest_error());
      }
    }
    EXPECT_EQ(course.levels.error(0), 0);
    EXPECT_LE(course.largest_error(), 10 * tolerance);
    EXPECT_EQ(course.evaluations, tolerance > 1e-4 ? 5 : 12);
  }
}

TEST(FollowerLevels, AConstantNeedsNoMoreThanTheEndsAndTheMiddle) {
  Course course([](double) { return 9.81; }, 1, 1e-12);
  ASSERT_TRUE(course.levels.draw(course.step));
  EXPECT_EQ(course.levels.error(0), 0);
  EXPECT_FALSE(course.levels.draw(course.step));
  EXPECT_EQ(course.evaluations, 3);
}

TEST(FollowerLevels, WhatWasSeenCostsNothing) {
  Course course([](double t) { return t * t; }, 1, 1e-9);
  course.levels.draw(course.step);  // from now on they are wanted
  course.evaluations = 0;
  course.levels.forget();
  const auto see = [&](double theta) {
    course.known = theta;
    theta == 0 || theta == 1 ? course.levels.see(theta, &theta) : course.levels.see_inside(theta, theta, &theta);
  };
  see(0);
  see(1);
  course.levels.begin(course.step);
  see(0.5);
  course.known = -1;
  EXPECT_TRUE(course.levels.draw(course.step));
  EXPECT_EQ(course.evaluations, 0);
  EXPECT_LE(course.largest_error(), 1e-15);
}

TEST(FollowerLevels, AKinkIsNeverAsGoodAsTheTolerance) {
  Course course([](double t) { return std::abs(t - 0.3); }, 1, 1e-6);
  while (course.levels.draw(course.step)) {
  }
  EXPECT_GT(course.levels.error(0), 1e-6);
  EXPECT_EQ(course.evaluations, 16);
}

TEST(FollowerLevels, APinIsExact) {
  Course course([](double t) { return std::cos(4 * t); }, 1, 1e-3);
  while (course.levels.draw(course.step)) {
  }
  const double zero = std::acos(-1.0) / 8;
  EXPECT_GT(std::abs(course.levels.at(0, zero)), 1e-12);
  ASSERT_TRUE(course.levels.pin(course.step, zero));
  EXPECT_LE(std::abs(course.levels.at(0, zero)), 1e-14);
}

}  // namespace
}  // namespace pawl
