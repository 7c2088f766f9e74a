#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"
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
  const Constraint hoop =
      bead.constraint("hoop", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - sqr(at[r])) / (2 * at[r]); });
  bead.joint_friction("bore", hoop, [=](const auto& at) { return (at[x] * at[dot(y)] - at[y] * at[dot(x)]) / at[r]; },
                      {.friction = mu});
  bead.energy();
  using namespace shapes;
  bead.picture({Ring{{0, 0}, r}, Disk{{x, y}, 0.08}, Trace{{x, y}, 0.5},
                Arrow{{x, y},
                      {[=](const auto& at) { return -at[hoop] * at[x] / at[r]; },
                       [=](const auto& at) { return -at[hoop] * at[y] / at[r]; }}}});
  bead.friction_work();
  const auto reference =
      known_at(bead, {{1,
                       {-0.2321647282158513492, -3.696751827378515061, -0.9726764821730089905, 0.8823646906393772021,
                        10.17890439837588082}},
                      {5, {-0.07907524607014808939, 0, -0.9968686500532281907, 0, 17.63850032553758829}}});
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, bead)) return std::nullopt;
    std::vector<double> times;
    for (const double t : {0.3985092662632674446, 1.418604936497080318, 2.455503429172689782, 3.454471898273686537}) {
      if (t <= end) times.push_back(t);
    }
    return times;
  };
  return {.summary = "bead on a hoop, rubbed by the force that holds it there: it swings, reverses and sticks",
          .kind = "mechanics with contact",
          .source = "Goldstein, Classical Mechanics; friction and data of pawl",
          .system = bead,
          .end = 5,
          .plot = "x,y",
          .known_by = "the angle as an ODE: 80-bit extrapolation, at t = 1 and 5",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
