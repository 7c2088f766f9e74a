// The problems of the catalogue that want an implicit method: stiff ODEs, differential-algebraic equations declared as
// they stand (a mass matrix, equations), and grids whose size is a parameter. One file each. Sizes that differ by
// powers of ten within one model (charges beside voltages) are declared as nominal.
#pragma once

#include "problems/catalogue.hpp"

namespace pawl::problems {

// ordinary differential equations
Problem hires();
Problem orego();
Problem vdpol();
Problem pollu();
Problem ring_modulator();
// robertson.cpp: both forms, with events
Problem robertson();
Problem robertson_dae();
// index 1
Problem transistor_amplifier();
Problem chem_akzo();
// index 2
Problem fekete();
Problem charge_pump();
// a parameter chooses between an ODE and a DAE, or between two indices
Problem algebraic_loop();
Problem fast_slow();
Problem diode_circuit();
// brusselator_1d.cpp: grids
Problem brusselator_1d();
Problem heat_1d();
// index 3, as mechanics
Problem andrews();

}  // namespace pawl::problems
