#include <cmath>

#include <fmt/format.h>

#include "pawl/picture.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

// n balls of radius r in the plane, above a floor z = 0 and between walls x = ±jar. What overlaps by p > 0 is pushed
// apart with k p + c p'. Only contacts that hold are visited.
System jar_with(int n) {
  System jar("marble-jar");
  std::vector<double> x0, z0;
  for (int i = 0; i < n; ++i) {
    x0.push_back(0.02 * std::sin(1.7 * i + 0.3));
    z0.push_back(0.1655 + 0.1 * i);
  }
  const std::vector<double> at_rest(static_cast<std::size_t>(n), 0.0);
  const auto x = jar.states("x", x0), z = jar.states("z", z0), vx = jar.states("vx", at_rest),
             vz = jar.states("vz", at_rest);
  const auto number = jar.parameter("n", n), c = jar.parameter("c", 0.3), k = jar.parameter("k", 2e4),
             m = jar.parameter("mass", 0.005), r = jar.parameter("radius", 0.008), wall = jar.parameter("jar", 0.04),
             g = jar.parameter("gravity", 9.81);
  jar.start([=](Start& at) {
    if (at[number] != n) {
      throw Misuse(
          fmt::format("this marble-jar has {} balls, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})", n,
                      at[number]));
    }
  });

  std::vector<Pair> pairs, singles;
  for (int i = 0; i < n; ++i) {
    singles.push_back({i, i});
    for (int j = i + 1; j < n; ++j) pairs.push_back({i, j});
  }
  const auto between = [=](const auto& at, int i, int j) {
    return 2 * at[r] - sqrt(sqr(at[x[i]] - at[x[j]]) + sqr(at[z[i]] - at[z[j]]));
  };
  const auto with_floor = [=](const auto& at, int i, int) { return at[r] - at[z[i]]; };
  const auto with_wall = [=](const auto& at, int i, int) { return abs(at[x[i]]) - (at[wall] - at[r]); };
  const auto colliding = jar.condition_family("balls touch", pairs, between);
  const auto on_floor = jar.condition_family("ball on floor", singles, with_floor);
  const auto at_wall = jar.condition_family("ball at wall", singles, with_wall);

  jar.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < n; ++i) {
      d[x[i]] = at[vx[i]];
      d[z[i]] = at[vz[i]];
      d[vx[i]] = 0;
      d[vz[i]] = -at[g];
    }
    for (const auto [i, j] : at[colliding]) {
      const auto dx = at[x[i]] - at[x[j]], dz = at[z[i]] - at[z[j]], distance = sqrt(sqr(dx) + sqr(dz));
      const auto nx = dx / distance, nz = dz / distance;  // from j to i
      const auto parting = nx * (at[vx[i]] - at[vx[j]]) + nz * (at[vz[i]] - at[vz[j]]);
      const auto push = (at[k] * (2 * at[r] - distance) - at[c] * parting) / at[m];
      d[vx[i]] += push * nx;
      d[vz[i]] += push * nz;
      d[vx[j]] -= push * nx;
      d[vz[j]] -= push * nz;
    }
    for (const Pair ball : at[on_floor])
      d[vz[ball.i]] += (at[k] * with_floor(at, ball.i, 0) - at[c] * at[vz[ball.i]]) / at[m];
    for (const Pair ball : at[at_wall]) {
      const auto outward = at[x[ball.i]] / abs(at[x[ball.i]]);
      d[vx[ball.i]] -= (at[k] * with_wall(at, ball.i, 0) * outward + at[c] * at[vx[ball.i]]) / at[m];
    }
  });
  using namespace shapes;
  const Number right = wall;
  const Number left = [=](const auto& at) { return -at[wall]; };
  Picture picture{Wall{{left, 0}, {right, 0}}, Wall{{left, 0.3}, {left, 0}}, Wall{{right, 0}, {right, 0.3}}};
  for (int i = 0; i < n; ++i) picture.add(Disk{{x[i], z[i]}, r});
  jar.picture(picture);
  jar.observable("energy", [=](const auto& at) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += at[m] * (at[g] * at[z[i]] + (sqr(at[vx[i]]) + sqr(at[vz[i]])) / 2);
    for (const auto [i, j] : at[colliding]) sum += at[k] * sqr(between(at, i, j)) / 2;
    for (const Pair ball : at[on_floor]) sum += at[k] * sqr(with_floor(at, ball.i, 0)) / 2;
    for (const Pair ball : at[at_wall]) sum += at[k] * sqr(with_wall(at, ball.i, 0)) / 2;
    return sum;
  });
  return jar;
}

// Two balls, before their motion becomes chaotic: 9 digits without damping, 8 with c = 0.3.
std::optional<std::vector<double>> two_balls(double c, double t) {
  struct Known {
    double c, t;
    std::vector<double> state;
  };
  static const std::vector<Known> all{
      {0,
       0.5,
       {-0.01424823173062065, -0.009848120939119773, 0.23458535272466283, 0.10461488554047543, -0.8769976430212348,
        0.8769976430212348, -0.2432559515231079, -0.4513182198371472}},
      {0,
       1,
       {-0.004896039492620908, 0.02899239216236133, 0.19741672456275738, 0.10373219246620408, 0.8769976430212347,
        -0.8769976430212347, -0.8879312712637152, 0.47011336257776765}},
      {0.3,
       0.5,
       {-0.012867854049869652, 0.03186657267956358, 0.09886251371725026, 0.18605002689169098, 0.4435759941216028,
        0.4649818302539533, -0.41297619101681277, -0.4013588956733039}},
      {0.3,
       1,
       {0.0007631450772085654, 0.017398016501654963, 0.0961009571245909, 0.06857137290509678, 0.18488064459720105,
        -0.18488064459720105, -1.4668074765132777, -0.31885968849698926}}};
  for (const Known& known : all) {
    if (known.c == c && known.t == t) return known.state;
  }
  return std::nullopt;
}

}  // namespace

Problem marble_jar() {
  const auto reference = [](const Values& values, double t) -> std::optional<std::vector<double>> {
    static const System pair = jar_with(2);
    Values expected(pair);
    constexpr Parameter n{0}, c{1};
    if (values[n] != 2) return std::nullopt;
    expected[c] = values[c];
    if (values.parameters() != expected.parameters() || values.start() != expected.start()) return std::nullopt;
    return two_balls(values[c], t);
  };
  const auto build = [](const Assignments& assignments) {
    const auto n = assignments.find("n");
    const double number = n == assignments.end() ? 10 : n->second;
    if (!(number >= 1 && number <= 10000 && number == std::floor(number)))
      throw Misuse(
          fmt::format("marble-jar: n = {:g} is no number of balls: allowed are whole numbers from 1 to 10000", number));
    return jar_with(static_cast<int>(number));
  };
  return {.summary = "reconstruction: n marbles fall into a jar, springs and dampers at every contact; chaotic",
          .kind = "hybrid ODE, bilateral",
          .source = "Compere, dissertation, UT Austin (2001), Table 5.6",
          .system = jar_with(10),
          .end = 3.5,
          .plot = "x1,z1",
          .known_by = "80-bit Runge-Kutta of order 8, bisection: n = 2 at t = 0.5 and 1, c = 0 or 0.3",
          .reference = reference,
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
