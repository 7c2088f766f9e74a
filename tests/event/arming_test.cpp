// The decision tables of docs/events.md row by row: how a guard stands, from signs alone.
#include <gtest/gtest.h>

#include "event/standing.hpp"

namespace pawl::event {

static void PrintTo(const Standing& s, std::ostream* out) {
  *out << "sign " << s.sign << (s.starts_at_zero ? ", starts at zero" : "") << ", outcome "
       << static_cast<int>(s.outcome);
}

namespace {

using Outcome = Standing::Outcome;
const HasMoved moved = [] { return true; }, stayed = [] { return false; };
constexpr int near = 1, far = -1;  // of a guard that was positive

// ---- the start of a run, or of watching ----

TEST(Start, ACertainSignIsArmedWhateverTheDerivativesSay) {
  for (const int sign : {-1, 1}) {
    for (const int slope : {-1, 0, 1})
      EXPECT_EQ(stand_at_start({.sign = sign, .slope = slope, .curve = -slope}, false), (Standing{sign, false}));
  }
}

TEST(Start, AZeroIsArmedOnTheSideItLeavesTo) {
  EXPECT_EQ(stand_at_start({.slope = 1, .curve = -1}, false), (Standing{1, true}));
  EXPECT_EQ(stand_at_start({.slope = -1}, false), (Standing{-1, true}));
  EXPECT_EQ(stand_at_start({.curve = -1}, false), (Standing{-1, true}));
}

TEST(Start, AZeroWithoutDerivativesIsLeftToTheFirstChart) {
  EXPECT_EQ(stand_at_start({}, false), (Standing{0, true}));
}

TEST(Start, ARelationThatLeavesZeroIsWatchedForTheSignItDoesNotHave) {
  EXPECT_EQ(stand_at_start({.slope = 1}, true), (Standing{1, false}));
  EXPECT_EQ(stand_at_start({}, true), (Standing{0, true}));
}

// ---- a guard that fired ----

Standing bilateral(const Signs& now, const HasMoved& has_moved, bool approaches = false) {
  return stand_after_firing(near, now, Side::bilateral, false, approaches, has_moved);
}
Standing unilateral(const Signs& now, const HasMoved& has_moved) {
  return stand_after_firing(near, now, Side::unilateral, false, false, has_moved);
}

TEST(Fired, BilateralOnTheFarSideIsArmedThere) {
  for (const HasMoved& has_moved : {moved, stayed}) {
    for (const int slope : {-1, 0, 1})
      EXPECT_EQ(bilateral({.sign = far, .slope = slope}, has_moved), (Standing{far, false}));
  }
}

TEST(Fired, BilateralWithinRoundingOfZeroIsWhereTheFinderProvedItToBe) {
  EXPECT_EQ(bilateral({.slope = far}, stayed), (Standing{far, false}));
  EXPECT_EQ(bilateral({.slope = near}, stayed), (Standing{far, false}));
  EXPECT_EQ(bilateral({}, stayed), (Standing{far, false}));
}

TEST(Fired, BilateralSentBackIsArmedOnTheNearSide) {
  EXPECT_EQ(bilateral({.sign = near, .slope = far}, moved), (Standing{near, false}));
}

TEST(Fired, BilateralTakenBackByConsistentValuesAlonePassesZeroWithoutAnEvent) {
  EXPECT_EQ(bilateral({.sign = near, .slope = far}, stayed, true), (Standing{near, false, Outcome::passes}));
  EXPECT_EQ(bilateral({.sign = near, .slope = far}, moved, true), (Standing{near, false}));
  EXPECT_EQ(bilateral({.sign = near, .slope = near}, stayed), (Standing{near, false}));
  // Within rounding of zero as well.
  EXPECT_EQ(bilateral({.slope = far}, stayed, true), (Standing{near, false, Outcome::passes}));
  EXPECT_EQ(bilateral({.slope = far}, moved, true), (Standing{far, true}));
}

TEST(Fired, BilateralPutOnZeroIsArmedOnTheSideItLeavesTo) {
  EXPECT_EQ(bilateral({.slope = near}, moved), (Standing{near, true}));
  EXPECT_EQ(bilateral({.slope = far}, moved), (Standing{far, true}));
  EXPECT_EQ(bilateral({.curve = far}, moved), (Standing{far, true}));
  EXPECT_EQ(bilateral({}, moved), (Standing{0, true}));
}

TEST(Fired, UnilateralMovingAwayIsARebound) {
  EXPECT_EQ(unilateral({.sign = near, .slope = near}, stayed), (Standing{near, false}));
  EXPECT_EQ(unilateral({.slope = near}, stayed), (Standing{near, true}));
}

TEST(Fired, UnilateralAtZeroIsDecidedByItsSecondDerivativeWhereTheFirstIsZero) {
  EXPECT_EQ(unilateral({.curve = near}, stayed), (Standing{near, true}));
  EXPECT_EQ(unilateral({.curve = far}, stayed), (Standing{0, true, Outcome::remains}));
  EXPECT_EQ(unilateral({}, stayed), (Standing{0, true}));  // rests: the next proved sign arms it
}

TEST(Fired, UnilateralStillMovingInwardHasItsTransitionMadeAgain) {
  EXPECT_EQ(unilateral({.sign = near, .slope = far}, stayed), (Standing{near, false, Outcome::remains}));
  EXPECT_EQ(unilateral({.slope = far}, stayed), (Standing{near, true, Outcome::remains}));
  EXPECT_EQ(unilateral({.slope = far}, moved), (Standing{near, true, Outcome::remains}));  // onto zero: not away
}

TEST(Fired, UnilateralPutElsewhereOnTheNearSideMayMoveInward) {
  EXPECT_EQ(unilateral({.sign = near, .slope = far}, moved), (Standing{near, false}));
}

TEST(Fired, UnilateralPutBeyondZeroIsAContradiction) {
  EXPECT_EQ(unilateral({.sign = far, .slope = near}, moved).outcome, Outcome::beyond);
}

TEST(Fired, UnilateralTakenBeyondZeroByConsistentValuesAloneIsAtZero) {
  EXPECT_EQ(unilateral({.sign = far, .slope = near}, stayed), (Standing{near, true}));
  EXPECT_EQ(unilateral({.sign = far, .slope = far}, stayed), (Standing{near, true, Outcome::remains}));
  EXPECT_EQ(unilateral({.sign = far}, stayed), (Standing{0, true}));
}

TEST(Fired, ATouchLeavesZeroAgainUnlessItsJumpHasMovedIt) {
  for (const Side side : {Side::bilateral, Side::unilateral})
    EXPECT_EQ(stand_after_firing(near, {.curve = near}, side, true, false, stayed), (Standing{near, true}));
  EXPECT_EQ(stand_after_firing(near, {.sign = far}, Side::bilateral, true, false, moved), (Standing{far, false}));
}

TEST(Fired, SidesAreMirrored) {
  EXPECT_EQ(stand_after_firing(far, {.slope = near}, Side::unilateral, false, false, stayed),
            (Standing{far, true, Outcome::remains}));
  EXPECT_EQ(stand_after_firing(far, {}, Side::bilateral, false, false, stayed), (Standing{near, false}));
}

// ---- a guard that did not fire ----

Standing reset(int before, const Signs& now, Direction direction = Direction::either, Side side = Side::bilateral,
               const HasMoved& has_moved = moved) {
  return stand_after_reset({before, false}, now, side, direction, has_moved);
}

TEST(NotFired, PutOnTheOtherSideInItsDirectionItFires) {
  EXPECT_EQ(reset(near, {.sign = far}), (Standing{near, false, Outcome::fires}));
  EXPECT_EQ(reset(near, {.sign = far}, Direction::falling), (Standing{near, false, Outcome::fires}));
  EXPECT_EQ(reset(far, {.sign = near}, Direction::rising), (Standing{far, false, Outcome::fires}));
}

TEST(NotFired, PutOnTheOtherSideAgainstItsDirectionItIsArmedThere) {
  EXPECT_EQ(reset(near, {.sign = far}, Direction::rising), (Standing{far, false}));
}

TEST(NotFired, PutOnZeroAndLeavingToTheOtherSideItFires) {
  EXPECT_EQ(reset(near, {.slope = far}), (Standing{near, true, Outcome::fires}));
  EXPECT_EQ(reset(near, {.curve = far}), (Standing{near, true, Outcome::fires}));
  EXPECT_EQ(reset(near, {.slope = far}, Direction::rising), (Standing{far, true}));
}

TEST(NotFired, PutOnZeroAndLeavingToItsOwnSideItLandsAndReturns) {
  EXPECT_EQ(reset(near, {.slope = near}), (Standing{near, true}));
}

TEST(NotFired, PutOnZeroToStayItRests) {
  EXPECT_EQ(reset(near, {}), (Standing{0, true}));
}

TEST(NotFired, StayingOnItsSideItStaysArmed) {
  for (const HasMoved& has_moved : {moved, stayed})
    EXPECT_EQ(reset(near, {.sign = near}, Direction::either, Side::bilateral, has_moved), (Standing{near, false}));
}

TEST(NotFired, FromZeroAnySignIsArmedWithoutAnEvent) {
  EXPECT_EQ(reset(0, {.sign = far}), (Standing{far, false}));
  EXPECT_EQ(reset(0, {.slope = near}), (Standing{near, true}));
  EXPECT_EQ(reset(0, {.sign = near}, Direction::falling, Side::unilateral), (Standing{near, false}));
}

TEST(NotFired, AUnilateralGuardAtRestPushedBeyondFires) {
  EXPECT_EQ(reset(0, {.slope = far}, Direction::falling, Side::unilateral), (Standing{near, true, Outcome::fires}));
  EXPECT_EQ(reset(0, {.sign = far}, Direction::falling, Side::unilateral), (Standing{near, false, Outcome::fires}));
}

TEST(NotFired, WhatNoTransitionHasMovedIsLeftToTheChart) {
  const Standing before{near, true};
  EXPECT_EQ(stand_after_reset(before, {.slope = far}, Side::bilateral, Direction::either, stayed), before);
  EXPECT_EQ(stand_after_reset(before, {.sign = far}, Side::unilateral, Direction::falling, stayed), before);
}

// ---- relations ----

TEST(Relation, WithTheSignThatIsHeldStands) {
  for (const int sign : {-1, 1})
    EXPECT_EQ(stand_of_relation(sign, {.sign = sign}, false, false, moved), (RelationStanding{{sign, false}}));
  EXPECT_EQ(stand_of_relation(0, {}, false, false, moved), (RelationStanding{{0, true}}));
}

TEST(Relation, WithAnotherSignFires) {
  for (const int held : {-1, 0, 1}) {
    for (const int sign : {-1, 1}) {
      if (sign == held) continue;
      EXPECT_EQ(stand_of_relation(held, {.sign = sign}, false, false, moved),
                (RelationStanding{{held, held == 0, Outcome::fires}, sign, false}));
    }
  }
}

TEST(Relation, AtZeroHasTheSignItLeavesToAndNoneWhereItRests) {
  EXPECT_EQ(stand_of_relation(0, {.slope = 1}, false, false, moved).after, 1);
  EXPECT_EQ(stand_of_relation(0, {.curve = -1}, false, false, moved).after, -1);
  const RelationStanding rests = stand_of_relation(1, {}, false, false, moved);
  EXPECT_EQ(rests.outcome, Outcome::fires);
  EXPECT_EQ(rests.after, 0);
}

TEST(Relation, GoingBackWhereNothingMovedItIsLeftToTheChart) {
  EXPECT_EQ(stand_of_relation(1, {.slope = -1}, false, false, stayed), (RelationStanding{{1, false}}));
  EXPECT_EQ(stand_of_relation(1, {.slope = -1}, false, false, moved).outcome, Outcome::fires);
}

TEST(Relation, OnTheWrongSideOfZeroByRoundingPassesItWithoutAnEvent) {
  EXPECT_EQ(stand_of_relation(0, {.slope = 1}, true, false, moved),
            (RelationStanding{{-1, true, Outcome::fires}, 1, true}));
  EXPECT_EQ(stand_of_relation(1, {.slope = 1}, true, false, moved), (RelationStanding{{-1, false}, 0, true}));
}

TEST(Relation, TakenBackByConsistentValuesAlonePassesZeroWithoutAnEvent) {
  EXPECT_EQ(stand_of_relation(1, {.sign = -1, .slope = 1}, true, false, stayed),
            (RelationStanding{{-1, false, Outcome::passes}, 0, true}));
  EXPECT_EQ(stand_of_relation(1, {.sign = -1, .slope = 1}, true, false, moved).outcome, Outcome::fires);
  EXPECT_EQ(stand_of_relation(1, {.sign = -1, .slope = -1}, false, false, stayed).outcome, Outcome::fires);
  EXPECT_EQ(stand_of_relation(0, {.sign = -1, .slope = 1}, true, false, stayed).outcome, Outcome::fires);
}

TEST(Relation, ThatFiredBeforeItsOwnZeroDoesNotFireAgainThere) {
  EXPECT_EQ(stand_of_relation(1, {.sign = -1, .slope = 1}, true, true, moved), (RelationStanding{{-1, false}}));
  EXPECT_EQ(stand_of_relation(1, {.slope = 1}, true, true, moved), (RelationStanding{{-1, false}}));
}

}  // namespace
}  // namespace pawl::event
