// Guards as variables of the equations, so that the error control sees them: the appended discontinuity functions of
// DASPKE (Mao and Petzold 2002, section 3.1.2).
//
//   algebraic       0 = g_i(t, x) - z_i
//   differential    0 = dg_i/dt - z_i'      along x and x'; a guard that reads rates stays algebraic
//
// No equation reads z, so the matrix of an implicit step is block triangular: the differential variant has the values
// that quadrature variables have, which DASPK leaves out of its iteration.
#pragma once

#include <memory>

#include "pawl/system.hpp"

namespace pawl::formulate {

enum class GuardRows { algebraic, differential };

/// The model with an unknown and a row for every guard behind its own; what is not watched in a mode is zero there, or
/// stands still. Requires a model that is declared by equations.
std::shared_ptr<const System::Declarations> append_guard_rows(const std::shared_ptr<const System::Declarations>& model,
                                                              GuardRows rows);

/// Where the guards of such a model start: the unknowns behind the model's own are set.
void start_guards(const System::Declarations& appended, const Held& held, double t, std::vector<double>& start);

}  // namespace pawl::formulate
