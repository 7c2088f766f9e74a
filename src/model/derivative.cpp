// Derivatives on the graph, by forward accumulation: one loop over the nodes in their order, each with the derivatives
// it has (Griewank and Walther, Evaluating Derivatives, 2nd ed., chapter 7 for sparse ones).
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "pawl/model/graph.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

// The rules, written once with words for operations.
class Rules {
 public:
  explicit Rules(Graph& graph) : g_(graph) {}

  int sum(int a, int b) { return g_.binary(Op::add, a, b); }
  int difference(int a, int b) { return g_.binary(Op::sub, a, b); }
  int product(int a, int b) { return g_.binary(Op::mul, a, b); }
  int quotient(int a, int b) { return g_.binary(Op::div, a, b); }
  int square(int a) { return g_.unary(Op::sqr, a); }
  int minus(int a) { return g_.unary(Op::neg, a); }
  int number(double value) { return g_.constant(value); }

  // d f(a) / da of a function of one operand, whose own node is y.
  int by_operand(Op op, int a, int y) {
    switch (op) {
      case Op::neg:
        return number(-1);
      case Op::sqr:
        return product(number(2), a);
      case Op::sqrt:
        return quotient(number(0.5), y);
      case Op::cbrt:
        return quotient(number(1), product(number(3), square(y)));
      case Op::exp:
        return y;
      case Op::log:
        return quotient(number(1), a);
      case Op::sin:
        return g_.unary(Op::cos, a);
      case Op::cos:
        return minus(g_.unary(Op::sin, a));
      case Op::tan:
        return sum(number(1), square(y));
      case Op::asin:
        return quotient(number(1), cosine_of_arc(a));
      case Op::acos:
        return quotient(number(-1), cosine_of_arc(a));
      case Op::atan:
        return quotient(number(1), sum(number(1), square(a)));
      case Op::sinh:
        return g_.unary(Op::cosh, a);
      case Op::cosh:
        return g_.unary(Op::sinh, a);
      case Op::tanh:
        return difference(number(1), square(y));
      case Op::abs:
        return g_.select(minus(a), number(-1), number(1));
      default:
        throw Misuse(fmt::format("'{}' has no derivative", word_of(op)));
    }
  }

  // The derivative of node y by something, from those of its operands.
  int chain(int y, int da, int db, int dc) {
    const Node n = g_[y];
    if (is_unary(n.op)) return product(by_operand(n.op, n.a, y), da);
    switch (n.op) {
      case Op::add:
        return sum(da, db);
      case Op::sub:
        return difference(da, db);
      case Op::mul:
        return sum(product(da, n.b), product(n.a, db));
      case Op::div:
        return quotient(difference(da, product(y, db)), n.b);
      case Op::atan2:
        return quotient(difference(product(n.b, da), product(n.a, db)), sum(square(n.b), square(n.a)));
      case Op::hypot:
        return quotient(sum(product(n.a, da), product(n.b, db)), y);
      case Op::pow:
        return power(n, y, da, db);
      case Op::min:
        return g_.select(difference(n.a, n.b), db, da);
      case Op::max:
        return g_.select(difference(n.b, n.a), db, da);
      case Op::select:
        return g_.select(n.a, db, dc);
      case Op::choose:
        return g_.choose(n.a, db, dc);
      default:
        throw Misuse(fmt::format("'{}' has no derivative", word_of(n.op)));
    }
  }

 private:
  int cosine_of_arc(int a) { return g_.unary(Op::sqrt, difference(number(1), square(a))); }
  int power(const Node& n, int y, int da, int db) {
    const int zero = number(0);
    const int by_base = product(n.b, g_.binary(Op::pow, n.a, difference(n.b, number(1))));
    const int first = da == zero ? zero : product(by_base, da);
    if (db == zero) return first;
    return sum(first, product(product(y, g_.unary(Op::log, n.a)), db));
  }

  Graph& g_;
};

using Columns = std::vector<std::pair<int, int>>;  // columns, ascending, with their nodes

int derivative_in(const Columns* gradient, std::size_t& at, int column, int zero) {
  if (gradient == nullptr || at >= gradient->size() || (*gradient)[at].first != column) return zero;
  return (*gradient)[at++].second;
}

// Merges the gradients of the operands of a node by columns.
Columns merged(Rules& rules, int node, const std::array<const Columns*, 3>& of_operands, int zero) {
  std::array<std::size_t, 3> at{};
  Columns result;
  for (;;) {
    int column = -1;
    for (std::size_t i = 0; i < 3; ++i) {
      if (of_operands[i] == nullptr || at[i] >= of_operands[i]->size()) continue;
      const int next = (*of_operands[i])[at[i]].first;
      column = column < 0 ? next : std::min(column, next);
    }
    if (column < 0) return result;
    std::array<int, 3> d{};
    for (std::size_t i = 0; i < 3; ++i) d[i] = derivative_in(of_operands[i], at[i], column, zero);
    if (const int entry = rules.chain(node, d[0], d[1], d[2]); entry != zero) result.emplace_back(column, entry);
  }
}

// A gate is not differentiated: it only decides.
bool is_gate(const Node& n, int operand) {
  return operand == 0 && (n.op == Op::select || n.op == Op::choose);
}

}  // namespace

std::vector<Entry> Graph::jacobian(const std::vector<int>& outputs, Op kind) {
  const std::vector<int> nodes = order(outputs);
  const int zero = constant(0), one = constant(1);
  std::vector<int> place(nodes.empty() ? 0 : static_cast<std::size_t>(nodes.back()) + 1, -1);
  std::vector<Columns> gradients(nodes.size());
  Rules rules(*this);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const int node = nodes[k];
    place[static_cast<std::size_t>(node)] = static_cast<int>(k);
    const Node n = (*this)[node];
    if (n.op == kind && (kind != Op::rate || n.b == 1)) gradients[k] = {{n.a, one}};
    if (is_leaf(n.op) || !is_moving(node)) continue;
    std::array<const Columns*, 3> of_operands{};
    const std::array<int, 3> operands{n.a, n.b, n.c};
    for (int i = 0; i < operand_count(n.op); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!is_gate(n, i))
        of_operands[at] = &gradients[static_cast<std::size_t>(place[static_cast<std::size_t>(operands[at])])];
    }
    gradients[k] = merged(rules, node, of_operands, zero);
  }
  std::vector<Entry> entries;
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    const auto k = static_cast<std::size_t>(place[static_cast<std::size_t>(outputs[row])]);
    for (const auto& [column, node] : gradients[k]) entries.push_back({static_cast<int>(row), column, node});
  }
  return entries;
}

std::vector<int> Graph::differentiated(const std::vector<int>& outputs, const std::vector<int>& rates) {
  const std::vector<int> nodes = order(outputs);
  const int zero = constant(0);
  std::vector<int> rate_of(nodes.empty() ? 0 : static_cast<std::size_t>(nodes.back()) + 1, zero);
  const auto of = [&](int node) -> int& { return rate_of[static_cast<std::size_t>(node)]; };
  Rules rules(*this);
  for (const int node : nodes) {
    const Node n = (*this)[node];
    if (!is_moving(node)) continue;
    if (n.op == Op::time) {
      of(node) = constant(1);
    } else if (n.op == Op::state) {
      const auto i = static_cast<std::size_t>(n.a);
      of(node) = i < rates.size() ? rates[i] : input(Op::rate, n.a);
    } else if (n.op == Op::rate) {
      of(node) = input(Op::rate, n.a, n.b + 1);
    } else if (is_leaf(n.op)) {
      throw Misuse(fmt::format("the rate of '{}' is not known: {} cannot be differentiated along the motion",
                               name_of(n), n.op == Op::relay ? "a relay" : "an input"));
    } else {
      const bool has_gate = is_ternary(n.op);
      of(node) = rules.chain(node, has_gate ? zero : of(n.a), operand_count(n.op) > 1 ? of(n.b) : zero,
                             operand_count(n.op) > 2 ? of(n.c) : zero);
    }
  }
  std::vector<int> result;
  result.reserve(outputs.size());
  for (const int output : outputs) result.push_back(of(output));
  return result;
}

std::vector<std::vector<int>> Graph::reads(const std::vector<int>& outputs, Op kind) const {
  const std::vector<int> nodes = order(outputs);
  std::vector<int> place(nodes.empty() ? 0 : static_cast<std::size_t>(nodes.back()) + 1, -1);
  std::vector<std::vector<int>> read(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& n = (*this)[nodes[k]];
    place[static_cast<std::size_t>(nodes[k])] = static_cast<int>(k);
    if (n.op == kind) read[k] = {n.a};
    const int operands[] = {n.a, n.b, n.c};
    for (int i = 0; i < operand_count(n.op); ++i) {
      const std::vector<int>& of_operand = read[static_cast<std::size_t>(place[static_cast<std::size_t>(operands[i])])];
      std::vector<int> both;
      std::set_union(read[k].begin(), read[k].end(), of_operand.begin(), of_operand.end(), std::back_inserter(both));
      read[k] = std::move(both);
    }
  }
  std::vector<std::vector<int>> result;
  result.reserve(outputs.size());
  for (const int output : outputs)
    result.push_back(read[static_cast<std::size_t>(place[static_cast<std::size_t>(output)])]);
  return result;
}

}  // namespace pawl::model
