#include "problems/sphere_box.hpp"

#include <cmath>

#include <fmt/format.h>

#include "pawl/picture.hpp"

namespace pawl::problems {

namespace {

/// Layers of about as many spheres as fit beside each other in a cube of n, 2.4 radii apart and disturbed by up to a
/// tenth of one.
struct Lattice {
  int side = 1;
  double half_width;
  std::vector<std::array<double, 3>> centres;

  Lattice(int n, double radius) {
    while (side * side * side < n) ++side;
    const double spacing = 2.4 * radius;
    half_width = side * spacing / 2;
    for (int i = 0; i < n; ++i) {
      const int column = i % side, row = i / side % side, layer = i / (side * side);
      const auto disturbance = [=](double frequency) { return 0.1 * radius * std::sin(frequency * i + 0.3); };
      centres.push_back({(column + 0.5) * spacing - half_width + disturbance(1.7),
                         (row + 0.5) * spacing - half_width + disturbance(2.9),
                         (layer + 1) * spacing + disturbance(0.7)});
    }
  }
};

}  // namespace

SphereBox sphere_box_of(int n) {
  constexpr double radius = SphereBox::radius;
  const Lattice lattice(n, radius);
  SphereBox box;
  SphereMechanics& system = box.system;
  box.half_width = lattice.half_width;
  const auto number = system.parameter("n", n);
  const auto restitution = system.parameter("restitution", 0.5), friction = system.parameter("friction", 0.3),
             rolling = system.parameter("rolling_friction", 0.05);
  system.start([=](Start& at) {
    if (at[number] != n) {
      throw Misuse(
          fmt::format("this sphere-box has {} spheres, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})",
                      n, at[number]));
    }
  });
  box.spheres = system.spheres("grain", lattice.centres,
                               {.radius = radius, .mass = SphereBox::mass, .gravity = {0, 0, -SphereBox::gravity}});
  const double w = lattice.half_width;
  box.contacts = system.contacts("contacts", box.spheres,
                                 {.restitution = restitution,
                                  .friction = friction,
                                  .rolling_friction = rolling,
                                  .walls = {{"floor", {0, 0, 0}, {0, 0, 1}},
                                            {"left", {-w, 0, 0}, {1, 0, 0}},
                                            {"right", {w, 0, 0}, {-1, 0, 0}},
                                            {"front", {0, -w, 0}, {0, 1, 0}},
                                            {"back", {0, w, 0}, {0, -1, 0}}}});
  box.energy = system.energy();
  const auto energy_at = [spheres = box.spheres](const Point<double>& at) {
    double sum = 0;
    for (int i = 0; i < spheres.size(); ++i) {
      const auto centre = spheres.centre(i), turn = spheres.turn(i);
      sum += SphereBox::mass * SphereBox::gravity * at[centre[2]];
      for (std::size_t k = 0; k < 3; ++k)
        sum += SphereBox::mass / 2 * (sqr(at[dot(centre[k])]) + 0.4 * radius * radius * sqr(at[dot(turn[k])]));
    }
    return sum;
  };
  box.ledger = system.observable("ledger", [=, contacts = box.contacts](const Point<double>& at) {
    const FamilyState& done = at[contacts];
    return energy_at(at) + done.lost + done.lost_at_rest;
  });
  box.awake = system.observable("awake", [n, contacts = box.contacts](const Point<double>& at) {
    return static_cast<double>(n - at[contacts].asleep);
  });
  if (n <= 500) {
    Picture picture{shapes::Floor{{0, 0, 0}, 2 * lattice.half_width}};
    for (int i = 0; i < n; ++i) {
      const auto centre = box.spheres.centre(i);
      picture.add(shapes::Sphere{{centre[0], centre[1], centre[2]}, radius});
    }
    system.picture(picture);
  }
  return box;
}

Problem sphere_box() {
  constexpr int declared = 27;
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("n");
    const double n = found == assignments.end() ? declared : found->second;
    if (!(n >= 1 && n <= 1e6 && n == std::floor(n)))
      throw Misuse(fmt::format("sphere-box: n = {:g} must be a whole number from 1 to 1000000", n));
    return System(sphere_box_of(static_cast<int>(n)).system);
  };
  return {.summary = "n rigid spheres with friction fall into a box and come to rest",
          .kind = "many contacts",
          .source = "bounces that end: Luding and McNamara, Granular Matter 1 (1998) 113; the box is our own",
          .system = System(sphere_box_of(declared).system),
          .end = 2,
          .plot = "t,grain1_z",
          .known_by = "not known: chaotic; energies, momenta and rest are",
          .reference = [](const Values&, double) -> std::optional<std::vector<double>> { return std::nullopt; },
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
