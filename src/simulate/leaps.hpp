// Leaps: accepted steps that no motion takes. An error test measures errors by the sizes of what a step ends with, so a
// step that ends at 1e24 by a solve that went astray may pass it. What a motion does in a step of length h is about
//
//   |x_i(t + h) - x_i(t)| <= h |x_i'(t)| + what x_i has been so far, or the size its tolerance gives it
//
// and a million times that is a leap. A step that leaps is taken again, shorter: a motion that starts from rest or runs
// into a pole is then followed, and a solve that goes astray at every length ends the run.
#pragma once

#include <optional>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/step.hpp"
#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl::detail {

class Leaps {
 public:
  static constexpr double farthest = 1e6;  ///< in units of what the motion explains
  static constexpr int most_retakes = 12;  ///< each a tenth as long

  explicit Leaps(const StepControl& control);

  /// The state that leaps most in a step; none: the step is one of the motion.
  std::optional<int> find(const Step& step, const VectorField& rates);
  void carry(Memory& memory) { memory(largest_, evaluations); }

  long long evaluations = 0;

 private:
  std::vector<double> largest_;  // |x_i| so far, or its unit
  std::vector<double> rates_;
};

}  // namespace pawl::detail
