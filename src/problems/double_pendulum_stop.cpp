#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

// Two point masses on two massless rods, y up. The elbow bends one way only: the sine of the angle from the first rod
// to the second one is never negative.
Problem double_pendulum_stop() {
  Mechanics arm("double-pendulum-stop");
  const auto x1 = arm.coordinate("x1", 0), y1 = arm.coordinate("y1", 0), x2 = arm.coordinate("x2", 0),
             y2 = arm.coordinate("y2", 0);
  const auto l1 = arm.parameter("upper", 1), l2 = arm.parameter("lower", 0.8), m1 = arm.parameter("upper_mass", 1),
             m2 = arm.parameter("lower_mass", 0.5), g = arm.parameter("gravity", 9.81),
             e = arm.parameter("restitution", 0.5), angle = arm.parameter("angle", 1),
             bend = arm.parameter("bend", 0.5);
  arm.start([=](Start& at) {  // at rest; angles from the downward vertical, that of the elbow from the upper rod
    at[x1] = at[l1] * std::sin(at[angle]);
    at[y1] = -at[l1] * std::cos(at[angle]);
    at[x2] = at[x1] + at[l2] * std::sin(at[angle] + at[bend]);
    at[y2] = at[y1] - at[l2] * std::cos(at[angle] + at[bend]);
  });
  for (const auto q : {x1, y1}) arm.mass(q, m1);
  for (const auto q : {x2, y2}) arm.mass(q, m2);
  arm.potential([=](const auto& at) { return at[g] * (at[m1] * at[y1] + at[m2] * at[y2]); });
  arm.constraint("upper rod", [=](const auto& at) { return (sqr(at[x1]) + sqr(at[y1]) - sqr(at[l1])) / 2; });
  arm.constraint("lower rod",
                 [=](const auto& at) { return (sqr(at[x2] - at[x1]) + sqr(at[y2] - at[y1]) - sqr(at[l2])) / 2; });
  const Contact elbow = arm.contact(
      "elbow",
      [=](const auto& at) { return (at[x1] * (at[y2] - at[y1]) - at[y1] * (at[x2] - at[x1])) / (at[l1] * at[l2]); },
      {.restitution = e});
  arm.energy();
  using namespace shapes;
  arm.picture({Rod{{0, 0}, {x1, y1}, 0.05}, Rod{{x1, y1}, {x2, y2}, 0.05}, Disk{{x1, y1}, 0.08}, Disk{{x2, y2}, 0.06},
               Disk{{0, 0}, 0.03}, Trace{{x2, y2}, 0.8}, Touch{elbow, {x1, y1}}});
  arm.impact_loss();
  const auto reference =
      known_at(arm, {{0.5,
                      {0.3001004578505605889, -1.88986469843540475, -0.9539076030716412669, -0.5945536647887290228,
                       0.7816903687968106317, -4.584810682731902309, -1.592712078380622609, -2.626253264192047474}},
                     {0.9,
                      {-0.6320985880808565278, -1.467082148788903546, -0.7748879757398405146, 1.196741443771529948,
                       -1.03417151375258257, -3.444487797201273579, -1.466507352595187639, 2.346306220154661775}}});
  return {.summary = "double pendulum in Cartesian coordinates whose elbow bends one way only",
          .kind = "mechanics with contact",
          .source = "Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996); data of pawl",
          .system = arm,
          .end = 3,
          .plot = "x2,y2",
          .known_by = "two angles as an ODE: 80-bit extrapolation, at t = 0.5 and, after an impact, 0.9",
          .reference = reference};
}

}  // namespace pawl::problems
