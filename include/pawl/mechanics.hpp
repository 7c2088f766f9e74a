// Mechanics: a mechanism as an engineer writes it: masses, forces, joints. No Jacobian, no index, no stabilization.
//
//   Mechanics pendulum("pendulum");
//   const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
//   for (const auto q : {x, y}) pendulum.mass(q, 1.0);
//   pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
//   const auto rod = pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
//   simulate(pendulum, {.end = 10}).final()[rod];   // the force in the rod
//
// The motion obeys  q' = S(q) v,  d/dt dT/dv - dT/dq = f(t, q, v) - dV/dq - G^T λ,  g(t, q) = 0,  h(t, q, v) = 0, with
// T = v^T M(t, q) v / 2, or declared itself, and G the derivative of g and of h by the speeds. Centrifugal, Coriolis
// and gyroscopic terms follow from T: forces are what acts from outside. All derivatives are automatic and exact;
// docs/constraints.md says what is solved and how the motion is kept on its manifold. A Mechanics is a System: it may
// have further states (controllers, with rates() for them alone), guards, relays on them, observables and invariants.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "pawl/entries.hpp"
#include "pawl/system.hpp"

namespace pawl {

/// A constraint that has just been declared: `.only_when(closed)` lets it hold in some modes only.
class ConstraintDeclaration {
 public:
  ConstraintDeclaration(System& system, Constraint constraint, int number)
      : system_(system), constraint_(constraint), number_(number) {}
  ConstraintDeclaration& only_when(Logic logic);
  operator Constraint() const { return constraint_; }  // NOLINT: it stands for the handle
  Constraint operator[](int row) const { return constraint_[row]; }

 private:
  System& system_;
  Constraint constraint_;
  int number_;
};

class Mechanics : public System {
 public:
  explicit Mechanics(std::string name) : System(std::move(name)) {}
  /// Everything that has been declared so far, and a mechanism beside it from here on. Its handles are those of both.
  explicit Mechanics(const System& system) : System(system) {}

  /// A coordinate and its speed, which is the state `name'`.
  Coordinate coordinate(std::string name, double position, double speed = 0);
  /// An orientation: states name_w, name_x, name_y, name_z (kept at length one) and speeds name_p, name_q, name_r.
  Attitude attitude(const std::string& name, std::array<double, 4> orientation = {1, 0, 0, 0},
                    std::array<double, 3> angular_velocity = {0, 0, 0});

  /// A diagonal entry of the mass matrix that does not depend on the motion; several add up.
  void mass(State x, std::variant<double, Parameter> m);
  /// Entries of the mass matrix: M(x, y) = ..., written once, the symmetric partner follows. They may depend on
  /// coordinates, time and further states; what the motion makes of that is derived.
  template <class F>
  void mass(F f) {
    declare_mass(detail::MassFunction(std::move(f)));
  }
  /// Kinetic energy as a function of coordinates, speeds and time, at most quadratic in the speeds: the mass matrix and
  /// the inertial terms follow. Several add up, and masses add to them.
  template <class F>
  void kinetic_energy(F T) {
    static_assert(std::is_invocable_v<const F&, const Point<Curvature>&>,
                  "pawl: a kinetic energy is differentiated twice: it must take const auto& at");
    declare_kinetic_energy(Function::rows<1>(std::move(T)));
  }
  /// Generalized forces f[x] += ...; of an attitude, torques in body axes: f[spin.speed(0)] += ... What is applied, and
  /// nothing else: terms that follow from the masses are added by the engine.
  template <class F>
  void force(F f) {
    declare_force(detail::VectorFunction(std::move(f)));
  }
  /// Potential energy: its force -dV/dq follows.
  template <class F>
  void potential(F v) {
    declare_potential(Function::rows<1>(std::move(v)));
  }

  /// A joint, g(t, q) = 0: a number or a std::array of them.
  template <class F>
  ConstraintDeclaration constraint(std::string name, F g) {
    static_assert(is_twice_differentiable<F>,
                  "pawl: a constraint is differentiated twice: it must take const auto& at");
    return declare_constraint(std::move(name), Function::rows<detail::row_count<F>>(std::move(g)), detail::row_count<F>,
                              false);
  }
  /// Rolling and the like, h(t, q, v) = 0, which cannot be written for positions alone.
  template <class F>
  ConstraintDeclaration velocity_constraint(std::string name, F h) {
    static_assert(is_twice_differentiable<F>,
                  "pawl: a constraint is differentiated twice: it must take const auto& at");
    return declare_constraint(std::move(name), Function::rows<detail::row_count<F>>(std::move(h)), detail::row_count<F>,
                              true);
  }

  /// Surfaces that must not penetrate: gap(t, q) >= 0, without friction.
  template <class Gap>
  Contact contact(std::string name, Gap gap, ContactOptions options = {}) {
    check_generic<Gap>();
    return declare_contact(ContactInfo{.name = std::move(name), .gap = Function::guard(gap)},
                           Function::rows<1>([gap](const auto& at) { return -gap(at); }), {}, options);
  }
  /// With friction: slip is the speed of one surface along the other, h(t, q, v), linear in the speeds; a std::array of
  /// two in space.
  template <class Gap, class Slip>
  requires(!std::is_convertible_v<Slip, ContactOptions>) Contact
      contact(std::string name, Gap gap, Slip slip, ContactOptions options = {}) {
    check_generic<Gap>();
    return declare_contact(ContactInfo{.name = std::move(name),
                                       .tangents = detail::row_count<Slip>,
                                       .gap = Function::guard(gap),
                                       .slip_speed = slip_guard(slip)},
                           Function::rows<1>([gap](const auto& at) { return -gap(at); }), slip_rows(slip), options);
  }
  /// Dry friction under a given normal force, a brake or a clutch: at most friction times that force, against slip.
  template <class Slip, class Force>
  Contact dry_friction(std::string name, Slip slip, Force normal_force, FrictionOptions options) {
    return declare_contact(
        ContactInfo{.name = std::move(name),
                    .kind = ContactInfo::Kind::driven,
                    .tangents = detail::row_count<Slip>,
                    .slip_speed = slip_guard(slip),
                    .normal_force = Function::force(std::move(normal_force))},
        {}, slip_rows(slip),
        {.friction = options.friction, .static_friction = options.static_friction, .slip_speed = options.slip_speed});
  }
  /// Dry friction in a joint, whose force presses the surfaces together: a constraint with one row.
  template <class Slip>
  Contact joint_friction(std::string name, Constraint joint, Slip slip, FrictionOptions options) {
    static_assert(detail::row_count<Slip> == 1, "pawl: friction in a joint has one slip speed");
    return declare_joint_friction(
        ContactInfo{
            .name = std::move(name), .kind = ContactInfo::Kind::joint, .tangents = 1, .slip_speed = slip_guard(slip)},
        joint, slip_rows(slip), options);
  }
  /// A state that adds up what friction takes, and a held number that adds up what impacts take: with them the energy
  /// balance of a run closes.
  State friction_work(std::string name = "friction work");
  Discrete<double> impact_loss(std::string name = "impact loss");

  /// Watches kinetic plus potential energy of what has been declared so far. `kept`: it is an invariant too, and the
  /// motion is held on its level. Only for mechanisms without friction, drives or moving constraints.
  Observable energy(std::string name = "energy", bool kept = false);

 private:
  template <class F>
  static constexpr bool is_twice_differentiable = std::is_invocable_v<const F&, const Point<Jet<double>>&>;

  template <class F>
  static constexpr void check_generic() {
    static_assert(is_twice_differentiable<F>, "pawl: a gap is differentiated twice: it must take const auto& at");
  }
  template <class Slip>
  static Function slip_rows(Slip slip) {
    static_assert(is_twice_differentiable<Slip>,
                  "pawl: a slip speed is differentiated twice: it must take const auto& at");
    return Function::rows<detail::row_count<Slip>>([slip](const auto& at) {
      auto minus = slip(at);
      if constexpr (detail::is_array<decltype(minus)>) {
        for (auto& one : minus) one = -one;
      } else {
        minus = -minus;
      }
      return minus;
    });
  }
  template <class Slip>
  static Function slip_guard(Slip slip) {
    if constexpr (detail::row_count<Slip> == 1) {
      return Function::guard([slip](const auto& at) {
        const auto value = slip(at);
        if constexpr (detail::is_array<std::remove_const_t<decltype(value)>>) {
          return value[0];
        } else {
          return value;
        }
      });
    } else {
      return {};
    }
  }

  Contact declare_contact(ContactInfo info, Function normal, Function slip, const ContactOptions& options);
  Contact declare_joint_friction(ContactInfo info, Constraint joint, Function slip, const FrictionOptions& options);
  void declare_mass(detail::MassFunction f);
  void declare_kinetic_energy(Function T);
  void declare_force(detail::VectorFunction f);
  void declare_potential(Function v);
  ConstraintDeclaration declare_constraint(std::string name, Function rows, int count, bool is_on_speeds);
};

}  // namespace pawl
