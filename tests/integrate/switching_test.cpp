#include "integrate/switching.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stepper_of.hpp"

namespace pawl {
namespace {

using testing::FieldOf;

constexpr double fastest = 1000;

/// x' = A x, A symmetric with the eigenvalues -1 and -1000 in directions that are no axes.
System two_decays() {
  System system("two decays");
  const auto x = system.state("x", 1), y = system.state("y", 1);
  const double c = 0.8, s = 0.6;
  system.rates([=](const auto& at, auto& d) {
    const auto slow = c * at[x] + s * at[y], fast = c * at[y] - s * at[x];
    d[x] = -c * slow + fastest * s * fast;
    d[y] = -s * slow - fastest * c * fast;
  });
  return system;
}

/// Eigenvalues ±1000 i.
System fast_turning() {
  System system("fast turning");
  const auto x = system.state("x", 1), y = system.state("y", 1);
  system.rates([=](const auto& at, auto& d) {
    d[x] = -fastest * at[y];
    d[y] = fastest * at[x];
  });
  return system;
}

StepControl control_of_two() {
  return {.relative = 1e-6, .absolute = {1e-9, 1e-9}};
}

constexpr double one_one[] = {1, 1};

TEST(SpectralRadius, TheIterationFindsTheFastestRateAndThatItDecays) {
  const System system = two_decays();
  const FieldOf rates(system);
  SpectralRadius spectrum(rates.field(), 2, control_of_two());
  // Every look takes away another factor 1000 of the slow direction; differences leave about 1e-8.
  spectrum.look(0, one_one);
  EXPECT_NEAR(spectrum.radius() / fastest, 1, 1e-3);
  spectrum.look(0, one_one);
  spectrum.look(0, one_one);
  EXPECT_NEAR(spectrum.radius() / fastest, 1, 1e-6);
  EXPECT_NEAR(spectrum.quotient() / fastest, -1, 1e-6);
  EXPECT_EQ(spectrum.evaluations(), 6);
}

TEST(SpectralRadius, ATurningMotionIsAsFastAndDoesNotDecay) {
  const System system = fast_turning();
  const FieldOf rates(system);
  SpectralRadius spectrum(rates.field(), 2, control_of_two());
  for (int look = 0; look < 3; ++look) spectrum.look(0, one_one);
  EXPECT_NEAR(spectrum.radius() / fastest, 1, 1e-6);
  EXPECT_NEAR(spectrum.quotient() / fastest, 0, 1e-6);
  EXPECT_NEAR(spectrum.speed() / fastest, 1, 1e-6);  // relative to the size of x: all of it turns
}

/// Steps that nobody takes: the policy alone, told of their sizes.
class Told {
 public:
  explicit Told(const System& system, bool looks_at_once = false)
      : rates_(system),
        switching_(
            {.explicit_name = "one", .implicit_name = "two", .stability_limit = 3, .looks_at_once = looks_at_once},
            rates_.field(), 2, control_of_two()) {
    switching_.restart(0, one_one, 1);
  }
  /// One step with h ρ = product, after a change if there is one.
  void step(double product, bool is_held_back = false) {
    const double h = product / fastest;
    if (const auto first_step = switching_.change(1, h, stiffness_)) {
      ++changes;
      last_first_step = *first_step;
    }
    Step step(2);
    step.h = h;
    std::copy_n(one_one, 2, step.end());
    switching_.see(step, is_held_back);
  }
  /// Steps until it changes; -1: it does not.
  int steps_to_change(double product, int most) {
    const int before = changes;
    for (int i = 0; i <= most; ++i) {
      step(product);
      if (changes != before) return i;
    }
    return -1;
  }
  Switching& operator*() { return switching_; }
  Switching* operator->() { return &switching_; }

  int changes = 0;
  double last_first_step = -1;

 private:
  FieldOf rates_;
  std::optional<Stiffness> stiffness_;
  Switching switching_;
};

TEST(Switching, StepsThatHangAtTheEdgeOfStabilityBecomeImplicit) {
  const System system = two_decays();
  Told told(system);
  for (int i = 0; i < 50; ++i) told.step(0.1);          // accuracy limits the first steps
  EXPECT_EQ(told.steps_to_change(0.9 * 3, 1000), 140);  // a look after 100 steps, nine more every 10
  EXPECT_TRUE(told->is_implicit());
  EXPECT_EQ(told.last_first_step, 0.9 * 3 / fastest);  // goes on with the step it had
}

TEST(Switching, AMotionThatIsStiffFromItsStartIsSeenAfterTenToThirtySteps) {
  const System system = two_decays();
  Told told(system);
  EXPECT_EQ(told.steps_to_change(0.9 * 3, 1000), 10);
  EXPECT_TRUE(told->is_implicit());
  Told growing(system);  // steps that still grow are not held back
  for (int i = 1; i <= 10; ++i) growing.step(0.27 * i);
  EXPECT_EQ(growing->evaluations(), 0);
  EXPECT_EQ(growing.steps_to_change(0.9 * 3, 1000), 10);  // the next time it is asked
  for (const int first : {10, 20}) {
    Told later(system);  // accuracy limits the first steps
    for (int i = 0; i < first; ++i) later.step(0.1);
    EXPECT_EQ(later.steps_to_change(0.9 * 3, 1000), 10) << first;
    EXPECT_EQ(later->evaluations(), 8 + 4 * first / 10);  // four looks, then two every ten steps
  }
}

TEST(Switching, TheWordOfTheMethodIsEnough) {
  const System system = two_decays();
  Told told(system);
  told.step(1, true);
  EXPECT_EQ(told.changes, 0);  // the step just taken may still be taken again
  told.step(1);
  EXPECT_EQ(told.changes, 1);
  EXPECT_TRUE(told->is_implicit());
}

TEST(Switching, AJumpTakesBackWhatWasSaid) {
  const System system = two_decays();
  Told told(system);
  told.step(1, true);
  told->restart(0, one_one, 1);
  told.step(1);
  EXPECT_EQ(told.changes, 0);
}

TEST(Switching, StepsLimitedByAccuracyStayExplicit) {
  const System decaying = two_decays(), turning = fast_turning();
  // Short ones; and those of a motion that turns, which an implicit method would have to follow just as closely.
  EXPECT_EQ(Told(decaying).steps_to_change(0.1, 5000), -1);
  EXPECT_EQ(Told(turning).steps_to_change(0.9 * 3, 5000), -1);
}

TEST(Switching, CalmStepsBecomeExplicitAgainAndStableOnes) {
  const System system = two_decays();
  Told told(system);
  told.step(1, true);
  EXPECT_EQ(told.steps_to_change(100 * 3, 1000), 0);   // the change that was due
  EXPECT_EQ(told.steps_to_change(100 * 3, 1000), -1);  // far beyond what is stable: no way back
  ASSERT_GT(told.steps_to_change(0.4 * 3, 1000), 0);
  EXPECT_FALSE(told->is_implicit());
  EXPECT_LE(told.last_first_step * fastest, 3);
}

TEST(Switching, TwoMethodsThatContradictEachOtherDoNotTakeTurnsForEver) {
  const System system = two_decays();
  // The explicit one always says that it is held back, the implicit one is always calm. The stay of the latter grows
  // by four from time to time, so that four times the steps allow two more changes.
  const auto changes_in = [&](int steps) {
    Told told(system);
    for (int i = 0; i < steps; ++i) told.step(0.4 * 3, !told->is_implicit());
    return told.changes;
  };
  EXPECT_GE(changes_in(200), 3);
  for (int steps = 200; steps < 3000; steps *= 4) EXPECT_LE(changes_in(4 * steps), changes_in(steps) + 2) << steps;
}

TEST(Switching, ALongRunOfAFastSystemIsImplicitFromTheFirstStepIfAsked) {
  const System system = two_decays();
  for (const bool looks : {false, true}) {
    for (const double length : {90.0, 110.0}) {  // 1e5 is between these, times the rate
      Told told(system, looks);
      const auto first_step = told->change(length, 1e-3, {});
      EXPECT_EQ(first_step.has_value(), looks && length > 100) << length;
      EXPECT_EQ(first_step.value_or(0), 0);  // it chooses
      EXPECT_EQ(told->evaluations(), looks ? 8 : 0);
    }
  }
}

TEST(Switching, ChangesAreReportedUntilThereAreTooMany) {
  const System system = two_decays();
  Told told(system);
  for (int i = 0; told.changes < 22; ++i) told.step(0.4 * 3, !told->is_implicit());
  const auto notes = told->take_notes();
  ASSERT_EQ(notes.size(), 20u);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    EXPECT_EQ(notes[i].code, MessageCode::method_changed);
    EXPECT_EQ(std::get<std::string>(notes[i].data[0].value), i % 2 == 0 ? "two" : "one");
    EXPECT_EQ(std::get<std::string>(notes[i].data[2].value).empty(), i != 19);
  }
  EXPECT_TRUE(told->take_notes().empty());
}

TEST(Switching, WhatItRemembersGoesOnTheSame) {
  const System system = two_decays();
  Told told(system), other(system);
  for (int i = 0; i < 50; ++i) told.step(0.1);
  for (int i = 0; i < 100; ++i) told.step(0.9 * 3);
  Memory saving;
  told->carry(saving);
  const auto saved = saving.take();
  Memory giving(*saved);
  other->carry(giving);
  const int rest = told.steps_to_change(0.9 * 3, 1000);
  EXPECT_EQ(other.steps_to_change(0.9 * 3, 1000), rest);
  EXPECT_EQ(rest, 40);
}

}  // namespace
}  // namespace pawl
