// Published problems as equations of a Model: digits of their references, constraints and hidden constraints at
// rounding.
#include <cmath>

#include <gtest/gtest.h>

#include "flat_problems.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"

namespace pawl::model {
namespace {

std::vector<double> reference_of(const char* name, double t) {
  const Problem& problem = find_problem(name);
  return *problem.reference(Values(problem.system), t);
}

/// The largest error of these quantities at the end, relative to their sizes or to one.
double error_of(const Result& run, const std::vector<std::string>& names, const std::vector<double>& expected) {
  double worst = 0;
  const Instant end = run.final();
  for (std::size_t i = 0; i < names.size(); ++i)
    worst = std::max(worst, std::abs(end[names[i]] - expected[i]) / std::max(1.0, std::abs(expected[i])));
  return worst;
}

/// The largest value of observables g1, g1', g2, ... over all accepted steps, beside sizes of their terms.
double drift_of(const Result& run, int constraints, const char* suffix, double size) {
  double worst = 0;
  for (int i = 0; i < run.sample_count(); i += std::max(1, run.sample_count() / 50)) {
    const Instant here = run.sample(i);
    for (int k = 1; k <= constraints; ++k)
      worst = std::max(worst, std::abs(here[fmt::format("g{}{}", k, suffix)]) / size);
  }
  return worst;
}

constexpr double rounding = 1e-13;

TEST(FlatProblem, AndrewsSqueezer) {
  BuildReport report;
  const System system = squeezer().build({}, &report);
  EXPECT_EQ(report.index, 3);
  const Result run = simulate(system, {.end = 0.03, .tolerance = 1e-11});
  ASSERT_TRUE(run.finished()) << run.reason;
  std::vector<std::string> names;
  for (const char* name : {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"}) {
    names.emplace_back(name);
    names.push_back(fmt::format("{}'", name));
  }
  EXPECT_LT(error_of(run, names, reference_of("andrews", 0.03)), 1e-8);
  EXPECT_LT(drift_of(run, 6, "", 1), rounding);
  EXPECT_LT(drift_of(run, 6, "'", 100), rounding);  // speeds of the ends of the bars: metres per second times angles
}

TEST(FlatProblem, CarAxis) {
  BuildReport report;
  const System system = car_axis().build({}, &report);
  EXPECT_EQ(report.index, 3);
  const Result run = simulate(system, {.end = 3, .tolerance = 1e-11});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(error_of(run, {"xl", "xl'", "yl", "yl'", "xr", "xr'", "yr", "yr'"}, reference_of("caraxis", 3)), 1e-8);
  EXPECT_LT(drift_of(run, 2, "", 1), rounding);
  EXPECT_LT(drift_of(run, 2, "'", 1), rounding);
}

TEST(FlatProblem, TransistorAmplifier) {
  const Result run = simulate(transistor_amplifier().build(), {.end = 0.2, .tolerance = 1e-11});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(error_of(run, {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"}, reference_of("transistor-amplifier", 0.2)),
            1e-8);
}

TEST(FlatProblem, Fekete) {
  const std::vector<double> start = Values(find_problem("fekete").system).start();
  BuildReport report;
  const System system = fekete({start.begin(), start.begin() + 60}).build({}, &report);
  EXPECT_EQ(report.index, 2);
  const Result run = simulate(system, {.end = 1000, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  std::vector<std::string> names;
  for (int i = 1; i <= 60; ++i) names.push_back(fmt::format("p{}", i));
  EXPECT_LT(error_of(run, names, reference_of("fekete", 1000)), 1e-8);
  EXPECT_LT(drift_of(run, 20, "", 1), rounding);
  EXPECT_LT(drift_of(run, 20, "'", 1), rounding);
}

TEST(FlatProblem, ChargePump) {
  BuildReport report;
  const System system = charge_pump().build({}, &report);
  EXPECT_EQ(report.index, 2);
  EXPECT_EQ(report.constraints, 2);  // the charges of the capacitors; those of the transistor depend on the mode
  const Result run = simulate(system, {.end = 1.2e-6, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> expected = reference_of("charge-pump", 1.2e-6);
  const std::array<const char*, 9> names{"YT1", "YS", "YT2", "YD", "YT3", "U1", "U2", "U3", "I"};
  const std::array<double, 9> sizes{1e-13, 1e-13, 1e-13, 1e-13, 1e-13, 1, 1, 1, 1e-4};
  const Instant end = run.final();
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_NEAR(end[names[i]], expected[i], 1e-8 * sizes[i]) << names[i];
}

// x1' = x2, ..., and a constraint on x1 alone that a sine meets: index n, no degree of freedom. Every hidden constraint
// is a derivative of the sine.
Model chain(int n, bool is_linear) {
  Model m("chain");
  std::vector<Expr> x;
  const std::array<double, 4> cycle{0, 1, 0, -1};
  for (int i = 0; i < n; ++i)
    x.push_back(m.state(fmt::format("x{}", i + 1), cycle[static_cast<std::size_t>(i) % 4] + (is_linear ? 0 : 0.01)));
  for (int i = 0; i + 1 < n; ++i) m.equation(der(x[static_cast<std::size_t>(i)]), x[static_cast<std::size_t>(i) + 1]);
  const Expr s = sin(m.time());
  if (is_linear)
    m.equation(x[0], s);
  else
    m.equation(x[0] + x[0] * sqr(x[0]), s + s * sqr(s));
  return m;
}

TEST(FlatProblem, ChainsOfAnyIndexOnTheManifold) {
  for (const int n : {4, 5}) {
    BuildReport report;
    const System system = chain(n, false).build({}, &report);
    EXPECT_EQ(report.index, n);
    const Result run = simulate(system, {.end = 2, .tolerance = 1e-10});
    ASSERT_TRUE(run.finished()) << run.reason;
    for (int i = 0; i < run.sample_count(); ++i) {
      const Instant here = run.sample(i);
      const std::array<double, 4> cycle{std::sin(here.t), std::cos(here.t), -std::sin(here.t), -std::cos(here.t)};
      for (int k = 0; k + 1 < n; ++k)
        EXPECT_NEAR(here[fmt::format("x{}", k + 1)], cycle[static_cast<std::size_t>(k) % 4], 1e-8) << "index " << n;
      EXPECT_NEAR(here["x1"], cycle[0], 1e-14);  // constraint and hidden constraints, at rounding
      EXPECT_NEAR(here["x2"], cycle[1], 1e-13);
      EXPECT_NEAR(here["x3"], cycle[2], 1e-12);
    }
  }
}

TEST(FlatProblem, LinearChainsAreSolvedOnTheGraph) {
  for (const int n : {4, 5, 9}) {
    BuildReport report;
    const System system = chain(n, true).build({}, &report);
    EXPECT_EQ(report.index, n);
    EXPECT_EQ(report.states + report.algebraic, 0) << "everything follows from the time";
    const Instant end = simulate(system, {.end = 2, .tolerance = 1e-6}).final();
    const std::array<double, 4> cycle{std::sin(end.t), std::cos(end.t), -std::sin(end.t), -std::cos(end.t)};
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(end[fmt::format("x{}", k + 1)], cycle[static_cast<std::size_t>(k) % 4], 1e-15);
  }
}

}  // namespace
}  // namespace pawl::model
