// A run that has samples and no polynomials, the spheres of a family of contacts, as a report can draw it: between
// samples a cubic through the positions with the speeds there, and its derivative for the speeds.
#pragma once

#include "pawl/result.hpp"

namespace pawl {

/// Requires a run of a family of contacts.
Result with_cubics_between_samples(const Result& run);

}  // namespace pawl
