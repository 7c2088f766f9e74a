#include "analyze/pencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <Eigen/Dense>

#include "numerics/eigenvalues.hpp"

namespace pawl::analyze {
namespace {

using Eigen::Index, Eigen::MatrixXd;

// Table 1 of Koenders (2002), section 2.5.
struct Wheels {
  double M = 5, Rc = 0.05, C1 = 0.08, Cp = 1e-5, Rp = 1000;
  const double damping = 0.0025, frequency = 1.1180311936614;
};

void expect_slow_pair(const PencilParts& parts, const Wheels& k) {
  ASSERT_EQ(parts.finite.size(), 2u);
  for (const auto& value : parts.finite) {
    EXPECT_NEAR(value.real(), -k.damping, 1e-15);
    EXPECT_NEAR(std::abs(value.imag()), k.frequency, 5e-14);  // all printed digits
  }
}

TEST(Pencil, GearWheelsOfIndexOneHaveOneInfiniteEigenvalue) {
  const Wheels k;
  MatrixXd E(3, 3), A(3, 3);
  E << 1, 0, 1, 0, 1, 0, 0, 0, 0;
  A << -k.Rc / k.M, -1 / k.C1, 0, 1 / k.M, 0, 0, 1 / k.M, 0, -1 / k.M;
  const PencilParts parts = take_apart(E, A);
  EXPECT_EQ(parts.index, 1);
  EXPECT_EQ(parts.infinite, 1);
  EXPECT_EQ(parts.hidden_constraints(), 0);
  expect_slow_pair(parts, k);
}

TEST(Pencil, GearWheelsOfIndexTwoHaveTwo) {
  const Wheels k;
  MatrixXd E = MatrixXd::Identity(4, 4), A(4, 4);
  E(3, 3) = 0;
  A << -k.Rc / k.M, -1 / k.C1, 0, 1, 1 / k.M, 0, 0, 0, 0, 0, 0, -1, 1 / k.M, 0, -1 / k.M, 0;
  const PencilParts parts = take_apart(E, A);
  EXPECT_EQ(parts.index, 2);
  EXPECT_EQ(parts.infinite, 2);
  EXPECT_EQ(parts.hidden_constraints(), 1);
  EXPECT_EQ(parts.differential, 3);
  EXPECT_TRUE(parts.is_certain());
  expect_slow_pair(parts, k);
}

TEST(Pencil, GearWheelsWithSpringAndDamperHaveNone) {
  const Wheels k;
  MatrixXd A(4, 4);
  A << -(k.Rc + k.Rp) / k.M, -1 / k.C1, k.Rp / k.M, -1 / k.Cp, 1 / k.M, 0, 0, 0, k.Rp / k.M, 0, -k.Rp / k.M, 1 / k.Cp,
      1 / k.M, 0, -1 / k.M, 0;
  const PencilParts parts = take_apart(MatrixXd::Identity(4, 4), A);
  EXPECT_EQ(parts.index, 0);
  EXPECT_EQ(parts.infinite, 0);
  ASSERT_EQ(parts.finite.size(), 4u);
  // Roots of s^4 + 400.01 s^3 + 40004.5 s^2 + 700 s + 50000.
  EXPECT_NEAR(parts.finite[0].real(), -200.00249996094277, 1e-9);
  EXPECT_NEAR(std::abs(parts.finite[0].imag()), 0.49999218798579104, 1e-9);
  EXPECT_NEAR(parts.finite[2].real(), -0.0025000390572270203, 1e-12);
  EXPECT_NEAR(std::abs(parts.finite[2].imag()), 1.1180137248989281, 1e-12);
}

// Masses below each other on links, index 3: q' = v, v' = -K q - G^T λ, 0 = G q. Its transverse motion is that of a
// hanging string with known K; the rest is constrained away.
struct Chain {
  explicit Chain(Index masses) {
    const Index nq = 2 * masses, n = 2 * nq + masses;
    MatrixXd G = MatrixXd::Zero(masses, nq), K = MatrixXd::Zero(nq, nq);
    transverse = MatrixXd::Zero(masses, masses);
    for (Index k = 0; k < masses; ++k) {
      G(k, 2 * k + 1) = 1;
      if (k > 0) G(k, 2 * k - 1) = -1;
      const double tension = 9.81 * static_cast<double>(masses - k);
      transverse(k, k) += tension;
      if (k == 0) continue;
      transverse(k - 1, k - 1) += tension;
      transverse(k, k - 1) -= tension;
      transverse(k - 1, k) -= tension;
    }
    for (Index i = 0; i < masses; ++i)
      for (Index j = 0; j < masses; ++j) K(2 * i, 2 * j) = transverse(i, j);
    E = A = MatrixXd::Zero(n, n);
    E.topLeftCorner(2 * nq, 2 * nq).setIdentity();
    A.block(0, nq, nq, nq).setIdentity();
    A.block(nq, 0, nq, nq) = -K;
    A.block(nq, 2 * nq, nq, masses) = -G.transpose();
    A.block(2 * nq, 0, masses, nq) = G;
  }
  MatrixXd E, A, transverse;
};

MatrixXd orthogonal(Index n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const MatrixXd R = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  return Eigen::HouseholderQR<MatrixXd>(R).householderQ();
}

TEST(Pencil, AHangingChainWithMixedRowsAndColumnsIsOfIndexThree) {
  std::mt19937 random(20261115);
  for (const Index masses : {2, 5, 10}) {
    const Chain chain(masses);
    const Index n = chain.E.rows();
    const MatrixXd P = orthogonal(n, random), Q = orthogonal(n, random);
    const PencilParts parts = take_apart(P * chain.E * Q, P * chain.A * Q);
    EXPECT_EQ(parts.index, 3) << n;
    EXPECT_EQ(parts.infinite, 3 * masses) << n;
    EXPECT_EQ(parts.undetermined, 0) << n;
    EXPECT_GT(parts.smallest_gap, 1e9) << n;
    ASSERT_EQ(parts.finite.size(), static_cast<std::size_t>(2 * masses)) << n;
    const Eigen::VectorXd squares = linear::symmetric_eigenvalues(chain.transverse);
    for (Index i = 0; i < masses; ++i) {
      const double exact = std::sqrt(squares[masses - 1 - i]);
      for (const std::size_t one : {static_cast<std::size_t>(2 * i), static_cast<std::size_t>(2 * i + 1)}) {
        EXPECT_NEAR(std::abs(parts.finite[one].imag()), exact, 1e-11 * exact) << n;
        EXPECT_NEAR(parts.finite[one].real(), 0, 1e-10 * exact) << n;
      }
    }
  }
}

// A pendulum at rest whose rod is declared twice.
TEST(Pencil, ARodDeclaredTwiceIsRedundantOnceAndLeavesOneMultiplierOpen) {
  MatrixXd E = MatrixXd::Zero(6, 6), A = MatrixXd::Zero(6, 6);  // x, y, u, v, λ1, λ2
  E.topLeftCorner(4, 4).setIdentity();
  A(0, 2) = A(1, 3) = 1;
  A(2, 0) = -9.81;
  A(3, 4) = A(3, 5) = 1;
  A(4, 1) = A(5, 1) = 1;
  const PencilParts parts = take_apart(E, A);
  EXPECT_EQ(parts.index, 3);
  EXPECT_EQ(parts.undetermined, 1);
  ASSERT_EQ(parts.redundant.size(), 1u);
  EXPECT_NEAR(std::abs(parts.redundant[0][4]), std::abs(parts.redundant[0][5]), 1e-14);  // the two rows, equally
  EXPECT_NEAR(std::abs(parts.redundant[0][2]), 0, 1e-14);
  ASSERT_EQ(parts.finite.size(), 2u);
  EXPECT_NEAR(std::abs(parts.finite[0].imag()), std::sqrt(9.81), 1e-14);
  EXPECT_NEAR(std::abs(parts.finite[1].imag()), std::sqrt(9.81), 1e-14);
}

// Index 3 with a stiff spring and masses a million apart: fast eigenvalues are finite, and must not pass for infinite.
TEST(Pencil, AStiffSpringIsNotTakenForAConstraint) {
  for (const double k : {1e3, 1e6, 1e9, 1e12}) {
    MatrixXd E = MatrixXd::Zero(7, 7), A = MatrixXd::Zero(7, 7);  // q1, q2, q3, v1, v2, v3, λ; q1 = q2
    const double masses[] = {1, 1e-6, 1};
    E.topLeftCorner(3, 3).setIdentity();
    A.block(0, 3, 3, 3).setIdentity();
    for (Index i = 0; i < 3; ++i) E(3 + i, 3 + i) = masses[i];
    A(3, 0) = -1;
    A(4, 1) = A(5, 2) = -k;
    A(4, 2) = A(5, 1) = k;
    A(3, 6) = -1;
    A(4, 6) = 1;
    A(6, 0) = 1;
    A(6, 1) = -1;
    const PencilParts parts = take_apart(E, A);
    EXPECT_EQ(parts.index, 3) << k;
    EXPECT_EQ(parts.infinite, 3) << k;
    ASSERT_EQ(parts.finite.size(), 4u) << k;
    const double a = (1 + k) / (1 + 1e-6), half = (a + k) / 2;
    const double square = half + std::sqrt((a - k) * (a - k) / 4 + k * k / (1 + 1e-6));
    EXPECT_NEAR(std::abs(parts.finite[0]), std::sqrt(square), 1e-12 * std::sqrt(square)) << k;
    EXPECT_TRUE(parts.is_certain()) << k;
  }
}

TEST(Pencil, AnUnknownWithoutAnEquationIsUndetermined) {
  MatrixXd E = MatrixXd::Zero(2, 2), A = MatrixXd::Zero(2, 2);
  E(0, 0) = 1;
  A(0, 0) = -3;
  A(1, 0) = 0;  // 0 = 0, and nothing about the second unknown
  const PencilParts parts = take_apart(E, A);
  EXPECT_EQ(parts.undetermined, 1);
  EXPECT_EQ(parts.redundant.size(), 1u);
  EXPECT_EQ(parts.index, 0);
  ASSERT_EQ(parts.finite.size(), 1u);
  EXPECT_DOUBLE_EQ(parts.finite[0].real(), -3);
}

TEST(Pencil, ARankDecidedByASmallGapMakesTheIndexUncertain) {
  MatrixXd E = MatrixXd::Identity(3, 3), A = -MatrixXd::Identity(3, 3);
  E(1, 1) = 1e-8;   // counts
  E(2, 2) = 1e-11;  // does not
  A(1, 0) = A(2, 1) = 1;
  const PencilParts parts = take_apart(E, A);
  EXPECT_FALSE(parts.is_certain());
  EXPECT_LT(parts.smallest_gap, 1e4);
}

// Units of time, of unknowns and of equations change nothing.
TEST(Pencil, ScalesChangeNoDecision) {
  const Chain chain(3);
  const Index n = chain.E.rows();
  Eigen::VectorXd rows(n), columns(n);
  for (Index i = 0; i < n; ++i) {
    rows[i] = std::pow(10.0, static_cast<double>(i % 7) - 3);
    columns[i] = std::pow(10.0, 2 - static_cast<double>(i % 5));
  }
  const MatrixXd E = rows.asDiagonal() * chain.E * columns.asDiagonal();
  const MatrixXd A = 1e5 * rows.asDiagonal() * chain.A * columns.asDiagonal();
  const PencilParts plain = take_apart(chain.E, chain.A), scaled = take_apart(E, A);
  EXPECT_EQ(scaled.index, 3);
  EXPECT_EQ(scaled.infinite, plain.infinite);
  ASSERT_EQ(scaled.finite.size(), plain.finite.size());
  for (std::size_t i = 0; i < plain.finite.size(); ++i)
    EXPECT_NEAR(std::abs(scaled.finite[i]), 1e5 * std::abs(plain.finite[i]), 1e-5 * std::abs(plain.finite[i]));
}

}  // namespace
}  // namespace pawl::analyze
