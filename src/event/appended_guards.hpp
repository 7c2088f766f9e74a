// Guards integrated along with the states, so that the error control of the stepper sees them: the appended variables
// of Carver (1978) and of DASPKE (Mao and Petzold 2002), y_{n+i}' = dg_i/dt along the field.
//
// In an explicit method differential and quadrature variables are the same thing: the right-hand side never reads them,
// and nothing is solved for. (In DASPK quadrature variables are left out of the Newton iteration.)
#pragma once

#include <functional>
#include <memory>

#include "event/guard_set.hpp"
#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl::event {

using StepperMaker = std::function<std::unique_ptr<Stepper>(const VectorField& field, int size, const StepControl&)>;

/// A stepper of the states alone, for the loop; inside, one of the states and all declared guards.
std::unique_ptr<Stepper> append_guards(GuardSet& guards, const ActiveField& field, int size, const StepControl& control,
                                       const StepperMaker& make);

}  // namespace pawl::event
