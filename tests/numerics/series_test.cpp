#include "pawl/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pawl/scalar.hpp"

namespace pawl {
namespace {

constexpr std::size_t order = 10;
const Series s = Series::variable(0.7, order);

/// Coefficients of the factors grow as 0.7^-k, and so does what rounding leaves where they cancel.
void expect_same(const Series& x, const Series& y) {
  for (std::size_t k = 0; k <= order; ++k)
    EXPECT_NEAR(x.c[k], y.c[k], 1e-14 * std::pow(0.7, -static_cast<double>(k)) * (1 + std::abs(y.c[k])))
        << "coefficient " << k;
}

TEST(Series, HasTheDerivativesOfElementaryFunctions) {
  double factorial = 1;
  for (std::size_t k = 0; k <= order; ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    const double turn = 0.7 + static_cast<double>(k) * std::acos(-1.0) / 2;
    EXPECT_NEAR(sin(s).c[k], std::sin(turn) / factorial, 1e-15);
    EXPECT_NEAR(cos(s).c[k], std::cos(turn) / factorial, 1e-15);
    EXPECT_NEAR(exp(s).c[k], std::exp(0.7) / factorial, 1e-15);
    EXPECT_NEAR((1 / s).c[k], std::pow(-1, k) / std::pow(0.7, k + 1), 1e-12 / std::pow(0.7, k));
  }
}

TEST(Series, MeetsTheIdentitiesOfElementaryFunctions) {
  expect_same(tan(s) * cos(s), sin(s));
  expect_same(tanh(s) * cosh(s), sinh(s));
  expect_same(exp(log(1 + sqr(s))), 1 + s * s);
  expect_same(sqr(sqrt(1 + s)), 1 + s);
  expect_same(pow(cbrt(s), 3), s);
  expect_same(pow(1 + s, 2.5), sqrt(1 + s) * sqr(1 + s));
  expect_same(pow(s, s), exp(s * log(s)));
  expect_same(pow(1 + s, -2.0) * sqr(1 + s), 1.0);
  expect_same(sin(asin(s)), s);
  expect_same(cos(acos(s)), s);
  expect_same(tan(atan(s)), s);
  expect_same(atan2(sin(s), cos(s)), s);
  expect_same(hypot(3 * s, 4 * s), 5 * s);
  expect_same(abs(-s), s);
  expect_same(max(s, s * s) + min(s, s * s), s + s * s);
  expect_same(select(s - 1, 2 * s, 3 * s), 3 * s);
}

TEST(Series, PowersOfZeroAreThoseOfItsParameter) {
  const Series zero = Series::variable(0, order);
  const Series cube = pow(zero, 3);
  for (std::size_t k = 0; k <= order; ++k) EXPECT_EQ(cube.c[k], k == 3 ? 1 : 0);
}

TEST(Series, IsComparedByItsValue) {
  EXPECT_TRUE(s < 1.0 && s > 0.5 && s <= 0.7 && s >= 0.7 && 0.8 > s);
  EXPECT_TRUE(s == s + (s - s) && s * s < s);
}

TEST(Series, NumbersDoNotMove) {
  const Series two(2.0);
  EXPECT_EQ((two * two + sqrt(two)).order, 0u);
  EXPECT_EQ((two * s).c[1], 2);
}

}  // namespace
}  // namespace pawl
