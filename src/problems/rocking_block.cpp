#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"
#include "problems/quadrature.hpp"

namespace pawl::problems {

namespace {

// Tilted by θ about a corner, r from the centre and α from the vertical through it: θ'' = -p² sin(α - θ), p² = 3 g / 4
// r. A rock that begins with the speed w turns at s0 = sin((α - θ)/2), s0² = sin²(α/2) - (w / 2p)², and with sin((α -
// θ)/2) = s0 cosh s it lasts  2/p ∫ ds / sqrt(1 - s0² cosh² s)  from 0 to asinh(w / (2 p s0)). Each impact leaves the
// share 1 - 3/2 sin² α of the speed (Housner).
struct Rocking {
  Real half_width, half_height, gravity, tilt;

  Real slope() const { return std::atan(half_width / half_height); }
  Real rate() const { return std::sqrt(0.75L * gravity / std::hypot(half_width, half_height)); }
  Real kept() const { return 1 - 1.5L * std::sin(slope()) * std::sin(slope()); }
  Real half_rock(Real speed) const {
    const Real p = rate(), s0 = std::sqrt(std::pow(std::sin(slope() / 2), 2) - std::pow(speed / (2 * p), 2));
    return integral([s0](Real s) { return 1 / std::sqrt(1 - std::pow(s0 * std::cosh(s), 2)); }, 0,
                    std::asinh(speed / (2 * p * s0))) /
           p;
  }
  Real first_speed() const { return rate() * std::sqrt(2 * (std::cos(slope() - tilt) - std::cos(slope()))); }
  std::vector<double> impacts(double end) const {
    std::vector<double> times;
    Real speed = first_speed(), t = half_rock(speed);
    while (static_cast<double>(t) <= end) {
      times.push_back(static_cast<double>(t));
      speed *= kept();
      const Real rock = 2 * half_rock(speed);
      if (rock < 1e-6L) break;
      t += rock;
    }
    return times;
  }
};

}  // namespace

// A slender block on two corners, tilted by 0.7 α and let go; both corners may stick, slip and lift off.
Problem rocking_block() {
  Mechanics block("rocking-block");
  constexpr double b = 0.25, h = 1;
  const auto x = block.coordinate("x", 0), y = block.coordinate("y", h), a = block.coordinate("angle", 0);
  const auto width = block.parameter("half_width", b), height = block.parameter("half_height", h),
             g = block.parameter("gravity", 9.81), mu = block.parameter("friction", 0.8),
             tilt = block.parameter("tilt", 0.7 * std::atan2(b, h));
  block.start([=](Start& at) {  // about the corner on the left, which is at x = -half_width
    at[a] = at[tilt];
    at[x] = -at[width] + at[width] * std::cos(at[tilt]) - at[height] * std::sin(at[tilt]);
    at[y] = at[width] * std::sin(at[tilt]) + at[height] * std::cos(at[tilt]);
  });
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.mass([=](const auto& at, auto& M) { M(a, a) = (sqr(at[width]) + sqr(at[height])) / 3; });
  block.potential([=](const auto& at) { return at[g] * at[y]; });
  const auto corner_of = [=](double side, double up) {
    return shapes::Place{
        [=](const auto& at) { return at[x] + side * at[width] * cos(at[a]) - up * at[height] * sin(at[a]); },
        [=](const auto& at) { return at[y] + side * at[width] * sin(at[a]) + up * at[height] * cos(at[a]); }};
  };
  Picture picture{shapes::Rod{corner_of(-1, -1), corner_of(1, -1)}, shapes::Rod{corner_of(1, -1), corner_of(1, 1)},
                  shapes::Rod{corner_of(1, 1), corner_of(-1, 1)}, shapes::Rod{corner_of(-1, 1), corner_of(-1, -1)},
                  shapes::Wall{{-3 * b, 0}, {3 * b, 0}}};
  for (const double side : {-1.0, 1.0}) {
    const auto gap = [=](const auto& at) { return at[y] + side * at[width] * sin(at[a]) - at[height] * cos(at[a]); };
    const auto slip = [=](const auto& at) {
      return at[dot(x)] + (at[height] * cos(at[a]) - side * at[width] * sin(at[a])) * at[dot(a)];
    };
    const Contact corner = block.contact(side < 0 ? "left corner" : "right corner", gap, slip, {.friction = mu});
    picture.add(shapes::Touch{corner, corner_of(side, -1), shapes::Place{0, 1}});
  }
  block.picture(picture);
  block.energy();
  block.friction_work();
  block.impact_loss();

  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    Values expected(block);
    for (const Parameter p : {width, height, g, mu, tilt}) expected[p] = values[p];
    const Rocking rocking{values[width], values[height], values[g], values[tilt]};
    const bool rocks = values[height] > 2 * values[width] && values[mu] >= 0.8 && values[tilt] > 0 &&
                       values[tilt] < rocking.slope() && values[g] > 0;  // slender, and the corners hold
    if (!rocks || values.start() != expected.start()) return std::nullopt;
    return rocking.impacts(end);
  };
  return {.summary = "block rocking on its two lower corners, each impact plastic",
          .kind = "mechanics with contact",
          .source = "Housner, Bulletin of the Seismological Society of America 53 (1963) 403",
          .system = block,
          .end = 6.3,
          .plot = "t,angle",
          .known_by = "quadrature, times of impacts",
          .reference = [](const Values&, double) { return std::nullopt; },
          .event_times = event_times};
}

}  // namespace pawl::problems
