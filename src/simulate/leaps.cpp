#include "simulate/leaps.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::detail {

Leaps::Leaps(const StepControl& control) : largest_(control.absolute), rates_(control.absolute.size()) {
  for (double& unit : largest_) unit = control.relative > 0 ? unit / control.relative : 1.0;
}

std::optional<int> Leaps::find(const Step& step, const VectorField& rates) {
  bool is_far = false;
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    largest_[i] = std::max(largest_[i], std::abs(step.start()[i]));
    is_far = is_far || std::abs(step.end()[i] - step.start()[i]) > farthest * largest_[i];
  }
  if (!is_far) return std::nullopt;
  rates(step.t0, step.start(), rates_.data());
  ++evaluations;
  std::optional<int> found;
  double farthest_yet = farthest;
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    const double moved = std::abs(step.end()[i] - step.start()[i]), own = std::abs(step.span * rates_[i]);
    const double parts = moved / (largest_[i] + (std::isfinite(own) ? own : 0));
    if (!(parts > farthest_yet)) continue;
    farthest_yet = parts;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace pawl::detail
