// Gragg-Bulirsch-Stoer extrapolation of order 24 in 113-bit arithmetic, for the reference solutions: shares nothing
// with pawl. Method: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.9.
#pragma once

#include <quadmath.h>

#include <functional>
#include <utility>
#include <vector>

using Number = __float128;
using State = std::vector<Number>;
using Field = std::function<void(Number, const State&, State&)>;

constexpr int columns = 12;

inline State modified_midpoint(const Field& f, Number t, const State& x, Number H, int substeps) {
  const Number h = H / substeps;
  State previous = x, now(x.size()), rate(x.size());
  f(t, x, rate);
  for (std::size_t i = 0; i < x.size(); ++i) now[i] = x[i] + h * rate[i];
  for (int k = 1; k < substeps; ++k) {
    f(t + k * h, now, rate);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Number next = previous[i] + 2 * h * rate[i];
      previous[i] = now[i];
      now[i] = next;
    }
  }
  f(t + H, now, rate);
  for (std::size_t i = 0; i < x.size(); ++i) now[i] = (now[i] + previous[i] + h * rate[i]) / 2;
  return now;
}

/// One extrapolated step; error: the difference of the last two columns, relative to the state or one.
inline State extrapolate(const Field& f, Number t, const State& x, Number H, Number& error) {
  std::vector<State> table;
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    table.push_back(modified_midpoint(f, t, x, H, n));
    for (int k = j - 1; k >= 0; --k) {  // table[k] becomes the entry extrapolated from rows k..j
      const Number ratio = Number(n) / (2 * (k + 1));
      for (std::size_t i = 0; i < x.size(); ++i)
        table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio * ratio - 1);
    }
  }
  error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Number scale = fabsq(x[i]) > 1 ? fabsq(x[i]) : 1;
    const Number part = fabsq(table[0][i] - table[1][i]) / scale;
    if (part > error) error = part;
  }
  return table[0];
}

/// The factor for the next step.
inline Number growth(Number error, Number tolerance) {
  Number factor = error == 0 ? Number(2) : powq(tolerance / error / 4, Number(1) / (2 * columns - 1));
  if (factor > 2) factor = 2;
  if (factor < Number(1) / 5) factor = Number(1) / 5;
  return factor;
}

inline State solve(const Field& f, State x, Number end, Number tolerance) {
  Number t = 0, H = end / 1000;
  while (t < end) {
    if (t + H > end) H = end - t;
    Number error = 0;
    State next = extrapolate(f, t, x, H, error);
    if (error <= tolerance) {
      t += H;
      x = std::move(next);
    }
    H *= growth(error, tolerance);
  }
  return x;
}
