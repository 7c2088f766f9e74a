// FormDynamics: rates, multipliers and manifold of a formulation, contacts included.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contact/contacts.hpp"
#include "formulate/make_form.hpp"
#include "integrate/follower_levels.hpp"
#include "simulate/plan.hpp"
#include "system/dynamics.hpp"

namespace pawl::detail {

/// What the user wants of a start off the manifold, and what was done to it.
struct StartPolicy {
  AtStart wanted = AtStart::project;
  std::vector<std::string> fixed = {};
  bool has_manifold = true;
  bool pulls_at_once = true;  ///< the stabilization takes the whole way in the first step
  std::vector<Message> notes = {};

  /// What happens to it. Returns why the run cannot begin, or nothing.
  std::string meet(formulate::Form& form, const System::Declarations& model, double t, double* x);
};

class FormDynamics final : public Dynamics {
 public:
  /// How the form is made, and made again for whoever reads the result.
  struct Recipe {
    formulate::Formulation formulation;
    bool has_manifold = true;  ///< that states are put onto
    int first_reaching_mode =
        -1;  ///< discrete variables that say which surfaces are not reached yet; -1: there are none
    double direction = 1, tolerance = 0;
  };
  FormDynamics(std::shared_ptr<const System::Declarations> model, const Recipe& recipe);

  /// For a run: multipliers get polynomials beside those of the states, which guards may read.
  void draw_multipliers();

  formulate::Form& form() const { return *form_; }
  formulate::MechanicsForm* mechanics() const { return mechanics_; }
  FollowerLevels* followers() const { return followers_.get(); }
  void carry(Memory& memory);

  const MultiplierSource* multipliers() const override { return multipliers_.get(); }
  void follow(const Held& held) override;
  bool settles() const override { return recipe_.first_reaching_mode < 0; }  // what is not reached yet is not jumped to
  std::string settle(double t, double* x, const Held& held, Settle why) override;
  bool measure(double t, const double* x, const Held& held, bool takes_levels, LevelDrift& out) override;
  bool resolves() const override { return contacts_ != nullptr; }
  Resolution resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                     Settle why) override;
  std::shared_ptr<Dynamics> make_reader() const override { return std::make_shared<FormDynamics>(model_, recipe_); }

  StartPolicy start;

 private:
  using SharedForm = std::shared_ptr<formulate::Form>;
  FormDynamics(std::shared_ptr<const System::Declarations> model, const Recipe& recipe, SharedForm form);

  const Recipe recipe_;
  const bool has_levels_;  // of something conserved
  SharedForm form_;
  formulate::MechanicsForm* mechanics_;  // the same, of a mechanism
  std::shared_ptr<contact::Contacts> contacts_;
  std::shared_ptr<DrawnMultipliers> multipliers_;
  std::shared_ptr<FollowerLevels> followers_;
};

/// s = g' + σ g of one row as a guard, whose zero ends its reaching phase.
Function surface_guard(int declared_row);

}  // namespace pawl::detail
