#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

// In metres, kilograms and seconds. The crank turns about the origin, the slider moves along the x axis, in a
// horizontal plane; a motor holds the speed of the crank with a torque in proportion to what it lacks. The pin at the
// end of the rod is a journal within the bearing of the slider: it has room c to all sides, and c² - r² >= 0 for its
// distance r.
Problem slider_crank_clearance() {
  constexpr double crank_inertia = 0.0001, rod_mass = 0.05, rod_inertia = 0.00006, slider_mass = 0.14;
  Mechanics engine("slider-crank-clearance");
  const auto crank = engine.coordinate("crank", 0), x = engine.coordinate("rod_x", 0),
             y = engine.coordinate("rod_y", 0), rod = engine.coordinate("rod", 0),
             slider = engine.coordinate("slider_x", 0);
  const auto a = engine.parameter("crank_length", 0.05), l = engine.parameter("rod_length", 0.12),
             c = engine.parameter("clearance", 0.0005), e = engine.parameter("restitution", 0.5),
             speed = engine.parameter("speed", 100), gain = engine.parameter("gain", 0.01);
  engine.start([=](Start& at) {  // stretched, at full speed, the journal in the middle of the bearing
    at[dot(crank)] = at[speed];
    at[dot(rod)] = -at[speed] * at[a] / at[l];
    at[x] = at[a] + at[l] / 2;
    at[dot(y)] = at[speed] * at[a] / 2;
    at[slider] = at[a] + at[l];
  });
  engine.mass(crank, crank_inertia);
  for (const auto q : {x, y}) engine.mass(q, rod_mass);
  engine.mass(rod, rod_inertia);
  engine.mass(slider, slider_mass);
  const auto torque = [=](const auto& at) { return at[gain] * (at[speed] - at[dot(crank)]); };
  engine.force([=](const auto& at, auto& f) { f[crank] += torque(at); });
  engine.constraint("crank pin", [=](const auto& at) {
    return std::array{at[x] - at[l] / 2 * cos(at[rod]) - at[a] * cos(at[crank]),
                      at[y] - at[l] / 2 * sin(at[rod]) - at[a] * sin(at[crank])};
  });
  const Contact bearing = engine.contact("bearing",
                                         [=](const auto& at) {
                                           const auto across = at[x] + at[l] / 2 * cos(at[rod]) - at[slider],
                                                      up = at[y] + at[l] / 2 * sin(at[rod]);
                                           return (sqr(at[c]) - sqr(across) - sqr(up)) / (2 * at[c]);
                                         },
                                         {.restitution = e});
  engine.energy();
  using namespace shapes;
  const Place pin{[=](const auto& at) { return at[a] * cos(at[crank]); },
                  [=](const auto& at) { return at[a] * sin(at[crank]); }};
  const Place journal{[=](const auto& at) { return at[x] + at[l] / 2 * cos(at[rod]); },
                      [=](const auto& at) { return at[y] + at[l] / 2 * sin(at[rod]); }};
  engine.picture({Rod{{0, 0}, pin, 0.006}, Rod{pin, journal, 0.004}, Box{{slider, 0}, {0.04, 0.025, 0.02}},
                  Disk{journal, 0.003}, Disk{{0, 0}, 0.006}, Wall{{0.05, -0.0125}, {0.2, -0.0125}},
                  Touch{bearing, journal}});
  const auto work = engine.state("drive work", 0);
  engine.rates([=](const auto& at, auto& d) { d[work] = torque(at) * at[dot(crank)]; });
  engine.impact_loss();
  const auto reference =
      known_at(engine, {{0.0005,
                         {0.04997341261694303336, 99.84135802619697866, 0.1099246028202003741, -0.3010975380632248398,
                          0.001249822144975921014, 2.498939773264075832, -0.02079830958538434059, -41.45723249525572522,
                          0.17, 0, 2.656202312092434908e-05}},
                        {0.0013,
                         {0.1284837301272729211, 89.02750854848758532, 0.1095037764810225547, -0.6800969107560583478,
                          0.003231051773931960004, 2.344075527924090651, -0.05294930762882372692, -34.55857690392331587,
                          0.1698762048497462123, -1.163729298375940741, 0.001386829344535947292}}});
  return {
      .summary = "slider-crank mechanism whose slider pin has room in its bearing: journal and bearing collide",
      .kind = "mechanics with contact",
      .source =
          "kind of model: Flores, Ambrosio, Claro, Lankarani, Kinematics and Dynamics of Multibody Systems with "
          "Imperfect Joints (2008); data of pawl",
      .system = engine,
      .end = 0.02,
      .plot = "t,slider_x'",
      .known_by = "crank, rod and slider as an ODE: 80-bit extrapolation, at t = 0.0005 and, after an impact, 0.0013",
      .reference = reference};
}

}  // namespace pawl::problems
