#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"
#include "problems/quadrature.hpp"

namespace pawl::problems {

namespace {

// On a sphere of radius R, at the angle θ from its top, w = v² / (g R) obeys  w' = 2 sin θ - 2 μ (cos θ - w), which is
// linear. The particle leaves where w = cos θ.
struct Slide {
  Real friction, start;  // μ and w at the top

  Real squared_speed(Real angle) const {
    const Real a = (4 * friction * friction - 2) / (1 + 4 * friction * friction),
               b = -6 * friction / (1 + 4 * friction * friction);
    return (start - a) * std::exp(2 * friction * angle) + a * std::cos(angle) + b * std::sin(angle);
  }
  // The angle of release; none if friction stops the particle before, or if it is too fast to stay at all.
  std::optional<Real> release() const {
    if (!(start > 0 && start < 1)) return std::nullopt;
    constexpr Real step = 1e-3L;
    Real angle = 0;
    for (; squared_speed(angle) < std::cos(angle); angle += step) {
      if (squared_speed(angle) <= 0) return std::nullopt;
    }
    return zero_between([this](Real x) { return squared_speed(x) - std::cos(x); }, angle - step, angle);
  }
};

}  // namespace

// A particle of mass 1 starts on top of a fixed sphere; x to the side, y up.
Problem sphere_top() {
  Mechanics particle("sphere-top");
  const auto x = particle.coordinate("x", 0, 1), y = particle.coordinate("y", 1);
  const auto r = particle.parameter("radius", 1), g = particle.parameter("gravity", 9.81),
             mu = particle.parameter("friction", 0.2), v = particle.parameter("speed", 1);
  particle.start([=](Start& at) {
    at[y] = at[r];
    at[dot(x)] = at[v];
  });
  for (const auto q : {x, y}) particle.mass(q, 1.0);
  particle.potential([=](const auto& at) { return at[g] * at[y]; });
  const Contact surface = particle.contact(
      "sphere", [=](const auto& at) { return sqrt(sqr(at[x]) + sqr(at[y])) - at[r]; },
      [=](const auto& at) { return (at[y] * at[dot(x)] - at[x] * at[dot(y)]) / sqrt(sqr(at[x]) + sqr(at[y])); },
      {.friction = mu});
  particle.energy();
  using namespace shapes;
  particle.picture({Disk{{0, 0}, r}, Disk{{x, y}, 0.05}, Trace{{x, y}, 2}, Touch{surface, {x, y}, Place{x, y}}});
  particle.friction_work();

  const auto slide_of = [=](const Values& values) -> std::optional<Slide> {
    Values expected(particle);
    for (const Parameter p : {r, g, mu, v}) expected[p] = values[p];
    if (!(values[r] > 0 && values[g] > 0) || values.start() != expected.start()) return std::nullopt;
    return Slide{values[mu], Real(values[v]) * values[v] / (Real(values[g]) * values[r])};
  };
  const auto time_to = [=](const Values& values, const Slide& slide, Real angle) {
    return std::sqrt(Real(values[r]) / values[g]) *
           integral([&](Real at) { return 1 / std::sqrt(slide.squared_speed(at)); }, 0, angle, 64);
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto slide = slide_of(values);
    const auto release = slide ? slide->release() : std::nullopt;
    if (!release || t < 0) return std::nullopt;
    const Real radius = values[r], gravity = values[g];
    const Real flight = std::max(t - time_to(values, *slide, *release), Real(0));
    const Real angle =
        flight > 0 ? *release : zero_between([&](Real at) { return time_to(values, *slide, at) - t; }, 0, *release);
    const Real w = slide->squared_speed(angle), speed = std::sqrt(w * gravity * radius);
    const Real vx = speed * std::cos(angle), vy = -speed * std::sin(angle);
    const Real work = gravity * radius * (1 - std::cos(angle)) + (slide->start - w) * gravity * radius / 2;
    std::vector<double> state;
    for (const Real part :
         {radius * std::sin(angle) + vx * flight, vx,
          radius * std::cos(angle) + vy * flight - gravity * flight * flight / 2, vy - gravity * flight, work})
      state.push_back(static_cast<double>(part));
    return state;
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto slide = slide_of(values);
    const auto release = slide ? slide->release() : std::nullopt;
    if (!release) return std::nullopt;
    const auto t = static_cast<double>(time_to(values, *slide, *release));
    return t <= end ? std::vector{t} : std::vector<double>{};
  };
  return {.summary = "particle sliding down a sphere, which it leaves",
          .kind = "mechanics with contact",
          .source = "Goldstein, Classical Mechanics; with friction: Mungan, The Physics Teacher 41 (2003) 326",
          .system = particle,
          .end = 1,
          .plot = "x,y",
          .known_by = "closed form and one quadrature",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
