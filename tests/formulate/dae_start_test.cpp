#include "formulate/dae_start.hpp"

#include <gtest/gtest.h>

#include "formulate/dae_models.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using formulate::find_consistent;
using formulate::StartReport;
using testing::Formed;
using testing::says;

TEST(DaeStart, ChargeGoesThroughASwitchThatCloses) {
  for (const double capacity : {1.0, 3.0, 10.0}) {
    System s("switch");
    const auto a = s.state("a", 2.0), b = s.state("b", 0.0), i = s.state("i", 0.0);
    s.rates([=](const auto& at, auto& d) {
      d[a] = -at[i];
      d[b] = at[i];
    });
    s.mass([=](const auto&, auto& M) { M(a, a) = 1.0, M(b, b) = capacity; });
    s.equation("closed", [=](const auto& at) { return at[a] - at[b]; });
    Formed f(s);
    ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, true).failure, "");
    EXPECT_NEAR(f.y[0], 2 / (1 + capacity), 1e-14);
    EXPECT_NEAR(f.y[1], 2 / (1 + capacity), 1e-14);
  }
}

TEST(DaeStart, APendulumIsMovedOntoAllItsHiddenConstraints) {
  Formed f(testing::circle_pendulum(3, /*u0=*/2.0));
  double &x = f.y[0], &y = f.y[1], &u = f.y[2], &v = f.y[3], &lambda = f.y[4];
  x = 0.61;  // and off the circle
  const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_NEAR(x * x + y * y, 1, 1e-14);
  EXPECT_NEAR(x * u + y * v, 0, 1e-14);
  EXPECT_NEAR(lambda, u * u + v * v - 9.81 * y, 1e-12);
  EXPECT_NEAR(f.dy[2], -lambda * x, 1e-12);
  EXPECT_NEAR(f.dy[3], -lambda * y - 9.81, 1e-12);
  EXPECT_LE(f.residual(), 1e-12);
  // The least change: onto the circle along its radius, of the speed to its part along the circle.
  const double radius = std::hypot(0.61, 0.8);
  EXPECT_NEAR(x, 0.61 / radius, 1e-7);
  EXPECT_NEAR(u, 2.0 * y * y, 1e-12);
  EXPECT_NEAR(v, -2.0 * x * y, 1e-12);
  EXPECT_TRUE(says(report.changes, {"'x' from 0.61 to 0.606", "'u' from 2 to", "'v' from 0 to"}));
  EXPECT_EQ(report.changes.find("lambda"), std::string::npos);
  // Once there, nothing moves any more.
  const std::vector<double> found = f.y;
  const StartReport again = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
  EXPECT_EQ(again.changes, "");
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(f.y[j], found[j], 1e-13);
}

TEST(DaeStart, FixedValuesAreKept) {
  Formed f(testing::circle_pendulum(3));
  f.y = {0.28, -0.8, 3.0, 0.0, 0.0};
  const StartReport report =
      find_consistent(f.form, 0, f.y.data(), f.dy.data(), {true, false, true, false, false}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(f.y[0], 0.28);
  EXPECT_EQ(f.y[2], 3.0);
  EXPECT_NEAR(f.y[1], -0.96, 1e-14);
  EXPECT_NEAR(f.y[3], 3 * 0.28 / 0.96, 1e-14);
}

TEST(DaeStart, TheAmplifierIsBroughtOntoItsThreeSums) {
  Formed f(testing::transistor_amplifier());
  const std::vector<double> consistent = f.y;
  StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.changes, "");
  EXPECT_LE(f.residual(), 1e-12);
  // Rates at the start, from the derivatives of the algebraic sums, with g'(0) = β / U_F.
  const double slope = 1e-6 / 0.026, third = -3 / (2e-6 * 9000), sixth = -3 / (4e-6 * 9000);
  const double first =
      (0.1 * 200 * std::numbers::pi / 1000 + 0.01 * slope * third) / (1.0 / 1000 + 2.0 / 9000 + 0.01 * slope);
  const double fourth = (-0.99 * slope * (first - third) + 0.01 * slope * sixth) / (3.0 / 9000 + 0.01 * slope);
  const double seventh = -0.99 * slope * (fourth - sixth) / (2.0 / 9000);
  const std::vector<double> rates{first, first, third, fourth, fourth, sixth, seventh, seventh};
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(f.dy[j], rates[j], 1e-9 * std::abs(rates[j])) << j;
  EXPECT_NEAR(f.dy[0], 51.338775, 1e-3);  // as printed with the problem (Test Set for IVP Solvers 2.4)
  EXPECT_NEAR(f.dy[3], -24.9757667, 1e-2);
  EXPECT_NEAR(f.dy[6], -10.00564453, 1e-2);

  for (std::size_t j = 0; j < 8; ++j) f.y[j] = consistent[j] + 0.05 * std::sin(1.0 + static_cast<double>(j));
  report = find_consistent(f.form, 0.01, f.y.data(), f.dy.data(), {}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_LE(f.residual(0.01), 1e-12);
  EXPECT_NE(report.changes, "");
}

TEST(DaeStart, AfterAJumpChargesAreKept) {
  Formed f(testing::transistor_amplifier());
  for (std::size_t j = 0; j < 8; ++j) f.y[j] += 0.05 * std::sin(1.0 + static_cast<double>(j));
  const std::vector<double> before = f.y;
  const StartReport report = find_consistent(f.form, 0.01, f.y.data(), f.dy.data(), {}, true);
  ASSERT_EQ(report.failure, "");
  EXPECT_LE(f.residual(0.01), 1e-12);
  for (const auto& [a, b] : {std::pair{0u, 1u}, std::pair{3u, 4u}, std::pair{6u, 7u}})
    EXPECT_NEAR(f.y[b] - f.y[a], before[b] - before[a], 1e-13);
  EXPECT_NEAR(f.y[2], before[2], 1e-13);
  EXPECT_NEAR(f.y[5], before[5], 1e-13);
}

System algebraic_loop() {
  System s("loop");
  const auto x = s.state("x", 0.4), u = s.state("u", 0.0);
  s.rates([=](const auto& at, auto& d) { d[x] = -at[x] + at[u]; });
  s.equation("feedback", [=](const auto& at) { return 1.0 - at[u] - (at[x] + 2.0 * at[u]); });
  return s;
}

TEST(DaeStart, AnAlgebraicLoopIsClosedAndItsStateKept) {
  Formed f(algebraic_loop());
  const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.changes, "");
  EXPECT_EQ(f.y[0], 0.4);
  EXPECT_NEAR(f.y[1], 0.2, 1e-15);
  EXPECT_NEAR(f.dy[0], -0.2, 1e-15);
  EXPECT_NEAR(f.dy[1], 0.2 / 3, 1e-15);  // u = (1 - x) / 3
}

TEST(DaeStart, AFixedAlgebraicValueMovesTheState) {
  Formed f(algebraic_loop());
  f.y[1] = 0.1;
  const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {false, true}, false);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(f.y[1], 0.1);
  EXPECT_NEAR(f.y[0], 0.7, 1e-14);
  EXPECT_TRUE(says(report.changes, {"'x' from 0.4 to 0.7"}));
  // Across differentiated equations too: the force in the rod is given, the speed follows.
  Formed rod(testing::circle_pendulum(3, 1.0));
  rod.y[4] = 20;
  const StartReport tension =
      find_consistent(rod.form, 0, rod.y.data(), rod.dy.data(), {true, true, false, false, true}, false);
  ASSERT_EQ(tension.failure, "");
  EXPECT_EQ(rod.y[4], 20);
  EXPECT_NEAR(rod.y[2] * rod.y[2] + rod.y[3] * rod.y[3], 20 - 9.81 * 0.8, 1e-10);
  EXPECT_NEAR(0.6 * rod.y[2] - 0.8 * rod.y[3], 0, 1e-12);
}

TEST(DaeStart, FixedValuesThatContradictAreNamed) {
  Formed f(algebraic_loop());
  f.y = {0.4, 0.1};
  StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {true, true}, false);
  EXPECT_TRUE(says(report.failure, {"no consistent values", "'feedback'", "'x', 'u' leave no choice", "fewer fixed"}));
  EXPECT_EQ(f.y[1], 0.1);  // untouched
  Formed p(testing::circle_pendulum(3));
  p.y = {0.5, -0.5, 0, 0, 0};
  report = find_consistent(p.form, 0, p.y.data(), p.dy.data(), {true, true, false, false, false}, false);
  EXPECT_TRUE(says(report.failure, {"'circle' is off by -0.5", "'x', 'y' leave no choice"}));
}

System diode_circuit() {
  System s("diode circuit");
  const auto u_c = s.state("u_c", 1.0), i = s.state("i", 0.0), u_d = s.state("u_d", 0.0);
  const auto on = s.discrete("on", true);
  s.equation("loop", [=](const auto& at) { return 10.0 * sin(100.0 * at.t) + 3.0 - 2.0 * at[i] - at[u_d] - at[u_c]; });
  s.equation("capacitor", [=](const auto& at) { return 1e-3 * at[dot(u_c)] + at[u_c] / 50.0 - at[i]; });
  s.equation("diode", [=](const auto& at) { return at[on] ? at[u_d] : at[i]; });
  return s;
}

TEST(DaeStart, ADiodeCircuitHasItsCurrentsInBothModes) {
  Formed f(diode_circuit());
  EXPECT_EQ(f.structure().index, 1);
  ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false).failure, "");
  EXPECT_EQ(f.y[0], 1.0);
  EXPECT_NEAR(f.y[1], 1.0, 1e-14);
  EXPECT_NEAR(f.y[2], 0.0, 1e-14);
  EXPECT_NEAR(f.dy[0], (1.0 - 0.02) / 1e-3, 1e-9);
  EXPECT_NEAR(f.dy[1], (1000 - f.dy[0]) / 2, 1e-9);  // 2 i' = 10 * 100 cos(0) - u_c'
  f.held.modes[0] = 0;                               // seen without being told
  const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, true);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.changes, "");
  EXPECT_EQ(f.y[0], 1.0);
  EXPECT_NEAR(f.y[1], 0.0, 1e-14);
  EXPECT_NEAR(f.y[2], 2.0, 1e-14);
}

TEST(DaeStart, AnExponentialDiodeIsFoundFromAnywhere) {
  for (const double guess : {-5.0, 0.0, 0.4, 3.0, 12.0}) {
    System s("exponential diode");
    const auto q = s.state("q", 1.0), v = s.state("v", guess), i = s.state("i", 0.0);
    s.rates([=](const auto& at, auto& d) { d[q] = -at[i]; });
    s.equation("loop", [=](const auto& at) { return at[q] * 5.0 - 1000.0 * at[i] - at[v]; });
    s.equation("diode", [=](const auto& at) { return at[i] - 1e-14 * (exp(at[v] / 0.0259) - 1.0); });
    Formed f(s);
    const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
    ASSERT_EQ(report.failure, "") << guess;
    EXPECT_EQ(f.y[0], 1.0);
    EXPECT_NEAR(f.y[1], 5 - 1000 * f.y[2], 1e-12);
    EXPECT_NEAR(1e-14 * (std::exp(f.y[1] / 0.0259) - 1), f.y[2], 1e-12 * f.y[2]) << guess;
  }
}

TEST(DaeStart, CurrentsOfIndexTwoComeFromTheDerivative) {
  System s("pump");
  const auto q = s.state("q", 0.0), v = s.state("v", 0.0), i = s.state("i", 0.0);
  s.nominal(q, 1e-12);
  s.nominal(i, 1e-4);
  s.equation("source", [=](const auto& at) { return at[v] - (2.0 + sin(1e8 * at.t)); });
  s.equation("capacitance", [=](const auto& at) { return at[q] - 1e-12 * (at[v] + 0.1 * sqr(at[v])); });
  s.equation("current", [=](const auto& at) { return at[dot(q)] - at[i]; });
  Formed f(s);
  EXPECT_EQ(f.structure().index, 2);
  const double t = 3e-9;
  const StartReport report = find_consistent(f.form, t, f.y.data(), f.dy.data(), {}, false);
  ASSERT_EQ(report.failure, "");
  const double voltage = 2 + std::sin(0.3), rate = 1e8 * std::cos(0.3);
  EXPECT_NEAR(f.y[1], voltage, 1e-14);
  EXPECT_NEAR(f.y[0], 1e-12 * (voltage + 0.1 * voltage * voltage), 1e-26);
  EXPECT_NEAR(f.y[2], 1e-12 * (1 + 0.2 * voltage) * rate, 1e-17);
  EXPECT_NEAR(f.dy[0], f.y[2], 1e-17);
  EXPECT_NEAR(f.dy[1], rate, 1e-5);
  EXPECT_TRUE(says(report.changes, {"'q' from 0 to"}));
}

TEST(DaeStart, BlackBoxesAreStartedByDifferences) {
  System s("box");
  const auto x = s.state("x", 0.6), y = s.state("y", -0.9), u = s.state("u", 0.0), v = s.state("v", 0.5),
             lambda = s.state("lambda", 0.0);
  s.rates(black_box([=](const auto& at, auto& d) {
    d[x] = at[u];
    d[y] = at[v];
    d[u] = -at[lambda] * at[x];
    d[v] = -at[lambda] * at[y] - 9.81;
  }));
  s.equation("circle", black_box([=](const auto& at) { return at[x] * at[x] + at[y] * at[y] - 1.0; }));
  Formed f(s);
  ASSERT_EQ(f.structure().index, 3) << f.structure().describe();
  ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false).failure, "");
  EXPECT_NEAR(f.y[0] * f.y[0] + f.y[1] * f.y[1], 1, 1e-13);
  EXPECT_NEAR(f.y[0] * f.y[2] + f.y[1] * f.y[3], 0, 1e-8);
  EXPECT_NEAR(f.y[4], f.y[2] * f.y[2] + f.y[3] * f.y[3] - 9.81 * f.y[1], 1e-3);
}

TEST(DaeStart, NoSolutionIsSaidWithTheEquationAtFault) {
  System s("none");
  const auto x = s.state("x", 1.0), z = s.state("z", 0.5);
  s.rates([=](const auto& at, auto& d) { d[x] = at[z]; });
  s.equation("impossible", [=](const auto& at) { return sqr(at[z]) + at[x]; });
  Formed f(s);
  const StartReport report = find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false);
  EXPECT_TRUE(says(report.failure, {"t = 0", "'impossible' is off by", "try:"}));

  System bad("not finite");
  const auto a = bad.state("a", -1.0), b = bad.state("b", 0.0);
  bad.rates([=](const auto& at, auto& d) { d[a] = at[b]; });
  bad.equation("root", [=](const auto& at) { return at[b] - sqrt(at[a]); });
  Formed g(bad);
  EXPECT_TRUE(says(find_consistent(g.form, 0, g.y.data(), g.dy.data(), {}, false).failure, {"'root' is not finite"}));
}

TEST(DaeStart, RatesAtAConsistentStateDoNotMoveIt) {
  Formed f(testing::circle_pendulum(3, 1.0));
  ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false).failure, "");
  const std::vector<double> y = f.y;
  std::vector<double> dy(5);
  ASSERT_TRUE(f.form.rate(0, f.y.data(), dy.data()));
  EXPECT_EQ(f.y, y);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(dy[j], f.dy[j], 1e-12);
  // Slightly off the manifold, as at the end of a step, the equations themselves still hold for them.
  f.y[2] += 1e-6;
  f.y[4] += 1e-3;
  ASSERT_TRUE(f.form.rate(0, f.y.data(), dy.data()));
  EXPECT_NEAR(dy[0], f.y[2], 1e-9);
  EXPECT_NEAR(dy[2], -f.y[4] * f.y[0], 1e-9);
}

TEST(DaeStart, ALargeSparseSystemIsStartedToo) {
  Formed f(testing::cell_line(400));
  ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false).failure, "");
  EXPECT_LE(f.residual(), 1e-13);
  EXPECT_EQ(f.y[17], 0.5);
  std::vector<double> dy(800);
  ASSERT_TRUE(f.form.rate(0, f.y.data(), dy.data()));
  for (std::size_t j = 0; j < 800; ++j) EXPECT_NEAR(dy[j], f.dy[j], 1e-10);
}

}  // namespace
}  // namespace pawl
