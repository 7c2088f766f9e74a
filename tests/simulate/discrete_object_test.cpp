#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "pawl/simulation.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using std::string_literals::operator""s;

/// A type of a user's own: copied and compared, nothing else.
struct Gear {
  int teeth;
  double play;
  bool operator==(const Gear&) const = default;
};

/// x' = 1 from 0; the phase is named anew at x = 1 and x = 2, and a gear is taken.
struct Phases {
  System system{"phases"};
  State x = system.state("x", 0);
  Discrete<std::string> phase = system.discrete("phase", "rise");
  Discrete<Gear> gear = system.discrete("gear", Gear{20, 0.1});
  Discrete<std::int64_t> count = system.discrete("count", std::int64_t{1} << 40);
  Guard first, second;

  Phases() {
    system.rates([x = x, gear = gear](const auto& at, auto& d) { d[x] = at[gear].teeth / 20.0; });
    first = system.guard("first", [x = x](const auto& at) { return at[x] - 1; }).then([=, this](Jump& jump) {
      jump[phase] = jump.pre(phase) + ", hold";
      jump[gear] = Gear{40, 0.2};
      jump[count] = jump[count] + 1;
    });
    second = system.guard("second", [x = x](const auto& at) { return at[x] - 2; }).then([=, this](Jump& jump) {
      if (jump[phase] == "rise, hold") jump[phase] = "fall";
    });
  }
};

TEST(DiscreteObject, IsReadAndAssignedAsAnyDiscreteVariable) {
  const Phases model;
  const Result run = simulate(model.system, {.end = 2});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.final()[model.x], 3, 1e-9);  // 1 at t = 1, twice as fast from there
  EXPECT_EQ(run.at(0.5)[model.phase], "rise");
  EXPECT_EQ(run.at(1.25)[model.phase], "rise, hold");
  EXPECT_EQ(run.final()[model.phase], "fall");
  EXPECT_EQ(run.final()[model.gear], (Gear{40, 0.2}));
  EXPECT_EQ(run.final()[model.count], (std::int64_t{1} << 40) + 1);  // wider than the mode's integers
  ASSERT_EQ(run.times_of(model.phase).size(), 2u);
  EXPECT_NEAR(run.times_of(model.phase)[1], 1.5, 1e-9);
  EXPECT_EQ(run.times_of(model.gear).size(), 1u);
  EXPECT_EQ(run.mode(*run.events[0].held_after), "phase = \"rise, hold\", count = 1099511627777");
}

TEST(DiscreteObject, StartsWithTheValueOfTheRunAndIsChangedOnTheWay) {
  const Phases model;
  Values values(model.system);
  values[model.phase] = "other";
  values[model.gear] = Gear{10, 0};
  Simulation run(model.system, values, {.end = 4});
  run.advance_to(1);
  EXPECT_NEAR(run[model.x], 0.5, 1e-12);
  const Snapshot here = run.snapshot();
  run[model.phase] = "changed"s;
  run[model.gear] = Gear{20, 0};
  run.advance_to(1.75);
  EXPECT_EQ(std::string(run[model.phase]), "changed, hold");
  run.restore(here);
  EXPECT_EQ(std::string(run[model.phase]), "other");
  EXPECT_EQ(Gear(run[model.gear]), (Gear{10, 0}));
  EXPECT_NEAR(run.finish().final()[model.x], 1 + 2 * 2, 1e-9);  // at half speed to 1, at twice from t = 2
}

TEST(DiscreteObject, ThatNeverSettlesIsNamedWithItsValues) {
  System system("flicker");
  const State x = system.state("x", 0);
  const auto word = system.discrete("word", "a");
  system.rates([=](const auto&, auto& d) { d[x] = 1; });
  const Condition on = system.condition("x > 1", [=](const auto& at) { return at[x] - 1; });
  system.transition([=](Jump& jump) {
    if (jump[on]) jump[word] = jump.pre(word) == "b" ? "c" : "b";
  });
  const Result run = simulate(system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 1: 100 transitions at this instant and no end: the transition function -> the transition function -> "
            "...\n"
            "    word: \"b\" -> \"c\" -> \"b\"\n"
            "  try:    break the cycle of jumps");
}

TEST(DiscreteObject, WithoutANumberIsNotSetByOne) {
  const Phases model;
  Values values(model.system);
  EXPECT_EQ(misuse_of([&] { values.set("phase", 1); }),
            "'phase' of system 'phases' does not hold a number: set it by its handle");
  EXPECT_EQ(misuse_of([&] { (void)Gear(values[Discrete<Gear>{model.phase.index}]); }),
            "a discrete variable is read as another type than it was declared with: use the handle that was given");
  EXPECT_EQ(misuse_of([&] { System("two").discrete("", "x"); }), "system 'two': a name must not be empty");
}

}  // namespace
}  // namespace pawl
