#include <array>
#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

using Plane = std::array<Real, 2>;

// Mass 1, inertia 2/5 r². The slip u = v + ω × (0, 0, -r) obeys u' = F + 7/2 f under a force F at the centre and the
// friction f. Without F it slides straight until t = 2 |u| / (7 μ g); rolling, f = -2/7 F, until that reaches μ g.
struct Motion {
  Real radius, grip, push_rate, push_angle;
  Plane speed;               // of the centre at the start
  std::array<Real, 3> spin;  // at the start

  Plane slip() const { return {speed[0] - radius * spin[1], speed[1] + radius * spin[0]}; }
  Real rolls_at() const { return 2 * std::hypot(slip()[0], slip()[1]) / (7 * grip); }
  Real slips_at() const { return 3.5L * grip / push_rate; }

  // Once and twice integrated from the start to t, along one axis.
  struct Integral {
    Real once = 0, twice = 0;
    void add(Real from, Real to, Real end, Real constant, Real slope) {  // force constant + slope (t - from)
      const Real s = std::min(to, end) - from;
      if (s <= 0) return;
      const Real gained = constant * s + slope * s * s / 2;
      twice += constant * s * s / 2 + slope * s * s * s / 6 + gained * (end - from - s);
      once += gained;
    }
  };
  std::vector<double> state_at(Real t) const {
    const Real size = std::hypot(slip()[0], slip()[1]);
    const Plane push{std::cos(push_angle), std::sin(push_angle)};
    std::array<Real, 6> place{0, 0, radius, 0, 0, 0}, rate{};
    for (std::size_t i = 0; i < 2; ++i) {
      Integral force, friction;
      if (size > 0) {
        friction.add(0, rolls_at(), t, -grip * slip()[i] / size, 0);
      } else if (push_rate > 0) {
        friction.add(0, slips_at(), t, 0, -push_rate * push[i] * 2 / 7);
        friction.add(slips_at(), std::max(t, slips_at()), t, -grip * push[i], 0);
        force.add(0, t, t, 0, push_rate * push[i]);
      }
      place[i] = speed[i] * t + force.twice + friction.twice;
      rate[i] = speed[i] + force.once + friction.once;
      // The torque -r e_z × f: friction along x turns about -y, along y about x.
      const std::size_t axis = i == 0 ? 4 : 3;
      const Real turn = (i == 0 ? -1 : 1) * 2.5L / radius;
      place[axis] = spin[axis - 3] * t + turn * friction.twice;
      rate[axis] = spin[axis - 3] + turn * friction.once;
    }
    place[5] = spin[2] * t;
    rate[5] = spin[2];
    const Real first = std::min(t, rolls_at()), second = push_rate > 0 ? std::max(t - slips_at(), Real(0)) : 0;
    const Real work = grip * (size * first - 1.75L * grip * first * first + push_rate * second * second * second / 6);
    std::vector<double> state;
    for (std::size_t i = 0; i < 6; ++i) {
      state.push_back(static_cast<double>(place[i]));
      state.push_back(static_cast<double>(rate[i]));
    }
    state.push_back(static_cast<double>(work));
    return state;
  }
};

}  // namespace

// A sphere on a plane slides until it rolls. With a start that rolls and with push_rate > 0 it is pushed at its centre,
// harder and harder, until it slips. Being a sphere it needs no attitude: its turns are the integrals of its angular
// velocity.
Problem rolling_sphere_slip() {
  Mechanics sphere("rolling-sphere-slip");
  constexpr double r0 = 0.5;
  const auto x = sphere.coordinate("x", 0, 3), y = sphere.coordinate("y", 0, 1), z = sphere.coordinate("z", r0),
             turn_x = sphere.coordinate("turn_x", 0, 2), turn_y = sphere.coordinate("turn_y", 0, -1),
             turn_z = sphere.coordinate("turn_z", 0, 1);
  const auto r = sphere.parameter("radius", r0), g = sphere.parameter("gravity", 9.81),
             mu = sphere.parameter("friction", 0.2), rate = sphere.parameter("push_rate", 0),
             angle = sphere.parameter("push_angle", 2);
  sphere.start([=](Start& at) { at[z] = at[r]; });
  for (const auto q : {x, y, z}) sphere.mass(q, 1.0);
  for (const auto q : {turn_x, turn_y, turn_z})
    sphere.mass([=](const auto& at, auto& M) { M(q, q) = 0.4 * sqr(at[r]); });
  sphere.potential([=](const auto& at) { return at[g] * at[z]; });
  sphere.force([=](const auto& at, auto& f) {
    f[x] += at[rate] * at.t * std::cos(at[angle]);
    f[y] += at[rate] * at.t * std::sin(at[angle]);
  });
  const Contact plane = sphere.contact(
      "plane", [=](const auto& at) { return at[z] - at[r]; },
      [=](const auto& at) {
        return std::array{at[dot(x)] - at[r] * at[dot(turn_y)], at[dot(y)] + at[r] * at[dot(turn_x)]};
      },
      {.friction = mu});
  sphere.friction_work();
  using namespace shapes;
  sphere.picture(
      {Sphere{{x, y, z}, r}, Floor{{1.2, 0.4, 0}, 4}, Trace{{x, y, 0}, 2}, Touch{plane, {x, y, 0}, Place{0, 0, 1}}});

  const auto motion_of = [=](const Values& values) -> std::optional<Motion> {
    const std::vector<double>& start = values.start();
    Values expected(sphere);
    for (const Parameter p : {r, g, mu, rate, angle}) expected[p] = values[p];
    for (const auto q : {x, y, turn_x, turn_y, turn_z}) expected[dot(q)] = values[dot(q)];
    if (start != expected.start() || !(values[mu] > 0 && values[g] > 0 && values[rate] >= 0)) return std::nullopt;
    const Motion motion{values[r],
                        Real(values[mu]) * values[g],
                        values[rate],
                        values[angle],
                        {values[dot(x)], values[dot(y)]},
                        {values[dot(turn_x)], values[dot(turn_y)], values[dot(turn_z)]}};
    if (motion.slip() != Plane{0, 0} && values[rate] > 0) return std::nullopt;
    return motion;
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion || t < 0) return std::nullopt;
    return motion->state_at(t);
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion) return std::nullopt;
    std::vector<double> times;
    const Real t = motion->push_rate > 0 ? motion->slips_at() : motion->rolls_at();
    if (t > 0 && t <= end) times.push_back(static_cast<double>(t));
    return times;
  };
  return {.summary =
              "sphere that slides until it rolls, or rolls until a push makes it slip (push_rate): friction in space",
          .kind = "mechanics with contact",
          .source =
              "Leine, van de Wouw, Stability and Convergence of Mechanical Systems with Unilateral Constraints (2008); "
              "data of pawl",
          .system = sphere,
          .end = 1,
          .plot = "x,y",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
