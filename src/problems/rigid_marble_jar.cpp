#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

// Balls of one mass in the plane, above a floor z = 0 and between walls x = ±jar, as in marble-jar, but rigid.
struct Jar {
  Real radius, half_width, gravity, restitution;
  std::vector<std::array<Real, 4>> balls;  // x, x', z, z'

  enum class With { ball, floor, left, right };
  struct Impact {
    Real after = -1;
    int i = 0, j = 0;
    With with = With::ball;
  };

  /// The next impact. Two balls approach each other on a straight line, since both fall alike.
  Impact next() const {
    Impact first;
    const auto offer = [&](Real after, int i, int j, With with) {
      if (after > 0 && (first.after < 0 || after < first.after)) first = {after, i, j, with};
    };
    for (int i = 0; i < static_cast<int>(balls.size()); ++i) {
      const auto& [x, vx, z, vz] = balls[static_cast<std::size_t>(i)];
      const Real height = z - radius, up = vz / gravity;
      offer(up + std::sqrt(std::max(up * up + 2 * height / gravity, Real(0))), i, i, With::floor);
      if (vx > 0) offer((half_width - radius - x) / vx, i, i, With::right);
      if (vx < 0) offer((radius - half_width - x) / vx, i, i, With::left);
      for (int j = i + 1; j < static_cast<int>(balls.size()); ++j) {
        const auto& other = balls[static_cast<std::size_t>(j)];
        const Real dx = other[0] - x, dz = other[2] - z, ux = other[1] - vx, uz = other[3] - vz;
        const Real b = dx * ux + dz * uz, a = ux * ux + uz * uz, c = dx * dx + dz * dz - 4 * radius * radius;
        if (b < 0 && b * b > a * c) offer(c / (std::sqrt(b * b - a * c) - b), i, j, With::ball);
      }
    }
    return first;
  }
  void go_on(const Impact& impact) {
    for (auto& [x, vx, z, vz] : balls) {
      x += vx * impact.after;
      z += (vz - gravity * impact.after / 2) * impact.after;
      vz -= gravity * impact.after;
    }
    auto &one = balls[static_cast<std::size_t>(impact.i)], &other = balls[static_cast<std::size_t>(impact.j)];
    if (impact.with == With::floor) one[3] *= -restitution;
    if (impact.with == With::left || impact.with == With::right) one[1] *= -restitution;
    if (impact.with != With::ball) return;
    const Real dx = other[0] - one[0], dz = other[2] - one[2], length = std::hypot(dx, dz), nx = dx / length,
               nz = dz / length;
    const Real half = (1 + restitution) / 2 * ((other[1] - one[1]) * nx + (other[3] - one[3]) * nz);
    one[1] += half * nx;
    one[3] += half * nz;
    other[1] -= half * nx;
    other[3] -= half * nz;
  }
};

constexpr double mass = 0.005, r = 0.008, half_width = 0.04, gravity = 9.81;

System rigid_jar_with(int n) {
  Mechanics jar("rigid-marble-jar");
  std::vector<Coordinate> x, z;
  for (int i = 0; i < n; ++i) {
    x.push_back(jar.coordinate(fmt::format("x{}", i + 1), 0.02 * std::sin(1.7 * i + 0.3)));
    z.push_back(jar.coordinate(fmt::format("z{}", i + 1), 0.1655 + 0.1 * i));
  }
  const auto number = jar.parameter("n", n), e = jar.parameter("restitution", 0.9);
  jar.start([=](Start& at) {
    if (at[number] != n) {
      throw Misuse(fmt::format(
          "this rigid-marble-jar has {} balls, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})", n,
          at[number]));
    }
  });
  for (const auto* list : {&x, &z}) {
    for (const Coordinate q : *list) jar.mass(q, mass);
  }
  jar.potential([=](const auto& at) {
    auto sum = mass * gravity * at[z[0]];
    for (std::size_t i = 1; i < z.size(); ++i) sum += mass * gravity * at[z[i]];
    return sum;
  });
  for (int i = 0; i < n; ++i) {
    const Coordinate xi = x[static_cast<std::size_t>(i)], zi = z[static_cast<std::size_t>(i)];
    const ContactOptions options{.restitution = e};
    jar.contact(
        fmt::format("ball {} on floor", i + 1), [=](const auto& at) { return at[zi] - r; }, options);
    jar.contact(
        fmt::format("ball {} at left wall", i + 1), [=](const auto& at) { return at[xi] + (half_width - r); }, options);
    jar.contact(
        fmt::format("ball {} at right wall", i + 1), [=](const auto& at) { return (half_width - r) - at[xi]; },
        options);
    for (int j = i + 1; j < n; ++j) {
      const Coordinate xj = x[static_cast<std::size_t>(j)], zj = z[static_cast<std::size_t>(j)];
      jar.contact(
          fmt::format("balls {} and {}", i + 1, j + 1),
          [=](const auto& at) { return sqrt(sqr(at[xi] - at[xj]) + sqr(at[zi] - at[zj])) - 2 * r; }, options);
    }
  }
  using namespace shapes;
  Picture picture{Wall{{-half_width, 0}, {half_width, 0}}, Wall{{-half_width, 0.3}, {-half_width, 0}},
                  Wall{{half_width, 0}, {half_width, 0.3}}};
  for (std::size_t i = 0; i < x.size(); ++i) picture.add(Disk{{x[i], z[i]}, r});
  jar.picture(picture);
  jar.energy();
  jar.impact_loss();
  jar.observable("horizontal momentum", [=](const auto& at) {
    double sum = 0;
    for (const Coordinate q : x) sum += mass * at[dot(q)];
    return sum;
  });
  return jar;
}

}  // namespace

Problem rigid_marble_jar() {
  constexpr int declared = 4;
  const auto build = [](const Assignments& assignments) {
    const auto n = assignments.find("n");
    const double number = n == assignments.end() ? declared : n->second;
    if (!(number >= 1 && number <= 100 && number == std::floor(number)))
      throw Misuse(fmt::format(
          "rigid-marble-jar: n = {:g} is no number of balls: allowed are whole numbers from 1 to 100", number));
    return rigid_jar_with(static_cast<int>(number));
  };
  // While few impacts have multiplied the rounding of the start: each does it tenfold.
  const auto event_times = [](const Values& values, double end) -> std::optional<std::vector<double>> {
    Jar jar{r, half_width, gravity, values[Parameter{1}], {}};
    const std::vector<double>& start = values.start();
    for (std::size_t i = 0; i + 3 < start.size(); i += 4)
      jar.balls.push_back({start[i], start[i + 1], start[i + 2], start[i + 3]});
    std::vector<double> times;
    for (Real t = 0; times.size() <= 20;) {
      const Jar::Impact impact = jar.next();
      t += impact.after;
      if (t > end) return times;
      jar.go_on(impact);
      times.push_back(static_cast<double>(t));
    }
    return std::nullopt;
  };
  return {.summary = "n rigid marbles fall into a jar; chaotic",
          .kind = "mechanics with contact",
          .source = "after Compere, dissertation, UT Austin (2001), Table 5.6",
          .system = rigid_jar_with(declared),
          .end = 0.6,
          .plot = "x1,z1",
          .known_by = "parabolas and the impacts between them, the first 20",
          .reference = [](const Values&, double) { return std::nullopt; },
          .event_times = event_times,
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
