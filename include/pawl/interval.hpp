// Interval: a range that provably contains what exact arithmetic would have given.
//
//   a in x and b in y  =>  a + b in x + y,  sin a in sin x, ...       (Moore, Kearfott, Cloud, Interval Analysis, 2009)
//
// Every bound is computed to nearest and then moved outward, so the rounding mode is never touched: by one ulp after
// + - * / sqrt, by two after a library function, by four and six after those that are less exact: sinh, cosh, tanh (2.2
// ulp) and cbrt (3.7 ulp in glibc; Gladman, Innocente, Mather, Zimmermann, Accuracy of Mathematical Functions, 2024).
//
// A function is evaluated on the part of its argument that lies in its domain: sqrt([-1, 4]) = [0, 2]; that some of it
// did not is noted in detail::has_left_domain, for whoever wants to know. An argument wholly outside gives NaN, and NaN
// stays NaN. Any other undefined result, as 1 / [-1, 1], is the whole line.
//
//   const Interval g = sqr(x) - 2;
//   if (g.sign() > 0) ...             // proved for every number in x
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "pawl/number.hpp"
#include "pawl/pattern.hpp"

#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__
#error "pawl: an interval is a proof only with IEEE arithmetic; compile without -ffast-math"
#endif

namespace pawl {

namespace detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The next double above x. Infinity and NaN stay; above -infinity is the lowest number.
constexpr double next_above(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);  // -0 becomes +0
  const bool can_rise = bits < std::bit_cast<std::int64_t>(infinity);
  return std::bit_cast<double>(bits + (can_rise ? (bits >> 63) | 1 : 0));
}
constexpr double next_below(double x) {
  return -next_above(-x);
}

/// A little more than half the distance from x to its neighbours, so that x + half_gap(x) rounds to the next double
/// above x: cheaper than stepping through the bits. Requires |x| > tiny, below which it is rounded itself. Beware of
/// infinity - half_gap(infinity), which is NaN. Rump, Zimmermann, Boldo, Melquiond, BIT 49 (2009) 419.
inline double half_gap(double x) {
  return std::abs(x) * (0x1p-53 * (1 + 0x1p-52));
}
inline constexpr double tiny = 0x1p-960;

/// Raised where a root, a logarithm, an arc or a power was given an interval that is partly outside its domain; lowered
/// by whoever reads it. One per thread.
inline constinit thread_local bool has_left_domain = false;

/// Base of a scalar whose values must not steer a function: a comparison stops the compiler with advice.
template <class Self>
struct NoBranch {
  template <class T>
  friend constexpr std::partial_ordering operator<=>(const Self&, const T&) {
    refuse_branch<T>();
    return std::partial_ordering::unordered;
  }
  template <class T>
  friend constexpr bool operator==(const Self&, const T&) {
    return refuse_branch<T>();
  }
  template <class T>
  requires std::is_same_v<T, bool>
  explicit constexpr operator T() const { return refuse_branch<T>(); }
};

}  // namespace detail

/// All numbers from lo to hi. Requires lo <= hi, or NaN for both.
struct Interval : detail::NoBranch<Interval> {
  double lo = 0;
  double hi = 0;

  constexpr Interval() = default;
  constexpr Interval(double point) : lo(point), hi(point) {}  // NOLINT: a number is a thin interval
  constexpr Interval(double from, double to) : lo(from), hi(to) {}

  static constexpr Interval whole() { return {-detail::infinity, detail::infinity}; }
  static constexpr Interval nan() { return std::numeric_limits<double>::quiet_NaN(); }

  constexpr bool is_nan() const { return lo != lo || hi != hi; }
  constexpr bool is_finite() const { return -detail::infinity < lo && hi < detail::infinity && lo <= hi; }
  constexpr bool is_zero() const { return lo == 0 && hi == 0; }

  /// Not excluded: NaN, about which nothing is known, contains every number.
  constexpr bool contains(double x) const { return !(x < lo) && !(x > hi); }
  constexpr bool contains_zero() const { return contains(0); }
  /// The sign shared by all members, 0 if there is none.
  constexpr int sign() const { return static_cast<int>(lo > 0) - static_cast<int>(hi < 0); }

  /// Largest and smallest absolute value.
  constexpr double mag() const { return pawl::max(-lo, hi); }
  constexpr double mig() const { return pawl::max(pawl::max(lo, -hi), 0.0); }

  /// A finite member near the middle.
  constexpr double mid() const {
    constexpr double most = std::numeric_limits<double>::max();
    const double from = pawl::max(lo, -most);
    const double to = pawl::min(hi, most);
    return to - from <= most ? from + 0.5 * (to - from) : 0.5 * from + 0.5 * to;
  }
  /// Every member lies within radius() of mid(); width() is at least hi - lo. Both are 0 for a thin interval.
  constexpr double radius() const { return lo == hi ? 0 : detail::next_above(pawl::max(mid() - lo, hi - mid())); }
  constexpr double width() const { return lo == hi ? 0 : detail::next_above(hi - lo); }

  /// The members in [from, to]; NaN if there are none.
  constexpr Interval within(double from, double to) const {
    if (hi < from || lo > to) return nan();
    return {lo < from ? from : lo, hi > to ? to : hi};
  }

  friend constexpr Interval hull(const Interval& x, const Interval& y) {
    if (x.is_nan() || y.is_nan()) return nan();
    return {pawl::min(x.lo, y.lo), pawl::max(x.hi, y.hi)};
  }
  /// What lies in both. Two enclosures of one number always meet; two intervals that do not are no such enclosures, and
  /// their hull is returned, which contains whatever either of them did.
  friend constexpr Interval intersect(const Interval& x, const Interval& y) {
    if (x.hi < y.lo || y.hi < x.lo || x.is_nan() || y.is_nan()) return hull(x, y);
    return {pawl::max(x.lo, y.lo), pawl::min(x.hi, y.hi)};
  }

  friend constexpr Interval operator+(const Interval& x) { return x; }
  friend constexpr Interval operator-(const Interval& x) { return {-x.hi, -x.lo}; }

  // Infinities, NaN and bounds at or next to zero take the careful way, which keeps zeros that are exact.
  friend Interval operator+(const Interval& x, const Interval& y) {
    if (y.is_zero()) return {x.lo, x.hi};
    if (x.is_zero()) return {y.lo, y.hi};
    const double from = x.lo + y.lo, to = x.hi + y.hi;
    const Interval sum = widened(from, to);
    if (!is_large(from, to) || sum.is_nan()) [[unlikely]]
      return careful_sum(x, y);
    return sum;
  }
  friend Interval operator-(const Interval& x, const Interval& y) { return x + -y; }
  friend Interval operator*(const Interval& x, const Interval& y) {
    const double a = x.lo * y.lo, b = x.lo * y.hi, c = x.hi * y.lo, d = x.hi * y.hi;
    const double from = pawl::min(pawl::min(a, b), pawl::min(c, d)), to = pawl::max(pawl::max(a, b), pawl::max(c, d));
    if (!is_large(from, to) || !std::isfinite((a + b) + (c + d))) [[unlikely]]
      return careful_product(x, y);
    return widened(from, to);
  }
  friend Interval operator*(const Interval& x, double factor) {
    const double a = x.lo * factor, b = x.hi * factor, from = pawl::min(a, b), to = pawl::max(a, b);
    if (!is_large(from, to) || !std::isfinite(a + b)) [[unlikely]]
      return careful_product(x, factor);
    return widened(from, to);
  }
  friend Interval operator*(double factor, const Interval& x) { return x * factor; }
  /// The whole line where y contains zero; a half line where zero is an end of y and x has one sign.
  friend Interval operator/(const Interval& x, const Interval& y) {
    if (y.lo > 0) {
      const double from = x.lo / (x.lo < 0 ? y.lo : y.hi), to = x.hi / (x.hi < 0 ? y.hi : y.lo);
      const Interval ratio = widened(from, to);
      if (is_large(from, to) && !ratio.is_nan()) return ratio;
    } else if (y.hi < 0) {
      const double from = x.hi / (x.hi < 0 ? y.lo : y.hi), to = x.lo / (x.lo < 0 ? y.hi : y.lo);
      const Interval ratio = widened(from, to);
      if (is_large(from, to) && !ratio.is_nan()) return ratio;
    }
    return careful_quotient(x, y);
  }
  Interval& operator+=(const Interval& y) { return *this = *this + y; }
  Interval& operator-=(const Interval& y) { return *this = *this - y; }
  Interval& operator*=(const Interval& y) { return *this = *this * y; }
  Interval& operator*=(double factor) { return *this = *this * factor; }
  Interval& operator/=(const Interval& y) { return *this = *this / y; }

  friend Interval sqr(const Interval& x) {
    const double least = x.mig(), most = x.mag();
    const Interval square = nonnegative(least * least, most * most);
    if (most * most <= detail::tiny) [[unlikely]]
      return {0, most == 0 ? 0 : detail::next_above(most * most)};
    return square;
  }
  friend Interval sqrt(const Interval& x) {
    const Interval domain = part_of(x, 0, detail::infinity);
    return nonnegative(std::sqrt(domain.lo), std::sqrt(domain.hi));
  }
  friend Interval cbrt(const Interval& x) { return outward<6>(std::cbrt(x.lo), std::cbrt(x.hi)); }
  friend Interval exp(const Interval& x) { return outward(std::exp(x.lo), std::exp(x.hi)).within(0, detail::infinity); }
  friend Interval log(const Interval& x) {
    const Interval domain = part_of(x, 0, detail::infinity);
    return outward(std::log(domain.lo), std::log(domain.hi));
  }
  friend Interval sin(const Interval& x) {
    return x.mag() <= longest_angle ? wave(half_turns(x, 0.5), std::sin(x.lo), std::sin(x.hi)) : far_sine(x);
  }
  friend Interval cos(const Interval& x) {
    return x.mag() <= longest_angle ? wave(half_turns(x, 0), std::cos(x.lo), std::cos(x.hi)) : far_cosine(x);
  }
  friend Interval tan(const Interval& x) {
    if (x.is_nan()) return nan();
    const bool is_near = x.mag() <= longest_angle;
    if ((is_near ? half_turns(x, 0.5) : far_half_turns(x, std::cos(x.lo), std::cos(x.hi))).count() > 0) return whole();
    return outward(std::tan(x.lo), std::tan(x.hi));
  }
  friend Interval asin(const Interval& x) {
    const Interval domain = part_of(x, -1, 1);
    return outward(std::asin(domain.lo), std::asin(domain.hi));
  }
  friend Interval acos(const Interval& x) {
    const Interval domain = part_of(x, -1, 1);
    return outward(std::acos(domain.hi), std::acos(domain.lo)).within(0, detail::infinity);
  }
  friend Interval atan(const Interval& x) { return outward(std::atan(x.lo), std::atan(x.hi)); }
  friend Interval sinh(const Interval& x) { return outward<4>(std::sinh(x.lo), std::sinh(x.hi)); }
  friend Interval cosh(const Interval& x) {
    return outward<4>(std::cosh(x.mig()), std::cosh(x.mag())).within(1, detail::infinity);
  }
  friend Interval tanh(const Interval& x) { return outward<4>(std::tanh(x.lo), std::tanh(x.hi)).within(-1, 1); }

  /// Angles in (-pi, pi]; all of them where (x, y) crosses the negative x axis, which belongs to the half plane above.
  friend Interval atan2(const Interval& y, const Interval& x) {
    constexpr double pi_above = 0x1.921fb54442d19p+1;
    if (y.is_nan() || x.is_nan()) return nan();
    if (x.lo < 0 && y.lo < 0 && y.hi >= 0) return {-pi_above, pi_above};
    if (x.contains_zero() && y.contains_zero()) {  // at the origin the angle is taken as 0
      return y.lo < 0 ? Interval(-pi_above / 2, pi_above / 2) : Interval(0, pi_above);
    }
    if (y.lo >= 0) return upper_angle(y, x);
    if (y.hi <= 0) return -upper_angle(-y, x);
    return outward(std::atan2(y.lo, x.lo), std::atan2(y.hi, x.lo));
  }
  friend Interval hypot(const Interval& x, const Interval& y) {
    if (x.is_nan() || y.is_nan()) return nan();
    return outward(std::hypot(x.mig(), y.mig()), std::hypot(x.mag(), y.mag())).within(0, detail::infinity);
  }

  /// An integer power is taken of the whole line, any other of x >= 0.
  friend Interval pow(const Interval& x, double power) {
    if (power == 0) return 1;
    if (power == 1) return x;
    if (power == 2) return sqr(x);
    if (std::trunc(power) != power || std::isinf(power)) return pow_by_corners(x, power);
    if (power < 0) return 1 / pow(x, -power);
    if (std::trunc(power / 2) != power / 2) {  // odd: the sign is kept, also of what is next to zero
      return outward(std::pow(x.lo, power), std::pow(x.hi, power))
          .within(x.lo < 0 ? -detail::infinity : 0, x.hi > 0 ? detail::infinity : 0);
    }
    return outward(std::pow(x.mig(), power), std::pow(x.mag(), power)).within(0, detail::infinity);
  }
  /// Where the power is not one number, x >= 0.
  friend Interval pow(const Interval& x, const Interval& power) {
    return power.lo == power.hi ? pow(x, power.lo) : pow_by_corners(x, power);
  }

  friend constexpr Interval abs(const Interval& x) { return {x.mig(), x.mag()}; }
  friend constexpr Interval min(const Interval& x, const Interval& y) {
    if (x.is_nan() || y.is_nan()) return nan();
    return {pawl::min(x.lo, y.lo), pawl::min(x.hi, y.hi)};
  }
  friend constexpr Interval max(const Interval& x, const Interval& y) {
    if (x.is_nan() || y.is_nan()) return nan();
    return {pawl::max(x.lo, y.lo), pawl::max(x.hi, y.hi)};
  }
  /// Both values where the sign of g is undecided.
  friend constexpr Interval select(const Interval& g, const Interval& where_positive, const Interval& otherwise) {
    if (g.is_nan()) return nan();
    if (g.lo > 0) return where_positive;
    if (g.hi <= 0) return otherwise;
    return hull(where_positive, otherwise);
  }

 private:
  // The integers k for which (k + phase) pi lies in an interval, or a few ulp outside it.
  struct HalfTurns {
    std::int64_t first, last;
    constexpr std::int64_t count() const { return last - first + 1; }
  };
  static constexpr double longest_angle = 1e8;  // beyond it half turns are counted by signs

  // The members in the domain [from, to] of a function.
  static Interval part_of(const Interval& x, double from, double to) {
    if (x.lo < from || x.hi > to) [[unlikely]]
      detail::has_left_domain = true;
    return x.within(from, to);
  }
  static bool is_large(double lo, double hi) { return pawl::min(std::abs(lo), std::abs(hi)) > detail::tiny; }
  // By one ulp. Requires is_large(lo, hi); NaN if lo is infinity or hi is -infinity.
  static Interval widened(double lo, double hi) { return {lo - detail::half_gap(lo), hi + detail::half_gap(hi)}; }
  // By one ulp, for bounds that cannot be negative. Requires hi > tiny or exact; a lo that has overflowed is at least
  // the largest number.
  static Interval nonnegative(double lo, double hi) {
    const Interval wide = widened(pawl::min(lo, std::numeric_limits<double>::max()), hi);
    return {lo <= detail::tiny ? 0 : wide.lo, wide.hi};
  }
  // By the error of a library function, for any bounds.
  template <int ulps = 2>
  static Interval outward(double lo, double hi) {
    for (int i = 0; i < ulps; ++i) {
      lo = detail::next_below(lo);
      hi = detail::next_above(hi);
    }
    return {lo, hi};
  }

  // Operands by value: a reference would keep those of the usual way in memory.
  [[gnu::noinline, gnu::cold]] static Interval careful_sum(Interval x, Interval y) {
    if (x.is_nan() || y.is_nan()) return nan();
    const double from = x.lo + y.lo, to = x.hi + y.hi;
    if (from != from || to != to) return whole();
    const Interval sum = outward<1>(from, to);
    return {from == 0 ? 0 : sum.lo, to == 0 ? 0 : sum.hi};  // a sum does not underflow
  }
  // Zero times infinity is zero: an infinite bound stands for numbers that are not.
  [[gnu::noinline, gnu::cold]] static Interval careful_product(Interval x, Interval y) {
    if (x.is_nan() || y.is_nan()) return nan();
    if (x.is_zero() || y.is_zero()) return 0;
    const auto times = [](double a, double b) { return a == 0 || b == 0 ? 0 : a * b; };
    const double a = times(x.lo, y.lo), b = times(x.lo, y.hi), c = times(x.hi, y.lo), d = times(x.hi, y.hi);
    const bool may_fall = (x.lo < 0 && y.hi > 0) || (x.hi > 0 && y.lo < 0);  // below zero
    const bool may_rise = (x.lo < 0 && y.lo < 0) || (x.hi > 0 && y.hi > 0);
    return outward<1>(pawl::min(pawl::min(a, b), pawl::min(c, d)), pawl::max(pawl::max(a, b), pawl::max(c, d)))
        .within(may_fall ? -detail::infinity : 0, may_rise ? detail::infinity : 0);
  }
  [[gnu::noinline, gnu::cold]] static Interval careful_quotient(Interval x, Interval y) {
    if (x.is_nan() || y.is_nan()) return nan();
    if (y.hi <= 0 && y.lo < 0) return careful_quotient(-x, -y);
    if (y.lo < 0 || y.hi == 0) return whole();
    const double nearest = y.lo + 0.0;  // not -0
    const double from = x.lo / (x.lo < 0 ? nearest : y.hi), to = x.hi / (x.hi > 0 ? nearest : y.hi);
    const Interval ratio = from != from || to != to ? whole() : outward<1>(from, to);
    return ratio.within(x.lo < 0 ? -detail::infinity : 0, x.hi > 0 ? detail::infinity : 0);
  }

  // Requires mag() <= longest_angle. The slack covers the rounding of 1 / pi, of the product and of the differences.
  static HalfTurns half_turns(const Interval& x, double phase) {
    constexpr double one_over_pi = 0.318309886183790671538, slack = 4 * std::numeric_limits<double>::epsilon();
    const double from = x.lo * one_over_pi - phase, to = x.hi * one_over_pi - phase;
    const double low = from - slack * (1 + std::abs(from)), high = to + slack * (1 + std::abs(to));
    const auto first = static_cast<std::int64_t>(low), last = static_cast<std::int64_t>(high);  // towards zero
    return {first + (static_cast<double>(first) < low), last - (static_cast<double>(last) > high)};
  }
  // The extrema of a wave on an interval of any angles, from its slopes at the ends: the library reduces every number
  // exactly, and no number is an extremum, so that the signs are right. Extrema are pi apart; a narrow interval this
  // far out has ends within a factor of two, so that its width is exact. Even: a maximum comes first.
  static HalfTurns far_half_turns(const Interval& x, double slope_lo, double slope_hi) {
    constexpr double below_pi = 0x1.921fb54442d18p+1;
    const double width = x.hi - x.lo;
    if (!(width < 2 * below_pi)) return {0, 2};
    const bool rises = slope_lo > 0, turns_once = rises != (slope_hi > 0),
               turns_twice = !turns_once && width > below_pi;
    const std::int64_t first = rises ? 0 : 1;
    return {first, first + static_cast<int>(turns_once) + 2 * static_cast<int>(turns_twice) - 1};
  }
  // A wave of amplitude one with maxima at the even and minima at the odd half turns.
  static Interval wave(const HalfTurns& extrema, double at_lo, double at_hi) {
    if (extrema.count() > 1) return {-1, 1};
    const Interval ends = outward(pawl::min(at_lo, at_hi), pawl::max(at_lo, at_hi)).within(-1, 1);
    if (extrema.count() < 1) return ends;
    return extrema.first % 2 == 0 ? Interval(ends.lo, 1) : Interval(-1, ends.hi);
  }
  [[gnu::noinline, gnu::cold]] static Interval far_sine(Interval x) {
    if (x.is_nan()) return nan();
    return wave(far_half_turns(x, std::cos(x.lo), std::cos(x.hi)), std::sin(x.lo), std::sin(x.hi));
  }
  [[gnu::noinline, gnu::cold]] static Interval far_cosine(Interval x) {
    if (x.is_nan()) return nan();
    return wave(far_half_turns(x, -std::sin(x.lo), -std::sin(x.hi)), std::cos(x.lo), std::cos(x.hi));
  }

  // Requires y >= 0: the angle then falls along x, and grows with y where x > 0.
  static Interval upper_angle(const Interval& y, const Interval& x) {
    const Interval height(y.lo + 0.0, y.hi + 0.0);  // -0 lies below the axis for atan2
    return outward(std::atan2(x.hi > 0 ? height.lo : height.hi, x.hi),
                   std::atan2(x.lo < 0 ? height.lo : height.hi, x.lo));
  }
  // x^p with x >= 0 is monotone in x and in p, so its extrema lie in the corners.
  static Interval pow_by_corners(const Interval& x, const Interval& power) {
    const Interval base = part_of(x, 0, detail::infinity);
    if (base.is_nan() || power.is_nan()) return nan();
    const bool is_one_power = power.lo == power.hi;
    const double a = std::pow(base.lo, power.lo), b = is_one_power ? a : std::pow(base.lo, power.hi);
    const double c = std::pow(base.hi, power.lo), d = is_one_power ? c : std::pow(base.hi, power.hi);
    return outward(pawl::min(pawl::min(a, b), pawl::min(c, d)), pawl::max(pawl::max(a, b), pawl::max(c, d)))
        .within(0, detail::infinity);
  }
};

}  // namespace pawl
