// The finder of DASPKE for differential-algebraic systems: guards as algebraic and as differential variables of the
// equations (Mao and Petzold 2002, section 3.1.2), and DASRT, which looks at signs alone.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl::test {
namespace {

using testing::misuse_of;

std::vector<double> fired_times(const Result& result) {
  std::vector<double> times;
  for (const Event& event : result.events) {
    if (fires(event.kind)) times.push_back(event.t);
  }
  return times;
}

/// x' = v, v = cos t by an equation: x = sin t. The guard reads both, and the time.
struct Swing {
  Swing() {
    system.equation("speed", [x = x, v = v](const auto& at) { return at[dot(x)] - at[v]; });
    system.equation("course", [v = v](const auto& at) { return at[v] - cos(at.t); });
  }
  System system{"swing"};
  State x = system.state("x", 0), v = system.state("v", 1);
};

/// Nothing moves but the guard.
struct Still {
  explicit Still(double frequency) {
    system.equation("still", [y = y, z = z](const auto& at) { return at[dot(y)] + at[z]; });
    system.equation("nothing", [z = z](const auto& at) { return at[z] * 1.0; });
    system.guard("wave", [=](const auto& at) { return sin(2 * std::numbers::pi * frequency * at.t); });
  }
  System system{"still"};
  State y = system.state("y", 1), z = system.state("z", 0);
};

struct Case {
  std::string method, finder;
};
class GuardsInEquations : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(EveryVariant, GuardsInEquations,
                         ::testing::Values(Case{"radau", "daspke"}, Case{"radau", "daspke-differential"},
                                           Case{"bdf", "daspke"}, Case{"bdf", "daspke-differential"},
                                           Case{"rodas5p", "daspke"}, Case{"esdirk-4", "daspke"}),
                         [](const auto& test) {
                           std::string name = test.param.method + "_" + test.param.finder;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(GuardsInEquations, TheirVariablesHaveTheValuesOfTheGuards) {
  Swing swing;
  const auto value = [](double x, double v, double t) { return x * v + t - 10; };
  swing.system.guard("product", [x = swing.x, v = swing.v](const auto& at) { return at[x] * at[v] + at.t - 10.0; });
  const Result run = simulate(
      swing.system, {.end = 3, .tolerance = {1e-7, 1e-7}, .method = GetParam().method, .events = GetParam().finder});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.state_names(), (std::vector<std::string>{"x", "v", "guard 'product'"}));
  for (const double t : {0.5, 1.7, 3.0}) {
    const std::vector<double> at = run.at(t).states();
    EXPECT_NEAR(at[2], value(std::sin(t), std::cos(t), t), 1e-4) << t;
  }
  EXPECT_EQ(run.final()[swing.x], run.final().states()[0]);
}

// A step of the states alone would be as long as the run.
TEST_P(GuardsInEquations, TheErrorControlSeesThem) {
  const Still still(10);
  const Result run = simulate(
      still.system, {.end = 3.45, .tolerance = {1e-5, 1e-5}, .method = GetParam().method, .events = GetParam().finder});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> times = fired_times(run);
  ASSERT_EQ(times.size(), 68U);  // the zeros 1/20, ..., 68/20
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], static_cast<double>(k + 1) / 20, 2e-9);
}

TEST_P(GuardsInEquations, EveryModeChangeOfTheDiodeCircuitOnce) {
  const Problem& problem = find_problem("diode-circuit");
  Values values(problem.system);
  const std::vector<double> exact = problem.event_times(values, problem.end).value();
  const Result run = simulate(
      problem.system, values,
      {.end = problem.end, .tolerance = {1e-5, 1e-5}, .method = GetParam().method, .events = GetParam().finder});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> times = fired_times(run);
  ASSERT_EQ(times.size(), exact.size());
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], exact[k], 2e-5) << k;
}

TEST(Dasrt, SkipsZerosInPairsWhereNothingElseKeepsStepsShort) {
  const Still still(10);
  const Result run =
      simulate(still.system, {.end = 3.45, .tolerance = {1e-5, 1e-5}, .method = "radau", .events = "dasrt"});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(fired_times(run).size(), 34U);
}

TEST(Dasrt, FindsWhatChangesSignOnceAStep) {
  Swing swing;
  swing.system.guard("falls", [x = swing.x](const auto& at) { return at[x] - 0.5; }).falling();
  const Result run = simulate(
      swing.system, {.end = 4, .tolerance = {1e-7, 1e-7}, .method = "radau", .max_step = 0.5, .events = "dasrt"});
  const std::vector<double> times = fired_times(run);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_NEAR(times[0], std::numbers::pi - std::asin(0.5), 1e-6);
}

TEST(PublishedFinders, AreRefusedWhereModesOfContactsMustBeDecided) {
  for (const char* finder : {"compere", "daspke", "dasrt", "none"}) {
    EXPECT_EQ(misuse_of([&] { simulate(find_problem("pendulum-stop").system, {.end = 1, .events = finder}); }),
              std::string("system 'pendulum-stop' has contacts or dry friction, whose modes only the finder "
                          "'certified' decides, not '") +
                  finder + "'");
  }
}

}  // namespace
}  // namespace pawl::test
