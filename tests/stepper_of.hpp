// A stepper of any method, explicit or implicit, for the rates of a System, with everything that has to outlive it.
#pragma once

#include <memory>
#include <utility>

#include "formulate/ode_form.hpp"
#include "integrate/methods.hpp"

namespace pawl::testing {

/// Whether the method can be told its step. Multistep methods with variable order choose their own.
inline bool takes_fixed_steps(const Method& method) {
  return method.family != Family::multistep;
}

/// The rates of a System as methods see them, at its start values.
struct FieldOf {
  explicit FieldOf(const System& system) : model(system.share()), held(Values(system).held()) {
    const Function& rates = model->rates;
    active = {rates.entry<double>(), rates.functor(), held.parameters.data(), &around};
  }
  FieldOf(const FieldOf&) = delete;
  FieldOf& operator=(const FieldOf&) = delete;

  VectorField field() const { return {&active}; }

  std::shared_ptr<const System::Declarations> model;
  Held held;
  detail::Surroundings<double> around{&held};
  ActiveField active{};
};

class StepperOf {
 public:
  StepperOf(const Method& method, const System& system, StepControl control)
      : rates_(system), control_(std::move(control)) {
    if (method.is_implicit()) {
      form_ = formulate::make_ode_form(rates_.model, rates_.active, system.size());
      stepper_ = method.make_implicit(*form_, control_, {});
    } else {
      stepper_ = method.make(rates_.field(), system.size(), control_);
    }
  }

  Stepper& operator*() const { return *stepper_; }
  Stepper* operator->() const { return stepper_.get(); }

 private:
  FieldOf rates_;
  StepControl control_;
  std::unique_ptr<formulate::ImplicitForm> form_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace pawl::testing
