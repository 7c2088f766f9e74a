#include "problems/stiff.hpp"

namespace pawl::problems {

Problem vdpol() {
  System oscillator("vdpol");
  const auto y = oscillator.state("y", 2), v = oscillator.state("v", 0);
  const auto mu = oscillator.parameter("mu", 1000);
  oscillator.rates([=](const auto& at, auto& d) {
    d[y] = at[v];
    d[v] = at[mu] * (1 - sqr(at[y])) * at[v] - at[y];
  });
  return {.summary = "van der Pol's oscillator: slow drifts, sudden jumps",
          .kind = "stiff ODE",
          .source = "Test Set for IVP Solvers (VDPOL); van der Pol, Phil. Mag. 2 (1926) 978",
          .system = oscillator,
          .end = 2000,
          .plot = "t,y",
          .known_by = "Test Set, 14 digits agree with Radau IIA of order 9",
          .reference = known_at(oscillator, 2000, {0.1706167732170469e1, -0.8928097010248125e-3})};
}

}  // namespace pawl::problems
