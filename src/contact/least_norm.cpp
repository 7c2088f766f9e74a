// Redundant contacts: the forces that change no acceleration are the null space of W over the forces that are free.
// Those of least norm are taken; where they would leave their cone or draw, they are held at its edge.
#include <algorithm>
#include <cmath>

#include "contact/scaled_problem.hpp"
#include "numerics/eigenvalues.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_threshold = 1e-11;  // of eigenvalues: squares

// y = C z + c
struct FreeForces {
  MatrixXd C;
  VectorXd weight;                         // of z in |λ|
  std::vector<Index> rows;                 // all rows that take part
  std::vector<Index> normal, first_stick;  // per contact: column of z, or -1
};

FreeForces free_forces(const ScaledProblem& p, const VectorXd& a) {
  FreeForces f;
  const Index n = p.b.size();
  const double zero = nothing * p.size;
  f.C = MatrixXd::Zero(n, n);
  f.weight = VectorXd::Zero(n);
  Index m = 0;
  for (const Part& c : p.parts) {
    Index normal = -1, stick = -1;
    const bool has_slip =
        c.is_given || c.holding == 0 || (c.tangents > 0 && a.segment(c.tangent, c.tangents).norm() > zero);
    if (c.normal >= 0 && a[c.normal] <= zero) {
      normal = m++;
      f.rows.push_back(c.normal);
      f.C(c.normal, normal) = 1;
      if (c.tangents > 0 && has_slip && c.friction > 0) {
        const Eigen::VectorXd along = c.is_given ? Eigen::VectorXd(c.direction.head(c.tangents))
                                                 : Eigen::VectorXd(a.segment(c.tangent, c.tangents).normalized());
        f.C.col(normal).segment(c.tangent, c.tangents) = -c.friction * along;
        for (int j = 0; j < c.tangents; ++j) f.rows.push_back(c.tangent + j);
      }
      f.weight[normal] = c.factor * f.C.col(normal).norm();
    }
    if (c.tangents > 0 && !has_slip && (normal >= 0 || c.least > 0)) {
      stick = m;
      for (int j = 0; j < c.tangents; ++j) {
        f.C(c.tangent + j, m) = 1;
        f.rows.push_back(c.tangent + j);
        f.weight[m++] = c.factor;
      }
    }
    f.normal.push_back(normal);
    f.first_stick.push_back(stick);
  }
  f.C.conservativeResize(n, m);
  f.weight.conservativeResize(m);
  return f;
}

bool has_full_rank(const MatrixXd& W) {
  const linear::Cholesky factors(W);
  return factors.is_positive_definite() && factors.least_pivot() > 1e-5;
}

// Conditions on z that are held as equations, A z = r.
struct Held {
  std::vector<VectorXd> rows;
  std::vector<double> values;
};

// The most violated conditions become equations. False: none is violated. In space a cone cannot be held so.
bool hold_the_worst(const ScaledProblem& p, const FreeForces& f, const VectorXd& y, Held& held) {
  const auto draws = [&](std::size_t i) { return f.normal[i] >= 0 ? p.parts[i].least - y[p.parts[i].normal] : 0; };
  const auto leaves = [&](std::size_t i) {
    const Part& c = p.parts[i];
    return f.first_stick[i] >= 0 && c.tangents == 1 ? std::abs(y[c.tangent]) - c.holding * c.pressed(y) : 0;
  };
  double worst = 0;
  for (std::size_t i = 0; i < p.parts.size(); ++i) worst = std::max({worst, draws(i), leaves(i)});
  if (worst <= 1e-12 * p.size) return false;
  const Index m = f.weight.size();
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const Part& c = p.parts[i];
    if (draws(i) > 0.5 * worst) {
      held.rows.emplace_back(VectorXd::Unit(m, f.normal[i]));
      held.values.push_back(c.least);
    }
    if (leaves(i) > 0.5 * worst) {
      const double sign = y[c.tangent] > 0 ? 1 : -1;
      held.rows.emplace_back(VectorXd::Unit(m, f.first_stick[i]));
      held.values.push_back(f.normal[i] >= 0 ? 0 : sign * c.holding * c.least);
      if (f.normal[i] >= 0) held.rows.back()[f.normal[i]] = -sign * c.holding;
    }
  }
  return true;
}

}  // namespace

void take_least_norm(const ScaledProblem& p, VectorXd& y) {
  const VectorXd a = p.W * y + p.b;
  const FreeForces f = free_forces(p, a);
  const Index m = f.weight.size();
  if (m == 0 || has_full_rank(p.W(f.rows, f.rows))) return;
  const linear::SymmetricEigenpairs eigen = linear::symmetric_eigenpairs(f.C.transpose() * p.W * f.C);
  const double threshold = rank_threshold * std::max(1e-300, eigen.values[m - 1]);
  const Index null = (eigen.values.array() <= threshold).count();
  if (null == 0) return;
  const MatrixXd N = eigen.vectors.leftCols(null);

  VectorXd z = VectorXd::Zero(m);
  for (Index j = 0; j < m; ++j) {
    Index row = 0;
    f.C.col(j).cwiseAbs().maxCoeff(&row);
    for (const Part& c : p.parts) {
      if (c.normal >= 0 && f.C(c.normal, j) == 1) row = c.normal;
    }
    z[j] = y[row];
  }
  const VectorXd rest = y - f.C * z;
  const MatrixXd weighted = f.weight.asDiagonal() * N;
  const VectorXd weighted_z = f.weight.cwiseProduct(z);
  const double before = std::max(violation(p, y), verified / 100);
  Held held;
  VectorXd best = y;
  for (std::size_t pass = 0; pass <= 2 * p.parts.size(); ++pass) {
    // min |weight (z + N v)| with A (z + N v) = r: stationary with multipliers.
    const auto k = static_cast<Index>(held.rows.size());
    MatrixXd K = MatrixXd::Zero(null + k, null + k);
    VectorXd right(null + k);
    K.topLeftCorner(null, null) = weighted.transpose() * weighted;
    right.head(null) = -(weighted.transpose() * weighted_z);
    const double unit = K.topLeftCorner(null, null).diagonal().maxCoeff();
    for (Index i = 0; i < k; ++i) {
      const VectorXd& row = held.rows[static_cast<std::size_t>(i)];
      K.row(null + i).head(null) = unit * (row.transpose() * N);
      K.col(null + i).head(null) = K.row(null + i).head(null).transpose();
      right[null + i] = unit * (held.values[static_cast<std::size_t>(i)] - row.dot(z));
    }
    const VectorXd v = linear::LeastNorm(K).solve(right).head(null);
    best = f.C * (z + N * v) + rest;
    if (!hold_the_worst(p, f, best, held)) break;
  }
  if (violation(p, best) <= before) {
    y = best;
    return;
  }
  // As far towards it as the conditions allow: they are convex.
  double fraction = 0.5, reached = 0;
  for (int i = 0; i < 30; ++i, fraction /= 2) {
    const VectorXd trial = y + (reached + fraction) * (best - y);
    if (violation(p, trial) <= before) reached += fraction;
  }
  y += reached * (best - y);
}

}  // namespace pawl::contact::detail
