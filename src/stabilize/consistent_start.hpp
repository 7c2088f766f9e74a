// Consistent initialization: from any start to one that satisfies the constraints at the level of positions and of
// speeds, moved as little as possible in the mass metric.
#pragma once

#include <string>
#include <vector>

#include "stabilize/stabilizer.hpp"

namespace pawl::stabilize {

struct StartReport {
  std::string failure;  ///< empty: the start is consistent now
  std::string changes;  ///< empty: it was before
};

/// Projects x. `fixed`: names of states that must not move.
StartReport project_start(Form& form, const System::Declarations& model, double t, std::vector<double>& x,
                          const std::vector<std::string>& fixed);

/// How far x is off, in words; empty: not beyond rounding.
std::string describe_inconsistency(Form& form, double t, const std::vector<double>& x);

}  // namespace pawl::stabilize
