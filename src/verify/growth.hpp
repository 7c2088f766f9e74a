// How the difference of two runs grows: d(t) = a exp(rate t), as nearby motions of a chaotic system part, or
// d(t) = a (t - start)^power, as errors of integration accumulate. Both are fitted to log d by least squares, between
// rounding and a tenth of the motion; the one with the smaller residual is believed.
#pragma once

#include <optional>
#include <vector>

#include "pawl/verify.hpp"

namespace pawl::verification {

/// d: in units of the motion so far, so that a difference that only keeps up with a growing motion does not count.
/// Nothing where there are too few points to tell.
std::optional<Growth> fit_growth(const std::vector<double>& t, const std::vector<double>& d);

}  // namespace pawl::verification
