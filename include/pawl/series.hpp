// Series: a function of one parameter s near a point, as the coefficients of its Taylor series up to any order.
//
//   f(s) = c[0] + c[1] s + c[2] s^2 + ...       c[k] is the k-th derivative over k!
//
// Operations are those of power series, cut off after s^order (Griewank and Walther, Evaluating Derivatives, 2nd ed.,
// chapter 13): derivatives of a model along a motion, as often as its equations have to be differentiated. All
// variables of one evaluation have the same order; what has order 0 is a number.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pawl/interval.hpp"

namespace pawl {

struct Series {
  static constexpr std::size_t most = 24;  ///< orders

  std::array<double, most + 1> c{};
  std::size_t order = 0;

  constexpr Series() = default;
  constexpr Series(double constant) { c[0] = constant; }  // NOLINT: a number is a series that does not move

  /// The parameter itself, from here on.
  static constexpr Series variable(double at, std::size_t order) {
    Series x(at);
    x.order = order;
    if (order > 0) x.c[1] = 1;
    return x;
  }

  friend Series operator+(const Series& x) { return x; }
  friend Series operator-(const Series& x) { return x.times(-1); }
  friend Series operator+(Series x, const Series& y) {
    x.order = larger(x.order, y.order);
    for (std::size_t k = 0; k <= y.order; ++k) x.c[k] += y.c[k];
    return x;
  }
  friend Series operator-(Series x, const Series& y) {
    x.order = larger(x.order, y.order);
    for (std::size_t k = 0; k <= y.order; ++k) x.c[k] -= y.c[k];
    return x;
  }
  friend Series operator*(const Series& x, const Series& y) {
    if (y.order == 0) return x.times(y.c[0]);
    if (x.order == 0) return y.times(x.c[0]);
    Series z;
    z.order = larger(x.order, y.order);
    for (std::size_t k = 0; k <= z.order; ++k)
      for (std::size_t j = 0; j <= k; ++j) z.c[k] += x.c[j] * y.c[k - j];
    return z;
  }
  friend Series operator/(Series x, const Series& y) {
    x.order = larger(x.order, y.order);
    for (std::size_t k = 0; k <= x.order; ++k) {
      for (std::size_t j = 1; j <= k && j <= y.order; ++j) x.c[k] -= y.c[j] * x.c[k - j];
      x.c[k] /= y.c[0];
    }
    return x;
  }
  template <class Y>
  Series& operator+=(const Y& y) {
    return *this = *this + y;
  }
  template <class Y>
  Series& operator-=(const Y& y) {
    return *this = *this - y;
  }
  template <class Y>
  Series& operator*=(const Y& y) {
    return *this = *this * y;
  }
  template <class Y>
  Series& operator/=(const Y& y) {
    return *this = *this / y;
  }

  // Comparisons look at the value alone, as those of Dual: forces may use them.
  friend constexpr bool operator<(const Series& x, const Series& y) { return x.c[0] < y.c[0]; }
  friend constexpr bool operator>(const Series& x, const Series& y) { return x.c[0] > y.c[0]; }
  friend constexpr bool operator<=(const Series& x, const Series& y) { return x.c[0] <= y.c[0]; }
  friend constexpr bool operator>=(const Series& x, const Series& y) { return x.c[0] >= y.c[0]; }
  friend constexpr bool operator==(const Series& x, const Series& y) { return x.c[0] == y.c[0]; }

  friend Series sqr(const Series& x) { return x * x; }
  friend Series sqrt(const Series& x) { return x.root_of_sum(std::sqrt(x.c[0])); }
  friend Series cbrt(const Series& x) { return x.to_the(1.0 / 3, std::cbrt(x.c[0])); }
  friend Series exp(const Series& x) {  // v' = v x'
    Series v = x.like(std::exp(x.c[0]));
    for (std::size_t k = 1; k <= x.order; ++k) v.c[k] = x.rate_times(v, k);
    return v;
  }
  friend Series log(const Series& x) {
    return (x.derivative() / x).integral(x.c[0] < 0 ? std::numeric_limits<double>::quiet_NaN() : std::log(x.c[0]));
  }
  friend Series sin(const Series& x) { return x.pair(std::sin(x.c[0]), std::cos(x.c[0]), -1)[0]; }
  friend Series cos(const Series& x) { return x.pair(std::sin(x.c[0]), std::cos(x.c[0]), -1)[1]; }
  friend Series sinh(const Series& x) { return x.pair(std::sinh(x.c[0]), std::cosh(x.c[0]), 1)[0]; }
  friend Series cosh(const Series& x) { return x.pair(std::sinh(x.c[0]), std::cosh(x.c[0]), 1)[1]; }
  friend Series tan(const Series& x) {
    const double tangent = std::tan(x.c[0]);
    return x.tangent(tangent, 1 + tangent * tangent, 1);
  }
  friend Series tanh(const Series& x) {  // 1 / cosh^2 keeps the digits that 1 - tanh^2 loses
    const double cosine = std::cosh(x.c[0]);
    return x.tangent(std::tanh(x.c[0]), 1 / (cosine * cosine), -1);
  }
  friend Series asin(const Series& x) { return (x.derivative() / sqrt(1 - x * x)).integral(std::asin(x.c[0])); }
  friend Series acos(const Series& x) { return (-x.derivative() / sqrt(1 - x * x)).integral(std::acos(x.c[0])); }
  friend Series atan(const Series& x) { return (x.derivative() / (1 + x * x)).integral(std::atan(x.c[0])); }
  friend Series atan2(const Series& y, const Series& x) {
    const Series turn = (x * y.derivative() - y * x.derivative()) / (x * x + y * y);
    return turn.integral(std::atan2(y.c[0], x.c[0]));
  }
  friend Series hypot(const Series& x, const Series& y) {
    return (x * x + y * y).root_of_sum(std::hypot(x.c[0], y.c[0]));
  }
  friend Series pow(const Series& x, double power) {
    if (power == std::floor(power) && power >= 0 && power <= 64) {  // zero has such powers too
      Series result(1.0), square = x;
      for (auto rest = static_cast<unsigned>(power); rest != 0; rest /= 2) {
        if (rest % 2 == 1) result = result * square;
        if (rest > 1) square = square * square;
      }
      return result;
    }
    return x.to_the(power, std::pow(x.c[0], power));
  }
  friend Series pow(const Series& x, const Series& power) {
    return power.order == 0 ? pow(x, power.c[0]) : exp(power * log(x));
  }

  friend Series abs(const Series& x) { return std::signbit(x.c[0]) ? -x : x; }
  friend Series min(const Series& x, const Series& y) { return y.c[0] < x.c[0] ? y : x; }
  friend Series max(const Series& x, const Series& y) { return -min(-x, -y); }
  friend Series select(const Series& g, const Series& where_positive, const Series& otherwise) {
    return g.c[0] > 0 ? where_positive : otherwise;
  }

 private:
  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a < b ? b : a; }
  Series like(double start) const {
    Series v(start);
    v.order = order;
    return v;
  }
  Series times(double factor) const {
    Series v = like(factor * c[0]);
    for (std::size_t k = 1; k <= order; ++k) v.c[k] = factor * c[k];
    return v;
  }
  /// Its last coefficient is not known; integral() does without.
  Series derivative() const {
    Series v = like(order > 0 ? c[1] : 0);
    for (std::size_t k = 1; k < order; ++k) v.c[k] = static_cast<double>(k + 1) * c[k + 1];
    return v;
  }
  Series integral(double start) const {
    Series v = like(start);
    for (std::size_t k = 1; k <= order; ++k) v.c[k] = c[k - 1] / static_cast<double>(k);
    return v;
  }
  /// The coefficient of s^k of ∫ v this'.
  double rate_times(const Series& v, std::size_t k) const {
    double sum = 0;
    for (std::size_t j = 1; j <= k; ++j) sum += static_cast<double>(j) * c[j] * v.c[k - j];
    return sum / static_cast<double>(k);
  }
  /// The root of this, which is `start` at s = 0.
  Series root_of_sum(double start) const {
    Series v = like(start);
    for (std::size_t k = 1; k <= order; ++k) {
      double rest = c[k];
      for (std::size_t j = 1; j < k; ++j) rest -= v.c[j] * v.c[k - j];
      v.c[k] = rest / (2 * start);
    }
    return v;
  }
  /// x v' = power v x'.
  Series to_the(double power, double start) const {
    Series v = like(start);
    for (std::size_t k = 1; k <= order; ++k) {
      double sum = 0;
      for (std::size_t j = 1; j <= k; ++j)
        sum += (power * static_cast<double>(j) - static_cast<double>(k - j)) * c[j] * v.c[k - j];
      v.c[k] = sum / (static_cast<double>(k) * c[0]);
    }
    return v;
  }
  /// s' = c x', c' = sign s x'.
  std::array<Series, 2> pair(double sine, double cosine, double sign) const {
    std::array<Series, 2> v{like(sine), like(cosine)};
    for (std::size_t k = 1; k <= order; ++k) {
      v[0].c[k] = rate_times(v[1], k);
      v[1].c[k] = sign * rate_times(v[0], k);
    }
    return v;
  }
  /// v' = w x' with w = 1 + sign v^2.
  Series tangent(double start, double slope, double sign) const {
    Series v = like(start), w = like(slope);
    for (std::size_t k = 1; k <= order; ++k) {
      v.c[k] = rate_times(w, k);
      for (std::size_t j = 0; j <= k; ++j) w.c[k] += sign * v.c[j] * v.c[k - j];
    }
    return v;
  }
};

}  // namespace pawl
