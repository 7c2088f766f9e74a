// Initial equations: rows that hold at the start of a run alone. Together with the equations of the model they are
//
//   F(t, y, y') = 0,   I(t, y, y') = 0
//
// for y and y', fewer rows than unknowns unless every degree of freedom is said. Newton's method with the step that
// moves differential states least: rates and algebraic unknowns follow, and of the start values only what has to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pawl/system.hpp"

namespace pawl::detail {

/// Moves the start to where the initial equations hold. Conditions are taken as they stand at the values found. Returns
/// why it cannot; empty: done.
std::string meet_initial_equations(const std::shared_ptr<const System::Declarations>& model, const Held& held, double t,
                                   std::vector<double>& start);

}  // namespace pawl::detail
