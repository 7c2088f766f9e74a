// OnManifold: what a run of a system with constraints or invariants needs beside a driver and an event layer. It owns
// the form, the stabilizer and the keeper, makes the start consistent, and says how well the manifold was kept.
#pragma once

#include <memory>
#include <optional>

#include "contact/contacts.hpp"
#include "formulate/implicit_form.hpp"
#include "formulate/make_form.hpp"
#include "pawl/run.hpp"
#include "simulate/plan.hpp"
#include "stabilize/manifold_keeper.hpp"

namespace pawl::detail {

/// What the user wants of a start off the manifold, and what was done to it.
struct StartPolicy {
  AtStart wanted;
  std::vector<std::string> fixed;
  std::shared_ptr<const System::Declarations> model;
  bool has_manifold = true;
  bool pulls_at_once = true;  ///< the stabilization takes the whole way in the first step
  std::vector<Message> notes = {};

  std::string meet(formulate::Form& form, double t, double* x, int size);
};

/// How the model of a run is made again with a form of its own, for whoever reads the result.
struct ScratchRecipe {
  std::shared_ptr<const System::Declarations> declared, derived;
  formulate::Formulation formulation;
  bool has_manifold = true;
  int first_reaching_mode = -1;
  double direction = 1, tolerance = 0, duration = 0;

  std::shared_ptr<const System::Declarations> make() const;
};

class OnManifold {
 public:
  /// Gives the set-up the rates of the form and a consistent start.
  static std::unique_ptr<OnManifold> make(Setup& setup, const Plan& plan);

  /// What keeps the steps of the motion on the manifold.
  Keeper& make_keeper(const stabilize::KeptMotion& motion);

  const formulate::Formulation& formulation() const { return formulation_; }
  /// The system as it was declared, before it got the rates of the form.
  std::shared_ptr<const System::Declarations> declared() const { return declared_; }
  /// The system with its multipliers as unknowns; while the motion slides on a relay, its accelerations.
  std::unique_ptr<formulate::ImplicitForm> make_implicit_form(formulate::Scheme scheme, const ActiveField& field,
                                                              int size);

  /// What form, contacts and start remember.
  void carry(Memory& memory);

  void report(const Result& run, Statistics& statistics) const;
  /// What the user should know at the end.
  std::vector<Message> notes(const Options& options, const Result& run) const;

 private:
  OnManifold() = default;
  void derive(Setup& setup);
  void start(Setup& setup);
  void declare_contacts(const Setup& setup, System::Declarations& derived);
  void draw_multipliers(const Setup& setup, System::Declarations& derived);
  void declare_reaching(Setup& setup);
  std::string explain() const;
  std::string hint() const;

  std::shared_ptr<const System::Declarations> declared_, derived_;
  std::shared_ptr<formulate::Form> form_;
  std::shared_ptr<contact::Contacts> contacts_;
  std::shared_ptr<FollowerLevels> followers_;
  std::shared_ptr<StartPolicy> start_policy_;
  std::shared_ptr<ScratchRecipe> scratch_ = std::make_shared<ScratchRecipe>();
  formulate::Formulation formulation_;
  stabilize::Stabilization stabilization_;
  std::unique_ptr<stabilize::Stabilizer> stabilizer_;
  std::optional<stabilize::ManifoldKeeper> keeper_;
  AtStart at_start_ = AtStart::project;
  int first_reaching_guard_ = -1;
  std::vector<int> reaching_rows_;
};

}  // namespace pawl::detail
