#include "integrate/spectral_radius.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pawl {

SpectralRadius::SpectralRadius(const VectorField& field, int size, StepControl control)
    : field_(field), control_(std::move(control)), size_(static_cast<std::size_t>(size)) {}

double SpectralRadius::weight(std::size_t i, double x) const {
  return 1 / (control_.absolute[i] + std::max(control_.relative, 1e-6) * std::abs(x));
}

void SpectralRadius::look(double t, const double* x) {
  if (moved_.size() != size_)
    for (auto* vector : {&rate_, &moved_, &moved_rate_, &direction_}) vector->resize(size_);
  field_(t, x, rate_.data());
  ++evaluations_;
  double size = 0, length = 0, speed = 0;
  for (std::size_t i = 0; i < rate_.size(); ++i) {
    if (!has_direction_)
      direction_[i] = rate_[i] + (i % 2 == 0 ? 1e-3 : -1e-3) * (std::abs(rate_[i]) + control_.absolute[i]);
    const double w = weight(i, x[i]);
    size += x[i] * w * (x[i] * w);
    speed += rate_[i] * w * (rate_[i] * w);
    length += direction_[i] * w * (direction_[i] * w);
  }
  has_direction_ = true;
  speed_ = std::sqrt(speed / std::max(size, 1.0));
  if (!(length > 0)) return;
  const double scale = 1e-8 * std::max(std::sqrt(size), 1.0) / std::sqrt(length);
  for (std::size_t i = 0; i < rate_.size(); ++i) moved_[i] = x[i] + scale * direction_[i];
  field_(t, moved_.data(), moved_rate_.data());
  ++evaluations_;
  double change = 0, moved = 0, along = 0;
  for (std::size_t i = 0; i < rate_.size(); ++i) {
    const double w = weight(i, x[i]);
    direction_[i] = (moved_rate_[i] - rate_[i]) / scale;
    const double step = (moved_[i] - x[i]) / scale * w;
    moved += step * step;
    along += step * w * direction_[i];
    change += direction_[i] * w * (direction_[i] * w);
  }
  if (!std::isfinite(change) || change == 0) {
    has_direction_ = false;
    return;
  }
  radius_ = std::sqrt(change / moved);
  quotient_ = along / moved;
  const double shrink = 1 / std::sqrt(change);
  for (double& entry : direction_) entry *= shrink;
}

}  // namespace pawl
