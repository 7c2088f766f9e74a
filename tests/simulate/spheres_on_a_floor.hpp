// Spheres on a floor, as the tests of families of contacts declare them.
#pragma once

#include <array>
#include <vector>

#include "pawl/contact_family.hpp"
#include "pawl/simulate.hpp"

namespace pawl::testing {

using Place = std::array<double, 3>;

inline constexpr double g = 9.81;
inline const WallOfSpheres ground{"floor", {0, 0, 0}, {0, 0, 1}};

/// Spheres of radius 0.01 and mass 0.01 under g, unless said otherwise.
struct SpheresOnAFloor {
  SphereMechanics system{"spheres"};
  Spheres spheres;
  ContactFamily contacts;

  SpheresOnAFloor(const std::vector<Place>& centres, const ContactFamilyOptions& laws,
                  const std::vector<Place>& velocities = {}, Place gravity = {0, 0, -g})
      : spheres(system.spheres("ball", centres,
                               {.radius = 0.01, .mass = 0.01, .gravity = gravity, .velocities = velocities})),
        contacts(system.contacts("contacts", spheres, laws)) {}

  Place centre(const Instant& at, int i) const { return read(at, spheres.centre(i), false); }
  Place velocity(const Instant& at, int i) const { return read(at, spheres.centre(i), true); }
  Place spin(const Instant& at, int i) const { return read(at, spheres.turn(i), true); }

 private:
  static Place read(const Instant& at, const std::array<Coordinate, 3>& three, bool is_rate) {
    Place out{};
    for (std::size_t k = 0; k < 3; ++k) out[k] = is_rate ? at[dot(three[k])] : at[three[k]];
    return out;
  }
};

}  // namespace pawl::testing
