// A checked run: which operation was the first whose result is not finite, where it stands in the source, and what it
// was given. Run once more, when an output is not finite; it costs nothing before.
//
//   const auto bad = first_not_finite(graph, outputs, [&](Op kind, int index) { return value of that input; });
//   bad->text        // "sqrt(level - 0.2) at tank.mo:14 with level = 0.1"
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

struct NotFinite {
  int node = -1;
  double value = 0;
  Place place = {};
  std::string text;
};

/// Follows the choices as a program does. A literal that is not finite is taken as meant.
std::optional<NotFinite> first_not_finite(const Graph& graph, const std::vector<int>& outputs,
                                          const std::function<double(Op kind, int index)>& input);

}  // namespace pawl::model
