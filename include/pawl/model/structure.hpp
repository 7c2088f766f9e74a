// Structure: what equations on a graph read, which unknown each is for, how often they have to be differentiated, and
// in which order they can be solved. Everything here is combinatorial: numbers decide nothing.
//
//   const Structure found = structure_of(graph, rows, unknowns);     // rows: nodes that are zero where equations hold
//   found.index;  found.c;  found.d;  found.blocks;
//
// By the signature method (Pryce, BIT 41 (2001) 364), as the engine does it for declared equations. Where equations and
// unknowns do not match, the parts with too many and too few of them are named (Dulmage and Mendelsohn, Canad. J. Math.
// 10 (1958) 517).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

/// One thing that a row reads: an unknown and the order of its highest derivative there.
struct Read {
  int unknown = 0, order = 0;
  bool operator==(const Read&) const = default;
};

/// Per row what it reads, by unknowns, ascending. With values of held inputs, what it reads in that mode: of a choice
/// one side alone.
std::vector<std::vector<Read>> incidence(const Graph& graph, const std::vector<int>& rows,
                                         const std::function<double(Op kind, int index)>& held = {});

/// A part of the equations that cannot be solved, by rows and unknowns.
struct Mismatch {
  std::vector<int> rows, unknowns;
};

struct Structure {
  std::vector<int> c;         ///< per row: how often it has to be differentiated
  std::vector<int> d;         ///< per unknown: the highest order that occurs then
  std::vector<int> assigned;  ///< per row: the unknown it is for; -1: none
  int index = 0;              ///< 0: the rows determine all highest derivatives, and every unknown has one
  int degrees_of_freedom = 0;
  /// Rows that have to be solved together, each block after those it needs.
  std::vector<std::vector<int>> blocks;
  /// Not empty: there are more rows than these unknowns, or more unknowns than these rows, and the rest is void.
  std::vector<Mismatch> too_many, too_few;

  bool is_complete() const { return too_many.empty() && too_few.empty(); }
};

/// unknowns: how many there are; rows read states and rates below that.
Structure structure_of(const Graph& graph, const std::vector<int>& rows, int unknowns);

/// The derivatives of a row by time, from the row itself to the one of this order, as nodes that read rates: hidden
/// constraints, where the order is below c.
std::vector<int> derivatives_along_motion(Graph& graph, int row, int order);

}  // namespace pawl::model
