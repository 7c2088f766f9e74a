// A sweep as one file, for other programs: a row per run, in the order of their numbers, whatever has made them. They
// are written row by row, so that a million runs need no more memory than they have anyhow.
#pragma once

#include <string>

#include "pawl/sweep.hpp"

namespace pawl {

/// run, outcome, what was varied, what was kept, reason.
void write_sweep_csv(const Sweep& sweep, const std::string& path);
/// For numpy.load: an array per name, and "outcome".
void write_sweep_npz(const Sweep& sweep, const std::string& path);
/// /table (runs x names), /names, /outcome (numbers, which /outcomes has names for), /model, and /failed runs with
/// their /reasons. Throws Misuse where pawl was built without the HDF5 library.
void write_sweep_hdf5(const Sweep& sweep, const std::string& path);

/// What was varied, then what was kept.
std::vector<std::string> quantity_names(const Sweep& sweep);

}  // namespace pawl
