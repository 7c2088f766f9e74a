// The steps of sweep(), for those who share its work between processes of their own.
#pragma once

#include <string>
#include <vector>

#include "sweep/kept.hpp"
#include "sweep/store.hpp"

namespace pawl::sweeping {

/// Throws Misuse for what cannot be meant.
Kept check(const SweepModel& model, const Design& design, const SweepOptions& options);

std::vector<std::string> names_of(const Kept& kept);

/// Makes the runs of this part that are not finished and writes them to its journal in options.folder, whose manifest
/// is settled. False: goes_on said no.
bool fill_folder(const SweepModel& model, const Design& design, const SweepOptions& options, const Kept& kept,
                 const Bits& finished);

}  // namespace pawl::sweeping
