// Blocks of guards, conditions and equations from one function, their number known at run time.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

struct Wave {
  System s{"wave"};
  State x = s.state("x", 0), y = s.state("y", 1);
  Wave() {
    s.rates([x = x, y = y](const auto& at, auto& d) {
      d[x] = at[y];
      d[y] = -at[x];
    });
  }
};

double threshold(int i, int count) {
  return -0.9 + 1.8 * i / (count - 1);
}

TEST(GuardBlock, FindsWhatSeparateGuardsFindAndProvesIt) {
  const int count = 12;
  Wave apart, together;
  for (int i = 0; i < count; ++i)
    apart.s.guard("g" + std::to_string(i + 1),
                  [i, x = apart.x](const auto& at) { return at[x] - threshold(i, count); });
  const Block<Guard> block = together.s.guards("g", count, [count, x = together.x](const auto& at, auto out) {
    for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = at[x] - threshold(i, count);
  });
  const Options options{.end = 7, .tolerance = 1e-9};
  const Result one = simulate(apart.s, options), other = simulate(together.s, options);
  ASSERT_TRUE(other.finished()) << other.reason;
  for (int i = 0; i < count; ++i) EXPECT_EQ(one.times_of(Guard{i}), other.times_of(block[i]));
  EXPECT_EQ(other.times_of(block[0]).size(), 2U);
  EXPECT_EQ(other.names(other.events.front()), one.names(one.events.front()));
  for (const Guarantee& guarantee : other.statistics.events.guarantees) EXPECT_EQ(guarantee.level, Assurance::proved);
}

// Two hundred guards far from zero cost one evaluation over a step, not two hundred.
TEST(GuardBlock, QuietGuardsShareOneEvaluationPerStep) {
  for (const bool is_black_box : {false, true}) {
    Wave wave;
    const auto calls = std::make_shared<long long>(0);
    const int count = 200;
    const auto all = [=, x = wave.x](const auto& at, auto out) {
      ++*calls;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = at[x] - 2.0 - static_cast<double>(i);
    };
    if (is_black_box)
      wave.s.guards("g", count, black_box(all));
    else
      wave.s.guards("g", count, all);
    const Result run = simulate(wave.s, {.end = 20});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_TRUE(run.events.empty());
    EXPECT_LT(*calls, 40 * (run.statistics.steps_accepted + 2)) << is_black_box;
    EXPECT_EQ(run.statistics.events.guarantees.front().level, is_black_box ? Assurance::sampled : Assurance::proved);
  }
}

TEST(GuardBlock, HasNamesDirectionsAndJumpsWithTheNumberOfTheGuard) {
  Wave wave;
  const auto last = wave.s.discrete("last", -1);
  auto declared = wave.s.guards({"low", "high"}, [x = wave.x](const auto& at, auto out) {
    out[0] = at[x] + 0.5;
    out[1] = at[x] - 0.5;
  });
  declared.rising().then([=](Jump& jump, int i) {
    EXPECT_TRUE(jump.fired(Guard{i}));
    jump[last] = i;
  });
  declared[0].falling();
  const Block<Guard> block = declared;
  const Result run = simulate(wave.s, {.end = 2 * std::numbers::pi - 0.1, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.times_of(block[1]).size(), 1U);
  EXPECT_NEAR(run.times_of(block[1])[0], std::numbers::pi / 6, 1e-8);  // sin rises through 1/2
  ASSERT_EQ(run.times_of(block[0]).size(), 1U);
  EXPECT_NEAR(run.times_of(block[0])[0], 7 * std::numbers::pi / 6, 1e-8);  // and falls through -1/2
  EXPECT_EQ(run.names(run.events[0]), std::vector<std::string>{"high"});
  EXPECT_EQ(run.at(1)[last], 1);
  EXPECT_EQ(run.final()[last], 0);
}

TEST(GuardBlock, ConditionsAndRelationsComeInBlocksToo) {
  Wave wave;
  const auto above = wave.s.conditions({"above 0.2", "above 0.4"}, [x = wave.x](const auto& at, auto out) {
    out[0] = at[x] - 0.2;
    out[1] = at[x] - 0.4;
  });
  const auto signs = wave.s.relations({"x", "y"}, [x = wave.x, y = wave.y](const auto& at, auto out) {
    out[0] = at[x];
    out[1] = at[y];
  });
  const Result run = simulate(wave.s, {.end = 4, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(above[1]).size(), 2U);
  for (const double t : {0.1, 0.3, 1.0, 2.0, 3.5}) {
    const Instant now = run.at(t);
    EXPECT_EQ(now[above[0]], std::sin(t) > 0.2);
    EXPECT_EQ(now[above[1]], std::sin(t) > 0.4);
    EXPECT_EQ(now[signs[0]], std::sin(t) > 0 ? 1 : -1);
    EXPECT_EQ(now[signs[1]], std::cos(t) > 0 ? 1 : -1);
  }
}

TEST(GuardBlock, IsRefusedWhereItMeansNothing) {
  Wave wave;
  const auto nothing = [](const auto&, auto) {};
  EXPECT_EQ(misuse_of([&] { wave.s.guards(std::vector<std::string>{}, nothing); }),
            "system 'wave': a block of guards is empty; at least one is needed");
  EXPECT_EQ(misuse_of([&] {
              wave.s.guards({"a", "b", "a"}, nothing);
            }),
            "system 'wave': the guard 'a' is declared twice");
}

// Many guards are declared at once: each name is looked up, not compared with all others.
TEST(GuardBlock, ManyGuardsAreDeclaredQuickly) {
  Wave wave;
  wave.s.guards("g", 20'000, [](const auto&, auto) {});
  EXPECT_EQ(wave.s.declarations().guards.size(), 20'000U);
}

// A chain x_1' = u - x_1, x_k' = x_(k-1) - x_k with the input u = sin t as an algebraic unknown, n known at run time.
TEST(EquationBlock, HasARunTimeCount) {
  for (const int n : {1, 3, 40}) {
    System s("chain");
    const auto u = s.state("u", 0);
    const Block<State> x = s.states("x", std::vector<double>(static_cast<std::size_t>(n), 1.0));
    s.equations("chain", n + 1, [=](const auto& at, auto out) {
      out[0] = at[u] - sin(at.t);
      for (int k = 0; k < n; ++k)
        out[static_cast<std::size_t>(k) + 1] = at[dot(x[k])] - ((k == 0 ? at[u] : at[x[k - 1]]) - at[x[k]]);
    });
    const Result run = simulate(s, {.end = 2, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[u], std::sin(2), 1e-8);
    // x_1 = 3/2 e^-t + (sin t - cos t) / 2
    EXPECT_NEAR(run.final()[x[0]], 1.5 * std::exp(-2.0) + 0.5 * (std::sin(2) - std::cos(2)), 1e-7);
    System rates("rates");
    const Block<State> y = rates.states("y", std::vector<double>(static_cast<std::size_t>(n), 1.0));
    rates.rates([=](const auto& at, auto& d) {
      for (int k = 0; k < n; ++k) {
        if (k == 0)
          d[y[k]] = sin(at.t) - at[y[k]];
        else
          d[y[k]] = at[y[k - 1]] - at[y[k]];
      }
    });
    EXPECT_NEAR(run.final()[x[n - 1]], simulate(rates, {.end = 2, .tolerance = 1e-10}).final()[y[n - 1]], 1e-7);
  }
}

TEST(EquationBlock, IsCountedAndNamed) {
  System s("short");
  const auto a = s.state("a", 0), b = s.state("b", 0), c = s.state("c", 0);
  EXPECT_EQ(misuse_of([&] { s.equations("none", 0, [](const auto&, auto) {}); }),
            "system 'short', equations 'none': 0 of them; at least one is needed");
  s.equations("two", 2, [=](const auto& at, auto out) {
    out[0] = at[dot(a)] - at[b];
    out[1] = at[b] - at[c];
  });
  const std::string text = misuse_of([&] { simulate(s, {.end = 1}); });
  EXPECT_NE(text.find("'two[1..2]'"), std::string::npos) << text;
}

}  // namespace
}  // namespace pawl
