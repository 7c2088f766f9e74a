// Rows and unknowns that do not match: found, and in words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "numerics/assignment.hpp"
#include "pawl/model/structure.hpp"

namespace pawl::model {

/// By alternating paths from what is not assigned.
void find_mismatches(const Signature& sigma, const Assignment& assignment, std::vector<Mismatch>& too_many,
                     std::vector<Mismatch>& too_few);

/// What a message needs beside the parts.
struct MismatchNames {
  std::string model;
  int equations, unknowns;
  std::function<std::string(int)> row, unknown;
};
std::string explain_mismatch(const MismatchNames& names, const std::vector<Mismatch>& too_many,
                             const std::vector<Mismatch>& too_few);

}  // namespace pawl::model
