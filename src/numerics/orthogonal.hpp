// Orthogonal decompositions of dense matrices by Eigen, compiled once (orthogonal.cpp): whoever asks for a rank or for
// a solution of least norm needs <Eigen/Core>.
#pragma once

#include <Eigen/Core>

#include "numerics/own.hpp"

namespace pawl::linear {

/// A P = Q R, the longest column that is left as the next one.
class PivotedQr {
 public:
  /// With memory for a matrix of this size.
  explicit PivotedQr(Eigen::Index rows = 0, Eigen::Index columns = 0);
  explicit PivotedQr(const Eigen::Ref<const Eigen::MatrixXd>& A);
  /// threshold: of a pivot against the largest one, below which it counts as zero in rank() and solve().
  PivotedQr(const Eigen::Ref<const Eigen::MatrixXd>& A, double threshold);
  void compute(const Eigen::Ref<const Eigen::MatrixXd>& A);

  double pivot(Eigen::Index k) const;                  ///< R_kk
  Eigen::Index column_of_pivot(Eigen::Index k) const;  ///< of A
  Eigen::Index rank() const;
  Eigen::MatrixXd Q() const;  ///< square; its last columns are orthogonal to those of A
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& B) const;

 private:
  Own<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>> qr_;
};

/// A P = Q [T 0; 0 0] Z: solutions of least norm, of as many equations as one likes.
class LeastNorm {
 public:
  explicit LeastNorm(const Eigen::Ref<const Eigen::MatrixXd>& A);
  LeastNorm(const Eigen::Ref<const Eigen::MatrixXd>& A, double threshold);

  Eigen::Index rank() const;
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& B) const;
  Eigen::MatrixXd null_space() const;  ///< an orthonormal basis, as columns

 private:
  Own<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> qr_;
};

/// A = U diag(values) V^T: singular values in falling order, and the square U; for V, that of A^T. By Jacobi's
/// rotations of the rows of R in A P = Q R (Drmac and Veselic, SIAM J. Matrix Anal. Appl. 29 (2008) 1322): for matrices
/// of at most some hundred rows.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd U;
};
SingularValues singular_values(const Eigen::MatrixXd& A);

}  // namespace pawl::linear
