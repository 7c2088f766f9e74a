// Companions: variables that are integrated along with the states, so that the error control sees them. Whoever holds
// the driver sees the states alone.
#pragma once

#include <vector>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

class Companions {
 public:
  Companions(int states, int count);
  virtual ~Companions() = default;

  /// A restart: all values, and where those of the states are known all rates, in start and start_rate.
  virtual void extend(double t, const double* x, const double* rate) = 0;

  /// Ends of the last step and, if there is one, its polynomial; the polynomial alone.
  void show(Step& out) const;
  void show_polynomial(Step& out) const;

  const int states;
  ActiveField field{};  ///< of all
  StepControl control;
  std::vector<double> start, start_rate;
  Step whole;  ///< the last step of all
};

}  // namespace pawl
