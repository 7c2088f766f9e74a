#include "numerics/eigenvalues.hpp"

#include <Eigen/Eigenvalues>

namespace pawl::linear {

Eigenpairs eigenpairs(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

SymmetricEigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

PencilEigenvalues pencil_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& E) {
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(A, E, false);
  return {solver.alphas(), solver.betas()};
}

}  // namespace pawl::linear
