#include <cmath>
#include <numbers>

#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

// The first switch at ln 2, the others ln 3 apart.
struct RelayPiece {
  Real t, x, u;
};
std::vector<RelayPiece> relay_pieces_until(Real end) {
  std::vector<RelayPiece> pieces{{0, 0, 1}};
  for (int k = 0;; ++k) {
    const Real t = std::numbers::ln2_v<Real> + k * std::log(Real(3));
    if (t > end) return pieces;
    pieces.push_back({t, pieces.back().u / 2, -pieces.back().u});
  }
}

}  // namespace

Problem relay() {
  System plant("relay");
  const auto x = plant.state("x", 0);
  const auto u = plant.relay("u", {.below = 1, .above = -1, .hysteresis = 1}, [=](const auto& at) { return at[x]; });
  plant.rates([=](const auto& at, auto& d) { d[x] = at[u] - at[x]; });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, plant) || t < 0) return std::nullopt;
    const RelayPiece now = relay_pieces_until(t).back();
    return std::vector{static_cast<double>(now.u + (now.x - now.u) * std::exp(now.t - t))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, plant)) return std::nullopt;
    return beginnings(relay_pieces_until(end), end);
  };
  return {.summary = "reconstruction: first-order plant under a relay that switches at x = 0.5 and back at -0.5",
          .kind = "hybrid ODE, relay",
          .source = "Taylor, lecture notes on hybrid simulation (2002)",
          .system = plant,
          .end = 10,
          .plot = "t,x",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
