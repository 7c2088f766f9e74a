#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/scalar.hpp"

namespace pawl {
namespace {

using D = Dual<2>;

struct Case {
  const char* name;
  std::function<D(const D&)> f;
  std::function<double(double)> derivative;
};

TEST(Dual, TakesSinesAndCosinesOfEveryAngleAnew) {  // they are kept, by the bits of the angle
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  std::vector<double> angles{0.0, -0.0, 1e-300, -1e-300, 1e18, std::numeric_limits<double>::infinity()};
  for (int k = -500; k < 500; ++k) angles.push_back(0.0173 * k * k * k);
  for (int round = 0; round < 2; ++round) {
    for (const double angle : angles) {
      const D x = D::variable(angle, 1);
      const D sine = sin(x), cosine = cos(x);
      const Jet<double> wave = sin(Jet<double>::variable(angle));
      if (std::isinf(angle)) {
        EXPECT_TRUE(std::isnan(sine.value) && std::isnan(cosine.value) && std::isnan(wave.value));
        continue;
      }
      EXPECT_TRUE(same(sine.value, std::sin(angle)) && same(cosine.value, std::cos(angle))) << angle;
      EXPECT_TRUE(sine.slope[1] == std::cos(angle) && cosine.slope[1] == -std::sin(angle)) << angle;
      EXPECT_TRUE(wave.value == std::sin(angle) && wave.slope == std::cos(angle)) << angle;
    }
  }
}

TEST(Dual, WithANumberIsTheSameAsWithADualThatHasNoSlopes) {
  D x(1.7);
  x.slope = {0.3, -2.1};
  const D c(-0.6);
  const double number = -0.6;
  const std::pair<D, D> pairs[] = {{x + number, x + c}, {number + x, c + x}, {x - number, x - c}, {number - x, c - x},
                                   {x * number, x * c}, {number * x, c * x}, {x / number, x / c}, {number / x, c / x}};
  for (const auto& [one, other] : pairs) {
    EXPECT_EQ(one.value, other.value);
    EXPECT_EQ(one.slope, other.slope);
  }
  D y = x;
  y += 2;
  y *= 3;
  y -= 4;
  y /= 8;
  EXPECT_EQ(y.value, ((x.value + 2) * 3 - 4) / 8);
  EXPECT_EQ(y.slope[0], x.slope[0] * 3 / 8);
}

TEST(Dual, FollowsTheChainRuleThroughEveryFunction) {
  const Case cases[] = {
      {"sqr", [](const D& x) { return sqr(x); }, [](double x) { return 2 * x; }},
      {"sqrt", [](const D& x) { return sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }},
      {"cbrt", [](const D& x) { return cbrt(x); }, [](double x) { return std::pow(x, -2.0 / 3) / 3; }},
      {"exp", [](const D& x) { return exp(x); }, [](double x) { return std::exp(x); }},
      {"log", [](const D& x) { return log(x); }, [](double x) { return 1 / x; }},
      {"sin", [](const D& x) { return sin(x); }, [](double x) { return std::cos(x); }},
      {"cos", [](const D& x) { return cos(x); }, [](double x) { return -std::sin(x); }},
      {"tan", [](const D& x) { return tan(x); }, [](double x) { return 1 / sqr(std::cos(x)); }},
      {"asin", [](const D& x) { return asin(x); }, [](double x) { return 1 / std::sqrt(1 - x * x); }},
      {"acos", [](const D& x) { return acos(x); }, [](double x) { return -1 / std::sqrt(1 - x * x); }},
      {"atan", [](const D& x) { return atan(x); }, [](double x) { return 1 / (1 + x * x); }},
      {"sinh", [](const D& x) { return sinh(x); }, [](double x) { return std::cosh(x); }},
      {"cosh", [](const D& x) { return cosh(x); }, [](double x) { return std::sinh(x); }},
      {"tanh", [](const D& x) { return tanh(x); }, [](double x) { return 1 / sqr(std::cosh(x)); }},
      {"power 2.5", [](const D& x) { return pow(x, 2.5); }, [](double x) { return 2.5 * std::pow(x, 1.5); }},
      {"x^x", [](const D& x) { return pow(x, x); }, [](double x) { return std::pow(x, x) * (std::log(x) + 1); }},
      {"quotient", [](const D& x) { return (1 - x) / (2 + x); }, [](double x) { return -3 / sqr(2 + x); }},
      {"atan2", [](const D& x) { return atan2(x, 1 - x); }, [](double x) { return 1 / (sqr(x) + sqr(1 - x)); }},
      {"hypot", [](const D& x) { return hypot(x, 2 * x); }, [](double) { return std::sqrt(5.0); }},
      {"abs", [](const D& x) { return abs(-3 * x); }, [](double) { return 3.0; }},
      {"min", [](const D& x) { return min(5 * x, x + 10); }, [](double) { return 5.0; }},
      {"max", [](const D& x) { return max(5 * x, x + 10); }, [](double) { return 1.0; }},
      {"select", [](const D& x) { return select(x - 0.5, 7 * x, -x); }, [](double x) { return x > 0.5 ? 7.0 : -1.0; }},
  };
  for (const Case& c : cases) {
    for (const double x : {0.3, 0.7}) {
      const D y = c.f(D::variable(x, 1));
      EXPECT_EQ(y.slope[0], 0) << c.name;
      EXPECT_NEAR(y.slope[1], c.derivative(x), 4e-15 * (1 + std::abs(c.derivative(x)))) << c.name << " at " << x;
    }
  }
}

TEST(Dual, ValueIsThatOfPlainArithmetic) {
  const auto f = [](const auto& x) { return exp(sin(x)) / (1 + sqr(x)) - pow(x, 3.0); };
  EXPECT_DOUBLE_EQ(f(D::variable(0.8, 0)).value, f(0.8));
}

// ---- duals of duals: second derivatives ----

using D3 = Dual<3>;
using H = Dual<3, D3>;

H nested_variable(double at, int axis) {
  return H::variable(D3::variable(at, axis), axis);
}

struct SecondDerivative {
  const char* name;
  std::function<H(const H&)> f;
  std::function<double(double)> exact;
};

void expect_relative(double found, double exact, const std::string& what) {
  EXPECT_NEAR(found, exact, 1e-14 * std::abs(exact)) << what;
}

TEST(NestedDual, HasTheSecondDerivativeOfEveryFunction) {
  const auto p = [](double x, double power) { return std::pow(x, power); };
  const SecondDerivative cases[] = {
      {"sqr", [](const H& x) { return sqr(x); }, [](double) { return 2.0; }},
      {"sqrt", [](const H& x) { return sqrt(x); }, [p](double x) { return -p(x, -1.5) / 4; }},
      {"cbrt", [](const H& x) { return cbrt(x); }, [p](double x) { return -2 * p(x, -5.0 / 3) / 9; }},
      {"exp", [](const H& x) { return exp(2 * x); }, [](double x) { return 4 * std::exp(2 * x); }},
      {"log", [](const H& x) { return log(x); }, [](double x) { return -1 / (x * x); }},
      {"sin", [](const H& x) { return sin(x); }, [](double x) { return -std::sin(x); }},
      {"cos", [](const H& x) { return cos(x); }, [](double x) { return -std::cos(x); }},
      {"tan", [](const H& x) { return tan(x); }, [p](double x) { return 2 * std::tan(x) * p(std::cos(x), -2); }},
      {"asin", [](const H& x) { return asin(x); }, [p](double x) { return x * p(1 - x * x, -1.5); }},
      {"acos", [](const H& x) { return acos(x); }, [p](double x) { return -x * p(1 - x * x, -1.5); }},
      {"atan", [](const H& x) { return atan(x); }, [p](double x) { return -2 * x * p(1 + x * x, -2); }},
      {"sinh", [](const H& x) { return sinh(x); }, [](double x) { return std::sinh(x); }},
      {"cosh", [](const H& x) { return cosh(x); }, [](double x) { return std::cosh(x); }},
      {"tanh", [](const H& x) { return tanh(x); }, [p](double x) { return -2 * std::tanh(x) * p(std::cosh(x), -2); }},
      {"power 2.5", [](const H& x) { return pow(x, 2.5); }, [p](double x) { return 3.75 * p(x, 0.5); }},
      {"power 2", [](const H& x) { return pow(x, 2); }, [](double) { return 2.0; }},
      {"power 1", [](const H& x) { return pow(x, 1); }, [](double) { return 0.0; }},
      {"power 0", [](const H& x) { return pow(x, 0); }, [](double) { return 0.0; }},
      {"x^x", [](const H& x) { return pow(x, x); }, [p](double x) { return p(x, x) * (sqr(std::log(x) + 1) + 1 / x); }},
      {"2^x", [](const H& x) { return pow(2.0, x); }, [p](double x) { return sqr(std::log(2.0)) * p(2, x); }},
      {"quotient", [](const H& x) { return (1 - x) / (2 + x); }, [p](double x) { return 6 * p(2 + x, -3); }},
      {"atan2", [](const H& x) { return atan2(x, 1 - x); },
       [p](double x) { return -(4 * x - 2) * p(x * x + sqr(1 - x), -2); }},
      {"hypot", [](const H& x) { return hypot(x, 2.0); }, [p](double x) { return 4 * p(x * x + 4, -1.5); }},
      {"abs", [](const H& x) { return abs(-x * x); }, [](double) { return 2.0; }},
      {"min", [](const H& x) { return min(x * x, x * x * x); }, [](double x) { return 6 * x; }},
      {"max", [](const H& x) { return max(x * x, x * x * x); }, [](double) { return 2.0; }},
      {"select", [](const H& x) { return select(x - 0.5, 7 * x * x, -x * x * x); },
       [](double x) { return x > 0.5 ? 14.0 : -6 * x; }},
      {"branch", [](const H& x) { return x > 0.5 ? 7 * x * x : -x * x * x; },
       [](double x) { return x > 0.5 ? 14.0 : -6 * x; }},
  };
  for (const SecondDerivative& c : cases) {
    for (const double x : {0.3, 0.7}) {
      const H y = c.f(nested_variable(x, 1));
      const std::string what = std::string(c.name) + " at " + std::to_string(x);
      expect_relative(y.slope[1].slope[1], c.exact(x), what);
      EXPECT_EQ(y.slope[1].value, y.value.slope[1]) << what;
      for (const std::size_t i : {0, 2}) {
        EXPECT_EQ(y.slope[i].slope[1], 0) << what;
        EXPECT_EQ(y.slope[1].slope[i], 0) << what;
      }
    }
  }
}

TEST(NestedDual, HasTheMixedPartialsOfThreeVariables) {
  // f = x² y³ z + exp(x y) / z
  const double x = 0.7, y = 1.3, z = -0.9, e = std::exp(x * y);
  const H X = nested_variable(x, 0), Y = nested_variable(y, 1), Z = nested_variable(z, 2);
  const H f = sqr(X) * pow(Y, 3) * Z + exp(X * Y) / Z;
  const double exact[3][3] = {
      {2 * y * y * y * z + y * y * e / z, 6 * x * y * y * z + (1 + x * y) * e / z, 2 * x * y * y * y - y * e / (z * z)},
      {6 * x * y * y * z + (1 + x * y) * e / z, 6 * x * x * y * z + x * x * e / z, 3 * x * x * y * y - x * e / (z * z)},
      {2 * x * y * y * y - y * e / (z * z), 3 * x * x * y * y - x * e / (z * z), 2 * e / (z * z * z)}};
  EXPECT_DOUBLE_EQ(f.value.value, x * x * y * y * y * z + e / z);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      expect_relative(f.slope[i].slope[j], exact[i][j], std::to_string(i) + std::to_string(j));
  }
}

TEST(NestedDual, DifferentiatesAComposition) {
  // r = √(x² + y²), φ = atan2(y, x):  f = r^2.5 φ where z > 0. In polar coordinates
  //   f_rr = 3.75 r^½ φ, f_rφ = 2.5 r^1.5, f_φφ = 0, and x_r = cos φ, x_φ = -r sin φ ... give the Cartesian ones.
  const double x = 0.8, y = 0.6, z = 0.1, r = 1, phi = std::atan2(y, x), c = x / r, s = y / r;
  const H X = nested_variable(x, 0), Y = nested_variable(y, 1), Z = nested_variable(z, 2);
  const H f = select(Z, pow(sqrt(sqr(X) + sqr(Y)), 2.5) * atan2(Y, X), max(X, abs(Y)));
  const double f_r = 2.5 * phi, f_phi = 1, f_rr = 3.75 * phi, f_rphi = 2.5;  // at r = 1
  expect_relative(f.slope[0].slope[0], c * c * f_rr - 2 * c * s * (f_rphi - f_phi) + s * s * f_r, "xx");
  expect_relative(f.slope[1].slope[1], s * s * f_rr + 2 * c * s * (f_rphi - f_phi) + c * c * f_r, "yy");
  const double xy = c * s * (f_rr - f_r) + (c * c - s * s) * (f_rphi - f_phi);
  expect_relative(f.slope[0].slope[1], xy, "xy");
  expect_relative(f.slope[1].slope[0], xy, "yx");
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(f.slope[2].slope[i], 0);
}

TEST(NestedDual, APowerIsDifferentiatedByBaseAndExponentEvenWhereTheExponentIsZero) {
  const double x = 1.7;
  const H y = pow(nested_variable(x, 0), nested_variable(0, 1));  // ∂²(x^p)/∂x∂p = x^(p-1) (1 + p log x)
  expect_relative(y.slope[0].slope[1], 1 / x, "by base, then exponent");
  expect_relative(y.slope[1].slope[0], 1 / x, "by exponent, then base");
  expect_relative(y.slope[1].slope[1], sqr(std::log(x)), "by exponent twice");
  const H at_zero = pow(nested_variable(0, 0), H(2));
  EXPECT_EQ(at_zero.slope[0].slope[0], 2);
}

TEST(NestedDual, ConstantsConvertAndHaveNoSlope) {
  const H two = 2, half = 0.5;
  H y = 3 * two + half / 2 - 1;
  y += 1;
  y *= 2.0;
  EXPECT_EQ(y.value.value, 12.5);
  for (const D3& slope : y.slope) {
    EXPECT_EQ(slope.value, 0);
    for (const double second : slope.slope) EXPECT_EQ(second, 0);
  }
  EXPECT_TRUE(two > half && two > 1 && 1 < two && two == 2.0);
  static_assert(sizeof(Dual<8>) == 9 * sizeof(double) && sizeof(Dual<8, Dual<8>>) == 81 * sizeof(double));
  static_assert(std::is_trivially_copyable_v<Dual<8, Dual<8>>>);
}

TEST(Pattern, AnOutputIsAssignedOnlyByAssignment) {
  EXPECT_TRUE((2 * Pattern() + sin(Pattern())).is_assigned());
  EXPECT_FALSE(Pattern::unassigned().is_assigned());
  EXPECT_FALSE((Pattern::unassigned() + 1.0).is_assigned());
  Pattern rate = Pattern::unassigned();
  rate += Pattern();  // adding to what was never set does not set it
  EXPECT_FALSE(rate.is_assigned());
}

}  // namespace
}  // namespace pawl
