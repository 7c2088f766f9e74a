// Guards integrated along with the states, so that the error control of the method sees them: the appended variables
// of Carver (1978) and of DASPKE (Mao and Petzold 2002), y_{n+i}' = dg_i/dt along the field.
//
// In an explicit method differential and quadrature variables are the same thing: the right-hand side never reads them,
// and nothing is solved for. (In DASPK quadrature variables are left out of the Newton iteration.)
#pragma once

#include <memory>

#include "event/guard_set.hpp"
#include "integrate/companions.hpp"

namespace pawl::event {

/// All declared guards; the field is that of the states.
std::unique_ptr<Companions> append_guards(GuardSet& guards, const ActiveField& field, int size,
                                          const StepControl& control);

}  // namespace pawl::event
