#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pawl/scalar.hpp"

namespace pawl {
namespace {

using Number = long double;
using Ranges = Jet<Interval>;
constexpr double inf = std::numeric_limits<double>::infinity();

class Chance {
 public:
  double between(double from, double to) { return from + (to - from) * std::generate_canonical<double, 53>(engine_); }
  bool heads() { return engine_() % 2 == 0; }
  Interval interval(double from, double to) {
    const double start = between(from, to);
    const double width = heads() ? 0 : (to - from) * std::pow(10.0, between(-16, 0));
    return {start, std::min(start + width, to)};
  }
  double member(const Interval& x) {
    const double inside = between(x.lo, x.hi);
    return heads() ? inside : heads() ? x.lo : x.hi;
  }

 private:
  std::mt19937_64 engine_{20240607};
};

/// A function at a point with its derivative and half its second derivative.
struct Derivatives {
  Number value, first, half_second;

  Jet<Number> along(const Jet<Number>& x) const {
    return {value, first * x.slope, first * x.curve + half_second * x.slope * x.slope};
  }
  /// What the curve consists of, as a scale for its rounding.
  Number scale(const Jet<Number>& x) const {
    return std::abs(first * x.curve) + std::abs(half_second * x.slope * x.slope);
  }
};

/// Calls visit(name, generic function, its derivatives in closed form, from, to) for every function of one argument.
template <class Visit>
void for_each_function(Visit visit) {
  const auto s = [](Number x) { return std::sin(x); };
  const auto c = [](Number x) { return std::cos(x); };
  visit(
      "negation", [](const auto& x) { return -x; },
      [](Number x) {
        return Derivatives{-x, -1, 0};
      },
      -3, 3);
  visit(
      "sqr", [](const auto& x) { return sqr(x); },
      [](Number x) {
        return Derivatives{x * x, 2 * x, 1};
      },
      -3, 3);
  visit(
      "sqrt", [](const auto& x) { return sqrt(x); },
      [](Number x) {
        return Derivatives{std::sqrt(x), 1 / (2 * std::sqrt(x)), -1 / (8 * x * std::sqrt(x))};
      },
      0.1, 3);
  visit(
      "cbrt", [](const auto& x) { return cbrt(x); },
      [](Number x) {
        return Derivatives{std::cbrt(x), std::cbrt(x) / (3 * x), -std::cbrt(x) / (9 * x * x)};
      },
      -3, -0.1);
  visit(
      "exp", [](const auto& x) { return exp(x); },
      [](Number x) {
        return Derivatives{std::exp(x), std::exp(x), std::exp(x) / 2};
      },
      -3, 3);
  visit(
      "log", [](const auto& x) { return log(x); },
      [](Number x) {
        return Derivatives{std::log(x), 1 / x, -1 / (2 * x * x)};
      },
      0.1, 3);
  visit(
      "sin", [](const auto& x) { return sin(x); },
      [=](Number x) {
        return Derivatives{s(x), c(x), -s(x) / 2};
      },
      -9, 9);
  visit(
      "cos", [](const auto& x) { return cos(x); },
      [=](Number x) {
        return Derivatives{c(x), -s(x), -c(x) / 2};
      },
      -9, 9);
  visit(
      "tan", [](const auto& x) { return tan(x); },
      [=](Number x) {
        return Derivatives{std::tan(x), 1 / (c(x) * c(x)), std::tan(x) / (c(x) * c(x))};
      },
      -1.4, 1.4);
  visit(
      "asin", [](const auto& x) { return asin(x); },
      [](Number x) {
        const Number w = 1 - x * x;
        return Derivatives{std::asin(x), 1 / std::sqrt(w), x / (2 * w * std::sqrt(w))};
      },
      -0.9, 0.9);
  visit(
      "acos", [](const auto& x) { return acos(x); },
      [](Number x) {
        const Number w = 1 - x * x;
        return Derivatives{std::acos(x), -1 / std::sqrt(w), -x / (2 * w * std::sqrt(w))};
      },
      -0.9, 0.9);
  visit(
      "atan", [](const auto& x) { return atan(x); },
      [](Number x) {
        const Number w = 1 + x * x;
        return Derivatives{std::atan(x), 1 / w, -x / (w * w)};
      },
      -5, 5);
  visit(
      "sinh", [](const auto& x) { return sinh(x); },
      [](Number x) {
        return Derivatives{std::sinh(x), std::cosh(x), std::sinh(x) / 2};
      },
      -3, 3);
  visit(
      "cosh", [](const auto& x) { return cosh(x); },
      [](Number x) {
        return Derivatives{std::cosh(x), std::sinh(x), std::cosh(x) / 2};
      },
      -3, 3);
  visit(
      "tanh", [](const auto& x) { return tanh(x); },
      [](Number x) {
        const Number d = 1 / (std::cosh(x) * std::cosh(x));
        return Derivatives{std::tanh(x), d, -std::tanh(x) * d};
      },
      -20, 20);
  visit(
      "x^3", [](const auto& x) { return pow(x, 3); },
      [](Number x) {
        return Derivatives{x * x * x, 3 * x * x, 3 * x};
      },
      -3, 3);
  visit(
      "x^-2", [](const auto& x) { return pow(x, -2.0); },
      [](Number x) {
        return Derivatives{1 / (x * x), -2 / (x * x * x), 3 / (x * x * x * x)};
      },
      0.3, 3);
  visit(
      "x^0.1", [](const auto& x) { return pow(x, 0.1); },  // 0.1 - 1 is no double
      [](Number x) {
        const Number p = 0.1, y = std::pow(x, p);
        return Derivatives{y, p * y / x, p * (p - 1) / 2 * y / (x * x)};
      },
      0.1, 3);
  visit(
      "2^x", [](const auto& x) { return pow(2.0, x); },
      [](Number x) {
        const Number log2 = std::log(Number(2)), y = std::exp2(x);
        return Derivatives{y, y * log2, y * log2 * log2 / 2};
      },
      -3, 3);
  visit(
      "-0.7 x + 0.3", [](const auto& x) { return -0.7 * x + 0.3; },
      [](Number x) {
        return Derivatives{-0.7 * x + 0.3, -0.7, 0};
      },
      -3, 0);
  visit(
      "0.3 - x / 0.7", [](const auto& x) { return 0.3 - x / 0.7; },
      [](Number x) {
        return Derivatives{0.3 - x / 0.7, -1 / Number(0.7), 0};
      },
      -3, 0);
  visit(
      "0.7 / x", [](const auto& x) { return 0.7 / x; },
      [](Number x) {
        return Derivatives{0.7 / x, -0.7 / (x * x), 0.7 / (x * x * x)};
      },
      -3, -0.2);
}

/// A function of two arguments with its first derivatives and its second Taylor coefficients.
struct Partials {
  Number value, by_x, by_y, half_by_xx, by_xy, half_by_yy;

  Jet<Number> along(const Jet<Number>& x, const Jet<Number>& y) const {
    return {value, by_x * x.slope + by_y * y.slope,
            by_x * x.curve + by_y * y.curve + half_by_xx * x.slope * x.slope + by_xy * x.slope * y.slope +
                half_by_yy * y.slope * y.slope};
  }
};

template <class Visit>
void for_each_function_of_two(Visit visit) {
  visit(
      "sum", [](const auto& x, const auto& y) { return x + y; },
      [](Number x, Number y) { return Partials{x + y, 1, 1, 0, 0, 0}; });
  visit(
      "difference", [](const auto& x, const auto& y) { return x - y; },
      [](Number x, Number y) { return Partials{x - y, 1, -1, 0, 0, 0}; });
  visit(
      "product", [](const auto& x, const auto& y) { return x * y; },
      [](Number x, Number y) { return Partials{x * y, y, x, 0, 1, 0}; });
  visit(
      "quotient", [](const auto& x, const auto& y) { return x / y; },
      [](Number x, Number y) { return Partials{x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), x / (y * y * y)}; });
  visit(
      "atan2", [](const auto& x, const auto& y) { return atan2(x, y); },
      [](Number x, Number y) {
        const Number w = x * x + y * y;
        return Partials{std::atan2(x, y), y / w, -x / w, -x * y / (w * w), (x * x - y * y) / (w * w), x * y / (w * w)};
      });
  visit(
      "hypot", [](const auto& x, const auto& y) { return hypot(x, y); },
      [](Number x, Number y) {
        const Number r = std::hypot(x, y), r3 = r * r * r;
        return Partials{r, x / r, y / r, y * y / (2 * r3), -x * y / r3, x * x / (2 * r3)};
      });
  visit(
      "power", [](const auto& x, const auto& y) { return pow(x, y); },
      [](Number x, Number y) {
        const Number z = std::pow(x, y), l = std::log(x);
        return Partials{z, y * z / x, z * l, y * (y - 1) * z / (2 * x * x), z / x * (1 + y * l), z * l * l / 2};
      });
}

bool encloses(const Interval& x, Number truth, Number slack = 0) {
  return x.lo - slack <= truth && truth <= x.hi + slack;
}
/// The reference itself is rounded in the last digit of a long double.
void expect_enclosed(const Ranges& y, const Jet<Number>& truth, const char* name) {
  const auto slack = [](Number x) { return 16 * std::numeric_limits<Number>::epsilon() * std::abs(x); };
  ASSERT_FALSE(y.value.is_nan() || y.slope.is_nan() || y.curve.is_nan()) << name;
  ASSERT_TRUE(encloses(y.value, truth.value)) << name;
  ASSERT_TRUE(encloses(y.slope, truth.slope, slack(truth.slope))) << name;
  ASSERT_TRUE(encloses(y.curve, truth.curve, slack(truth.curve))) << name;
}
Jet<Number> exact(const Jet<double>& x) {
  return {x.value, x.slope, x.curve};
}
void expect_whole(const Interval& x) {
  EXPECT_EQ(x.lo, -inf);
  EXPECT_EQ(x.hi, inf);
}

/// Many functions in one; smooth for 0.2 < x < 2.
template <class T>
T composite(const T& x) {
  return exp(sin(3 * x)) / (1 + sqr(x)) - pow(x, 3) * log(x) + sqrt(x) * atan2(cos(x), x + 1) - 2 / hypot(x, 3 - x) +
         tanh(x - 1) * pow(x, x);
}

TEST(Jet, FollowsTheTaylorSeriesThroughEveryFunction) {
  Chance chance;
  for_each_function([&](const char* name, auto f, auto derivatives, double from, double to) {
    for (int i = 0; i < 1000; ++i) {
      const Jet<double> x(chance.between(from, to), chance.between(-2, 2), chance.between(-2, 2));
      const Derivatives d = derivatives(x.value);
      const Jet<Number> truth = d.along(exact(x));
      const Jet<double> y = f(x);
      ASSERT_NEAR(y.value, truth.value, 1e-15 * std::abs(truth.value)) << name << " at " << x.value;
      ASSERT_NEAR(y.slope, truth.slope, 1e-14 * std::abs(truth.slope)) << name << " at " << x.value;
      ASSERT_NEAR(y.curve, truth.curve, 1e-14 * d.scale(exact(x))) << name << " at " << x.value;
    }
  });
}

TEST(Jet, FollowsTheTaylorSeriesThroughFunctionsOfTwoArguments) {
  Chance chance;
  for_each_function_of_two([&](const char* name, auto f, auto partials) {
    for (int i = 0; i < 2000; ++i) {
      const Jet<double> x(chance.between(0.3, 3), chance.between(-2, 2), chance.between(-2, 2));
      const Jet<double> y(chance.between(0.3, 3), chance.between(-2, 2), chance.between(-2, 2));
      const Jet<Number> truth = partials(x.value, y.value).along(exact(x), exact(y));
      const Jet<double> z = f(x, y);
      const Number size = 1 + std::abs(z.value);  // the parts of the derivatives are at most about 50 times as large
      ASSERT_NEAR(z.value, truth.value, 1e-15 * size) << name;
      ASSERT_NEAR(z.slope, truth.slope, 1e-14 * size) << name;
      ASSERT_NEAR(z.curve, truth.curve, 5e-14 * size) << name;
    }
  });
}

TEST(Jet, OfIntervalsEnclosesTheSeriesAtEveryPoint) {
  Chance chance;
  for_each_function([&](const char* name, auto f, auto derivatives, double from, double to) {
    for (int i = 0; i < 2000 && !testing::Test::HasFatalFailure(); ++i) {
      const Ranges x(chance.interval(from, to), chance.interval(-2, 2), chance.interval(-2, 2));
      const Ranges y = f(x);
      for (int k = 0; k < 8; ++k) {
        const Jet<Number> point(chance.member(x.value), chance.member(x.slope), chance.member(x.curve));
        expect_enclosed(y, derivatives(point.value).along(point), name);
      }
    }
  });
  for_each_function_of_two([&](const char* name, auto f, auto partials) {
    for (int i = 0; i < 2000 && !testing::Test::HasFatalFailure(); ++i) {
      const Ranges x(chance.interval(0.3, 3), chance.interval(-2, 2), chance.interval(-2, 2));
      const Ranges y(chance.interval(0.3, 3), chance.interval(-2, 2), chance.interval(-2, 2));
      const Ranges z = f(x, y);
      for (int k = 0; k < 8; ++k) {
        const Jet<Number> a(chance.member(x.value), chance.member(x.slope), chance.member(x.curve));
        const Jet<Number> b(chance.member(y.value), chance.member(y.slope), chance.member(y.curve));
        expect_enclosed(z, partials(a.value, b.value).along(a, b), name);
      }
    }
  });
}

TEST(Jet, OfThinIntervalsIsExactToAFewUlp) {
  Chance chance;
  for_each_function([&](const char* name, auto f, auto derivatives, double from, double to) {
    for (int i = 0; i < 500; ++i) {
      const Ranges x(chance.between(from, to), chance.between(-2, 2), chance.between(-2, 2));
      const Number scale = derivatives(x.value.lo).scale({x.value.lo, x.slope.lo, x.curve.lo});
      const Ranges y = f(x);
      ASSERT_LE(y.value.width(), 3e-15 * y.value.mag()) << name << " at " << x.value.lo;
      ASSERT_LE(y.slope.width(), 3e-14 * y.slope.mag()) << name << " at " << x.value.lo;
      ASSERT_LE(y.curve.width(), 6e-14 * scale) << name << " at " << x.value.lo;
    }
  });
}

TEST(Jet, ALoweredExponentIsEnclosedWhereItIsNoDouble) {  // x^(0.1 - 1) with 0.1 - 1 rounded is off by log(x) 2^-54
  const double at = 1e-120;
  const Number x = at, p = 0.1, y = std::pow(x, p);
  const Ranges power = pow(Ranges::variable(at), 0.1);
  EXPECT_TRUE(encloses(power.slope, p * y / x));
  EXPECT_TRUE(encloses(power.curve, p * (p - 1) / 2 * y / (x * x)));
}

TEST(Jet, OfIntervalsEnclosesTheSeriesOfACompositeFunction) {
  Chance chance;
  for (int i = 0; i < 2000; ++i) {
    const Ranges x = Ranges::variable(chance.interval(0.2, 2));
    const Ranges y = composite(x);
    for (int k = 0; k < 8; ++k) {
      expect_enclosed(y, composite(Jet<Number>::variable(chance.member(x.value))), "composite");
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Jet, MeanValueAndSecondOrderFormsEncloseTheFunction) {
  Chance chance;
  for (int i = 0; i < 2000; ++i) {
    const Interval x = chance.interval(0.2, 2);
    const Ranges over = composite(Ranges::variable(x));
    const Ranges at = composite(Ranges::variable(x.mid()));
    for (int k = 0; k < 8; ++k) {
      const double point = chance.member(x);
      const Interval s = Interval(point) - x.mid();
      const Number truth = composite(Number(point));
      ASSERT_TRUE(encloses(over.value, truth));
      ASSERT_TRUE(encloses(at.value + over.slope * s, truth));
      ASSERT_TRUE(encloses(at.value + at.slope * s + over.curve * sqr(s), truth));
    }
  }
}

TEST(Jet, SecondOrderFormIsTighterByAnOrderPerHalving) {
  const auto excess = [](double radius) {
    const Ranges over = composite(Ranges::variable(Interval(1 - radius, 1 + radius)));
    return over.curve.width() * radius * radius;
  };
  EXPECT_NEAR(std::log2(excess(1e-3) / excess(5e-4)), 3, 0.1);  // the width of the curve itself falls like the radius
}

TEST(Jet, ValueIsThatOfPlainArithmetic) {
  EXPECT_DOUBLE_EQ(composite(Jet<double>::variable(0.8)).value, composite(0.8));
  const Interval plain = composite(Interval(0.8, 0.9));
  const Interval value = composite(Ranges::variable(Interval(0.8, 0.9))).value;
  EXPECT_NEAR(value.lo, plain.lo, 1e-13);
  EXPECT_NEAR(value.hi, plain.hi, 1e-13);
}

TEST(Jet, OfNumbersTakesTheBranchOfItsValue) {
  const Jet<double> x(-2, 3, 5), y(1, 7, 11);
  EXPECT_EQ(abs(x).slope, -3);
  EXPECT_EQ(abs(y).curve, 11);
  EXPECT_EQ(min(x, y).slope, 3);
  EXPECT_EQ(max(x, y).slope, 7);
  EXPECT_EQ(max(x, 0.0).slope, 0);
  EXPECT_EQ(select(x, x, y).slope, 7);
  EXPECT_EQ(select(y, x, y).slope, 3);
}

TEST(Jet, KeepsBothSlopesAndNoCurveWhereAKinkIsInside) {
  const Ranges x(Interval(-1, 2), Interval(3, 4), 5);
  const Ranges folded = abs(x);
  EXPECT_EQ(folded.value.lo, 0);
  EXPECT_EQ(folded.value.hi, 2);
  EXPECT_EQ(folded.slope.lo, -4);
  EXPECT_EQ(folded.slope.hi, 4);
  expect_whole(folded.curve);
  for (const Ranges& y : {min(x, 1.0), max(1.0, x)}) {
    EXPECT_EQ(y.slope.lo, 0);
    EXPECT_EQ(y.slope.hi, 4);
    expect_whole(y.curve);
  }
  EXPECT_EQ(min(x, 1.0).value.hi, 1);
  EXPECT_EQ(max(1.0, x).value.lo, 1);
}

TEST(Jet, IsSmoothWhereAKinkIsOutsideOrAtAnEnd) {
  const Ranges x(Interval(0, 2), Interval(3, 4), 5);
  for (const Ranges& y : {abs(x), abs(-x), max(x, 0.0), min(2.0, x) - 0.0, max(x, -1.0), min(x, 7.0)}) {
    EXPECT_TRUE(y.slope.is_finite() && y.curve.is_finite());
  }
  EXPECT_EQ(abs(-x).slope.lo, 3);
  EXPECT_EQ(max(x, 0.0).curve.hi, 5);
}

TEST(Jet, HasNoBoundedSlopeWhereAFunctionMayJump) {
  const Ranges x(Interval(-1, 2), Interval(3, 4), 5), down(Interval(-2, -1), 1, 0);
  for (const Ranges& y : {select(x, 1.0, 2.0), atan2(x, down), 1 / x, down / x, pow(x, -1), pow(x, -2), tan(1 + x),
                          atan(1 / x), tanh(tan(1 + x)), min(1 / x, 5.0), sin(pow(x, -3)), pow(x, -0.5)}) {
    expect_whole(y.slope);
    expect_whole(y.curve);
  }
  EXPECT_EQ(select(x, 1.0, 2.0).value.lo, 1);
  EXPECT_EQ(select(x, 1.0, 2.0).value.hi, 2);
  EXPECT_EQ(select(x + 2, x, 2.0).slope.lo, 3);
  EXPECT_TRUE(atan2(x, 3 + down).slope.is_finite());  // to the right of the origin there is nothing to cross
}

TEST(Jet, ASlopeThatIsOneSignedAtTheEdgeOfTheDomainStaysSo) {
  const Ranges x(Interval(0, 1), Interval(1, 2), 0);
  EXPECT_EQ(sqrt(x).slope.sign(), 1);
  EXPECT_EQ(cbrt(x - 0.5).slope.sign(), 1);
  EXPECT_EQ(log(x - 0.25).slope.sign(), 1);
  EXPECT_EQ(asin(x).slope.sign(), 1);
  EXPECT_EQ(acos(x).slope.sign(), -1);
}

TEST(Jet, OutsideTheDomainIsNan) {
  const Ranges x(Interval(-3, -2), 1, 1);
  for (const Ranges& y : {sqrt(x), log(x), asin(x), acos(x), pow(x, 0.5), pow(x, x)}) {
    EXPECT_TRUE(y.value.is_nan() && y.slope.is_nan() && y.curve.is_nan());
  }
  EXPECT_TRUE(std::isnan(log(Jet<double>(-1, 1, 1)).slope));
}

TEST(Jet, ANumberIsAJetThatDoesNotMove) {
  const Ranges x(Interval(1, 2), Interval(3, 4), 5);
  const Ranges two = 2;
  EXPECT_TRUE(exp(two).slope.is_zero() && exp(two).curve.is_zero());
  EXPECT_TRUE((pow(two, 0.5) * sin(two)).slope.is_zero());
  EXPECT_TRUE((0 * x).value.is_zero() && (0 * x).slope.is_zero());
  const Ranges sum = x + 2;
  EXPECT_EQ(sum.slope.lo, 3);
  EXPECT_EQ(sum.slope.hi, 4);
  EXPECT_EQ(pow(x, 1).curve.lo, 5);
  EXPECT_TRUE(pow(x, 0).slope.is_zero());
}

TEST(Jet, AssignmentsAreTheirOperations) {
  const auto f = [](auto x) {
    auto y = x;
    y *= x;
    y += 3;
    y /= x;
    y -= x;
    y *= 2;
    return y;
  };
  const Jet<double> y = f(Jet<double>::variable(2));  // 6 / x
  EXPECT_DOUBLE_EQ(y.value, 3);
  EXPECT_DOUBLE_EQ(y.slope, -1.5);
  EXPECT_DOUBLE_EQ(y.curve, 0.75);
  expect_enclosed(f(Ranges::variable(2)), {3, -1.5, 0.75}, "6 / x");
}

}  // namespace
}  // namespace pawl
