// A low pass driven by a trapezoidal voltage: the simplest model with an input. `--input u=file.csv` drives it with
// something measured.
#include <array>
#include <cmath>

#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

constexpr std::array<Signal::Point, 5> trapezoid{{{0, 0}, {1, 5}, {3, 5}, {4, -5}, {6, 0}}};
constexpr Real tau = 0.5L;

// τ v' = u - v with u = a + b s: v = a - b τ + b s + (v0 - a + b τ) exp(-s / τ).
Real after(Real v0, Real a, Real b, Real s) {
  return a - b * tau + b * s + (v0 - a + b * tau) * std::exp(-s / tau);
}

Real exact(Real t) {
  Real v = 0;
  for (std::size_t i = 0; i < trapezoid.size(); ++i) {
    const Real begin = trapezoid[i].t, a = trapezoid[i].value;
    const bool is_last = i + 1 == trapezoid.size();
    const Real end = is_last ? t : std::min<Real>(t, trapezoid[i + 1].t);
    if (t <= begin) break;
    const Real b = is_last ? 0 : (trapezoid[i + 1].value - a) / (trapezoid[i + 1].t - begin);
    v = after(v, a, b, end - begin);
  }
  return v;
}

}  // namespace

Problem driven_rc() {
  System circuit("driven-rc");
  const auto v = circuit.state("v", 0);
  const auto time_constant = circuit.parameter("tau", 0.5);
  const auto u = circuit.input("u", Signal::polyline({trapezoid.begin(), trapezoid.end()}));
  circuit.rates([=](const auto& at, auto& d) { d[v] = (at[u] - at[v]) / at[time_constant]; });
  circuit.observable("drop", [=](const auto& at) { return at[u] - at[v]; });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, circuit) || t < 0) return std::nullopt;
    return std::vector{static_cast<double>(exact(t))};
  };
  return {.summary = "a low pass driven by a trapezoidal voltage, its input",
          .kind = "hybrid ODE",
          .source = "closed form, piece by piece",
          .system = circuit,
          .end = 8,
          .plot = "v",
          .known_by = "closed form",
          .reference = reference,
          .event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
            if (!are_declared(values, circuit)) return std::nullopt;
            std::vector<double> times;
            for (const Signal::Point& point : trapezoid) {
              if (point.t > 0 && point.t <= end) times.push_back(point.t);
            }
            return times;
          }};
}

}  // namespace pawl::problems
