#include "event/hermite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "event/sign_chart.hpp"
#include "numerics/rounding.hpp"

namespace pawl::event {

double resolution(double t) {
  return 4 * eps * std::abs(t) + std::numeric_limits<double>::min();
}

GuardProbe::GuardProbe(GuardSet& guards, int size)
    : guards_(guards),
      x_(static_cast<std::size_t>(size)),
      rate_(static_cast<std::size_t>(size)),
      moved_(static_cast<std::size_t>(size)) {
  jets_.values.resize(static_cast<std::size_t>(size));
}

void GuardProbe::read(double t, const double* x, const double* rate, double direction, double step_size) {
  t_ = t;
  direction_ = direction;
  step_size_ = step_size;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = x[i];
    rate_[i] = rate[i];
    jets_.values[i] = Jet<double>(x[i]);
    jets_.values[i].slope = direction * rate[i];
  }
}

void GuardProbe::read(const Step& step, double t, const double* x, double theta) {
  const int degree = step.degree();
  for (std::size_t i = 0; i < rate_.size(); ++i) {
    const double* c = step.coefficients() + static_cast<std::ptrdiff_t>(i) * (degree + 1);
    double slope = degree * c[degree];
    for (int k = degree - 1; k > 0; --k) slope = slope * theta + k * c[k];
    moved_[i] = slope / step.span;
  }
  const double direction = step.span < 0 ? -1 : 1;
  read(t, x, moved_.data(), direction, std::abs(step.span));
  time_ = direction * (t - step.t0);
}

void GuardProbe::read_start(const Step& step) {
  read(step, step.t0, step.start(), 0);
}

void GuardProbe::read_end(const Step& step) {
  read(step, step.t1, step.end(), (step.t1 - step.t0) / step.span);
}

void GuardProbe::read_at(const Step& step, double theta) {
  evaluate_polynomials(step.coefficients(), step.size(), step.degree(), theta, x_.data());
  read(step, step.t0 + theta * step.span, x_.data(), theta);
}

Node GuardProbe::look(int guard) {
  Node node{.time = time_};
  if (guards_[guard].is_generic && !guards_[guard].reads_followers && !guards_.has_values_only(guard)) {
    Jet<double> t(t_);
    t.slope = direction_;
    const Jet<double> g = guards_.evaluate(guard, t, jets_);
    node.value = g.value;
    node.rate = g.slope;
  } else {
    node.value = guards_.evaluate(guard, t_, x_.data());
    const double d = direction_ * std::sqrt(eps) * std::max(step_size_, 1e-6 * std::abs(t_));
    for (std::size_t i = 0; i < x_.size(); ++i) moved_[i] = x_[i] + d * rate_[i];
    node.rate = (guards_.evaluate(guard, t_ + d, moved_.data()) - node.value) / std::abs(d);
  }
  return node;
}

Node GuardProbe::operator()(int guard) {
  Node node = look(guard);
  if (std::isnan(node.value)) throw GuardNotANumber(guard, t_);
  if (!std::isfinite(node.rate)) node.rate = 0;
  return node;
}

double Polynomial::evaluate(const Coefficients& c, int degree, double s) {
  double value = c[static_cast<std::size_t>(degree)];
  for (int k = degree - 1; k >= 0; --k) value = value * s + c[static_cast<std::size_t>(k)];
  return value;
}

Polynomial::Coefficients Polynomial::derivative(const Coefficients& c, int degree) {
  Coefficients d{};
  for (int k = 1; k <= degree; ++k) d[static_cast<std::size_t>(k - 1)] = k * c[static_cast<std::size_t>(k)];
  return d;
}

// Divided differences with every node taken twice, then expanded into powers.
Polynomial Polynomial::hermite(std::span<const Node> nodes) {
  Polynomial p;
  const std::size_t count = 2 * nodes.size();
  const double from = nodes.front().time, width = nodes.back().time - from;
  std::array<double, most + 1> z{}, d{};
  for (std::size_t i = 0; i < count; ++i) {
    z[i] = (nodes[i / 2].time - from) / width;
    d[i] = nodes[i / 2].value;
  }
  for (std::size_t order = 1; order < count; ++order) {
    for (std::size_t i = count - 1; i >= order; --i)
      d[i] = order == 1 && i % 2 == 1 ? nodes[i / 2].rate * width : (d[i] - d[i - 1]) / (z[i] - z[i - order]);
  }
  p.degree_ = static_cast<int>(count) - 1;
  for (std::size_t i = count; i-- > 0;) {  // p := p (s - z_i) + d_i
    for (std::size_t k = most; k > 0; --k) p.c_[k] = p.c_[k - 1] - z[i] * p.c_[k];
    p.c_[0] = d[i] - z[i] * p.c_[0];
  }
  return p;
}

double Polynomial::operator()(double s) const {
  return evaluate(c_, degree_, s);
}

double Polynomial::slope(double s) const {
  return evaluate(derivative(c_, degree_), degree_ - 1, s);
}

bool Polynomial::excludes_roots() const {
  const Interval s(0, 1);
  Interval range(c_[static_cast<std::size_t>(degree_)]);
  for (int k = degree_ - 1; k >= 0; --k) range = range * s + c_[static_cast<std::size_t>(k)];
  return range.sign() != 0;
}

// The ends of [0, 1] and all places between where the slope changes sign: the polynomial is monotone from one to the
// next.
std::vector<double> Polynomial::turning_points(const Coefficients& c, int degree) {
  std::vector<double> points{0};
  if (degree > 1) {
    const Coefficients d = derivative(c, degree);
    const std::vector<double> between = turning_points(d, degree - 1);
    for (std::size_t i = 1; i < between.size(); ++i) {
      const double a = evaluate(d, degree - 1, between[i - 1]), b = evaluate(d, degree - 1, between[i]);
      if (a * b < 0) points.push_back(root_between(d, degree - 1, between[i - 1], between[i]));
      if (b == 0 && i + 1 < between.size()) points.push_back(between[i]);
    }
  }
  points.push_back(1);
  return points;
}

// Newton's method, kept inside a bracket by bisection.
double Polynomial::root_between(const Coefficients& c, int degree, double a, double b) {
  const Coefficients d = derivative(c, degree);
  const int before = sign_of(evaluate(c, degree, a));
  double s = 0.5 * (a + b);
  for (int i = 0; i < 100 && b - a > eps * b; ++i) {
    const double value = evaluate(c, degree, s);
    if (value == 0) return s;
    (sign_of(value) == before ? a : b) = s;
    const double next = s - value / evaluate(d, degree - 1, s);
    const double moved = next > a && next < b ? next : 0.5 * (a + b);
    if (std::abs(moved - s) <= eps * s) return moved;
    s = moved;
  }
  return s;
}

std::vector<Crossing> Polynomial::crossings(int side) const {
  std::vector<Crossing> found;
  const std::vector<double> points = turning_points(c_, degree_);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const int sign = sign_of((*this)(points[i]));
    if (sign == 0 || sign == side) continue;
    const double a = points[i - 1];
    const int before = sign_of((*this)(a));
    if (side != 0) found.push_back({before == side ? root_between(c_, degree_, a, points[i]) : a, sign});
    side = sign;
  }
  return found;
}

std::vector<double> Polynomial::extrema() const {
  const std::vector<double> points = turning_points(c_, degree_);
  return {points.begin() + 1, points.end() - 1};
}

}  // namespace pawl::event
