// Step-size control shared by all adaptive one-step methods: the smaller of two proposals, k = order of the estimate
// + 1.
//
//   smooth   h_new = h safety err^(-0.85/k) err_old^(0.2/k)
//   trend    h_new = h safety err^(-2/k)    err_old^(1/k)    h / h_old
//
// The first is the proportional-integral controller of Gustafsson (ACM TOMS 17 (1991) 533) with the constants of DOPRI5
// (Hairer, Norsett, Wanner, Solving ODE I, II.4), which has k = 5. The second extrapolates the growth of the error and
// may only shorten the step (Gustafsson, ACM TOMS 20 (1994) 496, as used in RADAU5): on orbits with close encounters it
// halves the rejected steps of the high orders.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "pawl/number.hpp"

namespace pawl {

/// Steps below this cannot be told from rounding of the time.
inline double smallest_step(double t, double limit) {
  return 16 * std::numeric_limits<double>::epsilon() * max(std::abs(t), 1e-12 * std::abs(limit - t));
}

/// The law of Compere's solver (dissertation, UT Austin 2001, eqs. 5.7 and 5.8), for accepted and rejected steps alike:
///
///   h_new = 0.8 h (tau / delta)^(1/6),  delta = max |x5 - x4|,  tau = tolerance max(max |x|, 1)
///
/// with x the state at the start of the step, which is accepted if delta <= tau. A step without any error counts as one
/// of 1e-16, else it would grow without bound. The caller applies the largest step.
inline double compere_step_size(double h, double delta, double tau) {
  return 0.8 * h * std::pow(tau / (delta == 0 ? 1e-16 : delta), 1.0 / 6);
}

namespace detail {

// Short chains of cheap operations: every step waits for them. A percent of the step size decides no digit of the
// result.

/// Base-2 logarithm within 0.09, for positive normal x: exponent and mantissa bits read as one number.
inline float log2_estimate(double x) {
  const auto high_bits = static_cast<std::int32_t>(std::bit_cast<std::int64_t>(x) >> 32);
  return static_cast<float>(high_bits) * 0x1p-20F - 1022.957F;  // 1023 less the mean of log2(1 + m) - m
}

/// Two to the power y within 1 percent, for |y| below 100.
inline double exp2_estimate(float y) {
  constexpr float round_to_integer = 0x1.8p23F;
  const float shifted = y + round_to_integer, rest = y - (shifted - round_to_integer);
  const float power = 1 + rest * (0.693147F + rest * 0.240227F);
  const auto exponent = std::bit_cast<std::int32_t>(shifted) << 23;  // the integer sits in the lowest bits
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(power) + exponent);
}

}  // namespace detail

class PiController {
 public:
  /// error_order: the error estimate of a step behaves like h^error_order. With a dead band, small changes are not
  /// made.
  PiController(int error_order, bool has_dead_band)
      : safety_(error_order >= 9 ? 0.82 : 0.84),
        log_safety_(error_order >= 9 ? -0.286304F : -0.251539F),
        inverse_order_(0.5F / static_cast<float>(error_order)),
        rejection_(-0.5 / error_order),
        keep_above_(has_dead_band ? std::pow(safety_ / 1.3, 2 * error_order) : 2),
        keep_below_(has_dead_band ? std::pow(safety_ / 0.95, 2 * error_order) : -1) {}

  void restart() {
    before_ = log_floor;
    error_before_ = 1;
    last_change_ = 0;
    was_rejected_ = false;
  }

  /// The factor for the next step after an accepted one, from the square of its error norm.
  double after_accept(double error_squared) {
    const float now = detail::log2_estimate(max(error_squared, 1e-20));
    const float before = std::exchange(before_, now < log_floor ? log_floor : now);
    const bool was_rejected = std::exchange(was_rejected_, false);
    const float last_change = std::exchange(last_change_, 0.0F);
    // The dead band: not while the error doubles. Decided by comparison alone, so the processor can begin the next step
    // before the error of this one is known.
    const double error_before = std::exchange(error_before_, error_squared);
    if (error_squared > keep_above_ && error_squared < keep_below_ && error_squared < 4 * error_before) return 1;
    const float smooth = log_safety_ + (0.20F * before - 0.85F * now) * inverse_order_;
    const float trend = log_safety_ + (before - 2 * now) * inverse_order_ + last_change;
    float wanted = smooth;
    if (!was_rejected && trend < smooth) wanted = trend < log_half ? log_half : trend;
    const float largest = was_rejected ? 0.0F : log_largest;
    last_change_ = wanted < log_smallest ? log_smallest : largest < wanted ? largest : wanted;
    return detail::exp2_estimate(last_change_);
  }

  /// The factor for the next attempt; infinite where the trial was not finite.
  double after_reject(double error_squared) {
    was_rejected_ = true;
    last_change_ = 0;
    if (!std::isfinite(error_squared)) return 0.1;
    return min(max(safety_ * std::pow(error_squared, rejection_), 0.1), 0.9);
  }

 private:
  // base-2 logarithms of 1/5, 1/2, 10, and of the square of 1e-4
  static constexpr float log_smallest = -2.321928F, log_half = -1.0F, log_largest = 3.321928F;
  static constexpr float log_floor = -26.575425F;
  double safety_;        // smaller for estimates of order 9, which run below the error on long orbits (docs/methods.md)
  float log_safety_;     // base-2 logarithm
  float inverse_order_;  // halved: logarithms are of squares
  double rejection_;
  double keep_above_, keep_below_;  // the dead band, as squares of the error
  float before_ = log_floor;        // logarithm of the square of the error of the step before
  float last_change_ = 0;           // logarithm of the last factor
  double error_before_ = 1;         // square of the error of the step before
  bool was_rejected_ = false;
};

}  // namespace pawl
