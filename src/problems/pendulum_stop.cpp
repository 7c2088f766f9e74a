#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"
#include "problems/quadrature.hpp"

namespace pawl::problems {

namespace {

// θ'' = -Ω² sin θ, θ from the downward vertical, above a stop at θ = a. A flight that leaves the stop with the speed w
// reaches the angle b, sin²(b/2) = sin²(a/2) + (w / 2Ω)², and with sin(θ/2) = sin(b/2) sin φ it lasts
//   2/Ω ∫ dφ / sqrt(1 - sin²(b/2) sin²φ)   from  φ = π/2 - asin(w / (2 Ω sin(b/2)))  to π/2.
struct Bounces {
  Real frequency, stop, restitution, release;  // Ω, the angles of the stop and of the start

  Real half_flight(Real speed) const {
    const Real k = std::hypot(std::sin(stop / 2), speed / (2 * frequency)),
               reach = std::asin(speed / (2 * frequency * k));
    return integral([k](Real u) { return 1 / std::sqrt(1 - k * k * std::cos(u) * std::cos(u)); }, 0, reach) / frequency;
  }
  Real first_speed() const { return frequency * std::sqrt(2 * (std::cos(stop) - std::cos(release))); }
  /// Times of the impacts whose flight lasts longer than `least`; the sum of all flights comes last.
  std::vector<Real> times(Real least) const {
    std::vector<Real> all;
    Real speed = first_speed(), t = half_flight(speed);
    for (;;) {
      speed *= restitution;
      const Real flight = 2 * half_flight(speed);
      if (flight > least) all.push_back(t);
      if (t + flight == t) break;
      t += flight;
    }
    all.push_back(t);
    return all;
  }
};

}  // namespace

// A point mass at the end of a massless rod, y up, released horizontally; a wall stops it on its way down, and it comes
// to rest against the wall after infinitely many bounces.
Problem pendulum_stop() {
  Mechanics pendulum("pendulum-stop");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  const auto l = pendulum.parameter("length", 1), g = pendulum.parameter("gravity", 9.81),
             e = pendulum.parameter("restitution", 0.6), wall = pendulum.parameter("wall", 0.5);
  pendulum.start([=](Start& at) { at[x] = at[l]; });
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return at[g] * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - sqr(at[l])) / 2; });
  const Contact stop = pendulum.contact("stop", [=](const auto& at) { return at[x] - at[wall]; }, {.restitution = e});
  pendulum.energy();
  using namespace shapes;
  pendulum.picture({Rod{{0, 0}, {x, y}}, Disk{{x, y}, 0.06}, Disk{{0, 0}, 0.03}, Wall{{wall, -1.1}, {wall, -0.6}},
                    Trace{{x, y}, 0.5}, Touch{stop, {x, y}, Place{1, 0}}});
  pendulum.impact_loss();

  const auto bounces_of = [=](const Values& values) -> std::optional<Bounces> {
    Values expected(pendulum);
    for (const Parameter p : {l, g, e, wall}) expected[p] = values[p];
    if (!(values[l] > 0 && values[g] > 0 && values[wall] > 0 && values[wall] < values[l] && values[e] < 1) ||
        values.start() != expected.start())
      return std::nullopt;
    return Bounces{std::sqrt(Real(values[g]) / values[l]), std::asin(Real(values[wall]) / values[l]), values[e],
                   std::acos(Real(0))};
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto bounces = bounces_of(values);
    if (!bounces || t < bounces->times(0).back()) return std::nullopt;  // at rest
    const Real length = values[l];
    return std::vector{values[wall], 0.0, static_cast<double>(-length * std::cos(bounces->stop)), 0.0};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto bounces = bounces_of(values);
    if (!bounces) return std::nullopt;
    std::vector<double> times;
    for (const Real t : bounces->times(1e-6L)) {
      if (t <= end) times.push_back(static_cast<double>(t));
    }
    return times;
  };
  return {.summary = "pendulum in Cartesian coordinates that falls against a wall and comes to rest there",
          .kind = "mechanics with contact",
          .source = "Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996); data of pawl",
          .system = pendulum,
          .end = 3,
          .plot = "t,x",
          .known_by = "elliptic integrals",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
