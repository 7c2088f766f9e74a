// Singular values and vectors of matrices whose singular values are known, and what least-norm solutions leave out.
#include "numerics/orthogonal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pawl::linear {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// 1 - 2 v v^T / v.v, orthogonal and symmetric.
MatrixXd reflection(Index n, double phase) {
  VectorXd v(n);
  for (Index i = 0; i < n; ++i) v(i) = std::sin(phase + 1.7 * static_cast<double>(i * i));
  return MatrixXd::Identity(n, n) - 2 / v.squaredNorm() * v * v.transpose();
}

MatrixXd with_singular_values(Index rows, Index columns, const VectorXd& values) {
  MatrixXd D = MatrixXd::Zero(rows, columns);
  D.diagonal().head(values.size()) = values;
  return reflection(rows, 0.3) * reflection(rows, 1.1) * D * reflection(columns, 0.7) * reflection(columns, 2.0);
}

constexpr double rounding = 1e-13;

TEST(SingularValues, AreThoseTheMatrixWasMadeOf) {
  const VectorXd values{{7, 3, 3, 1e-4, 1e-9}};
  for (const auto& [rows, columns] : std::vector<std::pair<Index, Index>>{{5, 5}, {9, 5}, {5, 9}, {40, 60}}) {
    const MatrixXd A = with_singular_values(rows, columns, values);
    const SingularValues left = singular_values(A), right = singular_values(A.transpose());
    ASSERT_EQ(left.values.size(), std::min(rows, columns));
    EXPECT_LT((left.values.head(5) - values).norm(), rounding) << rows << " x " << columns;
    EXPECT_LT(left.values.tail(left.values.size() - 5).norm(), rounding);
    EXPECT_LT((left.values - right.values).norm(), rounding);
    EXPECT_LT((left.U.transpose() * left.U - MatrixXd::Identity(rows, rows)).norm(), rounding);
    EXPECT_LT((right.U.transpose() * right.U - MatrixXd::Identity(columns, columns)).norm(), rounding);
    EXPECT_LT((left.U.rightCols(rows - 5).transpose() * A).norm(), rounding) << "rows that depend on others";
    EXPECT_LT((A * right.U.rightCols(columns - 5)).norm(), rounding) << "the null space";
    EXPECT_NEAR((left.U.col(4).transpose() * A).norm(), 1e-9, rounding) << "small, and not nothing";
  }
}

TEST(SingularValues, OfNothingAreZero) {
  const SingularValues of_zero = singular_values(MatrixXd::Zero(3, 4));
  EXPECT_EQ(of_zero.values, VectorXd::Zero(3));
  EXPECT_LT((of_zero.U.transpose() * of_zero.U - MatrixXd::Identity(3, 3)).norm(), rounding);
}

TEST(LeastNorm, LeavesOutTheNullSpaceAndFindsIt) {
  const MatrixXd A = with_singular_values(6, 5, VectorXd{{2, 1, 0.5}});
  const VectorXd x = VectorXd::LinSpaced(5, -1, 2);
  const LeastNorm factors(A, 1e-10);
  const MatrixXd N = factors.null_space();
  EXPECT_EQ(factors.rank(), 3);
  ASSERT_EQ(N.cols(), 2);
  EXPECT_LT((A * N).norm(), rounding);
  EXPECT_LT((factors.solve(A * x) - (x - N * (N.transpose() * x))).norm(), rounding);
  EXPECT_GT((N.transpose() * x).norm(), 0.1);  // there was something to leave out
}

TEST(PivotedQr, CountsTheRankAboveItsThreshold) {
  const MatrixXd A = with_singular_values(6, 4, VectorXd{{1, 1, 1, 1e-6}});
  EXPECT_EQ(PivotedQr(A, 1e-9).rank(), 4);
  EXPECT_EQ(PivotedQr(A, 1e-3).rank(), 3);
}

}  // namespace
}  // namespace pawl::linear
