// The size of the next step of a one-step implicit method, predicted from the last two errors (Gustafsson, ACM TOMS 20
// (1994) 496; in the form of Hairer and Wanner, Solving ODE II, IV.8).
#pragma once

#include <algorithm>
#include <cmath>

namespace pawl {

class GustafssonController {
 public:
  /// The estimate is of size h^(order + 1).
  explicit GustafssonController(int order) : power_(1.0 / (order + 1)) {}

  void restart() { last_size_ = 0; }

  /// Factor for the next size after a step of this size. A step right after a rejection does not grow.
  double after_accepted(double error, double size, bool was_rejected, double safety = 0.9) {
    error = std::max(error, 1e-10);
    double quotient = std::clamp(std::pow(error, power_) / safety, least, most);
    if (last_size_ > 0) {
      const double trend = last_size_ / size * std::pow(error * error / last_error_, power_) / 0.9;
      quotient = std::max(quotient, std::clamp(trend, least, most));
    }
    last_size_ = size;
    last_error_ = std::max(error, 1e-2);
    return 1 / (was_rejected ? std::max(quotient, 1.0) : quotient);
  }

  /// The first step of a piece has a guessed size, which may be far off.
  double after_rejected(double error, bool is_first, double safety = 0.9) const {
    return 1 / std::clamp(std::pow(error, power_) / safety, 1 / 0.9, is_first ? 10 : most);
  }

 private:
  static constexpr double least = 1.0 / 8, most = 5;

  double power_;
  double last_size_ = 0, last_error_ = 1e-2;
};

}  // namespace pawl
