#include <array>
#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// With u = ω t and k² = 1/2:  sin θ = cn u / dn² u,  cos θ = sn² u / (2 dn² u),  θ' = -ω sn u / dn u.
// sn, cn and dn by the arithmetic-geometric mean; Abramowitz and Stegun, 16.4 and 17.6.
Swing released_horizontally(Real frequency, Real t) {
  constexpr std::size_t levels = 7;
  std::array<Real, levels> a{1}, c{std::sqrt(0.5L)};
  Real b = std::sqrt(0.5L);
  for (std::size_t i = 1; i < levels; ++i) {
    a[i] = (a[i - 1] + b) / 2;
    c[i] = (a[i - 1] - b) / 2;
    b = std::sqrt(a[i - 1] * b);
  }
  const Real quarter = std::acos(0.0L) / a.back();  // of the period of sn
  Real phase = std::ldexp(a.back() * std::remainder(frequency * t, 4 * quarter), levels - 1);
  for (std::size_t i = levels - 1; i > 0; --i) phase = (phase + std::asin(c[i] / a[i] * std::sin(phase))) / 2;
  const Real sn = std::sin(phase), cn = std::cos(phase), dn = std::sqrt(1 - sn * sn / 2);
  return {cn / (dn * dn), sn * sn / (2 * dn * dn), -frequency * sn / dn};
}

// A point mass at the end of a massless rod, y up. The multiplier is the force in the rod divided by its length.
Problem cartesian_pendulum() {
  Mechanics pendulum("cartesian-pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  const auto m = pendulum.parameter("mass", 1), l = pendulum.parameter("length", 1),
             g = pendulum.parameter("gravity", 9.81);
  pendulum.start([=](Start& at) { at[x] = at[l]; });
  pendulum.mass(x, m);
  pendulum.mass(y, m);
  pendulum.potential([=](const auto& at) { return at[m] * at[g] * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - sqr(at[l])) / 2; });
  pendulum.energy();
  using namespace shapes;
  pendulum.picture({Rod{{0, 0}, {x, y}}, Disk{{x, y}, 0.08}, Disk{{0, 0}, 0.03}, Trace{{x, y}, 1}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const Real length = values[l], gravity = values[g];
    Values expected(pendulum);
    expected[l] = values[l];
    if (!(length > 0 && gravity > 0 && values[m] > 0) || values.start() != expected.start()) return std::nullopt;
    const Swing now = released_horizontally(std::sqrt(gravity / length), t);
    std::vector<double> state;
    for (const Real part : {now.sine, now.cosine * now.rate, -now.cosine, now.sine * now.rate})
      state.push_back(static_cast<double>(length * part));
    return state;
  };
  return {.summary = "pendulum in Cartesian coordinates, released horizontally (try --stop 1000)",
          .kind = "constrained mechanics, index 3",
          .source = "Petzold, Physica D 60 (1992) 269; Hairer, Wanner, Solving ODE II, 2nd ed. (1996), VII.1",
          .system = pendulum,
          .end = 10,
          .plot = "x,y",
          .known_by = "closed form: elliptic functions",
          .reference = reference};
}

}  // namespace pawl::problems
