// All of pawl: declare a System, simulate() it, read the Result.
#pragma once

#include "pawl/integrate.hpp"
#include "pawl/jacobian.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/options.hpp"
#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "pawl/result.hpp"
#include "pawl/simulate.hpp"
#include "pawl/simulation.hpp"
#include "pawl/system.hpp"
#include "pawl/version.hpp"
