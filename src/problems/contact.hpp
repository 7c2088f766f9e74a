// The problems of the catalogue with contacts and dry friction. One file each, or one for close relatives. Coordinates
// are declared one by one, so the states of a reference alternate: position, speed, position, speed, ...; the work of
// friction comes last.
#pragma once

#include "problems/catalogue.hpp"
#include "problems/closed_form.hpp"

namespace pawl::problems {

// flail.cpp
Problem flail();
// sphere_top.cpp
Problem sphere_top();
// belt_block.cpp
Problem belt_block();
Problem oscillating_belt();
// pendulum_stop.cpp
Problem pendulum_stop();
// rocking_block.cpp
Problem rocking_block();
// ball_table.cpp
Problem ball_table();
// rolling_sphere_slip.cpp
Problem rolling_sphere_slip();
// painleve_rod.cpp
Problem painleve_rod();
// rigid_marble_jar.cpp
Problem rigid_marble_jar();
// newton_cradle.cpp
Problem newton_cradle();
// clutch_pair.cpp
Problem clutch_pair();
// double_pendulum_stop.cpp
Problem double_pendulum_stop();
// gear_backlash.cpp
Problem gear_backlash();
// slider_crank_clearance.cpp
Problem slider_crank_clearance();
// sliding_arm.cpp
Problem sliding_arm();
// bead_hoop.cpp
Problem bead_hoop();

}  // namespace pawl::problems
