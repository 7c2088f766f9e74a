// What rows read, found by one walk per row over its own nodes.
#pragma once

#include <functional>
#include <vector>

#include "numerics/assignment.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

/// Walks over nodes, each once; keeps its marks between walks.
class Walk {
 public:
  explicit Walk(const Graph& graph) : graph_(graph) {}

  /// Calls visit(node) for everything below a node, itself included, no order promised; one side of a choice whose
  /// truth is known.
  template <class Visit>
  void over(int node, const Visit& visit, const std::function<double(Op, int)>* held = nullptr) {
    if (marks_.size() < static_cast<std::size_t>(graph_.size()))
      marks_.resize(static_cast<std::size_t>(graph_.size()), 0);
    ++stamp_;
    open_.assign(1, node);
    while (!open_.empty()) {
      const int next = open_.back();
      open_.pop_back();
      if (marks_[static_cast<std::size_t>(next)] == stamp_) continue;
      marks_[static_cast<std::size_t>(next)] = stamp_;
      visit(next);
      const Node& n = graph_[next];
      if (n.op == Op::choose && held != nullptr) {
        open_.push_back(value_of(n.a, *held) != 0 ? n.b : n.c);
        continue;
      }
      const int operands[] = {n.a, n.b, n.c};
      for (int i = 0; i < operand_count(n.op); ++i) open_.push_back(operands[i]);
    }
  }

  /// The value of a held node.
  double value_of(int node, const std::function<double(Op, int)>& held) const;

 private:
  const Graph& graph_;
  std::vector<unsigned> marks_;
  unsigned stamp_ = 0;
  std::vector<int> open_;
};

/// Adds what a row reads to the signature, as its next row. column_of maps unknowns to columns; -1: not one.
void add_reads(Walk& walk, const Graph& graph, int row, const std::vector<int>& column_of, Signature& sigma,
               const std::function<double(Op, int)>* held = nullptr);

}  // namespace pawl::model
