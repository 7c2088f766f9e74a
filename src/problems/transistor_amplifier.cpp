#include <numbers>

#include "problems/stiff.hpp"

namespace pawl::problems {

// Voltages at eight nodes of two stages. A capacitor between two nodes gives a block C (-1 1; 1 -1) of M, so M is
// singular, of rank 5, though every voltage has a rate in it.
Problem transistor_amplifier() {
  constexpr double Ub = 6, Uf = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
  System amplifier("transistor-amplifier");
  const auto y = amplifier.states("y", {0, Ub / 2, Ub / 2, Ub, Ub / 2, Ub / 2, Ub, 0});
  const auto amplitude = amplifier.parameter("amplitude", 0.1), f = amplifier.parameter("f", 100);
  amplifier.mass([=](const auto&, auto& M) {
    const auto couple = [&](State a, State b, double C) {
      M(a, a) = M(b, b) = -C;
      M(a, b) = M(b, a) = C;
    };
    couple(y[0], y[1], 1e-6);
    couple(y[3], y[4], 3e-6);
    couple(y[6], y[7], 5e-6);
    M(y[2], y[2]) = -2e-6;
    M(y[5], y[5]) = -4e-6;
  });
  amplifier.rates([=](const auto& at, auto& d) {
    const auto input = at[amplitude] * sin(2 * std::numbers::pi * at[f] * at.t);
    const auto first = beta * (exp((at[y[1]] - at[y[2]]) / Uf) - 1),
               second = beta * (exp((at[y[4]] - at[y[5]]) / Uf) - 1);
    d[y[0]] = (at[y[0]] - input) / R0;
    d[y[1]] = at[y[1]] / R + (at[y[1]] - Ub) / R + (1 - alpha) * first;
    d[y[2]] = at[y[2]] / R - first;
    d[y[3]] = (at[y[3]] - Ub) / R + alpha * first;
    d[y[4]] = at[y[4]] / R + (at[y[4]] - Ub) / R + (1 - alpha) * second;
    d[y[5]] = at[y[5]] / R - second;
    d[y[6]] = (at[y[6]] - Ub) / R + alpha * second;
    d[y[7]] = at[y[7]] / R;
  });
  const auto reference =
      known_at(amplifier, 0.2,
               {-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
                0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1});
  return {.summary = "two-stage transistor amplifier, M y' = f with a singular M that is not diagonal",
          .kind = "DAE, index 1, stiff, driven",
          .source =
              "Test Set for IVP Solvers (transistor amplifier); Rentrop, Roche, Steinebach, Numer. Math. 55 "
              "(1989) 545",
          .system = amplifier,
          .end = 0.2,
          .plot = "t,y8",
          .known_by = "Test Set, 13 to 16 digits agree with 80-bit Radau IIA of order 11",
          .reference = reference};
}

}  // namespace pawl::problems
