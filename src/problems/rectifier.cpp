#include <cmath>
#include <numbers>

#include "problems/hybrid.hpp"

namespace pawl::problems {

// Two diodes feed a common node v3 through Ls each, from v1 = E sin ω t and v2 = -v1; the load is R in series with Ld.
// With m diodes conducting, sums over those:
//   (Ls + m Ld) i' = Σ v_j - m R i,   v3 = R i + Ld i',   Ls i_j' = v_j - v3
// A diode goes off where its current ends and on where its voltage turns forward.
Problem carver_3() {
  System rectifier("carver-3");
  const auto i1 = rectifier.state("i1", 0), i2 = rectifier.state("i2", 0);
  const auto E = rectifier.parameter("E", 100), f = rectifier.parameter("f", 50), Ls = rectifier.parameter("Ls", 1e-3),
             Ld = rectifier.parameter("Ld", 1e-2), R = rectifier.parameter("R", 1);
  const auto first_on = rectifier.discrete("D1 conducts", true), second_on = rectifier.discrete("D2 conducts", false);

  const auto v1 = [=](const auto& at) { return at[E] * sin(2 * std::numbers::pi * at[f] * at.t); };
  const auto v3 = [=](const auto& at) {
    const int m = (at[first_on] ? 1 : 0) + (at[second_on] ? 1 : 0),
              sign = (at[first_on] ? 1 : 0) - (at[second_on] ? 1 : 0);
    const auto i = at[i1] + at[i2];
    return at[R] * i + at[Ld] * (sign * v1(at) - m * at[R] * i) / (at[Ls] + m * at[Ld]);
  };
  rectifier.rates([=](const auto& at, auto& d) {
    const auto v = v1(at), node = v3(at);
    d[i1] = at[first_on] ? (v - node) / at[Ls] : 0 * v;
    d[i2] = at[second_on] ? (-v - node) / at[Ls] : 0 * v;
  });
  rectifier.guard("i1 ends", [=](const auto& at) { return at[i1]; })
      .falling()
      .only_when(first_on)
      .then([=](Jump& jump) {
        jump[i1] = 0;
        jump[first_on] = false;
      });
  rectifier.guard("i2 ends", [=](const auto& at) { return at[i2]; })
      .falling()
      .only_when(second_on)
      .then([=](Jump& jump) {
        jump[i2] = 0;
        jump[second_on] = false;
      });
  rectifier.guard("v1 exceeds v3", [=](const auto& at) { return v1(at) - v3(at); })
      .rising()
      .only_when(!first_on)
      .then([=](Jump& jump) { jump[first_on] = true; });
  rectifier.guard("v2 exceeds v3", [=](const auto& at) { return -v1(at) - v3(at); })
      .rising()
      .only_when(!second_on)
      .then([=](Jump& jump) { jump[second_on] = true; });
  rectifier.observable("v3", v3);
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    constexpr double known[] = {0.01005648433230652, 0.01150480706644984, 0.02007684140159462, 0.0217526371347744,
                                0.03008416946200961, 0.03183371280614994, 0.04008680769945779, 0.04186205049262902,
                                0.05008775758193733, 0.0518721502697121,  0.06008809959166701, 0.06187577369581757,
                                0.07008822273523822, 0.07187707666453769, 0.08008826707432459, 0.08187754559478656};
    if (!are_declared(values, rectifier) || end > 0.085) return std::nullopt;
    std::vector<double> times;
    for (const double time : known) {
      if (time <= end) times.push_back(time);
    }
    return times;
  };
  return {.summary = "reconstruction: two-diode rectifier with commutation, 16 mode changes",
          .kind = "hybrid ODE, bilateral",
          .source =
              "Carver, Math. Comput. Simulation 20 (1978) 190; Compere, dissertation, UT Austin (2001), Table 5.4; "
              "Mao, Petzold, Comput. Math. Appl. 43 (2002) 65, example 4",
          .system = rectifier,
          .end = 0.085,
          .plot = "t,i1",
          .known_by = "80-bit Runge-Kutta of order 8, bisection",
          .reference = known_at(rectifier, 0.085, {58.164859625588406, 0}),
          .event_times = event_times};
}

}  // namespace pawl::problems
