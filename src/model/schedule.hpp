// Schedule: in which order the nodes of a model are computed, and on which side of a choice.
//
// A choice by a held truth is lazy: what only its one side needs is computed there alone. Every node belongs to the
// innermost region that all its users share, where a region is "this truth holds (or does not), inside that region".
// Choices by the same truth share their regions, so that what two of them need on the same side is lazy too: it is
// computed with the first of them.
#pragma once

#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

struct ScheduleItem {
  enum class Kind {
    compute,    ///< the node
    take,       ///< the choice `node` becomes the operand `from`, which is computed
    branch,     ///< what follows only where the truth `node` holds
    otherwise,  ///< what follows only where it does not
    join,
  };
  Kind kind;
  int node = -1, from = -1;
};

/// Leaves are not computed. Held nodes come first, all of them; both lists have the branches they need.
struct Schedule {
  std::vector<ScheduleItem> held, moving;
};

Schedule schedule_of(const Graph& graph, const std::vector<int>& outputs);

}  // namespace pawl::model
