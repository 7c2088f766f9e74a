#include "simulate/redundant_joints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/mechanics_form.hpp"
#include "formulate/quaternion_rate.hpp"
#include "numerics/orthogonal.hpp"
#include "stabilize/consistent_start.hpp"

namespace pawl::detail {

namespace {

constexpr double beside = 1e-3;    // of the largest coordinate
constexpr int most_halvings = 20;  // of that, until there is a position

using Shared = std::shared_ptr<const System::Declarations>;

/// A mechanism at rest somewhere, in a mode: which of its rows depend on others.
class Position {
 public:
  Position(const Shared& mechanism, const Held& held, double t, std::vector<double> x)
      : mechanism_(mechanism), form_(mechanism, formulate::Formulation()), t_(t), x_(std::move(x)) {
    form_.lock(held);
  }

  /// False: no position satisfies the constraints.
  bool project(const std::vector<std::string>& fixed) {
    return stabilize::project_start(form_, *mechanism_, t_, x_, fixed).failure.empty();
  }
  bool analyze() { return form_.refactor(t_, x_.data()); }
  /// Which others a redundant joint follows from, in words; empty: not known.
  std::string combination_of(const std::string& constraint) {
    if (notes_.empty()) notes_ = form_.take_notes();
    for (const Message& note : notes_) {
      if (note.code != MessageCode::constraint_redundant) continue;
      if (std::get<std::string>(note.data[0].value) == constraint) return std::get<std::string>(note.data[1].value);
    }
    return {};
  }

  std::vector<int> redundant_joints() const { return form_.redundant_joints(); }

  /// A direction that the constraints allow, of speeds; empty: they allow none.
  Eigen::VectorXd free_motion() const {
    Eigen::VectorXd v(static_cast<Eigen::Index>(mechanism_->mechanics->speeds.size()));
    for (Eigen::Index j = 0; j < v.size(); ++j) v(j) = std::sin(1.0 + 2.0 * static_cast<double>(j));  // none is special
    const double before = v.norm();
    if (const Eigen::MatrixXd G = form_.last_jacobian(); G.rows() > 0) {
      const Eigen::VectorXd across = G * v;
      v -= linear::LeastNorm(G).solve(across);
    }
    return v.norm() > 1e-6 * before ? Eigen::VectorXd(v.normalized()) : Eigen::VectorXd();
  }
  /// Moved along it, by a share of the largest coordinate.
  std::vector<double> moved(const Eigen::VectorXd& along, double share) const {
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

 private:
  Shared mechanism_;
  formulate::MechanicsForm form_;
  double t_;
  std::vector<double> x_;
  std::vector<Message> notes_;
};

}  // namespace

RedundantJoints find_redundant_joints(const Shared& mechanism, const Held& held, double t, const double* x,
                                      const std::vector<std::string>* fixed) {
  RedundantJoints result;
  if (mechanism->mechanics->rows < 2) return result;
  Position here(mechanism, held, t, {x, x + mechanism->state_names.size()});
  if (fixed != nullptr && !here.project(*fixed)) return result;  // which the search for consistent values says
  if (!here.analyze()) return result;
  result.rows = here.redundant_joints();
  if (result.rows.empty()) return result;
  for (const int row : result.rows) {
    const std::string& name = mechanism->constraint_names[static_cast<std::size_t>(row)];
    result.notes.push_back(make_message(MessageCode::redundant_joint_unloaded, t,
                                        {{"constraint", name}, {"combination", here.combination_of(name)}}));
  }
  // What only looks redundant, because this position is singular, is not any more beside it.
  const Eigen::VectorXd along = here.free_motion();
  double share = beside;
  for (int k = 0; along.size() > 0 && k < most_halvings; ++k, share /= 2) {
    Position there(mechanism, held, t, here.moved(along, share));
    if (!there.project({}) || !there.analyze()) continue;
    if (there.redundant_joints().size() < result.rows.size())
      result.failure = fmt::format(
          "t = {:.10g}: constraint '{}' depends on others in this position and not beside it: the position is "
          "singular, and the motion may go on in more than one way.\n"
          "  try:    a start beside it",
          t, mechanism->constraint_names[static_cast<std::size_t>(result.rows.front())]);
    break;
  }
  return result;
}

}  // namespace pawl::detail
