// Explicit Runge-Kutta steppers for erased systems: the same algorithm instantiated for one to four states, for few and
// for many. Up to `few` the compiler must not vectorize: short vectors written as scalars and read back as vectors
// stall the processor. The build compiles erased_runge_kutta.cpp.in once per row of the table in
// erased_runge_kutta.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

using MakeStepper = std::unique_ptr<Stepper> (*)(const VectorField& field, int size, const StepControl& control);

/// A maker of the stepper of that table for systems of that size.
MakeStepper erased_runge_kutta(std::string_view table_name, int size);

}  // namespace pawl
