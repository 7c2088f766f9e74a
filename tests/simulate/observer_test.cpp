// What is told on the way: the observer; and what is evaluated only when asked for: observables.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "pawl/compiled_model.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

struct Ball {
  System s{"ball"};
  State h = s.state("h", 1), v = s.state("v", 0);
  Discrete<int> bounces = s.discrete("bounces", 0);
  Guard ground{};
  Ball() {
    s.rates([h = h, v = v](const auto& at, auto& d) {
      d[h] = at[v];
      d[v] = -9.81 + 0 * at[v];
    });
    ground = s.guard("ground", [h = h](const auto& at) { return at[h]; })
                 .falling()
                 .unilateral()
                 .then([v = v, bounces = bounces](Jump& jump) {
                   jump[v] = -0.8 * jump.pre(v);
                   jump[bounces] = jump.pre(bounces) + 1;
                 });
  }
};

TEST(Observer, SeesTheEndOfEveryStepAndTheStateAfterEveryEvent) {
  const Ball ball;
  struct Seen {
    double t, v;
    int bounces;
  };
  std::vector<Seen> seen;
  const Result run = simulate(ball.s, {.end = 1.5, .observer = [&](const Instant& now) {
                                         seen.push_back({now.t, now[ball.v], now[ball.bounces]});
                                         return true;
                                       }});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(static_cast<int>(seen.size()), run.sample_count() - 1);  // the start is no step
  for (int i = 1; i < run.sample_count(); ++i) {
    const Seen& one = seen[static_cast<std::size_t>(i - 1)];
    EXPECT_EQ(one.t, run.sample(i).t);
    EXPECT_EQ(one.v, run.sample(i)[ball.v]);
    EXPECT_EQ(one.bounces, run.sample(i)[ball.bounces]);
  }
  const std::vector<double> impacts = run.times_of(ball.ground);
  ASSERT_GE(impacts.size(), 2U);
  for (const double t : impacts) {
    std::vector<Seen> there;
    for (const Seen& one : seen) {
      if (one.t == t) there.push_back(one);
    }
    ASSERT_EQ(there.size(), 2U);
    EXPECT_EQ(there[1].v, -0.8 * there[0].v);
    EXPECT_EQ(there[1].bounces, there[0].bounces + 1);
  }
}

TEST(Observer, MayStopTheRunAtAStepOrAfterAnEvent) {
  const Ball ball;
  const Result early = simulate(ball.s, {.end = 5, .observer = [&](const Instant& now) { return now.t < 0.3; }});
  EXPECT_EQ(early.outcome, Outcome::stopped);
  EXPECT_GE(early.t_end, 0.3);
  const Result landed =
      simulate(ball.s, {.end = 5, .observer = [&](const Instant& now) { return now[ball.bounces] < 1; }});
  EXPECT_EQ(landed.outcome, Outcome::stopped);
  EXPECT_NEAR(landed.t_end, std::sqrt(2 / 9.81), 1e-9);
  EXPECT_EQ(landed.final()[ball.bounces], 1);
  EXPECT_GT(landed.final()[ball.v], 0);
}

TEST(Observer, WhatItThrowsIsNotTheModelsFault) {
  const Ball ball;
  const Result run = simulate(ball.s, {.end = 1, .max_step = 0.25, .observer = [](const Instant& now) -> bool {
                                         if (now.t < 0.2) return true;
                                         throw std::runtime_error("window closed");
                                       }});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(run.reason.ends_with(": the observer threw: window closed")) << run.reason;
}

struct Watched {
  System s{"watched"};
  State x = s.state("x", 0);
  std::shared_ptr<long long> calls = std::make_shared<long long>(0);
  Observable square;
  Watched()
      : square(s.observable("square", [x = x, calls = calls](const auto& at) {
          ++*calls;
          return at[x] * at[x];
        })) {
    s.rates([x = x](const auto& at, auto& d) { d[x] = cos(at.t) + 0 * at[x]; });
  }
};

TEST(Observable, IsEvaluatedWhenAResultIsReadAndNotBefore) {
  const Watched watched;
  const CompiledModel model(watched.s);
  EXPECT_EQ(*watched.calls, 1);  // its handles are looked at
  *watched.calls = 0;
  const Result run = simulate(model, {.end = 7});
  EXPECT_EQ(*watched.calls, 0);
  EXPECT_NEAR(run.final()[watched.square], std::pow(std::sin(7), 2), 1e-5);
  EXPECT_EQ(*watched.calls, 1);
  const Range range = run.range(watched.square);
  EXPECT_EQ(*watched.calls, 2 + run.sample_count());  // and then both ends and every step
  double largest = 0;
  for (int i = 0; i < run.sample_count(); ++i) largest = std::max(largest, std::pow(run.sample(i)[watched.x], 2));
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, largest);
}

TEST(Observable, HasTheSameRangeWhateverIsKept) {
  const Watched watched;
  const Range everything = simulate(watched.s, {.end = 7}).range(watched.square);
  for (const Keep keep : {Keep::samples, Keep::end}) {
    for (const int samples : {0, 3}) {
      const Range range = simulate(watched.s, {.end = 7, .keep = keep, .samples = samples}).range(watched.square);
      EXPECT_EQ(range.min, everything.min);
      EXPECT_EQ(range.max, everything.max);
    }
  }
  // Instants inside steps do not count, or the range would depend on what is sampled.
  EXPECT_EQ(simulate(watched.s, {.end = 7, .samples = 1000}).range(watched.square).max, everything.max);
}

TEST(Observable, WithoutRangesOnlyWhatIsKeptIsEvaluated) {
  const Watched watched;
  const CompiledModel model(watched.s);
  *watched.calls = 0;
  const Result run = simulate(model, {.end = 7, .keep = Keep::end, .keeps_ranges = false});
  EXPECT_EQ(*watched.calls, 0);
  EXPECT_EQ(run.range(watched.square).max, std::pow(run.final()[watched.x], 2));
}

TEST(TimesOf, DiscreteVariablesAndContacts) {
  Mechanics m("ball");
  const auto y = m.coordinate("y", 1);
  m.mass(y, 1.0);
  m.force([=](const auto& at, auto& f) { f[y] = -10 + 0 * at[y]; });
  const Contact floor = m.contact("floor", [=](const auto& at) { return at[y]; }, {.restitution = 0.5});
  const Result run = simulate(m, {.end = 3});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double fall = std::sqrt(0.2), rest = fall * (1 + 2 * 0.5 / (1 - 0.5));
  const std::vector<double> times = run.times_of(floor), rests = run.times_of(floor.mode);
  ASSERT_GE(times.size(), 3U);
  EXPECT_NEAR(times[0], fall, 1e-12);
  EXPECT_NEAR(times[1], 2 * fall, 1e-12);
  ASSERT_EQ(rests.size(), 1U);  // it closes once, where the impacts accumulate
  EXPECT_NEAR(rests[0], rest, 1e-6);
  EXPECT_EQ(times.back(), rests[0]);
}

}  // namespace
}  // namespace pawl
