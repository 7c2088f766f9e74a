// SpectralRadius: how fast the fastest part of a motion is, by a power iteration for df/dx with differences along one
// direction, which is carried on from look to look.
#pragma once

#include <vector>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

class SpectralRadius {
 public:
  SpectralRadius(const VectorField& field, int size, StepControl control);

  /// One more iteration: two evaluations.
  void look(double t, const double* x);

  double radius() const { return radius_; }      ///< of df/dx
  double quotient() const { return quotient_; }  ///< of Rayleigh, for its direction: -radius where that part decays
  double speed() const { return speed_; }        ///< of the motion, relative to its size
  long long evaluations() const { return evaluations_; }
  void carry(Memory& memory) { memory(has_direction_, radius_, quotient_, speed_, evaluations_, rate_, direction_); }

 private:
  double weight(std::size_t i, double x) const;

  VectorField field_;
  const StepControl control_;
  bool has_direction_ = false;
  double radius_ = 0, quotient_ = 0, speed_ = 0;
  long long evaluations_ = 0;
  std::size_t size_;
  std::vector<double> rate_, moved_, moved_rate_, direction_;  // with room from the first look on
};

}  // namespace pawl
