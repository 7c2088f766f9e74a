// What rounding does to a number of size one, and what no number is larger than.
#pragma once

#include <limits>

namespace pawl {

inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace pawl
