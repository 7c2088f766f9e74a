// Problems whose parts are of several kinds: circuits, mechanisms, contacts and controllers in one model.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

Problem servo();
Problem backlash_drive();
Problem coil_pendulum();

}  // namespace pawl::problems
