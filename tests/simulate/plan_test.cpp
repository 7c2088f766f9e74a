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

TEST(Plan, SaysWhoFindsRatesAndMultipliersOfEquations) {
  using detail::Field;
  const auto field = [](EquationFacts equations, std::string method) {
    const Facts facts{.kind = ModelKind::equations, .states = equations.unknowns, .equations = equations};
    const Plan plan = make_plan(facts, {.end = 1, .method = std::move(method)});
    return std::pair(*plan.field.value, plan.field.why);
  };
  using Answer = std::pair<Field, std::string>;
  EXPECT_EQ(field({.index = 1, .unknowns = 5}, "dop853"), Answer(Field::implied, "dop853 integrates rates"));
  EXPECT_EQ(field({.index = 1, .unknowns = 5}, "adams"), Answer(Field::implied, "adams integrates rates"));
  EXPECT_EQ(field({.index = 1, .unknowns = 5, .has_joints = true}, "radau"),
            Answer(Field::implied, "joints of a mechanism are among the equations"));
  EXPECT_EQ(field({.index = 4, .unknowns = 5}, "radau"),
            Answer(Field::implied, "index 4: steps solve equations as they stand up to 3"));
  EXPECT_EQ(field({.index = 2, .unknowns = 5, .may_cancel = true}, "radau"),
            Answer(Field::implied, "equations cancel in combinations that move"));
  EXPECT_EQ(field({.index = 3, .unknowns = 500}, "esdirk-5"),
            Answer(Field::implied, "index 3: esdirk-5 does not keep its order there"));
  EXPECT_EQ(field({.index = 3, .unknowns = 200}, "radau"),
            Answer(Field::implied, "index 3 and 200 unknowns: as they stand they lose digits as steps shrink"));
  EXPECT_EQ(field({.index = 3, .unknowns = 201}, "radau"),
            Answer(Field::steps, "index 3: radau solves them as they stand"));
  EXPECT_EQ(field({.index = 2, .unknowns = 100}, "bdf"),
            Answer(Field::by_index, "bdf does not keep its order from index 2 on"));
  EXPECT_EQ(field({.index = 2, .unknowns = 101}, "bdf"),
            Answer(Field::steps, "index 2: bdf solves them as they stand"));
  EXPECT_EQ(make_plan({.kind = ModelKind::mechanics}, {.end = 1}).field.value, std::nullopt);
}

// What a mixture's plan says is what statistics tell of the run.
TEST(Plan, OfAMixtureNamesTheSolverThatRuns) {
  const Problem& problem = find_problem("servo");
  const auto plan_of = [&](std::string method, std::string solver) {
    Result run = simulate(problem.system,
                          {.end = 1e-3, .method = std::move(method), .implicit = {.linear_solver = std::move(solver)}});
    EXPECT_TRUE(run.finished()) << run.reason;
    const std::string used = run.statistics.implicit ? run.statistics.implicit->linear_solver : std::string();
    EXPECT_EQ(used.substr(0, run.plan.solver.value.size()), run.plan.solver.value);
    return run;
  };
  const Result by_radau = plan_of("auto", "auto");
  EXPECT_EQ(by_radau.plan.field.value, "all equations with their derivatives, solved for the rates they imply");
  EXPECT_EQ(by_radau.plan.field.why, "joints of a mechanism are among the equations");
  EXPECT_EQ(by_radau.plan.solver.value, "dense");
  EXPECT_EQ(by_radau.plan.solver.why, "rates that equations imply have a full Jacobian, taken by differences");
  std::vector<std::string> said;
  for (const Message& message : by_radau.messages)
    if (message.code == MessageCode::field_chosen || message.code == MessageCode::solver_chosen)
      said.push_back(message.text);
  EXPECT_EQ(said, (std::vector<std::string>{
                      "rates and multipliers by all equations with their derivatives, solved for the rates they imply, "
                      "because: joints of a mechanism are among the equations",
                      "linear equations of the steps: dense, because: rates that equations imply have a full Jacobian, "
                      "taken by differences"}));
  const Result sparse = plan_of("radau", "sparse");
  EXPECT_EQ(sparse.plan.solver.value, "sparse");
  EXPECT_EQ(sparse.plan.solver.why, "");
  const Result explicitly = plan_of("dop853", "auto");
  EXPECT_EQ(explicitly.plan.field.why, "dop853 integrates rates");
  EXPECT_EQ(explicitly.plan.solver.value, "");
  const Result circuit = simulate(find_problem("buck-converter").system, {.end = 1e-4});
  EXPECT_EQ(circuit.plan.field.value, "the steps, as unknowns of the equations as they stand");
  EXPECT_EQ(circuit.plan.field.why, "index 1: radau solves them as they stand");
  EXPECT_EQ(circuit.plan.solver.value, "dense");
  EXPECT_EQ(circuit.plan.solver.why, "7 unknowns, looked at anew in every mode");
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
