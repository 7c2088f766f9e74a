#pragma once

#include <memory>

#include "pawl/mechanics.hpp"

namespace pawl {

/// The declarations of the mechanism, to be changed: its own copy if another System still reads the old one.
inline MechanicsInfo& edit_mechanics(System::Declarations& all) {
  auto mine = all.mechanics ? std::make_shared<MechanicsInfo>(*all.mechanics) : std::make_shared<MechanicsInfo>();
  MechanicsInfo& info = *mine;
  all.mechanics = std::move(mine);
  return info;
}

}  // namespace pawl
