// Small things that impacts and decisions share.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "pawl/contact.hpp"

namespace pawl::contact {

inline constexpr double resting_speed = 1e-12;  ///< of the speeds that make it up

inline bool is_slip(ContactMode mode) {
  return mode == ContactMode::slip || mode == ContactMode::slip_back;
}

/// 'a', 'b', 'c'
inline std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace pawl::contact
