// VectorField: the erased right-hand side a library-built stepper calls, one indirect jump per evaluation. What it
// calls may change at events (a mode in which the motion slides has a field of its own), so the stepper holds a
// pointer.
#pragma once

#include "pawl/function.hpp"

namespace pawl {

struct ActiveField {
  Function::Entry<double> call;
  const void* self;
  const double* parameters;
  const detail::Surroundings<double>* around = nullptr;
};

struct VectorField {
  const ActiveField* active;

  void operator()(double t, const double* x, double* rates) const {
    active->call(active->self, Point<double>(t, x, active->parameters, active->around), rates);
  }
};

}  // namespace pawl
