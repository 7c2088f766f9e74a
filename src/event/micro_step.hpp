// A tiny method for tiny pieces: between events that follow each other within a thousandth of the step size, one Heun
// step just past the forecast zero, with a cubic polynomial. Two evaluations per event.
//
//   x1 = x0 + τ f0,  f1 = f(t + τ, x1),  accepted if |τ/2 (f1 - f0)| <= 0.05 in the error norm;  x = x0 + τ/2 (f0 + f1)
#pragma once

#include <vector>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl::event {

class MicroStep {
 public:
  MicroStep(const VectorField& field, int size, const StepControl& control)
      : field_(field), control_(control), size_(static_cast<std::size_t>(size)) {}

  /// One step of that (signed) length with its polynomial. False: too long for this method; one evaluation is lost.
  bool take(double t, const double* x, const double* rate, double length, double limit, Step& out);
  const Work& work() const { return work_; }
  void carry(Memory& memory) { memory(work_); }

 private:
  VectorField field_;
  const StepControl& control_;
  std::size_t size_;
  std::vector<double> x1_, f1_;  // with room from the first step on
  Work work_;
};

}  // namespace pawl::event
