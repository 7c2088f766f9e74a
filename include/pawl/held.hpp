// Held: everything a model holds constant between events. Inside a step it cannot change, whatever a trial state does:
// that is discontinuity locking, by type.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
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

/// How far guards of contacts and ideal switches are displaced, so that rounding does not fire them again: they follow
/// the sizes seen so far and are no part of a mode.
struct Margins {
  double slip = 0, voltage = 0, current = 0;
  bool operator==(const Margins&) const { return true; }
};

/// How redundant constraints share a load: the row is left out, and a combination of multipliers vanishes instead.
struct LoadShare {
  int row = 0;
  std::vector<std::pair<int, double>> factors;  ///< by rows
  bool operator==(const LoadShare&) const = default;
};

struct Held {
  std::vector<double> parameters;
  std::vector<int> modes;                  ///< discrete bools, ints and enums
  std::vector<double> numbers;             ///< discrete doubles
  std::vector<signed char> truths;         ///< conditions: 1 where it holds, else 0; relations: the sign -1, 0 or 1
  std::vector<std::vector<Pair>> members;  ///< per condition family: the members that hold, in declaration order
  std::vector<double> levels;              ///< relays: the level in force
  std::vector<RelaySide> sides;            ///< relays
  std::vector<HeldInput> inputs;
  std::vector<LoadShare> shares = {};  ///< in mixtures
  Margins margins;
  int model = 0;           ///< the System it belongs to, as its handles say it; 0: not known
  std::size_t states = 0;  ///< how many the System has, where it is known
  /// Where multipliers and the values of relays are unknowns like others (docs/mixtures.md): the first state that is
  /// one; -1: they are not.
  int first_multiplier = -1, first_relay = -1;

  bool operator==(const Held&) const = default;
};

namespace detail {

/// Throws a Misuse that names both systems.
[[noreturn]] void refuse_handle(const char* kind, int index, int model, std::size_t count, int own);

/// The index of a handle of this system (`own`), of which there are `count`; else throws Misuse.
template <class Handle>
std::size_t own_index(const Handle& handle, std::size_t count, const char* kind, int own) {
  const auto i = static_cast<std::size_t>(handle.index);
  const bool is_own = handle.model == own || handle.model == 0 || own == 0;
  if (!is_own || i >= count) [[unlikely]]
    refuse_handle(kind, handle.index, handle.model, count, own);
  return i;
}

}  // namespace detail
}  // namespace pawl
