// Sparse Gaussian elimination by Eigen, columns in the order COLAMD finds, compiled once (sparse_lu.cpp).
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace pawl::linear {

/// x = A^-1 b, of a compressed matrix. False: it is singular, and x as it was.
bool solve_sparse(const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& b, Eigen::VectorXd& x);

}  // namespace pawl::linear
