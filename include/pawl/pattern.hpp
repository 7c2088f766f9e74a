// Pattern: a scalar without a value. Evaluating a user's function once with it shows the function's structure (which
// outputs it assigns, and which inputs each of them reads) and proves that its course does not depend on a state:
// comparing two Patterns does not compile.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/never.hpp"

namespace pawl {

namespace detail {
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

/// Notes which inputs every result of an evaluation was made from, as long as it lives: one entry per operation.
///
///   PatternTape tape;
///   x[i] = tape.variable(i);  f(x, out);  tape.inputs_of(out[k]);
class Pattern;
class PatternTape {
 public:
  PatternTape();
  ~PatternTape();
  PatternTape(const PatternTape&) = delete;
  PatternTape& operator=(const PatternTape&) = delete;

  Pattern variable(int index);
  /// Indices of the variables this was made from, ascending.
  const std::vector<int>& inputs_of(const Pattern& result);

  /// A result made from two others, on the tape in force.
  static int join(int a, int b);

 private:
  int add(int a, int b);

  PatternTape* before_;
  std::vector<std::pair<int, int>> nodes_;  // operands; a variable has -1 and its index
  std::vector<int> seen_, stack_, inputs_;  // of inputs_of: the last visit of each node
  int visit_ = 0;
};

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

  friend Pattern operator+(const Pattern& x) { return x; }
  friend Pattern operator-(const Pattern& x) { return x; }
  friend Pattern operator+(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern operator-(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern operator*(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern operator/(const Pattern& x, const Pattern& y) { return join(x, y); }
  Pattern& operator+=(const Pattern& y) { return *this = join(*this, y); }
  Pattern& operator-=(const Pattern& y) { return *this = join(*this, y); }
  Pattern& operator*=(const Pattern& y) { return *this = join(*this, y); }
  Pattern& operator/=(const Pattern& y) { return *this = join(*this, y); }

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
  friend Pattern atan2(const Pattern& y, const Pattern& x) { return join(y, x); }
  friend Pattern hypot(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern pow(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern min(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern max(const Pattern& x, const Pattern& y) { return join(x, y); }
  friend Pattern select(const Pattern& g, const Pattern& x, const Pattern& y) { return join(g, join(x, y)); }

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
  friend class PatternTape;
  static Pattern join(const Pattern& x, const Pattern& y) {
    Pattern result = x.is_assigned_ ? y : x;
    result.node_ = x.node_ < 0 ? y.node_ : x.node_;
    if (x.node_ >= 0 && y.node_ >= 0 && x.node_ != y.node_) result.node_ = PatternTape::join(x.node_, y.node_);
    return result;
  }
  bool is_assigned_ = true;
  int node_ = -1;  // on the tape; -1: made from no variable
};

}  // namespace pawl
