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

class StepperOf {
 public:
  StepperOf(const Method& method, const System& system, StepControl control)
      : model_(system.share()), held_(Values(system).held()), control_(std::move(control)) {
    const Function& rates = model_->rates;
    field_ = {rates.entry<double>(), rates.functor(), held_.parameters.data(), &around_};
    if (method.is_implicit()) {
      form_ = formulate::make_ode_form(model_, field_, system.size());
      stepper_ = method.make_implicit(*form_, control_, {});
    } else {
      stepper_ = method.make(VectorField{&field_}, system.size(), control_);
    }
  }
  StepperOf(const StepperOf&) = delete;
  StepperOf& operator=(const StepperOf&) = delete;

  Stepper& operator*() const { return *stepper_; }
  Stepper* operator->() const { return stepper_.get(); }

 private:
  std::shared_ptr<const System::Declarations> model_;
  Held held_;
  StepControl control_;
  detail::Surroundings<double> around_{&held_};
  ActiveField field_{};
  std::unique_ptr<formulate::ImplicitForm> form_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace pawl::testing
