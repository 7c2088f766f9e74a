// Backward differentiation formulas of IDA for 0 = r(t, y, y'), orders 1 to 5 with variable step and order (Hindmarsh
// et al., ACM TOMS 31 (2005) 363; Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in
// Differential-Algebraic Equations, SIAM 1996).
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

/// Any form. Unknowns of index k >= 2 are scaled by h^(k - 1) as Newton's method sees them, and algebraic unknowns are
/// then left out of the error test. The form must outlive the stepper. Throws Misuse for a fixed step.
std::unique_ptr<Stepper> make_ida(formulate::ImplicitForm& form, const StepControl& control, bool is_krylov);

}  // namespace pawl
