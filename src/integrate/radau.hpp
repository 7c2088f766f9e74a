// Radau IIA of orders 5, 9 and 13 for stiff equations and differential-algebraic ones up to index 3 (docs/stiff.md).
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

/// stages: 3, 5 or 7; 0: chosen by the tolerance and by how Newton's method fares, step by step.
std::unique_ptr<Stepper> make_radau(int stages, formulate::ImplicitForm& form, const StepControl& control);

}  // namespace pawl
