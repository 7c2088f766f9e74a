// The models of large reports: what they take is measured here, and opened in a browser by the tests of reports.
#pragma once

#include <numbers>

#include "pawl/pawl.hpp"

namespace pawl {

/// Four pendulums, each pulled by its neighbours: eight states that never repeat.
inline System pendulums() {
  System system("pendulums");
  const auto angle = system.states("angle", {1, 0.5, -0.7, 0.2}), speed = system.states("speed", {0, 0.3, 0, -0.4});
  system.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < 4; ++i) {
      d[angle[i]] = at[speed[i]];
      d[speed[i]] = -sin(at[angle[i]]) + 0.2 * (at[angle[(i + 1) % 4]] + at[angle[(i + 3) % 4]] - 2 * at[angle[i]]);
    }
  });
  return system;
}

/// A pendulum, pushed a little so that it never repeats, whose passages through the vertical are events.
inline System counted() {
  System system("counted");
  const auto angle = system.state("angle", 1), speed = system.state("speed", 0);
  system.rates([=](const auto& at, auto& d) {
    d[angle] = at[speed];
    d[speed] = -sin(at[angle]) + 0.02 * sin(std::numbers::sqrt2 * at.t);
  });
  system.guard("vertical", [=](const auto& at) { return at[angle]; }).then([](Jump&) {});
  return system;
}

}  // namespace pawl
