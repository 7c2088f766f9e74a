// A mechanism as rows of equations, with its multipliers λ among the unknowns:
//
//   kinematics    0 = S(q) v - q'
//   balance       0 = f(t, q, v, ...) - dV/dq - G^T λ - M(q) v'
//   constraints   0 = g, or h, where they are in force; 0 = λ where they are not; where they follow from others and are
//                 left out, the combination of λ that Held::shares has
//   contacts      the law of the mode: 0 = λT + μ λN d (slip), 0 = λN - force(δ, δ') (compliant)
//
// The compliant force goes on smoothly beyond zero, where the mode ends: steps solve for λ, and a kink in it is where
// none passes.
//
// Forces may read whatever is an unknown: multipliers, currents, algebraic unknowns of any kind. Derivatives G and
// dV/dq are taken with duals over whatever scalar the rows are evaluated with. Signs are those of contact_forces.hpp.
#pragma once

#include <memory>
#include <vector>

#include "pawl/mechanics.hpp"

namespace pawl::formulate {

/// Appends all of them. first_multiplier: the state that is the multiplier of the first constraint row.
void append_mechanics_rows(const std::shared_ptr<const System::Declarations>& declared, int first_multiplier,
                           std::vector<EquationInfo>& equations);

/// δ and δ' of a compliant contact.
struct Penetration {
  double depth, rate;
};
Penetration penetration(const MechanicsInfo& info, const ContactInfo& contact, const Point<double>& at);

}  // namespace pawl::formulate
