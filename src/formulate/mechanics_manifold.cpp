// Of a mechanism: the levels of its manifold, corrections, and dense matrices for whoever wants them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulate/mechanics_form.hpp"

namespace pawl::formulate {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void MechanicsForm::residual(int level, double t, const double* x, double* r) {
  prepare(t, x);
  if (level == 0) {
    terms_.evaluate_values(t, x, r);
  } else if (level == 1) {
    terms_.rate_of_positions(x);
    terms_.evaluate_motion(t, x);
    std::copy(terms_.slope.begin(), terms_.slope.end(), r);
  } else {
    invariants_.residual(t, x, r);
    invariants_.evaluate_jacobian(t, x);
  }
}

// What is left when every term of the row is rounded: eps Σ |G_ij x_j|. A coordinate near zero among others counts as
// a hundredth of the largest: what a correction does to it is rounded by the size of the others.
void MechanicsForm::rounding(int level, double /*t*/, const double* x, double* size) {
  if (level == 2) return invariants_.rounding(x, size);
  const SparseRows& G = terms_.pattern();
  const MechanicsInfo& info = terms_.info();
  double largest = 0;
  if (level == 0) {
    for (std::size_t i = 0; i < info.positions.size(); ++i) {
      const double q = std::abs(x[info.positions[i]]);
      largest = std::max(largest, q);
      if (info.speed_of[i] >= 0) d_[at(info.speed_of[i])] = q;
    }
    for (const auto& [first, first_speed] : info.attitudes) std::fill_n(d_.begin() + first_speed, 3, 1.0);
  } else {
    for (std::size_t i = 0; i < info.speeds.size(); ++i) {
      d_[i] = std::abs(x[info.speeds[i]]);
      largest = std::max(largest, d_[i]);
    }
  }
  for (int r = 0; r < rows(level); ++r) {
    double sum = 0;
    for (int k = G.first[at(r)]; k < G.first[at(r + 1)]; ++k)
      sum += std::abs(terms_.jacobian[at(k)]) * std::max(d_[at(G.column[at(k)])], 0.01 * largest);
    size[r] = eps * sum;
  }
}

void MechanicsForm::correct(int level, const double* r, double* x) {
  const MechanicsInfo& info = terms_.info();
  if (level == 2) return correct_invariants(r, x);
  for (int k = 0; k < terms_.rows(); ++k) rhs_[at(k)] = k < rows(level) ? r[k] : 0;
  kkt_->pull(rhs_.data(), d_.data());
  if (level == 0) {
    terms_.move_positions(d_.data(), x);
  } else {
    for (std::size_t i = 0; i < info.speeds.size(); ++i) x[info.speeds[i]] += d_[i];
  }
}

// Along M^-1 times the gradient, made tangential: positions by the derivative by positions, speeds by that by speeds.
// Near rest the latter vanishes alone; both together do not.
void MechanicsForm::correct_invariants(const double* r, double* x) {
  const MechanicsInfo& info = terms_.info();
  const auto& H = invariants_.jacobian();
  const Eigen::Index k = H.rows();
  InvariantWork& w = invariant_work_;
  for (Eigen::Index j = 0; j < k; ++j) {
    std::fill(rhs_.begin(), rhs_.end(), 0.0);
    terms_.force_of_positions(H.row(j).data(), x, w.by_position.col(j).data());
    kkt_->solve(w.by_position.col(j).data(), rhs_.data(), w.along_position.col(j).data(), lambda_.data());
    for (std::size_t i = 0; i < info.speeds.size(); ++i)
      w.by_speed(static_cast<Eigen::Index>(i), j) = H(j, info.speeds[i]);
    std::fill(rhs_.begin(), rhs_.end(), 0.0);
    kkt_->solve(w.by_speed.col(j).data(), rhs_.data(), w.along_speed.col(j).data(), lambda_.data());
  }
  has_last_ = false;  // the multipliers were overwritten
  w.gram.noalias() = w.by_position.transpose() * w.along_position;
  w.gram.noalias() += w.by_speed.transpose() * w.along_speed;
  for (const int o : others_) w.gram.noalias() += H.col(o) * H.col(o).transpose();
  w.factors.compute(w.gram);
  w.share = w.factors.solve(Eigen::Map<const Eigen::VectorXd>(r, k));
  for (Eigen::Index j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < d_.size(); ++i)
      d_[i] = (j == 0 ? 0 : d_[i]) - w.along_position(static_cast<Eigen::Index>(i), j) * w.share(j);
  }
  terms_.move_positions(d_.data(), x);
  for (Eigen::Index j = 0; j < k; ++j) {
    for (const int o : others_) x[o] -= H(j, o) * w.share(j);
    for (std::size_t i = 0; i < info.speeds.size(); ++i)
      x[info.speeds[i]] -= w.along_speed(static_cast<Eigen::Index>(i), j) * w.share(j);
  }
}

bool MechanicsForm::refactor(double t, const double* x) {
  prepare(t, x);
  has_last_ = false;
  terms_.evaluate_mass(t, x);  // no forces: this is no evaluation of the right-hand side
  terms_.evaluate_jacobian(t, x);
  return factor(t);
}

void MechanicsForm::jacobian(int level, double t, const double* x, double* J) {
  prepare(t, x);
  const MechanicsInfo& info = terms_.info();
  const Eigen::Index states = static_cast<Eigen::Index>(x_last_.size()), n = terms_.size();
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(J, rows(level), states);
  if (level == 2) {
    invariants_.evaluate_jacobian(t, x);
    all = invariants_.jacobian();
    return;
  }
  all.setZero();
  const Eigen::MatrixXd G = dense_jacobian(t, x);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_position(terms_.rows(), n);
  if (level == 1) terms_.evaluate_slope_jacobian(t, x, by_position.data());
  for (Eigen::Index r = 0; r < rows(level); ++r) {
    const auto by_speed = [&](Eigen::Index speed) { return level == 0 ? G(r, speed) : by_position(r, speed); };
    for (std::size_t i = 0; i < info.positions.size(); ++i) {
      if (info.speed_of[i] >= 0) all(r, info.positions[i]) = by_speed(info.speed_of[i]);
    }
    for (std::size_t a = 0; a < info.attitudes.size(); ++a) {  // q' = S w with S^T S = 1/4, so w = 4 S^T q'
      double map[4][3];
      terms_.attitude_map(static_cast<int>(a), x, map);
      const auto& [first, first_speed] = info.attitudes[a];
      for (int i = 0; i < 4; ++i) {
        for (int axis = 0; axis < 3; ++axis)
          all(r, info.positions[at(first + i)]) += 4 * map[i][axis] * by_speed(first_speed + axis);
      }
    }
    if (level == 0) continue;
    for (std::size_t i = 0; i < info.speeds.size(); ++i) all(r, info.speeds[i]) = G(r, static_cast<Eigen::Index>(i));
  }
}

void MechanicsForm::surface(double t, const double* x, double* s) {
  prepare(t, x);
  terms_.rate_of_positions(x);
  terms_.evaluate_motion(t, x);
  for (int r = 0; r < terms_.rows(); ++r)
    s[r] = terms_.slope[at(r)] + (r < terms_.holonomic() ? direction_ * formulation_.first * terms_.value[at(r)] : 0);
}

// ---- dense matrices ----

Eigen::MatrixXd MechanicsForm::to_dense(const MechanicsTerms& terms) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(terms.rows(), terms.size());
  const SparseRows& pattern = terms.pattern();
  for (int r = 0; r < terms.rows(); ++r) {
    for (int k = pattern.first[at(r)]; k < pattern.first[at(r + 1)]; ++k)
      G(r, pattern.column[at(k)]) = terms.jacobian[at(k)];
  }
  return G;
}

Eigen::MatrixXd MechanicsForm::dense_jacobian(double t, const double* x) {
  prepare(t, x);
  const std::vector<double> kept = terms_.jacobian;
  terms_.evaluate_jacobian(t, x);
  Eigen::MatrixXd G = to_dense(terms_);
  terms_.jacobian = kept;
  return G;
}

Eigen::MatrixXd MechanicsForm::dense_mass(double t, const double* x) {
  prepare(t, x);
  const std::vector<double> kept = terms_.mass;
  terms_.evaluate_mass(t, x);
  Eigen::MatrixXd M = last_mass();
  if (!terms_.inertia().is_constant()) terms_.mass = kept;
  return M;
}

Eigen::MatrixXd MechanicsForm::last_jacobian() const {
  return to_dense(terms_);
}

Eigen::MatrixXd MechanicsForm::last_mass() const {
  const int n = terms_.size();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  const SparseRows& pattern = terms_.mass_pattern();
  for (int i = 0; i < n; ++i) {
    if (terms_.is_sparse()) {
      for (int k = pattern.first[at(i)]; k < pattern.first[at(i + 1)]; ++k)
        M(i, pattern.column[at(k)]) = M(pattern.column[at(k)], i) = terms_.mass[at(k)];
    } else {
      for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = terms_.mass[at(i * n + j)];
    }
  }
  return M;
}

}  // namespace pawl::formulate
