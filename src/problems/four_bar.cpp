#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

namespace {

// Of both mechanisms: uniform rods of mass 1 per length, gravity along -y, and a constant torque on the crank, which
// has the potential -torque angle, so that the energy is constant.
constexpr double crank_start = std::numbers::pi / 3, crank_speed = 5;

// Crank a, coupler b, rocker c, ground d: the shortest bar turns all the way round (Grashof: a + d <= b + c).
constexpr Real a = 1, b = 2.5, c = 2, d = 3;

// The angles of all three bars and their rates for a crank angle, coupler above the diagonal.
std::vector<double> four_bars(Real crank, Real speed) {
  const Real ex = d - a * std::cos(crank), ey = -a * std::sin(crank), e = std::hypot(ex, ey);
  const Real coupler = std::atan2(ey, ex) + std::acos((b * b + e * e - c * c) / (2 * b * e));
  const Real rocker = std::atan2(b * std::sin(coupler) - ey, b * std::cos(coupler) - ex);
  const Real across = std::sin(coupler - rocker);
  return rounded({crank, speed, coupler, speed * a * std::sin(rocker - crank) / (b * across), rocker,
                  speed * a * std::sin(coupler - crank) / (c * across)});
}

constexpr Real rod_length = 2.5;

// x, x', y, y', angle, angle' of the crank and of the rod, then the slider.
std::vector<double> crank_rod_slider(Real crank, Real speed) {
  const Real cosine = std::cos(crank), sine = std::sin(crank), rod_sine = -sine / rod_length, rod = std::asin(rod_sine),
             rod_cosine = std::cos(rod), rod_speed = -speed * cosine / (rod_length * rod_cosine);
  const Real x = rod_length * rod_cosine, y = rod_length * rod_sine;                          // from pin to pin
  return rounded({cosine / 2, -speed * sine / 2, sine / 2, speed * cosine / 2, crank, speed,  //
                  cosine + x / 2, -speed * sine - rod_speed * y / 2, sine + y / 2, speed * cosine + rod_speed * x / 2,
                  rod, rod_speed,  //
                  cosine + x, -speed * sine - rod_speed * y, 0, 0});
}

}  // namespace

// Three angles from the x axis; the coupler hangs on the crank, so their speeds are coupled.
Problem four_bar() {
  constexpr double la = a, lb = b, lc = c, ld = d, ma = la, mb = lb, mc = lc;
  Mechanics bars("four-bar");
  const auto start = four_bars(crank_start, crank_speed);
  const auto q1 = bars.coordinate("crank", start[0], start[1]), q2 = bars.coordinate("coupler", start[2], start[3]),
             q3 = bars.coordinate("rocker", start[4], start[5]);
  const auto g = bars.parameter("gravity", 9.81), torque = bars.parameter("torque", 2);
  bars.mass(q1, (ma / 3 + mb) * la * la);
  bars.mass(q2, mb * lb * lb / 3);
  bars.mass(q3, mc * lc * lc / 3);
  bars.mass([=](const auto& at, auto& M) { M(q1, q2) = mb * la * lb / 2 * cos(at[q1] - at[q2]); });
  bars.potential([=](const auto& at) {
    return at[g] * ((ma / 2 + mb) * la * sin(at[q1]) + mb * lb / 2 * sin(at[q2]) + mc * lc / 2 * sin(at[q3])) -
           at[torque] * at[q1];
  });
  bars.constraint("loop", [=](const auto& at) {
    return std::array{la * cos(at[q1]) + lb * cos(at[q2]) - lc * cos(at[q3]) - ld,
                      la * sin(at[q1]) + lb * sin(at[q2]) - lc * sin(at[q3])};
  });
  bars.energy();
  using namespace shapes;
  const Place crank{[=](const auto& at) { return la * cos(at[q1]); }, [=](const auto& at) { return la * sin(at[q1]); }};
  const Place rocker{[=](const auto& at) { return ld + lc * cos(at[q3]); },
                     [=](const auto& at) { return lc * sin(at[q3]); }};
  bars.picture({Rod{{0, 0}, crank, 0.05}, Rod{crank, rocker, 0.05}, Rod{{ld, 0}, rocker, 0.05}, Disk{{0, 0}, 0.05},
                Disk{{ld, 0}, 0.05}, Trace{rocker, 1}});
  const auto reference = known_at(bars, {{1, four_bars(7.576068907654238674247L, 5.317481377348656186732L)},
                                         {5, four_bars(43.17586142589380254971L, 8.985685170791369638027L)}});
  return {.summary = "four-bar linkage, driven by a constant torque on its crank",
          .kind = "constrained mechanics, index 3",
          .source = "Norton, Design of Machinery; data of pawl",
          .system = bars,
          .end = 5,
          .plot = "coupler,rocker",
          .known_by = "crank angle as an ODE: 113-bit extrapolation, at t = 1 and 5",
          .reference = reference};
}

// Every body by the position of its centre and its angle, every joint a constraint of its own.
Problem slider_crank() {
  constexpr double l = rod_length, rod_mass = l, slider_mass = 1;
  Mechanics engine("slider-crank");
  const auto start = crank_rod_slider(crank_start, crank_speed);
  const auto x1 = engine.coordinate("crank_x", start[0], start[1]),
             y1 = engine.coordinate("crank_y", start[2], start[3]), a1 = engine.coordinate("crank", start[4], start[5]),
             x2 = engine.coordinate("rod_x", start[6], start[7]), y2 = engine.coordinate("rod_y", start[8], start[9]),
             a2 = engine.coordinate("rod", start[10], start[11]),
             x3 = engine.coordinate("slider_x", start[12], start[13]), y3 = engine.coordinate("slider_y", 0);
  const auto g = engine.parameter("gravity", 9.81), torque = engine.parameter("torque", 2);
  for (const auto q : {x1, y1}) engine.mass(q, 1.0);
  for (const auto q : {x2, y2}) engine.mass(q, rod_mass);
  for (const auto q : {x3, y3}) engine.mass(q, slider_mass);
  engine.mass(a1, 1. / 12);
  engine.mass(a2, rod_mass * l * l / 12);
  engine.potential([=](const auto& at) {
    return at[g] * (at[y1] + rod_mass * at[y2] + slider_mass * at[y3]) - at[torque] * at[a1];
  });
  engine.constraint("main bearing", [=](const auto& at) {
    return std::array{at[x1] - cos(at[a1]) / 2, at[y1] - sin(at[a1]) / 2};
  });
  engine.constraint("crank pin", [=](const auto& at) {
    return std::array{at[x2] - l / 2 * cos(at[a2]) - at[x1] - cos(at[a1]) / 2,
                      at[y2] - l / 2 * sin(at[a2]) - at[y1] - sin(at[a1]) / 2};
  });
  engine.constraint("slider pin", [=](const auto& at) {
    return std::array{at[x3] - at[x2] - l / 2 * cos(at[a2]), at[y3] - at[y2] - l / 2 * sin(at[a2])};
  });
  engine.constraint("guide", [=](const auto& at) { return at[y3]; });
  engine.energy();
  using namespace shapes;
  const Place pin{[=](const auto& at) { return at[x1] + cos(at[a1]) / 2; },
                  [=](const auto& at) { return at[y1] + sin(at[a1]) / 2; }};
  engine.picture({Rod{{0, 0}, pin, 0.08}, Rod{pin, {x3, y3}, 0.06}, Box{{x3, y3}, {0.5, 0.3, 0.3}}, Disk{{0, 0}, 0.08},
                  Wall{{0.5, -0.15}, {l + 1.4, -0.15}}, Trace{{x2, y2}, 1}});
  const auto reference = known_at(engine, {{1, crank_rod_slider(8.245442543573075549701L, 6.629309604897412251082L)},
                                           {5, crank_rod_slider(47.08326546715091019623L, 16.31895141221073181493L)}});
  return {.summary = "slider-crank mechanism, three free bodies and four joints, driven by a constant torque",
          .kind = "constrained mechanics, index 3",
          .source = "Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989); data of pawl",
          .system = engine,
          .end = 5,
          .plot = "t,slider_x",
          .known_by = "crank angle as an ODE: 113-bit extrapolation, at t = 1 and 5",
          .reference = reference};
}

}  // namespace pawl::problems
