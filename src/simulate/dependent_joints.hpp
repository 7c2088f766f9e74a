// Joints of a mechanism in a mixture that depend on each other where all of them hold: their forces could not be told
// apart.
#pragma once

#include <string>

#include "formulate/dae_form.hpp"

namespace pawl::detail {

/// In words; empty: none does. At consistent values, in the mode the form is in.
std::string find_dependent_joints(formulate::DaeForm& form, double t, const double* x);

}  // namespace pawl::detail
