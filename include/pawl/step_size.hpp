// Step-size control shared by all adaptive one-step methods.
//
//   h_new = h * clip(safety * err^-alpha * err_old^beta),  alpha = 0.85/k, beta = 0.2/k,  k = order of the estimate + 1
//
// The proportional-integral controller of Gustafsson (ACM TOMS 17 (1991) 533) with the constants of DOPRI5 (Hairer,
// Norsett, Wanner, Solving ODE I, II.4), which has k = 5.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {

/// Steps below this cannot be told from rounding of the time.
inline double smallest_step(double t, double limit) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-12 * std::abs(limit - t));
}

class PiController {
 public:
  explicit PiController(int error_order)
      : alpha_(0.85F / static_cast<float>(error_order)),
        beta_(0.20F / static_cast<float>(error_order)),
        rejection_(1.0F / static_cast<float>(error_order)) {}

  void restart() {
    previous_ = 1e-4F;
    was_rejected_ = false;
  }

  /// The factor for the next step after an accepted one; single precision decides no digit of the result.
  double after_accept(double error) {
    const float now = std::max(static_cast<float>(error), 1e-10F);
    const float wanted = safety * std::pow(now, -alpha_) * std::pow(previous_, beta_);
    const float factor = std::clamp(wanted, 0.2F, was_rejected_ ? 1.0F : 10.0F);
    previous_ = std::max(now, 1e-4F);
    was_rejected_ = false;
    return factor;
  }

  /// The factor for the next attempt; error is infinite where the trial was not finite.
  double after_reject(double error) {
    was_rejected_ = true;
    if (!std::isfinite(error)) return 0.1;
    return std::clamp(safety * std::pow(static_cast<float>(error), -rejection_), 0.1F, 0.9F);
  }

 private:
  static constexpr float safety = 0.9F;
  float alpha_, beta_, rejection_;
  float previous_ = 1e-4F;
  bool was_rejected_ = false;
};

}  // namespace pawl
