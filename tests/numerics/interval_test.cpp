#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pawl/scalar.hpp"

namespace pawl {
namespace {

using Number = long double;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();
const double pi = std::acos(-1.0);

bool encloses(const Interval& x, Number truth) {
  return x.lo <= truth && truth <= x.hi;
}
std::string text(const Interval& x) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, "[%.17g, %.17g]", x.lo, x.hi);
  return buffer;
}
void expect_bounds(const Interval& x, double lo, double hi, double ulps = 4) {
  EXPECT_LE(x.lo, lo) << text(x);
  EXPECT_GE(x.hi, hi) << text(x);
  EXPECT_GE(x.lo, lo - ulps * (epsilon * std::abs(lo) + smallest)) << text(x);
  EXPECT_LE(x.hi, hi + ulps * (epsilon * std::abs(hi) + smallest)) << text(x);
}
void expect_whole(const Interval& x) {
  EXPECT_EQ(x.lo, -inf);
  EXPECT_EQ(x.hi, inf);
}

class Chance {
 public:
  double between(double from, double to) { return from + (to - from) * std::generate_canonical<double, 53>(engine_); }
  bool heads() { return engine_() % 2 == 0; }

  /// Thin, narrow or wide, inside [from, to].
  Interval interval(double from, double to) {
    const double start = between(from, to);
    const double width = heads() ? 0 : (to - from) * std::pow(10.0, between(-16, 0));
    return {start, std::min(start + width, to)};
  }
  double member(const Interval& x) {
    const double inside = between(x.lo, x.hi);
    return heads() ? inside : heads() ? x.lo : x.hi;
  }
  /// Every finite double is possible, also the subnormal ones.
  double any_double() {
    for (;;) {
      const auto x = std::bit_cast<double>(engine_());
      if (std::isfinite(x)) return x;
    }
  }

 private:
  std::mt19937_64 engine_{20240607};
};

struct Unary {
  const char* name;
  std::function<Interval(const Interval&)> range;
  std::function<Number(Number)> exact;
  double from, to;
  double ulps = 4;  // width of the range of one number
};
const std::vector<Unary>& unary_functions() {
  static const std::vector<Unary> all = {
      {"negation", [](const Interval& x) { return -x; }, [](Number x) { return -x; }, -5, 5, 0},
      {"abs", [](const Interval& x) { return abs(x); }, [](Number x) { return std::abs(x); }, -5, 5, 0},
      {"sqr", [](const Interval& x) { return sqr(x); }, [](Number x) { return x * x; }, -5, 5, 2},
      {"sqrt", [](const Interval& x) { return sqrt(x); }, [](Number x) { return std::sqrt(x); }, 0, 5, 2},
      {"cbrt", [](const Interval& x) { return cbrt(x); }, [](Number x) { return std::cbrt(x); }, -5, 5, 12},
      {"exp", [](const Interval& x) { return exp(x); }, [](Number x) { return std::exp(x); }, -700, 700},
      {"exp of little", [](const Interval& x) { return exp(x); }, [](Number x) { return std::exp(x); }, -2, 2},
      {"log", [](const Interval& x) { return log(x); }, [](Number x) { return std::log(x); }, 1e-9, 4},
      {"log of much", [](const Interval& x) { return log(x); }, [](Number x) { return std::log(x); }, 1, 1e300},
      {"sin", [](const Interval& x) { return sin(x); }, [](Number x) { return std::sin(x); }, -10, 10},
      {"cos", [](const Interval& x) { return cos(x); }, [](Number x) { return std::cos(x); }, -10, 10},
      {"tan", [](const Interval& x) { return tan(x); }, [](Number x) { return std::tan(x); }, -10, 10},
      {"asin", [](const Interval& x) { return asin(x); }, [](Number x) { return std::asin(x); }, -1, 1},
      {"acos", [](const Interval& x) { return acos(x); }, [](Number x) { return std::acos(x); }, -1, 1},
      {"atan", [](const Interval& x) { return atan(x); }, [](Number x) { return std::atan(x); }, -20, 20},
      {"sinh", [](const Interval& x) { return sinh(x); }, [](Number x) { return std::sinh(x); }, -5, 5, 8},
      {"cosh", [](const Interval& x) { return cosh(x); }, [](Number x) { return std::cosh(x); }, -5, 5, 8},
      {"tanh", [](const Interval& x) { return tanh(x); }, [](Number x) { return std::tanh(x); }, -5, 5, 8},
      {"x^3", [](const Interval& x) { return pow(x, 3); }, [](Number x) { return x * x * x; }, -5, 5},
      {"x^4", [](const Interval& x) { return pow(x, 4); }, [](Number x) { return x * x * x * x; }, -5, 5},
      {"x^2.5", [](const Interval& x) { return pow(x, 2.5); }, [](Number x) { return std::pow(x, 2.5L); }, 0, 5},
      {"x^-0.5", [](const Interval& x) { return pow(x, -0.5); }, [](Number x) { return 1 / std::sqrt(x); }, 0.1, 5},
      {"x^-2", [](const Interval& x) { return pow(x, -2); }, [](Number x) { return 1 / (x * x); }, -5, 5, 6},
      {"x^-3", [](const Interval& x) { return pow(x, -3); }, [](Number x) { return 1 / (x * x * x); }, -5, 5, 8},
      {"2^x", [](const Interval& x) { return pow(2.0, x); }, [](Number x) { return std::exp2(x); }, -9, 9},
      {"x + 0.3", [](const Interval& x) { return x + 0.3; }, [](Number x) { return x + 0.3; }, -5, 5, 2},
      {"0.3 - x", [](const Interval& x) { return 0.3 - x; }, [](Number x) { return 0.3 - x; }, -5, 5, 2},
      {"-0.3 x", [](const Interval& x) { return -0.3 * x; }, [](Number x) { return -0.3 * x; }, -5, 5, 2},
      {"x / -0.3", [](const Interval& x) { return x / -0.3; }, [](Number x) { return x / -0.3; }, -5, 5, 2},
      {"1 / x", [](const Interval& x) { return 1 / x; }, [](Number x) { return 1 / x; }, -5, 5, 2},
      {"min", [](const Interval& x) { return min(x, 1.0); }, [](Number x) { return std::min<Number>(x, 1); }, -5, 5, 0},
      {"max", [](const Interval& x) { return max(1.0, x); }, [](Number x) { return std::max<Number>(x, 1); }, -5, 5, 0},
  };
  return all;
}

struct Binary {
  const char* name;
  std::function<Interval(const Interval&, const Interval&)> range;
  std::function<Number(Number, Number)> exact;
  double from, to;
};
const std::vector<Binary>& binary_functions() {
  using I = Interval;
  static const std::vector<Binary> all = {
      {"sum", [](const I& x, const I& y) { return x + y; }, [](Number x, Number y) { return x + y; }, -5, 5},
      {"difference", [](const I& x, const I& y) { return x - y; }, [](Number x, Number y) { return x - y; }, -5, 5},
      {"product", [](const I& x, const I& y) { return x * y; }, [](Number x, Number y) { return x * y; }, -5, 5},
      {"quotient", [](const I& x, const I& y) { return x / y; }, [](Number x, Number y) { return x / y; }, -5, 5},
      {"atan2", [](const I& x, const I& y) { return atan2(x, y); }, [](Number x, Number y) { return std::atan2(x, y); },
       -5, 5},
      {"hypot", [](const I& x, const I& y) { return hypot(x, y); }, [](Number x, Number y) { return std::hypot(x, y); },
       -5, 5},
      {"power", [](const I& x, const I& y) { return pow(x, y); }, [](Number x, Number y) { return std::pow(x, y); }, 0,
       5},
      {"inverse power", [](const I& x, const I& y) { return pow(x, 2 - y); },
       [](Number x, Number y) { return std::pow(x, 2 - y); }, 0, 5},
      {"min", [](const I& x, const I& y) { return min(x, y); }, [](Number x, Number y) { return std::min(x, y); }, -5,
       5},
      {"max", [](const I& x, const I& y) { return max(x, y); }, [](Number x, Number y) { return std::max(x, y); }, -5,
       5},
      {"hull", [](const I& x, const I& y) { return hull(x, y); }, [](Number x, Number y) { return (x + y) / 2; }, -5,
       5},
      {"select", [](const I& x, const I& y) { return select(x, y, x - 7); },
       [](Number x, Number y) { return x > 0 ? y : x - 7; }, -5, 5},
  };
  return all;
}

TEST(Interval, NeighboursOfADoubleAreThoseOfTheStandardLibrary) {
  Chance chance;
  std::vector<double> numbers = {0.0, -0.0, smallest, -smallest, 0x1p-1022, -0x1p-1022, 1, -1, 2, largest, -largest};
  for (int i = 0; i < 100000; ++i) numbers.push_back(chance.any_double());
  for (const double x : numbers) {
    ASSERT_EQ(detail::next_above(x), std::nextafter(x, inf)) << x;
    ASSERT_EQ(detail::next_below(x), std::nextafter(x, -inf)) << x;
  }
  EXPECT_EQ(detail::next_above(inf), inf);
  EXPECT_EQ(detail::next_below(-inf), -inf);
  EXPECT_EQ(detail::next_above(-inf), -largest);
  EXPECT_EQ(detail::next_below(inf), largest);
  EXPECT_TRUE(std::isnan(detail::next_above(std::nan(""))));
  EXPECT_TRUE(std::isnan(detail::next_below(std::nan(""))));
}

TEST(Interval, HalfAGapMovesADoubleToItsNeighbour) {
  Chance chance;
  std::vector<double> numbers = {largest};
  for (int exponent = -961; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    numbers.insert(numbers.end(), {power, std::nextafter(power, inf), 1.5 * power, std::nextafter(power, 0)});
  }
  for (int i = 0; i < 100000; ++i) numbers.push_back(chance.any_double());
  for (const double number : numbers) {
    for (const double x : {number, -number}) {
      if (!(std::abs(x) > detail::tiny)) continue;
      ASSERT_EQ(x + detail::half_gap(x), std::nextafter(x, inf)) << x;
      ASSERT_EQ(x - detail::half_gap(x), std::nextafter(x, -inf)) << x;
    }
  }
}

TEST(Interval, FunctionsOfOneArgumentEncloseTheirValues) {
  Chance chance;
  for (const Unary& f : unary_functions()) {
    for (int i = 0; i < 3000; ++i) {
      const Interval x = chance.interval(f.from, f.to);
      const Interval y = f.range(x);
      ASSERT_FALSE(y.is_nan()) << f.name << " of " << text(x);
      for (int k = 0; k < 10; ++k) {
        const double a = chance.member(x);
        ASSERT_TRUE(encloses(y, f.exact(a))) << f.name << " of " << a << " in " << text(x) << " gave " << text(y);
      }
    }
  }
}

TEST(Interval, FunctionsOfTwoArgumentsEncloseTheirValues) {
  Chance chance;
  for (const Binary& f : binary_functions()) {
    for (int i = 0; i < 5000; ++i) {
      const Interval x = chance.interval(f.from, f.to);
      const Interval y = chance.interval(f.from, f.to);
      const Interval z = f.range(x, y);
      ASSERT_FALSE(z.is_nan()) << f.name << " of " << text(x) << " and " << text(y);
      for (int k = 0; k < 10; ++k) {
        const double a = chance.member(x), b = chance.member(y);
        ASSERT_TRUE(encloses(z, f.exact(a, b)))
            << f.name << " of " << a << " in " << text(x) << " and " << b << " in " << text(y) << " gave " << text(z);
      }
    }
  }
}

TEST(Interval, ArithmeticEnclosesAcrossTheWholeRangeOfDoubles) {  // the longer exponent of long double sees no overflow
  Chance chance;
  for (int i = 0; i < 200000; ++i) {
    double a = chance.any_double(), b = chance.any_double(), c = chance.any_double(), d = chance.any_double();
    const Interval x(std::min(a, b), std::max(a, b)), y(std::min(c, d), std::max(c, d));
    if (chance.heads()) b = a, d = c;
    ASSERT_TRUE(encloses(x + y, Number(a) + Number(c))) << a << " " << c;
    ASSERT_TRUE(encloses(x - y, Number(b) - Number(d))) << b << " " << d;
    ASSERT_TRUE(encloses(x * y, Number(a) * Number(d))) << a << " " << d;
    ASSERT_TRUE(encloses(x * c, Number(a) * Number(c))) << a << " " << c;
    ASSERT_TRUE(encloses(Interval(a) * Interval(c), Number(a) * Number(c))) << a << " " << c;
    ASSERT_TRUE(encloses(x / y, Number(b) / Number(c))) << b << " " << c;
    ASSERT_TRUE(encloses(Interval(a) / Interval(c), Number(a) / Number(c))) << a << " " << c;
    ASSERT_TRUE(encloses(sqr(x), Number(b) * Number(b))) << b;
    ASSERT_TRUE(encloses(sqrt(abs(x)), std::sqrt(std::abs(Number(a))))) << a;
  }
}

TEST(Interval, ANumberGivesAnEnclosureOfAFewUlp) {
  Chance chance;
  for (const Unary& f : unary_functions()) {
    for (int i = 0; i < 2000; ++i) {
      const double x = chance.between(f.from, f.to);
      const Interval y = f.range(x);
      ASSERT_LE(y.hi - y.lo, f.ulps * (epsilon * y.mag() + smallest)) << f.name << " of " << x << " gave " << text(y);
    }
  }
}

TEST(Interval, LibraryFunctionsAreEnclosedWhereGlibcIsOffByMoreThanTwoUlp) {
  for (const double x : {0x1.e0b43919979d8p-3, -0x1.d8eb52992f1ccp-3}) {  // 2.2 ulp
    EXPECT_TRUE(encloses(tanh(Interval(x)), std::tanh(Number(x)))) << x;
  }
  for (const double x : {0x1.8b8fb87fd3462p-2, 0x1.7b187582cfff6p+64}) {  // 3.4 ulp
    EXPECT_TRUE(encloses(cbrt(Interval(x)), std::cbrt(Number(x)))) << x;
  }
}

TEST(Interval, AMonotoneFunctionOfARangeIsTheRangeBetweenItsEnds) {
  const Interval x(0.25, 0.75);
  expect_bounds(sqr(x), 0.0625, 0.5625);
  expect_bounds(sqrt(x), 0.5, std::sqrt(0.75));
  expect_bounds(exp(x), std::exp(0.25), std::exp(0.75));
  expect_bounds(acos(x), std::acos(0.75), std::acos(0.25));
  expect_bounds(x * Interval(-2, 4), -1.5, 3);
  expect_bounds(x / Interval(2, 4), 0.0625, 0.375);
  expect_bounds(x / Interval(-4, -2), -0.375, -0.0625);
  expect_bounds(Interval(-1, 3) / Interval(-4, -2), -1.5, 0.5);
}

TEST(Interval, ASquareAndAnEvenPowerAreNeverNegative) {
  for (const Interval& y : {sqr(Interval(-3, 2)), pow(Interval(-3, 2), 2)}) {
    EXPECT_EQ(y.lo, 0);
    expect_bounds(y, 0, 9);
  }
  expect_bounds(pow(Interval(-3, 2), 4), 0, 81);
  EXPECT_EQ(pow(Interval(-3, 2), 4).lo, 0);
  EXPECT_GE(sqr(Interval(1e-200, 1)).lo, 0);
  EXPECT_LT((Interval(-3, 2) * Interval(-3, 2)).lo, 0);  // a product does not know that its factors are one number
}

TEST(Interval, PowersFollowTheParityOfTheirExponent) {
  expect_bounds(pow(Interval(-3, 2), 3), -27, 8);
  expect_bounds(pow(Interval(-3, -2), 3), -27, -8);
  expect_bounds(pow(Interval(-4, -2), -1), -0.5, -0.25);
  expect_bounds(pow(Interval(-4, 2), -2), 0.0625, inf);
  expect_bounds(pow(Interval(0, 2), -3), 0.125, inf);
  expect_whole(pow(Interval(-4, 2), -3));
  expect_bounds(pow(Interval(-1, 4), 0.5), 0, 2);  // on the part in the domain
  expect_bounds(pow(Interval(0, 4), -0.5), 0.5, inf);
  EXPECT_TRUE(pow(Interval(-4, -1), 0.5).is_nan());
  expect_bounds(pow(Interval(-4, 4), 0), 1, 1, 0);
  expect_bounds(pow(Interval(2, 3), Interval(-1, 2)), 1.0 / 3, 9);
  expect_bounds(pow(Interval(0.5, 2), Interval(1, 2)), 0.25, 4);
  expect_bounds(pow(Interval(0, 2), Interval(0, 2)), 0, 4);
  expect_bounds(pow(Interval(-3, 2), Interval(3)), -27, 8);
}

TEST(Interval, AQuotientIsUnboundedWhereTheDenominatorContainsZero) {
  expect_whole(Interval(1, 2) / Interval(-1, 1));
  expect_whole(Interval(-1, 2) / Interval(0, 1));
  expect_whole(Interval(1, 2) / Interval(0, 0));
  expect_whole(1.0 / Interval(0.0));
  expect_whole(Interval(1, 2) / 0.0);
  expect_bounds(Interval(1, 2) / Interval(0, 4), 0.25, inf);
  expect_bounds(Interval(1, 2) / Interval(-4, 0), -inf, -0.25);
  expect_bounds(Interval(-2, -1) / Interval(0, 4), -inf, -0.25);
  expect_bounds(Interval(-2, -1) / Interval(-4, 0), 0.25, inf);
}

TEST(Interval, SineAndCosineReachOneWhereAnExtremumLiesInside) {
  for (std::int64_t k : {0LL, 1LL, 2LL, 3LL, 7LL, 100LL, 12345LL, 1000001LL, 20000000LL, 31000001LL}) {
    for (const std::int64_t turn : {k, -k}) {
      const double at = static_cast<double>(turn) * pi;
      const double sign = turn % 2 == 0 ? 1 : -1;
      for (const double width : {1e-6, 1e-3, 1.0}) {
        const Interval crest = sign * cos(Interval(at - width, at + width));
        EXPECT_GE(crest.hi, 1) << turn << " half turns";
        EXPECT_NEAR(crest.lo, std::cos(width), 1e-7);
        const Interval other = sign * sin(Interval(at + pi / 2 - width, at + pi / 2 + width));
        EXPECT_GE(other.hi, 1) << turn << " and a quarter";
      }
      if (std::abs(turn) < 1000) {  // no extremum inside: strictly less than one
        EXPECT_LT((sign * cos(Interval(at + 1e-3, at + 1e-2))).hi, 1 - 4e-7);
        EXPECT_LT((sign * cos(Interval(at - 1e-2, at - 1e-3))).hi, 1 - 4e-7);
      }
    }
  }
}

TEST(Interval, SineAndCosineEncloseNextToEveryMultipleOfAQuarterTurn) {
  Chance chance;
  for (int i = 0; i < 100000; ++i) {
    const double at = std::round(std::pow(10.0, chance.between(0, 7.7))) * (chance.heads() ? 1 : -1) * (pi / 2);
    const double spread = epsilon * std::abs(at) * std::pow(10.0, chance.between(0, 12));
    const double a = at + chance.between(-spread, spread), b = at + chance.between(-spread, spread);
    const Interval x(std::min(a, b), std::max(a, b));
    for (int k = 0; k < 5; ++k) {
      const Number inside = chance.heads() ? Number(at) : Number(chance.member(x));
      if (!encloses(x, inside)) continue;
      ASSERT_TRUE(encloses(sin(x), std::sin(inside))) << text(x);
      ASSERT_TRUE(encloses(cos(x), std::cos(inside))) << text(x);
      ASSERT_TRUE(encloses(tan(x), std::tan(inside))) << text(x);
    }
    ASSERT_LE(sin(x).mag(), 1);
    ASSERT_LE(cos(x).mag(), 1);
  }
}

TEST(Interval, WideAndHugeAnglesGiveEverySine) {
  for (const Interval& x :
       {Interval(0, 7), Interval(-4, 4), Interval(1e9, 1e9 + 7), Interval(-1e300, -1e299), Interval::whole()}) {
    for (const Interval& y : {sin(x), cos(x)}) {
      EXPECT_EQ(y.lo, -1);
      EXPECT_EQ(y.hi, 1);
    }
    expect_whole(tan(x));
  }
}

TEST(Interval, LargeAnglesAreTurnedBackExactly) {
  std::mt19937_64 random(14);
  for (const double size : {0.9e8, 1.1e8, 1e10, 1e12, 1e15}) {
    for (int i = 0; i < 2000; ++i) {
      const double from = std::uniform_real_distribution(size, 2 * size)(random) * (i % 2 == 0 ? 1 : -1);
      const Interval x(from, from + std::uniform_real_distribution(0.0, 7.0)(random));
      const auto turns = [&](long double phase) {  // extrema inside
        const long double half_turn = 3.14159265358979323846264338327950288L;
        return std::floor(x.hi / half_turn - phase) - std::floor(x.lo / half_turn - phase);
      };
      for (int k = 0; k <= 16; ++k) {
        const double at = std::min(x.hi, x.lo + (x.hi - x.lo) * k / 16);
        EXPECT_TRUE(sin(x).contains(std::sin(at)) && cos(x).contains(std::cos(at))) << x.lo;
        EXPECT_TRUE(tan(x).contains(std::tan(at))) << x.lo;
      }
      if (size > 1e12) continue;  // the count by long double needs its digits
      EXPECT_EQ(sin(x).lo == -1 || sin(x).hi == 1, turns(0.5) > 0) << x.lo;
      EXPECT_EQ(sin(x).lo == -1 && sin(x).hi == 1, turns(0.5) > 1) << x.lo;
      EXPECT_EQ(cos(x).lo == -1 && cos(x).hi == 1, turns(0) > 1) << x.lo;
      EXPECT_EQ(tan(x).is_finite(), turns(0.5) == 0) << x.lo;
    }
  }
  expect_bounds(sin(Interval(1e9)), std::sin(1e9), std::sin(1e9));
}

TEST(Interval, TangentIsUnboundedAcrossAPole) {
  expect_whole(tan(Interval(1.5, 1.6)));
  expect_whole(tan(Interval(-1.6, -1.5)));
  expect_whole(tan(Interval(4.7, 4.72)));
  expect_bounds(tan(Interval(1.6, 4.7)), std::tan(1.6), std::tan(4.7));
}

TEST(Interval, AFunctionIsEvaluatedOnThePartInItsDomain) {
  expect_bounds(sqrt(Interval(-1, 4)), 0, 2);
  expect_bounds(log(Interval(-1, 1)), -inf, 0);
  expect_bounds(asin(Interval(-2, 0)), std::asin(-1.0), 0);
  expect_bounds(acos(Interval(0.5, 2)), 0, std::acos(0.5));
  EXPECT_TRUE(sqrt(Interval(-4, -1)).is_nan());
  EXPECT_TRUE(log(Interval(-4, -1)).is_nan());
  EXPECT_TRUE(asin(Interval(1.5, 2)).is_nan());
  EXPECT_TRUE(acos(Interval(-3, -1.5)).is_nan());
}

TEST(Interval, LeavingADomainIsNoted) {
  const auto is_noted = [](const auto& f) {
    detail::has_left_domain = false;
    f();
    return detail::has_left_domain;
  };
  EXPECT_TRUE(is_noted([] { return sqrt(Interval(-1, 4)); }));
  EXPECT_TRUE(is_noted([] { return log(Interval(-1, 4)); }));
  EXPECT_TRUE(is_noted([] { return asin(Interval(0, 1.5)); }));
  EXPECT_TRUE(is_noted([] { return acos(Interval(-1.5, 0)); }));
  EXPECT_TRUE(is_noted([] { return pow(Interval(-1, 4), 0.5); }));
  EXPECT_FALSE(is_noted([] { return sqrt(Interval(0, 4)) + log(Interval(0, 4)) + asin(Interval(-1, 1)); }));
  EXPECT_FALSE(is_noted([] { return pow(Interval(-1, 4), 3); }));
}

TEST(Interval, ResultsStayInTheRangeOfTheirFunction) {
  EXPECT_EQ(exp(Interval(-inf, 0)).lo, 0);
  EXPECT_EQ(exp(Interval(-2000, -1000)).lo, 0);
  EXPECT_EQ(exp(Interval(1000, 2000)).hi, inf);
  EXPECT_GT(exp(Interval(1000, 2000)).lo, 1e308);
  EXPECT_EQ(cosh(Interval(-1, 2)).lo, 1);
  EXPECT_EQ(tanh(Interval(-50, 50)).lo, -1);
  EXPECT_EQ(tanh(Interval(-50, 50)).hi, 1);
  EXPECT_GE(hypot(Interval(-1, 1), Interval(-1, 2)).lo, 0);
  EXPECT_EQ(sqr(Interval(1e200, 1e300)).hi, inf);
  EXPECT_GT(sqr(Interval(1e200, 1e300)).lo, 1e308);
}

TEST(Interval, AnAngleIsUndecidedAcrossTheNegativeAxis) {
  const double pi_above = std::nextafter(pi, 4);
  expect_bounds(atan2(Interval(-1, 1), Interval(-2, -1)), -pi_above, pi_above, 0);
  expect_bounds(atan2(Interval(-1, 1), Interval(-1, 1)), -pi_above, pi_above, 0);
  expect_bounds(atan2(Interval(-1, 0), Interval(-2, -1)), -pi_above, pi_above, 0);
  expect_bounds(atan2(Interval(0, 1), Interval(-2, -1)), std::atan2(1, -1), pi_above);
  expect_bounds(atan2(Interval(-0.0), Interval(-2, -1)), pi, pi_above);
  expect_bounds(atan2(Interval(-2, -1), Interval(-1, 1)), std::atan2(-1, -1), std::atan2(-1, 1));
  expect_bounds(atan2(Interval(-1, 1), Interval(1, 2)), std::atan2(-1, 1), std::atan2(1, 1));
  expect_bounds(atan2(Interval(1, 2), Interval(-1, 1)), std::atan2(1, 1), std::atan2(1, -1));
  expect_bounds(atan2(Interval(-2, 0), Interval(1, 2)), std::atan2(-2, 1), 0);
  EXPECT_TRUE(atan2(Interval(0, 1), Interval(-1, 0)).contains(std::atan2(0.0, 0.0)));
}

TEST(Interval, TwoValuesAreKeptWhereAChoiceIsUndecided) {
  const Interval three = 3, five = 5;
  expect_bounds(select(Interval(-1, 1), three, five), 3, 5, 0);
  expect_bounds(select(Interval(0, 1), three, five), 3, 5, 0);  // at zero it is the second
  expect_bounds(select(Interval(1, 2), three, five), 3, 3, 0);
  expect_bounds(select(Interval(-1, 0), three, five), 5, 5, 0);
  expect_bounds(abs(Interval(-3, 2)), 0, 3, 0);
  expect_bounds(min(Interval(1, 4), Interval(2, 3)), 1, 3, 0);
  expect_bounds(max(Interval(1, 4), Interval(2, 3)), 2, 4, 0);
}

TEST(Interval, ZeroIsExactInSumsAndProducts) {
  const Interval x(1.25, 3.5);
  const Interval zero = 0;
  for (const Interval& y : {x + zero, zero + x, x - zero, x + 0.0}) expect_bounds(y, x.lo, x.hi, 0);
  for (const Interval& y : {x * zero, zero * x, x * 0.0, 0 * x, zero / x, zero * Interval::whole(), sqr(zero)}) {
    EXPECT_TRUE(y.is_zero()) << text(y);
  }
  expect_bounds(zero - x, -x.hi, -x.lo, 0);
}

TEST(Interval, ASignIsKeptUpToZero) {
  const Interval x(0, 2), y(0, 3);
  for (const Interval& z : {x + y, x * y, -x * -y, x * 2, x / Interval(1, 2), -x / -2.0, pow(x, 3), sqrt(x), sqr(x)}) {
    EXPECT_EQ(z.lo, 0) << text(z);
  }
  for (const Interval& z : {-x - y, -x * y, x * -2, x / Interval(-2, -1), pow(-x, 3)}) EXPECT_EQ(z.hi, 0) << text(z);
  EXPECT_EQ((x - 2).hi, 0);
  EXPECT_LT((Interval(-1e-200, 1) * Interval(1e-200, 1)).lo, 0);  // an underflow is no exact zero
  EXPECT_GT((Interval(1e-200) * Interval(1e-200)).hi, 0);
}

TEST(Interval, InfiniteBoundsStandForAllLargeNumbers) {
  const Interval positive(0, inf);
  expect_bounds(positive * Interval(2, 3), 0, inf);
  expect_bounds(positive * Interval(0, 1), 0, inf);
  expect_whole(positive * Interval(-1, 1));
  expect_whole(positive - positive);  // NOLINT(misc-redundant-expression): infinity less infinity
  expect_whole(Interval::whole() + 1.0);
  expect_whole(Interval::whole() / Interval(1, 2));
  expect_bounds(1 / Interval(2, inf), 0, 0.5);
  expect_whole(Interval(inf) - Interval(inf));
  expect_bounds(Interval(inf) / Interval(inf), 0, inf);
  expect_bounds(Interval(-largest) - Interval(largest), -inf, -largest);  // an overflow is some number beyond
}

TEST(Interval, NanStaysNan) {
  const Interval nan = Interval::nan();
  for (const Unary& f : unary_functions()) {
    const Interval y = f.range(nan);
    EXPECT_TRUE(std::isnan(y.lo) && std::isnan(y.hi)) << f.name << " gave " << text(y);
  }
  for (const Binary& f : binary_functions()) {
    EXPECT_TRUE(f.range(nan, 1).is_nan()) << f.name;
    EXPECT_TRUE(f.range(1, nan).is_nan()) << f.name;
  }
  EXPECT_TRUE((nan * 0.0).is_nan());
  EXPECT_TRUE(intersect(nan, Interval(1, 2)).is_nan());
  EXPECT_EQ(nan.sign(), 0);
  EXPECT_TRUE(nan.contains_zero());  // nothing is excluded
  EXPECT_FALSE(nan.is_finite());
}

TEST(Interval, MeasuresOfARangeCoverIt) {
  Chance chance;
  for (int i = 0; i < 20000; ++i) {
    const double a = chance.heads() ? chance.any_double() : chance.between(-1, 1);
    const double b = chance.heads() ? a * (1 + 1e-15) : chance.between(-1, 1);
    const Interval x(std::min(a, b), std::max(a, b));
    ASSERT_TRUE(encloses(x, x.mid())) << text(x);
    ASSERT_LE(Number(x.mid()) - Number(x.radius()), x.lo) << text(x);
    ASSERT_GE(Number(x.mid()) + Number(x.radius()), x.hi) << text(x);
    ASSERT_GE(x.width(), Number(x.hi) - Number(x.lo)) << text(x);
    ASSERT_EQ(x.mag(), std::max(std::abs(x.lo), std::abs(x.hi)));
    ASSERT_EQ(x.mig(), x.contains_zero() ? 0 : std::min(std::abs(x.lo), std::abs(x.hi)));
    ASSERT_EQ(x.sign() != 0, !x.contains_zero());
  }
  EXPECT_EQ(Interval(smallest).mid(), smallest);
  EXPECT_EQ(Interval(0.1).radius(), 0);
  EXPECT_EQ(Interval::whole().mid(), 0);
  EXPECT_EQ(Interval(-largest, largest).mid(), 0);
  EXPECT_TRUE(std::isfinite(Interval(0, inf).mid()));
  EXPECT_EQ(Interval(0, inf).radius(), inf);
}

TEST(Interval, WhatLiesInBothIsNeverLost) {
  expect_bounds(intersect(Interval(0, 2), Interval(1, 3)), 1, 2, 0);
  expect_bounds(intersect(Interval::whole(), Interval(1, 3)), 1, 3, 0);
  expect_bounds(intersect(Interval(0, 1), Interval(1, 3)), 1, 1, 0);
  expect_bounds(intersect(Interval(0, 1), Interval(2, 3)), 0, 3, 0);  // they do not meet: both are kept
  expect_bounds(hull(Interval(0, 1), Interval(2, 3)), 0, 3, 0);
}

TEST(Interval, AssignmentsAreTheirOperations) {
  Interval x(1, 2);
  x += 3;
  expect_bounds(x, 4, 5);
  x *= 2;
  x *= Interval(1, 2);
  expect_bounds(x, 8, 20, 8);
  x -= Interval(1, 2);
  expect_bounds(x, 6, 19, 8);
  x /= 2;
  expect_bounds(x, 3, 9.5, 8);
}

}  // namespace
}  // namespace pawl
