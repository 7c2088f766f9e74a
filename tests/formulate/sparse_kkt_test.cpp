// The sparse factorization of the KKT matrix against a dense one, at size, and where there is nothing to solve.
#include "formulate/kkt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "numerics/eigenvalues.hpp"
#include "numerics/elimination.hpp"

namespace pawl::formulate {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Joints = std::vector<std::pair<int, int>>;  // bodies; -1: the ground

/// Patterns and values of a mechanism with three coordinates per body.
struct Mechanism {
  SparseRows mass, jacobian;
  std::vector<double> mass_values, jacobian_values;

  int size() const { return mass.rows(); }
  int rows() const { return jacobian.rows(); }

  void add_row(const std::vector<std::pair<int, double>>& entries) {
    for (const auto& [column, value] : entries) {
      jacobian.column.push_back(column);
      jacobian_values.push_back(value);
    }
    jacobian.first.push_back(jacobian.entries());
  }

  void add_mass_row(const std::vector<std::pair<int, double>>& entries) {
    for (const auto& [column, value] : entries) {
      mass.column.push_back(column);
      mass_values.push_back(value);
    }
    mass.first.push_back(mass.entries());
  }

  Vector times_mass(const Vector& a) const {
    Vector result = Vector::Zero(size());
    for (int i = 0; i < size(); ++i) {
      for (int e = mass.first[i]; e < mass.first[i + 1]; ++e) {
        const int j = mass.column[e];
        result[i] += mass_values[e] * a[j];
        if (i != j) result[j] += mass_values[e] * a[i];
      }
    }
    return result;
  }

  Vector times_jacobian(const Vector& a) const {
    Vector result = Vector::Zero(rows());
    for (int r = 0; r < rows(); ++r) {
      for (int e = jacobian.first[r]; e < jacobian.first[r + 1]; ++e) {
        result[r] += jacobian_values[e] * a[jacobian.column[e]];
      }
    }
    return result;
  }

  Vector times_transposed_jacobian(const Vector& lambda) const {
    Vector result = Vector::Zero(size());
    for (int r = 0; r < rows(); ++r) {
      for (int e = jacobian.first[r]; e < jacobian.first[r + 1]; ++e) {
        result[jacobian.column[e]] += jacobian_values[e] * lambda[r];
      }
    }
    return result;
  }

  Matrix dense() const {
    Matrix result = Matrix::Zero(size() + rows(), size() + rows());
    for (int i = 0; i < size(); ++i) result.col(i).head(size()) = times_mass(Vector::Unit(size(), i));
    for (int r = 0; r < rows(); ++r) {
      const Vector row = times_transposed_jacobian(Vector::Unit(rows(), r));
      result.col(size() + r).head(size()) = row;
      result.row(size() + r).head(size()) = row.transpose();
    }
    return result;
  }
};

enum class Mass { diagonal, blocks, banded };

double uniform(std::mt19937& random) {
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

/// Pins with random arms. Blocks couple the coordinates of a body, a band those of neighbouring bodies, too.
Mechanism mechanism(int bodies, const Joints& joints, Mass kind) {
  std::mt19937 random(7);
  Mechanism result;
  const auto is_coupled = [kind](int i, int j) {
    if (kind == Mass::diagonal) return i == j;
    return i / 3 == j / 3 || (kind == Mass::banded && i - j <= 3);
  };
  for (int i = 0; i < 3 * bodies; ++i) {
    std::vector<std::pair<int, double>> entries;
    for (int j = std::max(0, i - 3); j <= i; ++j) {
      if (is_coupled(i, j)) entries.emplace_back(j, i == j ? 2 + uniform(random) : 0.15 * uniform(random));
    }
    result.add_mass_row(entries);
  }
  for (const auto& [a, b] : joints) {
    for (int direction = 0; direction < 2; ++direction) {
      std::vector<std::pair<int, double>> entries{{3 * b + direction, 1.0}, {3 * b + 2, uniform(random)}};
      if (a >= 0) {
        entries.emplace_back(3 * a + direction, -1.0);
        entries.emplace_back(3 * a + 2, uniform(random));
      }
      std::sort(entries.begin(), entries.end());
      result.add_row(entries);
    }
  }
  return result;
}

Joints chain(int bodies) {
  Joints joints;
  for (int i = 0; i < bodies; ++i) joints.emplace_back(i - 1, i);
  return joints;
}

Joints ring(int bodies) {
  Joints joints;
  for (int i = 0; i < bodies; ++i) joints.emplace_back(i, (i + 1) % bodies);
  return joints;
}

Joints star(int bodies) {
  Joints joints{{-1, 0}};
  for (int i = 1; i < bodies; ++i) joints.emplace_back(0, i);
  return joints;
}

Joints tree(int bodies) {
  std::mt19937 random(11);
  std::vector<int> label(bodies);
  for (int i = 0; i < bodies; ++i) label[i] = i;
  std::shuffle(label.begin(), label.end(), random);
  Joints joints{{-1, label[0]}};
  for (int i = 1; i < bodies; ++i) joints.emplace_back(label[static_cast<int>(random() % i)], label[i]);
  return joints;
}

/// Rows of bodies, every third body also joined to the row below: many loops, columns of L of all lengths.
Joints lattice(int side) {
  Joints joints;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (j + 1 < side) joints.emplace_back(side * i + j, side * i + j + 1);
      if (i + 1 < side && j % 3 == 0) joints.emplace_back(side * i + j, side * (i + 1) + j);
    }
  }
  return joints;
}

Vector random_vector(int size, unsigned seed) {
  std::mt19937 random(seed);
  Vector result(size);
  for (double& x : result) x = uniform(random);
  return result;
}

std::unique_ptr<Kkt> sparse_kkt(const Mechanism& m) {
  return make_sparse_kkt(m.mass, m.jacobian);
}

Kkt::Status factor(Kkt& kkt, const Mechanism& m) {
  return kkt.factor(m.mass_values.data(), m.jacobian_values.data(), false);
}

/// S = G M^-1 G^T, row by row over its own diagonal, has no pivot below its smallest eigenvalue.
double smallest_eigenvalue_of_scaled_rows(const Mechanism& m) {
  const Matrix all = m.dense();
  const Matrix G = all.bottomLeftCorner(m.rows(), m.size());
  const Matrix S = G * linear::Cholesky(all.topLeftCorner(m.size(), m.size())).solve_columns(G.transpose());
  const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * S * scale.asDiagonal();
  return linear::symmetric_eigenvalues(scaled)[0];
}

void expect_agreement_with_dense(const Mechanism& m) {
  const int n = m.size(), rows = m.rows();
  const auto kkt = sparse_kkt(m);
  const Eigen::FullPivLU<Matrix> dense(m.dense());
  ASSERT_TRUE(dense.isInvertible());
  for (unsigned round = 0; round < 2; ++round) {  // the second finds the remains of the first
    ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
    const Vector f = random_vector(n, 2 * round), gamma = random_vector(rows, 2 * round + 1);
    Vector right(n + rows), a(n), lambda(rows), d(n);
    right << f, -gamma;
    const Vector exact = dense.solve(right);
    const double tolerance = 1e-15 / dense.rcond() * (1 + exact.lpNorm<Eigen::Infinity>());
    kkt->solve(f.data(), gamma.data(), a.data(), lambda.data());
    EXPECT_LE((a - exact.head(n)).lpNorm<Eigen::Infinity>(), tolerance);
    if (rows > 0) {
      EXPECT_LE((lambda - exact.tail(rows)).lpNorm<Eigen::Infinity>(), tolerance);
    }
    right.head(n).setZero();
    kkt->pull(gamma.data(), d.data());
    EXPECT_LE((d - dense.solve(right).head(n)).lpNorm<Eigen::Infinity>(), tolerance);
  }
}

TEST(SparseKkt, AgreesWithADenseFactorization) {
  const std::vector<std::pair<int, Joints>> shapes{{1, {}},        {1, chain(1)},  {12, chain(12)}, {14, ring(14)},
                                                   {20, tree(20)}, {12, star(12)}, {36, lattice(6)}};
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    for (const Mass kind : {Mass::diagonal, Mass::blocks, Mass::banded}) {
      SCOPED_TRACE(testing::Message() << "shape " << shape << ", mass " << static_cast<int>(kind));
      expect_agreement_with_dense(mechanism(shapes[shape].first, shapes[shape].second, kind));
    }
  }
}

TEST(SparseKkt, SolvesALongChainToRounding) {
  for (const Mass kind : {Mass::diagonal, Mass::blocks, Mass::banded}) {
    const Mechanism m = mechanism(2000, chain(2000), kind);
    const auto kkt = sparse_kkt(m);
    ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
    const Vector f = random_vector(m.size(), 1), gamma = random_vector(m.rows(), 2);
    Vector a(m.size()), lambda(m.rows()), d(m.size());
    kkt->solve(f.data(), gamma.data(), a.data(), lambda.data());
    EXPECT_LE((m.times_jacobian(a) + gamma).lpNorm<Eigen::Infinity>(), 1e-10);
    EXPECT_LE((m.times_mass(a) + m.times_transposed_jacobian(lambda) - f).lpNorm<Eigen::Infinity>(), 1e-10);
    kkt->pull(gamma.data(), d.data());
    EXPECT_LE((m.times_jacobian(d) + gamma).lpNorm<Eigen::Infinity>(), 1e-10);
  }
}

TEST(SparseKkt, PullsNoFurtherThanNeededInTheMetricOfTheMass) {
  const Mechanism m = mechanism(15, tree(15), Mass::blocks);
  const auto kkt = sparse_kkt(m);
  ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
  const Vector r = random_vector(m.rows(), 3), zero = Vector::Zero(m.rows());
  Vector d(m.size()), tangent(m.size()), unused(m.rows());
  kkt->pull(r.data(), d.data());
  const Vector f = random_vector(m.size(), 4);
  kkt->solve(f.data(), zero.data(), tangent.data(), unused.data());  // G tangent = 0
  EXPECT_LE((m.times_jacobian(d) + r).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_NEAR(tangent.dot(m.times_mass(d)), 0, 1e-12);
}

TEST(SparseKkt, SolvesIntoTheMemoryOfItsRightSide) {
  const Mechanism m = mechanism(5, chain(5), Mass::blocks);
  const auto kkt = sparse_kkt(m);
  ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
  Vector f = random_vector(m.size(), 1), gamma = random_vector(m.rows(), 2), a(m.size()), lambda(m.rows());
  kkt->solve(f.data(), gamma.data(), a.data(), lambda.data());
  kkt->solve(f.data(), gamma.data(), f.data(), gamma.data());
  EXPECT_EQ(f, a);
  EXPECT_EQ(gamma, lambda);
}

TEST(SparseKkt, WorksWithoutRowsAndWithoutCoordinates) {
  Mechanism m = mechanism(3, {}, Mass::banded);
  const auto free = sparse_kkt(m);
  ASSERT_EQ(factor(*free, m), Kkt::Status::good);
  EXPECT_EQ(free->smallest_pivot(), 1);
  const Vector f = random_vector(m.size(), 1);
  Vector a(m.size());
  free->solve(f.data(), nullptr, a.data(), nullptr);
  EXPECT_LE((m.times_mass(a) - f).lpNorm<Eigen::Infinity>(), 1e-14);
  free->pull(nullptr, a.data());
  EXPECT_EQ(a, Vector::Zero(m.size()));

  const auto empty = make_sparse_kkt({}, {});
  EXPECT_EQ(empty->factor(nullptr, nullptr, false), Kkt::Status::good);
  empty->solve(nullptr, nullptr, nullptr, nullptr);
  empty->pull(nullptr, nullptr);
}

TEST(SparseKkt, NamesTheCoordinateWithoutMass) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Mechanism m = mechanism(10, chain(10), Mass::diagonal);
    const auto kkt = sparse_kkt(m);
    const double good = std::exchange(m.mass_values[17], bad);
    EXPECT_EQ(factor(*kkt, m), Kkt::Status::mass_is_singular) << bad;
    EXPECT_EQ(kkt->culprit(), 17) << bad;
    m.mass_values[17] = good;
    EXPECT_EQ(factor(*kkt, m), Kkt::Status::good) << "after " << bad;
  }
}

TEST(SparseKkt, NamesABlockOfMassThatIsSingularUpToRounding) {
  // Rank 1: (u u^T), with products that round.
  for (const double u : {0.1, 0.3, 0.7, 1.1, 1e3}) {
    Mechanism m;
    m.add_mass_row({{0, 1.0}});
    m.add_mass_row({{1, u * u}});
    m.add_mass_row({{1, u * (u / 3)}, {2, (u / 3) * (u / 3)}});
    const auto kkt = sparse_kkt(m);
    EXPECT_EQ(factor(*kkt, m), Kkt::Status::mass_is_singular) << u;
    EXPECT_TRUE(kkt->culprit() == 1 || kkt->culprit() == 2) << u;
  }
}

TEST(SparseKkt, NamesARowThatDependsOnOthers) {
  for (const Joints& joints : {chain(8), ring(8), star(8)}) {
    for (const double factor_of_copy : {1.0, -0.3, 1e6}) {
      Mechanism m = mechanism(8, joints, Mass::blocks);
      const int original = 5, copy = m.rows();
      std::vector<std::pair<int, double>> entries;
      for (int e = m.jacobian.first[original]; e < m.jacobian.first[original + 1]; ++e) {
        entries.emplace_back(m.jacobian.column[e], factor_of_copy * m.jacobian_values[e]);
      }
      m.add_row(entries);
      const auto kkt = sparse_kkt(m);
      EXPECT_EQ(factor(*kkt, m), Kkt::Status::rows_depend) << factor_of_copy;
      EXPECT_TRUE(kkt->culprit() == original || kkt->culprit() == copy) << kkt->culprit();
      EXPECT_LE(kkt->smallest_pivot(), 1e-13);
    }
  }
}

TEST(SparseKkt, NamesARowThatCouplesNothing) {
  Mechanism m = mechanism(4, chain(4), Mass::diagonal);
  m.add_row({});
  const auto without_pattern = sparse_kkt(m);
  EXPECT_EQ(factor(*without_pattern, m), Kkt::Status::rows_depend);
  EXPECT_EQ(without_pattern->culprit(), 8);

  m = mechanism(4, chain(4), Mass::diagonal);
  for (int e = m.jacobian.first[3]; e < m.jacobian.first[4]; ++e) m.jacobian_values[e] = 0;
  const auto without_values = sparse_kkt(m);
  EXPECT_EQ(factor(*without_values, m), Kkt::Status::rows_depend);
  EXPECT_EQ(without_values->culprit(), 3);
}

TEST(SparseKkt, MeasuresHowNearRowsAreToDependence) {
  // Rows (1, 0) and (cos w, sin w) under unit mass: the second keeps sin^2 w of itself.
  for (const double w : {1.0, 1e-1, 1e-3, 1e-5}) {
    Mechanism m;
    m.add_mass_row({{0, 1.0}});
    m.add_mass_row({{1, 1.0}});
    m.add_row({{0, 1e3}});
    m.add_row({{0, std::cos(w)}, {1, std::sin(w)}});
    const auto kkt = sparse_kkt(m);
    ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
    const double exact = std::sin(w) * std::sin(w);
    EXPECT_NEAR(kkt->smallest_pivot(), exact, 1e-15);
  }
  const Mechanism m = mechanism(14, ring(14), Mass::blocks);
  const auto kkt = sparse_kkt(m);
  ASSERT_EQ(factor(*kkt, m), Kkt::Status::good);
  EXPECT_GE(kkt->smallest_pivot(), smallest_eigenvalue_of_scaled_rows(m));
  EXPECT_LE(kkt->smallest_pivot(), 1);
}

TEST(SparseKkt, RefusesPatternsItCannotRead) {
  const SparseRows upper{{0, 2, 3}, {0, 1, 1}}, no_diagonal{{0, 1, 2}, {0, 0}}, diagonal{{0, 1, 2}, {0, 1}};
  EXPECT_THROW(make_sparse_kkt(upper, {}), std::invalid_argument);
  EXPECT_THROW(make_sparse_kkt(no_diagonal, {}), std::invalid_argument);
  EXPECT_THROW(make_sparse_kkt(diagonal, {{0, 1}, {2}}), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::formulate
