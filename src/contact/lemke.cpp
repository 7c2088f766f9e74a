// Friction in the plane as a linear complementarity problem, w = M z + q, 0 <= z, 0 <= w, z w = 0, with
// z = (λN, λT+, λT-, σ) per contact:
//   aN = ...,   ± aT + σ >= 0,   μ λN - λT+ - λT- >= 0
// (Stewart and Trinkle, International Journal for Numerical Methods in Engineering 39 (1996) 2673), solved by Lemke's
// pivots with the lexicographic rule against cycles (Cottle, Pang, Stone, The Linear Complementarity Problem, 1992).
// In space the cone becomes a pyramid of eight sides: a start for Newton's iteration, not an answer.
#include <algorithm>
#include <cmath>

#include "contact/scaled_problem.hpp"

namespace pawl::contact::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Tableau = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double smallest_pivot = 1e-10;

// Columns: w (n), z (n), the covering variable, q.
class Lemke {
 public:
  Lemke(const MatrixXd& M, const VectorXd& q)
      : n_(q.size()), table_(n_, 2 * n_ + 2), basis_(static_cast<std::size_t>(n_)) {
    table_.leftCols(n_).setIdentity();
    table_.middleCols(n_, n_) = -M;
    table_.col(2 * n_).setConstant(-1);
    table_.col(2 * n_ + 1) = q;
    for (Index i = 0; i < n_; ++i) basis_[static_cast<std::size_t>(i)] = i;
  }

  bool run(VectorXd& z) {
    z = VectorXd::Zero(n_);
    const Index right = 2 * n_ + 1, cover = 2 * n_;
    if (table_.col(right).minCoeff() >= 0) return true;
    Index row = 0;
    for (Index i = 1; i < n_; ++i) {
      if (comes_before(i, row, -1, -1)) row = i;
    }
    Index leaving = pivot(row, cover);
    for (Index count = 0; count < 60 * n_ + 200; ++count) {
      const Index entering = leaving < n_ ? leaving + n_ : leaving - n_;
      row = row_to_leave(entering);
      if (row < 0) return false;  // a ray
      leaving = pivot(row, entering);
      if (leaving != cover) continue;
      for (Index i = 0; i < n_; ++i) {
        const Index variable = basis_[static_cast<std::size_t>(i)];
        if (variable >= n_ && variable < cover) z[variable - n_] = std::max(0.0, table_(i, right));
      }
      return true;
    }
    return false;
  }

 private:
  // Whether (q, w-columns) of row i over its pivot is lexicographically less than that of row j.
  bool comes_before(Index i, Index j, double pivot_i, double pivot_j) const {
    const auto less = [&](Index column, bool& is_decided) {
      const double x = table_(i, column) / std::abs(pivot_i), y = table_(j, column) / std::abs(pivot_j);
      is_decided = std::abs(x - y) > 1e-13 * (1 + std::abs(x) + std::abs(y));
      return x < y;
    };
    bool is_decided = false;
    if (const bool is_less = less(2 * n_ + 1, is_decided); is_decided) return is_less;
    for (Index column = 0; column < n_; ++column) {
      if (const bool is_less = less(column, is_decided); is_decided) return is_less;
    }
    return false;
  }

  Index row_to_leave(Index entering) const {
    Index best = -1;
    for (Index i = 0; i < n_; ++i) {
      const double a = table_(i, entering);
      if (a <= smallest_pivot) continue;
      if (best < 0) {
        best = i;
        continue;
      }
      // The covering variable leaves where it can.
      const double x = table_(i, 2 * n_ + 1) / a, y = table_(best, 2 * n_ + 1) / table_(best, entering);
      const bool is_tie = std::abs(x - y) <= 1e-13 * (1 + std::abs(x) + std::abs(y));
      if (is_tie && basis_[static_cast<std::size_t>(best)] == 2 * n_) continue;
      if (is_tie && basis_[static_cast<std::size_t>(i)] == 2 * n_) {
        best = i;
        continue;
      }
      if (comes_before(i, best, a, table_(best, entering))) best = i;
    }
    return best;
  }

  Index pivot(Index row, Index entering) {
    table_.row(row) /= table_(row, entering);
    for (Index i = 0; i < n_; ++i) {
      const double factor = table_(i, entering);
      if (i == row || factor == 0) continue;
      table_.row(i) -= factor * table_.row(row);
      table_(i, entering) = 0;
    }
    std::swap(basis_[static_cast<std::size_t>(row)], entering);
    return entering;
  }

  Index n_;
  Tableau table_;
  std::vector<Index> basis_;
};

}  // namespace

bool solve_by_lemke(const ScaledProblem& p, VectorXd& y) {
  if (p.size == 0) return false;
  // y = C z + c; row i of the complementarity problem: left_i^T a + S z + s.
  const auto facets = [](const Part& c) -> Index {
    return c.has_choice() && c.friction > 0 ? (c.tangents == 1 ? 2 : 8) : 0;
  };
  const Index n = p.b.size();
  Index m = 0;
  for (const Part& c : p.parts) m += (c.normal >= 0) + (facets(c) > 0 ? facets(c) + 1 : 0);
  MatrixXd C = MatrixXd::Zero(n, m), left = MatrixXd::Zero(n, m), S = MatrixXd::Zero(m, m);
  VectorXd fixed = VectorXd::Zero(n), s = VectorXd::Zero(m);
  Index at = 0;
  for (const Part& c : p.parts) {
    const Index normal = at;
    if (c.normal >= 0) {
      C(c.normal, at) = left(c.normal, at) = 1;
      fixed[c.normal] = c.least;
      ++at;
    }
    if (c.is_given) {
      for (int j = 0; j < c.tangents; ++j) {
        if (c.normal >= 0) C(c.tangent + j, normal) = -c.friction * c.direction[j];
        fixed[c.tangent + j] = -c.friction * c.least * c.direction[j];
      }
      continue;
    }
    const Index sides = facets(c), sigma = at + sides;
    if (sides == 0) continue;
    for (Index j = 0; j < sides; ++j, ++at) {
      const double angle = 2 * M_PI * static_cast<double>(j) / static_cast<double>(sides);
      const Eigen::Vector2d e = sides == 2 ? Eigen::Vector2d(1 - 2 * static_cast<double>(j), 0)
                                           : Eigen::Vector2d(std::cos(angle), std::sin(angle));
      C.col(at).segment(c.tangent, c.tangents) = e.head(c.tangents);
      left.col(at).segment(c.tangent, c.tangents) = e.head(c.tangents);
      S(at, sigma) = 1;
      S(sigma, at) = -1;
    }
    if (c.normal >= 0) S(sigma, normal) = c.friction;
    s[sigma] = c.friction * c.least;
    ++at;
  }
  const MatrixXd M = left.transpose() * p.W * C + S;
  const VectorXd q = (left.transpose() * (p.W * fixed + p.b) + s) / p.size;
  VectorXd z;
  if (!Lemke(M, q).run(z)) return false;
  y = C * (p.size * z) + fixed;
  return true;
}

}  // namespace pawl::contact::detail
