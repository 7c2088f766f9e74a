// The problems of the catalogue that are energies and ports (Koenders), and the sliding-mode control of Compere. One
// file each.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

// gear_wheels.cpp, ph_pendulum.cpp, flyball.cpp: Koenders
Problem gear_wheels();
Problem ph_pendulum();
Problem flyball();
// sliding_control.cpp: Compere
Problem sliding_control();

}  // namespace pawl::problems
