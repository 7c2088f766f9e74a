// Which operation of the rates or equations of a model is the first that is not finite, from functions that know.
#pragma once

#include <string>

#include "pawl/system.hpp"

namespace pawl::formulate {

/// Asks them at this point. Empty: none of them knows, or all are finite.
std::string operation_not_finite(const System::Declarations& model, const Held& held, double t, const double* y,
                                 const double* dy);

/// The same at a state that a run has reached, then further and further along its tangent, from this step on.
std::string operation_not_finite_near(const System::Declarations& model, const Function& rates, const Held& held,
                                      double t, const double* x, double step);

/// As one more line of a message; nothing for nothing.
std::string line_of_operation(const std::string& operation);

}  // namespace pawl::formulate
