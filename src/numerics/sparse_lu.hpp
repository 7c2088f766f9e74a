// Eigen's sparse LU decomposition, compiled once (decompositions.cpp): included instead of <Eigen/SparseLU>.
#pragma once

#include <Eigen/SparseLU>

extern template class Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;
