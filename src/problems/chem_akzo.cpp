#include "problems/stiff.hpp"

namespace pawl::problems {

// Two species react under a stream of carbon dioxide; an equilibrium binds the last concentration.
Problem chem_akzo() {
  constexpr double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, klA = 3.3, Ks = 115.83, pCO2 = 0.9, H = 737;
  System reactor("chem-akzo");
  const auto y = reactor.states("y", {0.444, 0.00123, 0, 0.007, 0, Ks * 0.444 * 0.007});
  reactor.nominal(y[1], 1e-3);
  reactor.nominal(y[3], 1e-3);
  reactor.nominal(y[4], 1e-2);
  reactor.nominal(y[5], 1e-2);
  reactor.rates([=](const auto& at, auto& d) {
    const auto root = sqrt(at[y[1]]);
    const auto r1 = k1 * sqr(sqr(at[y[0]])) * root, r2 = k2 * at[y[2]] * at[y[3]], r3 = k2 / K * at[y[0]] * at[y[4]],
               r4 = k3 * at[y[0]] * sqr(at[y[3]]), r5 = k4 * sqr(at[y[5]]) * root;
    d[y[0]] = -2 * r1 + r2 - r3 - r4;
    d[y[1]] = -r1 / 2 - r4 - r5 / 2 + klA * (pCO2 / H - at[y[1]]);
    d[y[2]] = r1 - r2 + r3;
    d[y[3]] = -r2 + r3 - 2 * r4;
    d[y[4]] = r2 - r3 + r5;
  });
  reactor.equation("equilibrium", [=](const auto& at) { return Ks * at[y[0]] * at[y[3]] - at[y[5]]; });
  const auto reference = known_at(reactor, 180,
                                  {0.1150794920661702, 0.1203831471567715e-2, 0.1611562887407974, 0.3656156421249283e-3,
                                   0.1708010885264404e-1, 0.4873531310307455e-2});
  return {
      .summary = "two species react under carbon dioxide; one concentration from an equilibrium",
      .kind = "DAE, index 1, stiff",
      .source = "Test Set for IVP Solvers (Chemical Akzo Nobel); Stortelder, thesis, University of Amsterdam (1998)",
      .system = reactor,
      .end = 180,
      .plot = "t,y1",
      .known_by = "Test Set, 15 digits agree with Radau IIA of order 9",
      .reference = reference};
}

}  // namespace pawl::problems
