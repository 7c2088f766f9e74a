// LU factors of a sparse matrix whose pivots are given, P R A Q = L U, for matrices that are full in parts: unknowns
// coupled all to all beside others that follow from few. In the order of pivots the entries of a row of L or U then
// come in runs, one beside the other, and a loop over a run needs no index:
//
//   x <- row i of P R A Q;  for k = columns of L in that row:  l_ik = x_k / u_kk,  x <- x - l_ik u_k;  u_i = x
//
// R makes the largest entry of every row one. Pivots and patterns come from a factorization by KLU, and are kept as
// long as the numbers allow it.
#pragma once

#include <array>
#include <vector>

#include "numerics/plain_complex.hpp"
#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

/// Pivots in their order, and where the factors have entries beside the diagonal; both numbered by pivots.
struct Elimination {
  std::vector<int> row, column;  ///< of the matrix, per pivot
  Pattern lower, upper;          ///< column by column, in any order
};

/// The entries of a factor row by row, as runs from left to right.
struct Runs {
  struct Run {
    int begin, end;  ///< columns
    int place;       ///< of its first entry among the numbers
  };
  std::vector<int> first;  ///< run of every row
  std::vector<Run> runs;
  std::size_t entries = 0;

  /// Those of a factor with that pattern, the diagonal left out.
  explicit Runs(const Pattern& factor);
};

/// parts: 1 for real numbers, 2 for complex ones, whose parts are kept beside each other.
template <int parts>
class RunLu {
 public:
  /// The pattern must outlive it.
  RunLu(const Pattern& pattern, const Elimination& elimination);

  /// Whether its loops are so long that they make up for what every run costs.
  bool pays() const {
    return lower_.entries + upper_.entries > least_length * (lower_.runs.size() + upper_.runs.size());
  }
  /// From the numbers of the pattern, which are finite, complex ones in pairs. False: these pivots do not serve.
  bool factor(const double* values);
  /// In place; the parts of a complex vector.
  void solve(const std::array<double*, parts>& vector);

 private:
  static constexpr std::size_t least_length = 3;
  using Numbers = std::array<std::vector<double>, parts>;
  using Number = std::array<double, parts>;

  int size() const { return static_cast<int>(row_.size()); }
  bool find_scales(const double* values);
  void fetch_row(int i, const double* values);
  bool factor_row(int i, const double* values);
  void eliminate(const Runs::Run& run);
  void store(const Runs::Run& run);
  Number rest(int i, const Runs& factor, const Numbers& numbers) const;  // x_i less what others make of it

  const Pattern& pattern_;
  Pattern by_rows_;                        // of the matrix: columns, as numbers of pivots
  std::vector<int> entry_;                 // of the matrix, per entry of by_rows_
  std::vector<int> row_, column_;          // per pivot
  std::vector<double> scale_;              // per row of the matrix
  std::vector<double> largest_, reached_;  // per pivot: in its column of P R A Q, and in U
  Runs lower_, upper_;
  Numbers lower_numbers_, upper_numbers_, inverse_, x_;
};

extern template class RunLu<1>;
extern template class RunLu<2>;

}  // namespace pawl::shifted
