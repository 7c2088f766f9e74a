#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

namespace {

// Two uniform links of mass m and length 1, gravity along -y. θ1 is the angle of the first link from the horizontal, θ2
// that of the second from the first. The tip (x, y) is guided.
struct Arm {
  Mechanics mechanics;
  Coordinate theta1, theta2;

  auto tip_x() const {
    return [q1 = theta1, q2 = theta2](const auto& at) { return cos(at[q1]) + cos(at[q1] + at[q2]); };
  }
  auto tip_y() const {
    return [q1 = theta1, q2 = theta2](const auto& at) { return sin(at[q1]) + sin(at[q1] + at[q2]); };
  }
};

constexpr double start_angle = 70 * std::numbers::pi / 180;

Arm arm(const char* name) {
  Mechanics arm(name);
  const auto q1 = arm.coordinate("theta1", start_angle), q2 = arm.coordinate("theta2", -2 * start_angle);
  const auto m = arm.parameter("mass", 36), g = arm.parameter("gravity", 9.81);
  arm.mass([=](const auto& at, auto& M) {
    M(q1, q1) = at[m] * (5. / 3 + cos(at[q2]));
    M(q1, q2) = at[m] * (1. / 3 + cos(at[q2]) / 2);
    M(q2, q2) = at[m] / 3;
  });
  arm.potential([=](const auto& at) { return at[m] * at[g] * (1.5 * sin(at[q1]) + sin(at[q1] + at[q2]) / 2); });
  arm.energy();
  using namespace shapes;
  const Place elbow{[=](const auto& at) { return cos(at[q1]); }, [=](const auto& at) { return sin(at[q1]); }};
  const Place tip{[=](const auto& at) { return cos(at[q1]) + cos(at[q1] + at[q2]); },
                  [=](const auto& at) { return sin(at[q1]) + sin(at[q1] + at[q2]); }};
  arm.picture(
      {Rod{{0, 0}, elbow, 0.06}, Rod{elbow, tip, 0.06}, Disk{{0, 0}, 0.06}, Disk{elbow, 0.05}, Trace{tip, 1.5}});
  return {arm, q1, q2};
}

}  // namespace

// The tip slides along the parabola y = x² - β, where β puts the start on it.
Problem arm_parabola() {
  Arm arm = problems::arm("arm-parabola");
  const double beta = 4 * sqr(std::cos(start_angle));
  arm.mechanics.constraint("parabola",
                           [=, x = arm.tip_x(), y = arm.tip_y()](const auto& at) { return y(at) - sqr(x(at)) + beta; });
  const auto reference = known_at(
      arm.mechanics, {{0.5, {-0.006258333262034413, -5.453899018530801, -2.668352545011043, -0.05139939019792414}},
                      {1, {-2.881752902530238, -3.451257412993965, -1.700120370003487, 4.05468945335478}},
                      {2, {-0.9214334046706139, 6.875574789103632, -2.653839670301496, -0.4433923021951634}},
                      {5, {0.8456629405542492, 2.77842673650583, -2.598207374690357, 0.6285699506915801}},
                      {10, {-0.5015329556363399, 6.438956091974511, -2.667993311783729, -0.0740773411070924}},
                      {20, {-3.317974160342782, 1.800123877803072, -1.108975775906972, -2.748765072615641}},
                      {40, {0.7805930280116122, -3.042352909891123, -2.611710432689865, -0.5776320931197345}}});
  return {.summary = "two-link arm whose tip slides along a parabola; its energy is constant",
          .kind = "constrained mechanics, index 3",
          .source = "Ascher, Chin, Petzold, Reich, Mech. Struct. Mach. 23 (1995) 135, case I",
          .system = arm.mechanics,
          .end = 40,
          .plot = "theta1,theta2",
          .known_by = "80-bit Fehlberg 8 with projection, 14 digits: at t = 0.5, 1, 2, 5, 10, 20 and 40",
          .reference = reference};
}

// The tip is led up and down, y = sin² ω t; nothing holds it sideways. Chaotic over long times.
Problem arm_sine() {
  Arm arm = problems::arm("arm-sine");
  const auto omega = arm.mechanics.parameter("omega", 0.5);
  arm.mechanics.constraint("height",
                           [=, y = arm.tip_y()](const auto& at) { return y(at) - sqr(sin(at[omega] * at.t)); });
  const auto reference =
      known_at(arm.mechanics, {{0.5, {1.058621378209569, -0.812865073146005, -2.003578751569255, 1.902147440537033}},
                               {1, {-0.206427447565297, -5.141976398101567, 0.6562584530951424, 11.19796745297128}},
                               {2, {3.057630214169071, 6.184750424076582, -0.5901569754859713, -14.65521827018125}},
                               {5, {3.820968174289369, 2.441774054460307, -2.085524577121453, -11.10629646672709}},
                               {10, {1.106535634252253, 5.597507174666241, 2.009671371964284, -2.818250867809224}}});
  return {.summary = "two-link arm whose tip is led up and down in time (try --set omega=1)",
          .kind = "constrained mechanics, index 3, driven",
          .source = "Ascher, Chin, Petzold, Reich, Mech. Struct. Mach. 23 (1995) 135, case II",
          .system = arm.mechanics,
          .end = 10,
          .plot = "theta1,theta2",
          .known_by = "80-bit Fehlberg 8 with projection: at t = 0.5, 1, 2 (14 digits), 5 (13) and 10 (12)",
          .reference = reference};
}

}  // namespace pawl::problems
