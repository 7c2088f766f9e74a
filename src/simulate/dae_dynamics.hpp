// DaeDynamics: the equations of a differential-algebraic system as everybody but the stepper sees them: the event
// layer, which wants rates, the pull of ends of steps, and whoever reads the result.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contact/contacts.hpp"
#include "formulate/dae_form.hpp"
#include "formulate/dae_start.hpp"
#include "simulate/ideal_switches.hpp"
#include "simulate/plan.hpp"
#include "simulate/shared_loads.hpp"
#include "stabilize/equation_pull.hpp"
#include "system/dynamics.hpp"
#include "system/vector_field.hpp"

namespace pawl::detail {

class DaeDynamics final : public Dynamics {
 public:
  DaeDynamics(std::shared_ptr<const System::Declarations> model, bool wants_differences);

  /// What a run needs beside rates: a manifold that its ends of steps are pulled to, switches and contacts that are
  /// decided. The states that are fixed keep their start values. field: what the run evaluates.
  void keep_manifold(const StepControl& control, std::vector<bool> fixed, const ActiveField& field);
  void decide_switches(const StepControl& control, double direction);
  void decide_contacts(double tolerance);
  stabilize::EquationPull& pull() { return *pull_; }
  IdealSwitches* switches() { return switches_.get(); }

  /// From which index of a mode on rates are wanted at any values of what is differentiated, as explicit steps do, and
  /// what is wanted of a start. cuts_steps: at an event the state is one of a polynomial, whose algebraic unknowns are
  /// known to the tolerance.
  void begin(int field_from, AtStart policy, bool cuts_steps);
  /// In the mode in force.
  bool is_field() const { return form_->structure().index >= field_from_; }

  /// Leaves out constraints that follow from others. Returns why that cannot be; empty: done.
  std::string share_loads(double t, const double* x, Held& held, Settle why);
  /// As if nobody had been told of them.
  void forget_shared_loads();
  /// Takes up a mode.
  void take_up(const Held& held, double t, const double* x);
  formulate::DaeForm& form() { return *form_; }
  const formulate::DaeForm& form() const { return *form_; }
  /// Those of the last consistent values.
  const std::vector<double>& consistent_rates() const { return consistent_rates_; }
  long long rates_given() const { return rates_given_; }  ///< which whoever asks counts too

  const MultiplierSource* multipliers() const override { return multipliers_.get(); }
  void follow(const Held& /*held*/) override { source_ = nullptr; }
  bool settles() const override { return true; }
  std::string settle(double t, double* x, const Held& held, Settle why) override;
  bool resolves() const override { return decides() || (mechanism() != nullptr && mechanism()->rows > 1); }
  bool decides() const override { return switches_ || contacts_; }
  Resolution resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                     Settle why) override;
  std::shared_ptr<Dynamics> make_reader() const override;

  /// What it remembers. held: what is held now.
  void carry(Memory& memory, const Held& held);

  std::vector<Message> notes;  ///< about the start

 private:
  struct ModelRates {
    DaeDynamics* own;
    void operator()(const Point<double>& at, Rates<double>& d) const;
  };
  class Beside;
  const MechanicsInfo* mechanism() const { return model_->parts ? model_->parts->mechanics.get() : nullptr; }
  bool rate(double t, const double* x, const Held& held, const double* relays, double* out);
  bool unload_pulling_contact(double t, const double* x, const Held& held, std::vector<int>& unloaded);
  formulate::StartReport find(double t, double* x, double* dx, const Held& held, Settle why);
  std::string make_consistent(double t, double* x, const Held& held, Settle why);
  std::string describe_leap(double t, const double* x) const;
  Resolution resolve_switches(double t, double* x, Held& held, std::span<const int> fired, Settle why);
  bool have_struck(const std::vector<double>& before, const double* x) const;
  Resolution resolve_impacts(double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why);
  Resolution resolve_contacts(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                              Settle why);

  Surroundings<double> around_{};
  ActiveField field_{};
  std::unique_ptr<formulate::DaeForm> form_;
  const Held* source_ = nullptr;  // whose mode the form is in
  Held given_;                    // what is held, with levels of relays that somebody asks for
  std::vector<double> consistent_rates_;
  std::vector<double> before_;                   // the state that was made consistent last
  std::unique_ptr<IdealSwitches> switches_;      // where there are any
  std::unique_ptr<contact::Contacts> contacts_;  // likewise
  std::shared_ptr<formulate::MechanicsForm> contact_form_;
  std::unique_ptr<MultiplierSource> multipliers_;  // what their guards read beside unknowns
  std::unique_ptr<stabilize::EquationPull> pull_;
  std::unique_ptr<SharedLoads> loads_;  // of a mechanism
  int rows_of_constraints_ = 0;         // of a mechanism with contacts: the first of them
  bool has_decided_ = false;            // the switches, at the start of the run
  std::vector<bool> fixed_;
  AtStart policy_ = AtStart::project;
  int field_from_ = std::numeric_limits<int>::max();
  bool has_begun_ = false, cuts_steps_ = false;
  long long rates_given_ = 0;
};

}  // namespace pawl::detail
