// Colours for the columns of a sparse matrix: columns of one colour share no row, so one direction of a dual number, or
// one difference, serves all of them (Curtis, Powell and Reid, J. Inst. Math. Appl. 13 (1974) 117).
#pragma once

#include <vector>

namespace pawl::formulate {

/// One colour per column, numbered from 0: greedy, the fullest columns first. The rows of column j are row[first[j]]
/// ...
std::vector<int> color_columns(int rows, const std::vector<int>& first, const std::vector<int>& row);

/// The pattern with rows and columns exchanged.
struct TransposedPattern {
  std::vector<int> first, column;
};
TransposedPattern transpose(int rows, const std::vector<int>& first, const std::vector<int>& row);

}  // namespace pawl::formulate
