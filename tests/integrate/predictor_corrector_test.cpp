#include "integrate/predictor_corrector.hpp"

#include <gtest/gtest.h>

#include "integrate/methods.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

System growth() {  // x' = x
  System system("growth");
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = at[x]; });
  return system;
}
double rk4_growth(double h) {
  return 1 + h + h * h / 2 + h * h * h / 6 + h * h * h * h / 24;
}

TEST(PredictorCorrector, ModifiedEulerHeunIsWhatTheNotesPrint) {
  const double h = 0.1, x0 = 1, x1 = rk4_growth(h);  // the start is one Runge-Kutta step
  const double predicted = x0 + 2 * h * x1, corrected = x1 + h / 2 * (x1 + predicted);
  const Result plain = simulate(growth(), {.end = 2 * h, .method = "modified-euler-heun", .step = h});
  EXPECT_DOUBLE_EQ(plain.final()[State{0}], corrected);
  const Result mopped = simulate(growth(), {.end = 2 * h, .method = "modified-euler-heun-mop-up", .step = h});
  EXPECT_DOUBLE_EQ(mopped.final()[State{0}], (4 * corrected + predicted) / 5);
  // |error| = |corrected - predicted| / 5, here in units of the tolerance 1e-6 |x| + 1e-9
  EXPECT_NEAR(plain.statistics.largest_error_estimate, std::abs(corrected - predicted) / 5 / (1e-6 * corrected + 1e-9),
              1e-6);
}

TEST(PredictorCorrector, TheEstimateMeetsTheTrueErrorOfAStep) {
  const double h = 0.01;
  const Result run = simulate(growth(), {.end = 2 * h, .method = "modified-euler-heun", .step = h});
  const double x = run.final()[State{0}], estimate = run.statistics.largest_error_estimate * (1e-6 * x + 1e-9);
  EXPECT_NEAR(estimate / std::abs(x - std::exp(2 * h)), 1, 0.2);  // both are O(h³), their difference O(h⁴)
}

TEST(PredictorCorrector, EulerHeunIsHeunsRule) {
  const Problem& problem = find_problem("brusselator");
  const Result one = simulate(problem.system, {.end = 2, .method = "euler-heun", .step = 0.01});
  const Result other = simulate(problem.system, {.end = 2, .method = "heun-2", .step = 0.01});
  EXPECT_NEAR(one.final()[State{0}], other.final()[State{0}], 1e-13);
}

TEST(PredictorCorrector, ConvergesWithItsDeclaredOrder) {
  const Problem& problem = find_problem("brusselator");
  const double exact[] = {0.4986370712683478486499, 4.596780349452011183202};  // at t = 20
  for (const auto& table : predictor_corrector_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const auto error_with = [&](int steps) {
      const Result run = simulate(
          problem.system, {.end = 20, .method = std::string(table.name), .step = 20.0 / steps, .keep = Keep::end});
      return std::hypot(run.final()[State{0}] - exact[0], run.final()[State{1}] - exact[1]);
    };
    EXPECT_NEAR(std::log2(error_with(16000) / error_with(32000)), table.order, 0.1);
  }
}

TEST(PredictorCorrector, InterpolatesAtLeastWithItsDeclaredOrder) {
  // The sixth step of x' = x cos t: every formula has left its start behind.
  System swing("swing");
  const auto x = swing.state("x", 1);
  swing.rates([=](const auto& at, auto& d) { d[x] = at[x] * cos(at.t); });
  for (const auto& table : predictor_corrector_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const auto error_with = [&](double h) {
      const Result run = simulate(swing, {.end = 6 * h, .method = std::string(table.name), .step = h});
      double worst = 0;
      for (int i = 1; i < 16; ++i) {  // relative to the chord of the true solution's error at the two ends
        const double t = 5 * h + h * i / 16, a = 5 * h, b = 6 * h;
        const auto error_at = [&](double time) { return run.at(time)[x] - std::exp(std::sin(time)); };
        worst = std::max(worst, std::abs(error_at(t) - error_at(a) - (error_at(b) - error_at(a)) * i / 16));
      }
      return worst;
    };
    const double h = 0.02;
    const double order = std::min(table.order, 3);
    EXPECT_GE(std::log2(error_with(h) / error_with(h / 2)), order + 1 - 0.25);
  }
}

TEST(PredictorCorrector, NeedsAFixedStep) {
  for (const auto& table : predictor_corrector_tables()) {
    EXPECT_FALSE(find_method(table.name).is_adaptive);
    EXPECT_THROW(simulate(growth(), {.end = 1, .method = std::string(table.name)}), Misuse);
  }
}

}  // namespace
}  // namespace pawl
