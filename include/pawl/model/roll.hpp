// Rolling: repeated equations become loops again.
//
// Rows whose expressions have the same shape at a fixed period (the cells of a line, the stages of an amplifier, the
// species of a grid) become one body and tables that say which states and held values every iteration reads. Straight
// code of ten thousand rows is fetched from memory at every evaluation; a loop is small, and does four iterations at
// once. Analysis stays scalar; only the evaluation with numbers is rolled, and every bit is that of the rows one by
// one.
//
//   const std::vector<Loop> loops = roll(graph, outputs);
#pragma once

#include <memory>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

/// The number that iteration k uses: base + k stride, or from a table where there is no stride.
struct Indices {
  int base = 0, stride = 0;
  std::vector<int> table = {};

  int operator[](int k) const { return table.empty() ? base + k * stride : table[static_cast<std::size_t>(k)]; }
};

/// Which value of the whole model a state of the body stands for.
struct LoopLeaf {
  enum class From { states, inputs, held };
  From from = From::states;
  Indices index;  ///< of a state; else the node of the whole graph
};

struct Loop {
  int count = 0;                 ///< iterations
  Graph body;                    ///< its states are `leaves`, its parameters `shared`
  std::vector<int> outputs;      ///< nodes of the body
  std::vector<Indices> rows;     ///< per output of the body
  std::vector<LoopLeaf> leaves;  ///< what differs between iterations, or moves
  std::vector<int> shared;       ///< held nodes of the whole graph that all iterations read
};

/// At least this many iterations make a loop.
inline constexpr int least_iterations = 8;

std::vector<Loop> roll(const Graph& graph, const std::vector<int>& outputs);

/// The outputs with -1 for rows that are in loops.
std::vector<int> rest_of(const std::vector<Loop>& loops, const std::vector<int>& outputs);

}  // namespace pawl::model
