#include "formulate/dae_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include "numerics/orthogonal.hpp"
#include "numerics/sparse_lu.hpp"

namespace pawl::formulate {

namespace {

constexpr Eigen::Index largest_eliminated = 32;  // rows; beyond, most are sparse
constexpr int largest_small = 50;                // beyond, a sparse factorization says whether S is regular
constexpr int largest_assigned = 400;            // beyond, units may make a difference
constexpr int largest_combined = 2000;           // and if it is not, beyond this nobody looks further

/// Scales rows and columns until the largest entry of each is about one (Ruiz, RAL-TR-2001-034); returns the factors of
/// the rows.
Eigen::VectorXd equilibrate(Eigen::MatrixXd& A) {
  Eigen::VectorXd factor = Eigen::VectorXd::Ones(A.rows());
  for (int sweep = 0; sweep < 5; ++sweep) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double largest = A.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      A.row(i) /= std::sqrt(largest);
      factor(i) /= std::sqrt(largest);
    }
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      const double largest = A.col(j).cwiseAbs().maxCoeff();
      if (largest > 0) A.col(j) /= std::sqrt(largest);
    }
  }
  return factor;
}

/// Once by rows, once by columns, roughly.
void scale_roughly(Eigen::MatrixXd& A) {
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(A.rows());
  for (Eigen::Index j = 0; j < A.cols(); ++j) rows = rows.cwiseMax(A.col(j).cwiseAbs());
  for (Eigen::Index i = 0; i < A.rows(); ++i) rows(i) = rows(i) > 0 ? 1 / rows(i) : 1;
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    A.col(j).array() *= rows.array();
    const double largest = A.col(j).cwiseAbs().maxCoeff();
    if (largest > 0) A.col(j) /= largest;
  }
}

/// By a sparse factorization: what solves for a vector nobody has chosen shows the smallest singular value.
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is scaled in place, through its iterators
bool is_regular(Eigen::SparseMatrix<double> A, double threshold) {
  for (int sweep = 0; sweep < 5; ++sweep) {
    Eigen::VectorXd rows = Eigen::VectorXd::Zero(A.rows()), columns = Eigen::VectorXd::Zero(A.cols());
    for (Eigen::Index j = 0; j < A.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry) {
        rows(entry.row()) = std::max(rows(entry.row()), std::abs(entry.value()));
        columns(j) = std::max(columns(j), std::abs(entry.value()));
      }
    }
    if (rows.minCoeff() == 0 || columns.minCoeff() == 0) return false;
    for (Eigen::Index j = 0; j < A.outerSize(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry)
        entry.valueRef() /= std::sqrt(rows(entry.row())) * std::sqrt(columns(j));
  }
  Eigen::VectorXd b(A.rows()), x;
  for (Eigen::Index i = 0; i < b.size(); ++i) b(i) = std::cos(1.0 + 7.0 * static_cast<double>(i * i % 1009));
  return linear::solve_sparse(A, b, x) && x.allFinite() && x.norm() * threshold < b.norm();
}

}  // namespace

Exponents balance(const Eigen::MatrixXd& logs) {
  const Eigen::MatrixXd there = logs.unaryExpr([](double one) { return std::isfinite(one) ? 1.0 : 0.0; });
  const Eigen::MatrixXd known = logs.unaryExpr([](double one) { return std::isfinite(one) ? one : 0.0; });
  const Eigen::VectorXd in_row = there.rowwise().sum().cwiseMax(1.0), in_column = there.colwise().sum().cwiseMax(1.0);
  const Eigen::VectorXd row_means = known.rowwise().sum().cwiseQuotient(in_row);
  // The sum of all rows of a block is zero: what moves its rows one way and its columns the other changes nothing.
  Eigen::MatrixXd normal = -there.transpose() * in_row.cwiseInverse().asDiagonal() * there;
  normal.diagonal() += (1 + 1e-12) * in_column;
  Exponents found;
  found.columns = normal.ldlt().solve(there.transpose() * row_means - known.colwise().sum().transpose());
  found.rows = -row_means - (there * found.columns).cwiseQuotient(in_row);
  return found;
}

// Shortest augmenting paths with potentials, for costs -log |a|.
Scales scale_by_assignment(Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd cost = A.unaryExpr([](double entry) { return std::log2(std::abs(entry)); });
  // First in units of their own: there are many such scales, and which is taken must not hang on those of A.
  const Exponents own = balance(cost);
  cost = -((cost.colwise() + own.rows).rowwise() + own.columns.transpose());  // infinite where there is none
  Eigen::VectorXd u = Eigen::VectorXd::Zero(n + 1), v = u;
  std::vector<Eigen::Index> row_of(static_cast<std::size_t>(n) + 1, n), way(row_of.size(), n);  // column n: the source
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  for (Eigen::Index i = 0; i < n; ++i) {
    row_of[at(n)] = i;
    Eigen::Index column = n;
    Eigen::VectorXd least = Eigen::VectorXd::Constant(n, infinity);
    std::vector<bool> is_seen(static_cast<std::size_t>(n) + 1, false);
    do {
      is_seen[at(column)] = true;
      const Eigen::Index row = row_of[at(column)];
      Eigen::Index next = -1;
      double step = infinity;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (is_seen[at(j)]) continue;
        if (const double reduced = cost(row, j) - u(row) - v(j); reduced < least(j)) {
          least(j) = reduced;
          way[at(j)] = column;
        }
        if (least(j) < step) step = least(j), next = j;
      }
      if (next < 0) return {};
      for (Eigen::Index j = 0; j <= n; ++j) {
        if (is_seen[at(j)])
          u(row_of[at(j)]) += step, v(j) -= step;
        else if (j < n)
          least(j) -= step;
      }
      column = next;
    } while (row_of[at(column)] != n);
    for (; column != n; column = way[at(column)]) row_of[at(column)] = row_of[at(way[at(column)])];
  }
  // Powers of two, so that nothing is rounded.
  Scales scales{Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    scales.rows(i) = std::exp2(std::round(own.rows(i) + u(i)));
    scales.columns(i) = std::exp2(std::round(own.columns(i) + v(i)));
  }
  A = (scales.rows.asDiagonal() * A * scales.columns.asDiagonal()).eval();
  return scales;
}

Rank rank_of(int n, const MatrixEntries& entries, double threshold) {
  if (!std::all_of(entries.begin(), entries.end(), [](const auto& one) { return std::isfinite(one.value()); }))
    return {};
  if (n == 0) return {0, {}, {}};
  if (n > largest_small) {
    Eigen::SparseMatrix<double> S(n, n);
    S.setFromTriplets(entries.begin(), entries.end());
    if (is_regular(S, threshold)) return {n, {}, {}};
  }
  if (n > largest_combined) return {n - 1, {}, {}};
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  const auto fill = [&] {
    for (const auto& one : entries) A(one.row(), one.col()) = one.value();
  };
  fill();
  if (n <= largest_eliminated) {
    scale_roughly(A);
    if (RegularFactors().factor(A, threshold)) return {n, {}, {}};
    A.setZero();
    fill();
  }
  Eigen::VectorXd factor = n <= largest_assigned ? scale_by_assignment(A).rows : Eigen::VectorXd();
  if (factor.size() == 0) factor = equilibrate(A);
  const linear::PivotedQr qr(A);
  const double largest = std::abs(qr.pivot(0));
  Rank result{0, {}, {}};
  while (result.rank < n && std::abs(qr.pivot(result.rank)) > threshold * largest) ++result.rank;
  if (result.rank == n) return result;
  result.left_null = qr.Q().rightCols(n - result.rank);
  result.units = std::move(factor);
  return result;
}

int count_lone_entries(int n, const MatrixEntries& entries) {
  std::vector<bool> has_row(static_cast<std::size_t>(n), false), has_column = has_row;
  int count = 0;
  for (const auto& one : entries) {
    if (one.value() == 0) continue;
    const auto i = static_cast<std::size_t>(one.row()), j = static_cast<std::size_t>(one.col());
    if (has_row[i] || has_column[j]) return -1;
    has_row[i] = has_column[j] = true;
    ++count;
  }
  return count;
}

std::vector<int> make_sparse(Eigen::MatrixXd& W) {
  std::vector<int> pivots;
  std::vector<bool> is_taken(static_cast<std::size_t>(W.rows()), false);
  for (Eigen::Index k = 0; k < W.cols(); ++k) {
    Eigen::Index pivot = 0;
    double largest = -1;
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
      if (is_taken[static_cast<std::size_t>(i)] || std::abs(W(i, k)) <= largest) continue;
      largest = std::abs(W(i, k));
      pivot = i;
    }
    is_taken[static_cast<std::size_t>(pivot)] = true;
    pivots.push_back(static_cast<int>(pivot));
    W.col(k) /= W(pivot, k);
    for (Eigen::Index other = 0; other < W.cols(); ++other) {
      if (other != k) W.col(other) -= W(pivot, other) * W.col(k);
    }
  }
  return pivots;
}

bool RegularFactors::factor(const Eigen::MatrixXd& A, double threshold) {
  const Eigen::Index n = A.rows();
  if (n != A.cols()) return false;
  A_ = A;
  equation_.resize(static_cast<std::size_t>(n));
  std::iota(equation_.begin(), equation_.end(), Eigen::Index{0});
  unknown_ = equation_;
  double smallest = 0;
  Eigen::RowVectorXd most = n > 0 ? Eigen::RowVectorXd(A_.cwiseAbs().colwise().maxCoeff()) : Eigen::RowVectorXd();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index row = 0, column = 0;
    const double largest = most.tail(n - k).maxCoeff(&column);
    column += k;
    A_.col(column).tail(n - k).cwiseAbs().maxCoeff(&row);
    row += k;
    if (k == 0) smallest = 1e4 * threshold * largest;
    if (!(largest > smallest) || !std::isfinite(largest)) return false;
    if (row != k) {
      for (Eigen::Index j = 0; j < n; ++j) std::swap(A_(k, j), A_(row, j));
      std::swap(equation_[static_cast<std::size_t>(k)], equation_[static_cast<std::size_t>(row)]);
    }
    if (column != k) {
      A_.col(k).swap(A_.col(column));
      most(column) = most(k);
      std::swap(unknown_[static_cast<std::size_t>(k)], unknown_[static_cast<std::size_t>(column)]);
    }
    const Eigen::Index below = n - k - 1;
    A_.col(k).tail(below) /= A_(k, k);
    for (Eigen::Index j = k + 1; j < n; ++j) {
      if (A_(k, j) == 0) continue;  // nor has its largest entry changed, which is in another row
      A_.col(j).tail(below) -= A_(k, j) * A_.col(k).tail(below);
      most(j) = below > 0 ? A_.col(j).tail(below).cwiseAbs().maxCoeff() : 0;
    }
  }
  return true;
}

void RegularFactors::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const {
  const Eigen::Index n = A_.rows();
  Eigen::VectorXd work(n);
  for (Eigen::Index k = 0; k < n; ++k) work(k) = b(equation_[static_cast<std::size_t>(k)]);
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index i = k + 1; i < n; ++i) work(i) -= A_(i, k) * work(k);
  x.resize(n);
  for (Eigen::Index k = n; k-- > 0;) {
    const double value = work(k) / A_(k, k);
    for (Eigen::Index i = 0; i < k; ++i) work(i) -= A_(i, k) * value;
    x(unknown_[static_cast<std::size_t>(k)]) = value;
  }
}

}  // namespace pawl::formulate
