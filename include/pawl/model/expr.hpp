// Expr: an expression of a graph, as one more scalar. A function that is written for all scalars is traced by
// evaluating it with this one:
//
//   Graph graph;
//   const Expr x = state(graph, 0, "x"), k = parameter(graph, 0, "k");
//   const Expr force = -k * x + 0.1 * sin(x);          // nodes of the graph
//
// An expression carries its graph; one that was made from a number alone belongs to none and joins any. It has no
// value, so it cannot steer a function: comparisons of held expressions are held truths for choose(), comparisons of
// moving ones are refused.
#pragma once

#include <string>
#include <type_traits>

#include "pawl/model/graph.hpp"
#include "pawl/scalar.hpp"

namespace pawl::model {

class Expr {
 public:
  Expr() = default;
  Expr(double literal) : literal_(literal) {}  // NOLINT: a number is an expression
  Expr(Graph& graph, int node) : graph_(&graph), node_(node) {}

  /// Null for a literal.
  Graph* graph() const { return graph_; }
  /// Its node there; a literal becomes one.
  int node_in(Graph& graph) const;
  /// Requires a graph.
  int node() const { return node_; }
  double literal() const { return literal_; }

  Expr& operator+=(const Expr& y) { return *this = *this + y; }
  Expr& operator-=(const Expr& y) { return *this = *this - y; }
  Expr& operator*=(const Expr& y) { return *this = *this * y; }
  Expr& operator/=(const Expr& y) { return *this = *this / y; }

  friend Expr operator+(const Expr& x) { return x; }
  friend Expr operator-(const Expr& x) { return made(Op::neg, x); }
  friend Expr operator+(const Expr& x, const Expr& y) { return made(Op::add, x, y); }
  friend Expr operator-(const Expr& x, const Expr& y) { return made(Op::sub, x, y); }
  friend Expr operator*(const Expr& x, const Expr& y) { return made(Op::mul, x, y); }
  friend Expr operator/(const Expr& x, const Expr& y) { return made(Op::div, x, y); }

  friend Expr sqr(const Expr& x) { return made(Op::sqr, x); }
  friend Expr sqrt(const Expr& x) { return made(Op::sqrt, x); }
  friend Expr cbrt(const Expr& x) { return made(Op::cbrt, x); }
  friend Expr exp(const Expr& x) { return made(Op::exp, x); }
  friend Expr log(const Expr& x) { return made(Op::log, x); }
  friend Expr sin(const Expr& x) { return made(Op::sin, x); }
  friend Expr cos(const Expr& x) { return made(Op::cos, x); }
  friend Expr tan(const Expr& x) { return made(Op::tan, x); }
  friend Expr asin(const Expr& x) { return made(Op::asin, x); }
  friend Expr acos(const Expr& x) { return made(Op::acos, x); }
  friend Expr atan(const Expr& x) { return made(Op::atan, x); }
  friend Expr sinh(const Expr& x) { return made(Op::sinh, x); }
  friend Expr cosh(const Expr& x) { return made(Op::cosh, x); }
  friend Expr tanh(const Expr& x) { return made(Op::tanh, x); }
  friend Expr abs(const Expr& x) { return made(Op::abs, x); }
  friend Expr atan2(const Expr& y, const Expr& x) { return made(Op::atan2, y, x); }
  friend Expr hypot(const Expr& x, const Expr& y) { return made(Op::hypot, x, y); }
  friend Expr pow(const Expr& x, const Expr& power) { return made(Op::pow, x, power); }
  friend Expr min(const Expr& x, const Expr& y) { return made(Op::min, x, y); }
  friend Expr max(const Expr& x, const Expr& y) { return made(Op::max, x, y); }
  friend Expr select(const Expr& g, const Expr& where_positive, const Expr& otherwise) {
    return made(Op::select, g, where_positive, otherwise);
  }
  /// One of two by a held truth; the other is not evaluated.
  friend Expr choose(const Expr& truth, const Expr& then, const Expr& otherwise) {
    return made(Op::choose, truth, then, otherwise);
  }

  // Truths of held values: 1 or 0.
  friend Expr operator<(const Expr& x, const Expr& y) { return made(Op::less, x, y); }
  friend Expr operator>(const Expr& x, const Expr& y) { return made(Op::less, y, x); }
  friend Expr operator<=(const Expr& x, const Expr& y) { return made(Op::less_equal, x, y); }
  friend Expr operator>=(const Expr& x, const Expr& y) { return made(Op::less_equal, y, x); }
  friend Expr operator==(const Expr& x, const Expr& y) { return made(Op::equal, x, y); }
  friend Expr operator!=(const Expr& x, const Expr& y) { return !(x == y); }
  friend Expr operator!(const Expr& x) { return made(Op::negation, x); }
  friend Expr operator&&(const Expr& x, const Expr& y) { return made(Op::both, x, y); }
  friend Expr operator||(const Expr& x, const Expr& y) { return made(Op::either, x, y); }

  template <class T>
  requires std::is_same_v<T, bool>
  explicit constexpr operator T() const {
    static_assert(detail::never<T>,
                  "pawl: an expression has no truth while a model is written: choose(truth, then, otherwise) takes one "
                  "of two by a held truth, select(g, where_positive, otherwise) by a moving value");
    return false;
  }

 private:
  static Expr made(Op op, const Expr& x);
  static Expr made(Op op, const Expr& x, const Expr& y);
  static Expr made(Op op, const Expr& x, const Expr& y, const Expr& z);

  Graph* graph_ = nullptr;
  int node_ = -1;
  double literal_ = 0;
};

/// The same words for scalars, so that one function serves both; here both sides have been evaluated.
template <class T>
T choose(bool truth, const T& then, const T& otherwise) {
  return truth ? then : otherwise;
}

Expr time(Graph& graph);
Expr state(Graph& graph, int index, std::string name = {});
Expr rate(Graph& graph, int index);
Expr parameter(Graph& graph, int index, std::string name = {});
Expr number(Graph& graph, int index, std::string name = {});
Expr mode(Graph& graph, int index, std::string name = {});
Expr truth(Graph& graph, int index, std::string name = {});
Expr relay(Graph& graph, int index, std::string name = {});
Expr input(Graph& graph, int index, std::string name = {});

}  // namespace pawl::model

namespace pawl::detail {
template <>
inline constexpr bool is_scalar<model::Expr> = true;
}  // namespace pawl::detail
