// A table as comma-separated values: a line of names, quoted as RFC 4180 says where they have commas, quotes or ends of
// lines in them, then one line per row, 17 significant digits.
#pragma once

#include <string>

#include "pawl/result.hpp"

namespace pawl {

std::string to_csv(const Table& table);

}  // namespace pawl
