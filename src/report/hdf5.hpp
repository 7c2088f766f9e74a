// A table as an HDF5 file: /table has one row per instant and one column per name, /names the names, and the attributes
// of the file say what was run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/result.hpp"

namespace pawl {

/// Throws Misuse where pawl was built without the HDF5 library.
std::string to_hdf5(const Table& table, const std::vector<std::pair<std::string, std::string>>& attributes = {});

}  // namespace pawl
