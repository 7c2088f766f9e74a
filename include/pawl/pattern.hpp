// Pattern: a scalar without a value. Evaluating a user's function once with it shows the function's structure (today:
// which outputs it assigns) and proves that its course does not depend on a state: comparing two Patterns does not
// compile.
#pragma once

#include <type_traits>

namespace pawl {

namespace detail {
template <class>
inline constexpr bool never = false;

/// Asking a Pattern for a truth value: the compile error carries the advice.
template <class T>
constexpr bool refuse_branch() {
  static_assert(
      never<T>,
      "pawl: this function branches on a state, so the model switches where no event can see it. "
      "Three ways out: (1) declare the switch as part of the model; "
      "(2) write it with min, max, abs or select(g, where_positive, otherwise); "
      "(3) wrap the function in black_box(f), or let it take const Point<double>&, and give up exact derivatives.");
  return false;
}
}  // namespace detail

class Pattern {
 public:
  constexpr Pattern() = default;
  constexpr Pattern(double) {}  // NOLINT: a number has a trivial pattern

  /// An output nobody has assigned yet.
  static constexpr Pattern unassigned() {
    Pattern blank;
    blank.is_assigned_ = false;
    return blank;
  }
  constexpr bool is_assigned() const { return is_assigned_; }

  friend constexpr Pattern operator+(const Pattern& x) { return x; }
  friend constexpr Pattern operator-(const Pattern& x) { return x; }
  friend constexpr Pattern operator+(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern operator-(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern operator*(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern operator/(const Pattern& x, const Pattern& y) { return join(x, y); }
  constexpr Pattern& operator+=(const Pattern& y) { return *this = join(*this, y); }
  constexpr Pattern& operator-=(const Pattern& y) { return *this = join(*this, y); }
  constexpr Pattern& operator*=(const Pattern& y) { return *this = join(*this, y); }
  constexpr Pattern& operator/=(const Pattern& y) { return *this = join(*this, y); }

  friend constexpr Pattern sqr(const Pattern& x) { return x; }
  friend constexpr Pattern sqrt(const Pattern& x) { return x; }
  friend constexpr Pattern cbrt(const Pattern& x) { return x; }
  friend constexpr Pattern exp(const Pattern& x) { return x; }
  friend constexpr Pattern log(const Pattern& x) { return x; }
  friend constexpr Pattern sin(const Pattern& x) { return x; }
  friend constexpr Pattern cos(const Pattern& x) { return x; }
  friend constexpr Pattern tan(const Pattern& x) { return x; }
  friend constexpr Pattern asin(const Pattern& x) { return x; }
  friend constexpr Pattern acos(const Pattern& x) { return x; }
  friend constexpr Pattern atan(const Pattern& x) { return x; }
  friend constexpr Pattern sinh(const Pattern& x) { return x; }
  friend constexpr Pattern cosh(const Pattern& x) { return x; }
  friend constexpr Pattern tanh(const Pattern& x) { return x; }
  friend constexpr Pattern abs(const Pattern& x) { return x; }
  friend constexpr Pattern atan2(const Pattern& y, const Pattern& x) { return join(y, x); }
  friend constexpr Pattern hypot(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern pow(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern min(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern max(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend constexpr Pattern select(const Pattern& g, const Pattern& x, const Pattern& y) { return join(g, join(x, y)); }

  template <class T>
  friend constexpr bool operator<(const Pattern&, const T&) {
    return detail::refuse_branch<T>();
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  friend constexpr bool operator<(const T&, const Pattern&) { return detail::refuse_branch<T>(); }
  template <class T>
  friend constexpr bool operator>(const Pattern&, const T&) {
    return detail::refuse_branch<T>();
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  friend constexpr bool operator>(const T&, const Pattern&) { return detail::refuse_branch<T>(); }
  template <class T>
  friend constexpr bool operator<=(const Pattern&, const T&) {
    return detail::refuse_branch<T>();
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  friend constexpr bool operator<=(const T&, const Pattern&) { return detail::refuse_branch<T>(); }
  template <class T>
  friend constexpr bool operator>=(const Pattern&, const T&) {
    return detail::refuse_branch<T>();
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  friend constexpr bool operator>=(const T&, const Pattern&) { return detail::refuse_branch<T>(); }
  template <class T>
  friend constexpr bool operator==(const Pattern&, const T&) {
    return detail::refuse_branch<T>();
  }
  template <class T>
  requires std::is_same_v<T, bool>
  explicit constexpr operator T() const { return detail::refuse_branch<T>(); }

 private:
  static constexpr Pattern join(const Pattern& x, const Pattern& y) { return x.is_assigned_ ? y : x; }
  bool is_assigned_ = true;
};

}  // namespace pawl
