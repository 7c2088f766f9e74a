// Diagonally implicit Runge-Kutta methods (SDIRK, ESDIRK): stiff systems and differential-algebraic ones of index 1,
// one real factorization for all stages, kept over many steps while Newton's method converges fast. See
// esdirk_tables.hpp.
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "integrate/esdirk_tables.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

/// The table, the form and the control must outlive the stepper.
std::unique_ptr<Stepper> make_esdirk(const EsdirkTable& table, formulate::ImplicitForm& form,
                                     const StepControl& control);

}  // namespace pawl
