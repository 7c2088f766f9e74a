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

constexpr double beside = 1e-3;  // of one unit of the coordinates

using Shared = std::shared_ptr<const System::Declarations>;

/// A mechanism at rest somewhere, in a mode: which of its rows depend on others.
class Position {
 public:
  Position(const Shared& mechanism, const Held& held, double t, std::vector<double> x)
      : mechanism_(mechanism), form_(mechanism, formulate::Formulation()), t_(t), x_(std::move(x)) {
    form_.lock(held);
  }

  /// False: no position satisfies the constraints.
  bool project() { return stabilize::project_start(form_, *mechanism_, t_, x_, {}).failure.empty(); }
  bool analyze() { return form_.refactor(t_, x_.data()); }
  std::vector<Message> take_notes() { return form_.take_notes(); }

  std::vector<int> redundant_joints() const {
    const MechanicsInfo& info = *mechanism_->mechanics;
    std::vector<int> rows = form_.redundant_rows();
    std::erase_if(rows, [&](int row) {
      return std::any_of(info.contacts.begin(), info.contacts.end(), [&](const ContactInfo& contact) {
        const auto owns = [&](int number) {
          return number >= 0 && row >= info.constraints[static_cast<std::size_t>(number)].first_row &&
                 row < info.constraints[static_cast<std::size_t>(number)].first_row +
                           info.constraints[static_cast<std::size_t>(number)].rows;
        };
        return owns(contact.slip) || (contact.kind == ContactInfo::Kind::contact && owns(contact.normal));
      });
    });
    return rows;
  }

  /// A little further along some motion that the constraints allow; empty: they allow none.
  std::vector<double> neighbour() const {
    const MechanicsInfo& info = *mechanism_->mechanics;
    Eigen::VectorXd v(static_cast<Eigen::Index>(info.speeds.size()));
    for (Eigen::Index j = 0; j < v.size(); ++j) v(j) = std::sin(1.0 + 2.0 * static_cast<double>(j));  // none is special
    if (const Eigen::MatrixXd G = form_.last_jacobian(); G.rows() > 0) {
      const Eigen::VectorXd across = G * v;
      v -= linear::LeastNorm(G).solve(across);
    }
    if (!(v.norm() > 1e-6)) return {};
    v *= beside / v.norm();
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
};

std::string combination_of(const Message& note) {
  for (const Message::Datum& datum : note.data)
    if (datum.name == "combination") return std::get<std::string>(datum.value);
  return {};
}

}  // namespace

RedundantJoints find_redundant_joints(const Shared& mechanism, const Held& held, double t, const double* x,
                                      bool is_start) {
  RedundantJoints result;
  if (mechanism->mechanics->rows < 2) return result;
  Position here(mechanism, held, t, {x, x + mechanism->state_names.size()});
  if (is_start && !here.project()) return result;  // which the search for consistent values says
  if (!here.analyze()) return result;
  result.rows = here.redundant_joints();
  if (result.rows.empty()) return result;
  for (const Message& note : here.take_notes()) {
    if (note.code == MessageCode::constraint_redundant)
      result.notes.push_back(make_message(
          MessageCode::redundant_joint_unloaded, t,
          {{"constraint", std::get<std::string>(note.data.front().value)}, {"combination", combination_of(note)}}));
  }
  // What only looks redundant, because this position is singular, is not any more beside it.
  if (std::vector<double> y = here.neighbour(); !y.empty()) {
    Position there(mechanism, held, t, std::move(y));
    if (there.project() && there.analyze() && there.redundant_joints().size() < result.rows.size())
      result.failure = fmt::format(
          "t = {:.10g}: constraint '{}' depends on others in this position and not beside it: the position is "
          "singular, and the motion may go on in more than one way.\n"
          "  try:    a start beside it",
          t, mechanism->constraint_names[static_cast<std::size_t>(result.rows.front())]);
  }
  return result;
}

}  // namespace pawl::detail
