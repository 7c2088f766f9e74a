// Rates of time alone: a step is then a rule for integrals, and its error estimate must be one of that rule. Fehlberg's
// pair of orders 7 and 8 estimates zero there, and has a second opinion.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {
namespace {

constexpr double width = 1e-3;  // of the peak, squared

/// x = ∫ 1 / (width + (t - 3)^2), and y' = coupling x beside it, if there is a coupling.
double peak(double t) {
  const double k = std::sqrt(width);
  return (std::atan((t - 3) / k) + std::atan(3 / k)) / k;
}

TEST(Quadrature, ErrsByItsToleranceWithEveryMethod) {
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    for (const double tolerance : {1e-6, 1e-10}) {
      SCOPED_TRACE(fmt::format("{} at {}", method.name, tolerance));
      System system("quadrature");
      const State x = system.state("x", 0);
      system.rates([=](const auto& at, auto& d) { d[x] = 1 / (width + sqr(at.t - 3)); });
      const Result run = simulate(system, {.end = 10, .tolerance = tolerance, .method = method.name});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_NEAR(run.final()[x] / peak(10), 1, 1e4 * tolerance);  // multistep methods sum up some hundred steps
    }
  }
}

TEST(Quadrature, OfFehlberg78ErrsByItsTolerance) {
  for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    for (const double coupling : {0.0, 1e-12, 1e-9, 1e-6}) {
      SCOPED_TRACE(fmt::format("{} with {}", tolerance, coupling));
      const auto rates = [=](const auto& at, auto& d) {
        d[State{0}] = 1 / (width + sqr(at.t - 3)) + coupling * at[State{0}];
        d[State{1}] = -at[State{1}];  // one that the estimate sees
      };
      const Result run = integrate<fehlberg_78>(rates, {0.0, 1.0}, {.end = 10, .tolerance = tolerance});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_NEAR(run.final()[State{0}] / peak(10), 1, 100 * tolerance + 10 * coupling);
    }
  }
}

constexpr auto without_opinion = [] {
  auto table = fehlberg_78;
  table.quadrature = {};
  return table;
}();

TEST(Quadrature, TheSecondOpinionIsSilentWhereStatesMatter) {
  const auto kepler = [](const auto& at, auto& d) {
    const auto x = at[State{0}], y = at[State{1}], r = sqrt(x * x + y * y), cube = r * r * r;
    d[State{0}] = at[State{2}];
    d[State{1}] = at[State{3}];
    d[State{2}] = -x / cube;
    d[State{3}] = -y / cube;
  };
  const auto driven = [](const auto& at, auto& d) { d[State{0}] = -at[State{0}] + cos(3 * at.t); };
  const auto lorenz = [](const auto& at, auto& d) {
    const auto x = at[State{0}], y = at[State{1}], z = at[State{2}];
    d[State{0}] = 10 * (y - x);
    d[State{1}] = x * (28 - z) - y;
    d[State{2}] = x * y - 8.0 / 3 * z;
  };
  const auto expect_same = [](const char* name, const Result& with, const Result& without) {
    EXPECT_NEAR(static_cast<double>(with.statistics.rhs) / static_cast<double>(without.statistics.rhs), 1, 0.02)
        << name;
  };
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
    SCOPED_TRACE(tolerance);
    const Options options{.end = 20, .tolerance = tolerance};
    expect_same("kepler", integrate<fehlberg_78>(kepler, {0.5, 0.0, 0.0, 1.7320508075688772}, options),
                integrate<without_opinion>(kepler, {0.5, 0.0, 0.0, 1.7320508075688772}, options));
    expect_same("driven", integrate<fehlberg_78>(driven, {1.0}, options),
                integrate<without_opinion>(driven, {1.0}, options));
    const Options shorter{.end = 5, .tolerance = tolerance};
    expect_same("lorenz", integrate<fehlberg_78>(lorenz, {1.0, 1.0, 1.0}, shorter),
                integrate<without_opinion>(lorenz, {1.0, 1.0, 1.0}, shorter));
  }
}

}  // namespace
}  // namespace pawl
