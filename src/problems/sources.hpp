// The texts of the catalogue: what declares a problem, for those who read its report.
#pragma once

#include <string_view>

#include "problems/catalogue.hpp"

namespace pawl {

struct SourceText {
  std::string_view name;  ///< "flail.cpp", in src/problems
  std::string_view text;
};
/// The file that declares the problem; empty for problems that are not from the catalogue.
SourceText source_of(const Problem& problem);

}  // namespace pawl
