#include "problems/stiff.hpp"

namespace pawl::problems {

// Eight reactants of photomorphogenesis. One of them is used up quickly near the end.
Problem hires() {
  System plant("hires");
  const auto y = plant.states("y", {1, 0, 0, 0, 0, 0, 0, 0.0057});
  for (const State reactant : y) plant.nominal(reactant, 1e-3);  // what they settle at
  plant.rates([=](const auto& at, auto& d) {
    const auto bound = 280 * at[y[5]] * at[y[7]];
    d[y[0]] = -1.71 * at[y[0]] + 0.43 * at[y[1]] + 8.32 * at[y[2]] + 0.0007;
    d[y[1]] = 1.71 * at[y[0]] - 8.75 * at[y[1]];
    d[y[2]] = -10.03 * at[y[2]] + 0.43 * at[y[3]] + 0.035 * at[y[4]];
    d[y[3]] = 8.32 * at[y[1]] + 1.71 * at[y[2]] - 1.12 * at[y[3]];
    d[y[4]] = -1.745 * at[y[4]] + 0.43 * at[y[5]] + 0.43 * at[y[6]];
    d[y[5]] = -bound + 0.69 * at[y[3]] + 1.71 * at[y[4]] - 0.43 * at[y[5]] + 0.69 * at[y[6]];
    d[y[6]] = bound - 1.81 * at[y[6]];
    d[y[7]] = -bound + 1.81 * at[y[6]];
  });
  const auto reference =
      known_at(plant, 321.8122,
               {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2});
  return {.summary = "chemistry of a plant's response to strong light, eight reactants",
          .kind = "stiff ODE",
          .source = "Test Set for IVP Solvers (HIRES); Schaefer, J. Math. Biol. 2 (1975) 41",
          .system = plant,
          .end = 321.8122,
          .plot = "t,y6",
          .known_by = "Test Set, 13 digits agree with Radau IIA of order 9",
          .reference = reference};
}

}  // namespace pawl::problems
