// When a sequence of events is taken to accumulate, and when it is not.
#include "event/accumulation.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace pawl::event {
namespace {

/// Events with these gaps, until the watch speaks; the state is the time itself and a speed that halves.
struct Sequence {
  AccumulationWatch watch;
  double t = 1, known_ratio = 0, direction = 1;
  int events = 0;

  std::optional<Accumulation> feed(int count, const std::function<double(int)>& gap) {
    for (int k = 0; k < count; ++k) {
      const double x[] = {t, std::ldexp(1.0, -events)};
      ++events;
      if (auto found = watch.note(3, t, x, 2, known_ratio)) return found;
      t += direction * gap(k);
    }
    return std::nullopt;
  }
};

std::function<double(int)> geometric(double ratio) {
  return [ratio](int k) { return std::pow(ratio, k); };
}

TEST(Accumulation, OfAGeometricSequenceIsItsLimit) {
  for (const double ratio : {0.3, 0.5, 0.7, 0.9}) {
    Sequence sequence;
    const auto found = sequence.feed(400, geometric(ratio));
    ASSERT_TRUE(found) << ratio;
    EXPECT_NEAR(found->time, 1 + 1 / (1 - ratio), 1e-12 / (1 - ratio));
    EXPECT_NEAR(found->ratio, ratio, 1e-6);
    EXPECT_EQ(found->events, sequence.events);
    EXPECT_NEAR(found->state[0], found->time, 1e-9);  // components are extrapolated like time
    EXPECT_NEAR(found->state[1], 0, 1e-5);
  }
}

TEST(Accumulation, IsActedOnOnceItIsNearerThanAMillionthOfTheLargestGap) {
  Sequence sequence;
  const auto found = sequence.feed(400, geometric(0.5));
  ASSERT_TRUE(found);
  const double last = sequence.t;  // of the last event; what is left is one gap more
  EXPECT_LE(found->time - last, 1e-6);
  EXPECT_GT(found->time - last, 1e-7);
}

// Two guards that take turns, gaps like those of a smooth system, and the one that is less well known asked: both
// sequences end at one instant.
TEST(Accumulation, OfGuardsThatTakeTurnsIsOneInstant) {
  AccumulationWatch watch;
  constexpr double q = 0.9, limit = 2;
  std::optional<Accumulation> found;
  double last = 0;
  for (int k = 0; k < 400 && !found; ++k) {
    const double left = std::pow(q, k) * (1 + 0.2 * std::pow(q, k)), t = limit - left;
    const double x[] = {t * t, std::pow(q, k)};
    last = t;
    found = watch.note(k % 2, t, x, 2);
    if (found) watch.agree(*found, t, x);
  }
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, limit, 1e-11);
  EXPECT_NEAR(found->state[0], limit * limit, 1e-10);
  EXPECT_GT(limit - last, 2e-6) << "sooner than a sequence alone, whose gaps may become as short";
}

TEST(Accumulation, RunsBackwardAsWell) {
  Sequence sequence;
  sequence.direction = -1;
  const auto found = sequence.feed(400, geometric(0.5));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, -1, 1e-12);
}

TEST(Accumulation, NeedsFiveGapsInAnyCase) {
  Sequence sequence;  // the gaps are below a millionth after two
  EXPECT_FALSE(sequence.feed(5, geometric(1e-3)));
  EXPECT_TRUE(sequence.feed(1, geometric(1e-3)));
}

TEST(Accumulation, IsNotSuspectedWhereTheRatioTendsToOne) {
  EXPECT_FALSE(Sequence().feed(3000, [](int k) { return 1 / std::pow(k + 1.0, 2); }));
  EXPECT_FALSE(Sequence().feed(3000, geometric(0.96)));
}

TEST(Accumulation, IsNotSuspectedWhereRatiosAlternate) {
  EXPECT_FALSE(Sequence().feed(40, [](int k) { return std::pow(0.25, k / 2) * (k % 2 == 0 ? 1 : 0.8); }));
}

TEST(Accumulation, IsForgottenWhereAGapGrows) {
  Sequence sequence;
  EXPECT_FALSE(sequence.feed(15, geometric(0.5)));
  EXPECT_FALSE(sequence.feed(1, [](int) { return 10; }));
  const double start = sequence.t;
  const auto found = sequence.feed(400, geometric(0.5));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, start + 2, 1e-12);
}

TEST(Accumulation, CountsGoingThroughAndBackAtOnceAsOneEvent) {
  Sequence sequence;
  std::optional<Accumulation> found;
  for (int k = 0; k < 100 && !found; ++k) {
    found = sequence.feed(1, [](int) { return 1e-15; });
    if (!found) found = sequence.feed(1, [k](int) { return std::pow(0.5, k); });
  }
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 3, 1e-12);
}

TEST(Accumulation, OfASequenceThatComesDownToRoundingIsWhereItWasSeenToGo) {
  Sequence sequence;  // regular for 18 gaps, and then as large as rounding of its guard makes them
  const auto found = sequence.feed(400, [](int k) { return k < 18 ? std::pow(0.5, k) : 2e-5; });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 3, 1e-4);
  EXPECT_EQ(found->state[1], std::ldexp(1.0, -(sequence.events - 1)));  // the state it has come to, not a limit
}

TEST(Accumulation, OfASequenceThatComesDownToRoundingTakesAlongWhatMoves) {
  Sequence sequence;  // the last gap is shorter than it should be, and the instant that was seen is still ahead
  const auto found = sequence.feed(400, [](int k) { return k < 18 ? std::pow(0.5, k) : 3e-6; });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 3, 1e-12);
  EXPECT_GT(found->time, sequence.t);
  EXPECT_NEAR(found->state[0], found->time, 1e-12);
  EXPECT_NEAR(found->state[1], 0, 1e-12);
}

TEST(Accumulation, IsForgottenOnRequest) {
  Sequence sequence;
  EXPECT_FALSE(sequence.feed(15, geometric(0.5)));
  sequence.watch.forget(3);
  EXPECT_FALSE(sequence.feed(5, [](int k) { return std::pow(0.5, 15 + k); }));
}

TEST(Accumulation, WatchesEveryGuardForItself) {
  AccumulationWatch watch;
  std::optional<Accumulation> found;
  double t = 0;
  const double x = 0;
  for (int k = 0; k < 60 && !found; ++k) {
    EXPECT_FALSE(watch.note(1, 10.0 * k, &x, 1));
    found = watch.note(2, t, &x, 1);
    t += std::pow(0.5, k);
  }
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 2, 1e-12);
}

// ---- the ratio is known ----

TEST(KnownRatio, IsExtrapolatedThreeTimesAndActedOnAtAHundredThousandth) {
  Sequence sequence;
  sequence.known_ratio = 0.5;  // gaps that deviate from it by their own size: d_k = e d_(k-1) (1 + d_k / 10)
  double gap = 1;
  const auto next = [&gap](int) { return std::exchange(gap, 0.5 * gap * (1 + 0.05 * gap)); };
  double exact = 1;
  for (double d = 1; d > 1e-20; d = 0.5 * d * (1 + 0.05 * d)) exact += d;
  const auto found = sequence.feed(400, next);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, exact, 1e-12);
  EXPECT_LT(found->events, 22);  // 2^-17 is below 1e-5; unknown ratios wait for a millionth
}

TEST(KnownRatio, GapsThatDoNotFollowItAreNotTakenForIt) {
  Sequence sequence;
  sequence.known_ratio = 0.5;
  EXPECT_FALSE(sequence.feed(12, [](int k) { return k % 2 == 0 ? 1.0 : 1e-6; }));
}

TEST(UnknownRatio, IsExtrapolatedLikeAKnownOne) {
  for (const double ratio : {0.3, 0.5, 0.7, 0.83}) {
    Sequence sequence;  // d_k = q d_(k-1) (1 + d_k / 30)
    double gap = 1, exact = 1;
    for (long double d = 1, sum = 1; d > 1e-20L; d = ratio * d * (1 + d / 30)) exact = static_cast<double>(sum += d);
    const auto found = sequence.feed(400, [&](int) { return std::exchange(gap, ratio * gap * (1 + gap / 30)); });
    ASSERT_TRUE(found) << ratio;
    EXPECT_NEAR(found->time, exact, 1e-12) << ratio;
  }
}

// ---- chatter ----

TEST(Chatter, IsSixteenGapsInARowBelowSixtyFourRoundings) {
  AccumulationWatch watch;
  const double x = 0, tiny = 32 * 0x1p-52;
  double t = 1;
  for (int k = 0; k < 17; ++k, t += tiny) {
    EXPECT_FALSE(watch.is_chattering(7)) << k;
    watch.note(7, t, &x, 1);
  }
  EXPECT_TRUE(watch.is_chattering(7));
  EXPECT_FALSE(watch.is_chattering(8));
  watch.note(7, t + 1, &x, 1);
  EXPECT_FALSE(watch.is_chattering(7));
}

}  // namespace
}  // namespace pawl::event
