// The multistep methods of CVODE for y' = f(t, y): backward differentiation formulas of orders 1 to 5 for stiff
// problems, Adams-Moulton formulas of orders 1 to 12 for smooth ones, both with variable step and order (Hindmarsh et
// al., ACM TOMS 31 (2005) 363).
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

enum class CvodeKind { bdf, adams };

/// BDF solves its equations by Newton's method, with factored matrices or (is_krylov) with GMRES and differences along
/// Krylov vectors, without a preconditioner. Adams iterates functionally, or by Newton-Krylov. The form must have
/// MassKind::identity, and must outlive the stepper. Throws Misuse for a fixed step.
std::unique_ptr<Stepper> make_cvode(formulate::ImplicitForm& form, const StepControl& control, CvodeKind kind,
                                    bool is_krylov);

}  // namespace pawl
