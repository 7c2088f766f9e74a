// The plan: what is decided from facts and options, and that a run does just that.
#include "simulate/plan.hpp"

#include <gtest/gtest.h>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

using detail::AtStart, detail::make_plan, detail::Plan;
using formulate::Scheme;
using stabilize::Strategy;

Facts mechanism() {
  return {.model = "arm", .kind = ModelKind::mechanics, .states = 6, .constraint_rows = 1};
}

TEST(Plan, FollowsTheTableOfMethods) {
  const auto method = [](ModelKind kind, double tolerance) {
    return make_plan({.kind = kind, .states = 4}, {.end = 1, .tolerance = tolerance}).method.value->name;
  };
  EXPECT_EQ(method(ModelKind::rates, 1e-4), "tsitouras-5");
  EXPECT_EQ(method(ModelKind::rates, 1e-6), "dop853");
  EXPECT_EQ(method(ModelKind::rates, 1e-10), "verner-9");
  EXPECT_EQ(method(ModelKind::mechanics, 1e-6), "tsitouras-papakostas-8");
  EXPECT_EQ(method(ModelKind::mechanics, 1e-10), "tsitouras-papakostas-8");
  EXPECT_EQ(method(ModelKind::equations, 1e-6), "radau");
}

TEST(Plan, SaysWhatTakesOverWhereTheProblemTurnsStiff) {
  const Options loose{.end = 1, .tolerance = 1e-3};
  EXPECT_EQ(make_plan({.states = 4}, loose).when_stiff.value->name, "rodas5p");
  const Plan black_box = make_plan({.states = 4, .has_exact_rates = false}, loose);
  EXPECT_EQ(black_box.when_stiff.value->name, "radau");
  ASSERT_EQ(black_box.rejected.size(), 1U);
  EXPECT_EQ(black_box.rejected[0].what, "rodas5p");
  EXPECT_EQ(make_plan({.states = 5000}, {.end = 1}).when_stiff.value->name, "bdf");
  EXPECT_EQ(make_plan({.states = 4}, {.end = 1, .method = "radau"}).when_stiff.value, nullptr);
  EXPECT_EQ(make_plan({.states = 4}, {.end = 1, .events = "compere"}).when_stiff.value, nullptr);
}

TEST(Plan, SaysWhatTakesOverWhereEventsAreFrequent) {
  const auto lower = [](bool has_events, Options options) {
    std::string names;
    for (const Method* one : make_plan({.states = 4, .has_events = has_events}, options).when_frequent.value)
      names += one->name + " ";
    return names;
  };
  EXPECT_EQ(lower(true, {.end = 1}), "tsitouras-5 ");
  EXPECT_EQ(lower(true, {.end = 1, .tolerance = 1e-9}), "dop853 tsitouras-5 ");
  EXPECT_EQ(lower(false, {.end = 1}), "");
  EXPECT_EQ(lower(true, {.end = 1, .tolerance = 1e-4}), "");  // the lowest already
  EXPECT_EQ(lower(true, {.end = 1, .method = "verner-9"}), "");
  EXPECT_EQ(lower(true, {.end = 1, .events = "compere"}), "");
}

TEST(Plan, DecidesByWhatWasMeasured) {
  Facts facts{.states = 4};
  facts.measured = MeasuredFacts{.fastest_rate = 1e6, .fastest_decay = 1e6, .accurate_step = 0.1};
  Plan plan = make_plan(facts, {.end = 1});
  EXPECT_TRUE(plan.is_stiff);
  EXPECT_EQ(plan.method.value->name, "radau");
  facts.measured->fastest_rate = 1;
  plan = make_plan(facts, {.end = 1});
  EXPECT_FALSE(plan.is_stiff);
  EXPECT_EQ(plan.method.value->name, "dop853");
}

TEST(Plan, GivesEachMethodItsFormulation) {
  const auto scheme = [](std::string method) {
    return make_plan(mechanism(), {.end = 1, .method = std::move(method)}).formulation.value.scheme;
  };
  EXPECT_EQ(scheme("dop853"), Scheme::acceleration);
  EXPECT_EQ(scheme("radau"), Scheme::index_2);
  EXPECT_EQ(scheme("esdirk-5"), Scheme::index_1);
  EXPECT_EQ(scheme("bdf"), Scheme::acceleration);
  EXPECT_EQ(scheme("adams"), Scheme::acceleration);
}

TEST(Plan, GivesEachFormulationItsStabilization) {
  const auto strategy = [](std::string formulation, std::string method) {
    return make_plan(mechanism(),
                     {.end = 1, .method = std::move(method), .constraints = {.formulation = std::move(formulation)}})
        .stabilization.value.strategy;
  };
  EXPECT_EQ(strategy("acceleration", "dop853"), Strategy::projection);
  EXPECT_EQ(strategy("baumgarte(12,70)", "dop853"), Strategy::none);
  EXPECT_EQ(strategy("penalty(1e5,1e3)", "dop853"), Strategy::none);
  EXPECT_EQ(strategy("sliding(10)", "dop853"), Strategy::sweeps);
  EXPECT_EQ(strategy("state-space", "dop853"), Strategy::state_space);
  EXPECT_EQ(strategy("index-3", "radau"), Strategy::none);
  EXPECT_EQ(strategy("index-2", "radau"), Strategy::projection);
}

TEST(Plan, ReadsTheStart) {
  EXPECT_EQ(make_plan(mechanism(), {.end = 1, .constraints = {.start = "keep"}}).start, AtStart::keep);
  const Plan plan = make_plan(mechanism(), {.end = 1, .constraints = {.start = "reach(0.1,0.2)"}});
  EXPECT_EQ(plan.start, AtStart::reach);
  EXPECT_EQ(plan.formulation.value.scheme, Scheme::sliding);
  EXPECT_EQ(plan.formulation.value.reaching, (std::vector<double>{0.1, 0.2}));
}

TEST(Plan, ReadsTheSolver) {
  EXPECT_EQ(make_plan({.states = 2}, {.end = 1, .method = "radau", .implicit = {.linear_solver = "band"}}).solver.kind,
            LinearSolver::band);
  EXPECT_TRUE(
      make_plan({.states = 2}, {.end = 1, .method = "bdf", .implicit = {.linear_solver = "krylov"}}).solver.is_krylov);
  try {
    make_plan({.states = 2}, {.end = 1, .method = "radau", .implicit = {.linear_solver = "krylov"}});
    FAIL() << "no exception";
  } catch (const Misuse& error) {
    EXPECT_STREQ(error.what(), "linear solver 'krylov' belongs to the methods bdf and adams, not to 'radau'");
  }
}

TEST(Plan, IsWhatTheRunDoes) {
  for (const char* name : {"lorenz", "cartesian-pendulum", "robertson-dae", "ph-pendulum"}) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    const Options options{.end = problem.start + 1e-3 * (problem.end - problem.start)};
    const Result run = simulate(problem.system, options);
    EXPECT_EQ(run.plan.method.value, run.method);
    if (run.statistics.constraints) {
      EXPECT_EQ(run.plan.formulation.value, run.statistics.constraints->formulation);
      EXPECT_EQ(run.plan.stabilization.value, run.statistics.constraints->stabilization);
    }
  }
}

}  // namespace
}  // namespace pawl
