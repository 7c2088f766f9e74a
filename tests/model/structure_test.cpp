// Structure on the graph: what rows read, index, blocks, mismatches, and what build() makes of equations.
#include "pawl/model/structure.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "ladder.hpp"
#include "misuse_of.hpp"
#include "pawl/model/model.hpp"
#include "pawl/pawl.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

TEST(Structure, ARowReadsTheHighestDerivativeOfEveryUnknown) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), dx = rate(graph, 0);
  const auto reads = incidence(graph, {(dx * y + x).node(), sin(y).node()});
  EXPECT_EQ(reads, (std::vector<std::vector<Read>>{{{0, 1}, {1, 0}}, {{1, 0}}}));
}

TEST(Structure, OfAChoiceOnlyTheSideInForceIsRead) {
  Graph graph;
  const Expr voltage = state(graph, 0), current = state(graph, 1), conducts = mode(graph, 0);
  const int row = choose(conducts, voltage, current).node();
  EXPECT_EQ(incidence(graph, {row})[0], (std::vector<Read>{{0, 0}, {1, 0}}));
  EXPECT_EQ(incidence(graph, {row}, [](Op, int) { return 1.0; })[0], (std::vector<Read>{{0, 0}}));
  EXPECT_EQ(incidence(graph, {row}, [](Op, int) { return 0.0; })[0], (std::vector<Read>{{1, 0}}));
}

// x'' = -λ x, y'' = -λ y - g, x² + y² = 1 as first-order equations: Pryce's example of index 3.
TEST(Structure, ThePendulumHasIndexThreeAndTwoDegreesOfFreedom) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), u = state(graph, 2), v = state(graph, 3), f = state(graph, 4);
  const std::vector<int> rows{(rate(graph, 0) - u).node(), (rate(graph, 1) - v).node(), (rate(graph, 2) + f * x).node(),
                              (rate(graph, 3) + f * y + 9.81).node(), (sqr(x) + sqr(y) - 1).node()};
  const Structure found = structure_of(graph, rows, 5);
  EXPECT_EQ(found.index, 3);
  EXPECT_EQ(found.degrees_of_freedom, 2);
  EXPECT_EQ(found.c, (std::vector<int>{1, 1, 0, 0, 2}));
  EXPECT_EQ(found.d, (std::vector<int>{2, 2, 1, 1, 0}));
  EXPECT_EQ(found.blocks.size(), 1U);
}

TEST(Structure, HiddenConstraintsAreDerivativesOnTheGraph) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1);
  const std::vector<int> levels = derivatives_along_motion(graph, (sqr(x) + sqr(y) - 1).node(), 2);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[1], (2.0 * x * rate(graph, 0) + 2.0 * y * rate(graph, 1)).node());
}

TEST(Structure, BlocksComeAfterThoseTheyNeed) {
  Graph graph;  // b = a, {c, d} from b, e from d
  const auto s = [&](int i) { return state(graph, i); };
  const std::vector<int> rows{(s(4) - sin(s(3))).node(), (s(2) + exp(s(3)) - s(1)).node(), (s(1) - s(0)).node(),
                              (s(3) + sin(s(2))).node(), (s(0) - 1).node()};
  const Structure found = structure_of(graph, rows, 5);
  EXPECT_EQ(found.blocks, (std::vector<std::vector<int>>{{4}, {2}, {1, 3}, {0}}));
}

// ---- Messages ----

TEST(ModelMessages, NameWhatNothingDetermines) {
  Model tank("tank");
  const Expr level = tank.state("level", 1.0), flow = tank.variable("flow"), leak = tank.variable("leak");
  tank.equation({"tank.mo", 3}, der(level), -flow - leak);
  tank.equation({"tank.mo", 4}, flow, 0.3 * sqrt(level));
  EXPECT_EQ(misuse_of([&] { tank.build(); }),
            "model 'tank' has 2 equations for 3 unknowns.\n"
            "  too few: der(level) = -(flow + leak) (tank.mo:3), flow = 0.3 * sqrt(level) (tank.mo:4) must determine "
            "'level', 'flow', 'leak'\n"
            "  try:    an equation for what is not determined, in the place of one that says the same as others");
}

TEST(ModelMessages, NameEquationsThatAreOneTooMany) {
  Model tank("tank");
  const Expr level = tank.state("level", 1.0), flow = tank.variable("flow");
  tank.equation({"tank.mo", 3}, der(level), -flow);
  tank.equation({"tank.mo", 4}, flow, 0.3);
  tank.equation({"tank.mo", 5}, 2.0 * flow, 0.7);
  EXPECT_EQ(misuse_of([&] { tank.build(); }),
            "model 'tank' has 3 equations for 2 unknowns.\n"
            "  too many: flow = 0.3 (tank.mo:4), 2 * flow = 0.7 (tank.mo:5) determine 'flow' alone\n"
            "  try:    an equation for what is not determined, in the place of one that says the same as others");
}

TEST(ModelMessages, NameBothPartsWhereTheCountIsRight) {
  Model circuit("circuit");
  const Expr u = circuit.state("u", 1.0), i = circuit.variable("i"), j = circuit.variable("j");
  circuit.equation({"c.mo", 1}, der(u), -u);
  circuit.equation({"c.mo", 2}, i, sin(u));
  circuit.equation({"c.mo", 3}, i, exp(u));
  static_cast<void>(j);
  EXPECT_EQ(
      misuse_of([&] { circuit.build(); }),
      "model 'circuit' has 3 equations for 3 unknowns, but they cannot be solved for them, whatever the numbers.\n"
      "  too many: der(u) = -u (c.mo:1), i = sin(u) (c.mo:2), i = exp(u) (c.mo:3) determine 'u', 'i' alone\n"
      "  too few: nothing determines 'j'\n"
      "  try:    an equation for what is not determined, in the place of one that says the same as others");
}

TEST(ModelMessages, FindWhatOnlyAliasesShow) {
  Model nets("nets");
  const Expr a = nets.variable("a"), b = nets.variable("b"), c = nets.state("c", 0.0);
  nets.equation({"n.mo", 1}, a, b);
  nets.equation({"n.mo", 2}, b, c);
  nets.equation({"n.mo", 3}, a, c);
  EXPECT_EQ(misuse_of([&] { nets.build(); }),
            "model 'nets' has 3 equations for 3 unknowns, but they cannot be solved for them, whatever the numbers.\n"
            "  too many: a = c (n.mo:3) says nothing that the others do not\n"
            "  too few: nothing determines 'c'\n"
            "  try:    an equation for what is not determined, in the place of one that says the same as others");
}

// ---- What is left of a flat model ----

TEST(Reduction, ALadderKeepsItsCapacitorsAlone) {
  for (const int sections : {1, 10, 50}) {
    BuildReport report;
    const System system = ladder(sections).build({}, &report);
    EXPECT_EQ(system.size(), sections);
    EXPECT_EQ(report.states, sections);
    EXPECT_EQ(report.algebraic, 0);
    EXPECT_EQ(report.equations, 18 * sections + 6);
    EXPECT_EQ(report.aliases + report.constraints + report.solved + report.states, report.equations);
  }
}

TEST(Reduction, TheOrderOfRowsDoesNotMatter) {
  const Result expected = simulate(ladder(10).build(), {.end = 1, .tolerance = 1e-9, .method = "radau"});
  ASSERT_TRUE(expected.finished()) << expected.reason;
  for (const unsigned seed : {1U, 2U, 3U}) {
    BuildReport report;
    const System system = ladder(10, seed).build({}, &report);
    EXPECT_EQ(report.states, 10);
    EXPECT_EQ(report.algebraic, 0);
    const Result run = simulate(system, {.end = 1, .tolerance = 1e-9, .method = "radau"});
    for (const std::string& name : expected.quantity_names()) {
      const double value = expected.final()[name];
      EXPECT_NEAR(run.final()[name], value, 1e-12 * std::max(1.0, std::abs(value))) << name;
    }
  }
}

TEST(Reduction, EveryNameCanBeRead) {
  Model m("names");
  const Expr x = m.state("x", 2.0), same = m.variable("same"), minus = m.variable("minus"), fixed = m.variable("fixed"),
             twice = m.variable("twice"), p = m.parameter("p", 3.0);
  m.equation(der(x), -x);
  m.equation(same, x);
  m.equation(minus + same, 0.0);
  m.equation(fixed, p * p);
  m.equation(twice, 2.0 * same - minus);
  const Result run = simulate(m.build(), {.end = 1, .tolerance = 1e-10});
  const Instant end = run.final();
  EXPECT_NEAR(end["x"], 2 * std::exp(-1), 1e-9);
  EXPECT_EQ(end["same"], end["x"]);
  EXPECT_EQ(end["minus"], -end["x"]);
  EXPECT_EQ(end["fixed"], 9.0);
  EXPECT_EQ(end["twice"], 3 * end["x"]);
}

// Two wheels on a gear: of w1 = -2 w2 the wheel that is wanted stays.
TEST(Reduction, LinearConstraintsAreEliminatedInFavourOfWantedStates) {
  for (const bool wants_first : {true, false}) {
    Model gear("gear");
    const Expr w1 = wants_first ? gear.state("w1", 1.0) : gear.variable("w1"),
               w2 = wants_first ? gear.variable("w2") : gear.state("w2", -0.5);
    const Expr ratio = gear.parameter("ratio", -2.0), force = gear.variable("force");
    gear.equation(3.0 * der(w1), force);
    gear.equation(5.0 * der(w2), 1.0 - ratio * force);
    gear.equation(w1, ratio * w2);
    BuildReport report;
    const System system = gear.build({}, &report);
    EXPECT_EQ(report.index, 2);
    EXPECT_EQ(report.states, 1);
    EXPECT_EQ(report.algebraic, 1) << "the force, which the two wheels determine together";
    EXPECT_EQ(system.declarations().state_names.front(), wants_first ? "w1" : "w2");
    // 5 w2' = 1 + 2 · 3 w1' = 1 - 12 w2'.
    const Result run = simulate(system, {.end = 2, .tolerance = 1e-10});
    EXPECT_TRUE(run.statistics.implicit->structure.starts_with("index 1")) << run.statistics.implicit->structure;
    const Instant end = run.final();
    EXPECT_NEAR(end["w2"], -0.5 + 2. / 17, 1e-12);
    EXPECT_NEAR(end["w1"], 1 - 4. / 17, 1e-12);
    EXPECT_NEAR(end["force"], -6. / 17, 1e-12);
  }
}

TEST(Reduction, AFactorThatMayVanishIsNotDividedBy) {
  Model m("switch");
  const Expr u = m.state("u", 1.0), i = m.variable("i"), v = m.variable("v"), closed = m.discrete("closed", true);
  m.equation(choose(closed, v, i), 0.0);  // an ideal switch: of voltage and current one is zero
  m.equation(der(u), -i);
  m.equation(u, v + 2.0 * i);
  m.when(m.at(1.0), [&](When& when) { when.assign(closed, 0.0); });
  BuildReport report;
  const System system = m.build({}, &report);
  EXPECT_EQ(report.algebraic, 1);  // v = u - 2 i is solved, i is left
  const Result run = simulate(system, {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.final()["u"], std::exp(-0.5), 1e-8);
  EXPECT_NEAR(run.final()["i"], 0, 1e-12);
  EXPECT_NEAR(run.final()["v"], std::exp(-0.5), 1e-8);
}

// A plate is pulled away from a charged capacitor: the charge stays, the voltage jumps. Had the charge been replaced by
// c u, and its rate by c u', the voltage would have stayed.
TEST(Reduction, WhatAnEventChangesIsNotDifferentiated) {
  Model m("capacitor");
  const Expr q = m.variable("q", 3.0), u = m.variable("u", 1.0), c = m.discrete("c", 3.0);
  m.equation(der(q), 0.0);
  m.equation(q, c * u);
  m.when(m.at(1.0), [&](When& when) { when.assign(c, 1.0); });
  const Result run = simulate(m.build(), {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0.5)["u"], 1, 1e-12);
  EXPECT_NEAR(run.final()["u"], 3, 1e-12);
}

// A loop of two nonlinear equations: one unknown is torn, the other follows from it.
TEST(Reduction, LoopsAreTorn) {
  Model m("loop");
  const Expr x = m.state("x", 1.0), a = m.variable("a", 0.5), b = m.variable("b");
  m.equation(der(x), -a);
  m.equation(a, cos(b) * x);
  m.equation(b, a + 0.1 * sin(a));
  BuildReport report;
  const System system = m.build({}, &report);
  EXPECT_EQ(report.states, 1);
  EXPECT_EQ(report.algebraic, 1);
  const Instant end = simulate(system, {.end = 1, .tolerance = 1e-10}).final();
  EXPECT_NEAR(end["b"], end["a"] + 0.1 * std::sin(end["a"]), 1e-15);
  EXPECT_NEAR(end["a"], std::cos(end["b"]) * end["x"], 1e-10);
}

}  // namespace
}  // namespace pawl::model
