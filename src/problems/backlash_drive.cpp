#include <array>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/mixtures.hpp"

namespace pawl::problems {

// A motor whose voltage a relay with hysteresis switches, so that its current follows a sine, drives a load through a
// gear with backlash: two contacts, in which teeth meet without bounce.
//   L i' = v - R i - k motor',   v = ±12 V,   Jm motor'' = k i - push,   Jl load'' = push - drag load',   |motor -
//   load| <= room
// The current is seen through a filter, lag sensor' = i - sensor. Energies close the balance:
//   drawn = stored + heat + impact loss, with the heat of the resistance and of the drag.
Problem backlash_drive() {
  Mechanics drive("backlash-drive");
  const auto motor = drive.coordinate("motor", 0), load = drive.coordinate("load", 0);
  const auto i = drive.state("i", 0), v = drive.state("v", 12), sensor = drive.state("sensor", 0),
             drawn = drive.state("drawn", 0), heat = drive.state("heat", 0);
  const auto L = drive.parameter("L", 0.002), R = drive.parameter("R", 1), k = drive.parameter("k", 0.05),
             motor_inertia = drive.parameter("motor_inertia", 2e-5),
             load_inertia = drive.parameter("load_inertia", 1e-4), drag = drive.parameter("drag", 2e-3),
             room = drive.parameter("room", 0.02), lag = drive.parameter("lag", 1e-4),
             wanted = drive.parameter("wanted", 2), omega = drive.parameter("omega", 40);
  drive.mass(motor, motor_inertia);
  drive.mass(load, load_inertia);
  drive.force([=](const auto& at, auto& f) {
    f[motor] += at[k] * at[i];
    f[load] -= at[drag] * at[dot(load)];
  });
  const Contact front = drive.contact("front", [=](const auto& at) { return at[room] - at[motor] + at[load]; });
  const Contact back = drive.contact("back", [=](const auto& at) { return at[room] + at[motor] - at[load]; });
  const auto u = drive.relay("u", {.below = -12, .above = 12, .hysteresis = 0.5},
                             [=](const auto& at) { return at[wanted] * sin(at[omega] * at.t) - at[sensor]; });
  drive.equation("armature",
                 [=](const auto& at) { return at[L] * at[dot(i)] - (at[v] - at[R] * at[i] - at[k] * at[dot(motor)]); });
  drive.equation("bridge", [=](const auto& at) { return at[v] - at[u]; });
  drive.rates([=](const auto& at, auto& d) {
    d[sensor] = (at[i] - at[sensor]) / at[lag];
    d[drawn] = at[v] * at[i];
    d[heat] = at[R] * sqr(at[i]) + at[drag] * sqr(at[dot(load)]);
  });
  drive.nominal(v, 10);
  using namespace shapes;
  drive.picture({Disk{{-1, 0}, 0.9, motor}, Disk{{1, 0}, 0.9, load}, Touch{front, {0, 0.2}, Place{0, 1}},
                 Touch{back, {0, -0.2}, Place{0, -1}}});
  const auto lost = drive.impact_loss();
  drive.observable("unaccounted energy", [=](const auto& at) {
    const auto stored =
        (at[L] * sqr(at[i]) + at[motor_inertia] * sqr(at[dot(motor)]) + at[load_inertia] * sqr(at[dot(load)])) / 2;
    return at[drawn] - at[heat] - at[lost] - stored;
  });
  return {.summary = "motor with a current controller drives a load through a gear with backlash",
          .kind = "mixture: DAE of index 1 and 3, stiff, hybrid, contacts, relay",
          .source = "pawl; kind of gear: Nordin, Gutman, Automatica 38 (2002) 1633",
          .system = drive,
          .end = 0.05,
          .plot = "t,load'",
          .known_by = "both inertias by hand, 113-bit extrapolation of every piece (scripts/mixture_references.cpp)",
          .reference = known_at(
              drive, 0.05,
              {0.4635745938115242919, 21.07547389380816169, 0.4435745938115242919, 21.07547389380816169,
               1.282976037886600197, -12, 1.790873379912866689, 0.1610738795359966393, 0.1323689182015329083})};
}

}  // namespace pawl::problems
