// Circuits with ideal switches: the mode of a diode follows from the state (docs/stiff.md, "Ideal switches"). They are
// piecewise linear, so that everything about them is known in closed form but for the switching times, which are roots
// of such forms. One file each.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

Problem buck_converter();
Problem diode_bridge();
Problem thyristor_rectifier();

}  // namespace pawl::problems
