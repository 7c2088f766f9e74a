#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl::problems {

namespace {

// θ, pJ, px, py from rest at θ = 0 with gravity 9.81, r = M = 1.
struct KnownPoint {
  double inertia, friction, t;
  std::vector<double> state;
};
const std::vector<KnownPoint>& known_points() {
  static const std::vector<KnownPoint> all{
      {0.1, 0.1, 0.5, {1.0557223316079094, 0.38723620308476864, -3.3699473552834833, 1.9075226133833052}},
      {0.1, 0.1, 1, {2.81095625447442, 0.20264877380049198, -0.6578891588111729, -1.9167249168837515}},
      {0.1, 0.1, 2, {0.9831270857539475, -0.3448514915790263, 2.8699753777031924, -1.9119352645435825}},
      {0.1, 0.1, 5, {0.5256339765458125, 0.17191933370612233, -0.8626250258664626, 1.4871125696949072}},
      {0.1, 0.1, 10, {1.8186911511115121, 0.2632510772075887, -2.5520378217746655, -0.6459225350823469}},
      {1, 1, 0.5, {0.5585854672438656, 2.0949229269802503, -1.1102823295557185, 1.776506464571358}},
      {1, 1, 1, {1.7955201726828662, 2.383950917662195, -2.3240080968292363, -0.5312328526122738}},
      {1, 1, 2, {2.303230775145046, -1.3530379837302744, 1.006049682717355, 0.9047518009494069}},
      {1, 1, 5, {1.8690882998553067, -0.7430451109347856, 0.7102321287362053, 0.21837206825719782}},
      {1, 1, 10, {1.6551735027742684, 0.17292288922741797, -0.17230769141792132, -0.01457343806328017}}};
  return all;
}

}  // namespace

// A rod of inertia J that turns about the origin, θ from the horizontal x axis, y down, and a point mass at its end
// with momenta of its own; two constraints hold it there. (J + M r²) θ'' = M g r cos θ - R θ'.
Problem ph_pendulum() {
  PortHamiltonian pendulum("ph-pendulum");
  const auto theta = pendulum.state("theta", 0), pJ = pendulum.state("pJ", 0), px = pendulum.state("px", 0),
             py = pendulum.state("py", 0);
  const auto inertia = pendulum.parameter("J", 0.1), mass = pendulum.parameter("M", 1), r = pendulum.parameter("r", 1),
             friction = pendulum.parameter("R", 0.1), gravity = pendulum.parameter("gravity", 9.81);
  pendulum.hamiltonian([=](const auto& at) {
    return sqr(at[pJ]) / (2 * at[inertia]) + (sqr(at[px]) + sqr(at[py])) / (2 * at[mass]) -
           at[mass] * at[gravity] * at[r] * sin(at[theta]);
  });
  pendulum.structure([=](const auto&, auto& J) {
    J(theta, pJ) = 1;
    J(pJ, theta) = -1;
  });
  pendulum.dissipation([=](const auto& at, auto& R) { R(pJ, pJ) = at[friction]; });
  pendulum.constraint("end x", [=](const auto& at, auto& c) {
    c[pJ] = at[r] * sin(at[theta]);
    c[px] = 1;
  });
  pendulum.constraint("end y", [=](const auto& at, auto& c) {
    c[pJ] = -at[r] * cos(at[theta]);
    c[py] = 1;
  });
  pendulum.energy();
  using namespace shapes;
  const Place end{[=](const auto& at) { return at[r] * cos(at[theta]); },
                  [=](const auto& at) { return -at[r] * sin(at[theta]); }};  // weight pulls towards larger angles
  pendulum.picture({Rod{{0, 0}, end}, Disk{end, 0.08}, Disk{{0, 0}, 0.03}, Trace{end, 1}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    Values expected(pendulum);
    expected[inertia] = values[inertia];
    expected[friction] = values[friction];
    if (values.parameters() != expected.parameters() || values.start() != expected.start()) return std::nullopt;
    for (const KnownPoint& known : known_points()) {
      if (known.inertia == values[inertia] && known.friction == values[friction] && known.t == t) return known.state;
    }
    return std::nullopt;
  };
  return {.summary = "a pendulum as energies and ports: a turning rod, a point mass, two constraints between them",
          .kind = "port-Hamiltonian, index 2",
          .source =
              "Koenders, thesis, University of Twente (2002), section 4.4 (J = R = 0.1) and appendix (J = R = 1), "
              "signs and factors corrected",
          .system = pendulum,
          .end = 10,
          .plot = "t,theta",
          .known_by = "its angle as an ODE: 80-bit Fehlberg 8; t = 0.5, 1, 2, 5 and 10",
          .reference = reference};
}

}  // namespace pawl::problems
