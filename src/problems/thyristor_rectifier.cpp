#include <cmath>
#include <numbers>

#include "problems/switched.hpp"

namespace pawl::problems {

namespace {

/// The current E/Z (sin(θ - φ) - sin(α - φ) exp(-(θ - α) / tan φ)) that is fired at θ = α, and where it ends.
struct Pulse {
  double amplitude, phase, angle;

  double current(double theta) const {
    return amplitude *
           (std::sin(theta - phase) - std::sin(angle - phase) * std::exp(-(theta - angle) / std::tan(phase)));
  }
  double end() const {
    double low = std::numbers::pi, high = 2 * std::numbers::pi;  // it outlives the forward voltage, but not the period
    for (int i = 0; i < 60; ++i) (current((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
    return low;
  }
};

}  // namespace

// A thyristor in series with R and L at a source E sin 2π f t: L i' = E sin 2π f t - vT - R i. Its gate is on from the
// angle α of every period to half of it. It conducts from α on, beyond the half until its current ends.
Problem thyristor_rectifier() {
  System circuit("thyristor-rectifier");
  const auto i = circuit.state("i", 0), vT = circuit.state("vT", 0);
  const auto E = circuit.parameter("E", 100), f = circuit.parameter("f", 50), L = circuit.parameter("L", 1e-2),
             R = circuit.parameter("R", 1), alpha = circuit.parameter("alpha", 1.5);
  circuit.start([=](Start& at) {
    if (!(at[alpha] > 0 && at[alpha] < std::numbers::pi))
      throw Misuse("thyristor-rectifier: alpha must be between 0 and pi");
  });
  constexpr double turn = 2 * std::numbers::pi;
  circuit.rates(
      [=](const auto& at, auto& d) { d[i] = (at[E] * sin(turn * at[f] * at.t) - at[vT] - at[R] * at[i]) / at[L]; });
  circuit.nominal(i, 10);
  circuit.nominal(vT, 100);
  const auto periods = circuit.discrete("periods", 0.0);
  const auto gate = circuit.discrete("gate", false);
  const auto angle = [=](const auto& at) { return turn * (at[f] * at.t - at[periods]); };
  circuit.guard("gate opens", [=](const auto& at) { return angle(at) - at[alpha]; }).rising().then([=](Jump& jump) {
    jump[gate] = true;
  });
  circuit.guard("gate closes", [=](const auto& at) { return angle(at) - turn / 2; }).rising().then([=](Jump& jump) {
    jump[gate] = false;
  });
  circuit.guard("period ends", [=](const auto& at) { return angle(at) - turn; }).rising().then([=](Jump& jump) {
    jump[periods] = jump[periods] + 1;
  });
  circuit.thyristor(
      "T", [=](const auto& at) { return at[vT]; }, [=](const auto& at) { return at[i]; }, gate);

  const auto pulse = [=](const Values& values) {
    const double X = turn * values[f] * values[L];
    return Pulse{values[E] / std::hypot(values[R], X), std::atan2(X, values[R]), values[alpha]};
  };
  const auto has_own_start = [=](const Values& values) {
    return values[i] == 0 && values.held().modes == Values(circuit).held().modes && values[R] > 0;
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!has_own_start(values) || t < 0) return std::nullopt;
    const Pulse one = pulse(values);
    const double theta = turn * (values[f] * t - std::floor(values[f] * t));
    if (theta < one.angle || theta > one.end())
      return std::vector<double>{0, values[E] * std::sin(turn * values[f] * t)};
    return std::vector<double>{one.current(theta), 0};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!has_own_start(values)) return std::nullopt;
    const Pulse one = pulse(values);
    std::vector<double> times;
    for (int k = 0; k < values[f] * end; ++k) {
      for (const double theta : {one.angle, turn / 2, one.end(), turn}) {
        const double time = (k + theta / turn) / values[f];
        if (time <= end) times.push_back(time);
      }
    }
    return times;
  };
  return {.summary = "half-wave rectifier with a thyristor fired at an angle, and a load of R and L",
          .kind = "DAE, index 1 and 2, hybrid, ideal switches",
          .source = "Mohan, Undeland, Robbins, Power Electronics, 3rd ed. (2003), chapter 6",
          .system = circuit,
          .end = 0.107,
          .plot = "t,i",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
