#include "stabilize/hermite_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/elimination.hpp"

namespace pawl::stabilize {

namespace {

constexpr int degree = 8, count = degree + 1;
constexpr double largest_bump = 1.0 / 64, largest_bump_slope = 0.053666;  // of B and its derivative on [0, 1]

/// B(s) (s - 1/2)^k as a polynomial in s.
std::array<double, 9> bump_times(int power) {
  std::array<double, 9> row{0, 0, 0, 1, -3, 3, -1, 0, 0};
  for (int k = 0; k < power; ++k) {
    for (int i = degree; i >= 0; --i)
      row[static_cast<std::size_t>(i)] =
          (i > 0 ? row[static_cast<std::size_t>(i - 1)] : 0) - 0.5 * row[static_cast<std::size_t>(i)];
  }
  return row;
}

constexpr double middle = 0.5, quarters[3] = {0.25, 0.5, 0.75};

double second_derivative(const double* c, double s) {
  double sum = 0;
  for (int k = degree; k >= 2; --k) sum = sum * s + k * (k - 1) * c[k];
  return sum;
}

}  // namespace

// The second derivatives of the first bumps at as many points, inverted.
HermiteLevels::Fit HermiteLevels::fit_at(const double* points, int how_many) {
  Fit fit;
  Eigen::MatrixXd values(how_many, how_many);
  for (int k = 0; k < how_many; ++k) {
    fit.bumps[static_cast<std::size_t>(k)] = bump_times(k);
    for (int j = 0; j < how_many; ++j)
      values(j, k) = second_derivative(fit.bumps[static_cast<std::size_t>(k)].data(), points[j]);
  }
  fit.inverse = linear::inverse(values);
  return fit;
}

HermiteLevels::HermiteLevels(formulate::MechanicsForm& form, const VectorField& field, const StepControl& control,
                             int size)
    : field_(field), control_(control), newton_(form, size), one_(fit_at(&middle, 1)), three_(fit_at(quarters, 3)) {
  const MechanicsInfo& info = form.terms().info();
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] >= 0)
      coordinates_.push_back({info.positions[i], info.speeds[static_cast<std::size_t>(info.speed_of[i])]});
  }
  is_all_ = 2 * coordinates_.size() == static_cast<std::size_t>(size);
  c_.resize(coordinates_.size() * count);
  last_.resize(coordinates_.size());
  x_.resize(static_cast<std::size_t>(size));
  rates_.resize(static_cast<std::size_t>(size));
  inside_.resize(coordinates_.size() * 3);
}

void HermiteLevels::write_base(const Step& step, const double* start_rate, const double* end_rate) {
  const double h = step.span;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const auto [q, v] = coordinates_[i];
    const double q0 = step.start()[q], q1 = step.end()[q], v0 = h * step.start()[v], v1 = h * step.end()[v],
                 a0 = h * h * start_rate[v], a1 = h * h * end_rate[v];
    // What is missing at s = 1 after value, slope and half the curvature at s = 0.
    const double slope = v1 - v0 - a0, curve = a1 - a0;
    // In a short step the difference of positions is rounding, which the derivative would divide by the step: then
    // speeds and accelerations alone say how far it went, to O(h^5).
    const double moved = q1 - q0 - v0 - 0.5 * a0, expected = 0.5 * slope - curve / 12;
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(q0), std::abs(q1));
    const double value = std::abs(moved - expected) <= rounding ? expected : moved;
    double* c = c_.data() + i * count;
    c[0] = q0;
    c[1] = v0;
    c[2] = 0.5 * a0;
    c[3] = 10 * value - 4 * slope + 0.5 * curve;
    c[4] = -15 * value + 7 * slope - curve;
    c[5] = 6 * value - 3 * slope + 0.5 * curve;
    c[6] = c[7] = c[8] = 0;
  }
}

// The state inside the step as the polynomials have it, pulled onto the manifold, and its rates.
bool HermiteLevels::evaluate_inside(const Step& step, double s) {
  const double t = step.t0 + s * step.span;
  if (!is_all_) step.at(t, x_.data());
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const double* c = c_.data() + i * count;
    double value = c[degree], slope = 0;
    for (int k = degree - 1; k >= 0; --k) {
      slope = slope * s + value;
      value = value * s + c[k];
    }
    x_[static_cast<std::size_t>(coordinates_[i].position)] = value;
    x_[static_cast<std::size_t>(coordinates_[i].speed)] = slope / step.span;
  }
  return newton_.pull(t, x_.data(), true, true);
}

// How far the middle of the step is from the manifold, in the error norm.
double HermiteLevels::pull_needed(const Step& step) {
  const double s = 0.5;
  if (!evaluate_inside(step, s)) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const double* c = c_.data() + i * count;
    const auto [q, v] = coordinates_[i];
    double value = c[degree], slope = 0;
    for (int k = degree - 1; k >= 0; --k) {
      slope = slope * s + value;
      value = value * s + c[k];
    }
    for (const auto& [state, drawn] : {std::pair{q, value}, std::pair{v, slope / step.span}}) {
      const auto k = static_cast<std::size_t>(state);
      const double part = (x_[k] - drawn) / (control_.absolute[k] + control_.relative * std::abs(x_[k]));
      sum += part * part;
    }
  }
  return std::sqrt(sum / static_cast<double>(2 * coordinates_.size()));
}

void HermiteLevels::raise(const Step& step, int how_many) {
  const double* points = how_many == 1 ? &middle : quarters;
  for (int j = 0; j < how_many; ++j) {
    if (!evaluate_inside(step, points[j])) return;
    ++evaluations;
    const double t = step.t0 + points[j] * step.span;
    field_(t, x_.data(), rates_.data());
    if (observer) observer(points[j], t, x_.data());
    for (std::size_t i = 0; i < coordinates_.size(); ++i)
      inside_[i * 3 + static_cast<std::size_t>(j)] =
          step.span * step.span * rates_[static_cast<std::size_t>(coordinates_[i].speed)];
  }
  const Fit& fit = how_many == 1 ? one_ : three_;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    double* c = c_.data() + i * count;
    double missing[3] = {0, 0, 0};
    for (int j = 0; j < how_many; ++j)
      missing[j] = inside_[i * 3 + static_cast<std::size_t>(j)] - second_derivative(c, points[j]);
    for (int k = 0; k < how_many; ++k) {
      double share = 0;
      for (int j = 0; j < how_many; ++j) share += fit.inverse(k, j) * missing[j];
      if (k == 0) last_[i] = share;
      for (int power = 0; power <= degree; ++power)
        c[power] += share * fit.bumps[static_cast<std::size_t>(k)][static_cast<std::size_t>(power)];
    }
  }
}

double HermiteLevels::size_of_correction(const Step& step) const {
  double sum = 0;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const auto q = static_cast<std::size_t>(coordinates_[i].position),
               v = static_cast<std::size_t>(coordinates_[i].speed);
    const double position =
        last_[i] * largest_bump / (control_.absolute[q] + control_.relative * std::abs(step.end()[q]));
    const double speed = last_[i] * largest_bump_slope / step.span /
                         (control_.absolute[v] + control_.relative * std::abs(step.end()[v]));
    sum += position * position + speed * speed;
  }
  return std::sqrt(sum / static_cast<double>(2 * coordinates_.size()));
}

void HermiteLevels::store(Step& step) {
  const int old = is_all_ ? 0 : step.degree(), size = step.size();
  if (!is_all_) kept_.assign(step.coefficients(), step.coefficients() + static_cast<std::ptrdiff_t>(size) * (old + 1));
  const int wide = std::max(old, degree);
  double* all = step.make_polynomial(wide);
  for (int i = 0; i < size && !is_all_; ++i) {
    for (int k = 0; k <= wide; ++k)
      all[i * (wide + 1) + k] = k <= old ? kept_[static_cast<std::size_t>(i * (old + 1) + k)] : 0;
  }
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const double* c = c_.data() + i * count;
    double* q = all + static_cast<std::ptrdiff_t>(coordinates_[i].position) * (wide + 1);
    double* v = all + static_cast<std::ptrdiff_t>(coordinates_[i].speed) * (wide + 1);
    for (int k = 0; k <= wide; ++k) {
      q[k] = k <= degree ? c[k] : 0;
      v[k] = k < degree ? (k + 1) * c[k + 1] / step.span : 0;
    }
    v[0] = step.start()[coordinates_[i].speed];
  }
}

void HermiteLevels::write(Step& step, const double* start_rate, const double* end_rate, int order) {
  write_base(step, start_rate, end_rate);
  // Up to order 6 the polynomial is as good as the step, unless the distance from the manifold in the middle, which is
  // the error in some directions, says otherwise.
  if (order > 6 || pull_needed(step) > 0.1) {
    raise(step, 1);
    if (size_of_correction(step) > 0.3) {
      ++raised;
      raise(step, 3);
    }
  }
  store(step);
}

}  // namespace pawl::stabilize
