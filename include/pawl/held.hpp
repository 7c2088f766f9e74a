// Held: everything a model holds constant between events. Inside a step it cannot change, whatever a trial state does:
// that is discontinuity locking, by type.
#pragma once

#include <vector>

#include "pawl/handle.hpp"

namespace pawl {

enum class RelaySide : signed char { below = -1, sliding = 0, above = 1 };

struct Held {
  std::vector<double> parameters;
  std::vector<int> modes;                  ///< discrete bools, ints and enums
  std::vector<double> numbers;             ///< discrete doubles
  std::vector<signed char> truths;         ///< conditions: 1 where it holds, else 0; relations: the sign -1, 0 or 1
  std::vector<std::vector<Pair>> members;  ///< per condition family: the members that hold, in declaration order
  std::vector<double> levels;              ///< relays: the level in force
  std::vector<RelaySide> sides;            ///< relays

  bool operator==(const Held&) const = default;
};

}  // namespace pawl
