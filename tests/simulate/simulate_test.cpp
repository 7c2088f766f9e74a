#include "pawl/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "integrate/methods.hpp"
#include "pawl/integrate.hpp"
#include "pawl/tableaus.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

TEST(Simulate, RunsForwardAndBackToWhereItBegan) {
  const Problem& problem = find_problem("brusselator");
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 2, .tolerance = 1e-8, .method = method.name};
    if (!method.is_adaptive || method.order < 3) options.step = 1e-4;
    const Result there = simulate(problem.system, options);
    ASSERT_TRUE(there.finished());
    Values turned(problem.system);
    turned.set("u", there.final()["u"]);
    turned.set("v", there.final()["v"]);
    options.start = 2;
    options.end = 0;
    const Result back = simulate(problem.system, turned, options);
    ASSERT_TRUE(back.finished());
    const double tolerance = method.order == 1 ? 2e-2 : 1e-5;  // first order with this step
    EXPECT_NEAR(back.final()["u"], 1.5, tolerance);
    EXPECT_NEAR(back.at(1)["v"], there.at(1)["v"], tolerance);
    EXPECT_EQ(back.at(2)["u"], there.final()["u"]);
  }
}

TEST(Simulate, TheTrajectoryIsContinuousAndAsAccurateBetweenTheStepsAsAtThem) {
  const Problem& problem = find_problem("kepler");  // known in closed form everywhere
  const Values values(problem.system);
  for (const Method& method : methods()) {
    if (!method.is_adaptive || method.order < 3) continue;
    SCOPED_TRACE(method.name);
    const Result run = simulate(problem.system, {.end = 6, .tolerance = 1e-8, .method = method.name});
    double at_steps = 0, between = 0;
    for (int i = 1; i < run.sample_count(); ++i) {
      const Instant sample = run.sample(i);
      at_steps = std::max(at_steps, *error_against_reference(problem, values, sample.t, sample.states()));
      const double middle = (run.sample(i - 1).t + sample.t) / 2;
      between = std::max(between, *error_against_reference(problem, values, middle, run.at(middle).states()));
      const double before = std::nextafter(sample.t, -1);
      EXPECT_NEAR(run.at(before)["x"], sample["x"], 1e-13);
    }
    // The ends of Radau's steps are better than its tolerance asks for, the insides as good as it asks.
    EXPECT_LT(between, std::max(20 * at_steps, 1e-8));
  }
}

TEST(Simulate, WhatIsKeptDoesNotChangeTheEnd) {
  const Problem& problem = find_problem("lorenz");
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 5, .tolerance = 1e-6, .method = method.name, .times = {1.25, 0, 5, 3.5}};
    if (!method.is_adaptive) options.step = 1e-3;
    const Result everything = simulate(problem.system, options);
    options.keep = Keep::samples;
    const Result samples = simulate(problem.system, options);
    options.keep = Keep::end;
    const Result end = simulate(problem.system, options);
    EXPECT_EQ(everything.final_state, end.final_state);
    EXPECT_EQ(samples.final_state, end.final_state);
    EXPECT_EQ(end.sample_count(), 0);
    ASSERT_EQ(samples.sample_count(), 4);
    EXPECT_EQ(samples.sample(0).t, 0);
    EXPECT_EQ(samples.sample(1).t, 1.25);
    EXPECT_EQ(samples.sample(1).states(), everything.at(1.25).states());
    EXPECT_EQ(samples.sample(3).states(), end.final_state);
    EXPECT_TRUE(samples.trajectory.coefficients.empty());
    EXPECT_LE(samples.statistics.rhs, everything.statistics.rhs);  // a polynomial costs only where it is asked for
  }
}

TEST(Simulate, SamplesAcceptedStepsAndRequestedTimesInOrder) {
  const Problem& problem = find_problem("rigid-body");
  const Result run = simulate(problem.system, {.end = 4, .samples = 8});
  int requested = 0;
  for (int i = 0; i < run.sample_count(); ++i) {
    if (i > 0) {
      EXPECT_GT(run.sample(i).t, run.sample(i - 1).t);
    }
    if (run.was_requested(i)) {
      EXPECT_DOUBLE_EQ(run.sample(i).t, 0.5 * requested++);
    }
  }
  EXPECT_EQ(requested, 9);
  // start and end are both steps and requested times
  EXPECT_EQ(run.sample_count(), 9 + static_cast<int>(run.statistics.steps_accepted) + 1 - 2);
}

TEST(Simulate, NoStepIsLongerThanAllowed) {
  const Problem& problem = find_problem("rigid-body");
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    const Result run = simulate(
        problem.system, {.end = 1.005, .tolerance = 1e-3, .method = method.name, .max_step = 0.1, .keep = Keep::end});
    EXPECT_LE(run.statistics.max_step, 0.1 * (1 + 1e-14)) << method.name;  // rounding of the time
  }
}

TEST(Simulate, StartsAtAnyTimeOnAnyScale) {
  System clock("clock");
  const auto x = clock.state("x", 0);
  clock.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  for (const double start : {0.0, 1.0, 1e9, 1.7e12}) {
    for (const double span : {1e-12, 1e-3, 1.0, 1e6}) {
      if (start + span == start || span < 1e-13 * start) continue;
      const Result run = simulate(clock, {.start = start, .end = start + span});
      EXPECT_TRUE(run.finished()) << start << " + " << span << ": " << run.reason;
      EXPECT_NEAR(run.final()[x] / (run.t_end - start), 1, 1e-9) << start << " + " << span;
    }
  }
  for (const double start : {0.0, 1.0}) {
    const Result hinted = simulate(clock, {.start = start, .end = 2, .first_step = 1e-20});
    EXPECT_TRUE(hinted.finished()) << hinted.reason;
    EXPECT_LT(hinted.statistics.min_step, 1e-13);
  }
}

TEST(Simulate, PerComponentTolerancesAreObeyed) {
  System pair("pair");  // two equal oscillators, one of them tiny
  const auto x = pair.states("x", {1, 0}), y = pair.states("y", {1e-6, 0});
  pair.rates([=](const auto& at, auto& d) {
    for (const auto& z : {x, y}) {
      d[z[0]] = at[z[1]];
      d[z[1]] = -at[z[0]];
    }
  });
  const auto relative_error = [&](std::vector<double> absolute) {
    const Result run =
        simulate(pair, {.end = 20, .tolerance = {1e-12, std::move(absolute)}, .method = "dormand-prince-5"});
    return std::abs(run.final()[y[0]] / (1e-6 * std::cos(20)) - 1);
  };
  const double loose = relative_error({1e-6, 1e-6, 1e-6, 1e-6}), tight = relative_error({1e-6, 1e-6, 1e-14, 1e-14});
  EXPECT_LT(tight, 1e-5);
  EXPECT_GT(loose, 100 * tight);
}

TEST(Simulate, TheErrorFollowsTheTolerance) {
  for (const Method& method : methods()) {
    if (!method.is_adaptive || method.order < 5) continue;
    const Problem& problem = find_problem("brusselator");
    const auto error_with = [&](double tolerance) {
      const Result run =
          simulate(problem.system, {.end = 20, .tolerance = tolerance, .method = method.name, .keep = Keep::end});
      return *error_against_reference(problem, Values(problem.system), 20, run.final().states());
    };
    // error per step control: six decades of tolerance move the error by between four and eight; where s stages control
    // an error of order s + 1 and the ends of steps have order 2 s - 1, by up to 13 / 8 times as many
    const double decades = std::log10(error_with(1e-4) / error_with(1e-10));
    EXPECT_GT(decades, 4) << method.name;
    EXPECT_LT(decades, method.name.starts_with("radau") ? 13 : 8) << method.name;
  }
}

TEST(Simulate, TheSameInputGivesTheSameBits) {
  const Problem& problem = find_problem("pleiades");
  const Result one = simulate(problem.system, {.end = 3}), other = simulate(problem.system, {.end = 3});
  EXPECT_EQ(one.trajectory.coefficients, other.trajectory.coefficients);
  EXPECT_EQ(one.statistics.rhs, other.statistics.rhs);
}

TEST(Simulate, AutoSaysWhatItChoseAndWhy) {
  const Problem& problem = find_problem("rigid-body");
  const Result loose = simulate(problem.system, {.end = 1, .tolerance = 1e-3});
  EXPECT_EQ(loose.method, "tsitouras-5");
  const Result tight = simulate(problem.system, {.end = 1, .tolerance = 1e-11});
  EXPECT_EQ(tight.method, "verner-9");
  ASSERT_EQ(tight.messages.size(), 1u);
  EXPECT_EQ(tight.messages[0].text, "method auto: verner-9 (Verner 9(8) efficient), because: tolerance 1e-11");
  const Result fixed = simulate(problem.system, {.end = 1, .step = 0.01});
  EXPECT_EQ(fixed.method, "rk4");
}

TEST(Simulate, ObservablesRangeOverStartAndSteps) {
  System fall("fall");
  const auto x = fall.state("x", 0), v = fall.state("v", 3);
  fall.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -2.0;
  });
  const auto twice = fall.observable("twice", [=](const auto& at) { return 2 * at[x]; });
  const Result run = simulate(fall, {.end = 3, .method = "rk4", .step = 0.5});  // exact for a parabola
  EXPECT_DOUBLE_EQ(run.range(twice).max, 4.5);                                  // at t = 1.5, a step
  EXPECT_DOUBLE_EQ(run.range(twice).min, 0);
  EXPECT_DOUBLE_EQ(run.range(twice).variation(), 4.5);
  EXPECT_DOUBLE_EQ(run.range(x).max, 2.25);
  EXPECT_DOUBLE_EQ(run.at(0.25)[twice], 2 * (0.75 - 0.0625));
}

TEST(Simulate, AnObservableThatIsNoNumberIsNotHidden) {
  System system("root");
  const auto x = system.state("x", -1);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  const auto root = system.observable("root", [=](const auto& at) { return sqrt(at[x]); });
  const Result run = simulate(system, {.end = 4});
  EXPECT_TRUE(std::isnan(run.range(root).variation()));
}

TEST(Simulate, ParametersDifferPerRunAndTheResultOutlivesTheModel) {
  Result run;
  Observable double_amount{0};
  {
    System decay("decay");
    const auto amount = decay.state("amount", 1);
    const auto rate = decay.parameter("rate", 0.5);
    decay.rates([=](const auto& at, auto& d) { d[amount] = -at[rate] * at[amount]; });
    double_amount = decay.observable("double", [=](const auto& at) { return 2 * at[amount]; });
    Values values(decay);
    values[rate] = 2;
    run = simulate(decay, values, {.end = 1, .tolerance = 1e-10});
  }
  EXPECT_NEAR(run.final()["amount"], std::exp(-2), 1e-9);
  EXPECT_NEAR(run.final()[double_amount], 2 * std::exp(-2), 2e-9);
  EXPECT_EQ(run.final()["rate"], 2);
}

TEST(Integrate, InlinedReachesWhatSimulateReaches) {
  constexpr State x{0}, y{1}, z{2};
  const auto lorenz = [=](const auto& at, auto& d) {
    d[x] = 10 * (at[y] - at[x]);
    d[y] = at[x] * (28 - at[z]) - at[y];
    d[z] = at[x] * at[y] - 8.0 / 3 * at[z];
  };
  const Result run = integrate<verner_9>(lorenz, {1.0, 1.0, 1.0}, {.end = 10, .tolerance = 1e-12});
  EXPECT_NEAR(run.final()[x], -4.902687541134645731904, 1e-9);
  EXPECT_NEAR(run.at(10)[z], 24.69085810279055545322, 1e-9);
  EXPECT_EQ(run.method, "verner-9");
  EXPECT_EQ(run.state_names(), (std::vector<std::string>{"x1", "x2", "x3"}));
  const Result same = integrate(lorenz, std::array{1.0, 1.0, 1.0}, {.end = 1});
  EXPECT_EQ(same.method, "tsitouras-5");
}

}  // namespace
}  // namespace pawl
