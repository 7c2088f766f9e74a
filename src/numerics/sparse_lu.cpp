#include "numerics/sparse_lu.hpp"

#include <Eigen/SparseLU>

namespace pawl::linear {

bool solve_sparse(const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  lu.compute(A);
  if (lu.info() != Eigen::Success) return false;
  x = lu.solve(b);
  return true;
}

}  // namespace pawl::linear
