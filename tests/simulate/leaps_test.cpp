// Steps that leap: what an error test that measures errors by what a step ends with lets pass.
#include "simulate/leaps.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pawl/pawl.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using detail::Leaps;

/// x' = rate everywhere, for two states.
struct Constant {
  double rate[2];
  static void write(const void* self, const Point<double>&, double* out) {
    out[0] = static_cast<const Constant*>(self)->rate[0];
    out[1] = static_cast<const Constant*>(self)->rate[1];
  }
  ActiveField field{&write, this, nullptr};
};

Step step_of(double h, double from, double to) {
  Step step(2);
  step.t0 = 0;
  step.t1 = step.h = step.span = h;
  step.start()[0] = from;
  step.end()[0] = to;
  step.start()[1] = step.end()[1] = 1;
  return step;
}

StepControl control() {
  StepControl control;
  control.relative = 1e-6;
  control.absolute = {1e-9, 1e-9};  // its unit is 1e-3
  return control;
}

TEST(Leaps, AreFartherThanTheRateAndThePastExplain) {
  Constant rest{{0, 0}}, fast{{1e30, 0}};
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 1, 1e24), {&rest.field}), 0);
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 1, -1e24), {&rest.field}), 0);
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 1, 9e5), {&rest.field}), std::nullopt);
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 0, 1e-3 * 9e5), {&rest.field}), std::nullopt);  // of its unit
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 0, 1.1e3), {&rest.field}), 0);
  EXPECT_EQ(Leaps(control()).find(step_of(1e-3, 0, 1e27), {&fast.field}), std::nullopt);  // as its rate says
  Leaps been{control()};
  EXPECT_EQ(been.find(step_of(1, 1e20, 0), {&rest.field}), std::nullopt);
  EXPECT_EQ(been.find(step_of(1, 0, 1e24), {&rest.field}), std::nullopt);  // it has been as large as 1e20
  EXPECT_EQ(been.find(step_of(1, 0, 1.1e26), {&rest.field}), 0);
}

TEST(Leaps, AskForTheRateOnlyWhereAStateGoesFar) {
  Constant rest{{0, 0}};
  Leaps leaps{control()};
  for (int k = 0; k < 10; ++k) leaps.find(step_of(1, 1, 2), {&rest.field});
  EXPECT_EQ(leaps.evaluations, 0);
  leaps.find(step_of(1, 1, 1e7), {&rest.field});
  EXPECT_EQ(leaps.evaluations, 1);
}

/// A path with a kink that no event can see. The force that follows it is 0 before and 1e24 behind, of index 2, and
/// with more than 100 unknowns in no error test.
System kinked(double nominal, int others) {
  System system("kinked");
  const auto x = system.state("x", 0), f = system.state("f", 0);
  system.rates([=](const auto& at, auto& d) { d[x] = 1e-24 * at[f]; });
  system.equation("path", [=](const auto& at) { return at[x] - 0.5 * (abs(at.t - 0.5) + at.t - 0.5); });
  for (int k = 0; k < others; ++k) {
    const auto y = system.state("y" + std::to_string(k), 1);
    system.equation("decay " + std::to_string(k), [=](const auto& at) { return at[dot(y)] + at[y]; });
  }
  if (nominal > 0) system.nominal(f, nominal);
  return system;
}

// Every one of them finished, with f = 1e24.
TEST(Leaps, EndARunWithEveryImplicitMethod) {
  for (const char* method : {"auto", "radau-5", "rodas5p", "esdirk-5", "bdf"}) {
    for (const int others : {0, 110}) {
      SCOPED_TRACE(std::string(method) + ", " + std::to_string(others));
      const Result run = simulate(kinked(0, others), {.end = 1, .method = method});
      EXPECT_EQ(run.outcome, Outcome::failed);
      EXPECT_NEAR(run.t_end, 0.5, 1e-6);
      EXPECT_LT(std::abs(run.final()["f"]), 1e7);
      // "t = 0.5: a step of 7.57e-15 takes 'f' from 0 to 1.47e+24, which neither ...": the numbers are the method's
      EXPECT_TRUE(testing::says(run.reason, {"t = 0.5: a step of ", " takes 'f' from 0 to ", "e+2",
                                             ", which neither its rate nor what it has been so far explains.\n"
                                             "  likely: the equations hardly determine it here, or they jump\n"
                                             "  try:    nominal(f, size) if it is meant to be that large"}))
          << run.reason;
    }
  }
}

TEST(Leaps, AreNoneForAStateDeclaredThatLarge) {
  for (const char* method : {"auto", "radau-5", "rodas5p", "esdirk-5", "bdf"}) {
    const Result run = simulate(kinked(1e24, 110), {.end = 1, .method = method});
    ASSERT_TRUE(run.finished()) << method << ": " << run.reason;
    EXPECT_NEAR(run.final()["f"], 1e24, 1e-3 * 1e24) << method;
  }
}

// The same rise, but one that can be followed: 1e24 in a thousandth of a second.
TEST(Leaps, AreNotWhatAMotionDoes) {
  for (const char* method : {"auto", "esdirk-5", "bdf"}) {
    System system("steep");
    const auto x = system.state("x", 0), z = system.state("z", 0);
    system.rates([=](const auto& at, auto& d) { d[x] = 1 - at[x]; });
    system.equation("level", [=](const auto& at) { return at[z] - 1e24 / (1 + exp((0.5 - at.t) / 1e-3)); });
    const Result run = simulate(system, {.end = 1, .method = method});
    ASSERT_TRUE(run.finished()) << method << ": " << run.reason;
    EXPECT_NEAR(run.final()[z], 1e24, 1e-9 * 1e24) << method;
    EXPECT_NEAR(run.final()[x], 1 - std::exp(-1), 1e-4) << method;
  }
}

}  // namespace
}  // namespace pawl
