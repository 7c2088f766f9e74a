// The contacts of a mechanism at one instant, as matrices: rows of contacts, the inverse mass that joints leave,
// speeds.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "contact/whole.hpp"
#include "formulate/mechanics_form.hpp"

namespace pawl::contact {

/// One contact among those that are looked at together.
struct Row {
  int contact;      ///< number of its declaration
  int normal = -1;  ///< row of J; -1: none (friction under a given force)
  int first_tangent = -1;
  int tangents = 0;
};

/// gap'' = J a + gamma, speeds u = J v + ..., for the rows of the contacts asked for.
struct Geometry {
  std::vector<Row> rows;
  Eigen::MatrixXd J;          ///< by speeds
  Eigen::MatrixXd to_speed;   ///< H J^T: an impulse at the contacts to a change of speeds, joints held
  Eigen::MatrixXd to_state;   ///< the same, of all states, where impulses go on beyond the mechanism; else empty
  Eigen::MatrixXd W;          ///< J H J^T
  Eigen::VectorXd gap;        ///< per contact of `rows`; 0 without a normal row
  Eigen::VectorXd gap_scale;  ///< what rounding is measured against
  Eigen::VectorXd u, u_scale, gamma;
  std::vector<int> joints;      ///< declared rows
  Eigen::MatrixXd joint_share;  ///< what forces at the contacts add to the multipliers of the joints
  /// What impulses do to the speeds, or to all states.
  const Eigen::MatrixXd& response() const { return to_state.size() > 0 ? to_state : to_speed; }
  std::string trouble;  ///< why it is not known what impulses do; empty: it is
};

/// With every contact open and no dry friction.
Held with_open_contacts(const MechanicsInfo& info, Held held);

class GeometryMaker {
 public:
  explicit GeometryMaker(const System::Declarations& model) : model_(model), terms_(model) {}

  /// Where the mechanism is part of a larger model.
  void join(Whole* whole) { whole_ = whole; }
  /// Of these contacts, with the joints in force.
  Geometry make(const std::vector<int>& contacts, double t, const double* x, const Held& held);
  void carry(Memory& memory) {
    terms_.carry(memory);
    memory(last_time_, time_before_);
  }
  /// Moves the positions by these changes, given as speeds.
  void move(double* x, const Eigen::VectorXd& change);
  /// Kinetic and potential energy.
  double energy(double t, const double* x, const Held& held);
  /// The gap of every contact, and the scale of it.
  void gaps(double t, const double* x, const Held& held, std::vector<double>& gap, std::vector<double>& scale);

 private:
  const MechanicsInfo& info() const { return *model_.mechanics; }
  void follow_impulses(double t, const double* x, const Held& held, Geometry& out);

  const System::Declarations& model_;
  formulate::MechanicsTerms terms_;
  Whole* whole_ = nullptr;
  double last_time_ = 0, time_before_ = 0;  // of events
};

}  // namespace pawl::contact
