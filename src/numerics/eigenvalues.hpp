// Eigenvalues of dense matrices by Eigen, compiled once (eigenvalues.cpp).
#pragma once

#include <Eigen/Core>

namespace pawl::linear {

/// A vector belongs to the value at its place; columns of length one.
struct Eigenpairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
Eigenpairs eigenpairs(const Eigen::MatrixXd& A);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

/// Of a symmetric matrix, whose lower half is read: in rising order.
struct SymmetricEigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& A);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);

/// beta A v = alpha E v: an eigenvalue is alpha / beta, infinite where beta is zero.
struct PencilEigenvalues {
  Eigen::VectorXcd alpha;
  Eigen::VectorXd beta;
};
PencilEigenvalues pencil_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& E);

}  // namespace pawl::linear
