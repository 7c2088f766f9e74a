#include "simulate/rate_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pawl::detail {

namespace {

/// By how much two rates differ, 0 to 2.
double relative_change(double one, double other) {
  const double size = std::max(std::abs(one), std::abs(other));
  return size > 0 ? std::abs(one - other) / size : 0;
}

}  // namespace

void RateJumps::evaluate(Side& side, const VectorField& rates) {
  rates(side.t, side.x.data(), side.rate.data());
  ++evaluations;
}

double RateJumps::difference(const Side& a, const Side& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.rate.size(); ++i) largest = std::max(largest, relative_change(a.rate[i], b.rate[i]));
  return largest;
}

// Always into the half over which the rates differ more.
std::optional<RateJump> RateJumps::jump_between_sides(const VectorField& rates) {
  evaluate(a_, rates);
  evaluate(b_, rates);
  for (int i = 0; i < halvings; ++i) {
    if (!(difference(a_, b_) > 0.25)) return std::nullopt;
    middle_.t = a_.t + 0.5 * (b_.t - a_.t);
    for (std::size_t k = 0; k < a_.x.size(); ++k) middle_.x[k] = a_.x[k] + 0.5 * (b_.x[k] - a_.x[k]);
    evaluate(middle_, rates);
    std::swap(difference(a_, middle_) > difference(middle_, b_) ? b_ : a_, middle_);
  }
  std::size_t largest = 0;
  for (std::size_t k = 1; k < a_.rate.size(); ++k) {
    if (relative_change(a_.rate[k], b_.rate[k]) > relative_change(a_.rate[largest], b_.rate[largest])) largest = k;
  }
  const double one = a_.rate[largest], other = b_.rate[largest];
  if (!(relative_change(one, other) > 0.25)) return std::nullopt;
  return RateJump{largest, std::min(one, other), std::max(one, other)};
}

std::optional<RateJump> RateJumps::look(const Step& step, const VectorField& rates) {
  a_.t = step.t0;
  b_.t = step.t1;
  std::copy(step.start(), step.start() + step.size(), a_.x.begin());
  std::copy(step.end(), step.end() + step.size(), b_.x.begin());
  if (const auto found = jump_between_sides(rates)) {
    ++jumps_;
    last_ = found;
  }
  if (--left_ > 0 || jumps_ < enough) return std::nullopt;
  return last_;
}

}  // namespace pawl::detail
