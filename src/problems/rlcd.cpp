#include <cmath>
#include <numbers>

#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

constexpr Real L = 1e-2L, C = 1e-6L, R = 1e3L;

// v'' + 2 α v' + v / (L C) = 0 with α = 1 / (2 R C) while the diode conducts, else 0.
struct CircuitPiece {
  Real t, v, i;
  bool conducts;

  Real alpha() const { return conducts ? 1 / (2 * R * C) : 0; }
  Real frequency() const { return std::sqrt(1 / (L * C) - alpha() * alpha()); }
  CircuitPiece after(Real s) const {
    const Real a = alpha(), w = frequency(), leak = conducts ? 1 / R : 0;
    const Real rate = -(i + leak * v) / C, b = (rate + a * v) / w;
    const Real decay = std::exp(-a * s), cosine = std::cos(w * s), sine = std::sin(w * s);
    const Real voltage = decay * (v * cosine + b * sine);
    const Real voltage_rate = -a * voltage + w * decay * (b * cosine - v * sine);
    return {t + s, voltage, -C * voltage_rate - leak * voltage, conducts};
  }
};

std::vector<CircuitPiece> circuit_pieces_until(Real end) {
  std::vector<CircuitPiece> pieces{{0, 10, 0, true}};
  for (;;) {
    const CircuitPiece& now = pieces.back();
    const Real angle = pieces.size() == 1 ? std::atan(now.frequency() / now.alpha()) : std::numbers::pi_v<Real>;
    CircuitPiece next = now.after(angle / now.frequency());
    if (next.t > end) return pieces;
    next.v = 0;
    next.conducts = !now.conducts;
    pieces.push_back(next);
  }
}

}  // namespace

// An LC circuit with a diode and a resistor across it: v' = -(i + λ) / C, i' = v / L, λ = v / R where v > 0.
Problem rlcd() {
  System circuit("rlcd");
  const auto v = circuit.state("v", 10), i = circuit.state("i", 0);
  const auto inductance = circuit.parameter("L", 1e-2), capacity = circuit.parameter("C", 1e-6),
             resistance = circuit.parameter("R", 1e3);
  const auto conducts = circuit.condition("v > 0", [=](const auto& at) { return at[v]; });
  circuit.rates([=](const auto& at, auto& d) {
    const double leak = at[conducts] ? 1 / at[resistance] : 0;
    d[v] = -(at[i] + leak * at[v]) / at[capacity];
    d[i] = at[v] / at[inductance];
  });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, circuit) || t < 0) return std::nullopt;
    const CircuitPiece begin = circuit_pieces_until(t).back(), now = begin.after(t - begin.t);
    return std::vector{static_cast<double>(now.v), static_cast<double>(now.i)};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, circuit)) return std::nullopt;
    return beginnings(circuit_pieces_until(end), end);
  };
  return {.summary = "LC circuit with an ideal diode and a resistor, 16 switchings",
          .kind = "hybrid ODE, bilateral",
          .source = "Siconos tutorials, CircuitRLCD",
          .system = circuit,
          .end = 5e-3,
          .plot = "t,v",
          .known_by = "closed form, piecewise",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
