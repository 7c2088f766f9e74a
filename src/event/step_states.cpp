#include "event/step_states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {

constexpr int most = 16;  // largest degree of a step polynomial

/// The polynomial about m, and Σ |c_k| b^k with its two derivatives' counterparts, for the rounding margins.
struct Shifted {
  std::array<double, most + 1> p;  // up to the degree, and two at least
  double size0 = 0, size1 = 0, size2 = 0;
};

/// Coefficients below that of s^count alone.
Shifted shift(const double* c, int degree, double m, double largest, int count = most) {
  Shifted s;
  for (int k = 0; k <= degree; ++k) s.p[static_cast<std::size_t>(k)] = c[k];
  for (int k = degree + 1; k <= 2; ++k) s.p[static_cast<std::size_t>(k)] = 0;
  for (int k = degree; k >= 0; --k) {  // Σ |c_k| b^k and its derivatives, by Horner
    s.size2 = s.size2 * largest + s.size1;
    s.size1 = s.size1 * largest + s.size0;
    s.size0 = s.size0 * largest + std::abs(c[k]);
  }
  if (m != 0) {
    for (int i = 0; i < std::min(degree, count); ++i) {
      for (int k = degree - 1; k >= i; --k)
        s.p[static_cast<std::size_t>(k)] += m * s.p[static_cast<std::size_t>(k + 1)];
    }
  }
  return s;
}

// Range over |s| <= r of the terms with s in the polynomial (derivative 0), its derivative (1) or half its second (2).
Interval spread(const std::array<double, most + 1>& p, int degree, double r, int derivative) {
  double lo = 0, hi = 0, power = r;
  for (int k = derivative + 1; k <= degree; ++k, power *= r) {
    const double weight = derivative == 0 ? 1.0 : derivative == 1 ? k : 0.5 * k * (k - 1);
    const double term = weight * p[static_cast<std::size_t>(k)] * power, size = std::abs(term);
    const bool is_even = (k - derivative) % 2 == 0;
    lo -= is_even && term > 0 ? 0 : size;
    hi += is_even && term < 0 ? 0 : size;
  }
  return {lo, hi};
}

/// One instant: Horner's scheme with its running error bound (Higham, Accuracy and Stability, 5.1), and what the
/// rounding of θ itself can do. Much narrower than the margin of a range, where coefficients are large and cancel.
Interval at_instant(const double* c, int degree, double theta) {
  double value = c[degree], size = 0.5 * std::abs(value), slope = 0;
  for (int k = degree - 1; k >= 0; --k) {
    slope = slope * theta + value;
    value = value * theta + c[k];
    size = size * std::abs(theta) + std::abs(value);
  }
  const double margin = eps * (2 * size - std::abs(value)) + 2 * eps * std::abs(theta * slope);
  return {value - margin, value + margin};
}

Interval around(double centre, const Interval& spread, double margin) {
  return {centre + spread.lo - margin, centre + spread.hi + margin};
}

}  // namespace

template <class T>
void StepStates<T>::resize(int size) {
  cache_.assign(static_cast<std::size_t>(size), T(0.0));
  cached_for_.assign(static_cast<std::size_t>(size), 0);
}

template <class T>
void StepStates<T>::read(const Step& step, const FollowerLevels* followers) {
  step_ = &step;
  followers_ = followers;
  a_ = b_ = -1;  // no selection
  if (const auto count = static_cast<std::size_t>(step.size() + (followers != nullptr ? followers->count() : 0));
      count > cache_.size()) {
    cache_.resize(count, T(0.0));
    cached_for_.resize(count, 0);
  }
}

template <class T>
const T& StepStates<T>::state(int index) const {
  if (index >= step_->size()) return follower(index);
  const auto i = static_cast<std::size_t>(index);
  if (cached_for_[i] != part_) {
    cache_[i] = compute(index);
    cached_for_[i] = part_;
  }
  return cache_[i];
}

namespace {

const Interval anything{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};

void widen(Interval& x, double error) {
  x = Interval(x.lo - error, x.hi + error);
}
void widen(Jet<double>&, double) {}
void widen(Jet<Interval>& x, double error) {
  widen(x.value, error);
  x.slope = x.curve = anything;
}

}  // namespace

template <class T>
const T& StepStates<T>::follower(int index) const {
  const int k = index - step_->size();
  if (!followers_->are_drawn()) {
    has_read_coarse_ = true;
    coarse_ = T(0.0);
    widen(coarse_, anything.hi);
    return coarse_;
  }
  const auto i = static_cast<std::size_t>(index);
  if (cached_for_[i] != part_) {
    cache_[i] = compute(index);
    if (followers_->error(k) > 0) widen(cache_[i], followers_->error(k));
    cached_for_[i] = part_;
  }
  has_read_coarse_ = has_read_coarse_ || followers_->error(k) > 0;
  return cache_[i];
}

template <>
Jet<double> StepStates<Jet<double>>::compute(int index) const {
  const auto [c, d] = row(index);
  double value = c[d], slope = 0, curve = 0;
  for (int k = d - 1; k >= 0; --k) {
    curve = curve * a_ + slope;
    slope = slope * a_ + value;
    value = value * a_ + c[k];
  }
  Jet<double> x(value);
  x.slope = slope;
  x.curve = curve;
  return x;
}

template <>
Interval StepStates<Interval>::compute(int index) const {
  const auto [c, d] = row(index);
  if (a_ == b_) return at_instant(c, d, a_);
  const double m = 0.5 * (a_ + b_), r = b_ - m;
  const Shifted s = shift(c, d, m, b_);
  const double margin = (4 * d + 8) * eps * s.size0;
  return around(s.p[0], spread(s.p, d, r * (1 + 4 * eps), 0), margin);
}

template <>
Jet<Interval> StepStates<Jet<Interval>>::compute(int index) const {
  const auto [c, d] = row(index);
  const double factor = (4 * d + 8) * eps;
  if (a_ == b_) {
    const Shifted s = shift(c, d, a_, b_, 3);
    const double slope = factor * d * s.size1, curve = factor * d * d * s.size2;
    return {at_instant(c, d, a_), {s.p[1] - slope, s.p[1] + slope}, {s.p[2] - curve, s.p[2] + curve}};
  }
  const double m = 0.5 * (a_ + b_), r = (b_ - m) * (1 + 4 * eps);
  const Shifted s = shift(c, d, m, b_);
  Jet<Interval> x(around(s.p[0], spread(s.p, d, r, 0), factor * s.size0));
  x.slope = around(s.p[1], spread(s.p, d, r, 1), factor * d * s.size1);
  x.curve = around(s.p[2], spread(s.p, d, r, 2), factor * d * d * s.size2);
  return x;
}

template <>
Jet<double> StepStates<Jet<double>>::time_of_part() const {
  Jet<double> t(step_->t0 + a_ * step_->span);
  t.slope = step_->span;
  return t;
}

namespace {

// The start of a step is the start of most parts, and a product with zero takes a long way.
Interval time_over(const Step& step, double a, double b) {
  const Interval end = Interval(b) * step.span;
  return Interval(step.t0) + (a == 0 ? hull(Interval(0.0), end) : a == b ? end : Interval(a, b) * step.span);
}

}  // namespace

template <>
Interval StepStates<Interval>::time_of_part() const {
  return time_over(*step_, a_, b_);
}

template <>
Jet<Interval> StepStates<Jet<Interval>>::time_of_part() const {
  Jet<Interval> t(time_over(*step_, a_, b_));
  t.slope = Interval(step_->span);
  return t;
}

template class StepStates<Interval>;
template class StepStates<Jet<double>>;
template class StepStates<Jet<Interval>>;

Interval coarse_range(const Step& step, int component) {
  const int d = step.degree();
  const double* c = step.coefficients() + static_cast<std::ptrdiff_t>(component) * (d + 1);
  const double end = std::abs((step.t1 - step.t0) / step.span);  // beyond 1 where a step was cut past its end
  double lo = 0, hi = 0, power = 1;
  for (int k = 1; k <= d; ++k) {
    power *= end;
    const double term = c[k] * power;
    (term < 0 ? lo : hi) += term;
  }
  const double margin = (4 * d + 8) * eps * (std::abs(c[0]) + hi - lo);
  return {c[0] + lo - margin, c[0] + hi + margin};
}

}  // namespace pawl::event
