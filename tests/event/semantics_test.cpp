// docs/events.md, sentence by sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"
#include "stepper_of.hpp"

namespace pawl {
namespace {

constexpr double pi = std::numbers::pi;

/// x = start + speed t, exactly.
struct Line {
  System system{"line"};
  State x;
  Line(double start, double speed) : x(system.state("x", start)) {
    system.rates([x = x, speed](const auto& at, auto& d) { d[x] = speed + 0 * at[x]; });
  }
};

/// x = cos t, y = -sin t.
struct Circle {
  System system{"circle"};
  State x, y;
  Circle() : x(system.state("x", 1)), y(system.state("y", 0)) {
    system.rates([x = x, y = y](const auto& at, auto& d) {
      d[x] = at[y];
      d[y] = -at[x];
    });
  }
};

std::vector<double> times(const Result& run, EventKind kind) {
  std::vector<double> all;
  for (const Event& event : run.events) {
    if (event.kind == kind) all.push_back(event.t);
  }
  return all;
}

TEST(Events, FireInTheirDirectionOnly) {
  Circle circle;
  const State x = circle.x;
  const Guard up = circle.system.guard("up", [=](const auto& at) { return at[x]; }).rising();
  const Guard down = circle.system.guard("down", [=](const auto& at) { return at[x]; }).falling();
  const Guard both = circle.system.guard("both", [=](const auto& at) { return at[x]; });
  for (const Method& method : methods()) {
    if (!method.is_adaptive || method.order < 4) continue;
    SCOPED_TRACE(method.name);
    const Result run = simulate(circle.system, {.end = 10, .tolerance = 1e-9, .method = method.name});
    const auto near = [](const std::vector<double>& found, const std::vector<double>& exact) {
      ASSERT_EQ(found.size(), exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(found[i], exact[i], 1e-6);
    };
    near(run.times_of(down), {pi / 2, 5 * pi / 2});
    near(run.times_of(up), {3 * pi / 2});
    near(run.times_of(both), {pi / 2, 3 * pi / 2, 5 * pi / 2});
  }
}

TEST(Events, OfABilateralGuardAreSeenOnItsFarSideAndOfAUnilateralOneNever) {
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    SCOPED_TRACE(method.name);
    Circle circle;
    const State x = circle.x, y = circle.y;
    const auto turned = circle.system.discrete("turned", false);
    circle.system.guard("through", [=](const auto& at) { return at[x] - 0.3; }).falling().then([=](Jump& jump) {
      EXPECT_LT(jump[x] - 0.3, 0.0);
    });
    circle.system.guard("wall", [=](const auto& at) { return at[x] + 0.5; })
        .falling()
        .unilateral()
        .then([=](Jump& jump) {
          EXPECT_GE(jump[x] + 0.5, 0.0);
          jump[y] = -jump.pre(y);
          jump[turned] = true;
        });
    const Result run = simulate(circle.system, {.end = 4, .tolerance = 1e-6, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_TRUE(run.final()[turned]);
    for (int i = 0; i <= 20'000; ++i) {
      const double t = 4.0 * i / 20'000;
      ASSERT_GE(run.at(t)[x] + 0.5, 0.0) << t;
      ASSERT_GE(run.before(t)[x] + 0.5, 0.0) << t;
    }
  }
}

TEST(Events, AreLocatedToAFewUlpOfTheTimeWhereTheGuardIsSteep) {
  Line line(-1, 1);
  const State x = line.x;
  line.system.guard("one third", [=](const auto& at) { return 3 * at[x] + 2; });
  const Result run = simulate(line.system, {.end = 1});
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_NEAR(run.events[0].t, 1.0 / 3, 8 * 2.2e-16);
  EXPECT_LT(run.events[0].uncertainty, 16 * 2.2e-16);
}

TEST(Events, AnEventToleranceIsKeptWhateverTheIntegrationTolerance) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    Line line(-1, 1);
    const State x = line.x;
    line.system.guard("g", [=](const auto& at) { return exp(at[x]) - 1; });
    const Result run = simulate(line.system, {.end = 2, .event_tolerance = tolerance});
    ASSERT_EQ(run.events.size(), 1U);
    EXPECT_NEAR(run.events[0].t, 1, tolerance);
    EXPECT_GE(run.events[0].t, 1 - 1e-15);
  }
}

TEST(Events, AGuardThatIsZeroAtTheStartIsListedAndFiresNothingThere) {
  Line line(0, 1);
  const State x = line.x;
  const Guard g = line.system.guard("g", [=](const auto& at) { return at[x] * (at[x] - 0.5); });
  const Result run = simulate(line.system, {.end = 1});
  EXPECT_EQ(times(run, EventKind::initial), (std::vector<double>{0}));
  ASSERT_EQ(run.times_of(g).size(), 1U);
  EXPECT_NEAR(run.times_of(g)[0], 0.5, 1e-14);
}

TEST(Events, AGuardThatLeavesZeroAndComesBackAtOnceIsNotBlind) {
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12}) {
    Line line(0, 1);
    const State x = line.x;
    const Guard g = line.system.guard("g", [=](const auto& at) { return at[x] * (at[x] - gap); });
    const Result run = simulate(line.system, {.end = 1});
    ASSERT_EQ(run.times_of(g).size(), 1U) << gap;
    EXPECT_NEAR(run.times_of(g)[0], gap, 1e-3 * gap);
  }
}

TEST(Events, ARootAtTheEndOfTheRunFiresAndSaysItsFarSideCannotBeShown) {
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    SCOPED_TRACE(method.name);
    Line line(-1, 1);
    const State x = line.x;
    const Guard g = line.system.guard("g", [=](const auto& at) { return at[x]; });
    const Result run = simulate(line.system, {.end = 1, .method = method.name});
    ASSERT_EQ(run.times_of(g).size(), 1U);
    // The polynomial through seven stages adds up terms a hundred times as large as their sum.
    EXPECT_NEAR(run.times_of(g)[0], 1, method.name == "radau-13" ? 1e-13 : 1e-14);
    EXPECT_LE(run.times_of(g)[0], 1);
  }
}

TEST(Events, ARootOnARequestedTimeOrOnAFixedStepFiresOnce) {
  Line line(-1, 1);
  const State x = line.x;
  const Guard g = line.system.guard("g", [=](const auto& at) { return at[x]; });
  EXPECT_EQ(simulate(line.system, {.end = 2, .times = {1.0}}).times_of(g).size(), 1U);
  for (const Method& method : methods()) {
    if (!testing::takes_fixed_steps(method)) continue;
    EXPECT_EQ(simulate(line.system, {.end = 2, .method = method.name, .step = 0.125}).times_of(g).size(), 1U)
        << method.name;
  }
}

TEST(Events, AGuardThatRestsAtZeroFiresNothingAndItsDepartureCanBeAskedFor) {
  System system("rest");
  const auto x = system.state("x", 1.0);
  const auto moving = system.discrete("moving", false);
  system.rates([=](const auto& at, auto& d) { d[x] = (at[moving] ? 1.0 : 0.0) + 0 * at[x]; });
  const Guard g = system.guard("g", [=](const auto& at) { return at[x] - 1; }).reporting_departure();
  system.at(0.5, [=](Jump& jump) { jump[moving] = true; });
  const Result run = simulate(system, {.end = 1});
  EXPECT_TRUE(run.times_of(g).empty());
  EXPECT_TRUE(run.finished());
}

TEST(Events, ATouchIsReportedAndFiresOnlyIfAsked) {
  System system("touch");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto& at, auto& d) { d[x] = 0 * at[x]; });
  const Guard reported = system.guard("reported", [=](const auto& at) { return 1 - sin(at.t); });
  const Guard firing = system.guard("firing", [=](const auto& at) { return 1 - sin(at.t); }).touching();
  const Result run = simulate(system, {.end = 20});
  EXPECT_TRUE(run.times_of(reported).empty());
  ASSERT_EQ(run.times_of(firing).size(), 3U);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(run.times_of(firing)[static_cast<std::size_t>(k)], pi / 2 + 2 * pi * k, 1e-7);
  EXPECT_EQ(times(run, EventKind::touch).size(), 3U);
}

TEST(Events, NearTangencyWithinTheIntegrationErrorIsSaidToBeSo) {
  Circle circle;
  const State x = circle.x;
  const Guard g = circle.system.guard("g", [=](const auto& at) { return at[x] - (1 - 1e-9); }).rising();
  const Result loose = simulate(circle.system, {.end = 7, .tolerance = 1e-5, .method = "dormand-prince-5"});
  EXPECT_TRUE(loose.times_of(g).empty());
  EXPECT_FALSE(times(loose, EventKind::near_touch).empty());
  const Result tight = simulate(circle.system, {.end = 7, .tolerance = 1e-13, .method = "dop853"});
  EXPECT_EQ(tight.times_of(g).size(), 1U);
}

TEST(Events, BackwardInTimeRisingMeansRisingOnTheWay) {
  Circle circle;
  const State x = circle.x;
  const Guard up = circle.system.guard("up", [=](const auto& at) { return at[x]; }).rising();
  const Result run = simulate(circle.system, {.end = -10, .tolerance = 1e-10});
  ASSERT_EQ(run.times_of(up).size(), 1U);
  EXPECT_NEAR(run.times_of(up)[0], -3 * pi / 2, 1e-8);
}

TEST(Events, OnAGuardThatReadsARateAreFoundAndProved) {
  Circle circle;
  const State x = circle.x;
  const Guard turning = circle.system.guard("turning", [=](const auto& at) { return at[dot(x)]; });
  const Result run = simulate(circle.system, {.end = 7, .tolerance = 1e-12});
  ASSERT_EQ(run.times_of(turning).size(), 2U);
  EXPECT_NEAR(run.times_of(turning)[0], pi, 1e-10);
  EXPECT_EQ(run.statistics.events.guarantees[0].level, Assurance::proved);
}

TEST(Events, SayWhichGuaranteeEachGuardHad) {
  Line line(-1, 1);
  const State x = line.x;
  line.system.guard("generic", [=](const auto& at) { return at[x]; });
  line.system.guard("sampled", black_box([=](const auto& at) { return at[x]; }));
  line.system.guard("bounded", [=](const Point<double>& at) { return at[x]; }).rate_bound(1.0);
  line.system.guard("wide", black_box([=](const auto& at) { return at[x]; })).min_width(0.1);
  const Result run = simulate(line.system, {.end = 2});
  std::vector<Assurance> levels;
  for (const Guarantee& one : run.statistics.events.guarantees) levels.push_back(one.level);
  EXPECT_EQ(levels, (std::vector{Assurance::proved, Assurance::sampled, Assurance::bounded, Assurance::bounded}));
  for (int g = 0; g < 4; ++g) {
    ASSERT_EQ(run.times_of(Guard{g}).size(), 1U) << g;
    EXPECT_NEAR(run.times_of(Guard{g})[0], 1, 1e-13);
  }
}

TEST(Events, ADeclaredWidthOrRateFindsTheDipThatSamplingMisses) {
  const auto dips = [](double width, double rate) {
    Line line(0, 1);
    const State x = line.x;
    GuardDeclaration g =
        line.system.guard("dip", black_box([=](const auto& at) { return 1 - 2 * exp(-sqr((at[x] - 4.321) / 1e-3)); }));
    if (width > 0) g.min_width(width);
    if (rate > 0) g.rate_bound(rate);
    return simulate(line.system, {.end = 10, .method = "dop853"}).statistics.events.events;
  };
  EXPECT_EQ(dips(0, 0), 0);
  EXPECT_EQ(dips(1e-3, 0), 2);
  EXPECT_EQ(dips(0, 2e3), 2);
}

TEST(Events, TheSameInstantIsOneEventWithTheFullListInOrder) {
  Line line(-1, 1);
  const State x = line.x;
  line.system.guard("a", [=](const auto& at) { return at[x]; });
  line.system.guard("b", [=](const auto& at) { return 2 * at[x]; });
  line.system.guard("c", [=](const auto& at) { return at[x] - 0.1; });
  const Result run = simulate(line.system, {.end = 2});
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.names(run.events[0]), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run.names(run.events[1]), (std::vector<std::string>{"c"}));
}

TEST(Events, WithinTheConcurrencyWindowAreOneAndLaterOnesAreNot) {
  Line line(-1, 1);
  const State x = line.x;
  line.system.guard("later", [=](const auto& at) { return at[x] - 1e-4; });
  line.system.guard("first", [=](const auto& at) { return at[x]; });
  line.system.guard("late", [=](const auto& at) { return at[x] - 1e-2; });
  const Result apart = simulate(line.system, {.end = 2});
  EXPECT_EQ(apart.events.size(), 3U);
  const Result merged = simulate(line.system, {.end = 2, .concurrency_window = 1e-3});
  ASSERT_EQ(merged.events.size(), 2U);
  EXPECT_EQ(merged.names(merged.events[0]), (std::vector<std::string>{"first", "later"}));
  EXPECT_NEAR(merged.events[0].t, 1 + 1e-4, 1e-12);  // all bilateral: after the last of them
  const Result narrow = simulate(line.system, {.end = 2, .concurrency_window = 1e-3, .concurrency_amplitude = 1e-5});
  EXPECT_EQ(narrow.events.size(), 3U);  // the region of concurrency: 1e-4 is too far beyond zero
}

TEST(Events, AUnilateralGuardInTheWindowSetsTheInstantAndTheOthersDoNotFireTwice) {
  Line line(1, -1);
  const State x = line.x;
  const auto speed = line.system.discrete("done", false);
  const Guard wall =
      line.system.guard("wall", [=](const auto& at) { return at[x]; }).falling().unilateral().then([=](Jump& jump) {
        jump.terminate("hit");
      });
  const Guard after = line.system.guard("after", [=](const auto& at) { return at[x] + 1e-5; });
  const Result run = simulate(line.system, {.end = 2, .concurrency_window = 1e-4});
  EXPECT_EQ(run.outcome, Outcome::terminated);
  EXPECT_EQ(run.times_of(wall).size(), 1U);
  EXPECT_EQ(run.times_of(after), run.times_of(wall));
  EXPECT_GE(run.final()[x], 0.0);
  static_cast<void>(speed);
}

TEST(Events, InsideAStepTheModeIsFrozen) {
  System system("locked");
  const auto x = system.state("x", -1.0);
  const auto positive = system.condition("positive", [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = (at[positive] ? 3.0 : 1.0) + 0 * at[x]; });
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    const Result run = simulate(system, {.end = 2, .method = method.name});
    EXPECT_NEAR(run.final()[x], 3, 1e-12) << method.name;  // a trial that looked across would mix both speeds
    EXPECT_TRUE(run.final()[positive]);
    EXPECT_FALSE(run.at(0.5)[positive]);
  }
}

TEST(Events, FamiliesAreNamedOnDemand) {
  System system("family");
  const auto x = system.states("x", {0.0, 1.0, 3.0});
  system.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < 3; ++i) d[x[i]] = -double(i) + 0 * at[x[i]];
  });
  const Guard meet = system.guard_family("meet", {{0, 1}, {0, 2}, {1, 2}},
                                         [=](const auto& at, int i, int j) { return at[x[j]] - at[x[i]]; });
  std::vector<Pair> met;
  const Result run = simulate(system, {.end = 2.5});
  ASSERT_EQ(run.events.size(), 3U);
  EXPECT_EQ(run.names(run.events[0]), (std::vector<std::string>{"meet(0,1)"}));
  EXPECT_NEAR(run.events[0].t, 1, 1e-14);
  EXPECT_EQ(run.names(run.events[1]), (std::vector<std::string>{"meet(0,2)"}));
  EXPECT_NEAR(run.events[1].t, 1.5, 1e-14);
  EXPECT_EQ(run.names(run.events[2]), (std::vector<std::string>{"meet(1,2)"}));
  EXPECT_TRUE(run.events[2].fired(meet));
  EXPECT_EQ(run.statistics.events.guards, 3);
}

}  // namespace
}  // namespace pawl
