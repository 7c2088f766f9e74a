// A table as a MATLAB file of version 4 that holds a trajectory as Modelica tools write it ("binTrans"): OMEdit and
// Dymola plot it, Octave and SciPy load it. The column "t" becomes "time"; every column is a row of data_2.
#pragma once

#include <string>

#include "pawl/result.hpp"

namespace pawl {

/// The file appears whole or not at all. Throws Misuse where pawl was built without matio.
void write_mat(const Table& table, const std::string& path);

}  // namespace pawl
