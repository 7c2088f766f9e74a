#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

// A rod of mass 1 and length 2 slides with its lower end to the left over a rough floor, leaning to the right by `tilt`
// from the floor. With a normal force N the end accelerates upward by p N + b,
//   p = 1 + 3 cos θ (cos θ - μ sin θ),   b = ω² sin θ - g.
// Where p < 0, which needs μ > 4/3, no N stops an approach (b < 0), or two motions are possible (b > 0).
Problem painleve_rod() {
  Mechanics rod("painleve-rod");
  const auto x = rod.coordinate("x", 0, -5), y = rod.coordinate("y", 0.5), a = rod.coordinate("angle", 0.5);
  const auto g = rod.parameter("gravity", 9.81), mu = rod.parameter("friction", 1.5), tilt = rod.parameter("tilt", 0.7),
             spin = rod.parameter("spin", 2), slide = rod.parameter("slide", 5);
  rod.start([=](Start& at) {
    at[a] = at[tilt];
    at[dot(a)] = at[spin];
    at[y] = std::sin(at[tilt]);
    at[dot(y)] = std::cos(at[tilt]) * at[spin];
    at[dot(x)] = -at[slide] - std::sin(at[tilt]) * at[spin];
  });
  for (const auto q : {x, y}) rod.mass(q, 1.0);
  rod.mass(a, 1. / 3);
  rod.potential([=](const auto& at) { return at[g] * at[y]; });
  const Contact floor = rod.contact(
      "floor", [=](const auto& at) { return at[y] - sin(at[a]); },
      [=](const auto& at) { return at[dot(x)] + sin(at[a]) * at[dot(a)]; }, {.friction = mu});
  rod.energy();
  using namespace shapes;
  const Place foot{[=](const auto& at) { return at[x] - cos(at[a]); },
                   [=](const auto& at) { return at[y] - sin(at[a]); }};
  const Place head{[=](const auto& at) { return at[x] + cos(at[a]); },
                   [=](const auto& at) { return at[y] + sin(at[a]); }};
  rod.picture({Rod{foot, head, 0.06}, Wall{{-4, 0}, {2, 0}}, Touch{floor, foot, Place{0, 1}}});
  rod.friction_work();
  rod.impact_loss();
  return {
      .summary = "rod sliding on a rough floor into a position where rigid bodies have no motion: the run stops there",
      .kind = "mechanics with contact",
      .source =
          "Painlevé, Comptes Rendus 121 (1895) 112; Génot, Brogliato, European Journal of Mechanics A 18 (1999) 653",
      .system = rod,
      .end = 1,
      .plot = "t,angle",
      .known_by = "signs of p and b",
      .reference = [](const Values&, double) { return std::nullopt; }};
}

}  // namespace pawl::problems
