#include <cmath>
#include <numbers>

#include "pawl/picture.hpp"
#include "problems/smooth.hpp"

namespace pawl::problems {

namespace {

// The ellipse in closed form: Kepler's equation E - e sin E = t, then position and velocity.
std::vector<double> ellipse(double e, double t) {
  const double revolutions = std::round(t / (2 * std::numbers::pi)), mean = std::remainder(t, 2 * std::numbers::pi);
  double E = std::abs(e) > 0.8 && mean != 0 ? std::copysign(std::numbers::pi, mean) : mean;
  for (int i = 0; i < 50; ++i) {
    const double change = (E - e * std::sin(E) - mean) / (1 - e * std::cos(E));
    E -= change;
    if (std::abs(change) < 1e-16) break;
  }
  E += 2 * std::numbers::pi * revolutions;
  const double b = std::sqrt(1 - e * e), rate = 1 / (1 - e * std::cos(E));
  return {std::cos(E) - e, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate};
}

}  // namespace

// Two bodies, one fixed; gravitational parameter and semi-major axis 1, so the period is 2 π. Starts at the pericentre.
Problem kepler() {
  System planet("kepler");
  const auto x = planet.state("x", 0.4), y = planet.state("y", 0), vx = planet.state("vx", 0),
             vy = planet.state("vy", 2);
  const auto e = planet.parameter("e", 0.6);
  planet.start([=](Start& at) {
    at[x] = 1 - at[e];
    at[vy] = std::sqrt((1 + at[e]) / (1 - at[e]));
  });
  planet.rates([=](const auto& at, auto& d) {
    const auto r2 = sqr(at[x]) + sqr(at[y]), pull = 1 / (r2 * sqrt(r2));
    d[x] = at[vx];
    d[y] = at[vy];
    d[vx] = -pull * at[x];
    d[vy] = -pull * at[y];
  });
  planet.picture({shapes::Disk{{0, 0}, 0.06}, shapes::Disk{{x, y}, 0.03}, shapes::Trace{{x, y}, 6}});
  planet.observable(
      "energy", [=](const auto& at) { return (sqr(at[vx]) + sqr(at[vy])) / 2 - 1 / sqrt(sqr(at[x]) + sqr(at[y])); });
  planet.observable("momentum", [=](const auto& at) { return at[x] * at[vy] - at[y] * at[vx]; });
  const auto reference = [planet, e](const Values& values, double t) -> std::optional<std::vector<double>> {
    const double eccentricity = values.parameters()[static_cast<std::size_t>(e.index)];
    Values expected(planet);
    expected[e] = eccentricity;
    if (!(eccentricity >= 0 && eccentricity < 1) || values.start() != expected.start()) return std::nullopt;
    return ellipse(eccentricity, t);
  };
  return {
      .summary = "two-body orbit of eccentricity e (0.6; try --set e=0.9), ten revolutions",
      .kind = "smooth ODE, conservative",
      .source =
          "Kepler, Astronomia nova (1609); test problem D of DETEST (Hull et al., SIAM J. Numer. Anal. 9 (1972) 603)",
      .system = planet,
      .end = 20 * std::numbers::pi,
      .plot = "x,y",
      .known_by = "closed form",
      .reference = reference};
}

}  // namespace pawl::problems
