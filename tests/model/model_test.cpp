// Models written as equations and sentences: tanks, counters, initial equations, and what their runs say.
#include "pawl/model/model.hpp"

#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

// Torricelli: level' = -k sqrt(level), so sqrt(level) falls linearly, from 1 to sqrt(0.25) in 0.5 / (k / 2); then it is
// filled again.
TEST(Model, ATankIsFilledWheneverItIsLow) {
  Model tank("tank");
  const Expr level = tank.state("level", 1.0), flow = tank.variable("flow");
  const Expr area = tank.parameter("area", 2.0), width = area * area;
  const Expr fills = tank.discrete("fills", 0);
  tank.equation(flow, 0.4 * sqrt(level));
  tank.equation(der(level), -flow / width);
  const Expr low = tank.relation("low", 0.25 - level);
  tank.when(low, [&](When& when) {
    when.reinit(level, 1.0);
    when.assign(fills, pre(fills) + 1);
  });
  const System system = tank.build();
  const Result run = simulate(system, {.end = 45, .tolerance = 1e-12});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double period = 0.5 / (0.1 / 2);
  const std::vector<double> times = run.times_of(Discrete<int>{0});
  ASSERT_EQ(times.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(times[k], (static_cast<double>(k) + 1) * period, 1e-9);
  EXPECT_EQ(run.final()["fills"], 4);
  EXPECT_NEAR(run.final()["level"], std::pow(1 - 0.05 * 5, 2), 1e-9);
  EXPECT_NEAR(run.final()["flow"], 0.4 * (1 - 0.05 * 5), 1e-9);
  // A dependent parameter follows its parameter.
  Values wide(system);
  wide.set("area", 4.0);
  EXPECT_EQ(simulate(system, wide, {.end = 45, .tolerance = 1e-10}).final()["fills"], 1);
}

TEST(Model, ACounterCountsTicksAndCarries) {
  Model clock("clock");
  const Expr x = clock.state("x", 0.0), ones = clock.discrete("ones", 0), tens = clock.discrete("tens", 0),
             full = clock.discrete("full", false), sum = clock.discrete("sum", 0.0);
  clock.equation(der(x), 1.0);
  const Expr tick = clock.every(0.125);
  // Written before what it depends on: the order of sentences does not matter.
  clock.when(full, [&](When& when) {
    when.assign(tens, pre(tens) + 1);
    when.assign(ones, 0);
  });
  clock.when(tick, [&](When& when) {
    when.assign(ones, pre(ones) + 1);
    when.assign(sum, pre(sum) + x);
  });
  clock.always(full, ones >= 10.0);
  const Result run = simulate(clock.build(), {.end = 3, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.events.size(), 24U);
  EXPECT_EQ(run.final()["ones"], 4);
  EXPECT_EQ(run.final()["tens"], 2);
  EXPECT_NEAR(run.final()["sum"], 0.125 * 24 * 25 / 2, 1e-9);
}

TEST(Model, ABallBouncesThroughAnAlias) {
  Model ball("ball");
  const Expr height = ball.state("height", 1.0), speed = ball.state("speed", 0.0), down = ball.variable("down");
  const Expr g = ball.parameter("g", 9.81), e = ball.parameter("e", 0.5), count = ball.discrete("count", 0);
  ball.equation(down, -speed);
  ball.equation(der(height), speed);
  ball.equation(der(speed), -g);
  const Expr below = ball.relation("below", -height);
  ball.when(below, [&](When& when) {
    when.reinit(down, -e * down);  // an alias with a sign
    when.assign(count, pre(count) + 1);
  });
  ball.when(count >= 3.0, [&](When& when) { when.terminate("three bounces"); });
  const Result run = simulate(ball.build(), {.end = 10, .tolerance = 1e-10});
  EXPECT_EQ(run.outcome, Outcome::terminated);
  const double fall = std::sqrt(2 / 9.81);
  const std::vector<double> times = run.times_of(Discrete<int>{0});
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0], fall, 1e-10);
  EXPECT_NEAR(times[1], 2 * fall, 1e-10);
  EXPECT_NEAR(times[2], 2.5 * fall, 1e-10);
}

TEST(Model, StartsFollowParameters) {
  Model m("start");
  const Expr p = m.parameter("p", 3.0), x = m.state("x", p * p), y = m.state("y", 1.0);
  m.equation(der(x), -x);
  m.equation(der(y), 0.0);
  const System system = m.build();
  EXPECT_EQ(Values(system).start(), (std::vector<double>{9, 1}));
  Values other(system);
  other.set("p", 2.0);
  EXPECT_EQ(other.start(), (std::vector<double>{4, 1}));
}

// A second-order unknown: x'' = -x as it stands.
TEST(Model, SecondDerivativesAreStatesOfTheirOwn) {
  Model m("oscillator");
  const Expr x = m.state("x", 1.0);
  m.equation(der(der(x)), -x);
  const Result run = simulate(m.build(), {.end = 2, .tolerance = 1e-11});
  EXPECT_NEAR(run.final()["x"], std::cos(2), 1e-9);
  EXPECT_NEAR(run.final()["der(x)"], -std::sin(2), 1e-9);
}

TEST(Model, IsBuiltByManyThreadsAtOnce) {
  Model m("shared");
  const Expr x = m.state("x", 1.0), y = m.variable("y");
  m.equation(der(x), -y);
  m.equation(y, 2.0 * x);
  std::vector<double> ends(4, 0.0);
  std::vector<std::thread> threads;
  for (double& end : ends)
    threads.emplace_back([&] { end = simulate(m.build(), {.end = 1, .tolerance = 1e-9}).final()["x"]; });
  for (std::thread& thread : threads) thread.join();
  for (const double end : ends) EXPECT_EQ(end, ends.front());
  EXPECT_NEAR(ends.front(), std::exp(-2), 1e-8);
}

TEST(Model, DerivativesOfExpressionsAreTaken) {
  Model m("product");
  const Expr x = m.state("x", 1.0), y = m.state("y", 2.0);
  m.equation(der(x * y), x * y);  // so x y = 2 exp(t)
  m.equation(der(y), 1.0);
  const Result run = simulate(m.build(), {.end = 1, .tolerance = 1e-11});
  EXPECT_NEAR(run.final()["x"], 2 * std::exp(1) / 3, 1e-9);
}

// ---- Initial equations ----

TEST(InitialEquations, StartInTheSteadyState) {
  for (const auto execution : {Execution::automatic, Execution::interpreted}) {
    Model m("heater");
    const Expr T = m.state("T", 1.0), heat = m.variable("heat"), p = m.parameter("p", 5.0);
    m.equation(heat, p * (3.0 - tanh(T)));
    m.equation(der(T), heat - 2.0 * T);
    m.initial_equation(der(T), 0.0);
    const Result run = simulate(m.build({execution}), {.end = 1, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    const double start = run.at(0)["T"];
    EXPECT_NEAR(2 * start, 5 * (3 - std::tanh(start)), 1e-12);
    EXPECT_NEAR(run.final()["T"], start, 1e-9);
  }
}

TEST(InitialEquations, MoveAsLittleAsTheyMust) {
  Model m("two");
  const Expr x = m.state("x", 3.0), y = m.state("y", 4.0), z = m.variable("z"), k = m.state("k", 7.0);
  m.equation(der(x), -y);
  m.equation(der(y), x);
  m.equation(z, x + y);
  m.equation(der(k), -k);
  m.initial_equation(z, 9.0);
  const Result run = simulate(m.build(), {.end = 0.1, .tolerance = 1e-9});
  const Instant start = run.at(0);
  EXPECT_NEAR(start["z"], 9, 1e-12);
  EXPECT_EQ(start["k"], 7);
}

TEST(InitialEquations, FollowTheConditionsInForce) {
  Model m("valve");
  const Expr x = m.state("x", -1.0), open = m.relation("open", x - 1.0);
  m.equation(der(x), choose(open, 4.0 - x, 2.0 + x));
  m.initial_equation(sqr(x), 4.0 + 12.0 * choose(open, 0.0, 1.0));  // -4 while it is closed
  const Result run = simulate(m.build(), {.end = 0.1, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0)["x"], -4, 1e-12);
}

TEST(InitialEquations, SayWhichOneCannotBeMet) {
  Model m("contradiction");
  const Expr x = m.state("x", 1.0);
  m.equation({"m.mo", 1}, der(x), -x);
  m.initial_equation({"m.mo", 2}, sqr(x) + 1.0, 0.0);
  const Result run = simulate(m.build(), {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(
      run.reason,
      "t = 0: no start meets the initial equations: 1 + sqr(x) = 0 (m.mo:2) is off by 1 where they are met best.\n"
      "  likely: they contradict each other or the equations, or the start values are far away\n"
      "  try:    fewer initial equations, or start values nearer to a solution");
}

// ---- Not finite ----

TEST(NotFinite, AFailedRunNamesTheFirstBadOperation) {
  Model tank("tank");
  const Expr level = tank.state("level", 1.0), flow = tank.variable("flow");
  tank.equation({"tank.mo", 14}, flow, sqrt(level - 0.2));
  tank.equation({"tank.mo", 15}, der(level), -1.0 - flow);
  const Result run = simulate(tank.build(), {.end = 10, .tolerance = 1e-8});
  EXPECT_EQ(run.outcome, Outcome::failed);
  const std::string reason = run.reason;
  const auto line = reason.find("\n  first:  ");
  ASSERT_NE(line, std::string::npos) << reason;
  const std::string first = reason.substr(line + 11);
  EXPECT_TRUE(first.starts_with("sqrt(level - 0.2) at tank.mo:14 with level = 0.")) << first;
  EXPECT_NEAR(std::stod(first.substr(first.rfind('=') + 1)), 0.2, 1e-3);
}

TEST(NotFinite, AStartThatCannotBeEvaluatedSaysWhere) {
  Model m("start");
  const Expr x = m.state("x", -1.0), y = m.variable("y");
  m.equation({"m.mo", 3}, der(x), y);
  m.equation({"m.mo", 4}, y + sin(y), log(x));
  const Result run = simulate(m.build(), {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 0: no consistent values: y + sin(y) = log(x) (m.mo:4) is not finite at the guess.\n"
            "  try:    start values for which the model can be evaluated\n"
            "  first:  log(x) at m.mo:4 with x = -1");
}

// ---- Misuse ----

TEST(ModelMisuse, IsRefusedWithWholeSentences) {
  Model m("m"), other("other");
  const Expr x = m.state("x", 1.0), foreign = other.state("z", 1.0);
  EXPECT_EQ(misuse_of([&] { m.state("x", 2.0); }), "model 'm': the name 'x' is taken");
  EXPECT_EQ(misuse_of([&] { m.equation(foreign, 0.0); }), "model 'm' is given an expression of another model: 'z'");
  EXPECT_EQ(misuse_of([&] { m.when(x, [](When&) {}); }),
            "model 'm': when (x) reads something that moves: declare it as a relation, whose truth is held, and write "
            "when (relation)");
  EXPECT_EQ(misuse_of([&] { m.state("y", x); }),
            "model 'm': the start of an unknown is 'x', which moves; parameters and numbers are allowed");
  EXPECT_EQ(misuse_of([&] { m.always(x, 1.0); }), "model 'm': 'x' is assigned, and it is no discrete variable");
  EXPECT_EQ(misuse_of([&] { Model("empty").build(); }), "model 'empty' has no unknowns and no equations");
}

TEST(ModelMisuse, WhatFollowsFromOthersIsNotReinitialized) {
  Model m("m");
  const Expr x = m.state("x", 1.0), y = m.variable("y");
  m.equation(der(x), -x);
  m.equation(y, 2.0 * x);
  m.when(m.at(1.0), [&](When& when) { when.reinit(y, 0.0); });
  EXPECT_EQ(misuse_of([&] { m.build(); }),
            "model 'm': 'y' is reinitialized, and it is no state: it follows from others, as 2 * x");
}

}  // namespace
}  // namespace pawl::model
