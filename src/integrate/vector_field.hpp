// VectorField: the erased right-hand side a library-built stepper calls, one indirect jump per evaluation.
#pragma once

#include "pawl/function.hpp"

namespace pawl {

struct VectorField {
  Function::Entry<double> call;
  const void* self;
  const double* parameters;

  void operator()(double t, const double* x, double* rates) const {
    call(self, Point<double>(t, x, parameters), rates);
  }
};

}  // namespace pawl
