// An exception of a callback of the user, told apart from those of the model.
#pragma once

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace pawl::detail {

struct CallbackFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the user wants to go on; name: of the callback, in the reason where it throws.
template <class Call>
bool asks(std::string_view name, const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw CallbackFailure(fmt::format("{} threw: {}", name, error.what()));
  }
}

}  // namespace pawl::detail
