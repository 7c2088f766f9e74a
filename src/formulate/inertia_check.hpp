// Whether what a mechanism declares fits the inertial terms that are derived from it (inertial_terms.hpp). With them
// the power of all forces is the change of the kinetic energy, whatever the masses are, unless
//
//   a force contains them as well, as programs for versions before 0.6 wrote them,
//   a kinetic energy is not quadratic in the speeds,
//   a mass depends on speeds where that cannot be observed: in a black box or a function that branches.
//
// Each is looked for at the start and a little beside it, with speeds of both signs. Forces are compared row by row, by
// their parts quadratic and linear in the speeds: a row that equals the derived one to seven digits contains it. Not
// seen: terms that are written with another error, that stand beside other terms of the same degree, or that cancel
// with them, as in a controller which makes up for its own model.
#pragma once

#include "formulate/mechanics_terms.hpp"

namespace pawl::formulate {

/// Throws Misuse that names the coordinate. The terms must have been arranged; their values are overwritten. x: of all
/// states of the run, where the mechanism is part of a larger model.
void check_inertia(const System::Declarations& model, MechanicsTerms& terms, const Held& held, double t,
                   const double* x);

}  // namespace pawl::formulate
