// What is kept of a run, from the words of SweepOptions::keep.
#pragma once

#include <string>
#include <vector>

#include "pawl/sweep.hpp"

namespace pawl::sweeping {

struct Kept {
  std::vector<Column> columns;
  bool needs_samples = false;  // the states of every step
  bool needs_ranges = false;   // of observables, along the way
};

/// Throws Misuse, with the nearest name, for words that do not fit the system.
Kept read_kept(const std::vector<std::string>& words, const System& system);

}  // namespace pawl::sweeping
