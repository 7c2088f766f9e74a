#include <cmath>
#include <numbers>

#include "problems/switched.hpp"

namespace pawl::problems {

// A source E sin 2π f t between the nodes vp and vn, four diodes to the node vd and from ground, a filter L, C and the
// load R behind vd:
//   D1: vp -> vd, D2: vn -> vd, D3: ground -> vp, D4: ground -> vn,   L iL' = vd - v,   C v' = iL - v/R
// While iL flows, D1 and D4 take turns with D2 and D3 where the source changes sign. Once it has ended the source is
// connected to nothing: its level is that of the one diode that is still said to conduct, without a current.
Problem diode_bridge() {
  System circuit("diode-bridge");
  const auto iL = circuit.state("iL", 0), v = circuit.state("v", 0), vp = circuit.state("vp", 0),
             vn = circuit.state("vn", 0), vd = circuit.state("vd", 0), is = circuit.state("is", 0),
             i1 = circuit.state("i1", 0), i2 = circuit.state("i2", 0), i3 = circuit.state("i3", 0),
             i4 = circuit.state("i4", 0), drawn = circuit.state("drawn", 0), used = circuit.state("used", 0);
  const auto E = circuit.parameter("E", 100), f = circuit.parameter("f", 50), L = circuit.parameter("L", 1e-2),
             C = circuit.parameter("C", 1e-3), R = circuit.parameter("R", 10);
  circuit.rates([=](const auto& at, auto& d) {
    d[iL] = (at[vd] - at[v]) / at[L];
    d[v] = (at[iL] - at[v] / at[R]) / at[C];
    d[drawn] = at[is] * (at[vp] - at[vn]);
    d[used] = sqr(at[v]) / at[R];
  });
  circuit.equation(
      "source", [=](const auto& at) { return at[E] * sin(2 * std::numbers::pi * at[f] * at.t) - (at[vp] - at[vn]); });
  circuit.equation("node p", [=](const auto& at) { return at[is] + at[i3] - at[i1]; });
  circuit.equation("node n", [=](const auto& at) { return at[i4] - at[is] - at[i2]; });
  circuit.equation("node d", [=](const auto& at) { return at[i1] + at[i2] - at[iL]; });
  circuit.diode(
      "D1", [=](const auto& at) { return at[vp] - at[vd]; }, [=](const auto& at) { return at[i1]; });
  circuit.diode(
      "D2", [=](const auto& at) { return at[vn] - at[vd]; }, [=](const auto& at) { return at[i2]; });
  circuit.diode(
      "D3", [=](const auto& at) { return -at[vp]; }, [=](const auto& at) { return at[i3]; });
  circuit.diode(
      "D4", [=](const auto& at) { return -at[vn]; }, [=](const auto& at) { return at[i4]; });
  circuit.observable("unaccounted energy", [=](const auto& at) {
    return at[drawn] - at[used] - (at[L] * sqr(at[iL]) + at[C] * sqr(at[v])) / 2;
  });

  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    constexpr double known[] = {0.01,
                                0.010896347590392459,
                                0.013602117241576873,
                                0.019644433861666393,
                                0.02,
                                0.021751507967773284,
                                0.03,
                                0.030863022049071036,
                                0.032541255927661603,
                                0.04,
                                0.040459762747788094,
                                0.042113328302081621,
                                0.05,
                                0.050712578265069151,
                                0.052333850964112872,
                                0.06,
                                0.060591135891183807,
                                0.062216104620690719,
                                0.07,
                                0.070658573677837444,
                                0.072277998775071252,
                                0.08,
                                0.080623833456955952,
                                0.082245168774820128,
                                0.09,
                                0.090642461274486574,
                                0.092262503518670779};
    if (!are_declared(values, circuit) || end > 0.095) return std::nullopt;
    std::vector<double> times;
    for (const double time : known) {
      if (time <= end) times.push_back(time);
    }
    return times;
  };
  const double end = 0.095, current = 7.9389433215443061;  // the source is at its bottom: D2 and D3 conduct
  return {.summary = "diode bridge with an LC filter: commutation, and gaps in which the source floats",
          .kind = "DAE, index 1 and 2, hybrid, ideal switches",
          .source = "Mohan, Undeland, Robbins, Power Electronics, 3rd ed. (2003), chapter 5",
          .system = circuit,
          .end = end,
          .plot = "t,iL",
          .known_by = "closed form of every piece, roots with 30 digits",
          .reference = known_at(circuit, end,
                                {current, 57.198080309865497, 0, 100, 100, -current, 0, current, current, 0,
                                 49.745543600378181, 47.794599299497805}),
          .event_times = event_times};
}

}  // namespace pawl::problems
