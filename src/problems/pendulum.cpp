#include <numbers>

#include "pawl/picture.hpp"
#include "problems/smooth.hpp"

namespace pawl::problems {

// A uniform rod hung at one end: θ'' = -3 g sin θ / (2 l), θ from the downward vertical; the zero level of the
// potential energy is the pivot. Mass 36, length 1, released at 20 degrees with 1 rad/s.
Problem compere_pendulum() {
  System rod("compere-pendulum");
  const auto theta = rod.state("theta", 20 * std::numbers::pi / 180), omega = rod.state("omega", 1.0);
  const auto m = rod.parameter("m", 36), l = rod.parameter("l", 1), g = rod.parameter("g", 9.81);
  rod.rates([=](const auto& at, auto& d) {
    d[theta] = at[omega];
    d[omega] = -3 * at[g] / (2 * at[l]) * sin(at[theta]);
  });
  rod.observable("energy", [=](const auto& at) {
    return at[m] * sqr(at[l]) / 6 * sqr(at[omega]) - at[m] * at[g] * at[l] / 2 * cos(at[theta]);
  });
  using namespace shapes;
  const Place end{[=](const auto& at) { return at[l] * sin(at[theta]); },
                  [=](const auto& at) { return -at[l] * cos(at[theta]); }};
  rod.picture({Rod{{0, 0}, end, 0.05}, Disk{{0, 0}, 0.04}, Trace{end, 0.6}});
  const auto reference = known_at(rod, 5, {0.373894218666271954, 0.861155269495715636});
  return {.summary = "compound pendulum as an ODE, the energy test of Table 3.1",
          .kind = "smooth ODE",
          .source = "Compere, dissertation, UT Austin (2001), section 3.5.1",
          .system = rod,
          .end = 5,
          .plot = "t,theta",
          .known_by = "80-bit Fehlberg 8, step 1e-3",
          .reference = reference};
}

}  // namespace pawl::problems
