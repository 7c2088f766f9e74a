#include "event/sign_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/rounding.hpp"

namespace pawl::event {

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
    if (zero.is_pole && !counts_poles_) {
      if (side_ != sign) passes_.push_back({zero.left, zero.right, side_, sign});
      side_ = sign;
      return true;
    }
    // It left zero by less than rounding, and is back: for a guard that must never be beyond, an event all the same.
    if (is_leading && starts_at_zero_ && is_strict_ && sign == -side_ &&
        (direction_ == Direction::either || static_cast<int>(direction_) == sign))
      return cross({zero.left, zero.right, side_, sign, true});
    if (side_ == 0 || (is_leading && starts_at_zero_)) {
      departure_ = zero.right;
      has_strayed_ = sign == -side_;
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
    has_strayed_ = has_strayed_ || sign == -side_;
    side_ = sign;
    return true;
  }
  // It crossed within rounding of the end of the last step, or left zero by less than rounding and is back.
  return cross({a, a, side_, sign, starts_at_zero_ && a <= 0});
}

bool ChartReader::emit_pole(double a, double b) {
  const bool goes_on = emit(0, a, b);
  zero_->is_pole = true;
  return goes_on;
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
  wide_.values.resize(static_cast<std::size_t>(size));
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
  return g.is_nan() ? Interval::whole() : g;
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
  from_ = from;
  to_ = to;
  nodes_ = zeros_ = undecided_ = cuts_ = 0;
  scale_ = -1;
  stop_ = Stop::none;
  doubt_ = nullptr;
  near_miss.reset();
  node(from, to, sign_at(guard, from), sign_at(guard, to));
  return stop_ == Stop::none;
}

bool GenericChart::end_at(double theta, Stop why, const char* doubt) {
  frontier_ = theta;
  stop_ = why;
  if (doubt != nullptr) doubt_ = doubt;
  return false;
}

// False: stop, an event was found or the chart ends here.
bool GenericChart::node(double a, double b, int sa, int sb) {
  if (++nodes_ > budget_) return end_at(a, Stop::spent);
  const bool is_smallest = b - a <= 4 * ulp_at(b);
  if (guards_.has_values_only(guard_)) {
    const int sign = nodes_ == 1 ? 0 : sign_over(guard_, a, b);
    if (sign != 0 || is_smallest) return reader_->emit(sign, a, b);
    return halves(a, b, sa, sb);
  }
  if (nodes_ > patience_ && a - from_ < (to_ - from_) / 16)
    return end_at(a, Stop::slow, "its terms cancel, and what they leave is far smaller than their ranges");
  const double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 2 * eps);
  range_jets_.select(a, b);
  const Jet<Interval> w = guards_.evaluate(guard_, range_jets_.time(), range_jets_);
  if (detail::has_left_domain && !is_smallest && !is_at_border(a, b)) {  // is some of the motion without a value?
    if (++cuts_ <= most_cuts_) return halves(a, b, sa, sb);
    doubt_ = "a root, logarithm, arc or power in it is at the border of its domain";
  }
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
  if (range.mag() <= 8 * v.value.radius() && is_rounding(v.value)) return rests(a, b);  // all of it
  if (w.curve.sign() != 0) return convex(a, b, sa, sb, w.curve);
  if (is_smallest) {
    if (w.value.is_nan() || v.value.is_nan()) return end_at(a, Stop::not_a_number);
    const auto value = [this](double theta) {
      jets_.select(theta, theta);
      return guards_.evaluate(guard_, jets_.time(), jets_).value;
    };
    if (!w.value.is_finite() && is_pole(a, b, from_, to_, value)) return reader_->emit_pole(a, b);
    return rests(a, b);
  }
  return halves(a, b, sa, sb);
}

bool GenericChart::halves(double a, double b, int sa, int sb) {
  int sm = 0;
  const double middle = split_point(a, b, sm);
  if (sm != 0) {
    undecided_ = 0;
  } else if (!guards_.has_values_only(guard_)) {
    ranges_.select(middle, middle);
    const Interval value = guards_.evaluate(guard_, ranges_.time(), ranges_);
    if (!value.is_nan() && !is_rounding(value) && ++undecided_ > most_undecided_)
      return end_at(a, Stop::undecided, "its range at a single instant contains zero and is as large as its values");
  }
  return node(a, middle, sa, sm) && node(middle, b, sm, sb);
}

// Whether the border of a domain is within rounding all over [a, b], as far as a few instants show.
bool GenericChart::is_at_border(double a, double b) {
  for (const double share : {0.5, 0.0, 1.0, 0.2873, 0.7391}) {
    const double theta = a + share * (b - a);
    ranges_.select(theta, theta);
    const Interval value = guards_.evaluate(guard_, ranges_.time(), ranges_);
    if (!detail::has_left_domain || value.is_nan()) return false;
  }
  return true;
}

// Zero to rounding on [a, b]. Where that goes on and on, ranges are too coarse to show it at once.
bool GenericChart::rests(double a, double b) {
  zeros_ = a == zero_end_ ? zeros_ + 1 : 1;
  zero_end_ = b;
  if (zeros_ > most_zeros_) return end_at(a, Stop::slow, "it stays at zero to rounding");
  return reader_->emit(0, a, b);
}

// Whether a range at one instant is as narrow as rounding makes it, against the values that the guard takes for states
// of this size: those of the step and half as much around them.
bool GenericChart::is_rounding(const Interval& value) {
  if (!value.is_finite()) return false;
  if (scale_ < 0) {
    const auto around = [](const Interval& x) { return x + Interval(-0.5, 0.5) * x.mag(); };
    ranges_.select(from_, to_);
    const auto* followers = guards_.followers();
    const auto count = static_cast<std::size_t>(step_->size() + (followers != nullptr ? followers->count() : 0));
    if (wide_.values.size() < count) wide_.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) wide_.values[i] = around(ranges_.state(static_cast<int>(i)));
    const double size = guards_.evaluate(guard_, around(ranges_.time()), wide_).mag();
    scale_ = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  }
  return value.radius() <= 1e-4 * scale_;
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
