// What goes wrong on the way is an outcome; everything computed before it survives.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"
#include "stepper_of.hpp"

namespace pawl {
namespace {

using testing::says;

/// x' = 1, y' = sqrt(1 - x): not a number from t = 1 on.
System root() {
  System system("root");
  const auto x = system.state("x", 0), y = system.state("y", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = 1.0;
    d[y] = sqrt(1 - at[x]);
  });
  return system;
}

TEST(Failure, NotANumberFromTheModelStopsTheRunThere) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 2, .method = method.name};
    if (!method.is_adaptive) options.step = 1.0 / 128;
    const Result run = simulate(root(), options);
    EXPECT_EQ(run.outcome, Outcome::failed);
    // The steps of adams die of the infinite slope of y' before one of them meets a rate that is none.
    EXPECT_TRUE(says(run.reason, {"t = ", "'y'", method.name == "adams" ? "error test" : "not finite", "try:"}));
    EXPECT_GT(run.t_end, 0.9);
    // x has the rounding of its steps; Euler looks only at the start of its own.
    EXPECT_LE(run.t_end, method.is_adaptive ? 1 + 1e-14 : 1 + 1.0 / 128);
    EXPECT_NEAR(run.at(0.5)["y"], 2.0 / 3 * (1 - std::pow(0.5, 1.5)), 5e-3);  // Euler's error at this step
    EXPECT_EQ(run.final()["x"], run.sample(run.sample_count() - 1)["x"]);
    if (method.is_adaptive) {
      EXPECT_NEAR(run.t_end, 1, 1e-10);
    }
  }
}

TEST(Failure, NotANumberSaysExactlyThis) {
  const Result run = simulate(root(), {.end = 2, .method = "rk4", .step = 1.0 / 8});
  EXPECT_EQ(
      run.reason,
      "t = 1: after a fixed step of 0.125 the state 'y' is not finite.\n"
      "  likely: the step is too large for stability, the solution grows without bound, or the model divides by zero "
      "here\n"
      "  try:    a smaller step, or an adaptive method");
  EXPECT_EQ(run.t_end, 1);
}

TEST(Failure, AFinishedRunIsFiniteEverywhere) {
  // The rate of q ends at the last instant: stages of the dense output beyond it are not finite, the step itself is.
  System edge("edge");
  const auto z = edge.state("z", 0), q = edge.state("q", 0);
  const auto a = edge.parameter("a", 1);
  edge.rates([=](const auto& at, auto& d) {
    d[z] = 1.0;
    d[q] = pow(at[a] - at[z], 1.5);
  });
  int lower = 0;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    for (double end = 0.1; end < 2; end += 0.1) {
      Values values(edge);
      values[a] = end;
      Options options{.end = end, .tolerance = 1e-4, .method = method.name};
      if (!method.is_adaptive) options.step = 0.05;
      const Result run = simulate(edge, values, options);
      lower += !run.messages.empty();
      for (int i = 0; i <= 200; ++i) {
        const double t = i == 200 ? run.t_end : run.t_end * i / 200;
        ASSERT_TRUE(std::isfinite(run.at(t)[q])) << "t = " << t << " of " << run.t_end;
      }
      for (const Message& message : run.messages)
        EXPECT_TRUE(says(message.text, {"a rate is not finite", "lower accuracy"}));
    }
  }
  EXPECT_GT(lower, 0);  // it did happen
}

TEST(Failure, AnInfiniteStateIsNeverAccepted) {
  System system("overflow");
  const auto x = system.state("x", 1.7e308);
  system.rates([=](const auto&, auto& d) { d[x] = 1e306; });
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 100, .method = method.name};
    if (method.is_adaptive)
      options.first_step = 1e-3;
    else
      options.step = 0.5;
    const Result run = simulate(system, options);
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(std::isfinite(run.final()[x]));
    EXPECT_LT(run.t_end, 10);
  }
}

TEST(Failure, ABlackBoxThatForgetsARateIsNoticed) {
  System system("forgetful");
  const auto x = system.state("x", 1);
  system.state("y", 1);
  system.rates([=](const Point<double>& at, Rates<double>& d) { d[x] = -at[x]; });
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 1, .method = method.name};
    if (!method.is_adaptive) options.step = 0.5;
    const Result run = simulate(system, options);
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"'y'", "not finite"}));
  }
}

TEST(Failure, NotANumberAtTheStartIsSeenAtOnce) {
  System system("bad");
  const auto x = system.state("x", -1);
  system.rates([=](const auto& at, auto& d) { d[x] = log(at[x]); });
  const Result run = simulate(system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "t = 0: the rate of 'x' is not finite.\n"
            "  likely: division by zero, a root or logarithm of a negative number, or d[x] is never assigned\n"
            "  try:    check the start values, the parameters and the rate of 'x'");
  EXPECT_EQ(run.statistics.rhs, 1);
  EXPECT_EQ(run.statistics.steps_accepted, 0);
  EXPECT_EQ(run.final()["x"], -1);
}

TEST(Failure, ASolutionThatBlowsUpEndsInACollapseOfTheStep) {
  System system("blow-up");  // x' = x², x = 1 / (1 - t)
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = sqr(at[x]); });
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    SCOPED_TRACE(method.name);
    const Result run = simulate(system, {.end = 2, .tolerance = 1e-6, .method = method.name});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"'x'", "likely:", "try:"}));
    EXPECT_NEAR(run.t_end, 1, 1e-4);
    EXPECT_NEAR(run.at(0.5)[x], 2, 1e-3);
  }
}

TEST(Failure, AJumpWithoutEndCollapsesTheStepAndNamesTheState) {
  // x' = 1/(0.5 - t)^2 in a black box that hides the pole: the error test can never pass across it.
  System system("pole");
  const auto x = system.state("harmless", 0), y = system.state("pole", 2);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    d[x] = 0;
    d[y] = 1 / sqr(0.5 - at.t) + 1e-300;
  });
  const Result run = simulate(system, {.end = 1, .method = "dormand-prince-5"});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'pole'"}));
  EXPECT_LT(run.t_end, 0.5);
  EXPECT_NEAR(run.t_end, 0.5, 1e-6);
}

// Near t = 0 no step is shorter than 16 ε 1e-12 of what is left to go. A run of reasonable length never gets there in
// its first attempt, and is told nothing of it.
TEST(Failure, OfARunThatIsFarTooLongSaysWhichStepsItCannotTake) {
  System system("pendulum");
  const auto angle = system.state("angle", 1), speed = system.state("speed", 0);
  system.rates([=](const auto& at, auto& d) {
    d[angle] = at[speed];
    d[speed] = -sin(at[angle]);
  });
  const Result run = simulate(system, {.end = 1e100, .method = "dop853"});
  ASSERT_EQ(run.outcome, Outcome::failed);
  const std::string hint = "; or an end nearer to t = 0: with 1e+100 left to go, no step below 3.6e+73 is taken";
  EXPECT_TRUE(run.reason.ends_with(hint)) << run.reason;
  const Result short_run = simulate(root(), {.end = 2});
  EXPECT_FALSE(says(short_run.reason, {"left to go"}));
}

TEST(Failure, AFixedStepThatIsTooLongIsNamed) {
  System system("fast");
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = -1e6 * at[x]; });
  const Result run = simulate(system, {.end = 1000, .method = "euler", .step = 1.0});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"after a fixed step of 1 the state 'x' is not finite", "smaller step"}));
  EXPECT_TRUE(std::isfinite(run.final()[x]));
}

TEST(Failure, AnExceptionFromTheModelIsAnOutcome) {
  System system("throws");
  const auto x = system.state("x", 0);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    if (at.t > 0.5) throw std::runtime_error("table ends at 0.5");
    d[x] = 1;
  });
  const Result run = simulate(system, {.end = 1, .max_step = 0.01});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"a function of the model threw: table ends at 0.5"}));
  EXPECT_NEAR(run.t_end, 0.5, 0.02);
  EXPECT_NEAR(run.final()[x], run.t_end, 1e-12);
}

TEST(Failure, AnExceptionAnywhereLeavesAResultThatCanBeRead) {
  for (const Method& method :
       methods()) {  // also in the rate at the end, which some methods need for dense output alone
    SCOPED_TRACE(method.name);
    System system("throws");
    const auto x = system.state("x", 0);
    system.rates([=](const Point<double>& at, Rates<double>& d) {
      if (at.t > 0.5) throw std::runtime_error("table ends at 0.5");
      d[x] = 1;
    });
    Options options{.end = 1, .method = method.name};
    if (testing::takes_fixed_steps(method))
      options.step = 0.01;
    else
      options.max_step = 0.01;
    const Result run = simulate(system, options);
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_EQ(run.sample(run.sample_count() - 1).t, run.t_end);
    EXPECT_EQ(run.statistics.steps_accepted, run.sample_count() - 1);
    for (int i = 0; i < 1000; ++i) EXPECT_NEAR(run.at(run.t_end * i / 1000)[x], run.t_end * i / 1000, 1e-12);
  }
}

TEST(Failure, AnObservableThatThrowsIsAnOutcome) {
  System system("watched");
  const auto x = system.state("x", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  system.observable("bad", [](const auto&) -> double { throw std::runtime_error("no such thing"); });
  const Result run = simulate(system, {.end = 1, .keep = Keep::end});  // its range is followed along the way
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason, "t = 0: a function of the model threw: no such thing");
  const Result kept = simulate(system, {.end = 1});  // nobody asks for it
  EXPECT_TRUE(kept.finished());
  EXPECT_THROW(static_cast<void>(kept.range(Observable{0})), std::runtime_error);
}

TEST(Failure, AThrowingProgressCallbackIsNotTheModelsFault) {
  const Problem& problem = find_problem("lorenz");
  const Result run =
      simulate(problem.system,
               {.end = 1, .progress = [](const Progress&) -> bool { throw std::runtime_error("window closed"); }});
  EXPECT_TRUE(says(run.reason, {"the progress callback threw: window closed"}));
}

TEST(Failure, AnythingThrownIsAnOutcome) {
  System system("throws");
  const auto x = system.state("x", 0);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    if (at.t > 0.5) throw 42;
    d[x] = 1;
  });
  const Result run = simulate(system, {.end = 1, .max_step = 0.01});
  EXPECT_TRUE(says(run.reason, {"a function of the model threw something that is no std::exception"}));
  EXPECT_NEAR(run.t_end, 0.5, 0.02);
}

TEST(Failure, TheUserCanStopARunAndKeepsWhatThereIs) {
  const Problem& problem = find_problem("lorenz");
  long long last = 0;
  const Result run = simulate(problem.system, {.end = 10, .progress = [&](const Progress& progress) {
                                                 EXPECT_EQ(progress.steps, last + 1);
                                                 EXPECT_EQ(progress.end, 10);
                                                 last = progress.steps;
                                                 return progress.t < 3;
                                               }});
  EXPECT_EQ(run.outcome, Outcome::stopped);
  EXPECT_TRUE(says(run.reason, {"stopped by the user at t = 3."}));
  EXPECT_GE(run.t_end, 3);
  EXPECT_LT(run.t_end, 3.5);
  EXPECT_EQ(run.statistics.steps_accepted, last);
  EXPECT_NO_THROW(static_cast<void>(run.at(2.9)));
  const Result whole =
      simulate(problem.system, {.end = 1, .progress = [](const Progress& progress) { return progress.t < 1; }});
  EXPECT_TRUE(whole.finished());  // stopping at the end stops nothing
}

TEST(Stiffness, IsSeenAndTheFastestStateIsNamed) {
  System system("stiff");  // a fast state that follows a slow one
  const auto slow = system.state("slow", 1), fast = system.state("fast", 1);
  system.rates([=](const auto& at, auto& d) {
    d[slow] = -at[slow];
    d[fast] = -2000 * (at[fast] - cos(at[slow]));
  });
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    SCOPED_TRACE(method.name);
    const Result run = simulate(system, {.end = 5, .tolerance = 1e-4, .method = method.name, .keep = Keep::end});
    ASSERT_TRUE(run.finished());
    if (method.is_implicit()) {  // no trouble for them, unless functional iteration has to converge
      EXPECT_TRUE(run.messages.empty());
      EXPECT_EQ(run.statistics.steps_accepted > 1000, method.name == "adams") << run.statistics.steps_accepted;
      continue;
    }
    ASSERT_EQ(run.messages.size(), 1u);
    EXPECT_EQ(run.messages[0].level, Message::Level::warning);
    EXPECT_TRUE(
        says(run.messages[0].text, {"looks stiff", "fastest eigenvalue -2e+03", "mostly in 'fast'", "Try", "radau"}));
  }
}

TEST(Stiffness, IsSeenBackwardAndWithAbsoluteTolerancesAlone) {
  System system("stiff backward");
  const auto slow = system.state("slow", 1), fast = system.state("fast", 1);
  system.rates([=](const auto& at, auto& d) {
    d[slow] = at[slow];
    d[fast] = 2000 * (at[fast] - cos(at[slow]));
  });
  const Result run =
      simulate(system, {.end = -5, .tolerance = {0, 1e-4}, .method = "dormand-prince-5", .keep = Keep::end});
  ASSERT_EQ(run.messages.size(), 1u);
  EXPECT_TRUE(says(run.messages[0].text, {"fastest eigenvalue 2e+03", "mostly in 'fast'"}));
}

TEST(Stiffness, IsNotSeenWhereThereIsNone) {
  for (const Problem& problem : catalogue()) {
    if (problem.is_stiff() || problem.is_implicit() || problem.name() == "sphere-box") continue;  // no method steps it
    if (problem.name() == "rolling-sphere-slip" || problem.name() == "flail")
      continue;  // stiff: friction turns ever faster as slip in space ends
    for (const Method& method : methods()) {
      if (!method.is_adaptive || method.is_implicit()) continue;
      SCOPED_TRACE(problem.name() + " " + method.name);
      const double tolerance = method.order < 3 ? 1e-4 : 1e-7;
      const Result run = simulate(
          problem.system, {.end = problem.end, .tolerance = tolerance, .method = method.name, .keep = Keep::end});
      for (const Message& message : run.messages) EXPECT_NE(message.level, Message::Level::warning) << message.text;
    }
  }
}

/// y falls to 0 at t = 1 and is held there by both sides of a switch that no guard declares.
System held_by_a_switch() {
  System system("switch inside the rates");
  const auto x = system.state("x", 0), y = system.state("y", 1);
  system.rates([=](const auto& at, auto& d) {
    d[x] = 1.0;
    d[y] = select(at[y], -1.0 + 0 * at[y], 2.0 + 0 * at[y]);
  });
  return system;
}

TEST(Failure, ASwitchInsideTheRatesThatHoldsTheMotionIsNamed) {
  for (const char* method : {"auto", "tsitouras-5", "dormand-prince-5", "dop853", "verner-9"}) {
    for (const double tolerance : {1e-6, 1e-9}) {
      SCOPED_TRACE(fmt::format("{} at {}", method, tolerance));
      const Result run =
          simulate(held_by_a_switch(), {.end = 1000, .tolerance = tolerance, .method = method, .keep = Keep::end});
      EXPECT_EQ(run.outcome, Outcome::failed);
      EXPECT_GT(run.t_end, 1);
      EXPECT_LT(run.t_end, 12);
      ASSERT_TRUE(run.ending);
      EXPECT_EQ(run.ending->code, MessageCode::rates_jump);
      const double advance = std::get<double>(run.ending->data.back().value);
      EXPECT_EQ(run.reason,
                fmt::format(
                    "t = {:.10g}: the rate of 'y' jumps back and forth between -1 and 2 from one step to the next, and "
                    "the motion stays where it jumps: the last 10000 steps have come only {:.2g} further.\n"
                    "  likely: a select or a comparison inside the rates switches here, and both sides push onto the "
                    "switch\n"
                    "  try:    declare the switch as a relay, which slides along its surface, or make it smooth",
                    run.t_end, advance));
    }
  }
}

TEST(Failure, AFastOscillationIsNoSwitch) {
  System system("fast");
  const auto x = system.state("x", 1), v = system.state("v", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -1e10 * at[x];
  });
  int steps = 0;  // enough to have been looked at
  const Result run =
      simulate(system, {.end = 1000, .tolerance = 1e-3, .keep = Keep::end, .progress = [&](const Progress&) {
                          return ++steps < 21'000;
                        }});
  EXPECT_EQ(run.outcome, Outcome::stopped) << run.reason;
}

}  // namespace
}  // namespace pawl
