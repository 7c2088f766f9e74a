// The four operations as the interpreter does them, for every scalar: those of scalar.hpp, with a held operand as the
// number it is.
#pragma once

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
