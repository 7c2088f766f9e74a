#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// Lagrange's heavy top as a free body, with a quaternion, held at its tip. The axis e = R(q) e_z carries the centre, at
// a distance l. It spins at 50 rad/s, leans by 30 degrees and is let go at rest: it falls, precesses and comes to rest
// at 30 degrees again and again.
Problem quaternion_top() {
  constexpr double tilt = std::numbers::pi / 6, start_length = 0.1;
  Mechanics top("quaternion-top");
  const auto x = top.coordinate("x", 0), y = top.coordinate("y", -start_length * 0.5),
             z = top.coordinate("z", start_length * std::cos(tilt));
  const auto a = top.attitude("a", {std::cos(tilt / 2), std::sin(tilt / 2), 0, 0}, {0, 0, 50});
  const auto m = top.parameter("mass", 1), l = top.parameter("length", start_length),
             across = top.parameter("I1", 0.0025), along = top.parameter("I3", 0.004),
             g = top.parameter("gravity", 9.81);
  top.start([=](Start& at) {
    at[y] = -at[l] * std::sin(tilt);
    at[z] = at[l] * std::cos(tilt);
  });
  for (const auto q : {x, y, z}) top.mass(q, m);
  top.mass(a.speed(0), across);
  top.mass(a.speed(1), across);
  top.mass(a.speed(2), along);
  top.potential([=](const auto& at) { return at[m] * at[g] * at[z]; });
  top.constraint("tip", [=](const auto& at) {
    const auto qw = at[a[0]], qx = at[a[1]], qy = at[a[2]], qz = at[a[3]];
    return std::array{at[x] - at[l] * 2 * (qx * qz + qw * qy), at[y] - at[l] * 2 * (qy * qz - qw * qx),
                      at[z] - at[l] * (sqr(qw) - sqr(qx) - sqr(qy) + sqr(qz))};
  });
  top.energy();
  using namespace shapes;
  top.picture({Rod{{0, 0, 0}, {x, y, z}}, Disk{{x, y, z}, start_length / 3, a}, Trace{{x, y, z}, 0.5},
               Floor{{0, 0, -start_length}, 3 * start_length}});
  top.observable("vertical momentum", [=](const auto& at) {
    const auto qw = at[a[0]], qx = at[a[1]], qy = at[a[2]], qz = at[a[3]];
    return at[m] * (at[x] * at[dot(y)] - at[y] * at[dot(x)]) +
           at[across] * 2 * ((qx * qz - qw * qy) * at[a.speed(0)] + (qy * qz + qw * qx) * at[a.speed(1)]) +
           at[along] * (sqr(qw) - sqr(qx) - sqr(qy) + sqr(qz)) * at[a.speed(2)];
  });
  top.observable("spin", [=](const auto& at) { return at[a.speed(2)]; });
  const auto reference = known_at(
      top,
      {{0.5,
        {-0.002926251714110816640442, -0.2546594373237310612097, 0.06519815336590334580948, -0.2506770697487647744488,
         0.07576699709360145175356, 0.2058743915182755606017, 0.6873979943554661517678, -0.2655923227993320116492,
         0.2250016279986617954097, 0.6374315514814824117954, -2.25884162778289573451, -3.450377260602639676404, 50}},
       {1,
        {-0.03362804415354915480947, 0.7201017902844774682341, -0.08150205213397715989765, -0.1301240410192672991099,
         0.04718654622196266119643, 0.2884347237383799476911, 0.1594327054274975357979, -0.104300665074170193097,
         -0.5031785370574469178716, 0.842919891537672807977, 3.146116384319693959006, -7.208973305840997331567, 50}},
       {2,
        {-0.08067641140365251542392, -0.356938562796024148652, 0.02319150680760629970109, -0.5371182466970012118213,
         0.05434584303349574623931, -0.300665882634784237252, -0.6023887233515109334654, -0.243710822295823317574,
         0.410945032733594325915, 0.6394192999483324497124, 4.838696283284208137944, 5.217003970744335392264, 50}}});
  return {
      .summary = "Lagrange's heavy top as a free body held at its tip, orientation by a quaternion",
      .kind = "constrained mechanics, index 3, spatial",
      .source = "Lagrange, Mecanique analytique (1788); Goldstein, Classical Mechanics, 3rd ed. (2002), section 5.7",
      .system = top,
      .end = 1,
      .plot = "x,y",
      .known_by = "Euler angles: 113-bit extrapolation, 16 digits at t = 0.5, 1 and 2",
      .reference = reference};
}

}  // namespace pawl::problems
