// Jet: a function of one parameter s near a point, as the first three coefficients of its Taylor series.
//
//   f(s) = value + slope s + curve s^2 + ...       curve is half the second derivative
//
// Operations are those of power series cut off after s^2 (Griewank and Walther, Evaluating Derivatives, 2nd ed.,
// chapter 13). With T = double the coefficients are those at one point. With T = Interval they contain the coefficients
// at every point of a range, so with s measured from any m in it, f(m + s) lies in each of
//
//   value,   value(m) + slope s,   value(m) + slope(m) s + curve s^2.
//
// Where abs, min or max may change branch there is no second derivative: the slopes of both branches are kept and the
// curve is the whole line. Where select or atan2 may jump, or tan, a quotient or a power has a pole, so is the slope:
// a bounded or one-signed slope means that f is continuous.
#pragma once

#include <limits>
#include <type_traits>

#include "pawl/interval.hpp"
#include "pawl/sine_cosine.hpp"

namespace pawl {

namespace detail {

template <class T>
inline constexpr bool is_range = std::is_same_v<T, Interval>;

template <class T>
T squared(const T& x) {
  if constexpr (is_range<T>) {
    return sqr(x);
  } else {
    return x * x;
  }
}

/// The numbers whose logarithm is taken: NaN if there are none.
template <class T>
T positive_part(const T& x) {
  if constexpr (is_range<T>) {
    return x.within(0, infinity);
  } else {
    return x < 0 ? std::numeric_limits<T>::quiet_NaN() : x;
  }
}

/// power - less for less = 1 or 2; thin where the difference is a double, so that integers stay integers.
template <class T>
T lowered(double power, double less) {
  if constexpr (is_range<T>) {
    const double rest = power - less, back = rest - power;
    const bool is_exact = (power - (rest - back)) - (less + back) == 0;  // the error of the difference, after Knuth
    return is_exact ? Interval(rest) : Interval(power) - less;
  } else {
    return T(power) - T(less);
  }
}

}  // namespace detail

template <class T>
struct Jet : detail::NoBranch<Jet<T>> {
  T value = 0;
  T slope = 0;
  T curve = 0;

  constexpr Jet() = default;
  constexpr Jet(const T& constant) : value(constant) {}  // NOLINT: a number is a jet that does not move
  constexpr Jet(double constant) requires detail::is_range<T> : value(constant) {}  // NOLINT: as above
  constexpr Jet(const T& at, const T& first, const T& second) : value(at), slope(first), curve(second) {}

  /// The parameter itself.
  static constexpr Jet variable(const T& at) { return {at, 1, 0}; }

  /// Chain rule for one argument: the value of the outer function, its derivative and half its second derivative.
  Jet chain(const T& outer, const T& derivative, const T& half_second) const {
    return {outer, derivative * slope, derivative * curve + half_second * detail::squared(slope)};
  }

  friend constexpr Jet operator+(const Jet& x) { return x; }
  friend constexpr Jet operator-(const Jet& x) { return {-x.value, -x.slope, -x.curve}; }
  friend Jet operator+(const Jet& x, const Jet& y) { return {x.value + y.value, x.slope + y.slope, x.curve + y.curve}; }
  friend Jet operator-(const Jet& x, const Jet& y) { return {x.value - y.value, x.slope - y.slope, x.curve - y.curve}; }
  friend Jet operator*(const Jet& x, const Jet& y) {
    return {x.value * y.value, x.value * y.slope + x.slope * y.value,
            x.value * y.curve + x.slope * y.slope + x.curve * y.value};
  }
  friend Jet operator/(const Jet& x, const Jet& y) {
    const T ratio = x.value / y.value;
    const T rate = (x.slope - ratio * y.slope) / y.value;
    return {ratio, rate, (x.curve - ratio * y.curve - rate * y.slope) / y.value};
  }

  // With a number there is less to do.
  friend Jet operator+(const Jet& x, double c) { return {x.value + c, x.slope, x.curve}; }
  friend Jet operator+(double c, const Jet& x) { return {x.value + c, x.slope, x.curve}; }
  friend Jet operator-(const Jet& x, double c) { return {x.value - c, x.slope, x.curve}; }
  friend Jet operator-(double c, const Jet& x) { return {c - x.value, -x.slope, -x.curve}; }
  friend Jet operator*(const Jet& x, double c) { return {x.value * c, x.slope * c, x.curve * c}; }
  friend Jet operator*(double c, const Jet& x) { return {x.value * c, x.slope * c, x.curve * c}; }
  friend Jet operator/(const Jet& x, double c) { return {x.value / c, x.slope / c, x.curve / c}; }
  friend Jet operator/(double c, const Jet& x) {
    const T ratio = c / x.value;
    const T rate = -(ratio * x.slope) / x.value;
    return {ratio, rate, -(ratio * x.curve + rate * x.slope) / x.value};
  }

  template <class Y>
  Jet& operator+=(const Y& y) {
    return *this = *this + y;
  }
  template <class Y>
  Jet& operator-=(const Y& y) {
    return *this = *this - y;
  }
  template <class Y>
  Jet& operator*=(const Y& y) {
    return *this = *this * y;
  }
  template <class Y>
  Jet& operator/=(const Y& y) {
    return *this = *this / y;
  }

  friend Jet sqr(const Jet& x) {
    const T twice = x.value * 2;
    return {detail::squared(x.value), twice * x.slope, twice * x.curve + detail::squared(x.slope)};
  }
  friend Jet sqrt(const Jet& x) {  // root^2 = x
    const T root = sqrt(x.value);
    const T twice = root * 2, rate = x.slope / twice;
    return {root, rate, (x.curve - detail::squared(rate)) / twice};
  }
  friend Jet cbrt(const Jet& x) {  // root^3 = x
    const T root = cbrt(x.value);
    const T thrice = detail::squared(root) * 3, rate = x.slope / thrice;
    return {root, rate, (x.curve - root * detail::squared(rate) * 3) / thrice};
  }
  friend Jet exp(const Jet& x) {
    const T power = exp(x.value);
    return {power, power * x.slope, power * (x.curve + detail::squared(x.slope) * 0.5)};
  }
  friend Jet log(const Jet& x) {
    const T domain = detail::positive_part(x.value);
    const T rate = x.slope / domain;
    return {log(x.value), rate, x.curve / domain - detail::squared(rate) * 0.5};
  }
  friend Jet sin(const Jet& x) {
    const auto [sine, cosine] = detail::sine_cosine(x.value);
    return x.chain(sine, cosine, sine * -0.5);
  }
  friend Jet cos(const Jet& x) {
    const auto [sine, cosine] = detail::sine_cosine(x.value);
    return x.chain(cosine, -sine, cosine * -0.5);
  }
  friend Jet tan(const Jet& x) {
    const T tangent = tan(x.value);
    if constexpr (detail::is_range<T>) {
      if (!tangent.is_finite()) return {tangent, T::whole(), T::whole()};
    }
    const T derivative = detail::squared(tangent) + 1;
    return {tangent, derivative * x.slope, derivative * (x.curve + tangent * detail::squared(x.slope))};
  }
  friend Jet asin(const Jet& x) {
    const T derivative = 1 / sqrt(1 - detail::squared(x.value));
    const T rate = derivative * x.slope;
    return {asin(x.value), rate, derivative * (x.curve + x.value * detail::squared(rate) * 0.5)};
  }
  friend Jet acos(const Jet& x) {
    const Jet complement = asin(x);
    return {acos(x.value), -complement.slope, -complement.curve};
  }
  friend Jet atan(const Jet& x) {
    const T denominator = detail::squared(x.value) + 1;
    const T rate = x.slope / denominator;
    return {atan(x.value), rate, x.curve / denominator - x.value * detail::squared(rate)};
  }
  friend Jet sinh(const Jet& x) {
    const T sine = sinh(x.value);
    return x.chain(sine, cosh(x.value), sine * 0.5);
  }
  friend Jet cosh(const Jet& x) {
    const T cosine = cosh(x.value);
    return x.chain(cosine, sinh(x.value), cosine * 0.5);
  }
  friend Jet tanh(const Jet& x) {  // 1 / cosh^2 keeps the digits that 1 - tanh^2 loses
    const T tangent = tanh(x.value), derivative = 1 / detail::squared(cosh(x.value));
    return {tangent, derivative * x.slope, derivative * (x.curve - tangent * detail::squared(x.slope))};
  }
  friend Jet atan2(const Jet& y, const Jet& x) {
    const T angle = atan2(y.value, x.value);
    if constexpr (detail::is_range<T>) {
      if (x.value.lo < 0 && y.value.lo < 0 && y.value.hi >= 0) return {angle, T::whole(), T::whole()};
    }
    const T square = detail::squared(x.value) + detail::squared(y.value);
    const T rate = (x.value * y.slope - y.value * x.slope) / square;
    const T outward = x.value * x.slope + y.value * y.slope;
    return {angle, rate, (x.value * y.curve - y.value * x.curve - rate * outward) / square};
  }
  friend Jet hypot(const Jet& x, const Jet& y) {
    const T length = hypot(x.value, y.value);
    const T rate = (x.value * x.slope + y.value * y.slope) / length;
    const T across = (x.value * y.slope - y.value * x.slope) / length;
    return {length, rate, (x.value * x.curve + y.value * y.curve + detail::squared(across) * 0.5) / length};
  }
  friend Jet pow(const Jet& x, double power) {
    if (power == 0) return 1.0;
    if (power == 1) return x;
    if (power == 2) return sqr(x);
    if constexpr (detail::is_range<T>) {
      if (power < 0 && x.value.contains_zero()) return {pow(x.value, power), T::whole(), T::whole()};
    }
    const T derivative = power * pow(x.value, detail::lowered<T>(power, 1));
    const T half_second = T(power) * (T(power) - 1) * 0.5 * pow(x.value, detail::lowered<T>(power, 2));
    return x.chain(pow(x.value, T(power)), derivative, half_second);
  }
  /// x^p = exp(p log x), unless p is one number.
  friend Jet pow(const Jet& x, const Jet& power) {
    if constexpr (detail::is_range<T>) {
      const bool is_number = power.value.lo == power.value.hi && power.slope.is_zero() && power.curve.is_zero();
      if (is_number) return pow(x, power.value.lo);
    } else {
      if (power.slope == 0 && power.curve == 0) return pow(x, power.value);
    }
    const Jet exponent = power * log(x);
    const T result = pow(x.value, power.value);
    return {result, result * exponent.slope, result * (exponent.curve + detail::squared(exponent.slope) * 0.5)};
  }

  friend Jet abs(const Jet& x) {
    if constexpr (detail::is_range<T>) {
      if (x.value.lo >= 0) return x;
      if (x.value.hi <= 0) return -x;
      return {abs(x.value), hull(x.slope, -x.slope), T::whole()};
    } else {
      return std::signbit(x.value) ? -x : x;
    }
  }
  friend Jet min(const Jet& x, const Jet& y) {
    if constexpr (detail::is_range<T>) {
      if (x.value.hi <= y.value.lo) return x;
      if (y.value.hi <= x.value.lo) return y;
      return {min(x.value, y.value), hull(x.slope, y.slope), T::whole()};
    } else {
      return y.value < x.value ? y : x;
    }
  }
  friend Jet max(const Jet& x, const Jet& y) { return -min(-x, -y); }
  friend Jet select(const Jet& g, const Jet& where_positive, const Jet& otherwise) {
    if constexpr (detail::is_range<T>) {
      if (g.value.lo > 0) return where_positive;
      if (g.value.hi <= 0) return otherwise;
      return {select(g.value, where_positive.value, otherwise.value), T::whole(), T::whole()};
    } else {
      return g.value > 0 ? where_positive : otherwise;
    }
  }
};

}  // namespace pawl
