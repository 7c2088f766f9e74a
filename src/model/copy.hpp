// Copies nodes of one graph into another, or into the same, with other leaves in the place of some.
#pragma once

#include <utility>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

/// leaf(node number, node) gives what stands for an input in the new graph; constants are copied. What was copied once
/// is remembered, so leaves must not change while it is used.
template <class Leaf>
class Copy {
 public:
  Copy(const Graph& from, Graph& to, Leaf leaf) : from_(from), to_(to), leaf_(std::move(leaf)) {}

  int operator()(int node) {
    if (made_.size() < static_cast<std::size_t>(from_.size())) made_.resize(static_cast<std::size_t>(from_.size()), -1);
    open_.assign(1, node);
    while (!open_.empty()) {
      const int next = open_.back();
      if (of(next) >= 0) {
        open_.pop_back();
        continue;
      }
      const Node n = from_[next];
      const int operands[] = {n.a, n.b, n.c};
      bool is_ready = true;
      for (int i = 0; i < operand_count(n.op); ++i) {
        if (of(operands[i]) >= 0) continue;
        open_.push_back(operands[i]);
        is_ready = false;
      }
      if (!is_ready) continue;
      open_.pop_back();
      const int before = to_.size();
      const int made = make(next, n);
      of(next) = made;
      if (made >= before) to_.take_places(from_, next, before);
    }
    return of(node);
  }

 private:
  int& of(int node) { return made_[static_cast<std::size_t>(node)]; }
  int make(int number, const Node& n) {
    if (n.op == Op::constant) return to_.constant(from_.value_of(number));
    if (is_input(n.op)) return leaf_(number, n);
    if (is_unary(n.op)) return to_.unary(n.op, of(n.a));
    if (is_binary(n.op)) return to_.binary(n.op, of(n.a), of(n.b));
    return n.op == Op::choose ? to_.choose(of(n.a), of(n.b), of(n.c)) : to_.select(of(n.a), of(n.b), of(n.c));
  }
  const Graph& from_;
  Graph& to_;
  Leaf leaf_;
  std::vector<int> made_, open_;
};

}  // namespace pawl::model
