// Joints of a mechanism in a mixture that follow from others: their forces could not be told apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pawl/message.hpp"
#include "pawl/system.hpp"

namespace pawl::detail {

struct RedundantJoints {
  std::vector<int> rows;       ///< among those of all constraints
  std::vector<Message> notes;  ///< one each
  std::string failure;         ///< not empty: why the motion cannot go on
};

/// The joints in force that follow from those declared before them, where the mechanism is. At the start, where it is
/// put, with states that are to be fixed; later, null.
RedundantJoints find_redundant_joints(const std::shared_ptr<const System::Declarations>& mechanism, const Held& held,
                                      double t, const double* x, const std::vector<std::string>* fixed);

}  // namespace pawl::detail
