// A table as comma-separated values: a line of names, quoted as RFC 4180 says where they have commas, quotes or ends of
// lines in them, then one line per row, 17 significant digits.
#pragma once

#include <string>
#include <string_view>

#include "pawl/result.hpp"

namespace pawl {

std::string to_csv(const Table& table);

/// RFC 4180: in quotes where it has to be, and quotes in it twice.
void append_csv_field(std::string& text, std::string_view name);

}  // namespace pawl
