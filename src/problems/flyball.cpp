#include <array>
#include <cmath>
#include <numbers>

#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "problems/constrained.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl::problems {

namespace {

// px1, py1, pz1, px2, py2, pz2, pZ, ps, qx1, qx2, qs: both balls move alike.
std::vector<double> governor(std::array<double, 3> p, double pZ, double ps, double qx, double qs) {
  return {p[0], p[1], p[2], p[0], p[1], p[2], pZ, ps, qx, qx, qs};
}

}  // namespace

// A governor: two balls on arms of length L1 + L2 swing out by the angles q1, q2 as the shaft turns, and rods of length
// b from the arms lift a collar, at height s, against a spring. p: angular momenta of a ball about its pivot, in the
// axes of its arm; pZ, ps: momenta of shaft and collar. Six constraints tie the balls to shaft and collar.
Problem flyball() {
  PortHamiltonian shaft("flyball");
  struct Ball {
    State px, py, pz, q;
  };
  constexpr double theta0 = std::numbers::pi / 4;
  std::array<std::array<State, 3>, 2> p;
  for (int ball = 0; ball < 2; ++ball) {
    for (int axis = 0; axis < 3; ++axis)
      p[static_cast<std::size_t>(ball)][static_cast<std::size_t>(axis)] =
          shaft.state(std::string("p") + "xyz"[axis] + "12"[ball], 0);
  }
  const auto pZ = shaft.state("pZ", 0), ps = shaft.state("ps", 0);
  const auto qx1 = shaft.state("qx1", theta0), qx2 = shaft.state("qx2", theta0), qs = shaft.state("qs", 0);
  const auto torque = shaft.parameter("torque", 10), friction = shaft.parameter("friction", 1);
  const Ball one{p[0][0], p[0][1], p[0][2], qx1}, two{p[1][0], p[1][1], p[1][2], qx2};

  constexpr double radius = 0.025, m = 4. / 3 * std::numbers::pi * radius * radius * radius * 7600;  // of a steel ball
  constexpr double Ms = 1, MZ = 0.1, L1 = 0.2, L2 = 0.2, L = 0.4, ks = 100, g0 = 9.81;
  constexpr double Mz = 2. / 5 * m * radius * radius, Mx = Mz + (L1 + L2) * (L1 + L2) * m, My = Mx;
  // The spring's length at rest, such that the start would be an equilibrium without rotation.
  const double Ls = L - 2 * ((L1 + L2) / L1) * ((L - L1 * std::cos(theta0)) / (L * ks)) * m * g0 - Ms * g0 / ks;

  for (const Ball& ball : {one, two}) {
    shaft.hamiltonian([=](const auto& at) {
      return (sqr(at[ball.px]) / Mx + sqr(at[ball.py]) / My + sqr(at[ball.pz]) / Mz) / 2 -
             (L1 + L2) * m * g0 * cos(at[ball.q]);
    });
    shaft.structure([=](const auto& at, auto& J) {
      J(ball.px, ball.py) = -at[ball.pz];
      J(ball.py, ball.px) = at[ball.pz];
      J(ball.px, ball.pz) = at[ball.py];
      J(ball.pz, ball.px) = -at[ball.py];
      J(ball.py, ball.pz) = -at[ball.px];
      J(ball.pz, ball.py) = at[ball.px];
      J(ball.px, ball.q) = -1;
      J(ball.q, ball.px) = 1;
    });
  }
  shaft.hamiltonian([=](const auto& at) {
    return sqr(at[pZ]) / (2 * MZ) + sqr(at[ps]) / (2 * Ms) + ks * sqr(L - Ls - at[qs]) / 2 + Ms * g0 * at[qs] +
           2 * m * g0 * L;
  });
  shaft.structure([=](const auto&, auto& J) {
    J(ps, qs) = -1;
    J(qs, ps) = 1;
  });
  shaft.dissipation([=](const auto& at, auto& R) { R(pZ, pZ) = at[friction]; });
  shaft.input([=](const auto& at, auto& d) { d[pZ] += at[torque]; });
  for (const auto& [ball, number] : {std::pair{one, "1"}, std::pair{two, "2"}}) {
    const Ball b = ball;
    const std::string name = std::string("ball ") + number;
    shaft.constraint(name + " lifts the collar", [=](const auto& at, auto& c) {
      c[b.px] = -1;
      c[ps] = 1 / (L1 * sin(at[b.q])) - cos(at[b.q]) / (sin(at[b.q]) * (L - at[qs]));  // dq/ds at constant rod length
    });
    shaft.constraint(name + " turns across its arm", [=](const auto& at, auto& c) {
      c[b.py] = -1;
      c[pZ] = sin(at[b.q]);
    });
    shaft.constraint(name + " turns about its arm", [=](const auto& at, auto& c) {
      c[b.pz] = -1;
      c[pZ] = cos(at[b.q]);
    });
  }
  shaft.energy();
  shaft.observable("rod", [=](const auto& at) {
    const auto length = [](double q, double s) {
      return std::sqrt(L1 * L1 + (L - s) * (L - s) - 2 * L1 * (L - s) * std::cos(q));
    };
    return length(theta0, 0) - length(at[qx1], at[qs]);
  });
  // Seen from a frame that turns with the shaft, the pivot at the origin.
  using namespace shapes;
  Picture governor_picture{Rod{{0, 0.05}, {0, -0.55}, 0.01}, Disk{{0, 0}, 0.012},
                           Box{{0, [=](const auto& at) { return at[qs] - L; }}, {0.06, 0.03, 0.06}},
                           Spring{{0, [=](const auto& at) { return at[qs] - L; }}, {0, -0.55}}};
  for (const auto& [ball, side] : {std::pair{one, -1.0}, std::pair{two, 1.0}}) {
    const auto on_arm = [q = ball.q, side = side](double far) {
      return Place{[=](const auto& at) { return side * far * sin(at[q]); },
                   [=](const auto& at) { return -far * cos(at[q]); }};
    };
    governor_picture.add(Rod{{0, 0}, on_arm(L1 + L2), 0.008});
    governor_picture.add(Disk{on_arm(L1 + L2), radius});
    governor_picture.add(Rod{on_arm(L1), {0, [=](const auto& at) { return at[qs] - L; }}, 0.006});
  }
  shaft.picture(governor_picture);

  const auto reference = known_at(
      shaft, {{0.1, governor({0.0207656540364776, 0.24074512834127076, 0.000370276203331675}, 0.42411862154098845,
                             0.0572930363955536, 0.7925056313004475, 0.0015590119136173024)},
              {0.5, governor({0.08820921044286986, 0.6342190727375965, 8.300816965846459e-05}, 0.7984395961370515,
                             0.23753077066091824, 1.4870966582161627, 0.16615639900663523)},
              {1, governor({0.16126171170450565, 0.7254572717872068, 0.00036977783686468135}, 0.9574511816018477,
                           0.4906810140137863, 1.255001819900248, 0.1126721694702434)},
              {2, governor({-0.12728802471889242, 0.7788754527133482, 0.0004011541781232051}, 1.0289928398882722,
                           -0.38764309271318365, 1.2519203366844367, 0.11192445281266816)},
              {5, governor({-0.07441169572748506, 0.7765939976945896, 0.0002643198566573267}, 0.9971742806071942,
                           -0.21765756842295034, 1.355992802941757, 0.13673272275463738)},
              {10, governor({-0.02754855196277373, 0.7747628460285767, 0.00033378660930760424}, 1.0083418930666983,
                            -0.08253836126483047, 1.3013535415148607, 0.12383223040416994)},
              {30, governor({0.0004614406061024916, 0.7720787762523517, 0.00030781960987259706}, 0.9997226356259411,
                            0.0013718665549500297, 1.3205917068979887, 0.1284093225026088)}});
  return {.summary = "flyball governor: two balls, shaft and collar, six constraints; rod = error of the rod's length",
          .kind = "port-Hamiltonian, index 2",
          .source = "Koenders, thesis, University of Twente (2002), section 5.3, misprints corrected",
          .system = shaft,
          .end = 30,
          .plot = "t,qs",
          .known_by = "two degrees of freedom as an ODE: 80-bit Fehlberg 8; t = 0.1, 0.5, 1, 2, 5, 10 and 30",
          .reference = reference};
}

}  // namespace pawl::problems
