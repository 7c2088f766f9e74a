// The impact of two spheres, or of a sphere and something that does not move: Poisson's law, of which normal and
// tangential parts are apart, because the centre of a sphere lies on the line of the impact.
//
//   normal:    P = (1 + e) m u                     1/m = 1/m_1 + 1/m_2, u the speed of approach
//   friction:  against the slip s, at most μ P, at most what ends the slip: s / (1/m + r_1²/I_1 + r_2²/I_2)
//   rolling:   a moment against the difference of spins, at most ρ r P, at most what ends that difference
//
// Each takes energy or leaves it. I = 2/5 m r². Where the spheres would part more slowly than a hop, what friction
// takes goes into their parting, up to a hop: else rubbing would take what keeps impacts apart, and they would
// accumulate.
#pragma once

#include "contact/flight.hpp"

namespace pawl::contact {

struct ImpactLaws {
  double restitution = 0, friction = 0, rolling_friction = 0;
  double grip = 0;  ///< 1: what friction can end it turns back, and takes nothing
  double hop = 0;
};

struct Ball {
  double radius, mass;

  double inertia() const { return 0.4 * mass * radius * radius; }
};

/// Changes velocity and spin of both; `other` is null for what does not move. n: unit vector from there to the first.
/// Returns the energy that is lost.
double collide(const Ball& ball, Flight& first, const Ball* other_ball, Flight* other, Vector3 n,
               const ImpactLaws& laws);

}  // namespace pawl::contact
