// PortHamiltonian: a system as its energy and the paths along which power flows (Koenders, thesis, Twente (2002), eq.
// 2.1-2.7; Golo). With the efforts e = dH/dx,
//
//   x' = (J(x) - R(x)) e - r(x, e) + B u(t, x) + C(x) λ,   0 = C(x)^T e,
//
// J skew-symmetric (exchange), R symmetric and positive semidefinite (loss), one multiplier per column of C.
//
//   PortHamiltonian winch("winch");
//   const auto p1 = winch.state("p1", 0), x = winch.state("x", 0), p2 = winch.state("p2", 0);
//   winch.hamiltonian([=](const auto& at) { return (sqr(at[p1]) + sqr(at[p2])) / 10 + sqr(at[x]) / 0.16; });
//   winch.structure([=](const auto&, auto& J) { J(p1, x) = -1; J(x, p1) = 1; });
//   winch.dissipation([=](const auto&, auto& R) { R(p1, p1) = 0.05; });
//   winch.input([=](const auto&, auto& d) { d[p1] += 5.0; d[p2] += 6.0; });
//   const auto cable = winch.constraint("cable", [=](const auto&, auto& c) { c[p1] = 1; c[p2] = -1; });
//   simulate(winch, {.end = 10}).final()[cable];   // the force in the cable
//
// Efforts, the derivative of the constraint and the multipliers follow, automatic and exact.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/callback.hpp"
#include "pawl/entries.hpp"
#include "pawl/system.hpp"

namespace pawl {

/// Inside resistance(): e[x] is the effort dH/dx of a state.
class Efforts {
 public:
  explicit Efforts(const double* efforts, const Held* held = nullptr) : efforts_(efforts), held_(held) {}
  double operator[](State x) const {
    if (held_ != nullptr && held_->model != 0) detail::own_index(x, held_->states, "state", held_->model);
    return efforts_[x.index];
  }

 private:
  const double* efforts_;
  const Held* held_;
};

namespace detail {

using ResistiveRelation = Callback<void(const Point<double>& at, const Efforts& e, Terms<double>& d)>;

}  // namespace detail

/// What check_structure found: one line per wrong entry.
struct StructureReport {
  bool is_sound = true;
  std::string text = {};

  explicit operator bool() const { return is_sound; }
};

/// Whether J is skew-symmetric, R symmetric and positive semidefinite, and no resistance gives power, at the start and
/// at points near it. The points are the same in every call.
StructureReport check_structure(const System& system, const Values& values, double t = 0);

class PortHamiltonian : public System {
 public:
  explicit PortHamiltonian(std::string name) : System(std::move(name)) {}
  /// Everything that has been declared so far, a mechanism for instance, and port-Hamiltonian parts beside it from here
  /// on. Its handles are those of both. Energies may read coordinates: they pull on them.
  explicit PortHamiltonian(const System& system) : System(system) {}

  /// Stored energy; several add up.
  template <class F>
  void hamiltonian(F H) {
    static_assert(std::is_invocable_v<const F&, const Point<Curvature>&>,
                  "pawl: a Hamiltonian is differentiated twice: it must take const auto& at");
    declare_hamiltonian(Function::rows<1>(std::move(H)));
  }
  /// Entries J(x, y) = ..., exactly as they are: the partner J(y, x) = -J(x, y) is written too. Several functions write
  /// into one matrix.
  template <class F>
  void structure(F f) {
    declare_structure(detail::MatrixFunction(std::move(f)));
  }
  /// Entries R(x, y) = ..., both partners.
  template <class F>
  void dissipation(F f) {
    declare_dissipation(detail::MatrixFunction(std::move(f)));
  }
  /// A loss that is not linear in the efforts: f(at, e, d) reads e[x] = dH/dx and adds to d[x] what is subtracted from
  /// x'. It loses power where Σ e[x] d[x] >= 0. Evaluated with numbers, so it may branch.
  template <class F>
  void resistance(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&, const Efforts&, Terms<double>&>,
                  "pawl: a resistance is a function (const auto& at, const auto& e, auto& d) that adds to d[x] a flow "
                  "depending on the efforts e[x]; it is called const, so a mutable lambda is refused");
    declare_resistance(
        [f = std::move(f)](const Point<double>& at, const Efforts& e, Terms<double>& d) { f(at, e, d); });
  }
  using System::input;
  /// What drives the system from outside: d[x] += ...
  template <class F>
  void input(F f) {
    declare_input(detail::VectorFunction(std::move(f)));
  }
  /// One row of 0 = C^T e: its column c[x] = ..., along which the multiplier acts.
  template <class F>
  Constraint constraint(std::string name, F f) {
    static_assert(std::is_invocable_v<const F&, const Point<Gradient>&, Terms<Gradient>&>,
                  "pawl: a constraint is differentiated: it must take (const auto& at, auto& c)");
    return declare_constraint(std::move(name), detail::VectorFunction(std::move(f)));
  }

  /// Watches the sum of the Hamiltonians declared so far. `kept`: it is an invariant too, and the motion is held on its
  /// level. Only for systems without losses and inputs.
  Observable energy(std::string name = "energy", bool kept = false);

  StructureReport check_structure(const Values& values, double t = 0) const {
    return pawl::check_structure(*this, values, t);
  }

 private:
  void declare_hamiltonian(Function H);
  void declare_structure(detail::MatrixFunction f);
  void declare_dissipation(detail::MatrixFunction f);
  void declare_resistance(detail::ResistiveRelation f);
  void declare_input(detail::VectorFunction f);
  Constraint declare_constraint(std::string name, detail::VectorFunction column);
};

struct PortHamiltonianInfo {
  struct ConstraintInfo {
    std::string name;
    detail::VectorFunction column;
    int row;  ///< among those of all constraints of the model
  };

  std::vector<Function> hamiltonians;
  std::vector<detail::MatrixFunction> structures, dissipations;
  std::vector<detail::ResistiveRelation> resistances;
  std::vector<detail::VectorFunction> inputs;
  std::vector<ConstraintInfo> constraints;

  /// Every state has its own row.
  static detail::EntryMap map(int states);
};

}  // namespace pawl
