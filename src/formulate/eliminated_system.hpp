// The matrices c M - J of a mechanism, reduced before they are factored. The equations of positions, c dq = S dv + b,
// are solved for dq and put into the others: what is left has speeds, multipliers and further states, and reads
//
//   [ M - f_v/c - K S/c²   G^T ] [ dv   ]
//   [ G* S                 0   ] [ dλ/c ]  =  ...,    K = d/dq (f - G^T λ - M v'),
//
// each row scaled to its largest entry. Its leading part does not depend on c, so that its condition does not grow as
// steps shrink, where that of the full matrix grows like c² or c³ (Hairer, Wanner, Solving Ordinary Differential
// Equations II, 2nd ed., VII.6, on the linear algebra of the index 3 problem).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "numerics/shifted_system.hpp"

namespace pawl::formulate {

struct EliminatedUnknowns {
  struct Coordinate {
    int position, speed;  ///< the equation of the position is position' = speed, and nothing else
  };
  struct Attitude {
    std::array<int, 4> position;
    std::array<int, 3> speed;  ///< the equations of the positions read these and the positions themselves
  };
  std::vector<Coordinate> coordinates;
  std::vector<Attitude> attitudes;
  std::vector<int> kept;     ///< all other unknowns, ascending
  int first_multiplier = 0;  ///< from here on, unknowns are multipliers
};

/// The matrices must be dense, with M the identity in the equations of positions, and outlive it.
std::unique_ptr<ShiftedSystem> make_eliminated_system(const MatrixPair& matrices, EliminatedUnknowns unknowns,
                                                      int real_slots, int complex_slots);

}  // namespace pawl::formulate
