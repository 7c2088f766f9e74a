#include "formulate/dae_stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

namespace {

constexpr int most_iterations = 1000;    // an exponential is descended by a factor e in each
constexpr int most_of_array = 60;        // of the derivative array
constexpr double kept_reduction = 1e-3;  // of residuals by a step, below which its matrix serves for the next one
constexpr double close = 1e-7;           // relative changes below which Newton's method is left alone
constexpr double consistent = 1e-9;      // residuals, relative to their terms
constexpr double as_good_as_it_gets = 4e-15;

}  // namespace

Stages::Stages(DaeForm& form, double t, const double* y, const double* dy, std::vector<bool> fixed,
               StagePurpose purpose)
    : form_(form), structure_(form.structure()), t_(t), n_(form.size()), fixed_(std::move(fixed)), purpose_(purpose) {
  highest_order_ = 3;
  for (int i = 0; i < static_cast<int>(structure_.c.size()); ++i)
    highest_order_ = std::max(highest_order_, structure_.differentiations(i) + 2);
  z_.assign(at((highest_order_ + 1) * n_), 0.0);
  r_.assign(z_.size(), 0.0);
  for (int j = 0; j < n_; ++j) {
    z(0)[j] = y[j];
    if (dy != nullptr && std::isfinite(dy[j])) z(1)[j] = dy[j];
  }
  before_.assign(y, y + n_);
  fixed_.resize(at(n_), purpose == StagePurpose::rates);
  if (purpose == StagePurpose::field)
    for (int j = 0; j < n_; ++j) fixed_[at(j)] = !structure_.d.empty() && structure_.d[at(j)] > 0;
  unknowns_.reserve(at(n_));
  rows_.reserve(at(n_));
}

int Stages::highest_stage() const {
  return *std::max_element(structure_.d.begin(), structure_.d.end());
}

std::string Stages::run(StageMatrices* matrices) {
  if (!structure_.failure.empty()) return structure_.failure;
  if (n_ == 0) return {};
  if (is_array()) return run_array();
  const int highest = highest_stage();
  // A fixed value may ask for a change of something that an earlier stage has settled.
  const bool any_fixed = std::find(fixed_.begin(), fixed_.end(), true) != fixed_.end();
  const bool may_be_together = any_fixed && n_ <= largest_dense && !keeps_values();
  const std::vector<double> guess = may_be_together ? z_ : std::vector<double>();
  std::string failure;
  for (int stage = -highest; stage <= 0 && failure.empty(); ++stage) {
    arrange(stage);
    failure = solve();
    if (matrices != nullptr && n_ <= largest_dense && !rows_.empty()) matrices->push_back(matrix());
  }
  if (!failure.empty() && may_be_together) {
    z_ = guess;
    is_together_ = true;
    arrange_together();
    failure = solve();
    is_together_ = false;
  }
  if (failure.empty() && has_exact_rates(highest)) take_algebraic_rates();
  return failure;
}

/// All derivatives of all equations. What they leave open of the highest ones stays as near to the last motion as it
/// can.
std::string Stages::run_array() {
  std::vector<double>& last = form_.last_motion;
  if (last.size() == z_.size()) std::copy(last.begin() + n_, last.end(), z_.begin() + n_);
  is_together_ = true;
  arrange_together();
  std::string failure = solve();
  if (failure.empty()) last = z_;
  return failure;
}

/// Off the motion equations that say the same may seem to differ: so it is looked at where the whole array holds.
DaeArray Stages::judge_array() {
  for (int j = 0; j < n_; ++j)
    for (int k = 1; k <= structure_.array + 1; ++k) z(k)[j] = std::cos(1.0 + 3.0 * j + 17.0 * k) * nominal(j);
  is_together_ = true;
  arrange_together();
  if (!solve().empty()) return {};
  linearize();
  std::vector<Eigen::Index> rates, others;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    if (unknowns_[j].order == 1) rates.push_back(static_cast<Eigen::Index>(j));
    if (unknowns_[j].order > 1) others.push_back(static_cast<Eigen::Index>(j));
  }
  const Eigen::MatrixXd all = scale_.cwiseInverse().asDiagonal() * A_ * size_.asDiagonal();
  if (!all.allFinite() || linear::LeastNorm(all, array_threshold).rank() < all.rows()) return {};
  Eigen::MatrixXd moving(all.rows(), n_ + static_cast<Eigen::Index>(others.size()));
  for (Eigen::Index j = 0; j < moving.cols(); ++j)
    moving.col(j) = all.col(j < n_ ? rates[static_cast<std::size_t>(j)] : others[static_cast<std::size_t>(j - n_)]);
  const linear::LeastNorm least(moving, array_threshold);
  const Eigen::MatrixXd open = least.null_space();
  if (open.cols() > 0 && open.topRows(n_).cwiseAbs().maxCoeff() > 1e3 * array_threshold) return {};
  return {structure_.array, static_cast<int>(moving.rows() - least.rank())};
}

StageMatrices Stages::all_matrices() {
  StageMatrices all;
  if (is_array() || !structure_.failure.empty() || n_ == 0 || n_ > largest_dense) return all;
  for (int stage = -highest_stage(); stage <= 0; ++stage) {
    arrange(stage);
    if (rows_.empty()) continue;
    linearize();
    all.push_back(matrix());
  }
  return all;
}

/// The matrix of the last stage is S.
std::string Stages::respond(const Eigen::MatrixXd& on_rows, ImpulseResponse& out) {
  if (!structure_.failure.empty()) return structure_.failure;
  out.jumps = out.impulses = Eigen::MatrixXd::Zero(n_, on_rows.cols());
  arrange(0);
  linearize();
  for (Eigen::Index k = 0; k < on_rows.cols(); ++k) {
    Vector b(n_), change;
    for (int i = 0; i < n_; ++i) b(i) = structure_.c[at(i)] == 0 ? on_rows(structure_.rows[at(i)].front().row, k) : 0.0;
    const bool is_solved = factors_.index() > 0 ? step_again(b, change) : step(b, change);
    if (!is_solved || (n_ <= largest_dense && factors_.index() == 0)) return "the equations do not determine them";
    for (int j = 0; j < n_; ++j) {
      const double w = change(j) * size_(j);
      if (structure_.d[at(j)] == 1) out.jumps(j, k) = w;
      if (structure_.d[at(j)] == 0) out.impulses(j, k) = w;
    }
  }
  return {};
}

/// Rates of algebraic unknowns take one derivative more: exactly, or by one difference of the second.
bool Stages::has_exact_rates(int highest) const {
  for (int i = 0; i < n_; ++i) {
    for (const RowPart& part : structure_.rows[at(i)]) {
      const int order = structure_.c[at(i)] + part.order;
      if (order < 2 || form_.equations().takes_series(part.row)) continue;
      if (highest > 2 || !form_.equations().takes_jets(part.row)) return false;
    }
  }
  return true;
}

void Stages::arrange(int stage) {
  stage_ = stage;
  is_linearized_ = false;
  unknowns_.clear();
  rows_.clear();
  for (int j = 0; j < n_; ++j) {
    const int order = structure_.d[at(j)] + stage;
    if (order >= 0 && !(order == 0 && fixed_[at(j)])) unknowns_.push_back({j, order});
  }
  for (int i = 0; i < n_; ++i) {
    if (structure_.c[at(i)] + stage >= 0) rows_.push_back({i, structure_.c[at(i)] + stage});
  }
}

/// All stages at once.
void Stages::arrange_together() {
  is_linearized_ = false;
  unknowns_.clear();
  rows_.clear();
  for (int j = 0; j < n_; ++j)
    for (int order = fixed_[at(j)] ? 1 : 0; order <= structure_.d[at(j)]; ++order) unknowns_.push_back({j, order});
  for (int i = 0; i < n_; ++i)
    for (int order = 0; order <= structure_.c[at(i)]; ++order) rows_.push_back({i, order});
}

std::string Stages::solve() {
  if (rows_.empty()) return {};
  if (unknowns_.empty()) return keeps_values() ? std::string() : check_without_unknowns();
  Vector b, change;
  residual(b);
  if (!b.allFinite()) return say_not_finite(b);
  if (!keeps_values()) {
    linearize();
    if (is_within(b, as_good_as_it_gets, as_good_as_it_gets)) return {};
  }
  double last = std::numeric_limits<double>::infinity();
  bool is_stuck = false, holds = false;  // holds: the last matrix is good enough for another step
  const int most = is_array() ? most_of_array : most_iterations;
  for (int iteration = 0; iteration < most && !is_stuck; ++iteration) {
    const bool may_be_old = keeps_values() && iteration == 0;
    if (!holds) linearize(may_be_old ? Sample::of_values : Sample::here);
    if (!(holds ? step_again(b, change) : step(b, change))) return say_stuck(b);
    const double size = relative(change);
    if (size == 0) break;
    if (holds && size > 0.05 * last) {
      if (size <= close && size > 0.3 * last) break;
      holds = false;
      continue;
    }
    const double before = keeps_values() ? b.cwiseQuotient(scale_).norm() : 0;
    if (size <= close) {
      // At the end rounding decides; more steps than that do no good.
      if (size > 0.3 * last) break;
      kept_ = z_;
      move(change, 1);
      if (keeps_values() && iteration > 0 && size * (size / last) < 1e-17) break;  // the next one would be rounding
      residual(trial_);
      if (!trial_.allFinite()) {
        z_ = kept_;
        break;
      }
      b.swap(trial_);
      if (size < 1e-15) break;
    } else {
      is_stuck = !search(change, b) && !may_be_old;
    }
    holds = keeps_values() && factors_.index() > 0 && b.cwiseQuotient(scale_).norm() <= kept_reduction * before;
    last = size;
  }
  if (keeps_values()) return {};
  linearize();
  return is_within(b, consistent, 1e-12) || is_rounding(b) ? std::string() : say_stuck(b);
}

std::string Stages::check_without_unknowns() {
  Vector b;
  residual(b);
  if (!b.allFinite()) return say_not_finite(b);
  linearize();
  return is_within(b, consistent, 0) ? std::string() : say_stuck(b);
}

/// A part of the step that reduces what the residual is beyond the rounding of its terms (Armijo); false: there is
/// none.
bool Stages::search(const Vector& change, Vector& b) {
  Vector rounding(b.size());
  for (Eigen::Index i = 0; i < b.size(); ++i) rounding(i) = as_good_as_it_gets * term_size(static_cast<std::size_t>(i));
  const auto excess = [&](const Vector& r) {
    return (r.cwiseAbs() - rounding).cwiseMax(0.0).cwiseQuotient(scale_).squaredNorm();
  };
  const double before = excess(b);
  if (before == 0) return false;
  kept_ = z_;
  for (double factor = 1; factor > 1e-9; factor /= 2) {
    z_ = kept_;
    move(change, factor);
    residual(trial_);
    if (!trial_.allFinite() || !(excess(trial_) <= (1 - 1e-4 * factor) * before)) continue;
    b.swap(trial_);
    return true;
  }
  z_ = kept_;
  return false;
}

void Stages::move(const Vector& change, double factor) {
  is_linearized_ = false;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    z(unknowns_[j].order)[unknowns_[j].state] += factor * change(k) * size_(k);
  }
}

/// The largest change, each relative to the size its unknown has.
double Stages::relative(const Vector& change) const {
  std::vector<double> largest(at(highest_order_ + 1), 0.0);
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto [state, order] = unknowns_[j];
    const auto k = static_cast<Eigen::Index>(j);
    const double value = z(order)[state], next = value + change(k) * size_(k);
    largest[at(order)] = std::max(largest[at(order)], std::max(std::abs(value), std::abs(next)) / nominal(state));
  }
  double result = 0;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto [state, order] = unknowns_[j];
    const auto k = static_cast<Eigen::Index>(j);
    const double whole = order == 0 ? nominal(state) : nominal(state) * largest[at(order)];
    if (change(k) != 0) result = std::max(result, std::abs(change(k)) * size_(k) / whole);
  }
  return result;
}

/// Whether the rows are zero, relative to their terms as they are and as they may be: rows whose terms happen to vanish
/// still have rounding.
bool Stages::is_within(const Vector& b, double of_terms, double of_nominals) const {
  const double rate = fastest_rate();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double rounding = of_nominals > 0 ? of_nominals * nominal_term_size(i, rate) : 0.0;
    if (!(std::abs(b(static_cast<Eigen::Index>(i))) <= of_terms * term_size(i) + rounding)) return false;
  }
  return true;
}

/// Whether these residuals move unknowns no further than the rounding of the terms of all rows does. Where large forces
/// balance, all that there is of accelerations is what they round to, and rows of accelerations have no other terms.
/// Where these rows determine accelerations without the forces, what is left is what solving for both at once rounds
/// to.
bool Stages::is_rounding(const Vector& b) const {
  if (n_ > largest_dense) return false;
  const Eigen::MatrixXd A = scale_.cwiseInverse().asDiagonal() * A_ * size_.asDiagonal();
  if (!A.allFinite()) return false;
  const linear::LeastNorm inverse(A, rank_threshold);
  if (inverse.rank() < A.rows()) return false;
  Vector moved = Vector::Zero(A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double rounding = as_good_as_it_gets * term_size(static_cast<std::size_t>(i)) / scale_(i);
    moved += inverse.solve(rounding * Vector::Unit(A.rows(), i)).cwiseAbs();
  }
  const double of_solving = std::numeric_limits<double>::epsilon() * static_cast<double>(A.cols()) * moved.maxCoeff();
  return (inverse.solve(b.cwiseQuotient(scale_)).cwiseAbs().array() <= moved.array() + of_solving).all();
}

/// One stage beyond the last: linear, for the rates of algebraic unknowns.
void Stages::take_algebraic_rates() {
  arrange(1);
  const std::vector<double> found(z(1), z(1) + n_);
  const auto give_up = [&] { std::copy(found.begin(), found.end(), z(1)); };
  for (const Unknown& one : unknowns_) z(one.order)[one.state] = 0;
  Vector b, change;
  residual(b);
  if (!b.allFinite()) return give_up();
  linearize();
  const StagePurpose purpose = std::exchange(purpose_, StagePurpose::start);
  const bool is_solved = step(b, change);
  purpose_ = purpose;
  if (!is_solved) return give_up();
  move(change, 1);
}

}  // namespace pawl::formulate
