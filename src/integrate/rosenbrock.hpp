// Rosenbrock methods: stiff systems with a constant mass matrix, solved without iteration. One exact Jacobian, one real
// factorization and one solve per stage in every step; see rosenbrock_tables.hpp for the equations.
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "integrate/rosenbrock_tables.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

/// Throws Misuse where the mass matrix is not constant. The table, the form and the control must outlive the stepper.
/// Without an exact Jacobian the order is lost, and the stepper says so.
std::unique_ptr<Stepper> make_rosenbrock(const RosenbrockTable& table, formulate::ImplicitForm& form,
                                         const StepControl& control);

}  // namespace pawl
