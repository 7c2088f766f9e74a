#include "simulate/shared_loads.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/quaternion_rate.hpp"
#include "numerics/orthogonal.hpp"
#include "stabilize/consistent_start.hpp"

namespace pawl::detail {

namespace {

constexpr double beside = 1e-3;    // of the largest coordinate
constexpr int most_halvings = 20;  // of that, until there is a position

}  // namespace

SharedLoads::SharedLoads(Shared mechanism) : mechanism_(std::move(mechanism)) {}

bool SharedLoads::project(formulate::MechanicsForm& form, double t, std::vector<double>& x,
                          const std::vector<std::string>& fixed) const {
  return stabilize::project_start(form, *mechanism_, t, x, fixed).failure.empty();
}

/// False: there is nothing to share. The form is a new one: what was redundant elsewhere need not be so here.
bool SharedLoads::look(const double* x, Held& held) {
  held.shares.clear();
  if (mechanism_->mechanics->rows < 2) return false;
  x_.assign(x, x + std::max(mechanism_->state_names.size(), held.states));  // forces may read what is beside it
  form_.emplace(mechanism_, formulate::Formulation());
  form_->lock(held);
  held_ = held;
  return true;
}

bool SharedLoads::share(double t, const double* x, Held& held, const std::vector<int>& unloaded) {
  return look(x, held) && share_here(t, held, unloaded);
}

bool SharedLoads::share_at_start(double t, const double* x, Held& held, const std::vector<std::string>& fixed) {
  // Where there is no such position, the search for consistent values says so.
  return look(x, held) && project(*form_, t, x_, fixed) && share_here(t, held, {});
}

bool SharedLoads::share_here(double t, Held& held, const std::vector<int>& unloaded) {
  if (!form_->refactor(t, x_.data()) || form_->redundant_rows().empty()) return false;
  const formulate::MechanicsForm::RowsInForce all = form_->rows_in_force(t, x_.data());
  Eigen::MatrixXd N = linear::LeastNorm(all.G.transpose(), 1e-9).null_space();
  std::vector<Eigen::VectorXd> zero;  // combinations of multipliers
  for (const int row : unloaded) {
    const auto place = std::find(all.declared.begin(), all.declared.end(), row);
    if (place == all.declared.end() || N.cols() == 0) continue;
    const Eigen::Index i = place - all.declared.begin();
    if (N.row(i).norm() < 1e-6) continue;  // it is determined
    zero.emplace_back(Eigen::VectorXd::Unit(N.rows(), i));
    N = (N * linear::LeastNorm(N.row(i)).null_space()).eval();
  }
  for (Eigen::Index k = 0; k < N.cols(); ++k) zero.emplace_back(N.col(k));
  const std::vector<int>& left_out = form_->redundant_rows();
  for (std::size_t k = 0; k < std::min(left_out.size(), zero.size()); ++k) {
    LoadShare one{left_out[k], {}};
    for (Eigen::Index i = 0; i < zero[k].size(); ++i)
      if (std::abs(zero[k](i)) > 1e-12) one.factors.emplace_back(all.declared[static_cast<std::size_t>(i)], zero[k](i));
    held.shares.push_back(std::move(one));
  }
  return true;
}

std::string SharedLoads::violation(double t, const double* x, const Held& held, const double* allowed) {
  if (held.shares.empty()) return {};
  if (!watch_) watch_.emplace(mechanism_, formulate::Formulation());
  watch_->lock(held);
  left_out_.clear();
  for (const LoadShare& share : held.shares) left_out_.push_back(share.row);
  return watch_->violation_of(left_out_, t, x, allowed);
}

std::vector<Message> SharedLoads::take_notes(double t) {
  std::vector<Message> notes;
  for (const Message& note : form_->take_notes()) {
    if (note.code != MessageCode::constraint_redundant) continue;
    const auto& names = mechanism_->constraint_names;
    const auto row = static_cast<int>(std::find(names.begin(), names.end(), std::get<std::string>(note.data[0].value)) -
                                      names.begin());
    if (std::find(told_.begin(), told_.end(), row) != told_.end()) continue;
    told_.push_back(row);
    notes.push_back(make_message(MessageCode::redundant_joint_shares, t, note.data));
  }
  return notes;
}

/// A direction that the constraints allow, of speeds; empty: they allow none.
Eigen::VectorXd SharedLoads::free_motion() const {
  Eigen::VectorXd v(static_cast<Eigen::Index>(mechanism_->mechanics->speeds.size()));
  for (Eigen::Index j = 0; j < v.size(); ++j) v(j) = std::sin(1.0 + 2.0 * static_cast<double>(j));  // none is special
  const double before = v.norm();
  if (const Eigen::MatrixXd G = form_->last_jacobian(); G.rows() > 0) {
    const Eigen::VectorXd across = G * v;
    v -= linear::LeastNorm(G).solve(across);
  }
  return v.norm() > 1e-6 * before ? Eigen::VectorXd(v.normalized()) : Eigen::VectorXd();
}

/// Moved along it, by a share of the largest coordinate.
std::vector<double> SharedLoads::moved(const Eigen::VectorXd& along, double share) const {
  const MechanicsInfo& info = *mechanism_->mechanics;
  double largest = 0;
  for (const int position : info.positions)
    largest = std::max(largest, std::abs(x_[static_cast<std::size_t>(position)]));
  const Eigen::VectorXd v = along * (share * (largest > 0 ? largest : 1));
  std::vector<double> y = x_;
  for (std::size_t i = 0; i < info.positions.size(); ++i)
    if (info.speed_of[i] >= 0) y[static_cast<std::size_t>(info.positions[i])] += v(info.speed_of[i]);
  for (const MechanicsInfo::AttitudeInfo& attitude : info.attitudes) {
    const int* q = info.positions.data() + attitude.first_position;
    const auto value = [&](int i) { return x_[static_cast<std::size_t>(q[i])]; };
    const auto turn =
        formulate::quaternion_rate(value(0), value(1), value(2), value(3), v.data() + attitude.first_speed);
    for (int i = 0; i < 4; ++i) y[static_cast<std::size_t>(q[i])] += turn[static_cast<std::size_t>(i)];
  }
  return y;
}

// What only looks redundant, because this position is singular, is not any more beside it.
std::string SharedLoads::describe_singular(double t) const {
  const std::vector<int> rows = form_->redundant_joints();
  if (rows.empty()) return {};
  const Eigen::VectorXd along = free_motion();
  double share = beside;
  for (int k = 0; along.size() > 0 && k < most_halvings; ++k, share /= 2) {
    std::vector<double> x = moved(along, share);
    formulate::MechanicsForm there(mechanism_, formulate::Formulation());
    there.lock(held_);
    if (!project(there, t, x, {}) || !there.refactor(t, x.data())) continue;
    if (there.redundant_joints().size() >= rows.size()) return {};
    return fmt::format(
        "t = {:.10g}: constraint '{}' depends on others in this position and not beside it: the position is "
        "singular, and the motion may go on in more than one way.\n"
        "  try:    a start beside it",
        t, mechanism_->constraint_names[static_cast<std::size_t>(rows.front())]);
  }
  return {};
}

}  // namespace pawl::detail
