// Compere's finder: his tables, his guarantees (CEL+ and CEL-), and each of his exceptional cases.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "event/hermite.hpp"
#include "event/published_systems.hpp"

namespace pawl::test {
namespace {

using pawl::event::Node;
using pawl::event::Polynomial;

Options as_printed(double end) {
  return {.end = end,
          .tolerance = {1e-5, 1e-5},
          .method = "dormand-prince-5",
          .max_step = 0.1,
          .keep = Keep::end,
          .events = "compere",
          .event_tolerance = 1e-10};
}

std::vector<double> fired_times(const Result& result) {
  std::vector<double> times;
  for (const Event& event : result.events) {
    if (fires(event.kind)) times.push_back(event.t);
  }
  return times;
}

/// N_rhs = 1 + 6 (N_acc + N_rej + N_it) + 2 N_ev. We spend one evaluation per event, he two; everything else is whole
/// steps.
struct Counts {
  long long rhs, remainder, rejected;
  explicit Counts(const Result& r) {
    const auto events = static_cast<long long>(fired_times(r).size());
    const long long steps = (r.statistics.rhs - 1 - events) / 6;
    remainder = (r.statistics.rhs - 1 - events) % 6;
    rejected = steps - r.statistics.steps_accepted - r.statistics.events.iterations;
    rhs = 1 + 6 * steps + 2 * events;
  }
};

struct PrintedRow {
  double A;
  std::size_t events;
  long long rhs, rejected;
  double y3;  // exact
};

TEST(Compere, FindsThePrintedEventsOfBok1WithThePrintedWork) {
  // Table 5.3; exact values from the roots of sin πt = A t.
  for (const PrintedRow& row : {PrintedRow{0.35, 3, 307, 3, 0.85540756617095},
                                {0.40, 3, 307, 3, 0.80004387521405},
                                {0.41, 1, 237, 2, 0.78198124753043},
                                {0.45, 1, 231, 1, 0.74323445169907}}) {
    const Bok1 bok(row.A);
    const Result result = simulate(bok.system, as_printed(3));
    ASSERT_EQ(result.outcome, Outcome::finished) << result.reason;
    EXPECT_EQ(fired_times(result).size(), row.events) << row.A;
    EXPECT_NEAR(result.final()[bok.y3], row.y3, 1e-5) << row.A;
    const Counts counts(result);
    EXPECT_EQ(counts.remainder, 0) << "an evaluation that is not part of a whole step";
    EXPECT_EQ(counts.rejected, row.rejected) << row.A;
    EXPECT_NEAR(static_cast<double>(counts.rhs), static_cast<double>(row.rhs), 0.05 * static_cast<double>(row.rhs));
    EXPECT_EQ(result.statistics.events.wrong_order, 0);
    EXPECT_EQ(result.statistics.events.false_roots, 0);
  }
}

TEST(Compere, FindsTwentyEventsOfBok3InShrinkingGaps) {
  const Bok3 bok(20);
  const Result result = simulate(bok.system, as_printed(1.3862933));
  ASSERT_EQ(result.outcome, Outcome::terminated) << result.reason;
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 20U);
  for (int k = 1; k <= 20; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k - 1)], Bok3::event_time(k), 1e-6);
  EXPECT_NEAR(result.final()[bok.y3], 0.1653848955596134, 1e-5);
  const Counts counts(result);
  EXPECT_EQ(counts.rejected, 20);                                     // Table 5.3
  EXPECT_NEAR(static_cast<double>(counts.rhs), 725.0, 0.15 * 725.0);  // ours needs fewer iterations
}

TEST(Compere, FindsTheThreeEventsOfCarver1) {
  const SquareWave wave(2);
  Options options = as_printed(0.9);
  options.event_tolerance = 1e-5;
  options.first_step = 1e-6;
  const Result result = simulate(wave.system, options);
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 3U);
  for (int k = 1; k <= 3; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k - 1)], 0.25 * k, 1e-5);
  EXPECT_NEAR(result.final()[wave.y], 0.16487212707001281, 1e-5);
}

TEST(Compere, BilateralGuardsAreBeyondZeroAtTheEventAndUnilateralOnesNeverAre) {
  for (const bool is_unilateral : {false, true}) {
    for (const double tolerance : {1e-4, 1e-7, 1e-10, 1e-13}) {
      System system("ball");
      const auto height = system.state("height", 1), speed = system.state("speed", 0);
      system.rates([=](const auto& at, auto& d) {
        d[height] = at[speed];
        d[speed] = -9.81;
      });
      auto at_events = std::make_shared<std::vector<double>>();
      auto guard = system.guard("ground", [=](const auto& at) { return at[height]; }).falling();
      if (is_unilateral) guard.unilateral();
      guard.then([=](Jump& jump) {
        at_events->push_back(jump[height]);
        jump[speed] = -0.8 * jump[speed];
        if (!is_unilateral) jump[height] = 1e-3;
      });
      Options options = as_printed(3);
      options.event_tolerance = tolerance;
      const Result result = simulate(system, options);
      ASSERT_EQ(result.outcome, Outcome::finished) << result.reason;
      ASSERT_GE(at_events->size(), 5U);
      for (const double g : *at_events) {
        EXPECT_LE(std::abs(g), 2 * tolerance + 1e-15);
        if (is_unilateral)
          EXPECT_GE(g, 0);
        else
          EXPECT_LT(g, 0);
      }
    }
  }
}

/// One step from 0 to 1 over which guards are what they are declared as: x' = 1.
struct OneStep {
  System system{"one step"};
  State x = system.state("x", 0);
  OneStep() {
    system.rates([x_ = x](const auto&, auto& d) { d[x_] = 1.0; });
  }
  Result run(const std::string& finder = "compere", double end = 1) const {
    return simulate(system, {.end = end,
                             .tolerance = 1e-5,
                             .method = "dormand-prince-5",
                             .first_step = 1,
                             .max_step = 1,
                             .keep = Keep::end,
                             .events = finder});
  }
};
/// Invisible for a cubic through values and slopes at 0 and 1.
template <class T>
T bump(const T& x) {
  return x * x * (1.0 - x) * (1.0 - x);
}

TEST(Compere, LocatesAnEarlierEventThatTheInterpolantsPutSecond) {  // case II
  OneStep model;
  const auto x = model.x;
  // Cubic estimates: 0.3, then 0.747; in truth 0.7998.
  const auto late = model.system.guard("late", [=](const auto& at) { return 0.3 - at[x] + 19.5 * bump(at[x]); });
  const auto early = model.system.guard("early", [=](const auto& at) { return 0.77 - at[x]; });
  const Result result = model.run();
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0], 0.77, 1e-9);
  EXPECT_NEAR(times[1], 0.799831, 1e-5);
  EXPECT_TRUE(std::find_if(result.events.begin(), result.events.end(), [&](const Event& e) {
                return e.t == times[0] && e.fired(early) && !e.fired(late);
              }) != result.events.end());
  EXPECT_GE(result.statistics.events.wrong_order, 1);
}

TEST(Compere, DropsARootThatOnlyTheInterpolantsHave) {  // case III
  OneStep model;
  const auto x = model.x;
  // g = 0.00625 + 0.55 y + 0.9 y², y = (x - 1/2)²: no root; its cubic, and the two of the second look, have two each.
  model.system.guard("none", [=](const auto& at) { return (at[x] - 0.5) * (at[x] - 0.5) - 0.05 + 0.9 * bump(at[x]); });
  const auto real = model.system.guard("real", [=](const auto& at) { return at[x] - 0.9; });
  const Result result = model.run();
  const std::vector<double> times = fired_times(result);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_NEAR(times[0], 0.9, 1e-9);
  EXPECT_EQ(result.times_of(real).size(), 1U);
  EXPECT_EQ(result.statistics.events.false_roots, 1);
}

TEST(Compere, TwoBallsThatOnlyTheInterpolantLetsCollide) {
  // Balls moved by hand: the gap is H - cos 2τ + cos 4τ / 8 with its minimum H - 0.875 at τ = t - 1/2 = 0, where the
  // cubic through the ends of [0, 1] has H - 0.899.
  System system("two balls");
  const auto carried = system.state("carried", 1);
  system.rates([=](const auto& at, auto& d) { d[carried] = -at[carried]; });
  system
      .guard("they touch",
             [=](const auto& at) {
               const auto upper = 0.885 + cos(4.0 * (at.t - 0.5)) / 8.0, lower = cos(2.0 * (at.t - 0.5));
               return upper - lower;
             })
      .then([=](Jump& jump) { jump[carried] = 0; });
  const Result result = simulate(system, {.end = 1,
                                          .tolerance = 1e-2,
                                          .method = "dormand-prince-5",
                                          .first_step = 1,
                                          .max_step = 1,
                                          .keep = Keep::end,
                                          .events = "compere"});
  EXPECT_TRUE(fired_times(result).empty());
  EXPECT_EQ(result.statistics.steps_accepted, 1);  // the step to the supposed root is thrown away, the first one stands
  EXPECT_NEAR(result.final()[carried], std::exp(-1.0), 1e-2);
}

TEST(Compere, SuspectsADipTheInterpolantDoesNotResolve) {  // Fig. 4.2(a)
  for (const std::string finder : {"compere", "compere-quintic"}) {
    OneStep model;
    const auto x = model.x;
    // The cubic has its minimum 0.02; g has -0.0425 there.
    model.system.guard("dip", [=](const auto& at) { return (at[x] - 0.5) * (at[x] - 0.5) + 0.02 - bump(at[x]); });
    const std::vector<double> times = fired_times(model.run(finder));
    // with y = (x - 1/2)²: y + 0.02 - (1/4 - y)² = 0
    const double half_width = std::sqrt(0.75 - std::sqrt(0.75 * 0.75 - 0.0425));
    ASSERT_EQ(times.size(), 2U) << finder;
    EXPECT_NEAR(times[0], 0.5 - half_width, 1e-8);
    EXPECT_NEAR(times[1], 0.5 + half_width, 1e-8);
  }
}

TEST(Compere, AGuardWithADirectionIgnoresTheOtherOneWithinAStep) {
  OneStep model;
  const auto x = model.x;
  const auto g = [=](const auto& at) { return (at[x] - 0.2) * (at[x] - 0.6); };
  const auto rising = model.system.guard("rising", g).rising();
  const Result result = model.run();
  ASSERT_EQ(result.times_of(rising).size(), 1U);
  EXPECT_NEAR(result.times_of(rising)[0], 0.6, 1e-9);
}

TEST(Compere, TheRegionOfConcurrencyMakesOneEventOfMany) {
  for (const bool has_region : {false, true}) {
    System system("balls");
    const auto height = system.state("height", 1), speed = system.state("speed", 0);
    system.rates([=](const auto& at, auto& d) {
      d[height] = at[speed];
      d[speed] = -9.81;
    });
    std::vector<Pair> members;
    for (int i = 0; i < 20; ++i) members.push_back({i, 0});
    auto fired = std::make_shared<std::size_t>(0);
    system.guard_family("floors", members, [=](const auto& at, int i, int) { return at[height] - 0.5 + 1e-9 * i; })
        .then([=](Jump&, int, int) { ++*fired; });
    Options options = as_printed(0.4);
    options.tolerance = 1e-3;
    if (has_region) {
      options.concurrency_window = 1e-7;
      options.concurrency_amplitude = 1e-6;
    }
    const Result result = simulate(system, options);
    EXPECT_EQ(*fired, 20U);
    EXPECT_EQ(fired_times(result).size(), has_region ? 1U : 20U);
    for (const double t : fired_times(result)) EXPECT_NEAR(t, std::sqrt(1 / 9.81), 1e-7);
  }
}

TEST(Compere, SimultaneousGuardsAreOneEvent) {
  OneStep model;
  const auto x = model.x;
  const auto first = model.system.guard("first", [=](const auto& at) { return at[x] - 0.25; });
  const auto second = model.system.guard("second", [=](const auto& at) { return at[x] - 0.25; });
  const Result result = model.run();
  ASSERT_EQ(fired_times(result).size(), 1U);
  EXPECT_EQ(result.times_of(first), result.times_of(second));
}

TEST(Compere, WorksBackwardInTimeAndWithOtherMethods) {
  for (const std::string method : {"dormand-prince-5", "dop853", "verner-9", "fehlberg-45"}) {
    const Bok1 bok(0.40);
    Options options = as_printed(3);
    options.method = method;
    const std::vector<double> forward = fired_times(simulate(bok.system, options));
    ASSERT_EQ(forward.size(), 3U) << method;
    EXPECT_NEAR(forward[2], 2.5, 1e-3) << method;
  }
  System system("clock");
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = at[x]; });
  const auto half = system.guard("half", [=](const auto& at) { return at[x] - 0.5; }).falling();  // on the way
  Options options = as_printed(-2);
  const Result result = simulate(system, options);
  ASSERT_EQ(result.times_of(half).size(), 1U) << result.reason;
  EXPECT_NEAR(result.times_of(half)[0], -std::log(2.0), 1e-5);
}

TEST(Compere, AMultistepMethodCutsItsPolynomial) {
  const Bok1 bok(0.35);
  Options options = as_printed(3);
  options.method = "adams-bashforth-moulton-4";
  options.step = 0.01;
  const std::vector<double> times = fired_times(simulate(bok.system, options));
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0], 0.898206038711737, 1e-5);
  EXPECT_NEAR(times[2], 2.62827318675974, 1e-5);
}

TEST(Hermite, CubicAndQuinticReproduceTheirPolynomials) {
  const auto f = [](double t) { return 2 - 3 * t + t * t * t - 0.5 * std::pow(t, 5); };
  const auto d = [](double t) { return -3 + 3 * t * t - 2.5 * std::pow(t, 4); };
  const auto node = [&](double t) { return Node{t, f(t), d(t)}; };
  const Node three[] = {node(0.5), node(0.8), node(1.5)};
  const Polynomial quintic = Polynomial::hermite(three);
  for (const double s : {0.0, 0.1, 0.37, 0.9, 1.0}) EXPECT_NEAR(quintic(s), f(0.5 + s), 1e-13);
  const Node two[] = {{1, 1, 2}, {3, -1, 0.5}};
  const Polynomial cubic = Polynomial::hermite(two);
  EXPECT_NEAR(cubic(0), 1, 1e-15);
  EXPECT_NEAR(cubic(1), -1, 1e-15);
  EXPECT_NEAR(cubic.slope(0), 4, 1e-14);  // by s, which spans two units of time
  EXPECT_NEAR(cubic.slope(1), 1, 1e-14);
}

TEST(Hermite, CrossingsAreTheRootsWhereTheSignChanges) {
  const auto f = [](double t) { return (t - 0.1) * (t - 0.4) * (t - 0.7); };
  const auto d = [](double t) { return (t - 0.4) * (t - 0.7) + (t - 0.1) * (t - 0.7) + (t - 0.1) * (t - 0.4); };
  const Node two[] = {{0, f(0), d(0)}, {1, f(1), d(1)}};
  const auto crossings = Polynomial::hermite(two).crossings(-1);
  ASSERT_EQ(crossings.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(crossings[i].s, 0.1 + 0.3 * static_cast<double>(i), 1e-14);
    EXPECT_EQ(crossings[i].after, i % 2 == 0 ? 1 : -1);
  }
  EXPECT_FALSE(Polynomial::hermite(two).excludes_roots());
  const Node above[] = {{0, 1, 0.1}, {1, 1.05, 0.1}};
  EXPECT_TRUE(Polynomial::hermite(above).excludes_roots());
}

}  // namespace
}  // namespace pawl::test
