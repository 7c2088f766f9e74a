#include "pawl/advise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "misuse_of.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"
#include "simulate/plan.hpp"

namespace pawl::analyze {
namespace {

using pawl::testing::says;

Advice advise_on(const std::string& name, const Assignments& assignments = {}, Options options = {}) {
  const Problem& problem = find_problem(name);
  const System system = system_of(problem, assignments);
  Values values(system);
  for (const auto& [parameter, value] : assignments) values.set(parameter, value);
  options.start = problem.start;
  if (std::isnan(options.end)) options.end = problem.end;
  return advise(system, values, options);
}

const Anatomy& declared(const Advice& advice) {
  return advice.modes.front().declared;
}

// ---- Table 1 of Koenders (2002)

void expect_slow_pair(const Anatomy& anatomy) {
  ASSERT_EQ(anatomy.eigenvalues.size(), 2u);
  for (const auto& value : anatomy.eigenvalues) {
    EXPECT_NEAR(value.real(), -0.0025, 1e-15);
    EXPECT_NEAR(std::abs(value.imag()), 1.1180311936614, 5e-14);  // all printed digits
  }
}

TEST(GearWheels, WithAConstraintAreOfIndexTwo) {
  const Advice advice = advise_on("gear-wheels", {{"formulation", 2}});
  const Anatomy& anatomy = declared(advice);
  EXPECT_EQ(advice.kind, ModelKind::port_hamiltonian);
  EXPECT_EQ(anatomy.index, 2);
  EXPECT_EQ(anatomy.infinite, 2);
  EXPECT_EQ(anatomy.degrees_of_freedom, 2);
  EXPECT_EQ(anatomy.dependent_states, 1);
  EXPECT_EQ(anatomy.hidden_constraints, 1);
  EXPECT_TRUE(anatomy.index_is_certain);
  expect_slow_pair(anatomy);
  const Stiffness& stiffness = advice.modes.front().stiffness;
  EXPECT_NEAR(stiffness.lambert, 1, 1e-11);
  EXPECT_TRUE(stiffness.is_infinite);  // as the table prints it
}

TEST(GearWheels, WithTheMultiplierEliminatedAreOfIndexOne) {
  Options options{.method = "radau"};
  options.constraints.formulation = "index-1";
  const Advice advice = advise_on("gear-wheels", {{"formulation", 2}}, options);
  ASSERT_TRUE(advice.modes.front().integrated.has_value());
  const Anatomy& anatomy = *advice.modes.front().integrated;
  EXPECT_EQ(anatomy.equations, "index-1");
  EXPECT_EQ(anatomy.unknowns, 3);
  EXPECT_EQ(anatomy.index, 1);
  EXPECT_EQ(anatomy.infinite, 1);
  expect_slow_pair(anatomy);
}

TEST(GearWheels, WithSpringAndDamperAreOfIndexZeroAndStiff) {
  const Advice advice = advise_on("gear-wheels", {{"formulation", 0}});
  const Anatomy& anatomy = declared(advice);
  EXPECT_EQ(anatomy.index, 0);
  EXPECT_EQ(anatomy.infinite, 0);
  ASSERT_EQ(anatomy.eigenvalues.size(), 4u);
  EXPECT_NEAR(anatomy.eigenvalues[0].real(), -200.00249996094277, 1e-9);
  EXPECT_NEAR(std::abs(anatomy.eigenvalues[0].imag()), 0.49999218798579104, 1e-9);
  EXPECT_NEAR(anatomy.eigenvalues[2].real(), -0.0025000390572270203, 1e-12);
  EXPECT_NEAR(std::abs(anatomy.eigenvalues[2].imag()), 1.1180137248989281, 1e-12);
  EXPECT_NEAR(advice.modes.front().stiffness.lambert, 79999.75, 0.01);
  EXPECT_FALSE(advice.modes.front().stiffness.is_infinite);
}

// A cable that gives, always with critical damping. Lambert's ratio calls Cp = 1e-3 very stiff; explicit steps are
// still the cheaper ones, because accuracy wants steps as short as stability does.
TEST(GearWheels, AreStiffWhereAccuracyAllowsLongerStepsThanStability) {
  const auto with = [](double Cp) {
    return advise_on("gear-wheels", {{"formulation", 0}, {"Cp", Cp}, {"Rp", 2 * std::sqrt(2.5 / Cp)}}, {.end = 100});
  };
  for (const double Cp : {1e-1, 1e-2, 1e-3}) {
    const Advice advice = with(Cp);
    EXPECT_FALSE(advice.modes.front().recommendation.method.why.starts_with("stiff")) << Cp;
    EXPECT_EQ(advice.recommendation.formulation.value, "acceleration") << Cp;
    EXPECT_EQ(advice.recommendation.when_stiff.value, "radau") << Cp;
  }
  EXPECT_GT(with(1e-3).modes.front().stiffness.lambert, 1000);
  const Advice stiff = with(1e-5);
  EXPECT_EQ(stiff.recommendation.method.value, "radau");
  EXPECT_TRUE(says(stiff.recommendation.method.why, {"stiff: accuracy allows steps of", "stability"}));
  EXPECT_GT(stiff.modes.front().stiffness.van_dijk, 10);
}

// ---- indices

struct Known {
  const char* problem;
  int index, freedom;
};

TEST(Advise, FindsTheIndexOfEveryKindOfModel) {
  for (const Known& one : {Known{"chem-akzo", 1, 5}, Known{"transistor-amplifier", 1, 5}, Known{"robertson-dae", 1, 2},
                           Known{"algebraic-loop", 1, 1}, Known{"fekete", 2, 80}, Known{"andrews", 3, 2},
                           Known{"cartesian-pendulum", 3, 2}, Known{"caraxis", 3, 4}, Known{"slider-crank", 3, 2},
                           Known{"rolling-disk", 2, 6}, Known{"flyball", 2, 5}, Known{"ph-pendulum", 2, 2},
                           Known{"lorenz", 0, 3}, Known{"hires", 0, 8}}) {
    const Advice advice = advise_on(one.problem);
    EXPECT_EQ(declared(advice).failure, "") << one.problem;
    EXPECT_EQ(declared(advice).index, one.index) << one.problem;
    EXPECT_EQ(declared(advice).degrees_of_freedom, one.freedom) << one.problem;
    EXPECT_TRUE(declared(advice).index_is_certain) << one.problem;
  }
}

TEST(Advise, CountsLevelsOfAMechanismAsItIsIntegrated) {
  Options options{.method = "radau"};
  options.constraints.formulation = "index-2";
  const Advice advice = advise_on("cartesian-pendulum", {}, options);
  ASSERT_TRUE(advice.modes.front().integrated.has_value());
  EXPECT_EQ(declared(advice).index, 3);
  EXPECT_EQ(advice.modes.front().integrated->index, 2);
  EXPECT_EQ(declared(advice).hidden_constraints, 2);  // speeds along the rod, and what determines its force
}

Mechanics pendulum(bool with_second_rod) {
  Mechanics model("pendulum");
  const auto x = model.coordinate("x", 0), y = model.coordinate("y", -1);
  for (const auto q : {x, y}) model.mass(q, 1.0);
  model.potential([=](const auto& at) { return 9.81 * at[y]; });
  model.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  if (with_second_rod) model.constraint("same rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  return model;
}

TEST(Advise, NamesARodThatIsDeclaredTwice) {
  const System model = pendulum(true);
  const Advice advice = advise(model, Values(model), {.end = 1});
  const Anatomy& anatomy = declared(advice);
  EXPECT_EQ(anatomy.index, 3);
  EXPECT_EQ(anatomy.undetermined, 1);
  ASSERT_EQ(anatomy.redundant.size(), 1u);
  EXPECT_TRUE(says(anatomy.redundant[0], {"'rod'", "'same rod'"}));
  ASSERT_EQ(anatomy.eigenvalues.size(), 2u);
  for (const auto& value : anatomy.eigenvalues) EXPECT_NEAR(std::abs(value.imag()), std::sqrt(9.81), 1e-12);
  EXPECT_TRUE(says(to_text(advice), {"redundant: 'rod', 'same rod'", "1 undetermined", "frozen at t"}));
}

// Frozen eigenvalues are not stability: at the lowest point the rod pulls with g + ω², and they follow it.
TEST(Advise, FrozenEigenvaluesDependOnTheSpeed) {
  const System model = pendulum(false);
  Values values(model);
  values.set("x'", 1.0);
  const Advice advice = advise(model, values, {.end = 0});
  ASSERT_EQ(declared(advice).eigenvalues.size(), 2u);
  EXPECT_EQ(advice.modes.front().frozen_at, 0);
  for (const auto& value : declared(advice).eigenvalues)
    EXPECT_NEAR(std::abs(value.imag()), std::sqrt(9.81 + 1), 1e-12);
}

// ---- modes

TEST(Advise, LooksAtEveryModeThePilotVisits) {
  const Advice advice = advise_on("coulomb-oscillator");
  ASSERT_EQ(advice.modes.size(), 3u);  // two directions, and rest
  EXPECT_TRUE(advice.events.slides);
  EXPECT_EQ(advice.modes[0].declared.index, 0);
  EXPECT_EQ(advice.modes[2].declared.index, 2);  // x' = f(x, u), 0 = s(x): the friction force is an unknown
  EXPECT_EQ(advice.modes[2].declared.degrees_of_freedom, 1);
  EXPECT_TRUE(says(to_text(advice), {"sliding", "modes differ in index"}));
}

TEST(Advise, SaysWhatItDoesNotKnowOfLargeSystems) {
  const Advice advice = advise_on("brusselator-1d");
  EXPECT_FALSE(declared(advice).has_eigenvalues);
  EXPECT_TRUE(says(to_text(advice), {"more than 100 states", "by power iteration"}));
  // 4 D (N + 1)² and what the reaction adds, for D = 1/50 and 500 points
  EXPECT_NEAR(advice.modes.front().stiffness.fastest_rate, 4.0 / 50 * 501 * 501, 0.05 * 20000);
}

TEST(Advise, UndampedMotionHasNoRatioOfLambert) {
  const Advice advice = advise_on("compere-pendulum");
  EXPECT_FALSE(advice.modes.front().stiffness.is_damped);
  EXPECT_TRUE(std::isinf(advice.modes.front().stiffness.lambert));
  EXPECT_TRUE(says(to_text(advice), {"not meaningful"}));
}

// ---- the plan is what auto does

TEST(Recommend, IsWhatAutoTakesAtTheStartOfARun) {
  for (const char* name : {"lorenz", "cartesian-pendulum", "gear-wheels", "chem-akzo", "transistor-amplifier",
                           "quaternion-top", "vdpol", "bouncing-ball", "andrews"}) {
    const Problem& problem = find_problem(name);
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      const double end = problem.start + 1e-6 * (problem.end - problem.start);
      const Options options{.start = problem.start, .end = end, .tolerance = tolerance};
      const Result run = simulate(problem.system, options);
      Facts facts = detail::facts_of(problem.system.declarations());
      facts.allows_rosenbrock = true;
      const Recommendation advice = in_words(detail::make_plan(facts, options), options);
      const auto said = std::find_if(run.messages.begin(), run.messages.end(),
                                     [](const Message& one) { return one.text.starts_with("method auto: "); });
      ASSERT_NE(said, run.messages.end()) << name;
      EXPECT_TRUE(says(said->text, {"method auto: " + advice.method.value + " (", advice.method.why})) << name;
      if (run.statistics.constraints) {
        EXPECT_EQ(run.statistics.constraints->formulation, advice.formulation.value) << name;
        EXPECT_EQ(run.statistics.constraints->stabilization, advice.stabilization.value) << name;
      }
    }
  }
}

// ---- what it refuses, and what it leaves out

TEST(Advise, RefusesWhatARunWouldRefuse) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto misuse = [](Options options, const Assignments& assignments = {}) {
    return pawl::testing::misuse_of([&] { advise_on("lorenz", assignments, std::move(options)); });
  };
  EXPECT_EQ(misuse({.tolerance = -1}), "relative tolerance -1: it must be 0, or at least 1e-15 (rounding) and below 1");
  EXPECT_EQ(misuse({.tolerance = nan}),
            "relative tolerance nan: it must be 0, or at least 1e-15 (rounding) and below 1");
  EXPECT_EQ(misuse({.tolerance = {1e-6, -1e-9}}),
            "absolute tolerance -1e-09: it must be above 0, so that a state at zero has a scale");
  EXPECT_EQ(misuse({.step = -1}), "step size -1: it must be above 0");
  EXPECT_EQ(misuse({.step = std::numeric_limits<double>::infinity()}), "step size inf: it must be finite");
  EXPECT_EQ(misuse({.max_step = nan}), "maximum step nan: it must be above 0");
  EXPECT_EQ(misuse({.end = std::numeric_limits<double>::infinity()}), "the run from t = 0 to t = inf must be finite");
  EXPECT_EQ(misuse({.end = 1e308}),
            "the run from t = 0 to t = 1e+308 is too long: its length must be between 1e-150 and 1e+150");
  EXPECT_EQ(
      misuse({.method = "rk4"}),
      "method 'rk4' has no error estimate: give a fixed step size, or choose an adaptive method such as tsitouras-5");
  EXPECT_EQ(misuse({.method = "dopri"}).substr(0, 22), "unknown method 'dopri'");
  EXPECT_EQ(misuse({}, {{"sigma", nan}}), "system 'lorenz': the parameter 'sigma' is nan");
  EXPECT_EQ(misuse({}, {{"x", nan}}), "system 'lorenz': the start value of 'x' is nan, it must be finite");
}

/// n oscillators, each driven by its neighbour, as a black box that counts its calls.
struct CountedChain {
  std::shared_ptr<long long> calls = std::make_shared<long long>(0);
  System system{"chain of springs"};

  explicit CountedChain(int n) {
    for (int i = 0; i < n; ++i) system.state(fmt::format("x{}", i), std::sin(i));
    system.rates([n, calls = calls](const Point<double>& at, Rates<double>& d) {
      ++*calls;
      for (int i = 0; i < n; ++i)
        d[State{i}] = i % 2 == 0 ? at[State{i + 1}] : -at[State{i - 1}] + 0.1 * at[State{(i + 1) % n}];
    });
  }
};

TEST(Advise, OnALargeBlackBoxCostsLessThanTheRun) {
  const CountedChain advised(400), run(400);
  const Options options{.end = 100};
  const Advice advice = advise(advised.system, Values(advised.system), options);
  simulate(run.system, options);
  EXPECT_LT(*advised.calls, *run.calls);
  const Stiffness& stiffness = advice.modes.front().stiffness;
  EXPECT_TRUE(stiffness.is_too_costly);
  EXPECT_EQ(stiffness.accurate_step, 0);
  EXPECT_TRUE(says(to_text(advice), {"accurate step not looked for: its implicit steps need full matrices, which may "
                                     "cost more than the run\n"}));
  EXPECT_EQ(advice.recommendation.method.value, "dop853");
}

TEST(Advise, LooksForTheAccurateStepWhereMatricesAreSmallOrSparse) {
  const CountedChain small(200);
  EXPECT_GT(advise(small.system, Values(small.system), {.end = 10}).modes.front().stiffness.accurate_step, 0);
  const Advice large = advise_on("brusselator-1d");
  EXPECT_GT(large.states, 300);
  EXPECT_FALSE(large.modes.front().stiffness.is_too_costly);
  EXPECT_GT(large.modes.front().stiffness.accurate_step, 0);
}

// A pendulum, a coil and a diode in one model: equations with the multiplier of its rod among the unknowns.
TEST(Advise, TakesMixturesApartAsTheyAreRun) {
  const Advice advice = advise_on("coil-pendulum");
  EXPECT_EQ(advice.kind, ModelKind::equations);
  EXPECT_EQ(advice.states, find_problem("coil-pendulum").system.size());
  EXPECT_EQ(declared(advice).index, 3);
  EXPECT_TRUE(declared(advice).index_is_certain);
  EXPECT_EQ(advice.recommendation.method.value, "radau");
}

TEST(Recommend, KeepsWhatIsAskedFor) {
  Facts facts{.kind = ModelKind::mechanics, .states = 10, .constraint_rows = 3};
  Options options{.end = 1, .method = "bdf"};
  Recommendation advice = in_words(detail::make_plan(facts, options), options);
  EXPECT_EQ(advice.method.value, "bdf");
  EXPECT_EQ(advice.method.why, "");
  EXPECT_EQ(advice.formulation.value, "acceleration");
  options.constraints = {.formulation = "penalty(1e5,1e3)"};
  options.method = "auto";
  advice = in_words(detail::make_plan(facts, options), options);
  EXPECT_EQ(advice.formulation.value, "penalty(1e5,1e3)");
  EXPECT_EQ(advice.stabilization.value, "none");
}

TEST(Recommend, SaysWhyWithNumbersAndWhatItRejected) {
  Facts facts{.kind = ModelKind::mechanics, .states = 10, .constraint_rows = 3};
  facts.measured = MeasuredFacts{.fastest_rate = 1e4, .fastest_decay = 1e4, .accurate_step = 0.1};
  const Recommendation advice = in_words(detail::make_plan(facts, {.end = 1}), {.end = 1});
  EXPECT_EQ(advice.method.value, "radau");
  EXPECT_EQ(advice.formulation.value, "index-2");
  EXPECT_TRUE(says(advice.method.why, {"stiff", "accuracy allows steps of 0.1", "implicit"}));
  ASSERT_EQ(advice.rejected.size(), 2u);
  EXPECT_TRUE(says(advice.rejected[0].why, {"stability, not accuracy", "instead of 0.1"}));
  EXPECT_EQ(advice.rejected[1].what, "index-3");
}

TEST(Recommend, SolvesConstraintsOfPortHamiltonianSystemsImplicitly) {
  Facts facts{.kind = ModelKind::port_hamiltonian, .states = 11, .constraint_rows = 2};
  const Recommendation smooth = in_words(detail::make_plan(facts, {.end = 1}), {.end = 1});
  EXPECT_EQ(smooth.method.value, "radau");
  EXPECT_EQ(smooth.formulation.value, "index-2");
  EXPECT_EQ(smooth.stabilization.value, "projection");
  EXPECT_EQ(smooth.rejected.front().what, "tsitouras-papakostas-8");
  facts.has_events = true;
  EXPECT_EQ(in_words(detail::make_plan(facts, {.end = 1}), {.end = 1}).formulation.value, "acceleration");
  facts = {.kind = ModelKind::port_hamiltonian, .states = 8, .constraint_rows = 2};  // second derivatives in one sweep
  EXPECT_EQ(in_words(detail::make_plan(facts, {.end = 1}), {.end = 1}).method.value, "tsitouras-papakostas-8");
  facts = {.kind = ModelKind::port_hamiltonian, .states = 4};
  EXPECT_EQ(in_words(detail::make_plan(facts, {.end = 1}), {.end = 1}).method.value, "tsitouras-papakostas-8");
}

TEST(Recommend, TakesNoRosenbrockMethodWhereTheMassMatrixVaries) {
  Facts facts{.kind = ModelKind::equations, .states = 4};
  const Options loose{.end = 1, .tolerance = 1e-4};
  EXPECT_EQ(in_words(detail::make_plan(facts, loose), loose).method.value, "radau");
  facts.allows_rosenbrock = true;
  EXPECT_EQ(in_words(detail::make_plan(facts, loose), loose).method.value, "rodas5p");
}

}  // namespace
}  // namespace pawl::analyze
