#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/mixtures.hpp"

namespace pawl::problems {

// A bob on a rod, in Cartesian coordinates (index 3), kicked by a coil that a source E sin(ω t) feeds through an ideal
// diode: L i' + R i + k w = E sin(ω t) - uD, with w = x y' - y x' the angular velocity. The kick k i is an algebraic
// unknown of its own, which a filter sees. Energies close the balance: drawn = stored + heat.
Problem coil_pendulum() {
  Mechanics system("coil-pendulum");
  const auto x = system.coordinate("x", 0), y = system.coordinate("y", 0);
  const auto i = system.state("i", 0), uD = system.state("uD", 0), kick = system.state("kick", 0),
             filter = system.state("filter", 0), drawn = system.state("drawn", 0), heat = system.state("heat", 0);
  const auto g = system.parameter("gravity", 9.81), k = system.parameter("k", 0.5), L = system.parameter("L", 0.01),
             R = system.parameter("R", 1), omega = system.parameter("omega", 100), E = system.parameter("E", 10),
             lag = system.parameter("lag", 1e-5), angle = system.parameter("angle", 0.3);
  system.start([=](Start& at) {
    at[x] = std::sin(at[angle]);
    at[y] = -std::cos(at[angle]);
  });
  for (const auto q : {x, y}) system.mass(q, 1.0);
  system.potential([=](const auto& at) { return at[g] * at[y]; });
  system.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  system.force([=](const auto& at, auto& f) {
    f[x] -= at[kick] * at[y];
    f[y] += at[kick] * at[x];
  });
  system.equation("coil", [=](const auto& at) {
    const auto w = at[x] * at[dot(y)] - at[y] * at[dot(x)];
    return at[L] * at[dot(i)] + at[R] * at[i] + at[k] * w - (at[E] * sin(at[omega] * at.t) - at[uD]);
  });
  system.equation("force of the coil", [=](const auto& at) { return at[kick] - at[k] * at[i]; });
  system.rates([=](const auto& at, auto& d) {
    d[filter] = (at[kick] - at[filter]) / at[lag];
    d[drawn] = at[E] * sin(at[omega] * at.t) * at[i];
    d[heat] = at[R] * sqr(at[i]);
  });
  system.diode(
      "D", [=](const auto& at) { return at[uD]; }, [=](const auto& at) { return at[i]; });
  system.nominal(uD, 10);
  system.observable("unaccounted energy", [=](const auto& at) {
    const auto stored = (at[L] * sqr(at[i]) + sqr(at[dot(x)]) + sqr(at[dot(y)])) / 2 + at[g] * (at[y] + cos(at[angle]));
    return at[drawn] - at[heat] - stored;
  });
  using namespace shapes;
  system.picture(
      {Rod{{0, 0}, {x, y}}, Disk{{x, y}, 0.06}, Disk{{0, 0}, 0.03}, Trace{{x, y}, 0.2},
       Arrow{{x, y},
             {[=](const auto& at) { return -at[kick] * at[y]; }, [=](const auto& at) { return at[kick] * at[x]; }}}});
  return {.summary = "pendulum in Cartesian coordinates, kicked by a coil behind a rectifier",
          .kind = "mixture: DAE of index 3, stiff, hybrid, ideal switch",
          .source = "pawl; kind of model: Doubochinski's pendulum, with a rectified current",
          .system = system,
          .end = 1,
          .plot = "t,x",
          .known_by = "angle alone, 113-bit extrapolation of every piece (scripts/mixture_references.cpp)",
          .reference = known_at(
              system, 1,
              {-0.01259208762929784182, -0.0318272262078493945, -0.9999207165216330711, 0.0004008029984625824307, 0,
               -5.047741536207024, 0, 1.1916638667626105e-28, 16.1313000376944425, 16.56816474196390328})};
}

}  // namespace pawl::problems
