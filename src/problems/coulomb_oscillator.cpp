#include <cmath>
#include <numbers>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

// Half a cosine about r = ±1 between reversals; from the eighth on the mass stays where it is.
struct OscillatorPiece {
  Real t, x, r;
  bool sticks = false;
};
std::vector<OscillatorPiece> oscillator_pieces_until(Real end) {
  const Real amplitude = std::sqrt(Real(205)), first = std::atan(Real(6) / 13);
  std::vector<OscillatorPiece> pieces{{0, 12, -1}};
  for (int n = 0; n <= 7; ++n) {
    const Real t = first + n * std::numbers::pi_v<Real>, sign = n % 2 == 0 ? 1 : -1;
    if (t > end) break;
    pieces.push_back({t, sign * (amplitude - 1 - 2 * n), sign, n == 7});
  }
  return pieces;
}

}  // namespace

// x'' = -x + r, dry friction r of size 1 against the speed. Seven reversals slip through, at the eighth |x| < 1 and the
// mass stays: the relay slides.
Problem coulomb_oscillator() {
  System oscillator("coulomb-oscillator");
  const auto x = oscillator.state("x", 12), v = oscillator.state("v", 6);
  const auto r = oscillator.relay("friction", {.below = 1, .above = -1}, [=](const auto& at) { return at[v]; });
  oscillator.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x] + at[r];
  });
  using namespace shapes;
  oscillator.picture({Wall{{-16, -1}, {16, -1}}, Wall{{-16, -1}, {-16, 2}}, Spring{{-16, 0}, {x, 0}},
                      Box{{x, 0}, {2, 2, 2}}, Arrow{{x, -1}, {[=](const auto& at) { return at[r]; }, 0}}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, oscillator) || t < 0) return std::nullopt;
    const OscillatorPiece now = oscillator_pieces_until(t).back();
    if (now.sticks) return std::vector{static_cast<double>(now.x), 0.0};
    const Real s = t - now.t, v0 = now.t == 0 ? 6 : 0;
    return std::vector{static_cast<double>(now.r + (now.x - now.r) * std::cos(s) + v0 * std::sin(s)),
                       static_cast<double>(-(now.x - now.r) * std::sin(s) + v0 * std::cos(s))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, oscillator)) return std::nullopt;
    return beginnings(oscillator_pieces_until(end), end);
  };
  return {.summary = "oscillator with dry friction: 7 reversals, then it sticks for good",
          .kind = "hybrid ODE, sliding",
          .source = "Siconos tutorials, FrictionOscillator",
          .system = oscillator,
          .end = 100,
          .plot = "t,x",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
