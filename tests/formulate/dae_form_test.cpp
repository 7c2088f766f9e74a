#include "formulate/dae_form.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "formulate/dae_models.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using formulate::MassKind;
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
    for (std::size_t j = 0; j < n; ++j) {
      for (int e = pair.first[j]; e < pair.first[j + 1]; ++e)
        result[j * n + static_cast<std::size_t>(pair.row[static_cast<std::size_t>(e)])] =
            values[static_cast<std::size_t>(e)];
    }
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
        values.push_back(order < 4 ? derivatives[static_cast<std::size_t>(order)] : 0.0);
      }
      return values;
    };
    const auto rows = [&](int order, double t) {
      std::vector<double> r(4), z;
      for (int k = 0; k <= order + 1; ++k)
        for (const double value : at_order(k, t)) z.push_back(value);
      if (order == 0)
        f.form.equations().residual(t, z.data(), z.data() + 4, r.data());
      else
        f.form.equations().along_motion(order, t, z.data(), order < 3 ? std::vector{0, 1, 2, 3} : std::vector{2, 3},
                                        r.data());
      return r;
    };
    const double t = 0.3, step = 1e-4;
    const auto behind = rows(0, t - step), middle = rows(0, t), ahead = rows(0, t + step), first = rows(1, t),
               second = rows(2, t);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(first[i], (ahead[i] - behind[i]) / (2 * step), 1e-6) << i;
      EXPECT_NEAR(second[i], (ahead[i] - 2 * middle[i] + behind[i]) / (step * step), is_black_box ? 1e-4 : 1e-6) << i;
    }
    for (int order = 3; order <= 5 && !is_black_box; ++order) {  // the rates have a mass that varies: two at most
      const auto before = rows(order - 1, t - step), after = rows(order - 1, t + step), now = rows(order, t);
      for (std::size_t i = 2; i < 4; ++i)
        EXPECT_NEAR(now[i], (after[i] - before[i]) / (2 * step), 1e-5 * std::max(1.0, std::abs(now[i])))
            << order << ", " << i;
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

TEST(DaeForm, ASparsePatternHoldsTheSameNumbers) {
  Formed f(testing::cell_line(30));
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
  Formed small(testing::cell_line(5));
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

TEST(DaeForm, AFormThatHasLearnedFromAnotherIsTheSame) {
  for (const System& s : {testing::robertson_dae(), testing::transistor_amplifier(), general(false), general(true)}) {
    Formed teacher(s), alone(s);
    Formed pupil(s, Values(s), teacher);
    EXPECT_EQ(pupil.structure().describe(), alone.structure().describe());
    EXPECT_EQ(pupil.form.mass_kind(), alone.form.mass_kind());
    EXPECT_EQ(pupil.form.jacobian_kind(), alone.form.jacobian_kind());
    EXPECT_EQ(pupil.form.version(), alone.form.version());
    for (Formed* one : {&pupil, &alone}) one->form.linearize(0.1, one->y.data(), one->dy.data());
    EXPECT_EQ(pupil.form.matrices().J, alone.form.matrices().J);
    EXPECT_EQ(pupil.form.matrices().M, alone.form.matrices().M);
    EXPECT_EQ(pupil.residual(0.1), alone.residual(0.1));
    EXPECT_LE(pupil.form.other_dual_rhs(), alone.form.other_dual_rhs());
  }
}

}  // namespace
}  // namespace pawl
