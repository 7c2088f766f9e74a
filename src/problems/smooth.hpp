// The smooth problems of the catalogue, one file each.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

Problem compere_pendulum();
Problem lorenz();
Problem pleiades();
Problem arenstorf();
Problem rigid_body();
Problem brusselator();
Problem kepler();

}  // namespace pawl::problems
