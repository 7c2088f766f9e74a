// Rows and unknowns that do not match.
#pragma once

#include <vector>

#include "numerics/assignment.hpp"
#include "pawl/model/structure.hpp"

namespace pawl::model {

/// By alternating paths from what is not assigned.
void find_mismatches(const Signature& sigma, const Assignment& assignment, std::vector<Mismatch>& too_many,
                     std::vector<Mismatch>& too_few);

}  // namespace pawl::model
