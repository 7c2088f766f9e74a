// A table as comma-separated values: a line of names, then one line per row, 17 significant digits.
#pragma once

#include <string>

#include "pawl/result.hpp"

namespace pawl {

std::string to_csv(const Table& table);

}  // namespace pawl
