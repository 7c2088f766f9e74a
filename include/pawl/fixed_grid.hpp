// The times of a fixed-step run: origin + k * step, never accumulated, and exactly the limit at the end.
#pragma once

#include <cmath>

namespace pawl {

class FixedGrid {
 public:
  void restart(double origin, double signed_step) {
    origin_ = origin;
    step_ = signed_step;
    taken_ = 0;
  }

  struct Next {
    double t1, h;
  };
  /// The next step from t, shortened where it would pass the limit. A remainder that differs from a whole step only by
  /// rounding counts as a whole step.
  Next next(double t, double limit) {
    const double remaining = limit - t;
    if (std::abs(remaining) > std::abs(step_) * (1 + 1e-9))
      return {origin_ + static_cast<double>(++taken_) * step_, step_};
    const bool is_whole = std::abs(remaining - step_) <= 1e-9 * std::abs(step_);
    ++taken_;
    return {limit, is_whole ? step_ : remaining};
  }

 private:
  double origin_ = 0, step_ = 0;
  long long taken_ = 0;
};

}  // namespace pawl
