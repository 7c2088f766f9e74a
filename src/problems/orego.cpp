#include "problems/stiff.hpp"

namespace pawl::problems {

// The Belousov-Zhabotinskii reaction: a limit cycle over five decades, with long rests and sudden changes.
Problem orego() {
  System reactor("orego");
  const auto y1 = reactor.state("y1", 1), y2 = reactor.state("y2", 2), y3 = reactor.state("y3", 3);
  const auto s = reactor.parameter("s", 77.27), w = reactor.parameter("w", 0.161), q = reactor.parameter("q", 8.375e-6);
  reactor.rates([=](const auto& at, auto& d) {
    d[y1] = at[s] * (at[y2] + at[y1] * (1 - at[q] * at[y1] - at[y2]));
    d[y2] = (at[y3] - (1 + at[y1]) * at[y2]) / at[s];
    d[y3] = at[w] * (at[y1] - at[y3]);
  });
  return {
      .summary = "the Oregonator, a chemical limit cycle over five decades",
      .kind = "stiff ODE",
      .source = "Field, Noyes, J. Chem. Phys. 60 (1974) 1877; Hairer, Wanner, Solving ODE II, 2nd ed. (1996), IV.10",
      .system = reactor,
      .end = 360,
      .plot = "t,y3",
      .known_by = "Test Set for IVP Solvers, 13 digits agree with Radau IIA of order 9",
      .reference = known_at(reactor, 360, {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3})};
}

}  // namespace pawl::problems
