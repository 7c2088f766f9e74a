// What a linear differential-algebraic system E x' = A x consists of: finite eigenvalues, infinite ones, the index, and
// what is redundant or not determined at all.
//
// QZ alone cannot tell: an infinite eigenvalue of index ν appears at about ε^(-1/ν), among those of stiff parts. Here
// the constraints are taken out one level after the other, by orthogonal compressions:
//
//   rows with E = 0 are constraints 0 = A2 x;  x = Z y with Z = null(A2);  E, A := rows with E ≠ 0, times Z
//
// until E is regular. The index is the number of levels, the eigenvalues are those of E^-1 A that is left (after Van
// Dooren, Linear Algebra Appl. 27 (1979) 103). Every rank decision is made after equilibration by powers of two.
#pragma once

#include <complex>
#include <limits>
#include <vector>

#include <Eigen/Core>

namespace pawl::analyze {

struct PencilParts {
  int index = 0;
  std::vector<std::complex<double>> finite;  ///< by falling absolute value
  int infinite = 0;
  int undetermined = 0;                        ///< unknowns, or combinations of them, that no equation determines
  std::vector<std::vector<double>> redundant;  ///< per equation that follows from others: shares of the rows in it
  std::vector<int> constraints;  ///< per level: independent ones; those from the second level on are hidden
  int differential = 0;          ///< rank of E
  bool is_singular = false;      ///< more unknowns than equations remain: no eigenvalues
  /// Over all rank decisions, the smallest quotient of the last singular value that counts and the first that does not.
  double smallest_gap = std::numeric_limits<double>::infinity();

  /// Below, a matrix nearby has another index.
  static constexpr double uncertain_gap = 1e4;
  bool is_certain() const { return smallest_gap >= uncertain_gap; }
  int hidden_constraints() const;
};

/// E and A square, of one size. Cost O(n³) per level.
PencilParts take_apart(const Eigen::MatrixXd& E, const Eigen::MatrixXd& A);

}  // namespace pawl::analyze
