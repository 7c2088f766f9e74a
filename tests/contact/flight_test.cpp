// When what flies meets what: closed forms, and searches over random flights.
#include "contact/flight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "contact/event_queue.hpp"

namespace pawl::contact {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(Flight, SpheresThatApproachMeetAtTheFirstRoot) {
  EXPECT_NEAR(time_to_meet({3, 0, 0}, {-0.5, 0, 0}, 1, 0.5), 4, 4 * eps);
  // 0.6 beside the middle: they meet where the distance along is 0.8.
  EXPECT_NEAR(time_to_meet({2, 0.6, 0}, {-1, 0, 0}, 1, 1), 1.2, 4 * eps);
  EXPECT_EQ(time_to_meet({2, 1.01, 0}, {-1, 0, 0}, 1, 1), never);
  EXPECT_EQ(time_to_meet({2, 0, 0}, {1, 0, 0}, 1, 1), never);
  EXPECT_EQ(time_to_meet({1, 0, 0}, {-1, 0, 0}, 1, 1), 0);  // they touch already
  EXPECT_EQ(time_to_meet({1, 0, 0}, {0, 1, 0}, 1, 1), never);
  EXPECT_EQ(time_to_meet({1, 0, 0}, {-1e-17, 1, 0}, 1, 1), never);  // but for rounding
}

TEST(Flight, AHeightFallsToZero) {
  const double g = 9.81;
  EXPECT_NEAR(time_to_fall(2, 0, -g, 0), std::sqrt(4 / g), 2 * eps);
  EXPECT_NEAR(time_to_fall(0, 3, -g, 0), 6 / g, 2 * eps);  // a hop
  EXPECT_NEAR(time_to_fall(1, -2, 0, 0), 0.5, eps);
  EXPECT_EQ(time_to_fall(1, 2, 0, 0), never);
  EXPECT_EQ(time_to_fall(1, -1, 1, 0), never);  // it turns before
  EXPECT_NEAR(time_to_fall(1, -2, 1.5, 0), 2.0 / 3, 4 * eps);
  EXPECT_EQ(time_to_fall(0, -1, -g, 0), 0);
  EXPECT_NEAR(time_to_fall(0, 0, -g, 1e-18), std::sqrt(2e-18 / g), 1e-24);
  EXPECT_NEAR(time_to_fall(0, -1e-12, -g, 1e-18), std::sqrt(2e-18 / g), 1e-24);  // that is no speed
  EXPECT_NEAR(time_to_meet({0, 0, 1}, {0.3, 0, 0}, {0, 0, -g}, 1, 0.3, 1e-18, 1), std::sqrt(2e-18 / g), 1e-24);
}

// Against a search in steps much smaller than what the roots could hide between, polished by halving.
TEST(Flight, ASphereUnderAPullMeetsOneThatRestsAtTheFirstOfFourRoots) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto draw = [&](double size) { return Vector3{size * any(random), size * any(random), size * any(random)}; };
  int met = 0, from_contact = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Vector3 d = draw(3);
    const bool touches = trial % 4 == 0;
    if (touches) d = (1 / norm(d)) * d;
    if (!touches && norm(d) < 1.001) continue;
    const Vector3 u = draw(2), a = draw(2) + (-6 / norm(d)) * d;
    if (touches && dot(d, u) < 0.01) continue;  // parting, to come back
    constexpr double horizon = 2, step = 1e-4;
    const auto gap = [&](double t) { return norm(d + t * (u + (t / 2) * a)) - 1; };
    double expected = never;
    for (double t = touches ? step : 0; t < horizon; t += step) {
      if (gap(t + step) > 0) continue;
      double low = t, high = t + step;
      for (int i = 0; i < 60; ++i) (gap((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
      expected = low;
      break;
    }
    const double found = time_to_meet(d, u, a, 1, norm(u), 1e-18, horizon);
    if (expected == never) {
      if (found < horizon) {
        EXPECT_LT(gap(found + step / 2), 1e-6) << trial;  // a touch between two looks
      }
      continue;
    }
    ++met;
    from_contact += touches;
    // Where it meets at a grazing angle, rounding of the gap is a longer time.
    const Vector3 there = d + found * (u + (found / 2) * a), rate = u + found * a;
    const double slope = std::abs(dot(there, rate)) / norm(there);
    if (slope > 1e-2) {
      EXPECT_NEAR(found, expected, 1e-13 / slope) << trial;
    }
    EXPECT_LT(std::abs(gap(found)), 1e-13);
  }
  EXPECT_GT(met, 300);
  EXPECT_GT(from_contact, 50);
}

TEST(Flight, NothingComesFartherThanItsBoundAllows) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3 v{any(random), any(random), any(random)}, a{any(random), any(random), any(random)};
    const double distance = 0.1 + std::abs(any(random)), t = time_within(distance, norm(v), norm(a));
    for (int k = 1; k <= 20; ++k) {
      const double tau = t * k / 20;
      EXPECT_LE(norm(tau * (v + (tau / 2) * a)), distance * (1 + 4 * eps));
    }
  }
  EXPECT_NEAR(time_within(2, 4, 0), 0.5, eps);
  EXPECT_EQ(time_within(1, 0, 0), never);
}

TEST(EventQueue, GivesTheEarliestOfAllAndOfEqualsTheFirst) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> member(0, 49), time(0, 20);
  EventQueue queue(50);
  std::vector<double> times(50, never);
  for (int change = 0; change < 5000; ++change) {
    const int i = member(random);
    times[static_cast<std::size_t>(i)] = change % 7 == 0 ? never : time(random);
    queue.set(i, times[static_cast<std::size_t>(i)]);
    const auto first = std::min_element(times.begin(), times.end());
    ASSERT_EQ(queue.first(), first - times.begin());
    ASSERT_EQ(queue.first_time(), *first);
  }
}

}  // namespace
}  // namespace pawl::contact
