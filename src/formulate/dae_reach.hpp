// The index of every unknown: one more than the number of derivatives of equations its value hangs on. With E y' = A y
// frozen at a point it is one more than the degree of row j of (E D - A)^-1 in D. In terms of the analysis, for
// Y_j = y_j^(d_j) and rows i differentiated c_i times,
//
//   (S + B_1 D^-1 + B_2 D^-2 + ...) Y = D^c R,   Y = (X_0 + X_1 D^-1 + ...) D^c R,
//   X_0 = S^-1,   X_m = -S^-1 Σ_(r = 1..m) B_r X_(m-r),
//
// where B_r has the terms that are r orders below the leading ones.
//
// By the pattern, row i takes part in Y_j where a chain of leading terms leads to it, and y_l where a row that takes
// part contains it. Where rows are combinations that says too much: which of several rows a combination has replaced is
// a choice, and rows that are left combine to one that others do not reach. There the numbers say it, and nothing hangs
// on the choice.
#pragma once

#include <vector>

#include "formulate/dae_rows.hpp"
#include "numerics/assignment.hpp"

namespace pawl::formulate {

struct PatternIndices {
  std::vector<int> indices;           ///< per unknown
  bool hang_on_lower_orders = false;  ///< some are larger for it; numbers may say that this cancels
};

/// `assigned`: per row, its unknown; `times`: how often equations of a row are differentiated, c or more.
PatternIndices indices_by_pattern(const Signature& sigma, const std::vector<int>& assigned,
                                  const std::vector<int>& times, const std::vector<int>& c, const std::vector<int>& d);
/// Per unknown, the largest over all points where S is regular; empty: there is none.
std::vector<int> indices_in_numbers(const CombinedRows& rows, const std::vector<int>& c, const std::vector<int>& d,
                                    double threshold);

}  // namespace pawl::formulate
