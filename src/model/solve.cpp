#include "model/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "numerics/index.hpp"

namespace pawl::model {

// What an operand is: a sum that reads the unknown, or a rest.
LinearPart RowSolver::part_of(int operand) {
  if (reads(operand)) return parts_[at(operand)];
  return {graph_.constant(0), operand};
}

bool RowSolver::combine(int node) {
  const Node n = graph_[node];
  LinearPart& part = parts_[at(node)];
  switch (n.op) {
    case Op::neg: {
      const LinearPart a = part_of(n.a);
      part = {graph_.unary(Op::neg, a.factor), graph_.unary(Op::neg, a.rest)};
      return true;
    }
    case Op::add:
    case Op::sub: {
      const LinearPart a = part_of(n.a), b = part_of(n.b);
      part = {graph_.binary(n.op, a.factor, b.factor), graph_.binary(n.op, a.rest, b.rest)};
      return true;
    }
    case Op::mul:
    case Op::div: {
      const bool is_left = reads(n.a);
      if (reads(is_left ? n.b : n.a) || (n.op == Op::div && !is_left)) return false;
      const LinearPart a = part_of(is_left ? n.a : n.b);
      const int other = is_left ? n.b : n.a;
      part = {graph_.binary(n.op, a.factor, other), graph_.binary(n.op, a.rest, other)};
      return true;
    }
    case Op::choose: {
      const LinearPart a = part_of(n.b), b = part_of(n.c);
      part = {graph_.choose(n.a, a.factor, b.factor), graph_.choose(n.a, a.rest, b.rest)};
      return true;
    }
    default:
      return false;
  }
}

// Operands are older than what reads them, so that one loop over the nodes of the row will do.
std::optional<LinearPart> RowSolver::split(int row, int unknown) {
  ++stamp_;
  nodes_.clear();
  walk_.over(row, [&](int node) {
    if (node >= unknown && graph_.is_moving(node)) nodes_.push_back(node);
  });
  std::sort(nodes_.begin(), nodes_.end());
  if (stamps_.size() < at(graph_.size())) {
    stamps_.resize(at(graph_.size()), 0);
    parts_.resize(at(graph_.size()));
  }
  for (const int node : nodes_) {
    const Node n = graph_[node];
    if (node == unknown) {
      parts_[at(node)] = {graph_.constant(1), graph_.constant(0)};
      stamps_[at(node)] = stamp_;
      continue;
    }
    const int operands[] = {n.a, n.b, n.c};
    bool is_read = false;
    for (int i = 0; i < operand_count(n.op); ++i) is_read = is_read || reads(operands[i]);
    if (!is_read) continue;
    if (!combine(node)) return std::nullopt;
    stamps_[at(node)] = stamp_;
  }
  return part_of(row);
}

// With the declared parameters; NaN where it is another one in another mode.
double RowSolver::value_of(int held) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  nodes_.clear();
  walk_.over(held, [&](int node) { nodes_.push_back(node); });
  std::sort(nodes_.begin(), nodes_.end());
  std::unordered_map<int, double> values;
  for (const int node : nodes_) {
    const Node& n = graph_[node];
    double& value = values[node];
    if (n.op == Op::constant)
      value = graph_.value_of(node);
    else if (n.op == Op::parameter)
      value = at(n.a) < parameters_.size() ? parameters_[at(n.a)] : unknown;
    else if (is_input(n.op) || is_ternary(n.op) || is_logic(n.op))
      value = unknown;
    else
      value = apply(n.op, values.at(n.a), is_binary(n.op) ? values.at(n.b) : 0);
  }
  return values.at(held);
}

Pivot RowSolver::judge(int factor) {
  if (graph_.is_constant(factor)) {
    const double value = graph_.value_of(factor);
    return value != 0 && std::isfinite(value) ? Pivot::literal : Pivot::none;
  }
  if (!graph_.is_moving(factor)) {
    const double value = value_of(factor);
    return value != 0 && std::isfinite(value) ? Pivot::held : Pivot::none;
  }
  bool is_chosen = false;
  walk_.over(factor, [&](int node) { is_chosen = is_chosen || is_ternary(graph_[node].op); });
  return is_chosen ? Pivot::none : Pivot::moving;
}

int RowSolver::solved(const LinearPart& part) {
  if (graph_.is_constant(part.factor) && graph_.value_of(part.factor) == -1) return part.rest;
  return graph_.binary(Op::div, graph_.unary(Op::neg, part.rest), part.factor);
}

}  // namespace pawl::model
