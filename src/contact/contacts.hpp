// Contacts: what the contacts of a mechanism do at an event. Guards (contact_guards.hpp) end what they do between
// events.
//
//   impact           some touching contact approaches: impulses
//   what is at rest  contacts whose speed of separation is zero, friction whose slip is zero
//   decision         open, closed, stick or slip, on the level of accelerations, all together
//
// Modes are in Held::modes; the form reads them and takes the rows of contacts in and out of force.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contact/contact_geometry.hpp"
#include "contact/contact_guards.hpp"
#include "contact/friction_problem.hpp"
#include "contact/shared_forces.hpp"
#include "system/dynamics.hpp"

namespace pawl::contact {

class Contacts {
 public:
  /// run: the model that is run, which has the guards; the mechanism or a larger one. multipliers: for normal forces
  /// that read the force of a joint.
  Contacts(std::shared_ptr<const System::Declarations> mechanism, std::shared_ptr<const System::Declarations> run,
           std::shared_ptr<formulate::MechanicsForm> form, std::shared_ptr<const detail::MultiplierSource> multipliers,
           double tolerance);

  /// Where the mechanism is part of a larger model.
  void join(std::unique_ptr<Whole> whole) {
    whole_ = std::move(whole);
    maker_.join(whole_.get());
  }
  /// How many quantities guards read beside states.
  int quantities() const { return given_force_number(*model_, static_cast<int>(info().contacts.size())); }
  /// One of them, as the form has it here; where contacts share a load, forces of least norm within the cones.
  double quantity(const Point<double>& at, int number);
  /// Null: the forces of this contact are those of its constraints.
  const SharedForces::Forces* shared_force(const Point<double>& at, int contact) { return shared_->find(at, contact); }
  /// Something that is held has changed.
  void forget() { shared_->clear(); }
  /// Whether contacts share a load in the mode of the form.
  bool share_loads() const { return shared_->are_needed(); }
  /// Whether the forces that the constraints share by least norm are within the cones: then they hold all contacts,
  /// and nobody has to look for others.
  bool constraints_hold(const Point<double>& at);
  /// The least pivot of what slips: 1 where friction does not reach back on what presses, 0 where it does so without
  /// bound.
  double slip_pivot(double t, const double* x, const Held& held, const double* relays = nullptr);
  /// What it remembers; the form is carried by whoever owns it.
  void carry(Memory& memory) {
    memory(last_approach_, last_struck_, left_, left_rates_, left_time_, largest_speed_, speeds_before_);
    shared_->carry(memory);
    maker_.carry(memory);
    free_form_.carry(memory);
    if (whole_) whole_->carry(memory);
  }
  /// Puts a state onto the manifold of a mode; returns why it cannot be, or nothing.
  using Settler = std::function<std::string(double t, double* x, const Held& held)>;
  /// Decides what every contact does from here; x and the modes in `held` follow.
  Resolution resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why,
                     const Settler& settle);

 private:
  struct Seen {  // by contact
    bool has_met = false, has_released = false, has_stopped = false, changes_side = false, accumulates = false;
    bool lets_go = false, presses = false;  // compliant, while it overlaps
    int breaks = 0;                         // direction in which a stick gives way
  };
  const MechanicsInfo& info() const { return *model_->mechanics; }
  ContactMode mode(const Held& held, int contact) const;
  void set_mode(Held& held, int contact, ContactMode mode) const;
  double coefficient(const Coefficient& c, const Held& held) const { return value_of(c, held.parameters.data()); }

  void part_rounding(double t, double* x, const Held& held, const Held& closing);
  void go_on_to_meet(double t, double* x, const Held& held, std::span<const int> fired);
  bool close_touching(double t, const double* x, Held& held, std::span<const int> fired, Settle why);
  Resolution resolve_met(double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why);
  std::vector<Seen> read(std::span<const int> fired, int accumulating, bool& concerns_contacts, bool& locks) const;
  void follow_compliant(double t, const double* x, Held& held, const std::vector<Seen>& seen, Settle why);
  void follow_idle(double t, const double* x, Held& held, const std::vector<Seen>& seen, bool is_open_question) const;
  std::vector<int> touching(double t, const double* x, const Held& held, const std::vector<Seen>& seen,
                            std::string& failure, Settle why);
  void check_motion(double t, const double* x, Held& held, Resolution& out);
  void turn_back_rounding(double t, double* x, const Held& held, const std::vector<int>& touching);
  void rest_below_rounding(double t, double* x, const Held& held, const std::vector<int>& touching,
                           const std::vector<Seen>& seen, const std::vector<double>& struck);
  void add(const Geometry& geometry, const Eigen::VectorXd& change, double* x) const;
  void stop(const Geometry& geometry, const std::vector<std::size_t>& rows, double* x) const;
  void stop_resting(double t, double* x, const Held& held, const std::vector<int>& resting);
  void stop_what_opens(double t, double* x, const Held& held, const std::vector<int>& asked);
  void stop_accumulated(double t, double* x, const Held& held, const std::vector<Seen>& seen);
  void stop_approach(double t, double* x, const Held& held, const std::vector<int>& touching,
                     std::vector<std::size_t> rows);
  bool is_below_rounding(double t, const double* x, const Held& held, const Geometry& geometry, double speed);
  bool strike_all(double t, double* x, Held& held, const std::vector<int>& touching, const std::vector<Seen>& seen,
                  std::vector<double>& struck, Resolution& out);
  std::vector<int> at_question(double t, const double* x, Held& held, const std::vector<int>& touching,
                               const std::vector<bool>& rests);
  void decide(double t, double* x, Held& held, const std::vector<Seen>& seen, const std::vector<int>& asked,
              Resolution& out);
  Eigen::VectorXd slip_direction_of(const Row& row, const Geometry& geometry, const Held& held) const;
  bool has_changed_speeds(const double* x) const;  // since the event began
  FrictionContact pose(const Row& row, const Geometry& geometry, double t, const double* x, const Held& held,
                       const Seen& seen) const;
  void look_ahead(double t, const double* x, const Held& held, const std::vector<Seen>& seen,
                  const std::vector<int>& asked, const Geometry& geometry, const Eigen::VectorXd& a_free,
                  const FrictionProblem& problem, FrictionSolution& solution);
  void press_joints(const Geometry& geometry, FrictionProblem& problem, FrictionSolution& solution,
                    std::vector<double>& joint) const;
  bool is_near_cone(const Row& row, const FrictionContact& posed, const FrictionSolution& solution) const;
  void adopt(const Row& row, const FrictionContact& posed, const FrictionSolution& solution, std::size_t i,
             const Seen& seen, double speed, Held& held) const;
  std::optional<double> admissible_force(const Point<double>& at, int row);
  double length(const double* x, const Eigen::MatrixXd& J) const;
  bool admissible_forces(const Point<double>& at, std::vector<SharedForces::Forces>& forces);
  void take_constraint_forces(const Point<double>& at, std::vector<SharedForces::Forces>& forces);
  std::string describe_no_motion(const Geometry& geometry, const FrictionProblem& problem,
                                 const FrictionSolution& solution) const;
  std::vector<bool> at_rest(double t, const double* x, const Held& held, const std::vector<int>& touching,
                            const std::vector<Seen>& seen, const std::vector<double>& struck);
  void hold_what_holds(const Held& held, const std::vector<Seen>& seen, const Geometry& geometry,
                       FrictionProblem& problem, FrictionSolution& solution) const;
  Geometry geometry_of(const std::vector<int>& contacts, double t, const double* x, const Held& held);
  Eigen::VectorXd free_acceleration(double t, const double* x, const Held& held, const double* relays = nullptr);
  std::string name(int contact) const { return info().contacts[static_cast<std::size_t>(contact)].name; }
  void balance(double t, const double* x, Held& held, bool accumulates);
  std::string check_coefficients(const Held& held) const;
  std::string describe_lock(const std::vector<int>& contacts) const;

  std::shared_ptr<const System::Declarations> model_, run_;
  std::shared_ptr<formulate::MechanicsForm> form_;
  std::shared_ptr<const detail::MultiplierSource> multipliers_;
  std::shared_ptr<SharedForces> shared_;
  GeometryMaker maker_;
  formulate::MechanicsForm free_form_;     // for accelerations with every contact open
  std::vector<double> free_loads_;         // multipliers there, of the whole; empty: they are those of the form
  double last_approach_ = 0;               // the fastest at the last impact
  std::vector<double> left_, left_rates_;  // state and rates after the last event
  double left_time_ = 0;
  double onset_, least_slip_;        // in space, as shares of speeds: where slip has begun, and where it has ended
  double inexact_;                   // forces on a polynomial, relative to what they are at its ends
  double largest_speed_ = 0;         // at contacts so far
  Eigen::VectorXd speeds_before_;    // sizes of the speeds when the event began
  std::vector<double> last_struck_;  // by contact: the speed that the impulses of its last impact made
  std::size_t states_;               // of the model it is a part of
  std::unique_ptr<Whole> whole_;
};

}  // namespace pawl::contact
