#include <cmath>

#include "problems/switched.hpp"

namespace pawl::problems {

// A switch S from the source E and a diode D from ground feed the node vx; from there L leads to C and the load R:
//   L iL' = vx - v,   C v' = iL - v/R,   iL = iS + iD
// S is closed for the share `duty` of every period T. D takes over when it opens, and blocks again when S closes or,
// with a light load (2 L / (R T) < 1 - duty in the steady state), when its current has ended: then iL = 0 is an
// equation, of index 2 in vx. `drawn` and `used` are the energies out of the source and into the load.
Problem buck_converter() {
  System circuit("buck-converter");
  const auto iL = circuit.state("iL", 0), v = circuit.state("v", 0), vx = circuit.state("vx", 0),
             iS = circuit.state("iS", 0), iD = circuit.state("iD", 0), drawn = circuit.state("drawn", 0),
             used = circuit.state("used", 0);
  const auto E = circuit.parameter("E", 24), L = circuit.parameter("L", 1e-4), C = circuit.parameter("C", 1e-5),
             R = circuit.parameter("R", 10), T = circuit.parameter("T", 2e-5), duty = circuit.parameter("duty", 0.4);
  circuit.rates([=](const auto& at, auto& d) {
    d[iL] = (at[vx] - at[v]) / at[L];
    d[v] = (at[iL] - at[v] / at[R]) / at[C];
    d[drawn] = at[E] * at[iS];
    d[used] = sqr(at[v]) / at[R];
  });
  for (const State voltage : {v, vx}) circuit.nominal(voltage, 10);
  for (const State current : {iL, iS, iD}) circuit.nominal(current, 1);
  for (const State energy : {drawn, used}) circuit.nominal(energy, 1e-2);
  circuit.equation("node", [=](const auto& at) { return at[iS] + at[iD] - at[iL]; });

  const auto closed = circuit.discrete("S closed", true);
  const auto begun = circuit.discrete("period begun", 0.0);
  circuit.every(T, [=](Jump& jump) {
    jump[begun] = jump.t;
    jump[closed] = true;
  });
  circuit.guard("pulse ends", [=](const auto& at) { return at.t - at[begun] - at[duty] * at[T]; })
      .rising()
      .only_when(closed)
      .then([=](Jump& jump) { jump[closed] = false; });
  circuit.ideal_switch(
      "S", closed, [=](const auto& at) { return at[E] - at[vx]; }, [=](const auto& at) { return at[iS]; });
  circuit.diode(
      "D", [=](const auto& at) { return -at[vx]; }, [=](const auto& at) { return at[iD]; });
  circuit.observable("unaccounted energy", [=](const auto& at) {
    return at[drawn] - at[used] - (at[L] * sqr(at[iL]) + at[C] * sqr(at[v])) / 2;
  });

  const double end = 1.004e-3, current = 0.95465903444689828;
  return {
      .summary = "buck converter with an ideal switch and a diode: 50 periods from rest, two modes of conduction",
      .kind = "DAE, index 1 and 2, hybrid, ideal switches",
      .source = "Erickson, Maksimovic, Fundamentals of Power Electronics, 2nd ed. (2001), chapters 2 and 5",
      .system = circuit,
      .end = end,
      .plot = "t,iL",
      .known_by = "closed form of every piece, roots and sums with 40 digits",
      .reference = known_at(
          circuit, end, {current, 9.4332905196827153, 24, current, 0, 0.010332448531815379, 0.0098419449880691462})};
}

}  // namespace pawl::problems
