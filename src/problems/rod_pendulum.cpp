#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

namespace {

// x, x', y, y', θ, θ' of a rod of length 1.
std::vector<double> rod_at(Real theta, Real omega) {
  const Real x = std::cos(theta) / 2, y = std::sin(theta) / 2;
  std::vector<double> state;
  for (const Real part : {x, -y * omega, y, x * omega, theta, omega}) state.push_back(static_cast<double>(part));
  return state;
}

}  // namespace

// The rod of compere-pendulum by the position of its centre, x down, and its angle; hung at the origin.
Problem rod_pendulum() {
  Mechanics rod("rod-pendulum");
  const double angle = 20 * std::numbers::pi / 180;
  const auto x = rod.coordinate("x", 0.5), y = rod.coordinate("y", 0), theta = rod.coordinate("theta", angle, 1);
  const auto m = rod.parameter("mass", 36), l = rod.parameter("length", 1), g = rod.parameter("gravity", 9.81);
  rod.start([=](Start& at) {
    at[x] = at[l] / 2 * std::cos(at[theta]);
    at[y] = at[l] / 2 * std::sin(at[theta]);
    at[dot(x)] = -at[y] * at[dot(theta)];
    at[dot(y)] = at[x] * at[dot(theta)];
  });
  rod.mass(x, m);
  rod.mass(y, m);
  rod.mass([=](const auto& at, auto& M) { M(theta, theta) = at[m] * sqr(at[l]) / 12; });
  rod.potential([=](const auto& at) { return -at[m] * at[g] * at[x]; });
  rod.constraint("pivot", [=](const auto& at) {
    return std::array{at[x] - at[l] / 2 * cos(at[theta]), at[y] - at[l] / 2 * sin(at[theta])};
  });
  rod.energy();
  using namespace shapes;
  const Place end{[=](const auto& at) { return 2 * at[y]; },
                  [=](const auto& at) { return -2 * at[x]; }};  // weight points along x
  rod.picture({Rod{{0, 0}, end, 0.05}, Disk{{0, 0}, 0.04}, Trace{end, 0.6}});
  const auto reference = known_at(rod, {{0.5, rod_at(0.14046554182542162L, -1.576384443979372L)},
                                        {1, rod_at(-0.43773565667540143L, -0.0019440110975706658L)},
                                        {2, rod_at(0.3496881983671721L, -0.9968602239873098L)},
                                        {5, rod_at(0.373894218666271954L, 0.861155269495715636L)}});
  return {.summary = "a rod hung at one end, as three coordinates and a joint; the energy test of Table 3.2",
          .kind = "constrained mechanics, index 3",
          .source = "Compere, dissertation, UT Austin (2001), section 3.5.2",
          .system = rod,
          .end = 5,
          .plot = "t,theta",
          .known_by = "its angle as an ODE: 80-bit Fehlberg 8, step 1e-3",
          .reference = reference};
}

}  // namespace pawl::problems
