// What a model's functions read and write, looked at once before a run: handles of another System, and declarations
// that contradict each other.
#pragma once

#include <functional>
#include <vector>

#include "pawl/system.hpp"

namespace pawl::detail {

/// Throws Misuse where the values were made for another system, or before its last declaration.
void check_values(const Values& values, const System& system);

/// The mode, and those with one flag or condition the other way, as far as there are few.
void visit_modes(const System::Declarations& model, const Held& held, const std::function<void(const Held&)>& visit);

/// Evaluates every generic function of the model with patterns, and every matrix and force with numbers; throws Misuse
/// where one uses a handle of another system, in the mode of the start or with one flag or condition the other way.
/// Black boxes, observables and the picture are asked once, with the start values, and look at every handle they use.
void check_handles(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t);

/// Throws Misuse where an entry of a mass matrix is written on both sides of the diagonal, an entry or a force is
/// assigned over what another function has written; in these modes too, where an entry of a port-Hamiltonian structure
/// lacks its partner or a slip speed is not linear. What runs ask again: contradictions.hpp.
void check_contradictions(const System::Declarations& model, const Held& held, const std::vector<double>& start,
                          double t);

}  // namespace pawl::detail
