#include "pawl/verify.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"
#include "verify/comparison.hpp"
#include "verify/growth.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;

Options options_of(const Problem& problem, double relative = 1e-6) {
  Options options;
  options.start = problem.start;
  options.end = problem.end;
  options.tolerance = relative;
  return options;
}

struct Checked {
  Result first;
  Verification verification;
};
Checked run_and_verify(const System& system, const Options& options, const VerifyOptions& how = {}) {
  Result first = simulate(system, options);
  Verification verification = verify(system, options, first, how);
  return {std::move(first), std::move(verification)};
}

const SecondRun& run_of(const Verification& verification, std::string_view what) {
  for (const SecondRun& run : verification.runs)
    if (run.what == what) return run;
  throw std::runtime_error("no such run: " + std::string(what));
}

/// x'' = -x.
struct Oscillator {
  System system{"oscillator"};
  State x = system.state("x", 1), v = system.state("v", 0);
  Oscillator() {
    system.rates([x = x, v = v](const auto& at, auto& d) {
      d[x] = at[v];
      d[v] = -at[x];
    });
  }
};

TEST(Verify, DifferencesAreThoseThatDigitsAreCountedFrom) {
  Oscillator oscillator;
  const auto [first, verification] = run_and_verify(oscillator.system, {.end = 20});
  ASSERT_EQ(verification.runs.size(), 2u);
  for (const SecondRun& run : verification.runs) {
    ASSERT_EQ(run.differences.size(), 2 * run.times.size());
    EXPECT_EQ(run.times.back(), 20);
    for (std::size_t i = 0; i < 2; ++i) {
      double largest = 0;
      for (std::size_t k = 0; k < run.times.size(); ++k)
        largest = std::max(largest, std::abs(run.differences[2 * k + i]));
      EXPECT_NEAR(-std::log10(largest / run.variables[i].scale), run.variables[i].digits, 1e-12) << run.what;
    }
  }
}

// The other runs are a hundred times more accurate, so what they differ by is the error of the first one.
TEST(Verify, AgreementOfSmoothRunsIsTheTrueErrorOfTheFirst) {
  const Problem& kepler = find_problem("kepler");
  for (const double relative : {1e-6, 1e-9}) {
    const auto [first, v] = run_and_verify(kepler.system, options_of(kepler, relative));
    EXPECT_EQ(v.verdict, Verdict::verified) << v.summary;
    EXPECT_TRUE(v.advice.empty());
    ASSERT_EQ(v.runs.size(), 2u);
    const std::vector<double> exact = *kepler.reference(Values(kepler.system), kepler.end);
    const SecondRun& tighter = run_of(v, "tighter tolerance");
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double error = std::abs(first.final().states()[i] - exact[i]) / tighter.variables[i].scale;
      EXPECT_NEAR(tighter.variables[i].digits_at_end, -std::log10(error), 0.1) << first.state_names()[i];
      EXPECT_LE(tighter.variables[i].digits, tighter.variables[i].digits_at_end);
    }
    EXPECT_NEAR(tighter.variables[0].scale, 2, 0.01);    // the major axis
    EXPECT_NEAR(tighter.variables[1].scale, 1.6, 0.01);  // the minor axis, 2 sqrt(1 - e^2)
  }
  const Problem& brusselator = find_problem("brusselator");
  EXPECT_TRUE(run_and_verify(brusselator.system, options_of(brusselator)).verification.is_verified());
}

TEST(Verify, TakesAnotherFamilyAndATighterToleranceOfTheSameMethod) {
  const Problem& problem = find_problem("brusselator");
  const auto used_after = [&](const std::string& method) {
    Options options = options_of(problem);
    options.method = method;
    const auto [first, v] = run_and_verify(problem.system, options);
    EXPECT_TRUE(v.is_verified()) << method << ": " << v.summary;
    EXPECT_EQ(run_of(v, "tighter tolerance").method, first.method);
    EXPECT_EQ(run_of(v, "tighter tolerance").how, first.method + ", relative tolerance 1e-08");
    return run_of(v, "another family").method;
  };
  EXPECT_EQ(used_after("auto"), "adams");
  EXPECT_EQ(used_after("tsitouras-5"), "adams");
  EXPECT_EQ(used_after("adams"), "verner-9");
  EXPECT_EQ(used_after("radau"), "bdf");
  EXPECT_EQ(used_after("rodas5p"), "bdf");
  EXPECT_EQ(used_after("bdf"), "radau");
}

TEST(Verify, KeepsTheChoiceOfMethodsWhereTheProblemIsStiff) {
  const Problem& problem = find_problem("robertson");
  const auto [first, v] = run_and_verify(problem.system, options_of(problem));
  EXPECT_TRUE(v.is_verified()) << v.summary;
  EXPECT_EQ(run_of(v, "another family").method, "bdf");
  EXPECT_TRUE(says(run_of(v, "another family").why, {"the problem is stiff"}));
  EXPECT_EQ(run_of(v, "tighter tolerance").how, "auto, relative tolerance 1e-08");
}

// A relaxation oscillation: the jumps of BDF come late by more than those of the first run, until it runs again.
TEST(Verify, RepeatsTheRunThatIsTheOddOneOut) {
  const Problem& problem = find_problem("vdpol");
  const auto [first, v] = run_and_verify(problem.system, options_of(problem));
  EXPECT_TRUE(v.is_verified()) << v.summary;
  EXPECT_EQ(run_of(v, "another family").how, "bdf, relative tolerance 1e-10");
  EXPECT_TRUE(says(run_of(v, "another family").why, {"repeated, for with 1e-08 it was the odd one out"}));
}

// The largest Lyapunov exponent of the Lorenz system is 0.9056 (Sprott, Chaos and Time-Series Analysis (2003)). The
// runs start on the attractor.
TEST(Verify, NamesChaosAndItsRate) {
  const Problem& problem = find_problem("lorenz");
  for (const auto& [x, y, z] : {std::array{13.7932, 12.9518, 34.9016}, std::array{0.3908, 0.4312, 14.9178},
                                std::array{-8.2376, -14.0840, 15.6148}}) {
    Values values(problem.system);
    values.set("x", x);
    values.set("y", y);
    values.set("z", z);
    Options options = options_of(problem, 1e-9);
    options.end = 60;
    const Result first = simulate(problem.system, values, options);
    const Verification v = verify(problem.system, values, options, first);
    EXPECT_EQ(v.verdict, Verdict::disagrees);
    EXPECT_TRUE(v.is_chaotic) << v.summary;
    ASSERT_TRUE(v.growth && v.t_parts);
    EXPECT_NEAR(v.growth->rate, 0.906, 0.3 * 0.906);
    EXPECT_GT(v.growth->e_foldings, 10);
    EXPECT_TRUE(
        says(v.summary, {"disagrees: the runs part at t = ", "the motion is chaotic there: differences grow by e^("}));
    EXPECT_TRUE(says(v.advice, {"end the run before t = "}));
    // Ten digits are lost by exp(0.906 t) after t = 25; until half of that the runs agree.
    options.end = 12;
    EXPECT_GT(*v.t_parts, options.end);
    EXPECT_TRUE(verify(problem.system, values, options, simulate(problem.system, values, options)).is_verified());
  }
}

TEST(Verify, PutsEventsSideBySide) {
  const Problem& problem = find_problem("bouncing-ball");
  const auto [first, v] = run_and_verify(problem.system, options_of(problem));
  EXPECT_TRUE(v.is_verified()) << v.summary;
  const std::vector<double> exact = *problem.event_times(Values(problem.system), problem.end);
  for (const SecondRun& run : v.runs) {
    EXPECT_EQ(run.missing + run.extra, 0);
    EXPECT_LT(run.largest_time_difference, 1e-9);
    ASSERT_GE(run.events.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      EXPECT_EQ(run.events[k].name, "ball hits the ground");
      ASSERT_TRUE(run.events[k].is_matched());
      EXPECT_NEAR(*run.events[k].t_first, exact[k], 1e-9);
      EXPECT_NEAR(*run.events[k].t_other, exact[k], 1e-9);
    }
    EXPECT_EQ(run.events.back().kind, "accumulation");
  }
  EXPECT_TRUE(says(v.summary, {"verified: 3 runs agree to ", " events match to "}));
  EXPECT_TRUE(says(describe(v, first), {"first run", "ball hits the ground (crossing)", "more\n"}));
}

TEST(Verify, ComparesRelaysAndSlidingMotions) {
  for (const char* name : {"relay", "sliding-control"}) {
    const Problem& problem = find_problem(name);
    const auto [first, v] = run_and_verify(problem.system, options_of(problem, 1e-8));
    EXPECT_TRUE(v.is_verified()) << name << ": " << v.summary;
    const std::vector<double> exact = *problem.event_times(Values(problem.system), problem.end);
    for (const SecondRun& run : v.runs) {
      EXPECT_EQ(run.matched, static_cast<int>(exact.size())) << name;
      EXPECT_LT(run.largest_time_difference, 1e-6) << name;
    }
  }
  const Problem& sliding = find_problem("sliding-control");
  const auto [first, v] = run_and_verify(sliding.system, options_of(sliding));
  EXPECT_EQ(v.runs[0].events.front().kind, "slide");
  ASSERT_EQ(v.runs[0].observables.size(), 2u);  // s and the error
  EXPECT_EQ(v.runs[0].observables[0].name, "s");
}

TEST(Verify, UsesBothFormulationsOfAMechanism) {
  const Problem& problem = find_problem("rod-pendulum");
  const auto [first, explicit_first] = run_and_verify(problem.system, options_of(problem, 1e-8));
  EXPECT_TRUE(explicit_first.is_verified()) << explicit_first.summary;
  ASSERT_EQ(explicit_first.runs.size(), 3u);
  EXPECT_TRUE(says(explicit_first.summary, {"verified: 4 runs agree to "}));
  EXPECT_EQ(run_of(explicit_first, "other formulation").formulation, "index-2");
  EXPECT_EQ(run_of(explicit_first, "tighter tolerance").formulation, "acceleration");

  Options options = options_of(problem, 1e-8);
  options.method = "radau";
  const auto [second, implicit_first] = run_and_verify(problem.system, options);
  EXPECT_TRUE(implicit_first.is_verified()) << implicit_first.summary;
  EXPECT_EQ(run_of(implicit_first, "other formulation").formulation, "acceleration");
  EXPECT_EQ(run_of(implicit_first, "another family").method, "bdf");

  const Problem& port = find_problem("ph-pendulum");
  const auto [third, v] = run_and_verify(port.system, options_of(port, 1e-8));
  EXPECT_TRUE(v.is_verified()) << v.summary;
  EXPECT_EQ(v.runs.size(), 3u);
}

TEST(Verify, ADifferentialAlgebraicSystemHasOneFormulation) {
  const Problem& problem = find_problem("transistor-amplifier");
  Options options = options_of(problem, 1e-6);
  options.end = 0.05;
  const auto [first, v] = run_and_verify(problem.system, options);
  EXPECT_TRUE(v.is_verified()) << v.summary;
  ASSERT_EQ(v.runs.size(), 2u);
  EXPECT_EQ(first.method, "radau");
  EXPECT_EQ(run_of(v, "another family").method, "bdf");
}

// A black box that is below zero for 0.01 only: sampled at the steps of a loose run it looks quiet.
TEST(Verify, NamesTheEventThatALooseRunMisses) {
  Oscillator model;
  const auto count = model.system.discrete("count", 0);
  model.system
      .guard("spike", black_box([](const auto& at) { return 1 - 2 * std::exp(-std::pow((at.t - 3.3) / 0.006, 2)); }))
      .falling()
      .then([=, v = model.v](Jump& jump) {
        jump[count] = 1;
        jump[v] = jump.pre(v) + 1;
      });
  Options options{.end = 6, .tolerance = 1e-4};
  options.method = "dop853";
  const auto [first, v] = run_and_verify(model.system, options);
  ASSERT_TRUE(first.events.empty());  // that is the trap
  EXPECT_EQ(v.verdict, Verdict::disagrees);
  EXPECT_EQ(v.parting_event, "spike");
  ASSERT_TRUE(v.t_parts);
  EXPECT_NEAR(*v.t_parts, 3.3 - 0.006 * std::sqrt(std::log(2)), 1e-6);
  EXPECT_FALSE(v.is_chaotic);
  EXPECT_GT(v.digits, 3);
  EXPECT_EQ(run_of(v, "another family").extra, 1);
  EXPECT_TRUE(says(v.summary, {"disagrees: the runs part at t = 3.295, at event 'spike' (only with adams",
                               "before that ", "; not chaotic"}));
  EXPECT_TRUE(says(v.advice, {"'spike' is a black box", "min_width", "rate_bound"}));
  EXPECT_TRUE(says(describe(v, first), {"spike (crossing)"}));
}

TEST(Verify, AFixedStepTooLargeIsADisagreement) {
  const Problem& kepler = find_problem("kepler");
  Options options = options_of(kepler);
  options.step = 0.1;
  const auto [first, v] = run_and_verify(kepler.system, options);
  EXPECT_EQ(v.verdict, Verdict::disagrees);
  EXPECT_EQ(run_of(v, "smaller step").how, "rk4, fixed step 0.05");
  EXPECT_EQ(run_of(v, "another family").how, "adams, relative tolerance 1e-08");
  EXPECT_TRUE(says(v.summary, {"not chaotic"}));
  EXPECT_TRUE(says(v.advice, {"a fixed step below 0.1, or error control"}));
  options.step = 1e-3;
  EXPECT_TRUE(run_and_verify(kepler.system, options).verification.is_verified());
}

// |R(-3)| = 1.375 for the classical Runge-Kutta method: an error grows exponentially, but only in the first run.
TEST(Verify, AnUnstableMethodIsNotCalledChaotic) {
  System model("relaxation");
  const auto x = model.state("x", 1);
  model.rates([=](const auto& at, auto& d) { d[x] = -50 * (at[x] - cos(at.t)); });
  Options options{.end = 12};
  options.step = 0.06;
  const auto [first, v] = run_and_verify(model, options);
  EXPECT_EQ(v.verdict, Verdict::disagrees);
  EXPECT_FALSE(v.is_chaotic);
  EXPECT_TRUE(says(v.summary, {"not chaotic"}));
}

TEST(Verify, AGrowingMotionIsNoDisagreement) {
  System model("growth");
  const auto x = model.state("x", 1);
  model.rates([=](const auto& at, auto& d) { d[x] = at[x]; });
  const auto [first, v] = run_and_verify(model, {.end = 30});
  EXPECT_TRUE(v.is_verified()) << v.summary;
}

TEST(Verify, TheQuickCheckIsOneRun) {
  const Oscillator model;
  const auto [first, v] = run_and_verify(model.system, {.end = 10}, VerifyOptions::quick());
  ASSERT_EQ(v.runs.size(), 1u);
  EXPECT_EQ(v.runs[0].what, "another family");
  EXPECT_TRUE(says(v.summary, {"verified: 2 runs agree to "}));
  EXPECT_EQ(v.rhs, v.runs[0].statistics.rhs);
}

TEST(Verify, ComparesAtTheEndWhereNothingElseWasKept) {
  const Oscillator model;
  Options options{.end = 10};
  options.keep = Keep::end;
  const auto [first, v] = run_and_verify(model.system, options);
  EXPECT_TRUE(v.is_verified()) << v.summary;
  EXPECT_EQ(v.runs[0].t_compared, 10);
  EXPECT_EQ(v.runs[0].digits, v.runs[0].digits_at_end);
}

TEST(Verify, RunsBackwardInTime) {
  const Oscillator model;
  const auto [first, v] = run_and_verify(model.system, {.start = 10, .end = 0, .tolerance = 1e-8});
  EXPECT_TRUE(v.is_verified()) << v.summary;
  EXPECT_GT(v.digits, 5);
}

TEST(Verify, AFailingSecondRunIsReportedAndNotFatal) {
  System model("fails at its second run");
  const auto x = model.state("x", 1);
  const auto is_broken = std::make_shared<bool>(false);
  model.rates(black_box([=](const auto& at, auto& d) {
    if (*is_broken && at.t > 5) throw std::runtime_error("no more");
    d[x] = -at[x];
  }));
  const Options options{.end = 10};
  const Result first = simulate(model, options);
  *is_broken = true;
  const Verification v = verify(model, options, first);
  EXPECT_EQ(v.verdict, Verdict::unknown);
  EXPECT_TRUE(says(v.summary, {"not verified: no second run came to the end", "adams failed at t = "}));
  for (const SecondRun& run : v.runs) {
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"no more"}));
    EXPECT_GT(run.digits, 4);  // compared as far as it came
  }
  VerifyOptions how;
  how.begins = [=](std::string_view what, int, int) { *is_broken = what == "another family"; };
  const Verification half = verify(model, options, first, how);
  EXPECT_TRUE(half.is_verified());
  EXPECT_TRUE(says(half.summary, {"verified: 2 runs agree to ", "; adams failed at t = "}));
}

TEST(Verify, AStoppedVerificationKeepsWhatItHas) {
  const Oscillator model;
  Options options{.end = 100};
  const Result first = simulate(model.system, options);
  int which = -1;
  VerifyOptions how;
  how.begins = [&](std::string_view, int index, int count) {
    which = index;
    EXPECT_EQ(count, 2);
  };
  options.progress = [&](const Progress& progress) { return which < 1 || progress.t < 50; };
  const Verification v = verify(model.system, options, first, how);
  EXPECT_TRUE(v.was_stopped);
  EXPECT_TRUE(v.is_verified());  // by the run that came to its end
  EXPECT_EQ(v.runs[1].outcome, Outcome::stopped);
  EXPECT_GT(v.runs[1].t_compared, 40);
  EXPECT_LT(v.runs[1].t_compared, 60);
}

TEST(Verify, AToleranceThatCannotBeTightenedIsSaid) {
  const Oscillator model;
  const auto [first, v] = run_and_verify(model.system, {.end = 10, .tolerance = 1e-14});
  EXPECT_FALSE(run_of(v, "tighter tolerance").has_run);
  EXPECT_TRUE(says(run_of(v, "tighter tolerance").reason, {"as tight as 'verner-9' can use"}));
  EXPECT_TRUE(v.is_verified()) << v.summary;
}

TEST(Verify, MisuseIsNamed) {
  const Oscillator model, other;
  const Options options{.end = 1};
  const Result first = simulate(model.system, options);
  VerifyOptions how;
  how.tighten = 1;
  EXPECT_TRUE(
      says(misuse_of([&] { verify(model.system, options, first, how); }), {"tighten by 1: it must be above 1"}));
  how.tighten = 10;
  how.digits = 20;
  EXPECT_TRUE(says(misuse_of([&] { verify(model.system, options, first, how); }), {"20 digits"}));
  EXPECT_TRUE(says(misuse_of([&] { verify(model.system, Values(other.system), options, first); }),
                   {"not of system 'oscillator'"}));
}

// Nothing moves between events, so every method is exact.
TEST(Verify, SaysItAll) {
  System model("counter");
  const auto x = model.state("x", 0);
  model.rates([=](const auto&, auto& d) { d[x] = 0.0; });
  model.every(1.0, [=](Jump& jump) { jump[x] = jump.pre(x) + 1; });
  model.observable("twice", [=](const auto& at) { return 2 * at[x]; });
  Options options{.end = 2.5};
  options.method = "tsitouras-5";
  auto [first, v] = run_and_verify(model, options);
  v.rhs = 60;
  v.wall_seconds = 0.004;
  first.statistics.rhs = 30;
  first.statistics.wall_seconds = 0.002;
  EXPECT_EQ(
      describe(v, first),
      "verified: 3 runs agree to 16.0 digits or better; 2 of 2 events match exactly\n"
      "  another family     radau, relative tolerance 1e-08: 16.0 digits, 16.0 at the end; events: 2 matched to "
      "0.0e+00\n"
      "                     implicit collocation beside an explicit method; events are too frequent for multistep "
      "methods\n"
      "  tighter tolerance  tsitouras-5, relative tolerance 1e-08: 16.0 digits, 16.0 at the end; events: 2 "
      "matched to 0.0e+00\n"
      "                     the same method\n"
      "  digits             x 16.0 (t = 2.5)\n"
      "  twice              0 to 4, variation 4.00e+00\n"
      "                     0 to 4, variation 4.00e+00 (another family)\n"
      "                     0 to 4, variation 4.00e+00 (tighter tolerance)\n"
      "  cost               60 right-hand sides in 4 ms, beside 30 in 2 ms\n"
      "\n"
      "           first run     another family  tighter tolerance  event\n"
      "                   1           +0.0e+00           +0.0e+00  every 1 (time)\n"
      "                   2           +0.0e+00           +0.0e+00  every 1 (time)\n");
}

// d = 1e-9 exp(0.5 t), and d = 1e-9 t^2.
TEST(Growth, TellsExponentialFromPolynomialGrowth) {
  std::vector<double> t, fast, slow;
  for (int k = 0; k <= 1000; ++k) {
    t.push_back(0.03 * k);
    fast.push_back(1e-9 * std::exp(0.5 * t.back()));
    slow.push_back(1e-9 * t.back() * t.back());
  }
  const auto exponential = verification::fit_growth(t, fast), polynomial = verification::fit_growth(t, slow);
  ASSERT_TRUE(exponential && polynomial);
  EXPECT_TRUE(exponential->is_exponential);
  EXPECT_NEAR(exponential->rate, 0.5, 1e-9);
  EXPECT_NEAR(exponential->e_foldings, 0.5 * 0.03 * 999, 1e-6);  // from the second instant on
  EXPECT_FALSE(polynomial->is_exponential);
  EXPECT_NEAR(polynomial->power, 2, 1e-9);
  EXPECT_FALSE(verification::fit_growth({0, 1, 2}, {0, 1e-9, 2e-9}));  // too few to tell
}

// Of the squeezer one second run is less accurate than the others, of the amplifier both leave much.
TEST(Verify, ARunMuchLessAccurateThanItsToleranceIsFound) {
  for (const char* name : {"robertson", "squeezer", "transistor-amplifier"}) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    const Values values(problem.system);
    const Options asked{.start = problem.start, .end = problem.end, .tolerance = {1e-7}};
    EXPECT_EQ(verify(problem.system, values, asked, simulate(problem.system, values, asked)).verdict,
              Verdict::verified);
    Options loose = asked;
    loose.tolerance = {1e-3};
    const Verification found = verify(problem.system, values, asked, simulate(problem.system, values, loose));
    EXPECT_EQ(found.verdict, Verdict::disagrees);
    EXPECT_GT(found.digits, found.wanted_digits);  // by the digits alone it would have passed
    EXPECT_TRUE(found.summary.starts_with("disagrees: the other runs agree with one another to ")) << found.summary;
    EXPECT_TRUE(found.t_parts);
  }
}

// One of three second runs is much less accurate than the first run, which the two others confirm.
TEST(Verify, ASecondRunThatIsTheOddOneOutIsNoFaultOfTheFirst) {
  const Problem& problem = find_problem("arm-sine");
  const Verification verification = run_and_verify(problem.system, options_of(problem)).verification;
  const auto [worst, best] =
      std::minmax_element(verification.runs.begin(), verification.runs.end(),
                          [](const SecondRun& a, const SecondRun& b) { return a.digits < b.digits; });
  EXPECT_GT(best->digits, worst->digits + 1);
  EXPECT_EQ(verification.verdict, Verdict::verified) << verification.summary;
}

// Their results have multipliers behind the states.
TEST(Verify, Mixtures) {
  const Problem& problem = find_problem("coil-pendulum");
  const Values values(problem.system);
  const Options options{.end = 0.05, .tolerance = {1e-6}};
  EXPECT_EQ(verify(problem.system, values, options, simulate(problem.system, values, options)).verdict,
            Verdict::verified);
}

// Its multipliers μ are zero, and what a run has of them is error: a hundredth of it with a tolerance of a hundredth.
TEST(Verify, DigitsOfWhatIsZeroDoNotCount) {
  const Problem& fekete = find_problem("fekete");
  const Checked checked = run_and_verify(fekete.system, options_of(fekete));
  EXPECT_EQ(checked.verification.verdict, Verdict::verified) << checked.verification.summary;
}

// Of five variables one is zero: small and a tenth of that in the tighter run. What is small in both, or small in
// neither, is not.
TEST(Verify, AVariableIsZeroWhereItShrinksWithTheTolerance) {
  using namespace verification;
  const Track first{.size = 5, .states = {1, 2e-7, 2e-7, 0.5, 2e-7}, .end = {}},
      tighter{.size = 5, .states = {1, 1e-9, 2e-7, 1e-9, 3e-8}, .end = {}};
  const std::vector<double> scales{1, 1e-7, 1e-7, 0.5, 1e-7};
  const std::vector<double> expected{1, 10 * 2e-7 / 0.01, 1e-7, 0.5, 1e-7};
  EXPECT_EQ(with_zeros(scales, first, tighter, 1e-6, 0.01), expected);
}

}  // namespace
}  // namespace pawl
