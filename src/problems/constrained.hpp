// The problems of the catalogue with constraints: mechanisms. One file each, or one for close relatives. Coordinates
// are declared one by one, so the states of a reference alternate: position, speed, position, speed, ...
#pragma once

#include <map>

#include "problems/catalogue.hpp"
#include "problems/closed_form.hpp"

namespace pawl::problems {

// rod_pendulum.cpp, rolling_spheres.cpp: Compere
Problem rod_pendulum();
Problem rolling_spheres();
// arm.cpp, squeezer.cpp: as run by Ascher, Chin, Petzold and Reich
Problem arm_parabola();
Problem arm_sine();
Problem squeezer();
Problem chain();
Problem quaternion_top();
// four_bar.cpp
Problem four_bar();
Problem slider_crank();
Problem rolling_disk();
Problem caraxis();
Problem pendulum_period2();
Problem cartesian_pendulum();

/// A pendulum θ'' = -ω² sin θ, θ from the downward vertical, at time t after its release at rest at θ = π/2.
struct Swing {
  Real sine, cosine, rate;  ///< of θ; the rate is θ'
};
/// By Jacobi's elliptic functions of modulus 1/√2. Defined in cartesian_pendulum.cpp.
Swing released_horizontally(Real frequency, Real t);

/// A reference known at some times only, for the declared parameters and start values.
inline Reference known_at(const System& system, const std::map<double, std::vector<double>>& states) {
  return [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto found = states.find(t);
    if (found == states.end() || !are_declared(values, system)) return std::nullopt;
    return found->second;
  };
}

}  // namespace pawl::problems
