#include "stabilize/equation_pull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/orthogonal.hpp"

namespace pawl::stabilize {

namespace {
constexpr int most_rounds = 10;  // of invariants and constraints in turns
}

EquationPull::EquationPull(const System::Declarations& model, Follow follow, StepControl control)
    : follow_(std::move(follow)), control_(std::move(control)), invariants_(model) {
  for (std::vector<double>* one : {&start_, &rates_, &allowed_}) one->resize(model.state_names.size());
  for (std::vector<double>* one : {&residual_, &rounding_}) one->resize(static_cast<std::size_t>(invariants_.rows()));
}

void EquationPull::take_levels(double t, const double* x, const Held& held) {
  if (invariants_.rows() == 0) return;
  invariants_.lock(held);
  invariants_.take_levels(t, x);
}

bool EquationPull::begin(double t, const double* /*x*/, double h) {
  step_ = std::min(std::abs(h), 1.0);
  is_retaken_ = t == from_ && is_applied_;
  if (t != from_) unkept_.clear();
  from_ = t;
  is_applied_ = false;
  return false;
}

double EquationPull::apply(double t, double* x) {
  formulate::DaeForm& form = follow_(t, x);
  is_applied_ = true;
  const bool is_left_off = leaves_something(form);
  const bool is_of_event = is_retaken_ && form.structure().index == 2;
  matrices_.clear();
  if (!is_left_off && !is_of_event) return is_watched_well(t, x) ? 0 : std::numeric_limits<double>::infinity();
  const std::size_t n = start_.size();
  std::copy(x, x + n, start_.begin());
  std::fill(rates_.begin(), rates_.end(), 0.0);
  failure_ = formulate::find_consistent(form, t, x, rates_.data(), {}, true, &matrices_).failure;
  if (failure_.empty() && invariants_.rows() > 0) failure_ = meet_invariants(form, t, x, form.held());
  if (!failure_.empty() || !is_watched_well(t, x)) return std::numeric_limits<double>::infinity();
  ++applied_;
  if (!is_left_off) return 0;  // known to the tolerance, and now to rounding
  // Unknowns that are not differentiated follow from the others: how far they were off is no error of the motion. Where
  // steps solve equations of higher index, so do speeds, up to the error of positions over the step.
  const std::vector<int>& orders = form.structure().d;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (orders[i] == 0) continue;
    const double move = std::abs(x[i] - start_[i]);
    const int index = is_of_field(form) ? 1 : form.structure().roles[i].index;
    const double scale = (control_.absolute[i] + control_.relative * std::max(std::abs(x[i]), std::abs(start_[i]))) /
                         (index <= 1   ? 1
                          : index == 2 ? step_
                                       : step_ * step_);
    largest_move_ = std::max(largest_move_, move);
    largest_in_tolerance_ = std::max(largest_in_tolerance_, move / scale);
    sum += (move / scale) * (move / scale);
    count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

bool EquationPull::is_watched_well(double t, const double* x) {
  if (!watch_) return true;
  for (std::size_t i = 0; i < allowed_.size(); ++i)
    allowed_[i] = control_.absolute[i] + control_.relative * std::abs(x[i]);
  std::string unkept = watch_(t, x, allowed_.data());
  const bool is_well = unkept.empty();
  if (!is_well) unkept_ = std::move(unkept);
  return is_well;
}

std::string EquationPull::settle(double t, double* x) {
  formulate::DaeForm& form = follow_(t, x);
  std::fill(rates_.begin(), rates_.end(), 0.0);
  std::string failure = formulate::find_consistent(form, t, x, rates_.data(), {}, true).failure;
  return failure.empty() ? meet_invariants(form, t, x, form.held()) : failure;
}

std::string EquationPull::meet_invariants(formulate::DaeForm& form, double t, double* x, const Held& held) {
  if (invariants_.rows() == 0) return {};
  invariants_.lock(held);
  for (int round = 0; round < most_rounds; ++round) {
    if (!move_to_invariants(form, t, x)) return {};
    if (std::string failure = formulate::find_consistent(form, t, x, rates_.data(), {}, true).failure; !failure.empty())
      return failure;
  }
  return {};
}

/// False: they hold but for rounding.
bool EquationPull::move_to_invariants(const formulate::DaeForm& form, double t, double* x) {
  invariants_.residual(t, x, residual_.data());
  invariants_.evaluate_jacobian(t, x);
  invariants_.rounding(x, rounding_.data());
  bool is_off = false;
  for (std::size_t k = 0; k < residual_.size(); ++k) is_off = is_off || !(std::abs(residual_[k]) <= 4 * rounding_[k]);
  if (!is_off) return false;
  Eigen::MatrixXd H = invariants_.jacobian();
  for (Eigen::Index i = 0; i < H.cols(); ++i)
    if (form.structure().d[static_cast<std::size_t>(i)] == 0) H.col(i).setZero();
  const Eigen::Map<const Eigen::VectorXd> r(residual_.data(), H.rows());
  const Eigen::VectorXd move = linear::LeastNorm(H).solve(r);
  if (!move.allFinite()) return false;
  for (Eigen::Index i = 0; i < H.cols(); ++i) x[i] -= move(i);
  return true;
}

}  // namespace pawl::stabilize
