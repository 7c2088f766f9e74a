// Whether a matrix of leading terms is regular, and which combinations of its rows vanish if it is not.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace pawl::formulate {

/// A square matrix: its entries, each at most once, in any order.
using MatrixEntries = std::vector<Eigen::Triplet<double>>;

struct Rank {
  int rank = -1;  ///< -1: not finite
  /// One combination of rows per column, its shares in units that balance the matrix: what combines the rows as they
  /// are is share times unit. Empty too where nobody has looked.
  Eigen::MatrixXd left_null;
  Eigen::VectorXd units;
};

/// Numbers below `threshold`, relative to their row and column, count as zero.
Rank rank_of(int n, const MatrixEntries& entries, double threshold);

/// Exponents of two for rows and columns that make the entries one on average: those of least Σ (log2 |a_ij| + r_i +
/// c_j)^2 over the entries that are there (Curtis and Reid, J. Inst. Maths. Applics 10 (1972) 118). Whatever units
/// rows and columns had before, they have the same afterwards.
struct Exponents {
  Eigen::VectorXd rows, columns;
};
/// logs: of the entries in absolute value, to base two.
Exponents balance(const Eigen::MatrixXd& logs);

/// Scales rows and columns so that no entry is much above one and every row and column has one that is about one: those
/// of the assignment with the largest product (Olschowka and Neumaier, Linear Algebra Appl. 240 (1996) 131). Units of
/// rows and columns make no difference to what comes out. Returns the factors, powers of two; empty: there is no such
/// assignment, and A is as it was.
struct Scales {
  Eigen::VectorXd rows, columns;
};
Scales scale_by_assignment(Eigen::MatrixXd& A);

/// The number of its entries that are not zero where no two share a row or column; -1 where some do.
int count_lone_entries(int n, const MatrixEntries& entries);

/// Columns with few entries that span the same space: Gauss-Jordan elimination, each with a pivot row of its own, which
/// are returned.
std::vector<int> make_sparse(Eigen::MatrixXd& W);

/// Elimination with complete pivoting of a matrix that is small, square and clearly regular.
class RegularFactors {
 public:
  /// False: A is not that, and has to be looked at with more care. Regular: every pivot is above 1e4 * threshold times
  /// the first. That leaves room for the growth of rounding, so whoever judges A by an orthogonal decomposition with
  /// this threshold finds full rank too.
  bool factor(const Eigen::MatrixXd& A, double threshold);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;

 private:
  Eigen::MatrixXd A_;                             // L below the diagonal, U on and above it
  std::vector<Eigen::Index> equation_, unknown_;  // of A, by pivot
};

}  // namespace pawl::formulate
