// The port-Hamiltonian part of a model as rows of equations, with its multipliers λ among the unknowns:
//
//   0 = (J - R) e - r(x, e) + B u + C λ - x',   0 = C^T e,   e = dH/dx,
//
// for the states that the energy, the structure or a port mentions; the others have equations or rates of their own.
#pragma once

#include <memory>
#include <vector>

#include "pawl/port_hamiltonian.hpp"

namespace pawl::formulate {

/// Appends them. first_multiplier: the state that is the multiplier of the first constraint row of the model.
void append_port_hamiltonian_rows(const std::shared_ptr<const System::Declarations>& declared, int first_multiplier,
                                  std::vector<EquationInfo>& equations);

}  // namespace pawl::formulate
