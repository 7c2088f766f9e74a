#include "numerics/elimination.hpp"

#include <memory>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "numerics/own_bodies.hpp"

namespace pawl::linear {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class Number>
PivotedLu<Number>::PivotedLu(Index n) : lu_(std::make_unique<Eigen::PartialPivLU<Matrix>>(n)) {}

template <class Number>
void PivotedLu<Number>::compute(const Eigen::Ref<const Matrix>& A) {
  lu_->compute(A);
}

template <class Number>
const typename PivotedLu<Number>::Matrix& PivotedLu<Number>::factors() const {
  return lu_->matrixLU();
}

template <class Number>
Index PivotedLu<Number>::row_of_pivot(Index k) const {
  Index row = 0;
  while (lu_->permutationP().indices()[row] != k) ++row;
  return row;
}

template <class Number>
void PivotedLu<Number>::solve(const Eigen::Ref<const Vector>& b, Vector& x) const {
  x = lu_->solve(b);
}

template <class Number>
void PivotedLu<Number>::solve_transposed(const Matrix& B, Matrix& X) const {
  X = lu_->transpose().solve(B);
}

template class PivotedLu<double>;
template class PivotedLu<std::complex<double>>;

Cholesky::Cholesky(const Eigen::Ref<const MatrixXd>& A) : llt_(std::make_unique<Eigen::LLT<MatrixXd>>(A)) {}

bool Cholesky::is_positive_definite() const {
  return llt_->info() == Eigen::Success;
}

double Cholesky::least_pivot() const {
  return llt_->matrixLLT().diagonal().minCoeff();
}

VectorXd Cholesky::solve(const Eigen::Ref<const VectorXd>& b) const {
  return llt_->solve(b);
}

MatrixXd Cholesky::solve_columns(const MatrixXd& B) const {
  return llt_->solve(B);
}

MatrixXd Cholesky::solve_lower(const MatrixXd& B) const {
  return llt_->matrixL().solve(B);
}

SymmetricFactors::SymmetricFactors(Index n) : ldlt_(std::make_unique<Eigen::LDLT<MatrixXd>>(n)) {}

void SymmetricFactors::compute(const MatrixXd& A) {
  ldlt_->compute(A);
}

bool SymmetricFactors::is_successful() const {
  return ldlt_->info() == Eigen::Success;
}

double SymmetricFactors::reciprocal_condition() const {
  return ldlt_->rcond();
}

void SymmetricFactors::solve_in_place(VectorXd& x) const {
  x = ldlt_->solve(x);
}

VectorXd solve_with_full_pivoting(const MatrixXd& A, const VectorXd& b) {
  return A.fullPivLu().solve(b);
}

MatrixXd solve_with_full_pivoting(const MatrixXd& A, const MatrixXd& B) {
  return A.fullPivLu().solve(B);
}

MatrixXd inverse(const MatrixXd& A) {
  return A.inverse();
}

Eigen::Matrix4d inverse(const Eigen::Matrix4d& A) {
  return A.inverse();
}

Eigen::Matrix4cd inverse(const Eigen::Matrix4cd& A) {
  return A.inverse();
}

double determinant(const MatrixXd& A) {
  return A.determinant();
}

}  // namespace pawl::linear

template class pawl::Own<Eigen::PartialPivLU<Eigen::MatrixXd>>;
template class pawl::Own<Eigen::PartialPivLU<Eigen::MatrixXcd>>;
template class pawl::Own<Eigen::LLT<Eigen::MatrixXd>>;
template class pawl::Own<Eigen::LDLT<Eigen::MatrixXd>>;
