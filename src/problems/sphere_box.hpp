// The problem sphere-box: n rigid spheres with friction fall into a box, through one family of contacts.
#pragma once

#include "pawl/contact_family.hpp"
#include "problems/catalogue.hpp"

namespace pawl::problems {

struct SphereBox {
  static constexpr double radius = 0.01, mass = 0.01, gravity = 9.81;
  SphereMechanics system{"sphere-box"};
  Spheres spheres = {};
  ContactFamily contacts = {};
  Observable energy = {}, ledger = {}, awake = {};  ///< ledger: the energy, and what contacts and rest have taken
  double half_width = 0;                            ///< 0 <= z, |x| and |y| <= half_width, open above
};
SphereBox sphere_box_of(int n);

Problem sphere_box();

}  // namespace pawl::problems
