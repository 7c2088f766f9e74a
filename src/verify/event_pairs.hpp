// The events of two runs side by side: one of each, of the same guard, at nearly the same time.
#pragma once

#include <vector>

#include "pawl/verify.hpp"

namespace pawl::verification {

/// In the order of time. Events further apart than `window` are not the same one. Excused are events that one run lacks
/// within 1e-4 of the run before an accumulation point both have (their number there is not defined), or where it ends,
/// or twice at one instant.
/// What happened after the end of a run that failed or was stopped is left out.
std::vector<EventPair> pair_events(const Result& first, const Result& other, double window);

}  // namespace pawl::verification
