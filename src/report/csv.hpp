// A run as comma-separated values: t, every state, every observable, one row per sample, 17 significant digits.
#pragma once

#include <string>

#include "pawl/result.hpp"

namespace pawl {

/// The requested samples if there are any, else every accepted step.
std::string to_csv(const Result& run);

/// The samples to_csv and the JSON file write: requested ones if there are any, else all.
std::vector<int> samples_to_write(const Result& run);

}  // namespace pawl
