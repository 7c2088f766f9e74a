// Dual numbers: a value and its derivatives along `directions` axes, carried through a user's function together.
//
//   f(x + ε v) = f(x) + ε f'(x) v,  ε² = 0
//
// Every operation applies the chain rule exactly, so a Jacobian costs ceil(n / directions) evaluations and has no
// truncation error (Griewank and Walther, Evaluating Derivatives, 2nd ed., chapter 3).
//
// The value may itself be a dual. Every rule below is then differentiated once more, and y of type Dual<n, Dual<n>> is
//
//   y.value.value = f,   y.value.slope[i] = y.slope[i].value = ∂f/∂x_i,   y.slope[i].slope[j] = ∂²f/∂x_i∂x_j
//
// when the arguments are variables at both levels: Dual<n, Dual<n>>::variable(Dual<n>::variable(x_i, i), i).
#pragma once

#include <array>
#include <type_traits>

#include "pawl/number.hpp"
#include "pawl/sine_cosine.hpp"

namespace pawl {

namespace detail {

constexpr double innermost_value(double x) {
  return x;
}
template <class D>
constexpr double innermost_value(const D& x) {
  return innermost_value(x.value);
}

}  // namespace detail

template <int directions, class T = double>
struct Dual {
  // The slopes come first: compilers copy duals, and compute with their slopes, in pieces of the same places then. Else
  // what was written in one cut is read in another, for which a processor waits.
  std::array<T, directions> slope{};
  T value = 0;

  constexpr Dual() = default;
  constexpr Dual(T constant) : value(constant) {}  // NOLINT: a number is a dual with no slope
  constexpr Dual(double constant) requires(!std::is_same_v<T, double>) : value(constant) {}  // NOLINT: at every level

  /// The independent variable number `axis`.
  static constexpr Dual variable(T at, int axis) {
    Dual x(at);
    x.slope[static_cast<std::size_t>(axis)] = 1;
    return x;
  }

  /// The same slopes at another value.
  constexpr Dual moved(T to) const {
    Dual y(to);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = slope[i];
    return y;
  }
  /// Chain rule for one argument: the value of the outer function and its derivative.
  template <class Factor = T>
  constexpr Dual chain(T outer, const Factor& derivative) const {
    Dual y(outer);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = derivative * slope[i];
    return y;
  }

  constexpr Dual& operator+=(const Dual& y) { return *this = *this + y; }
  constexpr Dual& operator-=(const Dual& y) { return *this = *this - y; }
  constexpr Dual& operator*=(const Dual& y) { return *this = *this * y; }
  constexpr Dual& operator/=(const Dual& y) { return *this = *this / y; }

  // Operands by reference, and every part of the result from parts of them: a copy that is changed in place is written
  // in one cut and read in another.
  friend constexpr Dual operator+(const Dual& x, const Dual& y) {
    Dual z(x.value + y.value);
    for (std::size_t i = 0; i < directions; ++i) z.slope[i] = x.slope[i] + y.slope[i];
    return z;
  }
  friend constexpr Dual operator-(const Dual& x, const Dual& y) {
    Dual z(x.value - y.value);
    for (std::size_t i = 0; i < directions; ++i) z.slope[i] = x.slope[i] - y.slope[i];
    return z;
  }
  friend constexpr Dual operator*(const Dual& x, const Dual& y) {
    Dual z(x.value * y.value);
    for (std::size_t i = 0; i < directions; ++i) z.slope[i] = x.slope[i] * y.value + x.value * y.slope[i];
    return z;
  }
  friend constexpr Dual operator/(const Dual& x, const Dual& y) {
    Dual z(x.value / y.value);
    for (std::size_t i = 0; i < directions; ++i) z.slope[i] = (x.slope[i] - z.value * y.slope[i]) / y.value;
    return z;
  }
  friend constexpr Dual operator+(const Dual& x) { return x; }
  friend constexpr Dual operator-(const Dual& x) { return x.chain(-x.value, -1.0); }

  // A number has no slopes, so that none need be multiplied by zero.
  friend constexpr Dual operator+(const Dual& x, double c) { return x.moved(x.value + c); }
  friend constexpr Dual operator+(double c, const Dual& x) { return x.moved(c + x.value); }
  friend constexpr Dual operator-(const Dual& x, double c) { return x.moved(x.value - c); }
  friend constexpr Dual operator-(double c, const Dual& x) { return x.chain(c - x.value, -1.0); }
  friend constexpr Dual operator*(const Dual& x, double c) { return x.chain(x.value * c, c); }
  friend constexpr Dual operator*(double c, const Dual& x) { return x.chain(c * x.value, c); }
  friend constexpr Dual operator/(const Dual& x, double c) {
    Dual y(x.value / c);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = x.slope[i] / c;
    return y;
  }
  friend constexpr Dual operator/(double c, const Dual& x) {
    Dual y(c / x.value);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = -(y.value * x.slope[i]) / x.value;
    return y;
  }
  constexpr Dual& operator+=(double c) { return value += c, *this; }
  constexpr Dual& operator-=(double c) { return value -= c, *this; }
  constexpr Dual& operator*=(double c) { return *this = *this * c; }
  constexpr Dual& operator/=(double c) { return *this = *this / c; }

  // Comparisons look at the value alone. Only functions declared `differentiable(f)` may use them: a generic function
  // is also evaluated with Pattern, whose comparisons do not compile.
  friend constexpr bool operator<(const Dual& x, const Dual& y) { return x.value < y.value; }
  friend constexpr bool operator>(const Dual& x, const Dual& y) { return x.value > y.value; }
  friend constexpr bool operator<=(const Dual& x, const Dual& y) { return x.value <= y.value; }
  friend constexpr bool operator>=(const Dual& x, const Dual& y) { return x.value >= y.value; }
  friend constexpr bool operator==(const Dual& x, const Dual& y) { return x.value == y.value; }

  friend Dual sqr(const Dual& x) { return x.chain(x.value * x.value, 2 * x.value); }
  friend Dual sqrt(const Dual& x) {
    const T root = sqrt(x.value);
    return x.chain(root, 0.5 / root);
  }
  friend Dual cbrt(const Dual& x) {
    const T root = cbrt(x.value);
    return x.chain(root, 1 / (3 * root * root));
  }
  friend Dual exp(const Dual& x) {
    const T power = exp(x.value);
    return x.chain(power, power);
  }
  friend Dual log(const Dual& x) { return x.chain(log(x.value), 1 / x.value); }
  friend Dual sin(const Dual& x) {
    const auto [sine, cosine] = detail::sine_cosine(x.value);
    return x.chain(sine, cosine);
  }
  friend Dual cos(const Dual& x) {
    const auto [sine, cosine] = detail::sine_cosine(x.value);
    return x.chain(cosine, -sine);
  }
  friend Dual tan(const Dual& x) {
    const T tangent = tan(x.value);
    return x.chain(tangent, 1 + tangent * tangent);
  }
  friend Dual asin(const Dual& x) { return x.chain(asin(x.value), 1 / sqrt(1 - x.value * x.value)); }
  friend Dual acos(const Dual& x) { return x.chain(acos(x.value), -1 / sqrt(1 - x.value * x.value)); }
  friend Dual atan(const Dual& x) { return x.chain(atan(x.value), 1 / (1 + x.value * x.value)); }
  friend Dual sinh(const Dual& x) { return x.chain(sinh(x.value), cosh(x.value)); }
  friend Dual cosh(const Dual& x) { return x.chain(cosh(x.value), sinh(x.value)); }
  friend Dual tanh(const Dual& x) {
    const T tangent = tanh(x.value);
    return x.chain(tangent, 1 - tangent * tangent);
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const T r2 = x.value * x.value + y.value * y.value;
    Dual angle(atan2(y.value, x.value));
    for (std::size_t i = 0; i < directions; ++i) angle.slope[i] = (x.value * y.slope[i] - y.value * x.slope[i]) / r2;
    return angle;
  }
  friend Dual hypot(const Dual& x, const Dual& y) {
    Dual r(hypot(x.value, y.value));
    for (std::size_t i = 0; i < directions; ++i) r.slope[i] = (x.value * x.slope[i] + y.value * y.slope[i]) / r.value;
    return r;
  }
  friend Dual pow(const Dual& x, double power) {
    return x.chain(pow(x.value, power), power == 0 ? T(0) : power * pow(x.value, power - 1));
  }
  friend Dual pow(const Dual& x, const Dual& power) {
    Dual y(pow(x.value, power.value));
    // 0 x^-1 is 0 also at x = 0; a nested power of 0 still has slopes, and only there are they given up.
    const bool is_constant = power.value == 0 && (std::is_same_v<T, double> || x.value == 0);
    const T by_base = is_constant ? T(0) : power.value * pow(x.value, power.value - 1);
    const T by_power = y.value == 0 ? T(0) : y.value * log(x.value);  // x^p -> 0 faster than log x -> -inf
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = by_base * x.slope[i] + by_power * power.slope[i];
    return y;
  }
  friend Dual abs(const Dual& x) { return std::signbit(detail::innermost_value(x.value)) ? -x : x; }
  friend Dual min(const Dual& x, const Dual& y) { return y.value < x.value ? y : x; }
  friend Dual max(const Dual& x, const Dual& y) { return x.value < y.value ? y : x; }
  friend Dual select(const Dual& g, const Dual& where_positive, const Dual& otherwise) {
    return g.value > 0 ? where_positive : otherwise;
  }
};

}  // namespace pawl
