// Layout: where a model's leaves and held values are, shared by the program and native code.
#pragma once

#include <vector>

#include "pawl/model/program.hpp"

namespace pawl::model {

struct Layout {
  Layout(const Graph& graph, const std::vector<int>& outputs);

  std::vector<int> nodes;    ///< in order
  std::vector<int> slot_of;  ///< per node: held ones in h, moving inputs in m, states in x; else -1
  std::vector<double> held;  ///< literals in their places, else zero
  std::vector<Load> held_loads, moving_loads;
  std::vector<int> states;  ///< ascending

  int slot(int node) const { return slot_of[static_cast<std::size_t>(node)]; }
};

}  // namespace pawl::model
