#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// An upright disk on a plane, free to roll and to turn about the vertical. Both rates stay constant and its point of
// contact runs on a circle, whatever the inertias.
Problem rolling_disk() {
  Mechanics disk("rolling-disk");
  const auto x = disk.coordinate("x", 0), y = disk.coordinate("y", 0), heading = disk.coordinate("heading", 0, 0.75),
             roll = disk.coordinate("roll", 0, 4);
  const auto m = disk.parameter("mass", 2), radius = disk.parameter("radius", 0.5),
             turning = disk.parameter("J", 0.125), rolling = disk.parameter("I", 0.25);
  disk.start([=](Start& at) {
    at[dot(x)] = at[radius] * at[dot(roll)] * std::cos(at[heading]);
    at[dot(y)] = at[radius] * at[dot(roll)] * std::sin(at[heading]);
  });
  disk.mass(x, m);
  disk.mass(y, m);
  disk.mass(heading, turning);
  disk.mass(roll, rolling);
  disk.velocity_constraint("rolling", [=](const auto& at) {
    const auto speed = at[radius] * at[dot(roll)];
    return std::array{at[dot(x)] - speed * cos(at[heading]), at[dot(y)] - speed * sin(at[heading])};
  });
  disk.energy();
  using namespace shapes;
  // Upright, its axis across the heading: Rz(heading) Rx(90 deg) Rz(-roll).
  const auto turned = [=](int part) {
    return [=](const auto& at) -> double {
      const double c = std::sqrt(0.5), w = c * std::cos(at[heading] / 2), y0 = c * std::sin(at[heading] / 2),
                   a = std::cos(at[roll] / 2), d = -std::sin(at[roll] / 2);
      const double parts[] = {w * a - y0 * d, w * a + y0 * d, y0 * a - w * d, y0 * a + w * d};
      return parts[part];
    };
  };
  disk.picture({Disk{{x, y, radius}, radius, Turn(turned(0), turned(1), turned(2), turned(3))}, Trace{{x, y, 0}, 10},
                Floor{{0, 2.5, 0}, 9}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const Real turn = values[dot(heading)], start = values[heading], now = start + turn * t,
               speed = values[radius] * Real(values[dot(roll)]);
    const auto follows = [&](State v, Real direction) {
      return std::abs(values[v] - static_cast<double>(speed * direction)) <= 1e-15 * std::abs(values[v]);
    };
    if (!follows(dot(x), std::cos(start)) || !follows(dot(y), std::sin(start))) return std::nullopt;
    // From the chord of the arc, which has a limit where the disk does not turn.
    const Real half = turn * t / 2, middle = start + half, chord = speed * t * (half == 0 ? 1 : std::sin(half) / half);
    std::vector<double> state;
    for (const Real part :
         {values[x] + chord * std::cos(middle), speed * std::cos(now), values[y] + chord * std::sin(middle),
          speed * std::sin(now), now, turn, values[roll] + Real(values[dot(roll)]) * t, Real(values[dot(roll)])})
      state.push_back(static_cast<double>(part));
    return state;
  };
  return {.summary = "an upright disk rolls and turns: its path is a circle, its rates are constant",
          .kind = "constrained mechanics, index 2, nonholonomic",
          .source = "Bloch, Nonholonomic Mechanics and Control, 2nd ed. (2015), section 1.4",
          .system = disk,
          .end = 20,
          .plot = "x,y",
          .known_by = "closed form",
          .reference = reference};
}

}  // namespace pawl::problems
