// The text of the Misuse that an action throws.
#pragma once

#include <functional>
#include <string>

#include "pawl/system.hpp"

namespace pawl::testing {

inline std::string misuse_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Misuse& error) {
    return error.what();
  }
  return "no misuse";
}

}  // namespace pawl::testing
