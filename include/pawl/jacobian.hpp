// The Jacobian of a system's rates: exact by dual numbers for generic functions, by differences for black boxes.
#pragma once

#include <vector>

#include "pawl/system.hpp"

namespace pawl {

struct Jacobian {
  int size;
  std::vector<double> values;  ///< row by row: d rate_i / d x_j at [i size + j]
  bool is_exact;               ///< false: one-sided differences, about half the digits
  int evaluations;             ///< of the rates: ceil(n / 8) with duals, n + 1 with numbers

  double operator()(int i, int j) const { return values[static_cast<std::size_t>(i * size + j)]; }
};

Jacobian jacobian(const System& system, const Values& values, double t, const std::vector<double>& x);

namespace detail {
Jacobian jacobian(const Function& rates, const Held& held, double t, const std::vector<double>& x);
}  // namespace detail

}  // namespace pawl
