// ImplicitForm: a system as the implicit methods see it,
//
//   0 = r(t, y, y') = f(t, y) - M y'   (or -F(t, y, y'), up to the sign of each row),   M = -dr/dy',  J = dr/dy.
//
// The unknowns y are the states of the model, then what a formulation adds to them (multipliers).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numerics/shifted_system.hpp"
#include "pawl/system.hpp"

namespace pawl::formulate {

enum class MassKind {
  identity,  ///< y' = f(t, y)
  constant,  ///< M y' = f(t, y)
  varying,   ///< anything else
};

/// What an unknown is: found from the structure and the rank of the equations, never asked.
struct Role {
  bool is_differential = true;
  int index = 0;          ///< 1 + differentiations of the equations that determine it; 0 or 1: nothing special
  bool is_bound = false;  ///< at index 1: differential, though rates of fewer combinations than such unknowns occur
};

class ImplicitForm {
 public:
  virtual ~ImplicitForm() = default;

  int size() const { return size_; }
  /// The first so many unknowns are the states of the model, in their order.
  int states() const { return states_; }
  MassKind mass_kind() const { return mass_kind_; }
  /// One per unknown; may change with the mode.
  const std::vector<Role>& roles() const { return roles_; }

  /// A smooth piece begins: what is held has changed, the state may have jumped. Sizes, roles and the shape of
  /// matrices() are known afterwards.
  virtual void restart(double t, const double* x) = 0;
  /// From states to unknowns: y (states given, the rest to be found) and y'. Returns why it cannot; empty: done.
  virtual std::string complete(double t, double* y, double* dy) = 0;

  /// r; dy null stands for y' = 0. Counted as one right-hand side. Does not allocate.
  virtual void residual(double t, const double* y, const double* dy, double* r) = 0;
  /// J and M at this point, into matrices(). dy null stands for y' = 0. Does not allocate after the first call.
  virtual void linearize(double t, const double* y, const double* dy) = 0;
  /// The partial derivative of r by t, at the point of the last linearization.
  virtual void time_slope(double t, const double* y, const double* dy, double* slope) = 0;
  virtual const MatrixPair& matrices() const { return matrices_; }
  /// M x of the last linearization (M y' where it is constant).
  virtual void times_mass(const double* x, double* out) const;
  /// Factors c M - J of the last linearization.
  virtual std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const;

  bool has_exact_jacobian() const { return has_exact_jacobian_; }
  /// "exact (dual numbers), 6 colours", "given", "differences".
  const std::string& jacobian_kind() const { return jacobian_kind_; }
  /// The name of an unknown, for messages.
  virtual std::string name(int unknown) const = 0;
  /// What it remembers, for a run that is saved or continued.
  virtual void carry(Memory& memory) { memory.refuse(); }

  /// Evaluations of the model by linearize() and time_slope(): with duals, and with numbers.
  long long dual_evaluations = 0, difference_evaluations = 0;

  /// Changes with size and pattern: a solver made before no longer serves.
  int version() const { return version_; }

  LinearSolver linear_solver = LinearSolver::automatic;
  bool wants_differences = false;  ///< for Jacobians, even where they could be exact

 protected:
  /// What all of them remember.
  void carry_common(Memory& memory) {
    memory(size_, states_, version_, mass_kind_, has_exact_jacobian_, jacobian_kind_, roles_, matrices_,
           dual_evaluations, difference_evaluations);
  }

  int size_ = 0, states_ = 0, version_ = 0;
  MassKind mass_kind_ = MassKind::identity;
  bool has_exact_jacobian_ = true;
  std::string jacobian_kind_;
  std::vector<Role> roles_;
  MatrixPair matrices_;
};

}  // namespace pawl::formulate
