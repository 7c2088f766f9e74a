// Gaussian elimination of dense matrices by Eigen, compiled once (elimination.cpp): whoever solves needs <Eigen/Core>.
#pragma once

#include <complex>

#include <Eigen/Core>

#include "numerics/own.hpp"

namespace pawl::linear {

/// P A = L U, the largest entry of a column as its pivot. Number: double or std::complex<double>.
template <class Number>
class PivotedLu {
 public:
  using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  /// With memory for n unknowns: matrices of that size are factored and solved with no more of it.
  explicit PivotedLu(Eigen::Index n = 0);
  void compute(const Eigen::Ref<const Matrix>& A);
  /// Unit L below the diagonal, U on and above it: pivots are the diagonal.
  const Matrix& factors() const;
  /// Which row of A has pivot k.
  Eigen::Index row_of_pivot(Eigen::Index k) const;

  void solve(const Eigen::Ref<const Vector>& b, Vector& x) const;
  void solve_transposed(const Matrix& B, Matrix& X) const;  ///< A^T X = B

 private:
  Own<Eigen::PartialPivLU<Matrix>> lu_;
};

/// A = L L^T, of a matrix that should be positive definite.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::Ref<const Eigen::MatrixXd>& A);
  bool is_positive_definite() const;
  double least_pivot() const;  ///< the least entry on the diagonal of L
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& B) const;
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& B) const;  ///< L^-1 B

 private:
  Own<Eigen::LLT<Eigen::MatrixXd>> llt_;
};

/// P A P^T = L D L^T, of a symmetric matrix.
class SymmetricFactors {
 public:
  explicit SymmetricFactors(Eigen::Index n = 0);
  void compute(const Eigen::MatrixXd& A);
  bool is_successful() const;
  double reciprocal_condition() const;  ///< an estimate
  void solve_in_place(Eigen::VectorXd& x) const;

 private:
  Own<Eigen::LDLT<Eigen::MatrixXd>> ldlt_;
};

/// A^-1 b by one elimination with the largest of all entries as pivot; zero in unknowns that are not determined.
Eigen::VectorXd solve_with_full_pivoting(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd solve_with_full_pivoting(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
Eigen::Matrix4d inverse(const Eigen::Matrix4d& A);
Eigen::Matrix4cd inverse(const Eigen::Matrix4cd& A);
double determinant(const Eigen::MatrixXd& A);

}  // namespace pawl::linear
