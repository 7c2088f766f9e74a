#include <array>
#include <cmath>

#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

constexpr double VT0 = 0.2, gamma = 0.035, phi = 1.01, Cox = 4e-12, CD = 0.4e-12, CS = 1.6e-12;
constexpr double top = 20, steepness = 2e9;  // of the pulse: volts, volts per second
constexpr int periods = 10, corners = 4 * periods - 1;

// Corners of the input, numbered from 0: it rises from 50 to 60 ns and falls from 110 to 120 ns of every period.
double time_of(int corner) {
  constexpr int within[] = {50, 60, 110, 120};
  const int period = corner / 4;
  return (120 * period + within[corner % 4]) / 1e9;
}

}  // namespace

// A transistor as a switch between two capacitors, driven by pulses at its gate. Charges at the nodes (YT1: gate, YS
// and YT2: source, YD and YT3: drain), their voltages, and the current I into the gate, which is the derivative of an
// algebraic variable: index 2. The charges of the transistor are given region by region; the regions are part of the
// mode. The lower of U2 and U3 acts as the source.
Problem charge_pump() {
  const double flat_band = VT0 - gamma * std::sqrt(phi) - phi;
  const double rest = Cox * gamma * (std::sqrt(gamma * gamma / 4 - flat_band) - gamma / 2);  // gate charge at U = 0
  System pump("charge-pump");
  const auto YT1 = pump.state("YT1", rest), YS = pump.state("YS", 0), YT2 = pump.state("YT2", 0),
             YD = pump.state("YD", 0), YT3 = pump.state("YT3", 0);
  const auto U1 = pump.state("U1", 0), U2 = pump.state("U2", 0), U3 = pump.state("U3", 0), I = pump.state("I", 0);
  for (const State charge : {YT1, YS, YT2, YD, YT3}) pump.nominal(charge, 1e-13);
  pump.nominal(I, 1e-4);

  const auto segment = pump.discrete("segment", 0);  // corners passed
  for (int corner = 0; corner < corners; ++corner)
    pump.at(time_of(corner), [=](Jump& jump) { jump[segment] = corner + 1; });
  const auto input = [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    const int passed = at[segment];
    switch (passed % 4) {
      case 0:
        return T(0);
      case 1:
        return T(steepness * (at.t - time_of(passed - 1)));
      case 2:
        return T(top);
      default:
        return T(steepness * (time_of(passed) - at.t));
    }
  };

  // Without a channel nothing drives U2 and U3 apart: they are equal up to rounding, and a millivolt decides instead.
  const auto has_channel = pump.discrete("channel", false);
  const auto above_flat_band = pump.condition("U1 above flat band", [=](const auto& at) { return at[U1] - flat_band; });
  const auto drain_is_higher =
      pump.condition("U3 > U2", [=](const auto& at) { return at[U3] - at[U2] + (at[has_channel] ? 0 : 1e-3); });
  const auto low = [=](const auto& at) -> const auto& {
    return at[at[drain_is_higher] ? U2 : U3];
  };
  const auto high = [=](const auto& at) -> const auto& {
    return at[at[drain_is_higher] ? U3 : U2];
  };
  const auto threshold = [=](const auto& at) { return VT0 + gamma * (sqrt(phi + low(at)) - std::sqrt(phi)); };
  const auto source_drive = [=](const auto& at) { return at[U1] - low(at) - threshold(at); };
  const auto drain_drive = [=](const auto& at) { return at[U1] - high(at) - threshold(at); };
  const auto above_threshold = pump.condition("gate above threshold", source_drive);
  // A channel opens at the source; both ends are at its threshold then, and rounding must not open the drain too. Its
  // drive enters the charge with its square, where 10 microvolts do not show.
  const auto is_open_at_drain = pump.condition("channel reaches the drain", [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    return at[has_channel] ? T(drain_drive(at) - 1e-5) : T(-1);
  });
  pump.decide(has_channel, above_flat_band && above_threshold);

  const auto channel_charge = [=](const auto& at) {  // 3 / (2 Cox) of what the gate sees
    using T = std::decay_t<decltype(at.t)>;
    const T a = source_drive(at);
    if (!at[is_open_at_drain]) return a;
    const T b = drain_drive(at);
    return T(a + b - a * b / (a + b));
  };
  const auto gate_charge = [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    if (at[has_channel]) return T(Cox * (2. / 3 * channel_charge(at) + gamma * sqrt(phi + low(at))));
    if (!at[above_flat_band]) return T(Cox * (at[U1] - flat_band));
    return T(Cox * gamma * (sqrt(gamma * gamma / 4 + at[U1] - flat_band) - gamma / 2));
  };
  const auto end_charge = [=](const auto& at) {  // of source and drain alike
    using T = std::decay_t<decltype(at.t)>;
    return at[has_channel] ? T(-Cox / 3 * channel_charge(at)) : T(0);
  };

  pump.rates([=](const auto& at, auto& d) { d[YT1] = -at[I]; });
  pump.equation("source node", [=](const auto& at) { return at[dot(YS)] + at[dot(YT2)]; });
  pump.equation("drain node", [=](const auto& at) { return at[dot(YD)] + at[dot(YT3)]; });
  pump.equation("input", [=](const auto& at) { return input(at) - at[U1]; });
  pump.equation("gate charge", [=](const auto& at) { return at[YT1] - gate_charge(at); });
  pump.equation("source capacitor", [=](const auto& at) { return at[YS] - CS * at[U2]; });
  pump.equation("source charge", [=](const auto& at) { return at[YT2] - end_charge(at); });
  pump.equation("drain capacitor", [=](const auto& at) { return at[YD] - CD * at[U3]; });
  pump.equation("drain charge", [=](const auto& at) { return at[YT3] - end_charge(at); });

  // Ten full periods: everything is at rest again, and the input still falls. I is its limit from the left,
  // 2e9 V/s times the slope of the gate charge at U1 = 0.
  const double end = 1.2e-6;
  const double current = steepness * Cox * gamma / (2 * std::sqrt(gamma * gamma / 4 - flat_band));
  return {.summary = "charge pump: a transistor under a pulsed gate, 39 corners of the input and switching regions",
          .kind = "DAE, index 2, hybrid",
          .source = "Test Set for IVP Solvers (charge pump); Guenther, Denk, Feldmann (1995)",
          .system = pump,
          .end = end,
          .plot = "t,U3",
          .known_by = "closed form at the end of the run: the pump is at rest",
          .reference = known_at(pump, end, {rest, 0, 0, 0, 0, 0, 0, 0, current})};
}

}  // namespace pawl::problems
