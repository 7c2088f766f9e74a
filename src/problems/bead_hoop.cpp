#include <cmath>

#include "pawl/mechanics.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

// A bead on a hoop in the vertical plane, y up. The hoop holds it from inside or from outside, and that force makes the
// friction: m (θ'^2 r + g cos θ), θ from the downward vertical. Started above the middle at rest, it presses outwards
// first; this changes on the way down.
Problem bead_hoop() {
  Mechanics bead("bead-hoop");
  const auto x = bead.coordinate("x", 0), y = bead.coordinate("y", 0);
  const auto r = bead.parameter("radius", 1), g = bead.parameter("gravity", 9.81), mu = bead.parameter("friction", 0.2),
             start = bead.parameter("start", 2.5);
  bead.start([=](Start& at) {
    at[x] = at[r] * std::sin(at[start]);
    at[y] = -at[r] * std::cos(at[start]);
  });
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.potential([=](const auto& at) { return at[g] * at[y]; });
  const auto hoop = bead.constraint(
      "hoop", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - sqr(at[r])) / (2 * at[r]); });
  bead.joint_friction(
      "bore", hoop, [=](const auto& at) { return (at[x] * at[dot(y)] - at[y] * at[dot(x)]) / at[r]; },
      {.friction = mu});
  bead.energy();
  bead.friction_work();
  return {.summary = "bead on a hoop, rubbed by the force that holds it there: it swings, reverses and sticks",
          .kind = "mechanics with contact",
          .source = "Goldstein, Classical Mechanics; friction and data of pawl",
          .system = bead,
          .end = 5,
          .plot = "t,x,y",
          .known_by = "",
          .reference = [](const Values&, double) { return std::nullopt; }};
}

}  // namespace pawl::problems
