// ImplicitRun: what a run with implicit steps needs beside its methods. It owns the forms they work on; for a
// differential-algebraic system it makes the dynamics, finds the index and makes the start consistent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "integrate/driver.hpp"
#include "integrate/methods.hpp"
#include "pawl/run.hpp"
#include "simulate/plan.hpp"
#include "stabilize/equation_keeper.hpp"

namespace pawl::detail {

class DaeDynamics;
class OnManifold;

class ImplicitRun {
 public:
  ImplicitRun(Setup& setup, OnManifold* manifold);
  ~ImplicitRun();

  /// A differential-algebraic system of its own: finds its index, gives the set-up rates and what keeps the ends of
  /// steps on the manifold, and follows jumps.
  void analyze(const SolverPlan& solver, const ActiveField& field);
  /// What was found, for the plan.
  const EquationFacts& facts() const { return facts_; }
  /// A consistent start. The plan says who finds rates (Plan::field); it must outlive this.
  void begin(const Plan& plan);
  /// Whether a Rosenbrock method can take the equations: a constant mass matrix, exact derivatives, index 1, which
  /// ideal switches may raise.
  bool allows_rosenbrock() const {
    return mass_kind_ != formulate::MassKind::varying && has_exact_jacobian_ && index_ < 2 && model_->switches.empty();
  }

  /// The method of the plan, and where there is one the other for where it is stiff.
  DriverParts make_methods(const VectorField& field, int size, const StepControl& control);

  /// What the user should know about the start.
  std::vector<Message> take_notes();
  void report(const Driver& driver, Statistics& statistics);
  /// What was found about the start, and what the equations as others see them remember. held: what is held now.
  void carry(Memory& memory, const Held& held);

 private:
  std::vector<bool> fixed_states() const;
  void look_at_start();
  bool integrates_field() const;
  std::unique_ptr<formulate::ImplicitForm> make_form(const ActiveField& field, int size, bool is_of_field,
                                                     bool is_own_choice);
  std::unique_ptr<Stepper> make_method(const Method& method, const VectorField& field, int size,
                                       const StepControl& control);
  std::unique_ptr<Stepper> make_stepper(const Method& method, const VectorField& field, int size,
                                        const StepControl& control, bool is_of_field, bool is_own_choice);

  Setup& setup_;
  OnManifold* manifold_;
  std::shared_ptr<const System::Declarations> model_;
  const Plan* plan_ = nullptr;
  std::vector<Message> notes_;
  std::vector<std::unique_ptr<formulate::ImplicitForm>> forms_;
  formulate::MassKind mass_kind_ = formulate::MassKind::identity;
  bool has_exact_jacobian_ = true;
  int index_ = 0;
  EquationFacts facts_;
  std::string structure_;
  std::shared_ptr<DaeDynamics> dae_;                 // of a differential-algebraic system
  std::optional<stabilize::EquationKeeper> keeper_;  // of its steps
};

}  // namespace pawl::detail
