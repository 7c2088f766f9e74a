// Blocks of guards: one function computes the values of many. What it computed last is kept, so that asking for every
// guard of a block at the same place costs one evaluation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pawl/system.hpp"

namespace pawl::event {

/// T: Interval, Jet<double> or Jet<Interval>; the place is known by the stamp of its states.
template <class T>
class BlockValues {
 public:
  const T& value(const GuardInfo& guard, const Point<T>& at, const detail::LazyStates<T>& states, long long& work) {
    const auto block = static_cast<std::size_t>(guard.block);
    if (block >= kept_.size()) kept_.resize(block + 1);
    Kept& kept = kept_[block];
    const bool is_same = states.stamp() != 0 && kept.states == &states && kept.stamp == states.stamp();
    if (!is_same) {
      ++work;
      kept.values.assign(static_cast<std::size_t>(guard.rows), T(0.0));
      detail::has_left_domain = false;
      guard.g(at, kept.values.data());
      kept.has_left_domain = detail::has_left_domain;
      kept.states = &states;
      kept.stamp = states.stamp();
    }
    detail::has_left_domain = kept.has_left_domain;
    return kept.values[static_cast<std::size_t>(guard.row)];
  }

 private:
  struct Kept {
    const void* states = nullptr;
    std::uint64_t stamp = 0;
    bool has_left_domain = false;  // of one of the values at least
    std::vector<T> values;
  };
  std::vector<Kept> kept_;
};

/// Numbers have no stamp: time, states and what is held are compared. The last places are kept, because black boxes are
/// sampled guard by guard at the same instants of a step.
template <>
class BlockValues<double> {
 public:
  double value(const GuardInfo& guard, const Point<double>& at, std::size_t size, long long& work) {
    const auto block = static_cast<std::size_t>(guard.block);
    if (block >= kept_.size()) kept_.resize(block + 1);
    Ring& ring = kept_[block];
    const double* x = at.states().array;
    const Held& held = *at.around()->held;
    for (const Kept& kept : ring.places) {
      if (kept.t == at.t && std::equal(kept.x.begin(), kept.x.end(), x) && kept.held == held)
        return kept.values[static_cast<std::size_t>(guard.row)];
    }
    ++work;
    Kept now{at.t, {x, x + size}, held, std::vector<double>(static_cast<std::size_t>(guard.rows))};
    guard.g(at, now.values.data());
    const double value = now.values[static_cast<std::size_t>(guard.row)];
    if (ring.places.size() < most) {
      ring.places.push_back(std::move(now));
    } else {
      ring.places[ring.oldest] = std::move(now);
      ring.oldest = (ring.oldest + 1) % most;
    }
    return value;
  }

 private:
  static constexpr std::size_t most = 32;
  struct Kept {
    double t;
    std::vector<double> x;
    Held held;
    std::vector<double> values;
  };
  struct Ring {
    std::vector<Kept> places;
    std::size_t oldest = 0;
  };
  std::vector<Ring> kept_;
};

}  // namespace pawl::event
