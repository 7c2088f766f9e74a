// States as they are stored at the end of a step: exactly, or widened by what the step may be wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "pawl/point.hpp"
#include "pawl/step.hpp"
#include "pawl/stepper.hpp"

namespace pawl::event {

/// Stored numbers as thin ranges, made when read.
class StoredStates final : public detail::LazyStates<Interval> {
 public:
  explicit StoredStates(int size) : cache_(static_cast<std::size_t>(size)) {}
  void read(const double* x) { x_ = x; }
  const Interval& state(int index) const override {
    return cache_[static_cast<std::size_t>(index)] = Interval(x_[index]);
  }

 private:
  const double* x_ = nullptr;
  mutable std::vector<Interval> cache_;
};

/// Numbers widened by what the step may be wrong, for the question whether that could move an event.
class UncertainStates final : public detail::LazyStates<Interval> {
 public:
  explicit UncertainStates(int size) : cache_(static_cast<std::size_t>(size)) {}
  void read(const Step& step, const StepControl& control, const double* x) {
    error_ = std::max(step.error, 1e-3);
    control_ = &control;
    x_ = x;
  }
  const Interval& state(int index) const override {
    const auto i = static_cast<std::size_t>(index);
    const double e = error_ * (control_->absolute[i] + control_->relative * std::abs(x_[index]));
    return cache_[i] = Interval(x_[index] - e, x_[index] + e);
  }

 private:
  double error_ = 0;
  const StepControl* control_ = nullptr;
  const double* x_ = nullptr;
  mutable std::vector<Interval> cache_;
};

}  // namespace pawl::event
