#include "simulate/dependent_joints.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "numerics/orthogonal.hpp"

namespace pawl::detail {

namespace {

using formulate::at;

constexpr double dependent_below = 1e-10;  // of rows of length one

/// The rows of the assembled system that say q' = S v; those of the constraints come behind the balance of forces.
int first_kinematic_row(const formulate::DaeEquations& equations) {
  const System::Declarations& model = equations.model();
  int row = equations.size();
  for (std::size_t e = model.parts->equations.size(); e < model.equations.size(); ++e) row -= model.equations[e].rows;
  return row;
}

bool is_of_contact(const MechanicsInfo& info, int constraint) {
  return std::any_of(info.contacts.begin(), info.contacts.end(), [=](const ContactInfo& contact) {
    return contact.slip == constraint || contact.normal == constraint;
  });
}

}  // namespace

// The derivatives of all joints in force by speeds: G S of those on positions.
std::string find_dependent_joints(formulate::DaeForm& form, double t, const double* x) {
  const formulate::DaeEquations& equations = form.equations();
  const System::Declarations& model = equations.model();
  if (!model.parts || !model.parts->mechanics) return {};
  const MechanicsInfo& info = *model.parts->mechanics;
  const int kinematics = first_kinematic_row(equations);
  int row = kinematics + static_cast<int>(info.positions.size() + info.speeds.size());
  std::vector<int> rows;
  std::vector<bool> is_on_speeds;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < info.constraints.size(); ++k) {
    const MechanicsInfo::ConstraintInfo& one = info.constraints[k];
    for (int r = 0; r < one.rows; ++r, ++row) {
      if (is_of_contact(info, static_cast<int>(k)) || !one.only_when.holds(form.held())) continue;
      rows.push_back(row);
      is_on_speeds.push_back(one.is_on_speeds);
      names.push_back(equations.row_name(row));
    }
  }
  if (rows.size() < 2) return {};
  const Eigen::MatrixXd J = form.sample(t, x, nullptr).J.toDense();
  const auto columns = [&](const Eigen::MatrixXd& of, const std::vector<int>& states) {
    Eigen::MatrixXd result(of.rows(), static_cast<Eigen::Index>(states.size()));
    for (std::size_t j = 0; j < states.size(); ++j) result.col(static_cast<Eigen::Index>(j)) = of.col(states[j]);
    return result;
  };
  const Eigen::MatrixXd by_position = columns(J, info.positions), by_speed = columns(J, info.speeds);
  const Eigen::MatrixXd S = by_speed.middleRows(kinematics, static_cast<Eigen::Index>(info.positions.size()));
  Eigen::MatrixXd kept(S.cols(), 0);
  std::vector<std::string> others;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Eigen::VectorXd g = is_on_speeds[k] ? Eigen::VectorXd(by_speed.row(rows[k]))
                                        : Eigen::VectorXd((by_position.row(rows[k]) * S).transpose());
    if (!g.allFinite() || !(g.norm() > 0)) continue;
    g.normalize();
    const Eigen::VectorXd share = kept.cols() > 0 ? linear::PivotedQr(kept).solve(g) : Eigen::VectorXd();
    const Eigen::VectorXd rest = kept.cols() > 0 ? Eigen::VectorXd(g - kept * share) : g;
    if (rest.norm() <= dependent_below) {
      std::string list;
      for (Eigen::Index i = 0; i < share.size(); ++i)
        if (std::abs(share(i)) > 1e-8) list += (list.empty() ? "" : ", ") + others[static_cast<std::size_t>(i)];
      return fmt::format(
          "t = {:.10g}: constraint {} is redundant: where all hold it depends on {}, and beside equations of other "
          "kinds their forces cannot be told apart.\n"
          "  try:    without it; or the mechanism alone, where redundant constraints are kept; or another start, if "
          "only this configuration is singular",
          t, names[k], list);
    }
    kept.conservativeResize(Eigen::NoChange, kept.cols() + 1);
    kept.col(kept.cols() - 1) = g;
    others.push_back(names[k]);
  }
  return {};
}

}  // namespace pawl::detail
