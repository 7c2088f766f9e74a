// Time events: scheduled, moved, repeated, at the start, not any more (docs/events.md, the table of time events).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using Times = std::vector<double>;
constexpr double never = std::numeric_limits<double>::infinity();

struct Clock {
  System system{"clock"};
  State x;
  Clock() : x(system.state("x", 0)) {
    system.rates([x = x](const auto& at, auto& d) { d[x] = 1 + 0 * at[x]; });
  }
};

// when time >= pre(next) then next = pre(next) + 0.3
TEST(TimeEvent, HappensAgainWhenAnEventMovesTheTimeItIsHeldIn) {
  const Times expected{0.25, 0.55, 0.85, 1.15, 1.45, 1.75};
  const auto is_expected = [&](const Times& times) {
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-15);
  };
  Clock by_parameter;
  const auto p = by_parameter.system.parameter("next", 0.25);
  const TimeEvent first = by_parameter.system.at(p, [=](Jump& jump) { jump[p] += 0.3; });
  is_expected(simulate(by_parameter.system, {.end = 2}).times_of(first));
  Clock by_number;
  const auto d = by_number.system.discrete("next", 0.25);
  const TimeEvent second = by_number.system.at(d, [=](Jump& jump) { jump[d] = jump.pre(d) + 0.3; });
  is_expected(simulate(by_number.system, {.end = 2}).times_of(second));
  Clock by_itself;
  const TimeEvent third = by_itself.system.at(0.25, [](Jump& jump) { jump.schedule_again(jump.t + 0.3); });
  is_expected(simulate(by_itself.system, {.end = 2}).times_of(third));
  Clock by_function;
  const TimeEvent fourth = by_function.system.time_event("next", 0.25);
  by_function.system.transition([=](Jump& jump) {
    if (jump.fired(fourth)) jump.schedule(fourth, jump.t + 0.3);
  });
  const Result run = simulate(by_function.system, {.end = 2});
  is_expected(run.times_of(fourth));
  EXPECT_EQ(run.names(run.events.front()), std::vector<std::string>{"next"});
}

TEST(TimeEvent, ThatIsMovedIntoThePastDoesNotHappenAnyMore) {
  Clock model;
  const auto p = model.system.parameter("when", 1.0);
  const TimeEvent late = model.system.at(p, [](Jump&) {});
  model.system.at(0.5, [=](Jump& jump) { jump[p] = 0.2; });
  model.system.at(1.2, [=](Jump& jump) { jump[p] = 1.5; });  // and ahead again
  EXPECT_EQ(simulate(model.system, {.end = 2}).times_of(late), Times{1.5});
}

TEST(TimeEvent, WaitsUntilItIsScheduled) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const TimeEvent alarm = s.time_event("alarm").then([=](Jump& jump) { jump[x] = 0; });
  EXPECT_TRUE(simulate(s, {.end = 2}).events.empty());
  s.guard("half", [=](const auto& at) { return at[x] - 0.5; }).rising().then([=](Jump& jump) {
    jump.schedule(alarm, 1.0);
    jump.schedule(alarm, 1.25);  // the last word counts
  });
  const Result run = simulate(s, {.end = 1.5});
  EXPECT_EQ(run.times_of(alarm), Times{1.25});
  EXPECT_NEAR(run.final()[x], 0.25, 1e-14);
}

TEST(TimeEvent, IsCalledOffByInfinity) {
  Clock model;
  System& s = model.system;
  const TimeEvent tick = s.every(0.25, [](Jump&) {});
  s.at(0.6, [=](Jump& jump) { jump.schedule(tick, never); });
  EXPECT_EQ(simulate(s, {.end = 2}).times_of(tick), (Times{0.25, 0.5}));
}

TEST(TimeEvent, APeriodicOneGoesOnFromWhereItIsScheduled) {
  Clock model;
  System& s = model.system;
  const TimeEvent tick = s.every(0.5, [](Jump&) {});
  s.at(0.75, [=](Jump& jump) { jump.schedule(tick, 1.125); });
  EXPECT_EQ(simulate(s, {.end = 2.5}).times_of(tick), (Times{0.5, 1.125, 1.625, 2.125}));
}

TEST(TimeEvent, EveryHasAPhaseAndMayBeginAtTheStart) {
  const auto ticks = [](const auto& declare, double start, double end) {
    Clock model;
    const TimeEvent tick = declare(model.system);
    return simulate(model.system, {.start = start, .end = end}).times_of(tick);
  };
  const auto nothing = [](Jump&) {};
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing); }, 1, 2.25), (Times{1.5, 2}));
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing).phase(0.125); }, 1, 2.25),
            (Times{1.125, 1.625, 2.125}));
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing).phase(1.0); }, 1, 2.75), (Times{2, 2.5}));
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing).including_start(); }, 1, 2.25), (Times{1, 1.5, 2}));
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing).phase(0.25).including_start(); }, 1, 2),
            (Times{1.25, 1.75}));
  EXPECT_EQ(ticks([&](System& s) { return s.every(0.5, nothing).phase(0.25); }, 2, 1), (Times{1.75, 1.25}));
  EXPECT_EQ(ticks([&](System& s) { return s.at(1.0, nothing); }, 1, 2), Times{});
  EXPECT_EQ(ticks([&](System& s) { return s.at(1.0, nothing).including_start(); }, 1, 2), Times{1});
  EXPECT_EQ(ticks([&](System& s) { return s.at(0.5, nothing).including_start(); }, 1, 2), Times{});  // that is over
}

TEST(TimeEvent, AtTheStartChangesWhatTheRunStartsWith) {
  Clock model;
  System& s = model.system;
  const State x = model.x;
  const auto n = s.discrete("n", 0);
  s.transition([=](Jump& jump) {
    if (jump.is_start()) jump[n] = 10;
  });
  s.at(0.0, [=](Jump& jump) {
     EXPECT_EQ(jump.pre(n), 10);  // the start comes first
     jump[n] = jump.pre(n) + 1;
     jump[x] = 4;
   }).including_start();
  const Result run = simulate(s, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].kind, EventKind::time);
  EXPECT_EQ(run.events[0].t, 0);
  EXPECT_EQ(run.statistics.events.events, 1);
  EXPECT_EQ(run.start()[n], 11);
  EXPECT_EQ(run.start()[x], 4);
  EXPECT_NEAR(run.final()[x], 5, 1e-13);
}

// A discrete PI controller with hold on a stiff plant, sampled at 0, Ts, 2 Ts, ...; the exact map per period.
TEST(TimeEvent, ASampledControllerHasItsFirstTickAtTheStart) {
  const double period = 0.1, gain = 2, integral = 0.3, fast = 1e4;
  System s("sampled");
  const auto x = s.state("x", 0), i = s.state("i", 0);
  const auto u = s.discrete("u", 0.0), sum = s.discrete("sum", 0.0);
  s.rates([=](const auto& at, auto& d) {
    d[x] = at[i] - at[x];
    d[i] = fast * (at[u] - at[i]);
  });
  const TimeEvent tick = s.every(period, [=](Jump& jump) {
                            const double error = 1 - jump[x];
                            jump[sum] = jump.pre(sum) + period / integral * error;
                            jump[u] = gain * (error + jump[sum]);
                          }).including_start();
  double X = 0, I = 0, S = 0, U = 0;
  const auto control = [&] {
    S += period / integral * (1 - X);
    U = gain * (1 - X + S);
  };
  for (int k = 0; k < 20; ++k) {  // i = U + (I - U) e^(-fast t), x' = i - x
    control();
    const double c = (I - U) / (1 - fast), end = std::exp(-period), soon = std::exp(-fast * period);
    X = U + c * soon + (X - U - c) * end;
    I = U + (I - U) * soon;
  }
  control();
  for (const char* method : {"auto", "radau", "rodas5p"}) {
    const Result run = simulate(s, {.end = 2, .tolerance = 1e-9, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.times_of(tick).size(), 21U) << method;
    EXPECT_EQ(run.times_of(tick).front(), 0) << method;
    EXPECT_NEAR(run.final()[x], X, 1e-7) << method;
    EXPECT_NEAR(run.final()[u], U, 1e-6) << method;
  }
}

TEST(TimeEvent, TroubleIsNamed) {
  Clock past;
  const TimeEvent alarm = past.system.time_event("alarm");
  past.system.at(0.5, [=](Jump& jump) { jump.schedule(alarm, 0.5); });
  EXPECT_EQ(simulate(past.system, {.end = 1}).reason,
            "t = 0.5: the time event 'alarm' is scheduled for t = 0.5, which is not after this instant.\n"
            "  try:    schedule(event, t) with a later time; infinity for never");
  Clock foreign;
  foreign.system.at(0.5, [](Jump& jump) { jump.schedule(TimeEvent{3}, 0.75); });
  EXPECT_EQ(simulate(foreign.system, {.end = 1}).reason,
            "t = 0.5: system 'clock' has 1 time event, no number 3: the handle belongs to another system");
  Clock outside;
  outside.system.transition([](Jump& jump) { jump.schedule_again(1.0); });
  EXPECT_EQ(simulate(outside.system, {.end = 1}).reason,
            "t = 0: the transition function threw: schedule_again(t) is called outside the jump of a time event");
  Clock negative;
  negative.system.every(0.5, [](Jump&) {}).phase(-0.1);
  EXPECT_EQ(misuse_of([&] { simulate(negative.system, {.end = 1}); }),
            "system 'clock', time event 'every 0.5': the phase -0.1 must not be negative");
  Clock once;
  EXPECT_EQ(misuse_of([&] { once.system.at(0.5, [](Jump&) {}).phase(0.1); }),
            "system 'clock', time event 'at 0.5': it happens once; a phase is for what happens every so often");
  EXPECT_EQ(misuse_of([&] { once.system.time_event(""); }), "system 'clock': a time event needs a name");
}

}  // namespace
}  // namespace pawl
