// States as they are stored at the end of a step: exactly, or widened by what the step may be wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "integrate/follower_levels.hpp"
#include "pawl/point.hpp"
#include "pawl/step.hpp"
#include "pawl/stepper.hpp"

namespace pawl::event {

/// Stored numbers as thin ranges, made when read.
class StoredStates final : public detail::LazyStates<Interval> {
 public:
  explicit StoredStates(int size) : cache_(static_cast<std::size_t>(size)) {}
  void read(const Step& step, const FollowerLevels* followers) {
    step_ = &step;
    followers_ = followers;
    cache_.resize(static_cast<std::size_t>(step.size() + (followers != nullptr ? followers->count() : 0)));
  }
  const Interval& state(int index) const override {
    const int k = index - step_->size();
    const double value = k < 0 ? step_->end()[index] : followers_->at(k, (step_->t1 - step_->t0) / step_->span);
    return cache_[static_cast<std::size_t>(index)] = Interval(value);
  }

 private:
  const Step* step_ = nullptr;
  const FollowerLevels* followers_ = nullptr;
  mutable std::vector<Interval> cache_;
};

/// Numbers widened by what the step may be wrong, for the question whether that could move an event.
class UncertainStates final : public detail::LazyStates<Interval> {
 public:
  explicit UncertainStates(int size) : cache_(static_cast<std::size_t>(size)) {}
  void read(const Step& step, const FollowerLevels* followers, const StepControl& control, double theta) {
    followers_ = followers;
    error_ = std::max(step.error, 1e-3);
    control_ = &control;
    step_ = &step;
    theta_ = theta;
    cache_.resize(static_cast<std::size_t>(step.size() + (followers != nullptr ? followers->count() : 0)));
  }
  const Interval& state(int index) const override {
    const auto i = static_cast<std::size_t>(index);
    const int k = index - step_->size(), d = step_->degree();
    double x = 0;
    if (k < 0)
      evaluate_polynomials(step_->coefficients() + static_cast<std::ptrdiff_t>(index) * (d + 1), 1, d, theta_, &x);
    else
      x = followers_->at(k, theta_);
    const double e = error_ * ((k < 0 ? control_->absolute[i] : 0) + control_->relative * std::abs(x));
    return cache_[i] = Interval(x - e, x + e);
  }

 private:
  double error_ = 0, theta_ = 0;
  const StepControl* control_ = nullptr;
  const Step* step_ = nullptr;
  const FollowerLevels* followers_ = nullptr;
  mutable std::vector<Interval> cache_;
};

}  // namespace pawl::event
