#include "integrate/follower_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace pawl {

namespace {

constexpr std::array<double, 13> places{0,     1,     0.5,     0.25,     0.75,    0.0625,  0.9375,
                                        0.375, 0.625, 1. / 64, 63. / 64, 5. / 32, 27. / 32};
constexpr std::array<int, 4> count_of_level{3, 5, 9, 13};
constexpr int most_pins = 6;
constexpr double well_pinned = 4e-15;  // nothing is left but rounding
constexpr std::size_t most_seen = 4;
constexpr double rounding = 1e-12;  // of the largest value: what solutions of a mechanism may be off

/// The largest |Π (θ - place)| over [0, 1], for the first 0, 1, 2, ... places.
std::array<double, places.size()> largest_products() {
  std::array<double, places.size()> largest{};
  for (int i = 0; i <= 512; ++i) {
    double product = 1;
    for (std::size_t k = 0; k < places.size(); ++k) {
      largest[k] = std::max(largest[k], std::abs(product));
      product *= i / 512.0 - places[k];
    }
  }
  return largest;
}

}  // namespace

FollowerLevels::FollowerLevels(Source source, double tolerance, int size)
    : source_(std::move(source)), tolerance_(100 * std::max(tolerance, rounding)), x_(static_cast<std::size_t>(size)) {
  errors_.resize(static_cast<std::size_t>(source_.count));
}

void FollowerLevels::see(double t, const double* x) {
  if (is_wanted_ && source_.are_known(t, x)) values_at(t, x);
}

bool FollowerLevels::find(double t, const double* x, std::vector<double>& values) const {
  values.resize(static_cast<std::size_t>(count()));
  source_.values(t, x, values.data());
  return !are_shared() || source_.are_of_constraints(t, x);
}

const FollowerLevels::Instant& FollowerLevels::values_at(double t, const double* x) {
  for (const Instant& one : seen_) {
    if (one.t == t && std::equal(one.x.begin(), one.x.end(), x)) return one;
  }
  if (seen_.size() < most_seen) seen_.emplace_back();
  Instant& one = seen_[oldest_];
  oldest_ = (oldest_ + 1) % most_seen;
  one.t = t;
  one.x.assign(x, x + x_.size());
  one.is_smooth = find(t, x, one.values);
  return one;
}

void FollowerLevels::begin(const Step& step) {
  t0_ = step.t0;
  span_ = step.span;
  start_.assign(step.start(), step.start() + step.size());
  nodes_.clear();
  level_ = -1;
  degree_ = pins_ = 0;
}

// Seen again, it is a better state.
void FollowerLevels::see_inside(double theta, double t, const double* x) {
  if (!is_wanted_ || !source_.are_known(t, x)) return;
  auto node = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.theta == theta; });
  if (node == nodes_.end()) node = nodes_.insert(node, {theta, {}});
  node->is_smooth = find(t, x, node->values);
}

bool FollowerLevels::is_of(const Step& step) const {
  return t0_ == step.t0 && span_ == step.span && std::equal(start_.begin(), start_.end(), step.start());
}

void FollowerLevels::read(const Step& step) {
  if (start_.empty() || !is_of(step)) begin(step);
}

void FollowerLevels::add(const Step& step, double theta) {
  if (std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.theta == theta; })) return;
  if (theta == 0 || (theta == 1 && step.t1 == step.t0 + step.span)) {
    const Instant& end = theta == 0 ? values_at(step.t0, step.start()) : values_at(step.t1, step.end());
    nodes_.push_back({theta, end.values, end.is_smooth});
  } else {
    const double t = step.t0 + theta * step.span;
    evaluate_polynomials(step.coefficients(), step.size(), step.degree(), theta, x_.data());
    if (pull) pull(t, x_.data());
    nodes_.push_back({theta, {}});
    nodes_.back().is_smooth = find(t, x_.data(), nodes_.back().values);
  }
}

bool FollowerLevels::draw(const Step& step) {
  read(step);
  is_wanted_ = true;
  const bool are_good = are_drawn() && std::all_of(errors_.begin(), errors_.end(), [](double e) { return e == 0; });
  if (are_good || level_ + 1 == static_cast<int>(count_of_level.size()) || pins_ > 0) return false;
  ++level_;
  // What was seen inside the step may be a level more.
  const auto is_seen = [this](double theta) {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.theta == theta; });
  };
  if (level_ == 0 && is_seen(0.25) && is_seen(0.75)) level_ = 1;
  // That was at states of a polynomial which has been raised since: where more is asked for, all are those of the last.
  if (level_ == 2) std::erase_if(nodes_, [](const Node& one) { return one.theta != 0 && one.theta != 1; });
  const auto wanted = static_cast<std::size_t>(count_of_level[static_cast<std::size_t>(level_)]);
  for (std::size_t i = 0; i < wanted; ++i) add(step, places[i]);
  const auto order = [](double theta) { return std::find(places.begin(), places.end(), theta); };
  std::sort(nodes_.begin(), nodes_.end(),
            [&](const Node& a, const Node& b) { return order(a.theta) < order(b.theta); });
  fit();
  return true;
}

// By a shift: what is off is below the tolerance, and another node so near to others would make much of its rounding.
bool FollowerLevels::pin(const Step& step, double theta) {
  read(step);
  if (!are_drawn() || pins_ >= most_pins) return false;
  const double t = step.t0 + theta * step.span;
  evaluate_polynomials(step.coefficients(), step.size(), step.degree(), theta, x_.data());
  if (pull) pull(t, x_.data());
  std::vector<double> there(static_cast<std::size_t>(count()));
  source_.values(t, x_.data(), there.data());
  double worst = 0;  // relative
  for (int k = 0; k < count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    double size = 0;
    for (const Node& one : nodes_) size = std::max(size, std::abs(one.values[i]));
    const double off = there[i] - at(k, theta);
    if (!std::isfinite(off)) return false;
    if (errors_[i] == 0 && size > 0) worst = std::max(worst, std::abs(off) / size);
    c_[i * static_cast<std::size_t>(degree_ + 1)] += off;
  }
  pins_ = worst <= well_pinned ? most_pins : pins_ + 1;
  return true;
}

// Newton's divided differences, expanded into powers. What is good enough stays what it is: somebody may have read it.
void FollowerLevels::fit() {
  static const auto largest = largest_products();
  const std::size_t n = nodes_.size(), before_n = static_cast<std::size_t>(degree_) + 1;
  const std::vector<double> before = std::exchange(c_, std::vector<double>(static_cast<std::size_t>(count()) * n));
  const bool were_drawn = std::exchange(degree_, static_cast<int>(n) - 1) > 0;
  std::vector<double> d(n);
  for (std::size_t k = 0; k < static_cast<std::size_t>(count()); ++k) {
    if (were_drawn && errors_[k] == 0) {
      std::copy_n(before.data() + k * before_n, before_n, c_.data() + k * n);
      continue;
    }
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = nodes_[i].values[k];
      size = std::max(size, std::abs(d[i]));
    }
    for (std::size_t order = 1; order < n; ++order) {
      for (std::size_t i = n - 1; i >= order; --i)
        d[i] = (d[i] - d[i - 1]) / (nodes_[i].theta - nodes_[i - order].theta);
    }
    double* c = c_.data() + k * n;
    for (std::size_t i = n; i-- > 0;) {  // c := c (θ - θ_i) + d_i
      for (std::size_t power = n - 1; power > 0; --power) c[power] = c[power - 1] - nodes_[i].theta * c[power];
      c[0] = d[i] - nodes_[i].theta * c[0];
    }
    const double last = std::abs(d[n - 1]) * largest[n - 1], next_to_last = std::abs(d[n - 2]) * largest[n - 2];
    const double error = std::max(last, 0.1 * next_to_last);
    // Above: four times that, which bounds kinks too.
    const double bound = std::isfinite(error) ? 4 * error : std::numeric_limits<double>::infinity();
    errors_[k] = error <= tolerance_ * size ? 0 : bound;
  }
}

double FollowerLevels::at(int k, double theta) const {
  double value = 0;
  evaluate_polynomials(polynomial(k), 1, degree_, theta, &value);
  return value;
}

}  // namespace pawl
