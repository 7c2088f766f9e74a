// The four operations as the interpreter does them, for every scalar: those of scalar.hpp, with a held operand as the
// number it is.
//
// For duals a held operand has no slopes, so that they need not be multiplied by zero. The results are those of the
// full operations wherever these are finite.
#pragma once

#include <cstddef>

#include "pawl/function.hpp"

namespace pawl::model {

template <class T>
struct Arithmetic {
  template <class A, class B>
  static T add(const A& a, const B& b) {
    return a + b;
  }
  template <class A, class B>
  static T sub(const A& a, const B& b) {
    return a - b;
  }
  template <class A, class B>
  static T mul(const A& a, const B& b) {
    return a * b;
  }
  template <class A, class B>
  static T div(const A& a, const B& b) {
    return a / b;
  }
};

template <int n, class V>
struct Arithmetic<Dual<n, V>> {
  using D = Dual<n, V>;
  static constexpr auto directions = static_cast<std::size_t>(n);

  static D add(const D& a, const D& b) { return a + b; }
  static D sub(const D& a, const D& b) { return a - b; }
  static D mul(const D& a, const D& b) {
    D y(a.value * b.value);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
    return y;
  }
  static D div(const D& a, const D& b) { return a / b; }

  static D add(double a, const D& b) {
    D y = b;
    y.value += a;
    return y;
  }
  static D add(const D& a, double b) { return add(b, a); }
  static D sub(const D& a, double b) {
    D y = a;
    y.value -= b;
    return y;
  }
  static D sub(double a, const D& b) {
    D y(a - b.value);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = -b.slope[i];
    return y;
  }
  static D mul(double a, const D& b) {
    D y(a * b.value);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = a * b.slope[i];
    return y;
  }
  static D div(const D& a, double b) {
    D y(a.value / b);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = a.slope[i] / b;
    return y;
  }
  static D div(double a, const D& b) {
    D y(a / b.value);
    for (std::size_t i = 0; i < directions; ++i) y.slope[i] = -(y.value * b.slope[i]) / b.value;
    return y;
  }
};

/// Larger scalars: a call per operation costs less than code for each of some hundred and eighty instructions.
template <class T>
struct CalledArithmetic {
  template <class A, class B>
  [[gnu::noinline]] static T add(const A& a, const B& b) {
    return Arithmetic<T>::add(a, b);
  }
  template <class A, class B>
  [[gnu::noinline]] static T sub(const A& a, const B& b) {
    return Arithmetic<T>::sub(a, b);
  }
  template <class A, class B>
  [[gnu::noinline]] static T mul(const A& a, const B& b) {
    return Arithmetic<T>::mul(a, b);
  }
  template <class A, class B>
  [[gnu::noinline]] static T div(const A& a, const B& b) {
    return Arithmetic<T>::div(a, b);
  }
};

}  // namespace pawl::model
