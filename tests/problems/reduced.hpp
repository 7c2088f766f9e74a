// Equations reduced by hand to as few coordinates as there are, integrated without pawl: Gragg's extrapolation of order
// 20 in extended precision, until a guard falls to zero.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace pawl::testing {

using Real = long double;

template <std::size_t n>
struct Reduced {
  using State = std::array<Real, n>;
  std::function<State(const State&)> rates;
  std::function<Real(const State&)> guard;  // positive inside
  Real step;

  State after(const State& x, Real h) const {
    constexpr int columns = 10;
    std::array<State, columns> table{};
    for (int j = 0; j < columns; ++j) {
      const int substeps = 2 * (j + 1);
      const Real small = h / substeps;
      State before = x, now = x, rate = rates(x);
      for (std::size_t i = 0; i < n; ++i) now[i] += small * rate[i];
      for (int k = 1; k < substeps; ++k) {
        rate = rates(now);
        for (std::size_t i = 0; i < n; ++i) before[i] = std::exchange(now[i], before[i] + 2 * small * rate[i]);
      }
      rate = rates(now);
      auto& last = table[static_cast<std::size_t>(j)];
      for (std::size_t i = 0; i < n; ++i) last[i] = (now[i] + before[i] + small * rate[i]) / 2;
      for (int k = j - 1; k >= 0; --k) {
        const Real ratio = static_cast<Real>(j + 1) / static_cast<Real>(k + 1);
        auto& entry = table[static_cast<std::size_t>(k)];
        const auto& next = table[static_cast<std::size_t>(k + 1)];
        for (std::size_t i = 0; i < n; ++i) entry[i] = next[i] + (next[i] - entry[i]) / (ratio * ratio - 1);
      }
    }
    return table[0];
  }
  /// Goes on until the guard, which may be zero here, falls to zero; returns how long that takes.
  Real run_to_zero(State& x) const {
    Real passed = 0;
    for (;;) {
      const State next = after(x, step);
      if (guard(next) > 0) {
        x = next;
        passed += step;
        continue;
      }
      Real low = 0, high = step;
      for (Real middle = high / 2; middle != low && middle != high; middle = (low + high) / 2)
        (guard(after(x, middle)) > 0 ? low : high) = middle;
      x = after(x, high);
      return passed + high;
    }
  }
};

}  // namespace pawl::testing
