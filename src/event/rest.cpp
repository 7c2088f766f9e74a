#include "event/rest.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {
constexpr double at_rest = 64 * eps;  // what may be left of a difference that rests at zero, relative to its terms

}  // namespace

Rest::Rest(GuardSet& guards, const StepControl& control, int size)
    : guards_(guards),
      control_(control),
      n_(static_cast<std::size_t>(size)),
      largest_(n_, 0),
      largest_rate_(n_, 0),
      is_solved_(guards.model().is_implicit()),
      x_(n_),
      moved_(n_) {
  const auto followers = guards.followers() != nullptr ? static_cast<std::size_t>(guards.followers()->count()) : 0;
  box_.values.resize(n_ + followers, Interval(-infinity, infinity));
  sizes_.resize(followers);
}

void Rest::see(const double* x) {
  for (std::size_t i = 0; i < n_; ++i) largest_[i] = std::max(largest_[i], std::abs(x[i]));
}

void Rest::see(const Moment& moment) {
  see(moment.x);
  see(moment.scale);
  step_size_ = moment.step_size;
  for (std::size_t i = 0; i < n_; ++i) largest_rate_[i] = std::max(largest_rate_[i], std::abs(moment.rate[i]));
}

double Rest::margin(Band band, std::size_t i) const {
  const double rounding = at_rest * (is_solved_ ? std::max(largest_[i], control_.absolute[i]) : largest_[i]);
  if (band == Band::rounding) return rounding;
  return std::max(rounding, control_.absolute[i] + control_.relative * largest_[i]);
}

double Rest::rate_margin(Band band, std::size_t i) const {
  const bool is_rounded_only = band == Band::rounding || (band == Band::noise && !is_solved_);
  const double seen = (is_rounded_only ? at_rest : std::max(at_rest, control_.relative)) * largest_rate_[i];
  return is_solved_ && step_size_ > 0 ? std::max(seen, margin(Band::rounding, i) / step_size_) : seen;
}

double Rest::decisive_rate(std::size_t i) const {
  return step_size_ > 0 ? margin(Band::integration, i) / step_size_ : infinity;
}

// What rests is a difference: its terms must not move together.
double Rest::noise(Band band, int guard, double t, const double* x, double value, double times) {
  double sum = 0;
  moved_.assign(x, x + n_);
  for (std::size_t i = 0; i < n_; ++i) {
    moved_[i] = x[i] + times * std::max(margin(band, i), at_rest * std::abs(x[i]));
    sum += std::abs(guards_.evaluate(guard, t, moved_.data()) - value);
    moved_[i] = x[i];
  }
  if (sizes_.empty() || guards_.is_of_contact(guard) || !guards_.followers()->sizes(t, x, sizes_.data())) return sum;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (sizes_[k] > 0)
      sum += std::abs(guards_.evaluate_moved(guard, t, x, static_cast<int>(k), at_rest * sizes_[k]) - value);
  }
  return sum;
}

int Rest::sign_beyond(Band band, int guard, double t, const double* x, double times) {
  if (guards_.is_told_by_ranges(guard)) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double d = times * margin(band, i);
      box_.values[i] = Interval(x[i] - d, x[i] + d);
    }
    return guards_.evaluate(guard, Interval(t), box_).sign();
  }
  const double g = guards_.evaluate(guard, t, x);
  return std::abs(g) > noise(band, guard, t, x, g, times) ? sign_of(g) : 0;
}

// Differences along the motion, over distances at which rounding and what is left out are about the same.
Signs Rest::look_at_black_box(Band band, int guard, const Moment& moment, const double* second, double* forecast) {
  const double g = guards_.evaluate(guard, moment.t, moment.x);
  const double known = noise(band, guard, moment.t, moment.x, g) + 4 * eps * std::abs(g);
  Signs verdict;
  if (std::abs(g) > known) verdict.sign = sign_of(g);
  const double length = std::max(moment.step_size, 1e-9 * std::abs(moment.t));
  const auto move = [&](double d) {
    for (std::size_t i = 0; i < n_; ++i) {
      x_[i] = moment.x[i] + moment.direction * d * moment.rate[i];
      if (second != nullptr) x_[i] += 0.5 * d * d * second[i];
    }
    return moment.t + moment.direction * d;
  };
  const auto change = [&](double d) {
    const double t = move(d);
    return guards_.evaluate(guard, t, x_.data()) - g;
  };
  // Terms that grow from zero, and cancel, round by what they are over there.
  const auto known_over_there = [&](double d) {
    const double t = move(d), value = guards_.evaluate(guard, t, x_.data());
    return std::max(known, noise(band, guard, t, x_.data(), value) + 4 * eps * std::abs(value));
  };
  const double way = std::cbrt(eps) * length, slope = change(way);
  if (forecast != nullptr && g * slope < 0) *forecast = -g * way / slope;
  if (std::abs(slope) > 4 * known && std::abs(slope) > 4 * known_over_there(way)) verdict.slope = sign_of(slope);
  if (second == nullptr || verdict.slope != 0) return verdict;
  const double bend = std::pow(eps, 0.25) * length, curve = change(bend) + change(-bend);
  if (std::abs(curve) > 8 * known && std::abs(curve) > 8 * known_over_there(bend)) verdict.curve = sign_of(curve);
  return verdict;
}

std::optional<Zero> Rest::end_in(const Step& step, int guard, double limit, Band band, bool is_fresh, double patience) {
  constexpr int parts = 8, halvings = 44;
  see(step.start());
  see(step.end());
  const auto sign_at = [&](Band within, double times, double theta) {
    evaluate_polynomials(step.coefficients(), step.size(), step.degree(), theta, x_.data());
    return sign_beyond(within, guard, step.t0 + theta * step.span, x_.data(), times);
  };
  const bool is_patient = patience > 0;
  const double times = is_patient ? patience : 1;
  const auto leaves_by = [&](double theta) -> std::optional<Zero> {
    const int sign = sign_at(band, times, theta);
    if (sign == 0) return std::nullopt;
    double inside = 0, beyond = theta;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (inside + beyond);
      (sign_at(is_patient ? band : Band::rounding, times, middle) == sign ? beyond : inside) = middle;
    }
    return Zero{inside, beyond, 0, sign};
  };
  for (int k = is_fresh ? halvings : 0; k > 0; --k) {
    if (auto end = leaves_by(std::ldexp(limit / parts, -k))) return end;
  }
  for (int part = 1; part <= parts; ++part) {
    if (auto end = leaves_by(limit * part / parts)) return end;
  }
  return std::nullopt;
}

}  // namespace pawl::event
