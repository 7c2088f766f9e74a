// A sweep as one HTML file that opens from disk: scatter, heat map, histograms, parallel coordinates, statistics, the
// runs without values, and the command behind every run.
#pragma once

#include <string>

#include "pawl/sweep.hpp"

namespace pawl {

/// At most this many runs are in the page, at equal distances in their numbers; those without values all the same, as
/// far as a thousand of them.
inline constexpr long long most_reported_runs = 100'000;

std::string sweep_to_html(const Sweep& sweep);

}  // namespace pawl
