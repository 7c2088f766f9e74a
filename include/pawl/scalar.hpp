// The scalars a user's function is evaluated with, and the functions that exist for all of them and for double.
//
// Write model functions with `using namespace pawl;` or unqualified calls: sqr, select, min, max and abs then mean the
// same thing for a number, a Dual and a Pattern. A call of std::sin and the like on a scalar stops the compiler with
// this advice.
#pragma once

#include "pawl/dual.hpp"
#include "pawl/interval.hpp"
#include "pawl/jet.hpp"
#include "pawl/never.hpp"
#include "pawl/number.hpp"
#include "pawl/pattern.hpp"
#include "pawl/series.hpp"

namespace pawl::detail {

template <class T>
inline constexpr bool is_scalar = false;
template <int directions, class T>
inline constexpr bool is_scalar<Dual<directions, T>> = true;
template <class T>
inline constexpr bool is_scalar<Jet<T>> = true;
template <>
inline constexpr bool is_scalar<Interval> = true;
template <>
inline constexpr bool is_scalar<Pattern> = true;
template <>
inline constexpr bool is_scalar<Series> = true;
template <class T>
concept Scalar = is_scalar<T>;

/// One message for all scalars and functions.
template <class T>
constexpr void refuse_std() {
  static_assert(
      never<T>,
      "pawl: std::sin, std::sqrt and the like know plain numbers only, and a model function is evaluated with "
      "other scalars too. Write sin(x), sqrt(x), ... without std::, or wrap the function in black_box(f).");
}
/// The same for all scalars, but known only where a function is called.
template <class T>
struct Any {
  using type = void;
};
template <class T>
T without_std(const T& x) {
  refuse_std<typename Any<T>::type>();
  return x;
}

}  // namespace pawl::detail

// Overloads that only explain themselves: without them a call of std::sin on a scalar lists every overload there is,
// once per scalar.
namespace std {
template <pawl::detail::Scalar T>
T abs(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T acos(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T asin(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T atan(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T cbrt(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T cos(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T cosh(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T exp(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T fabs(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T log(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T sin(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T sinh(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T sqrt(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T tan(const T& x) {
  return pawl::detail::without_std(x);
}
template <pawl::detail::Scalar T>
T tanh(const T& x) {
  return pawl::detail::without_std(x);
}
template <class T, class U>
requires pawl::detail::Scalar<T> || pawl::detail::Scalar<U>
auto atan2(const T& x, const U& y) {
  return pawl::detail::without_std(x + y);
}
template <class T, class U>
requires pawl::detail::Scalar<T> || pawl::detail::Scalar<U>
auto hypot(const T& x, const U& y) {
  return pawl::detail::without_std(x + y);
}
template <class T, class U>
requires pawl::detail::Scalar<T> || pawl::detail::Scalar<U>
auto pow(const T& x, const U& y) {
  return pawl::detail::without_std(x + y);
}
}  // namespace std
