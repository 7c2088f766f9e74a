#include "formulate/dae_form.hpp"

#include <gtest/gtest.h>

#include "formulate/dae_models.hpp"
#include "formulate/dae_start.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using formulate::find_consistent;
using formulate::MassKind;
using formulate::StartReport;
using testing::Formed;
using testing::says;

/// A matrix of the form, as full columns.
std::vector<double> full(const MatrixPair& pair, const std::vector<double>& values) {
  const auto n = static_cast<std::size_t>(pair.size);
  std::vector<double> result(n * n, 0.0);
  if (values.empty()) {
    for (std::size_t i = 0; i < n; ++i) result[i * n + i] = 1;
  } else if (!pair.is_sparse) {
    result = values;
  } else {
    for (std::size_t j = 0; j < n; ++j)
      for (int e = pair.first[j]; e < pair.first[j + 1]; ++e)
        result[j * n + static_cast<std::size_t>(pair.row[static_cast<std::size_t>(e)])] =
            values[static_cast<std::size_t>(e)];
  }
  return result;
}

/// J, M and the slope in time against central differences of the residual, all with the scales of rows.
void expect_derivatives_match(Formed& f, double t, const std::vector<double>& y, const std::vector<double>& dy) {
  const auto n = y.size();
  f.form.linearize(t, y.data(), dy.data());
  const std::vector<double> J = full(f.form.matrices(), f.form.matrices().J),
                            M = full(f.form.matrices(), f.form.matrices().M);
  std::vector<double> slope(n), ahead(n), behind(n);
  f.form.time_slope(t, y.data(), dy.data(), slope.data());
  const auto compare = [&](double step, std::size_t i, double derivative) {
    const double expected = (ahead[i] - behind[i]) / (2 * step);
    EXPECT_NEAR(derivative, expected, 1e-6 * (1 + std::abs(expected))) << "row " << i;
  };
  for (std::size_t j = 0; j < n; ++j) {
    for (const bool is_rate : {false, true}) {
      std::vector<double> values = y, rates = dy;
      std::vector<double>& moving = is_rate ? rates : values;
      const double middle = moving[j], step = 1e-5 * std::max(1.0, std::abs(middle));
      moving[j] = middle + step;
      f.form.residual(t, values.data(), rates.data(), ahead.data());
      moving[j] = middle - step;
      f.form.residual(t, values.data(), rates.data(), behind.data());
      for (std::size_t i = 0; i < n; ++i) compare(step, i, is_rate ? -M[j * n + i] : J[j * n + i]);
    }
  }
  f.form.residual(t + 1e-6, y.data(), dy.data(), ahead.data());
  f.form.residual(t - 1e-6, y.data(), dy.data(), behind.data());
  for (std::size_t i = 0; i < n; ++i) compare(1e-6, i, slope[i]);
}

/// A mass matrix of time and states, equations nonlinear in rates: everything that can occur.
System general(bool is_black_box) {
  System s("general");
  const auto x = s.state("x", 0.7), y = s.state("y", -0.4), z = s.state("z", 1.2), w = s.state("w", 0.3);
  s.mass([=](const auto& at, auto& M) {
    M(x, x) = 2.0 + sin(at.t) + sqr(at[y]);
    M(x, y) = at[x];
    M(y, y) = 1.0;
  });
  s.rates([=](const auto& at, auto& d) {
    d[x] = -at[x] * at[z] + cos(at.t);
    d[y] = at[x] - exp(at[w]);
  });
  const auto nonlinear = [=](const auto& at) {
    return std::array{sqr(at[dot(x)]) + at[dot(z)] * at[z] - at[w], at[w] * at[dot(y)] + at[z] + at.t};
  };
  if (is_black_box)
    s.equation("pair", black_box(nonlinear));
  else
    s.equation("pair", nonlinear);
  return s;
}

TEST(DaeForm, JacobiansAreThoseOfTheResidual) {
  for (const bool is_black_box : {false, true}) {
    Formed f(general(is_black_box));
    EXPECT_EQ(f.form.mass_kind(), MassKind::varying);
    EXPECT_EQ(f.form.has_exact_jacobian(), !is_black_box);
    expect_derivatives_match(f, 0.3, {0.7, -0.4, 1.2, 0.3}, {0.5, 1.5, -0.7, 0.2});
  }
  for (const int index : {1, 2, 3}) {
    Formed f(testing::circle_pendulum(index));
    expect_derivatives_match(f, 0.3, {0.5, -0.9, 0.3, 1.1, 4.0}, {0.1, 0.2, 0.3, 0.4, 0.5});
  }
}

// Along y(t) = a + b t + c t^2 + e t^3 the rows are functions of time alone.
TEST(DaeForm, DerivativesAlongAMotionAreTotal) {
  for (const bool is_black_box : {false, true}) {
    Formed f(general(is_black_box));
    const std::array<std::array<double, 4>, 4> motion{
        {{0.7, 0.5, -0.3, 0.2}, {-0.4, 1.5, 0.4, -0.1}, {1.2, -0.7, 0.6, 0.3}, {0.3, 0.2, 0.1, -0.4}}};
    const auto at_order = [&](int order, double t) {
      std::vector<double> values;
      for (const auto& [a, b, c, e] : motion) {
        const std::array<double, 4> derivatives{a + t * (b + t * (c + t * e)), b + t * (2 * c + t * 3 * e),
                                                2 * c + 6 * e * t, 6 * e};
        values.push_back(derivatives[static_cast<std::size_t>(order)]);
      }
      return values;
    };
    const auto rows = [&](int order, double t) {
      std::vector<double> r(4);
      const auto y = at_order(0, t), dy = at_order(1, t), ddy = at_order(2, t), dddy = at_order(3, t);
      if (order == 0)
        f.form.equations().residual(t, y.data(), dy.data(), r.data());
      else
        f.form.equations().along_motion(order, t, y.data(), dy.data(), ddy.data(), dddy.data(), r.data());
      return r;
    };
    const double t = 0.3, step = 1e-4;
    const auto behind = rows(0, t - step), middle = rows(0, t), ahead = rows(0, t + step), first = rows(1, t),
               second = rows(2, t);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(first[i], (ahead[i] - behind[i]) / (2 * step), 1e-6) << i;
      EXPECT_NEAR(second[i], (ahead[i] - 2 * middle[i] + behind[i]) / (step * step), is_black_box ? 1e-4 : 1e-6) << i;
    }
  }
}

TEST(DaeForm, RowsAreNamedAfterWhatTheyStandFor) {
  Formed f(general(false));
  EXPECT_EQ(f.form.equations().row_name(1), "rate of 'y'");
  EXPECT_EQ(f.form.equations().row_name(2), "'pair[1]'");
  EXPECT_EQ(f.form.equations().row_name(3), "'pair[2]'");
  EXPECT_EQ(f.form.name(2), "z");
}

TEST(DaeForm, AConstantMassMatrixIsSeenAsSuch) {
  Formed amplifier(testing::transistor_amplifier());
  EXPECT_EQ(amplifier.form.mass_kind(), MassKind::constant);
  EXPECT_EQ(Formed(testing::circle_pendulum(3)).form.mass_kind(), MassKind::constant);
  expect_derivatives_match(amplifier, 0.0, amplifier.y, std::vector<double>(8, 0.0));

  const auto kind_of = [](auto coefficient) {
    System s("one");
    const auto x = s.state("x", 1.0);
    s.equation("only", [=](const auto& at) { return coefficient(at, x) * at[dot(x)] + at[x]; });
    return Formed(s).form.mass_kind();
  };
  EXPECT_EQ(kind_of([](const auto&, State) { return -3.0; }), MassKind::constant);
  EXPECT_EQ(kind_of([](const auto& at, State) { return 1.0 + 1e-9 * at.t; }), MassKind::varying);
  EXPECT_EQ(kind_of([](const auto& at, State x) { return 1.0 + 1e-9 * at[x]; }), MassKind::varying);
  EXPECT_EQ(kind_of([](const auto& at, State x) { return 1.0 + 1e-9 * at[dot(x)]; }), MassKind::varying);
}

TEST(DaeForm, AMassThatChangesLaterIsSeen) {
  System s("later");
  const auto x = s.state("x", 1.0);
  s.rates([=](const auto& at, auto& d) { d[x] = 1.0 + 0.0 * at[x]; });
  s.mass([=](const auto& at, auto& M) { M(x, x) = 1.0 + max(0.0, at[x] - 3.0); });
  for (const bool by_residual : {false, true}) {
    Formed f(s);
    ASSERT_EQ(f.form.mass_kind(), MassKind::constant);
    const int version = f.form.version();
    const double later = 5.0, rate = 0.5;
    double r = 0;
    if (by_residual) {
      f.form.residual(1, &later, nullptr, &r);
      EXPECT_TRUE(std::isnan(r));
    } else {
      f.form.linearize(1, &later, &rate);
      EXPECT_EQ(f.form.matrices().M[0], 3.0 * f.form.row_scale(0));
    }
    EXPECT_EQ(f.form.mass_kind(), MassKind::varying);
    EXPECT_GT(f.form.version(), version);
    f.form.residual(1, &later, &rate, &r);
    EXPECT_EQ(r, -0.5 * f.form.row_scale(0));
  }
}

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

/// Cells in a line with a current through each, 2 n unknowns.
System line(int cells) {
  System s("line");
  const auto u = s.states("u", std::vector<double>(static_cast<std::size_t>(cells), 0.5)),
             i = s.states("i", std::vector<double>(static_cast<std::size_t>(cells), 0.1));
  for (int k = 0; k < cells; ++k) {
    s.equation("charge " + std::to_string(k), [=](const auto& at) {
      return (1.0 + 0.1 * sqr(at[u[k]])) * at[dot(u[k])] - at[i[k]] + (k > 0 ? at[i[k - 1]] : at[i[k]] * 0.0);
    });
    s.equation("resistor " + std::to_string(k), [=](const auto& at) {
      return at[i[k]] + 0.2 * pow(at[i[k]], 3.0) - (k + 1 < cells ? at[u[k + 1]] : 0.0 * at[u[k]]) + at[u[k]];
    });
  }
  return s;
}

TEST(DaeForm, ASparsePatternHoldsTheSameNumbers) {
  Formed f(line(30));
  ASSERT_TRUE(f.form.matrices().is_sparse);
  EXPECT_LE(f.form.equations().colors(), 6);
  EXPECT_TRUE(says(f.form.jacobian_kind(), {"exact (dual numbers", "colours"}));
  std::vector<double> y(60), dy(60);
  for (std::size_t j = 0; j < 60; ++j)
    y[j] = std::sin(3.0 * static_cast<double>(j)), dy[j] = std::cos(static_cast<double>(j));
  expect_derivatives_match(f, 0.2, y, dy);
  for (std::size_t j = 0; j < 60; ++j) {
    EXPECT_TRUE(std::is_sorted(f.form.matrices().row.begin() + f.form.matrices().first[j],
                               f.form.matrices().row.begin() + f.form.matrices().first[j + 1]));
  }
  Formed small(line(5));
  EXPECT_FALSE(small.form.matrices().is_sparse);
  expect_derivatives_match(small, 0.2, std::vector<double>(y.begin(), y.begin() + 10), std::vector<double>(10, 0.3));
}

TEST(DaeForm, DifferencesAndGivenDerivativesAgreeWithExactOnes) {
  Formed exact(testing::robertson_dae());
  const std::vector<double> y{0.9, 2e-5, 0.1}, dy{0, 0, 0};
  exact.form.linearize(0, y.data(), dy.data());
  const std::vector<double> J = exact.form.matrices().J;

  exact.form.wants_differences = true;
  exact.form.restart(0, y.data());
  EXPECT_FALSE(exact.form.has_exact_jacobian());
  exact.form.linearize(0, y.data(), dy.data());
  Formed again(testing::robertson_dae());
  again.form.restart(0, y.data());
  again.form.linearize(0, y.data(), dy.data());
  for (std::size_t e = 0; e < J.size(); ++e)
    EXPECT_NEAR(exact.form.matrices().J[e], again.form.matrices().J[e], 1e-3 * (1e-3 + std::abs(J[e])));

  System s("given");
  const auto a = s.state("a", 1.0), b = s.state("b", 2.0);
  s.rates(black_box([=](const auto& at, auto& d) { d[a] = -at[a] * at[b] * at.t; }));
  s.jacobian([=](const auto& at, auto& j) {
    j(a, a) = -at[b] * at.t;
    j(a, b) = -at[a] * at.t;
  });
  s.equation("other", [=](const auto& at) { return at[a] + sqr(at[b]); });
  Formed given(s);
  EXPECT_TRUE(given.form.has_exact_jacobian());
  EXPECT_EQ(given.form.jacobian_kind(), "given by the model");
  expect_derivatives_match(given, 0.4, {0.5, 1.5}, {0.3, 0.2});
}

TEST(DaeForm, RowsOfVeryDifferentSizeAreScaled) {
  System s("charges");
  const auto q = s.state("q", 1e-13), v = s.state("v", 0.2);
  s.nominal(q, 1e-12);
  s.equation("charge", [=](const auto& at) { return at[q] - 1e-12 * at[v]; });
  s.equation("current", [=](const auto& at) { return at[dot(q)] + 1e-9 * at[v]; });
  Formed f(s);
  f.form.linearize(0, f.y.data(), f.dy.data());
  EXPECT_GE(f.form.row_scale(0), 1e11);
  EXPECT_GE(f.form.row_scale(1), 1e8);
  EXPECT_EQ(std::ilogb(f.form.row_scale(0) * (1 + 1e-15)), std::ilogb(f.form.row_scale(0)));  // a power of two
  const auto n = f.y.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double largest = std::max(std::abs(f.form.matrices().J[i]) * 1e-12, std::abs(f.form.matrices().J[n + i]));
    EXPECT_GE(largest, 0.4);
    EXPECT_LE(largest, 2.0);
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
  Formed f(line(400));
  ASSERT_EQ(find_consistent(f.form, 0, f.y.data(), f.dy.data(), {}, false).failure, "");
  EXPECT_LE(f.residual(), 1e-13);
  EXPECT_EQ(f.y[17], 0.5);
  std::vector<double> dy(800);
  ASSERT_TRUE(f.form.rate(0, f.y.data(), dy.data()));
  for (std::size_t j = 0; j < 800; ++j) EXPECT_NEAR(dy[j], f.dy[j], 1e-10);
}

}  // namespace
}  // namespace pawl
