#include "model/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl::model {

Layout::Layout(const Graph& graph, const std::vector<int>& outputs) : nodes(graph.order(outputs)) {
  slot_of.assign(nodes.empty() ? 0 : static_cast<std::size_t>(nodes.back()) + 1, -1);
  for (const int node : nodes) {
    const Node& n = graph[node];
    int& slot = slot_of[static_cast<std::size_t>(node)];
    if (!graph.is_moving(node)) {
      slot = static_cast<int>(held.size());
      held.push_back(n.op == Op::constant ? graph.value_of(node) : 0);
      if (is_input(n.op)) held_loads.push_back({n.op, n.a, slot});
    } else if (n.op == Op::state) {
      slot = n.a;
      states.push_back(n.a);
    } else if (is_input(n.op)) {
      if (n.op == Op::rate && n.b > 1)
        throw Misuse(
            fmt::format("'{}' cannot be read by a function: it is given rates of first order", graph.name_of(n)));
      slot = static_cast<int>(moving_loads.size());
      moving_loads.push_back({n.op, n.a, slot});
    }
  }
  std::sort(states.begin(), states.end());
}

}  // namespace pawl::model
