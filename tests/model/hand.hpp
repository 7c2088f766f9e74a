// What a model function is given, and a graph evaluated by hand: node by node with the functions of scalar.hpp, held
// values as numbers, both sides of every choice. The oracle of programs and native code.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "pawl/function.hpp"
#include "pawl/model/graph.hpp"
#include "pawl/model/program.hpp"

namespace pawl::model::testing {

template <class T>
struct Instant {
  T time{};
  std::vector<T> states = {}, rates = {}, relays = {}, inputs = {};
  std::vector<double> parameters = {}, numbers = {}, modes = {}, truths = {};

  double held(Op kind, int index) const {
    const auto i = static_cast<std::size_t>(index);
    if (kind == Op::parameter) return parameters.at(i);
    if (kind == Op::number) return numbers.at(i);
    return kind == Op::mode ? modes.at(i) : truths.at(i);
  }
  T moving(Op kind, int index) const {
    const auto i = static_cast<std::size_t>(index);
    if (kind == Op::time) return time;
    if (kind == Op::state) return states.at(i);
    if (kind == Op::rate) return rates.at(i);
    return kind == Op::relay ? relays.at(i) : inputs.at(i);
  }
};

template <class A, class B>
using Wider = std::conditional_t<std::is_same_v<A, double>, B, A>;

template <class T>
T hand_unary(Op op, const T& a) {
  switch (op) {
    case Op::neg:
      return -a;
    case Op::sqr:
      return sqr(a);
    case Op::sqrt:
      return sqrt(a);
    case Op::cbrt:
      return cbrt(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    default:
      return abs(a);
  }
}

template <class A, class B>
Wider<A, B> hand_binary(Op op, const A& a, const B& b) {
  using T = Wider<A, B>;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::atan2:
      return atan2(T(a), T(b));
    case Op::hypot:
      return hypot(T(a), T(b));
    case Op::pow: {
      if constexpr (std::is_same_v<B, double>)
        return pow(T(a), b);
      else
        return pow(T(a), T(b));
    }
    case Op::min:
      return min(T(a), T(b));
    default:
      return max(T(a), T(b));
  }
}

template <class T>
std::vector<T> by_hand(const Graph& graph, const std::vector<int>& outputs, const Instant<T>& at) {
  std::vector<T> moving(static_cast<std::size_t>(graph.size()));
  std::vector<double> held(moving.size(), 0);
  const auto m = [&](int node) -> T {
    return graph.is_moving(node) ? moving[static_cast<std::size_t>(node)] : T(held[static_cast<std::size_t>(node)]);
  };
  const auto h = [&](int node) { return held[static_cast<std::size_t>(node)]; };
  for (const int node : graph.order(outputs)) {
    const Node& n = graph[node];
    const auto i = static_cast<std::size_t>(node);
    if (!graph.is_moving(node)) {
      if (n.op == Op::constant)
        held[i] = graph.value_of(node);
      else if (is_input(n.op))
        held[i] = at.held(n.op, n.a);
      else
        held[i] = apply(n.op, h(n.a), operand_count(n.op) > 1 ? h(n.b) : 0, operand_count(n.op) > 2 ? h(n.c) : 0);
    } else if (is_leaf(n.op)) {
      moving[i] = at.moving(n.op, n.a);
    } else if (is_unary(n.op)) {
      moving[i] = hand_unary(n.op, m(n.a));
    } else if (is_binary(n.op)) {
      if (!graph.is_moving(n.a))
        moving[i] = hand_binary(n.op, h(n.a), m(n.b));
      else if (!graph.is_moving(n.b))
        moving[i] = hand_binary(n.op, m(n.a), h(n.b));
      else
        moving[i] = hand_binary(n.op, m(n.a), m(n.b));
    } else if (n.op == Op::select) {
      moving[i] = select(m(n.a), m(n.b), m(n.c));
    } else {
      moving[i] = h(n.a) != 0 ? m(n.b) : m(n.c);
    }
  }
  std::vector<T> result;
  for (const int output : outputs) result.push_back(m(output));
  return result;
}

/// Held values and inputs of a program, filled in.
template <class T>
struct Files {
  std::vector<double> h;
  std::vector<T> m;

  Files(const Program& program, const Instant<T>& at, int moving_size)
      : h(program.held()), m(static_cast<std::size_t>(moving_size) + 1) {
    for (const Load& load : program.held_loads())
      h[static_cast<std::size_t>(load.slot)] = at.held(load.kind, load.index);
    for (const Load& load : program.moving_loads())
      m[static_cast<std::size_t>(load.slot)] = at.moving(load.kind, load.index);
    program.run_held(h.data());
  }
};

template <class T>
std::vector<T> interpreted(const Program& program, const Instant<T>& at) {
  Files<T> files(program, at, program.moving_size());
  std::vector<T> out(static_cast<std::size_t>(program.rows()));
  program.run(files.m.data(), files.h.data(), at.states.data(), out.data());
  return out;
}

// All numbers in a scalar.
inline void list_numbers(double x, std::vector<double>& list) {
  list.push_back(x);
}
inline void list_numbers(const Interval& x, std::vector<double>& list) {
  list.insert(list.end(), {x.lo, x.hi});
}
template <int n, class T>
void list_numbers(const Dual<n, T>& x, std::vector<double>& list) {
  list_numbers(x.value, list);
  for (const T& slope : x.slope) list_numbers(slope, list);
}
template <class T>
void list_numbers(const Jet<T>& x, std::vector<double>& list) {
  list_numbers(x.value, list);
  list_numbers(x.slope, list);
  list_numbers(x.curve, list);
}
inline void list_numbers(const Series& x, std::vector<double>& list) {
  list.insert(list.end(), x.c.begin(), x.c.begin() + static_cast<std::ptrdiff_t>(x.order) + 1);
}

enum class NotANumber {
  same,     ///< on both sides
  ignored,  ///< where it is expected, anything will do: a full dual product makes 0 inf of a slope that is zero
};

/// Equal in every number, by ==.
template <class T>
bool same_bits(const T& expected, const T& found, NotANumber nan = NotANumber::same) {
  std::vector<double> a, b;
  list_numbers(expected, a);
  list_numbers(found, b);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && (nan == NotANumber::ignored || std::isnan(b[i]))) continue;
    if (!(a[i] == b[i])) return false;
  }
  return true;
}
template <class T>
std::string numbers_of(const T& x) {
  std::vector<double> list;
  list_numbers(x, list);
  std::string text;
  for (const double number : list) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

/// A value near `at` that moves along the first axis more than along others.
template <class T>
T moving_near(double at, int axis) {
  if constexpr (std::is_same_v<T, double>) {
    return at;
  } else if constexpr (std::is_same_v<T, Gradient>) {
    Gradient x(at);
    for (std::size_t i = 0; i < 8; ++i) x.slope[i] = std::sin(1.0 + axis + 3.0 * static_cast<double>(i));
    return x;
  } else if constexpr (std::is_same_v<T, Curvature>) {
    return Curvature::variable(Gradient::variable(at, axis % 8), axis % 8);
  } else if constexpr (std::is_same_v<T, Interval>) {
    return {at - 0.01, at + 0.02};
  } else if constexpr (std::is_same_v<T, Jet<double>>) {
    return {at, 0.3 + axis, -0.7};
  } else if constexpr (std::is_same_v<T, Jet<Interval>>) {
    return {Interval(at - 0.01, at + 0.02), Interval(0.3 + axis), Interval(-0.7, -0.6)};
  } else {
    Series x = Series::variable(at, 4);
    x.c[1] = 0.3 + axis;
    x.c[2] = -0.7;
    return x;
  }
}

}  // namespace pawl::model::testing
