// Held: everything a model holds constant between events. Inside a step it cannot change, whatever a trial state does:
// that is discontinuity locking, by type.
#pragma once

#include <memory>
#include <vector>

#include "pawl/handle.hpp"
#include "pawl/signal.hpp"

namespace pawl {

enum class RelaySide : signed char { below = -1, sliding = 0, above = 1 };

/// An input between two of its corners.
struct HeldInput {
  std::shared_ptr<const Signal> signal;
  int piece = 0;

  const Signal::Piece& now() const { return signal->pieces()[static_cast<std::size_t>(piece)]; }
  bool operator==(const HeldInput&) const = default;
};

/// Its value, with numbers.
double value_of(const HeldInput& input, double t);

struct Held {
  std::vector<double> parameters;
  std::vector<int> modes;                  ///< discrete bools, ints and enums
  std::vector<double> numbers;             ///< discrete doubles
  std::vector<signed char> truths;         ///< conditions
  std::vector<std::vector<Pair>> members;  ///< per condition family: the members that hold, in declaration order
  std::vector<double> levels;              ///< relays: the level in force
  std::vector<RelaySide> sides;            ///< relays
  std::vector<HeldInput> inputs;

  bool operator==(const Held&) const = default;
};

}  // namespace pawl
