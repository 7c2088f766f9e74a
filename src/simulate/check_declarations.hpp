// What a model's functions read and write, looked at once before a run: handles of another System, and declarations
// that contradict each other.
#pragma once

#include <vector>

#include "pawl/system.hpp"

namespace pawl::detail {

/// Throws Misuse where the values were made for another system, or before its last declaration.
void check_values(const Values& values, const System& system);

/// Evaluates every generic function of the model with patterns, and every matrix and force with numbers; throws Misuse
/// where one uses a handle of another system, in the mode of the start or with one flag or condition the other way.
/// Black boxes look at every handle themselves, whenever they are evaluated.
void check_handles(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t);

/// Throws Misuse where an entry of a mass matrix is written on both sides of the diagonal, an entry or a force is
/// assigned over what another function has written, or an entry of a port-Hamiltonian structure lacks its partner.
void check_contradictions(const System::Declarations& model, const Held& held, const std::vector<double>& start,
                          double t);

}  // namespace pawl::detail
