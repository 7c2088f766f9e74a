#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pawl/picture.hpp"
#include "problems/granular.hpp"

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
  const double* p = parameters + first_parameter.index;
  return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]};
}

SphereBox sphere_box_of(int n, double skin) {
  constexpr double radius = 0.01;
  const Lattice lattice(n, radius);
  System system("sphere-box");
  SphereHandles box{};
  const auto three_each = [&](const char* x, const char* y, const char* z, const std::vector<double>& starts) {
    const Block<State> block{system.size(), 3 * n};
    for (int i = 0; i < 3 * n; ++i)
      system.state(fmt::format("{}{}",
                               i % 3 == 0   ? x
                               : i % 3 == 1 ? y
                                            : z,
                               i / 3 + 1),
                   starts.empty() ? 0.0 : starts[static_cast<std::size_t>(i)]);
    return block;
  };
  box.position = three_each("x", "y", "z", lattice.positions);
  box.velocity = three_each("vx", "vy", "vz", {});
  box.spin = three_each("wx", "wy", "wz", {});
  box.turn = three_each("turn_x", "turn_y", "turn_z", {});
  box.dissipated = system.state("dissipated", 0);
  const int springs = HeldGrips::springs_of(n);
  const auto hold = [&](const char* name, int count) {
    for (int k = 0; k < count; ++k) {
      const int index = system.discrete(fmt::format("{}{}", name, k + 1), 0.0).index;
      box.held = {index - box.held.count, box.held.count + 1};
    }
  };
  hold("stage", n), hold("position", 3 * n), hold("contact", springs), hold("spring", 6 * springs);
  const auto number = system.parameter("n", n);
  box.first_parameter = system.parameter("radius", radius);
  system.parameter("mass", 0.01);
  system.parameter("stiffness", 1e7);
  system.parameter("dissipation_time", 1e-4);
  system.parameter("friction", 0.3);
  system.parameter("grip_stiffness", 2e4);
  system.parameter("grip_damping", 10);
  system.parameter("rolling_friction", 0.05);
  system.parameter("roll_stiffness", 0.2);
  system.parameter("roll_damping", 5e-4);
  system.parameter("gravity", 9.81);
  system.parameter("half_width", lattice.half_width);
  system.start([=](Start& at) {
    if (at[number] != n)
      throw Misuse(
          fmt::format("this sphere-box has {} spheres, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})",
                      n, at[number]));
  });

  const auto forces = std::make_shared<const Forces>(n, skin);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    const Motion motion = box.motion(at.states().array);
    const HeldGrips held{box.parts(n, at.around()->held->numbers.data())};
    d[box.dissipated] =
        forces->accelerations(box.grains(at.parameters()), motion, held, &d[box.velocity[0]], &d[box.spin[0]]);
    std::copy(motion.velocity, motion.velocity + 3 * n, &d[box.position[0]]);
    std::copy(motion.spin, motion.spin + 3 * n, &d[box.turn[0]]);
  });
  system.every(Rest::period, [=](Jump& jump) {
    std::vector<double> numbers;
    for (const Discrete<double> one : box.held) numbers.push_back(jump[one]);
    SphereHandles from_zero = box;
    from_zero.held.first = 0;
    jump[box.dissipated] +=
        Rest::judge(*forces, box.grains(&jump[Parameter{0}]), &jump[box.position[0]], &jump[box.velocity[0]],
                    &jump[box.spin[0]], &jump[box.turn[0]], from_zero.parts(n, numbers.data()));
    for (int k = 0; k < box.held.count; ++k) jump[box.held[k]] = numbers[static_cast<std::size_t>(k)];
  });

  const auto kinetic_at = [=](const Point<double>& at) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += kinetic_energy(box.grains(at.parameters()), box.motion(at.states().array), i);
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
  if (n <= 500) {
    Picture picture{shapes::Floor{{0, 0, 0}, 2 * lattice.half_width}};
    for (int i = 0; i < n; ++i)
      picture.add(shapes::Sphere{{box.position[3 * i], box.position[3 * i + 1], box.position[3 * i + 2]}, radius});
    system.picture(picture);
  }
  box.awake = system.observable("awake", [=](const Point<double>& at) {
    double awake = 0;
    for (int i = 0; i < n; ++i) awake += at[box.held[i]] < HeldGrips::asleep ? 1 : 0;
    return awake;
  });
  return {box, system, forces};
}

}  // namespace pawl::granular

namespace pawl::problems {

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
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
