#include <cmath>

#include <fmt/format.h>

#include "problems/granular.hpp"
#include "problems/hybrid.hpp"

namespace pawl::granular {

namespace {

/// Layers of about as many spheres as fit beside each other in a cube of n, 2.4 radii apart and disturbed by up to a
/// tenth of one.
struct Lattice {
  int side;
  double half_width;
  std::vector<double> positions;

  Lattice(int n, double radius) : side(1) {
    while (side * side * side < n) ++side;
    const double spacing = 2.4 * radius;
    half_width = side * spacing / 2;
    for (int i = 0; i < n; ++i) {
      const int column = i % side, row = i / side % side, layer = i / (side * side);
      const auto disturbance = [=](double frequency) { return 0.1 * radius * std::sin(frequency * i + 0.3); };
      positions.push_back((column + 0.5) * spacing - half_width + disturbance(1.7));
      positions.push_back((row + 0.5) * spacing - half_width + disturbance(2.9));
      positions.push_back((layer + 1) * spacing + disturbance(0.7));
    }
  }
};

}  // namespace

Grains SphereHandles::grains(const double* parameters) const {
  const auto read = [=](Parameter p) { return parameters[p.index]; };
  return {read(radius), read(mass),
          read(stiffness), read(dissipation_time),
          read(friction), read(grip),
          read(rolling_friction), read(rolling_grip),
          read(gravity), read(half_width)};
}

SphereBox sphere_box_of(int n, double skin) {
  constexpr double radius = 0.01;
  const Lattice lattice(n, radius);
  System system("sphere-box");
  SphereHandles box{};
  const auto three_each = [&](const char* x, const char* y, const char* z, const std::vector<double>& starts) {
    const Block<State> block{system.size(), 3 * n};
    for (int i = 0; i < 3 * n; ++i)
      system.state(fmt::format("{}{}", i % 3 == 0 ? x : i % 3 == 1 ? y : z, i / 3 + 1),
                   starts.empty() ? 0.0 : starts[static_cast<std::size_t>(i)]);
    return block;
  };
  box.position = three_each("x", "y", "z", lattice.positions);
  box.velocity = three_each("vx", "vy", "vz", {});
  box.spin = three_each("wx", "wy", "wz", {});
  box.dissipated = system.state("dissipated", 0);
  for (int i = 0; i < n; ++i) {
    const auto calm = system.discrete(fmt::format("calm{}", i + 1), 0.0);
    if (i == 0) box.calm = {calm.index, n};
  }
  const auto number = system.parameter("n", n);
  box.radius = system.parameter("radius", radius);
  box.mass = system.parameter("mass", 0.01);
  box.stiffness = system.parameter("stiffness", 1e7);
  box.dissipation_time = system.parameter("dissipation_time", 1e-4);
  box.friction = system.parameter("friction", 0.3);
  box.grip = system.parameter("grip", 50);
  box.rolling_friction = system.parameter("rolling_friction", 0.05);
  box.rolling_grip = system.parameter("rolling_grip", 3e-3);
  box.gravity = system.parameter("gravity", 9.81);
  box.half_width = system.parameter("half_width", lattice.half_width);
  system.start([=](Start& at) {
    if (at[number] != n)
      throw Misuse(
          fmt::format("this sphere-box has {} spheres, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})",
                      n, at[number]));
  });

  const auto forces = std::make_shared<const Forces>(n, skin);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    const Motion motion = box.motion(at.states().array);
    const double* calm = at.around()->held->numbers.data() + box.calm.first;
    double* velocity_rate = &d[box.velocity[0]];
    d[box.dissipated] =
        forces->accelerations(box.grains(at.parameters()), motion, calm, velocity_rate, &d[box.spin[0]]);
    for (int k = 0; k < 3 * n; ++k) d[box.position[k]] = motion.velocity[k];
  });
  system.every(Stillness::period, [=](Jump& jump) {
    std::vector<double> calm;
    for (const Discrete<double> one : box.calm) calm.push_back(jump[one]);
    const Grains grains = box.grains(&jump[Parameter{0}]);
    jump[box.dissipated] += Stillness::apply(*forces, grains, &jump[box.position[0]], &jump[box.velocity[0]],
                                             &jump[box.spin[0]], calm.data());
    for (int i = 0; i < n; ++i) jump[box.calm[i]] = calm[static_cast<std::size_t>(i)];
  });

  const auto kinetic_at = [=](const Point<double>& at) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += kinetic_energy(box.grains(at.parameters()), box.motion(at.states().array), i);
    return sum;
  };
  box.kinetic = system.observable("kinetic energy", kinetic_at);
  box.ledger = system.observable("ledger", [=](const Point<double>& at) {
    const Grains grains = box.grains(at.parameters());
    double height = 0;
    for (int i = 0; i < n; ++i) height += at[box.position[3 * i + 2]];
    return kinetic_at(at) + grains.mass * grains.gravity * height +
           forces->elastic_energy(grains, at.states().array + box.position.first) + at[box.dissipated];
  });
  box.awake = system.observable("awake", [=](const Point<double>& at) {
    double awake = 0;
    for (const Discrete<double> calm : box.calm) awake += Stillness::is_asleep(at[calm]) ? 0 : 1;
    return awake;
  });
  return {box, system, forces};
}

}  // namespace pawl::granular

namespace pawl::problems {

Problem sphere_box();
Problem sphere_box() {
  constexpr int declared = 27;
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("n");
    const double n = found == assignments.end() ? declared : found->second;
    if (!(n >= 1 && n <= 1e6 && n == std::floor(n)))
      throw Misuse(fmt::format("sphere-box: n = {:g} must be a whole number from 1 to 1000000", n));
    return granular::sphere_box_of(static_cast<int>(n)).system;
  };
  return {.summary = "n compliant spheres with friction fall into a box and come to rest",
          .kind = "hybrid ODE, stiff contacts",
          .source = "contacts: Brilliantov et al., Phys. Rev. E 53 (1996) 5382; the box is our own",
          .system = granular::sphere_box_of(declared).system,
          .end = 2,
          .plot = "t,z1",
          .known_by = "not known: chaotic; energies, momenta and rest are",
          .reference = [](const Values&, double) -> std::optional<std::vector<double>> { return std::nullopt; },
          .build = build};
}

}  // namespace pawl::problems
