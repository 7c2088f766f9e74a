#include "formulate/dae_rank.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "formulate/dae_scatter.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl {
namespace {

using formulate::MatrixEntries;
using formulate::rank_of;
using formulate::RegularFactors;
using formulate::scale_by_assignment;
using formulate::Scales;
using formulate::Scatter;

Eigen::MatrixXd scattered(Eigen::Index n, std::uint64_t seed) {
  Scatter scatter(seed);
  return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return 2 * scatter.part() - 1; });
}

MatrixEntries entries_of(const Eigen::MatrixXd& A) {
  MatrixEntries entries;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), A(i, j));
  return entries;
}

TEST(DaeRank, AScatteredPartIsUniform) {
  Scatter scatter(7);
  const int count = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = scatter.part();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / count, 1.0 / 2, 4 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / count));
}

TEST(DaeRank, EliminationSolvesWhatIsClearlyRegular) {
  for (const Eigen::Index n : {1, 2, 3, 6, 11, 16, 32, 33, 100}) {
    const Eigen::MatrixXd A = scattered(n, static_cast<std::uint64_t>(n)) + 2 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, 1, 2);
    RegularFactors factors;
    ASSERT_TRUE(factors.factor(A, 1e-11)) << n;
    for (const double size : {1.0, 3.0}) {  // as often as one likes
      Eigen::VectorXd found;
      factors.solve(size * (A * x), found);
      EXPECT_LE((A * (found - size * x)).norm(), 1e-13 * A.norm() * x.norm()) << n;
      EXPECT_LE((found - size * x).norm(), 1e-11) << n;
    }
  }
}

TEST(DaeRank, EliminationLeavesTheRestToOthers) {
  const double nan = std::nan("");
  Eigen::MatrixXd singular{{1.0, 2.0}, {2.0, 4.0}}, nearly{{1.0, 0.0}, {0.0, 1e-8}}, wide(2, 3), broken{{nan}};
  wide.setOnes();
  for (Eigen::MatrixXd* one : {&singular, &nearly, &wide, &broken}) EXPECT_FALSE(RegularFactors().factor(*one, 1e-11));
  Eigen::MatrixXd fair{{1.0, 0.0}, {0.0, 1e-6}};
  EXPECT_TRUE(RegularFactors().factor(fair, 1e-11));
}

// Products of n x r and r x n matrices have rank r, whatever the sizes of rows and columns are.
TEST(DaeRank, ScalesOfRowsAndColumnsDoNotMatter) {
  for (const int n : {3, 8, 20, 60}) {
    for (const int missing : {0, 1, 2}) {
      const Eigen::Index rank = n - missing;
      Eigen::MatrixXd A = scattered(n, 11).leftCols(rank) * scattered(n, 12).topRows(rank);
      if (missing == 0) A = scattered(n, 13) + 2 * Eigen::MatrixXd::Identity(n, n);
      for (Eigen::Index i = 0; i < n; ++i) A.row(i) *= std::exp2(static_cast<double>(7 * i % 30));
      for (Eigen::Index j = 0; j < n; ++j) A.col(j) *= std::exp2(-static_cast<double>(11 * j % 30));
      const auto found = rank_of(n, entries_of(A), 1e-10);
      EXPECT_EQ(found.rank, rank) << n;
      ASSERT_EQ(found.left_null.cols(), missing) << n;
      for (Eigen::Index k = 0; k < missing; ++k) {
        const Eigen::VectorXd w = found.units.cwiseProduct(found.left_null.col(k));
        const Eigen::VectorXd terms = A.cwiseAbs().transpose() * w.cwiseAbs(), sum = (A.transpose() * w).cwiseAbs();
        for (Eigen::Index j = 0; j < n; ++j) EXPECT_LE(sum(j), 1e-10 * terms(j)) << n;
      }
    }
  }
  EXPECT_EQ(rank_of(1, {{0, 0, std::nan("")}}, 1e-10).rank, -1);
  EXPECT_EQ(rank_of(2, {}, 1e-10).rank, 0);
}

TEST(DaeRank, LoneEntriesShareNoRowOrColumn) {
  EXPECT_EQ(formulate::count_lone_entries(3, {{0, 1, 2.0}, {2, 0, -1.0}}), 2);
  EXPECT_EQ(formulate::count_lone_entries(3, {{0, 1, 2.0}, {2, 1, 0.0}}), 1);
  EXPECT_EQ(formulate::count_lone_entries(3, {{0, 1, 2.0}, {2, 1, 1.0}}), -1);
  EXPECT_EQ(formulate::count_lone_entries(3, {{1, 0, 2.0}, {1, 1, 1.0}}), -1);
}

// Rows and columns in other units, between 1e-15 and 1e15 of their own: the rank is what it was.
TEST(DaeRank, DoesNotDependOnUnits) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> entry(-3, 3), power(-15, 15), place(0, 6);
  for (int trial = 0; trial < 300; ++trial) {
    constexpr int n = 7;
    Eigen::MatrixXd A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = place(random) < 3 ? entry(random) : 0;
    if (trial % 2 == 0) A.row(n - 1) = A.row(0) - 2 * A.row(1);
    const auto rank = [&](const Eigen::MatrixXd& matrix) { return rank_of(n, entries_of(matrix), 1e-11).rank; };
    Eigen::MatrixXd scaled = A;
    for (int i = 0; i < n; ++i) scaled.row(i) *= std::pow(10.0, power(random));
    for (int j = 0; j < n; ++j) scaled.col(j) *= std::pow(10.0, power(random));
    const int exact = static_cast<int>(linear::PivotedQr(A, 1e-10).rank());
    EXPECT_EQ(rank(A), exact) << "trial " << trial;
    if (scale_by_assignment(A).rows.size() == 0) continue;  // no assignment: a rank for which units may count
    EXPECT_EQ(rank(scaled), exact) << "trial " << trial;
  }
}

TEST(DaeRank, ScalesByTheAssignmentOfLargestProduct) {
  Eigen::MatrixXd A(3, 3);
  A << 1, 0, 1e-12,  // only 1e-12 can go with the last column
      1e6, 1e3, 0, 0, 1e-9, 0;
  Eigen::MatrixXd scaled = A;
  const Scales scales = scale_by_assignment(scaled);
  ASSERT_EQ(scales.rows.size(), 3);
  EXPECT_LE(scaled.cwiseAbs().maxCoeff(), 2);
  for (const auto& [i, j] : {std::pair{0, 2}, std::pair{1, 0}, std::pair{2, 1}}) EXPECT_GE(std::abs(scaled(i, j)), 0.5);
  EXPECT_EQ(scaled, scales.rows.asDiagonal() * A * scales.columns.asDiagonal());
  Eigen::MatrixXd without = Eigen::MatrixXd::Zero(2, 2);
  without(0, 0) = without(1, 0) = 1;
  EXPECT_EQ(scale_by_assignment(without).rows.size(), 0);
}

}  // namespace
}  // namespace pawl
