// Sleep alone: what lets a guard fall asleep, what wakes it, and when it is left alone.
#include "event/sleep.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "formulate/declared_held.hpp"

namespace pawl::event {
namespace {

// ---- the habit of one guard ----

TEST(SleepHabit, TriesDeeperLevelsFirst) {
  SleepHabit habit;
  EXPECT_EQ(habit.levels_to_try(), (std::array<int, 4>{10, 8, 6, 4}));
  habit.fell_asleep(14, 0);
  EXPECT_EQ(habit.levels_to_try(), (std::array<int, 4>{16, 14, 12, 10}));
}

TEST(SleepHabit, WithoutSuccessGoesDownByFourAndWaits) {
  SleepHabit habit;
  habit.stayed_awake();
  EXPECT_EQ(habit.levels_to_try()[1], 4);
  EXPECT_FALSE(habit.accepts_offer());
  EXPECT_TRUE(habit.accepts_offer());
  habit.stayed_awake();  // as shallow as can be: it waits longer
  EXPECT_EQ(habit.levels_to_try()[1], 0);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(habit.accepts_offer()) << i;
  EXPECT_TRUE(habit.accepts_offer());
}

TEST(SleepHabit, WokenFourTimesAtOnceIsLeftAloneForSixteenOffers) {
  SleepHabit habit;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(habit.accepts_offer());
    habit.fell_asleep(8, 10 * i);
    habit.woke(10 * i + 1);
  }
  for (int i = 0; i < 16; ++i) EXPECT_FALSE(habit.accepts_offer()) << i;
  EXPECT_TRUE(habit.accepts_offer());
}

TEST(SleepHabit, OneLongSleepForgivesThreeShortOnes) {
  SleepHabit habit;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) {
      habit.fell_asleep(8, 0);
      habit.woke(1);
    }
    habit.fell_asleep(8, 0);
    habit.woke(2);
    EXPECT_TRUE(habit.accepts_offer());
  }
}

// ---- boxes ----

/// Guards on two states: 0: x - 100; 1: y - 100; 2: x; 3: t - 100 + 0 x; 4: the level of a mode; 5: of a parameter.
class Sleeping : public testing::Test {
 protected:
  Sleeping() : system_("sleep") {
    const State x = system_.state("x", 0), y = system_.state("y", 0);
    const auto high = system_.discrete("high", false);
    const Parameter limit = system_.parameter("limit", 100);
    system_.rates([=](const auto&, auto& d) { d[x] = d[y] = 0; });
    system_.guard("far x", [=](const auto& at) { return at[x] - 100; });
    system_.guard("far y", [=](const auto& at) { return at[y] - 100; });
    system_.guard("near x", [=](const auto& at) { return at[x]; });
    system_.guard("late", [=](const auto& at) { return at.t - 100; });
    system_.guard("mode", [=](const auto& at) { return at[x] - (at[high] ? 100.0 : 200.0); });
    system_.guard("parameter", [=](const auto& at) { return at[x] - at[limit]; });
    held_ = formulate::declared_held(system_.declarations());
    dynamics_.emplace(system_.share());
    sliding_.emplace(*dynamics_, held_, 2);
    guards_.emplace(*dynamics_, held_, *sliding_, 2);
    guards_->refresh();
    sleep_.emplace(*guards_, 2);
  }

  /// From one point to another, in a straight line.
  static Step move(double t0, double t1, std::array<double, 2> from, std::array<double, 2> to) {
    Step step(2);
    step.t0 = t0;
    step.t1 = t1;
    step.h = step.span = t1 - t0;
    double* c = step.make_polynomial(1);
    for (std::size_t i = 0; i < 2; ++i) {
      step.start()[i] = c[2 * i] = from[i];
      step.end()[i] = to[i];
      c[2 * i + 1] = to[i] - from[i];
    }
    return step;
  }
  bool offer(int guard, const Step& step) {
    sleep_->follow(step);
    return sleep_->offer(guard, step);
  }
  const Step first_ = move(0, 0.01, {0, 0}, {0.01, 0.01});

  System system_;
  Held held_;
  std::optional<detail::Dynamics> dynamics_;
  std::optional<Sliding> sliding_;
  std::optional<GuardSet> guards_;
  std::optional<Sleep> sleep_;
};

TEST_F(Sleeping, AGuardFarFromZeroSleepsAndOneThatMayVanishDoesNot) {
  EXPECT_EQ(sleep_->awake().size(), 6u);
  EXPECT_TRUE(offer(0, first_));
  EXPECT_TRUE(sleep_->is_asleep(0));
  EXPECT_FALSE(offer(2, first_));
  EXPECT_FALSE(sleep_->is_asleep(2));
  EXPECT_EQ(sleep_->awake().size(), 5u);
}

TEST_F(Sleeping, AStepInsideTheBoxWakesNobodyAndOneOutOfItThoseWhoReadThatState) {
  ASSERT_TRUE(offer(0, first_));
  ASSERT_TRUE(offer(1, first_));
  sleep_->follow(move(0.01, 0.02, {0.01, 0.01}, {0.02, 0.02}));
  EXPECT_TRUE(sleep_->is_asleep(0) && sleep_->is_asleep(1));
  sleep_->follow(move(0.02, 1, {0.02, 0.02}, {99, 0.02}));
  EXPECT_FALSE(sleep_->is_asleep(0));
  EXPECT_TRUE(sleep_->is_asleep(1));
}

TEST_F(Sleeping, AnExcursionInsideAStepCounts) {
  ASSERT_TRUE(offer(0, first_));
  Step bow = move(0.01, 1, {0.01, 0.01}, {0.01, 0.01});
  double* c = bow.make_polynomial(2);
  const double values[] = {0.01, 1000, -1000, 0.01, 0, 0};
  std::copy(values, values + 6, c);
  sleep_->follow(bow);
  EXPECT_FALSE(sleep_->is_asleep(0));
}

TEST_F(Sleeping, AResetOutOfTheBoxWakes) {
  ASSERT_TRUE(offer(0, first_));
  const double inside[] = {0.02, 50}, outside[] = {150, 0};
  sleep_->follow(0.01, inside);
  EXPECT_TRUE(sleep_->is_asleep(0));
  sleep_->follow(0.01, outside);
  EXPECT_FALSE(sleep_->is_asleep(0));
}

TEST_F(Sleeping, AGuardOfTheTimeSleepsNoLongerThanItsHorizon) {
  ASSERT_TRUE(offer(3, first_));
  sleep_->follow(move(0.01, 0.02, {0, 0}, {0, 0}));
  EXPECT_TRUE(sleep_->is_asleep(3));
  sleep_->follow(move(0.02, 99, {0, 0}, {0, 0}));
  EXPECT_FALSE(sleep_->is_asleep(3));
}

TEST_F(Sleeping, WhoReadsAModeOrAParameterWakesWhenItChanges) {
  for (const int guard : {0, 4, 5}) ASSERT_TRUE(offer(guard, first_)) << guard;
  sleep_->wake_readers(true, false);
  EXPECT_TRUE(sleep_->is_asleep(0) && sleep_->is_asleep(5));
  EXPECT_FALSE(sleep_->is_asleep(4));
  sleep_->wake_readers(false, true);
  EXPECT_TRUE(sleep_->is_asleep(0));
  EXPECT_FALSE(sleep_->is_asleep(5));
}

TEST_F(Sleeping, AsleepAgainOnANewBoxTheOldOneWakesItNoMore) {
  ASSERT_TRUE(offer(0, first_));
  sleep_->follow(move(0.01, 1, {0.01, 0}, {60, 0}));  // out of the box, not yet at zero
  ASSERT_FALSE(sleep_->is_asleep(0));
  const Step there = move(1, 1.01, {60, 0}, {60.01, 0});
  ASSERT_TRUE(offer(0, there));
  sleep_->follow(move(1.01, 1.02, {60.01, 0}, {60.02, 0}));
  EXPECT_TRUE(sleep_->is_asleep(0));
}

}  // namespace
}  // namespace pawl::event
