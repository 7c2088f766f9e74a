#include <algorithm>
#include <cmath>

#include "formulate/dae_rank.hpp"
#include "formulate/dae_stages.hpp"
#include "numerics/orthogonal.hpp"
#include "numerics/sparse_lu.hpp"

// One step of Newton's method for a stage.
namespace pawl::formulate {

namespace {

constexpr double free_weight = 1e-4;            // of unknowns that are no guesses, where weights have to do
constexpr double differentiated_weight = 1e-6;  // of F' against F, where both cannot hold

}  // namespace

/// The change of unknowns (in units of their sizes) that makes the linearized rows zero and moves guesses least.
bool Stages::step(const Vector& b, Vector& change) {
  factors_.emplace<std::monostate>();
  factor_ = scale_.cwiseInverse();
  if (keeps_values() && !is_array()) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].order > 0) factor_(static_cast<Eigen::Index>(i)) *= differentiated_weight;
  }
  const Vector right = -b.cwiseProduct(factor_);
  const bool is_jump = purpose_ == StagePurpose::jump && !is_together_;
  if (n_ > largest_dense) {
    const Matrix A = factor_.asDiagonal() * A_ * size_.asDiagonal();
    if (is_jump && sparse_jump(A, right, change)) return true;
    return sparse_step(A, right, weights(free_weight), change);
  }
  dense_.setZero(A_.rows(), A_.cols());
  for (Eigen::Index i = 0; i < A_.rows(); ++i)
    for (Matrix::InnerIterator entry(A_, i); entry; ++entry)
      dense_(i, entry.col()) = factor_(i) * entry.value() * size_(entry.col());
  if (!dense_.allFinite()) return false;
  const double threshold = is_array() ? array_threshold : keeps_values() ? 1e-14 : rank_threshold;
  if (dense_.rows() == dense_.cols()) {
    if (RegularFactors factors; factors.factor(dense_, threshold)) {
      factors_ = std::move(factors);
      return step_again(b, change);
    }
    eliminated_ = dense_;
    if (Scales scales = scale_by_assignment(eliminated_); scales.rows.size() > 0) {  // in units that fit it best
      if (linear::LeastNorm qr(eliminated_, threshold); qr.rank() == dense_.cols()) {
        factors_ = ScaledFactors{std::move(scales), std::move(qr)};
        return step_again(b, change);
      }
    }
  }
  linear::LeastNorm qr(dense_, threshold);
  if (keeps_values()) {
    factors_ = ScaledFactors{{}, std::move(qr)};
    return step_again(b, change);
  }
  change = qr.solve(right);
  if (qr.rank() == dense_.cols()) return change.allFinite();
  return take_free_part(qr.null_space(), is_jump, change);
}

/// The same with the matrix of the last one, and its units.
bool Stages::step_again(const Vector& b, Vector& change) {
  const Vector right = -b.cwiseProduct(factor_);
  if (const auto* regular = std::get_if<RegularFactors>(&factors_)) {
    regular->solve(right, change);
  } else {
    const auto& [scales, qr] = std::get<ScaledFactors>(factors_);
    if (scales.rows.size() > 0)
      change = scales.columns.cwiseProduct(qr.solve(right.cwiseProduct(scales.rows)));
    else
      change = qr.solve(right);
  }
  return change.allFinite();
}

/// Of all solutions change + Z p, that one which has the impulses, then the one that moves guesses least.
bool Stages::take_free_part(Eigen::MatrixXd Z, bool is_jump, Vector& change) const {
  if (is_jump) {
    const Balance balance = find_balance();
    const Eigen::Index own = change.size(), free = Z.cols(), impulses = balance.A.cols() - own;
    const Eigen::MatrixXd all = balance.A;
    Eigen::MatrixXd L(all.rows(), free + impulses);
    L << all.leftCols(own) * Z, all.rightCols(impulses);
    if (!L.allFinite()) return false;
    if (L.rows() > 0) {
      const linear::LeastNorm jump(L, rank_threshold);
      change += Z * jump.solve(balance.right - all.leftCols(own) * change).head(free);
      Z = Z * jump.null_space().topRows(free);
    }
  }
  if (Z.cols() == 0) return change.allFinite();
  const Vector kept = weights(0);
  Vector moved = change;
  if (is_array()) {  // many iterations: what counts is the way from the guess, not from the last of them
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const auto [state, order] = unknowns_[j];
      const auto k = static_cast<Eigen::Index>(j);
      if (order == 0) moved(k) += (z(0)[state] - before_[at(state)]) / size_(k);
    }
  }
  change -= Z * linear::LeastNorm(kept.asDiagonal() * Z, rank_threshold).solve(kept.asDiagonal() * moved);
  return change.allFinite();
}

Stages::Balance Stages::find_balance() const {
  std::vector<int> place(at(n_), -1), impulse(at(n_), -1);
  for (std::size_t j = 0; j < unknowns_.size(); ++j)
    if (unknowns_[j].order == 0) place[at(unknowns_[j].state)] = static_cast<int>(j);
  auto columns = static_cast<int>(unknowns_.size());
  for (int j = 0; j < n_; ++j)
    if (structure_.d[at(j)] == -stage_ - 1) impulse[at(j)] = columns++;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> right;
  for (int i = 0; i < n_; ++i) {
    if (structure_.c[at(i)] != -stage_ - 1) continue;
    const auto row = static_cast<int>(right.size());
    double sum = 0;
    for (const auto& [equation, order, factor] : structure_.rows[at(i)]) {
      if (order > 1) continue;
      for (const auto& [j, e] : form_.equations().by_row().row(equation)) {
        if (structure_.d[at(j)] == -stage_) {
          const double mass = factor * (order == 0 ? sample_.M[at(e)] : -sample_.J[at(e)]);
          sum -= mass * (z(0)[j] - before_[at(j)]);
          if (place[at(j)] >= 0) entries.emplace_back(row, place[at(j)], mass * size_(place[at(j)]));
        }
        if (impulse[at(j)] >= 0 && order == 0) entries.emplace_back(row, impulse[at(j)], -factor * sample_.J[at(e)]);
      }
    }
    right.push_back(sum);
  }
  Balance result{{static_cast<Eigen::Index>(right.size()), columns},
                 Eigen::Map<Eigen::VectorXd>(right.data(), static_cast<Eigen::Index>(right.size()))};
  result.A.setFromTriplets(entries.begin(), entries.end());
  scale(result);
  return result;
}

/// Rows to about one; of the columns only those of impulses, which have no size of their own.
void Stages::scale(Balance& balance) const {
  for (int sweep = 0; sweep < 3; ++sweep) {
    Eigen::VectorXd columns = Eigen::VectorXd::Ones(balance.A.cols());
    columns.tail(balance.A.cols() - A_.cols()).setZero();
    for (Eigen::Index i = 0; i < balance.A.rows(); ++i) {
      double largest = 0;
      for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
        largest = std::max(largest, std::abs(entry.value()));
      if (!(largest > 0) || !std::isfinite(largest)) continue;
      balance.right(i) /= largest;
      for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry) {
        entry.valueRef() /= largest;
        if (entry.col() >= A_.cols()) columns(entry.col()) = std::max(columns(entry.col()), std::abs(entry.value()));
      }
    }
    for (Eigen::Index i = 0; i < balance.A.rows(); ++i)
      for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
        if (columns(entry.col()) > 0) entry.valueRef() /= columns(entry.col());
  }
}

/// Constraints and balance in one sparse system. False: it is singular.
bool Stages::sparse_jump(const Matrix& A, const Vector& right, Vector& change) const {
  const Balance balance = find_balance();
  if (A.rows() + balance.A.rows() > balance.A.cols()) return false;
  Matrix both(A.rows() + balance.A.rows(), balance.A.cols());
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Matrix::InnerIterator entry(A, i); entry; ++entry)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(entry.col()), entry.value());
  for (Eigen::Index i = 0; i < balance.A.rows(); ++i)
    for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
      entries.emplace_back(static_cast<int>(A.rows() + i), static_cast<int>(entry.col()), entry.value());
  both.setFromTriplets(entries.begin(), entries.end());
  Vector rhs(both.rows()), weight = Vector::Constant(both.cols(), free_weight), all;
  rhs << right, balance.right;
  weight.head(A.cols()) = weights(free_weight);
  if (!sparse_step(both, rhs, weight, all)) return false;
  change = all.head(A.cols());
  return true;
}

/// In what unit changes of a guess are compared with those of others: components of one vector must have the same.
double Stages::weight_size(const Unknown& one) const {
  const std::vector<double>& nominals = form_.equations().model().nominals;
  return !nominals.empty() && nominals[at(one.state)] > 0 ? nominals[at(one.state)] : 1.0;
}
/// How much changes of unknowns count: those of guesses, and next to nothing the others.
Stages::Vector Stages::weights(double of_others) const {
  Vector result = Vector::Constant(static_cast<Eigen::Index>(unknowns_.size()), of_others);
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    if (is_guess(unknowns_[j])) result(k) = size_(k) / weight_size(unknowns_[j]);
  }
  return result;
}

// Many unknowns: one sparse factorization. Weights stand for the order in which unknowns are to be kept.
bool Stages::sparse_step(const Matrix& A, const Vector& right, const Vector& weights, Vector& change) {
  const Eigen::Index m = A.rows(), n = A.cols();
  Eigen::SparseMatrix<double> K;
  Vector rhs;
  if (m == n) {
    K = A;
    rhs = right;
  } else {
    // m < n: W x + A^T l = 0, A x = b. m > n: r + A x = b, A^T r = 0.
    std::vector<Eigen::Triplet<double>> entries;
    const Eigen::Index shift = m < n ? n : m;
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Matrix::InnerIterator entry(A, i); entry; ++entry) {
        const auto a = static_cast<int>(m < n ? n + i : i), b = static_cast<int>(m < n ? entry.col() : m + entry.col());
        entries.emplace_back(a, b, entry.value());
        entries.emplace_back(b, a, entry.value());
      }
    }
    for (Eigen::Index k = 0; k < shift; ++k) {
      const double weight = m < n ? weights(k) : 1;
      entries.emplace_back(static_cast<int>(k), static_cast<int>(k), weight * weight);
    }
    K.resize(m + n, m + n);
    K.setFromTriplets(entries.begin(), entries.end());
    rhs = Vector::Zero(m + n);
    rhs.segment(m < n ? n : 0, m) = right;
  }
  K.makeCompressed();
  Vector all;
  if (!linear::solve_sparse(K, rhs, all)) return false;
  change = m > n ? Vector(all.tail(n)) : Vector(all.head(n));
  return change.allFinite();
}

}  // namespace pawl::formulate
