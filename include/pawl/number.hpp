// The functions a model function may call, for plain numbers: those of the standard library under pawl's own names, and
// those that exist for every scalar beside.
#pragma once

#include <cmath>

namespace pawl {

using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::exp, std::hypot,
    std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

constexpr double sqr(double x) {
  return x * x;
}
constexpr double min(double x, double y) {
  return y < x ? y : x;
}
constexpr double max(double x, double y) {
  return x < y ? y : x;
}

/// One of two values by the sign of g, where an `if` on a state is not allowed. The result may jump at g = 0: when it
/// does, the model switches there and the switch should be declared.
constexpr double select(double g, double where_positive, double otherwise) {
  return g > 0 ? where_positive : otherwise;
}

}  // namespace pawl
