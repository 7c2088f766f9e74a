// What `pawl sweep` says of a sweep.
#pragma once

#include <string>

#include "pawl/sweep.hpp"

namespace pawl::cli {

/// Mean, deviation, quantiles and extremes of every column; Sobol indices where they were planned.
std::string statistics_in_words(const Sweep& sweep);
/// "1000 runs: 963 finished, 37 failed".
std::string counts_in_words(const Sweep& sweep);
/// Every run without values, its reason and its command.
std::string failures_in_words(const Sweep& sweep);

}  // namespace pawl::cli
