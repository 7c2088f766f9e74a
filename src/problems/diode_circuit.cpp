#include <numbers>

#include <fmt/format.h>

#include "problems/stiff.hpp"

namespace pawl::problems {

// The circuit of carver-3 as it is drawn: v1 = E sin ω t and v2 = -v1 feed a node v3 through Ls and a diode each; the
// load is R in series with Ld. A diode has no voltage while it conducts; a blocked one carries no current, written
// i' = 0 (index 1) or i = 0 (index 2, in the voltage of the diode). It blocks where its current ends, and conducts
// where its voltage turns forward.
Problem diode_circuit() {
  System circuit("diode-circuit");
  const auto i1 = circuit.state("i1", 0), i2 = circuit.state("i2", 0), v3 = circuit.state("v3", 0),
             vd1 = circuit.state("vd1", 0), vd2 = circuit.state("vd2", 0);
  const auto E = circuit.parameter("E", 100), f = circuit.parameter("f", 50), Ls = circuit.parameter("Ls", 1e-3),
             Ld = circuit.parameter("Ld", 1e-2), R = circuit.parameter("R", 1), index = circuit.parameter("index", 1);
  circuit.start([=](Start& at) {
    if (at[index] != 1 && at[index] != 2)
      throw Misuse(fmt::format("diode-circuit: index = {:g} must be 1 (i' = 0 while blocked) or 2 (i = 0)", at[index]));
  });
  const auto v1 = [=](const auto& at) { return at[E] * sin(2 * std::numbers::pi * at[f] * at.t); };
  circuit.rates([=](const auto& at, auto& d) {
    d[i1] = (v1(at) - at[v3] - at[vd1]) / at[Ls];
    d[i2] = (-v1(at) - at[v3] - at[vd2]) / at[Ls];
  });
  circuit.equation("load", [=](const auto& at) {
    return at[R] * (at[i1] + at[i2]) + at[Ld] * (at[dot(i1)] + at[dot(i2)]) - at[v3];
  });

  const auto first_on = circuit.discrete("D1 conducts", true), second_on = circuit.discrete("D2 conducts", false);
  const auto diode = [=](const auto& at, Discrete<bool> conducts, State i, State vd) {
    using T = std::decay_t<decltype(at.t)>;
    if (at[conducts]) return T(at[vd]);
    return at[index] == 1 ? T(at[dot(i)]) : T(at[i]);
  };
  circuit.equation("diode 1", [=](const auto& at) { return diode(at, first_on, i1, vd1); });
  circuit.equation("diode 2", [=](const auto& at) { return diode(at, second_on, i2, vd2); });

  // Each relation is watched in the state it ends. What is left of a current beyond its end is taken away: with i' = 0
  // it would stay, and be there when the diode conducts again.
  const auto block = [](Discrete<bool> conducts, State i) {
    return [=](Jump& jump) {
      jump[i] = 0;
      jump[conducts] = false;
    };
  };
  circuit.guard("i1 ends", [=](const auto& at) { return at[i1]; })
      .falling()
      .only_when(first_on)
      .then(block(first_on, i1));
  circuit.guard("i2 ends", [=](const auto& at) { return at[i2]; })
      .falling()
      .only_when(second_on)
      .then(block(second_on, i2));
  circuit.guard("v1 exceeds v3", [=](const auto& at) { return v1(at) - at[v3]; })
      .rising()
      .only_when(!first_on)
      .then([=](Jump& jump) {
        jump[first_on] = true;
        jump[i1] = 0;  // which it was, but for rounding
      });
  circuit.guard("v2 exceeds v3", [=](const auto& at) { return -v1(at) - at[v3]; })
      .rising()
      .only_when(!second_on)
      .then([=](Jump& jump) {
        jump[second_on] = true;
        jump[i2] = 0;
      });

  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    constexpr double known[] = {0.01005648433230652, 0.01150480706644984, 0.02007684140159462, 0.0217526371347744,
                                0.03008416946200961, 0.03183371280614994, 0.04008680769945779, 0.04186205049262902,
                                0.05008775758193733, 0.0518721502697121,  0.06008809959166701, 0.06187577369581757,
                                0.07008822273523822, 0.07187707666453769, 0.08008826707432459, 0.08187754559478656};
    Values declared = values;
    declared[index] = 1;
    if (!are_declared(declared, circuit) || end > 0.085) return std::nullopt;
    std::vector<double> times;
    for (const double time : known) {
      if (time <= end) times.push_back(time);
    }
    return times;
  };
  // At 0.085 v1 is at its top, E: v3 follows from i1, and the blocked diode has the difference to -E.
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    Values declared = values;
    declared[index] = 1;
    if (t != 0.085 || !are_declared(declared, circuit)) return std::nullopt;
    constexpr double current = 58.164859625588406, node = 100 - 1e-3 * (100 - current) / 1.1e-2;
    return std::vector<double>{current, 0, node, 0, -100 - node};
  };
  return {.summary = "reconstruction: two-diode rectifier as a DAE, 16 mode changes; index 1 or 2 while blocked",
          .kind = "DAE, index 1, hybrid, bilateral",
          .source =
              "Mao, Petzold, Comput. Math. Appl. 43 (2002) 65, example 4; Carver, Math. Comput. Simulation 20 "
              "(1978) 190",
          .system = circuit,
          .end = 0.085,
          .plot = "t,i1",
          .known_by = "80-bit Runge-Kutta of order 8, bisection",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
