#include "simulate/rate_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pawl::detail {

namespace {

/// Less than that is no jump, in parts of the larger of the rates at both ends of the way.
constexpr double least = 0.25;

}  // namespace

void RateJumps::evaluate(Side& side, const VectorField& rates) {
  rates(side.t, side.x.data(), side.rate.data());
  ++evaluations;
}

double RateJumps::change(std::size_t i, const Side& a, const Side& b) const {
  return scale_[i] > 0 ? std::abs(a.rate[i] - b.rate[i]) / scale_[i] : 0;
}

double RateJumps::difference(const Side& a, const Side& b) const {
  double largest = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) largest = std::max(largest, change(i, a, b));
  return largest;
}

// Always into the half over which the rates differ more.
std::optional<RateJump> RateJumps::jump_between_sides(const VectorField& rates) {
  for (std::size_t k = 0; k < scale_.size(); ++k) scale_[k] = std::max(std::abs(a_.rate[k]), std::abs(b_.rate[k]));
  for (int i = 0; i < halvings; ++i) {
    if (!(difference(a_, b_) > least)) return std::nullopt;
    middle_.t = a_.t + 0.5 * (b_.t - a_.t);
    for (std::size_t k = 0; k < a_.x.size(); ++k) middle_.x[k] = a_.x[k] + 0.5 * (b_.x[k] - a_.x[k]);
    evaluate(middle_, rates);
    std::swap(difference(a_, middle_) > difference(middle_, b_) ? b_ : a_, middle_);
  }
  std::size_t largest = 0;
  for (std::size_t k = 1; k < scale_.size(); ++k) {
    if (change(k, a_, b_) > change(largest, a_, b_)) largest = k;
  }
  if (!(change(largest, a_, b_) > least)) return std::nullopt;
  const double one = a_.rate[largest], other = b_.rate[largest];
  return RateJump{largest, std::min(one, other), std::max(one, other)};
}

void RateJumps::make_room() {
  for (Side* side : {&a_, &b_, &middle_}) {
    side->x.resize(size_);
    side->rate.resize(size_);
  }
  scale_.resize(size_);
}

std::optional<RateJump> RateJumps::look(const Step& step, const VectorField& rates) {
  if (scale_.size() != size_) make_room();
  a_.t = step.t0;
  std::copy(step.start(), step.start() + step.size(), a_.x.begin());
  evaluate(a_, rates);
  const double reach = 2 * (step.t1 - step.t0);
  b_.t = a_.t + reach;
  for (std::size_t k = 0; k < a_.x.size(); ++k) b_.x[k] = a_.x[k] + reach * a_.rate[k];
  evaluate(b_, rates);
  if (const auto found = jump_between_sides(rates)) {
    ++jumps_;
    last_ = found;
  }
  if (--left_ > 0 || jumps_ < enough) return std::nullopt;
  return last_;
}

}  // namespace pawl::detail
