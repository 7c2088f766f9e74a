// An observable at one instant, with the equivalent control where the motion slides and at[dot(x)] where it is read.
#pragma once

#include "pawl/system.hpp"

namespace pawl::event {

double observe(const System::Declarations& model, const Held& held, int observable, double t, const double* x);

/// The value of a relay: its level, or the equivalent control.
/// The multiplier of a row of the constraints.
double multiplier(const System::Declarations& model, const Held& held, int row, double t, const double* x);
double relay_value(const System::Declarations& model, const Held& held, int relay, double t, const double* x);

}  // namespace pawl::event
