// Equations that hold at the start of a run alone, declared with lambdas.
#include <cmath>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using pawl::testing::misuse_of;

// x' = a x - x³ + b, at rest where the cubic vanishes: with a = 1, b = 6 at x = 2.
TEST(InitialEquations, ARunMayStartAtRest) {
  System flow("flow");
  const auto x = flow.state("x", 1.5);
  const auto a = flow.parameter("a", 1), b = flow.parameter("b", 6);
  flow.rates([=](const auto& at, auto& d) { d[x] = at[a] * at[x] - at[x] * sqr(at[x]) + at[b]; });
  flow.initial("at rest", {"x' = 0"}, [=](const auto& at, auto& out) { out[0] = at[dot(x)]; });
  const Result run = simulate(flow, {.end = 1, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0)[x], 2, 1e-14);
  EXPECT_NEAR(run.final()[x], 2, 2e-10);  // the tolerance of the run
  // Another value of a parameter, another start: x³ - x - 24 = 0 at x = 3.
  Values values(flow);
  values[b] = 24;
  EXPECT_NEAR(simulate(flow, values, {.end = 1}).at(0)[x], 3, 1e-13);
}

TEST(InitialEquations, AlgebraicUnknownsFollowAndOtherStatesStay) {
  System circuit("circuit");
  const auto u = circuit.state("u", 1), w = circuit.state("w", 5), i = circuit.state("i", 0);
  circuit.rates([=](const auto& at, auto& d) {
    d[u] = -at[i];
    d[w] = at[u] - at[w];
  });
  circuit.equation("resistor", [=](const auto& at) { return at[i] + 0.1 * at[i] * sqr(at[i]) - at[u]; });
  circuit.initial("current", {"i = 2"}, [=](const auto& at, auto& out) { out[0] = at[i] - 2; });
  const Result run = simulate(circuit, {.end = 0.1, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0)[i], 2, 1e-13);
  EXPECT_NEAR(run.at(0)[u], 2.8, 1e-13);
  EXPECT_EQ(run.at(0)[w], 5);
}

// Of x + y = 4 from (1, 1) the nearest point is (2, 2).
TEST(InitialEquations, OfManySolutionsTheNearestIsTaken) {
  System plane("plane");
  const auto x = plane.state("x", 1), y = plane.state("y", 1);
  plane.rates([=](const auto& at, auto& d) {
    d[x] = -at[y];
    d[y] = at[x];
  });
  plane.initial("sum", {"x + y = 4"}, [=](const auto& at, auto& out) { out[0] = at[x] + at[y] - 4; });
  const Instant start = simulate(plane, {.end = 0.1}).at(0);
  EXPECT_NEAR(start[x], 2, 1e-14);
  EXPECT_NEAR(start[y], 2, 1e-14);
}

TEST(InitialEquations, WhatCannotBeMetIsAnOutcome) {
  System plane("plane");
  const auto x = plane.state("x", 1);
  plane.rates([=](const auto& at, auto& d) { d[x] = at[x]; });
  plane.initial("two", {"x = 2", "x = 3"}, [=](const auto& at, auto& out) {
    out[0] = at[x] - 2;
    out[1] = at[x] - 3;
  });
  const Result run = simulate(plane, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 0: no start meets the initial equations: x = 2 is off by 0.5 where they are met best.\n"
            "  likely: they contradict each other or the equations, or the start values are far away\n"
            "  try:    fewer initial equations, or start values nearer to a solution");
  EXPECT_EQ(misuse_of([&] { plane.initial("none", {}, [](const auto&, auto&) {}); }),
            "system 'plane', initial equations 'none': 0 of them; at least one is needed");
}

}  // namespace
}  // namespace pawl
