#include <cmath>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

namespace {

// n uniform rods, together of length and mass 1, hinged end to end and to the origin; each by its centre and its angle
// from the x axis, y up. Released at rest along the x axis.
System chain_of(int n) {
  Mechanics chain("chain");
  const double length = 1. / n, m = 1. / n, inertia = m * sqr(length) / 12;
  const auto number = chain.parameter("n", n), g = chain.parameter("gravity", 9.81);
  std::vector<Coordinate> x, y, a;
  for (int i = 1; i <= n; ++i) {
    x.push_back(chain.coordinate(fmt::format("x{}", i), (i - 0.5) * length));
    y.push_back(chain.coordinate(fmt::format("y{}", i), 0));
    a.push_back(chain.coordinate(fmt::format("a{}", i), 0));
    chain.mass(x.back(), m);
    chain.mass(y.back(), m);
    chain.mass(a.back(), inertia);
  }
  chain.start([=](Start& at) {
    if (at[number] != n)
      throw Misuse(fmt::format(
          "this chain has {} links, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})", n, at[number]));
  });
  chain.force([=](const auto& at, auto& f) {
    for (const Coordinate height : y) f[height] -= m * at[g];
  });
  chain.constraint("joint1", [=, x = x[0], y = y[0], a = a[0]](const auto& at) {
    return std::array{at[x] - length / 2 * cos(at[a]), at[y] - length / 2 * sin(at[a])};
  });
  for (std::size_t i = 1; i < x.size(); ++i) {
    chain.constraint(fmt::format("joint{}", i + 1),
                     [=, x0 = x[i - 1], y0 = y[i - 1], a0 = a[i - 1], x1 = x[i], y1 = y[i], a1 = a[i]](const auto& at) {
                       return std::array{at[x1] - at[x0] - length / 2 * (cos(at[a0]) + cos(at[a1])),
                                         at[y1] - at[y0] - length / 2 * (sin(at[a0]) + sin(at[a1]))};
                     });
  }
  if (n <= 200) {
    using namespace shapes;
    Picture picture;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto end_x = [=, x = x[i], a = a[i]](double side) {
        return [=](const auto& at) { return at[x] + side * length / 2 * cos(at[a]); };
      };
      const auto end_y = [=, y = y[i], a = a[i]](double side) {
        return [=](const auto& at) { return at[y] + side * length / 2 * sin(at[a]); };
      };
      picture.add(Rod{{end_x(-1), end_y(-1)}, {end_x(1), end_y(1)}, length / 5});
      if (i + 1 == x.size()) picture.add(Trace{{end_x(1), end_y(1)}, 0.4});
    }
    chain.picture(picture);
  }
  chain.observable("energy", [=](const Point<double>& at) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += m * (at[g] * at[y[i]] + (sqr(at[dot(x[i])]) + sqr(at[dot(y[i])])) / 2) + inertia * sqr(at[dot(a[i])]) / 2;
    return sum;
  });
  return chain;
}

// One link is a compound pendulum: θ'' = -3 g sin θ / 2.
std::vector<double> one_link(Real gravity, Real t) {
  const Swing now = released_horizontally(std::sqrt(3 * gravity / 2), t);
  const Real x = now.sine / 2, y = -now.cosine / 2;
  std::vector<double> state;
  for (const Real part : {x, -y * now.rate, y, x * now.rate, std::atan2(y, x), now.rate})
    state.push_back(static_cast<double>(part));
  return state;
}

}  // namespace

Problem chain() {
  const auto reference = [](const Values& values, double t) -> std::optional<std::vector<double>> {
    static const System link = chain_of(1);
    constexpr Parameter n{0}, gravity{1};
    if (values[n] != 1 || values.start() != Values(link).start() || !(values[gravity] > 0)) return std::nullopt;
    return one_link(values[gravity], t);
  };
  const auto build = [](const Assignments& assignments) {
    const auto n = assignments.find("n");
    const double number = n == assignments.end() ? 10 : n->second;
    if (!(number >= 1 && number <= 100000 && number == std::floor(number)))
      throw Misuse(
          fmt::format("chain: n = {:g} is no number of links: allowed are whole numbers from 1 to 100000", number));
    return chain_of(static_cast<int>(number));
  };
  return {.summary = "a chain of n hinged rods (10; try --set n=1000) falls from the horizontal",
          .kind = "constrained mechanics, index 3, sparse",
          .source = "the usual scaling test of multibody codes; data of pawl",
          .system = chain_of(10),
          .end = 1,
          .plot = "x1,y1",
          .known_by = "closed form for n = 1: elliptic functions",
          .reference = reference,
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
