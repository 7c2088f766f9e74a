// Small mechanisms: M a + G^T λ = f, G a = -γ, by code for every number of rows, against Eigen's elimination of the
// whole matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include "formulate/kkt.hpp"

namespace pawl::formulate {
namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

enum class Coupling { none, neighbours, pairs_far_apart, all };

Vector random_vector(Eigen::Index size, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector v(size);
  for (double& x : v) x = uniform(random);
  return v;
}

/// Positive definite; entries that are not coupled are zero.
RowMajor mass_of(int n, Coupling coupling, std::mt19937& random) {
  RowMajor M = RowMajor::Zero(n, n);
  const Vector size = random_vector(n, random);
  for (int i = 0; i < n; ++i) {
    M(i, i) = 3 + size[i] + (coupling == Coupling::all ? n : 0);
    for (int j = 0; j < i; ++j) {
      const bool is_coupled = coupling == Coupling::all || (coupling == Coupling::neighbours && i - j == 1) ||
                              (coupling == Coupling::pairs_far_apart && i + j == n - 1);
      if (is_coupled) M(i, j) = M(j, i) = 0.9 * size[i] * size[j];
    }
  }
  return M;
}

struct Rows {
  SparseRows pattern;
  std::vector<double> values;
  Matrix dense;
};

/// Every row has its own column and, if it is not sparse, all of them.
Rows rows_of(int rows, int n, bool is_sparse, std::mt19937& random) {
  Rows G{{}, {}, Matrix::Zero(rows, n)};
  for (int r = 0; r < rows; ++r) {
    const Vector entries = random_vector(n, random);
    for (int c = 0; c < n; ++c) {
      if (is_sparse && c != r && c != n - 1) continue;
      const double entry = entries[c] + (c == r ? 2 : 0);
      G.pattern.column.push_back(c);
      G.values.push_back(entry);
      G.dense(r, c) = entry;
    }
    G.pattern.first.push_back(G.pattern.entries());
  }
  return G;
}

TEST(DenseKkt, SolvesForAnyNumberOfRowsAndAnyCoupling) {
  std::mt19937 random(7);
  for (int rows = 0; rows <= 11; ++rows) {
    for (const int n : {std::max(rows, 1), rows + 1, rows + 4}) {
      for (const Coupling coupling : {Coupling::none, Coupling::neighbours, Coupling::pairs_far_apart, Coupling::all}) {
        for (const bool is_sparse : {false, true}) {
          SCOPED_TRACE(testing::Message() << rows << " rows, " << n << " speeds, coupling "
                                          << static_cast<int>(coupling) << (is_sparse ? ", sparse" : ""));
          const Rows G = rows_of(rows, n, is_sparse, random);
          const auto kkt = make_dense_kkt(n, G.pattern);
          const RowMajor M = mass_of(n, coupling, random);
          for (const bool is_same_mass : {false, true}) {  // the second finds the factors of M
            ASSERT_EQ(kkt->factor(M.data(), G.values.data(), is_same_mass), Kkt::Status::good);
            Matrix all = Matrix::Zero(n + rows, n + rows);
            all << M, G.dense.transpose(), G.dense, Matrix::Zero(rows, rows);
            const Vector f = random_vector(n, random), gamma = random_vector(rows, random);
            Vector right(n + rows), a(n), lambda(rows), d(n);
            right << f, -gamma;
            const Eigen::FullPivLU<Matrix> lu(all);
            const Vector exact = lu.solve(right);
            const double tolerance = 4e-15 / lu.rcond() * (1 + exact.lpNorm<Eigen::Infinity>());
            kkt->solve(f.data(), gamma.data(), a.data(), lambda.data());
            EXPECT_LE((a - exact.head(n)).lpNorm<Eigen::Infinity>(), tolerance);
            if (rows > 0) {
              EXPECT_LE((lambda - exact.tail(rows)).lpNorm<Eigen::Infinity>(), tolerance);
            }
            right.head(n).setZero();
            kkt->pull(gamma.data(), d.data());
            EXPECT_LE((d - lu.solve(right).head(n)).lpNorm<Eigen::Infinity>(), tolerance);
          }
        }
      }
    }
  }
}

TEST(DenseKkt, NamesTheRowThatFails) {
  std::mt19937 random(3);
  for (int rows = 2; rows <= 10; ++rows) {
    const int n = rows + 1;
    Rows G = rows_of(rows, n, false, random);
    RowMajor M = mass_of(n, Coupling::neighbours, random);
    const auto kkt = make_dense_kkt(n, G.pattern);
    std::vector<double> repeated = G.values;
    std::copy_n(G.values.begin(), n, repeated.end() - n);  // the last row is the first
    EXPECT_EQ(kkt->factor(M.data(), repeated.data(), false), Kkt::Status::rows_depend);
    EXPECT_EQ(kkt->culprit(), rows - 1);
    M(n - 1, n - 1) = -1;
    EXPECT_EQ(kkt->factor(M.data(), G.values.data(), false), Kkt::Status::mass_is_singular);
    EXPECT_EQ(kkt->culprit(), n - 1);
  }
}

}  // namespace
}  // namespace pawl::formulate
