// SwitchingStepper: an explicit method while accuracy limits the step, an implicit one while stability would.
//
//   explicit -> implicit   the explicit method says that its steps hang at the edge of its stability region; or h ρ
//   says
//                          so, for a decaying motion, where errors are too near rounding for the method to tell
//   implicit -> explicit   h ρ stays well inside that region, ρ the spectral radius of df/dx by a power iteration that
//   is
//                          carried on from look to look
//
// Every change doubles the number of steps before the next look, so that the two cannot take turns for ever. This
// follows the type-insensitive codes (Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136; Hairer and Wanner, Solving ODE
// II, IV.2).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

struct SwitchingParts {
  std::unique_ptr<Stepper> explicit_one;
  std::function<std::unique_ptr<Stepper>()> make_implicit;  ///< called when it is first needed
  std::string explicit_name, implicit_name;
  double stability_limit = 3.3;  ///< of the explicit method, along the negative axis
  bool looks_at_once = false;    ///< stiffness is judged at the start: where a try of explicit steps is dear
};

std::unique_ptr<Stepper> make_switching(SwitchingParts parts, const VectorField& field, int size,
                                        const StepControl& control);

}  // namespace pawl
