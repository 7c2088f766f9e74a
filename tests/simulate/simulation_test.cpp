#include "pawl/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "misuse_of.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// What two runs differ in, bit by bit; empty: nothing.
std::string difference(const Result& a, const Result& b) {
  if (a.outcome != b.outcome || a.reason != b.reason) return "outcome: " + a.reason + " / " + b.reason;
  if (!same(a.final_state, b.final_state) || a.t_end != b.t_end) return "end";
  const Trajectory &p = a.trajectory, &q = b.trajectory;
  if (!same(p.t1, q.t1)) return "ends of steps";
  if (!same(p.coefficients, q.coefficients) || p.first != q.first) return "polynomials";
  if (!same(p.sample_times, q.sample_times) || !same(p.sample_states, q.sample_states)) return "samples";
  if (a.events.size() != b.events.size()) return "number of events";
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const Event &one = a.events[i], &other = b.events[i];
    if (one.t != other.t || one.kind != other.kind || one.sources.size() != other.sources.size()) return "events";
    if (!(*one.held_after == *other.held_after)) return "what is held";
  }
  if (a.statistics.rhs != b.statistics.rhs) return "right-hand sides";
  if (a.messages.size() != b.messages.size()) return "messages";
  return {};
}

struct Case {
  std::string problem, method = "auto";
  double share = 1;  // of the problem's own time
};

// Smooth, stiff, with events, constrained, with contacts, differential-algebraic, with ideal switches.
const std::vector<Case> cases{{"lorenz", "dop853"},
                              {"brusselator", "verner-9"},
                              {"brusselator", "adams"},
                              {"vdpol", "auto", 0.1},
                              {"hires", "radau"},
                              {"orego", "rodas4", 0.1},
                              {"pollu", "esdirk-4"},
                              {"robertson", "bdf", 1e-6},
                              {"heat-1d", "radau"},
                              {"rlcd", "tsitouras-5"},
                              {"relay", "auto"},
                              {"bouncing-ball", "auto", 0.5},
                              {"event-cascade", "dop853"},
                              {"coulomb-oscillator", "auto"},
                              {"marble-jar", "auto", 0.1},
                              {"driven-rc", "radau-5"},
                              {"squeezer", "auto", 0.3},
                              {"squeezer", "radau", 0.1},
                              {"cartesian-pendulum", "dop853"},
                              {"gear-wheels", "auto"},
                              {"pendulum-stop", "auto"},
                              {"belt-block", "auto"},
                              {"newton-cradle", "auto", 0.5},
                              {"transistor-amplifier", "radau", 0.2},
                              {"chem-akzo", "auto"},
                              {"charge-pump", "radau"},
                              {"diode-bridge", "auto", 0.3},
                              {"buck-converter", "auto", 0.1},
                              {"servo", "auto", 0.05},
                              {"coil-pendulum", "dop853", 0.02},
                              {"backlash-drive", "esdirk-5", 0.1}};

Options options_of(const Case& one, const Problem& problem) {
  return {.start = problem.start,
          .end = problem.start + one.share * (problem.end - problem.start),
          .tolerance = 1e-6,
          .method = one.method};
}

int instants() {
  const char* wanted = std::getenv("PAWL_SNAPSHOTS");  // 100 in the long form
  return wanted != nullptr ? std::atoi(wanted) : 3;
}

// The run stands still, is saved, looked at, continued, and goes back: every way to the end has the same bits.
TEST(Simulation, StandingStillSavingAndGoingBackChangeNothing) {
  std::mt19937 random(20);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.problem + " by " + one.method);
    const Problem& problem = find_problem(one.problem);
    const Options options = options_of(one, problem);
    const Result whole = simulate(problem.system, options);
    std::vector<double> times;
    for (int i = 0; i < instants(); ++i)
      times.push_back(options.start + (options.end - options.start) * static_cast<double>(random()) / 4294967296.0);
    std::sort(times.begin(), times.end());
    Simulation run(problem.system, options);
    std::vector<Snapshot> snapshots;
    for (const double t : times) {
      if (!run.advance_to(t)) break;
      EXPECT_TRUE(same(run.now().states(), whole.at(t).states())) << "t = " << t;
      snapshots.push_back(run.snapshot());
    }
    EXPECT_EQ(difference(run.finish(), whole), "");
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      run.restore(snapshots[i]);
      EXPECT_EQ(run.t(), times[i]);
      EXPECT_EQ(difference(run.finish(), whole), "") << "from t = " << times[i];
    }
    if (snapshots.empty()) continue;
    Simulation other(problem.system, options);
    other.restore(snapshots[snapshots.size() / 2]);
    EXPECT_EQ(difference(other.finish(), whole), "") << "in another Simulation";
  }
}

TEST(Simulation, StepsOneByOneAreThoseOfTheWholeRun) {
  for (const char* name : {"rlcd", "hires", "squeezer", "pendulum-stop"}) {
    const Problem& problem = find_problem(name);
    const Options options{.end = problem.start + 0.2 * (problem.end - problem.start), .method = "auto"};
    const Result whole = simulate(problem.system, options);
    Simulation run(problem.system, options);
    std::vector<double> ends;
    while (run.step()) ends.push_back(run.t());
    EXPECT_EQ(ends.back(), options.end);
    EXPECT_GE(whole.trajectory.t1.size(), ends.size());
    EXPECT_EQ(difference(run.finish(), whole), "") << name;
  }
}

TEST(Simulation, WhatIsKeptDoesNotChangeWhatIsSeenOnTheWay) {
  const Problem& problem = find_problem("squeezer");
  Options options{.end = 0.01, .tolerance = 1e-7, .keep = Keep::end};
  const Result whole = simulate(problem.system, options);
  Simulation run(problem.system, options);
  for (const double t : {0.0011, 0.0042, 0.0077}) {
    ASSERT_TRUE(run.advance_to(t));
    EXPECT_GT(run.now().states().size(), 0u);
  }
  EXPECT_EQ(difference(run.finish(), whole), "");
}

/// Exponential decay, whose rate changes.
struct Decay {
  System system{"decay"};
  State x = system.state("x", 1);
  Parameter rate = system.parameter("rate", 1);
  Observable twice = system.observable("twice", [x = x](const auto& at) { return 2 * at[x]; });
  Decay() {
    system.rates([x = x, rate = rate](const auto& at, auto& d) { d[x] = -at[rate] * at[x]; });
  }
};

TEST(Simulation, AChangedParameterIsAnEventLikeADeclaredOne) {
  Decay decay;
  Decay declared;
  declared.system.at(0.7, [rate = declared.rate](Jump& jump) { jump[rate] = 3; });
  for (const char* method : {"tsitouras-5", "dop853", "radau", "bdf", "auto"}) {
    const Options options{.end = 2, .tolerance = 1e-9, .method = method};
    Simulation run(decay.system, options);
    ASSERT_TRUE(run.advance_to(0.7));
    EXPECT_EQ(run.t(), 0.7);
    EXPECT_NEAR(run[decay.x], std::exp(-0.7), 1e-8);
    EXPECT_NEAR(run[decay.twice], 2 * std::exp(-0.7), 1e-8);
    run[decay.rate] = 3;
    EXPECT_EQ(run[decay.rate], 3);
    const Result changed = run.finish();
    const Result as_declared = simulate(declared.system, options);
    ASSERT_EQ(changed.events.size(), 1u);
    EXPECT_EQ(changed.events[0].kind, EventKind::change);
    EXPECT_EQ(changed.events[0].t, 0.7);
    EXPECT_EQ(as_declared.events.size(), 1u);
    const double exact = std::exp(-0.7 - 3 * 1.3);
    EXPECT_NEAR(changed.final()[decay.x], exact, 1e-8) << method;
    EXPECT_NEAR(changed.final()[decay.x], as_declared.final()[declared.x], 1e-8) << method;
    EXPECT_EQ(changed.before(0.7)[decay.rate], 1);
    EXPECT_EQ(changed.at(0.7)[decay.rate], 3);
  }
}

TEST(Simulation, ChangesBranchFromASnapshot) {
  Decay decay;
  Simulation run(decay.system, {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.advance_to(1));
  const Snapshot here = run.snapshot();
  for (const double rate : {0.5, 2.0, 4.0}) {
    run.restore(here);
    run.change([&](Jump& jump) {
      jump[decay.rate] = rate;
      jump[decay.x] = 1;
    });
    EXPECT_EQ(run[decay.x], 1);
    EXPECT_NEAR(run.finish().final()[decay.x], std::exp(-rate), 1e-8);
  }
}

TEST(Simulation, AChangeBeforeAnEventThatWasFoundAlreadyMovesIt) {
  System ball("ball");
  const auto height = ball.state("height", 1), speed = ball.state("speed", 0);
  const auto gravity = ball.parameter("gravity", 2);
  ball.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = -at[gravity];
  });
  const Guard touch =
      ball.guard("touch", [=](const auto& at) { return at[height]; }).falling().unilateral().then([=](Jump& jump) {
        jump[speed] = -jump[speed];
      });
  Simulation run(ball, {.end = 2.5});  // it would touch at t = 1
  ASSERT_TRUE(run.advance_to(0.9));
  run[height] = 5;  // from there: 5 - 1.8 s - s² = 0
  run[speed] = 0;   // 5 = s²
  EXPECT_EQ(run[height], 5);
  const Result result = run.finish();
  ASSERT_EQ(result.times_of(touch).size(), 0u);  // 0.9 + √5 is after the end
  EXPECT_NEAR(result.final()[height], 5 - 1.6 * 1.6, 1e-9);
}

TEST(Simulation, AStateOffTheManifoldIsPulledBackAfterAChange) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  const auto length = pendulum.parameter("length", 1);
  pendulum.mass(x, 1.0);
  pendulum.mass(y, 1.0);
  pendulum.force([=](const auto&, auto& f) { f[y] = -9.81; });
  pendulum.constraint("rod", [=](const auto& at) { return at[x] * at[x] + at[y] * at[y] - at[length] * at[length]; });
  Simulation run(pendulum, {.end = 1, .tolerance = 1e-8});
  ASSERT_TRUE(run.advance_to(0.3));
  run[length] = 1.5;
  const double px = run[x], py = run[y];
  EXPECT_NEAR(px * px + py * py, 2.25, 1e-12);
  EXPECT_TRUE(run.finish().finished());
}

TEST(Simulation, SaysWhatItCannotDo) {
  Decay decay;
  Simulation run(decay.system, {.end = 2});
  ASSERT_TRUE(run.advance_to(1));
  EXPECT_EQ(misuse_of([&] { run.advance_to(0.5); }), "advance_to(0.5): the run stands at t = 1 and ends at 2");
  EXPECT_EQ(misuse_of([&] { run.advance_to(3); }), "advance_to(3): the run stands at t = 1 and ends at 2");
  const Snapshot here = run.snapshot();
  run.finish();
  EXPECT_EQ(misuse_of([&] { run.step(); }), "step: the run is finished, and its result handed out; restore() it first");
  EXPECT_EQ(misuse_of([&] { run[decay.rate] = 2; }),
            "now: the run is finished, and its result handed out; restore() it first");
  Decay other;
  Simulation stranger(other.system, {.end = 2});
  EXPECT_EQ(misuse_of([&] { stranger.restore(here); }),
            "the snapshot is of a run of system 'decay', not of this 'decay'");
  Simulation longer(decay.system, {.end = 3});
  EXPECT_EQ(misuse_of([&] { longer.restore(here); }),
            "the snapshot is of a run with another option 'end': both must be made with the same");
  const auto refusal = [&](const auto& set) {
    Options options{.end = 2};
    set(options);
    Simulation another(decay.system, options);
    return misuse_of([&] { another.restore(here); });
  };
  const auto of = [](const char* name) {
    return "the snapshot is of a run with another option '" + std::string(name) + "': both must be made with the same";
  };
  EXPECT_EQ(refusal([](Options& o) { o.max_events = 3; }), of("max_events"));
  EXPECT_EQ(refusal([](Options& o) { o.event_tolerance = 1e-3; }), of("event_tolerance"));
  EXPECT_EQ(refusal([](Options& o) { o.concurrency_window = 0.1; }), of("concurrency_window"));
  EXPECT_EQ(refusal([](Options& o) { o.concurrency_amplitude = 0.1; }), of("concurrency_amplitude"));
  EXPECT_EQ(refusal([](Options& o) { o.at_accumulation = AtAccumulation::fail; }), of("at_accumulation"));
  EXPECT_EQ(refusal([](Options& o) { o.keeps_history = true; }), of("keeps_history"));
  EXPECT_EQ(refusal([](Options& o) { o.keeps_ranges = false; }), of("keeps_ranges"));
  EXPECT_EQ(refusal([](Options& o) { o.observer = [](const Instant&) { return true; }; }), "no misuse");
}

// Where a method cannot be copied, restoring goes the way again.
TEST(Simulation, RestoringTellsAnObserverNothing) {
  Decay decay;
  for (const char* method : {"dop853", "bdf", "adams"}) {
    SCOPED_TRACE(method);
    int calls = 0;
    Options options{.end = 2, .method = method};
    options.observer = [&](const Instant&) { return ++calls > 0; };
    Simulation run(decay.system, options);
    ASSERT_TRUE(run.advance_to(1));
    const Snapshot here = run.snapshot();
    const int at_snapshot = calls;
    ASSERT_TRUE(run.finish().finished());
    const int whole = calls;
    run.restore(here);
    EXPECT_EQ(calls, whole);
    ASSERT_TRUE(run.finish().finished());
    EXPECT_EQ(calls - whole, whole - at_snapshot);
  }
}

TEST(Simulation, AChangeThatThrowsEndsTheRunWithItsWords) {
  Decay decay;
  Simulation run(decay.system, {.end = 2});
  ASSERT_TRUE(run.advance_to(1));
  run.change([](Jump&) { throw std::runtime_error("no such gear"); });
  EXPECT_TRUE(run.has_ended());
  const Result result = run.finish();
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "t = 1: the transition of 'a change from outside' threw: no such gear");
  EXPECT_EQ(result.t_end, 1);
}

TEST(Simulation, EightThreadsShareOneSystemAndOneResult) {
  for (const char* name : {"squeezer", "pendulum-stop", "transistor-amplifier"}) {
    const Problem& problem = find_problem(name);
    const Options options{.end = problem.start + 0.1 * (problem.end - problem.start)};
    const Result whole = simulate(problem.system, options);
    std::vector<std::string> differences(8);
    std::vector<double> seen(8);
    const auto read = [&] {
      double sum = 0;
      for (int i = 0; i <= 20; ++i) {
        const Instant at = whole.on_manifold(options.start + i / 20.0 * (whole.t_end - options.start));
        for (std::size_t o = 0; o < whole.observable_names().size(); ++o) sum += at[Observable{static_cast<int>(o)}];
      }
      return sum;
    };
    const double alone = read();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        differences[i] = difference(simulate(problem.system, options), whole);
        seen[i] = read();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(differences[i], "") << name;
      EXPECT_EQ(seen[i], alone) << name;
    }
  }
}

TEST(Simulation, GoesBackToBeforeAnyGuardFellAsleep) {
  System wave("sine with many levels");
  const auto x = wave.state("x", 0), y = wave.state("y", 1);
  wave.rates([=](const auto& at, auto& d) { d[x] = at[y], d[y] = -at[x]; });
  for (int k = 0; k < 40; ++k)  // all but one are far away, most of the time
    wave.guard("level " + std::to_string(k), [=](const auto& at) { return at[x] - 0.1 - k; });
  Simulation run(wave, {.end = 20, .tolerance = 1e-9});
  const Snapshot start = run.snapshot();
  const Result once = run.finish();
  run.restore(start);
  const Result again = run.finish();
  ASSERT_EQ(once.events.size(), 7u);  // through 0.1, up and down, in three periods and a bit
  ASSERT_EQ(again.events.size(), once.events.size());
  for (std::size_t k = 0; k < once.events.size(); ++k) {
    EXPECT_EQ(again.events[k].t, once.events[k].t);
    const double turns = std::floor(static_cast<double>(k) / 2) * 2 * M_PI;
    EXPECT_NEAR(once.events[k].t, turns + (k % 2 == 0 ? std::asin(0.1) : M_PI - std::asin(0.1)), 1e-8);
  }
}

}  // namespace
}  // namespace pawl
