// Reduction: equations as they were written become what a System is given. Every step replaces the equations by others
// that say the same:
//
//   1. aliases: a = b, a = -b, a = held                                                          (aliases.hpp)
//   2. rows that would have to be differentiated and can be solved for an unknown by a constant factor: the unknown is
//      replaced, its rates by derivatives on the graph; wanted states are replaced last, and by linear rows alone.
//      Other constraints stay, for the engine to keep as a manifold
//   3. blocks (Tarjan): a row that is alone in its block and linear in its unknown becomes an assignment, or a rate; in
//      others, tearing unknowns are left to the engine, and what they determine becomes an assignment
//
// Which step is taken is decided by the structure (structure.hpp); that it may be, by the row itself. A factor that may
// be zero in some mode is never divided by.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

struct FlatEquations {
  const Graph* graph = nullptr;
  std::vector<int> rows;           ///< nodes, zero where an equation holds
  int unknowns = 0;                ///< states 0, 1, ... of the graph
  std::vector<int> rank;           ///< per unknown; the higher, the rather it is kept; 0: it is not wanted as a state
  std::vector<double> parameters;  ///< as declared
  std::vector<int> extras;         ///< nodes that go along: relations, observables, what happens at events
  std::function<std::string(int)> row_name, unknown_name;
  std::string name;
};

struct Reduced {
  Graph graph;                     ///< its states are `kept`, in this order; other inputs as they were
  std::vector<int> kept;           ///< unknowns, those with rates first; from `unknowns` on: first derivatives
  std::vector<int> rates;          ///< of the first of them
  std::vector<int> equations;      ///< zero where they hold
  std::vector<int> equation_rows;  ///< the row each was
  std::vector<int> value;          ///< per unknown: the node it is
  std::vector<int> extras;
  std::vector<int> derivative_of;  ///< per unknown from `unknowns` on: whose first derivative it is
  int aliases = 0, constraints = 0, solved = 0, torn = 0;  ///< unknowns that went, by step; those left to the engine
  int index = 0;                                           ///< of the equations as they were written, aliases removed
};

/// Throws Misuse where equations and unknowns do not match, naming the parts with too many and too few.
Reduced reduce(const FlatEquations& flat);

}  // namespace pawl::model
