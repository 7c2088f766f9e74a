// Mechanics: a mechanism as an engineer writes it: masses, forces, joints. No Jacobian, no index, no stabilization.
//
//   Mechanics pendulum("pendulum");
//   const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
//   for (const auto q : {x, y}) pendulum.mass(q, 1.0);
//   pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
//   const auto rod = pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
//   simulate(pendulum, {.end = 10}).final()[rod];   // the force in the rod
//
// The motion obeys  q' = S(q) v,  M(q) v' = f(t, q, v) - dV/dq - G^T λ,  g(t, q) = 0,  h(t, q, v) = 0, with G the
// derivative of g and of h by the speeds. All derivatives are automatic and exact; docs/constraints.md says what is
// solved and how the motion is kept on its manifold. A Mechanics is a System: it may have further states (controllers,
// with rates() for them alone), guards, relays on them, observables and invariants.
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

  /// A coordinate and its speed, which is the state `name'`.
  Coordinate coordinate(std::string name, double position, double speed = 0);
  /// An orientation: states name_w, name_x, name_y, name_z (kept at length one) and speeds name_p, name_q, name_r.
  Attitude attitude(const std::string& name, std::array<double, 4> orientation = {1, 0, 0, 0},
                    std::array<double, 3> angular_velocity = {0, 0, 0});

  /// A diagonal entry of the mass matrix that does not depend on the motion; several add up.
  void mass(State x, std::variant<double, Parameter> m);
  /// Entries of the mass matrix: M(x, y) = ..., written once, the symmetric partner follows.
  template <class F>
  void mass(F f) {
    declare_mass(detail::MatrixFunction(std::move(f)));
  }
  /// Generalized forces f[x] += ...; of an attitude, torques in body axes: f[spin.speed(0)] += ... Gyroscopic and
  /// centrifugal terms of a mass matrix that depends on q belong here.
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

  /// Watches kinetic plus potential energy of what has been declared so far. `kept`: it is an invariant too, and the
  /// motion is held on its level. Only for mechanisms without friction, drives or moving constraints.
  Observable energy(std::string name = "energy", bool kept = false);

 private:
  template <class F>
  static constexpr bool is_twice_differentiable = std::is_invocable_v<const F&, const Point<Jet<double>>&>;

  void declare_mass(detail::MatrixFunction f);
  void declare_force(detail::VectorFunction f);
  void declare_potential(Function v);
  ConstraintDeclaration declare_constraint(std::string name, Function rows, int count, bool is_on_speeds);
};

}  // namespace pawl
