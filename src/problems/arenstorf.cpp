#include "pawl/picture.hpp"
#include "problems/smooth.hpp"

namespace pawl::problems {

// A satellite in the rotating frame of earth and moon, on a closed orbit of four loops: after one period it is back.
Problem arenstorf() {
  constexpr double period = 17.0652165601579625588917206249, launch = -2.00158510637908252240537862224;
  System satellite("arenstorf");
  const auto x = satellite.state("x", 0.994), y = satellite.state("y", 0);
  const auto vx = satellite.state("vx", 0), vy = satellite.state("vy", launch);
  const auto mu = satellite.parameter("mu", 0.012277471);
  satellite.rates([=](const auto& at, auto& d) {
    const double moon = at[mu], earth = 1 - moon;
    const auto to_earth = sqr(at[x] + moon) + sqr(at[y]), to_moon = sqr(at[x] - earth) + sqr(at[y]);
    const auto pull_earth = earth / (to_earth * sqrt(to_earth)), pull_moon = moon / (to_moon * sqrt(to_moon));
    d[x] = at[vx];
    d[y] = at[vy];
    d[vx] = at[x] + 2 * at[vy] - pull_earth * (at[x] + moon) - pull_moon * (at[x] - earth);
    d[vy] = at[y] - 2 * at[vx] - (pull_earth + pull_moon) * at[y];
  });
  satellite.picture({shapes::Disk{{-0.012277471, 0}, 0.05}, shapes::Disk{{1 - 0.012277471, 0}, 0.02},
                     shapes::Disk{{x, y}, 0.012}, shapes::Trace{{x, y}, 20}});
  satellite.observable("jacobi", [=](const auto& at) {
    const double moon = at[mu], earth = 1 - moon;
    return sqr(at[x]) + sqr(at[y]) + 2 * earth / sqrt(sqr(at[x] + moon) + sqr(at[y])) +
           2 * moon / sqrt(sqr(at[x] - earth) + sqr(at[y])) - sqr(at[vx]) - sqr(at[vy]);
  });
  const auto reference = known_at(satellite, period, {0.994, 0, 0, launch});
  return {.summary = "closed orbit of a satellite around earth and moon; the Jacobi integral is constant",
          .kind = "smooth ODE, conservative",
          .source = "Hairer, Norsett, Wanner, Solving ODE I, 2nd ed. (1993), II.0",
          .system = satellite,
          .end = period,
          .plot = "x,y",
          .known_by = "periodicity",
          .reference = reference};
}

}  // namespace pawl::problems
