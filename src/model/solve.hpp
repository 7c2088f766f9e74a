// Rows that are linear in one unknown, solved for it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/incidence.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

/// row = factor unknown + rest, where neither reads the unknown.
struct LinearPart {
  int factor = 0, rest = 0;
};

/// How sure it is that a factor is not zero.
enum class Pivot {
  none,     ///< it may be, in some mode
  moving,   ///< it has no choice in it, but moves
  held,     ///< a held value that is not zero with the declared parameters
  literal,  ///< a number
};

class RowSolver {
 public:
  /// parameters: their declared values.
  RowSolver(Graph& graph, std::vector<double> parameters)
      : graph_(graph), walk_(graph), parameters_(std::move(parameters)) {}

  /// Nothing where the row is not linear in this input. Requires that the row reads it.
  std::optional<LinearPart> split(int row, int unknown);
  Pivot judge(int factor);
  /// The value of the unknown.
  int solved(const LinearPart& part);

 private:
  bool reads(int node) const {
    return static_cast<std::size_t>(node) < stamps_.size() && stamps_[static_cast<std::size_t>(node)] == stamp_;
  }
  LinearPart part_of(int operand);
  bool combine(int node);
  double value_of(int held);

  Graph& graph_;
  Walk walk_;
  std::vector<double> parameters_;
  unsigned stamp_ = 0;
  std::vector<int> nodes_;        // of the row
  std::vector<unsigned> stamps_;  // per node: it reads the unknown of this stamp
  std::vector<LinearPart> parts_;
};

}  // namespace pawl::model
