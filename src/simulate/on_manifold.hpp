// OnManifold: what a run of a system with constraints or invariants needs beside a method and an event layer. It makes
// the dynamics, the stabilizer and a consistent start, and says how well the manifold was kept.
#pragma once

#include <memory>
#include <optional>

#include "formulate/implicit_form.hpp"
#include "pawl/run.hpp"
#include "simulate/form_dynamics.hpp"
#include "simulate/plan.hpp"
#include "stabilize/manifold_keeper.hpp"

namespace pawl::detail {

class OnManifold {
 public:
  /// Gives the set-up the rates of the form and a consistent start.
  static std::unique_ptr<OnManifold> make(Setup& setup, const Plan& plan);

  /// What keeps the steps of the motion on the manifold.
  Keeper& make_keeper(const stabilize::KeptMotion& motion);

  const formulate::Formulation& formulation() const { return formulation_; }
  /// The model with its multipliers as unknowns; while the motion slides on a relay, its accelerations.
  std::unique_ptr<formulate::ImplicitForm> make_implicit_form(const std::shared_ptr<const System::Declarations>& model,
                                                              formulate::Scheme scheme, const ActiveField& field,
                                                              int size);

  /// What form, contacts and start remember.
  void carry(Memory& memory) { dynamics_->carry(memory); }

  void report(const Result& run, Statistics& statistics) const;
  /// What the user should know at the end.
  std::vector<Message> notes(const Options& options, const Result& run) const;

 private:
  OnManifold() = default;
  void derive(Setup& setup, AtStart start);
  void start(Setup& setup, AtStart wanted);
  void begin_reaching(Setup& setup);
  std::string explain() const;
  std::string hint() const;
  formulate::Form& form() const { return dynamics_->form(); }

  std::shared_ptr<FormDynamics> dynamics_;
  formulate::Formulation formulation_;
  stabilize::Stabilization stabilization_;
  std::unique_ptr<stabilize::Stabilizer> stabilizer_;
  std::optional<stabilize::ManifoldKeeper> keeper_;
  int first_reaching_guard_ = -1, first_reaching_mode_ = -1;
  std::vector<int> reaching_rows_;
};

}  // namespace pawl::detail
