// The scalars a user's function is evaluated with, and the functions that exist for all of them and for double.
//
// Write model functions with `using namespace pawl;` or unqualified calls: sqr, select, min, max and abs then mean the
// same thing for a number, a Dual and a Pattern.
#pragma once

#include "pawl/dual.hpp"
#include "pawl/interval.hpp"
#include "pawl/jet.hpp"
#include "pawl/number.hpp"
#include "pawl/pattern.hpp"
