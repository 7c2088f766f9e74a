// The guards of contacts: what ends a mode. They are made when a model is compiled, and read what a run knows (forces,
// margins) through the point they are evaluated at.
#pragma once

#include "pawl/system.hpp"

namespace pawl::contact {

/// Of sliding contacts, over what it is without friction: below, the force that presses has no bound (Painlevé).
inline constexpr double least_pivot = 1e-3;
/// Of the onset of slip in space: slip beyond zero by so much has turned back.
inline constexpr double turned_back = 1e-3;

/// What guards read beside states, by number: the multipliers of all constraint rows, then the least pivot of the
/// contacts that slip, then the given normal forces of dry friction, contact by contact.
int pivot_number(const System::Declarations& mechanism);
int given_force_number(const System::Declarations& mechanism, int contact);

/// Appends the guards of the contacts of a mechanism. Where multipliers are unknowns of the model, they are functions
/// of them.
void declare_guards(const System::Declarations& mechanism, System::Declarations& model);

}  // namespace pawl::contact
