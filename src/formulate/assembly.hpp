// A model of several kinds, put together as one list of equations over one list of unknowns: the states as declared,
// the multipliers of all constraint rows, the values of relays that may slide.
//
//   rates and mass rows, declared equations, ideal switches     as they are
//   mechanisms with contacts                                    mechanics_rows.hpp
//   port-Hamiltonian parts                                      port_hamiltonian_rows.hpp
//   relays without hysteresis                                   0 = u - level, or on their surface 0 = g
//
// Index, roles, consistent values, rates and manifold of the whole then follow from dae_structure.hpp and
// dae_start.hpp, mode by mode. Invariants stay what they are: they are kept at the end of steps
// (stabilize/equation_pull.hpp).
#pragma once

#include <memory>
#include <vector>

#include "pawl/system.hpp"

namespace pawl::formulate {

/// Whether the parts of the model need each other: several kinds, or functions that read multipliers as unknowns. held
/// and start: of the run.
bool needs_assembly(const System::Declarations& model, const Held& held, const std::vector<double>& start);

std::shared_ptr<const System::Declarations> assemble(const std::shared_ptr<const System::Declarations>& declared);

}  // namespace pawl::formulate
