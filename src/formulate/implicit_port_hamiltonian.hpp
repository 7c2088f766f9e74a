// A port-Hamiltonian system as implicit methods see it (Koenders, thesis, Twente (2002), section 2.2). With e = dH/dx,
//
//   index_2   x' = f(t, x) + C(x) λ,   0 = C^T e,   f = (J - R) e - r(x, e) + B u       (eq. 2.15-2.17)
//   index_1   N^T x' = N^T f,          0 = C^T e,   N^T C = 0                            (eq. 2.20-2.22)
//
// At level index_1 the multipliers are eliminated. N is made from as many rows of C as there are constraints, such that
// they are invertible, C_p: with λ = -C_p^-1 (f_p - x'_p) from the equations p, the others are f_i + C_i λ - x'_i = 0,
// and the constraints take the place of the equations p. For the gear wheels that is the matrix of eq. 2.27.
//
// Derivatives are exact but for resistances, which take numbers only.
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "formulate/implicit_mechanics.hpp"
#include "formulate/port_hamiltonian_form.hpp"

namespace pawl::formulate {

/// Unknowns: the states, then λ at level index_2. What is held is read from form.source at restart(); null: as
/// declared. The form outlives this. Throws Misuse at the other levels: a port-Hamiltonian system is of index 2 as it
/// stands.
std::unique_ptr<ImplicitForm> make_implicit_port_hamiltonian(std::shared_ptr<const System::Declarations> model,
                                                             PortHamiltonianForm& form, Level level);

}  // namespace pawl::formulate
