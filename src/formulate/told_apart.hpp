// Two numbers as text that tells them apart: 1 and 1.00000001, not 1 and 1.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

namespace pawl::formulate {

/// With as many digits as it takes, six at least.
inline std::pair<std::string, std::string> told_apart(double a, double b) {
  for (int digits = 6; digits < 17; ++digits) {
    std::pair<std::string, std::string> both{fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
    if (both.first != both.second) return both;
  }
  return {fmt::format("{:.17g}", a), fmt::format("{:.17g}", b)};
}

}  // namespace pawl::formulate
