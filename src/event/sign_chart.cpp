#include "event/sign_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::event {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
}

bool ChartReader::emit(int sign, double a, double b) {
  if (sign == 0) {
    if (zero_) {
      zero_->right = b;
      return true;
    }
    zero_ = Stretch{a, b};
    if (!touches_.empty()) {  // zeros that only rounding parts are one
      const Zero& last = touches_.back();
      if (a - last.right <= 16 * (last.right - last.left) + 1e-13) {
        zero_->left = last.left;
        touches_.pop_back();
      }
    }
    return true;
  }
  if (zero_) {
    const Stretch zero = *zero_;
    zero_.reset();
    const bool is_leading = zero.left <= 0;
    // It left zero by less than rounding, and is back: for a guard that must never be beyond, an event all the same.
    if (is_leading && starts_at_zero_ && is_strict_ && sign == -side_ &&
        (direction_ == Direction::either || static_cast<int>(direction_) == sign))
      return cross({zero.left, zero.right, side_, sign, true});
    if (side_ == 0 || (is_leading && starts_at_zero_)) {
      departure_ = zero.right;
      side_ = sign;
      return true;
    }
    const Zero found{zero.left, zero.right, side_, sign};
    if (found.is_touch()) {
      const bool is_still_leaving = starts_at_zero_ && zero.left < 1e-9;
      if (is_leading || is_still_leaving) return true;
      if (fires_on_touch_) {
        event_ = found;
        return false;
      }
      touches_.push_back(found);
      return true;
    }
    return cross(found);
  }
  const bool is_forbidden =
      is_strict_ && sign == -side_ && (direction_ == Direction::either || static_cast<int>(direction_) == sign);
  if (side_ == 0 || sign == side_ ||
      (starts_at_zero_ && !is_forbidden)) {  // the first label: a proof where arming could only forecast
    side_ = sign;
    return true;
  }
  return cross({a, a, side_, sign});  // it crossed within rounding of the end of the last step
}

bool ChartReader::cross(const Zero& found) {
  side_ = found.after;
  const bool is_in_direction = direction_ == Direction::either || static_cast<int>(direction_) == found.after;
  if (is_in_direction && found.right > settles_until_) {
    event_ = found;
    return false;
  }
  if (is_in_direction) settles_until_ = -1;  // once
  passes_.push_back(found);
  return true;
}

int ChartReader::side_at(double theta) const {
  int side = event_ ? event_->before : side_;  // an event that has not fired yet is still to come
  for (auto pass = passes_.rbegin(); pass != passes_.rend() && pass->left >= theta; ++pass) side = pass->before;
  return side;
}

GenericChart::GenericChart(GuardSet& guards, int size) : guards_(guards) {
  ranges_.resize(size);
  jets_.resize(size);
  range_jets_.resize(size);
}

void GenericChart::read(const Step& step) {
  step_ = &step;
  ranges_.read(step, guards_.followers());
  jets_.read(step, guards_.followers());
  range_jets_.read(step, guards_.followers());
}

double GenericChart::ulp_at(double theta) const {
  const double t = step_->t0 + theta * step_->span;
  return std::max({eps * std::abs(t) / std::abs(step_->span), eps * theta, 1e-4 * eps});  // never zero: it is doubled
}

Interval GenericChart::range_over(int guard, double a, double b) {
  ranges_.select(a, b);
  ranges_.forget_reads();
  const Interval g = guards_.evaluate(guard, ranges_.time(), ranges_);
  if (g.is_nan()) {  // a range may leave the domain of the guard where the motion does not: halves decide
    if (b - a <= 4 * ulp_at(b)) throw_not_a_number(guard, a);
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  return g;
}

int GenericChart::sign_over(int guard, double a, double b) {
  return range_over(guard, a, b).sign();
}

Jet<double> GenericChart::jet_at(int guard, double theta) {
  jets_.select(theta, theta);
  const Jet<double> g = guards_.evaluate(guard, jets_.time(), jets_);
  if (std::isnan(g.value)) throw_not_a_number(guard, theta);
  return g;
}

// Where in the step it stopped being a number, by bisection.
void GenericChart::throw_not_a_number(int guard, double theta) {
  const auto is_number = [&](double at) {
    ranges_.select(at, at);
    return !guards_.evaluate(guard, ranges_.time(), ranges_).is_nan();
  };
  double good = 0, bad = theta;
  if (!is_number(good)) throw GuardNotANumber(guard, step_->t0);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (good + bad);
    (is_number(middle) ? good : bad) = middle;
  }
  throw GuardNotANumber(guard, step_->t0 + bad * step_->span);
}

bool GenericChart::cover(int guard, double from, double to, ChartReader& reader) {
  guard_ = guard;
  reader_ = &reader;
  nodes_ = 0;
  is_spent_ = false;
  near_miss.reset();
  node(from, to, sign_at(guard, from), sign_at(guard, to));
  return !is_spent_;
}

// False: stop, an event was found or the budget is spent.
bool GenericChart::node(double a, double b, int sa, int sb) {
  if (++nodes_ > budget_) {
    frontier_ = a;
    is_spent_ = true;
    return false;
  }
  const bool is_smallest = b - a <= 4 * ulp_at(b);
  if (guards_.has_values_only(guard_)) {
    const int sign = nodes_ == 1 ? 0 : sign_over(guard_, a, b);
    if (sign != 0 || is_smallest) return reader_->emit(sign, a, b);
    int sm = 0;
    const double middle = split_point(a, b, sm);
    return node(a, middle, sa, sm) && node(middle, b, sm, sb);
  }
  const double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 2 * eps);
  range_jets_.select(a, b);
  const Jet<Interval> w = guards_.evaluate(guard_, range_jets_.time(), range_jets_);
  if (w.value.sign() != 0) return reader_->emit(w.value.sign(), a, b);
  range_jets_.select(m, m);
  const Jet<Interval> v = guards_.evaluate(guard_, range_jets_.time(), range_jets_);
  const Interval reach(-r, r);
  Interval range = w.value, slope = w.slope;
  if (!v.value.is_nan() && !w.slope.is_nan()) {
    range = intersect(range, v.value + w.slope * reach);                                                 // mean value
    range = intersect(range, v.value + v.slope * reach + w.curve * Interval(0, r * r * (1 + 2 * eps)));  // second order
    slope = intersect(slope, v.slope + 2.0 * w.curve * reach);
  }
  if (range.sign() != 0) return reader_->emit(range.sign(), a, b);
  if (slope.sign() != 0) return monotone(a, b, sa, sb, slope.sign());
  if (range.mag() <= 8 * v.value.radius()) return reader_->emit(0, a, b);  // all of it is below rounding
  if (w.curve.sign() != 0) return convex(a, b, sa, sb, w.curve);
  if (is_smallest) {
    if (w.value.is_nan() || v.value.is_nan()) throw_not_a_number(guard_, a);
    return reader_->emit(0, a, b);
  }
  int sm = 0;
  const double middle = split_point(a, b, sm);
  return node(a, middle, sa, sm) && node(middle, b, sm, sb);
}

// A point inside whose sign is certain, if one of a few tries has one.
double GenericChart::split_point(double a, double b, int& sign) {
  for (const double share : {0.5, 0.4637, 0.5619, 0.3891, 0.6533}) {
    const double theta = a + share * (b - a);
    sign = sign_at(guard_, theta);
    if (sign != 0) return theta;
  }
  return 0.5 * (a + b);
}

// The guard is proved to be strictly monotone on [a, b].
bool GenericChart::monotone(double a, double b, int sa, int sb, int direction) {
  if (sa != 0 && sa == sb) return reader_->emit(sa, a, b);
  if (sa == direction) return reader_->emit(sa, a, b);   // it starts beyond zero and moves away
  if (sb == -direction) return reader_->emit(sb, a, b);  // it ends short of zero
  double l = a, r = b, x = sa == 0 ? a : sb == 0 ? b : 0.5 * (a + b);
  double value = 0, slope = 0;
  if (sa != 0 && sb != 0) {  // Newton in plain numbers, kept inside the bracket
    for (int i = 0; i < 60; ++i) {
      const Jet<double> g = jet_at(guard_, x);
      ++iterations;
      value = g.value;
      slope = g.slope;
      if (value == 0) break;
      (value * direction < 0 ? l : r) = x;
      double next = x - value / slope;
      if (!(next > l && next < r)) next = 0.5 * (l + r);
      const double move = std::abs(next - x);
      x = next;
      if (move <= std::max(ulp_at(x), 0.25 * location_tolerance) || r - l <= 2 * ulp_at(x)) break;
    }
  } else {
    const Jet<double> g = jet_at(guard_, x);
    value = g.value;
    slope = g.slope;
  }
  // Widen until both signs are proved: l and r are then one root's bracket.
  double left = a, right = b;
  const double least = std::max({ulp_at(x), std::abs(1.5 * value / slope), 0.5 * location_tolerance});
  if (sa != 0) {
    for (double d = least;; d *= 2) {
      left = x - d;
      if (left <= a) {
        left = a;
        break;
      }
      if (sign_at(guard_, left) != 0) break;
    }
    if (left > a && !reader_->emit(-direction, a, left)) return false;
  }
  if (sb != 0 || sa == 0) {
    for (double d = least;; d *= 2) {
      right = x + d;
      if (right >= b) {
        right = b;
        break;
      }
      if (sign_at(guard_, right) != 0) break;
    }
  }
  if (!reader_->emit(0, left, right)) return false;
  if (right < b) return reader_->emit(direction, right, b);
  return sb == 0 || reader_->emit(sb, b, b);
}

int GenericChart::slope_at(double theta) {
  range_jets_.select(theta, theta);
  return guards_.evaluate(guard_, range_jets_.time(), range_jets_).slope.sign();
}

// The second derivative has one sign: at most two roots, parted by the extremum.
bool GenericChart::convex(double a, double b, int sa, int sb, const Interval& curve) {
  const int slope_a = slope_at(a), slope_b = slope_at(b);  // g' is monotone: between ends of one sign it has no root
  if (slope_a != 0 && slope_a == slope_b) return monotone(a, b, sa, sb, slope_a);
  double l = a, r = b, e = 0.5 * (a + b);
  const int bend = curve.sign();
  for (int i = 0; i < 60; ++i) {  // root of g', kept inside the bracket
    const Jet<double> g = jet_at(guard_, e);
    ++iterations;
    if (g.slope == 0) break;
    (g.slope * bend < 0 ? l : r) = e;
    double next = e - g.slope / (2 * g.curve);
    if (!(next > l && next < r)) next = 0.5 * (l + r);
    const double move = std::abs(next - e);
    e = next;
    if (move <= ulp_at(e) || r - l <= 2 * ulp_at(e)) break;
  }
  range_jets_.select(e, e);
  const Jet<Interval> v = guards_.evaluate(guard_, range_jets_.time(), range_jets_);
  // The extremum of g differs from g(e) by at most g'(e)^2 / (4 * curve), whatever the error of e.
  const Interval extremum = hull(v.value, v.value - sqr(v.slope) / (4.0 * curve));
  const int se = extremum.sign();
  if (!near_miss || std::abs(extremum.mid()) < std::abs(near_miss->value)) near_miss = NearMiss{e, extremum.mid()};
  if (se != 0) {
    if (se == bend) return reader_->emit(se, a, b);  // the extremum is on the far side of zero from nowhere: no root
    if (e <= a || e >= b) return monotone(a, b, sa, sb, e <= a ? bend : -bend);
    return monotone(a, e, sa, se, -bend) && monotone(e, b, se, sb, bend);
  }
  // A touch, as far as rounding can tell: 0 around e, between points of proved sign.
  const auto walk = [&](double direction, double limit) {
    for (double d = std::max(ulp_at(e), std::sqrt(v.value.radius() / curve.mag()) / 64);; d *= 2) {
      const double theta = e + direction * d;
      if (direction * (theta - limit) >= 0) return limit;
      if (sign_at(guard_, theta) != 0) return theta;
    }
  };
  const double left = walk(-1, a), right = walk(1, b);
  if (left > a && !reader_->emit(bend, a, left)) return false;
  if (!reader_->emit(0, left, right)) return false;
  if (right < b) return reader_->emit(bend, right, b);
  return sb == 0 || reader_->emit(sb, b, b);
}

}  // namespace pawl::event
