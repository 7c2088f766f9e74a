// From what a System knows about itself to the form that is integrated.
#pragma once

#include <memory>

#include "formulate/form.hpp"
#include "formulate/formulation.hpp"

namespace pawl::formulate {

std::unique_ptr<Form> make_invariant_form(std::shared_ptr<const System::Declarations> model);

/// Null where the rates are all there is. Throws Misuse where the formulation does not fit the system.
std::unique_ptr<Form> make_form(std::shared_ptr<const System::Declarations> model, const Formulation& formulation);

}  // namespace pawl::formulate
