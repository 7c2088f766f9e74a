#include "stabilize/passage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "numerics/elimination.hpp"
#include "numerics/index.hpp"

namespace pawl::stabilize {

namespace {

constexpr int n = Passage::points, gauss = n + 2;
constexpr int most_corrections = 40;
constexpr double solved = 1e-3;   // change of the rates by an iteration, in units of the tolerance
constexpr double hopeless = 1e6;  // error of the first iterates: the step is far too long
constexpr double allowed = 0.3;   // error of the end, in units of the tolerance, and of the inside above its noise
constexpr double rounding = 256 * std::numeric_limits<double>::epsilon();  // of what is pulled onto the manifold
constexpr double of_branches = 0.1;                                        // of their distance: how far a pull may move

/// P_k(x) for k = 0 ... gauss.
std::array<double, gauss + 1> legendre(double x) {
  std::array<double, gauss + 1> P{1, x};
  for (int k = 2; k <= gauss; ++k) P[at(k)] = ((2 * k - 1) * x * P[at(k - 1)] - (k - 1) * P[at(k - 2)]) / k;
  return P;
}

/// The points on [0, 1] and the polynomials that go with them.
struct Rule {
  std::array<double, n> c{}, weight{}, fewer{};         // fewer: without the two points next to the middle
  std::array<std::array<double, n>, n> integral{};      // [i][j]: of the Lagrange polynomial j up to c_i
  std::array<std::array<double, n + 1>, n> monomial{};  // [j]: the same as coefficients of powers of θ
  std::array<std::array<double, 2>, n> highest{};       // [j]: share of value j in the two highest Legendre polynomials
};

/// Row k: what each value at these points contributes to the coefficient of P_k.
Eigen::MatrixXd legendre_shares(const std::vector<double>& c) {
  const auto size = static_cast<Eigen::Index>(c.size());
  Eigen::MatrixXd values(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto P = legendre(2 * c[static_cast<std::size_t>(i)] - 1);
    for (Eigen::Index k = 0; k < size; ++k) values(i, k) = P[static_cast<std::size_t>(k)];
  }
  return linear::inverse(values);
}

/// Coefficients of ∫_0^θ P_k(2 s - 1) ds: those of the shifted Legendre polynomials are whole numbers.
std::array<double, n + 1> shifted_integral(int k) {
  std::array<double, n + 1> out{};
  double coefficient = k % 2 == 0 ? 1 : -1;  // (-1)^(k+j) C(k, j) C(k+j, j)
  for (int j = 0; j <= k; ++j) {
    out[at(j + 1)] = coefficient / (j + 1);
    coefficient *= -static_cast<double>(k - j) * (k + j + 1) / ((j + 1.0) * (j + 1.0));
  }
  return out;
}

Rule make_rule() {
  Rule rule;
  std::vector<double> c, outer;
  for (int i = 0; i < gauss; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (gauss + 0.5));
    for (int round = 0; round < 10; ++round) {
      const auto P = legendre(x);
      x -= P[gauss] * (x * x - 1) / (gauss * (x * P[gauss] - P[gauss - 1]));
    }
    const int from_middle = std::min(std::abs(i - gauss / 2), std::abs(i - (gauss / 2 - 1)));
    if (from_middle > 0) c.push_back((1 + x) / 2);
    if (from_middle > 1) outer.push_back((1 + x) / 2);
  }
  const Eigen::MatrixXd shares = legendre_shares(c), of_outer = legendre_shares(outer);
  for (int j = 0; j < n; ++j) {
    rule.c[at(j)] = c[at(j)];
    rule.weight[at(j)] = shares(0, j);
    if (j != n / 2 - 1 && j != n / 2) rule.fewer[at(j)] = of_outer(0, j < n / 2 ? j : j - 2);
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < n; ++i) {
        const double x = 2 * c[at(i)] - 1;
        const auto P = legendre(x);
        const double integral = k == 0 ? x + 1 : (P[at(k + 1)] - P[at(k - 1)]) / (2 * k + 1);
        rule.integral[at(i)][at(j)] += shares(k, j) * integral / 2;
      }
      const auto powers = shifted_integral(k);
      for (int power = 0; power <= n; ++power) rule.monomial[at(j)][at(power)] += shares(k, j) * powers[at(power)];
      if (k >= n - 2) rule.highest[at(j)][at(k - (n - 2))] = shares(k, j);
    }
  }
  return rule;
}

const Rule& rule() {
  static const Rule one = make_rule();
  return one;
}

}  // namespace

Passage::Passage(Motion motion) : motion_(std::move(motion)) {
  const auto size = static_cast<std::size_t>(motion_.size);
  times_.resize(n);
  pulled_.resize(n * size);
  rates_.resize(n * size);
  for (std::vector<double>* one : {&f0_, &x_, &change_, &end_, &other_, &sizes_}) one->resize(size);
}

double Passage::norm(const double* change, const double* x, double factor) const {
  double sum = 0;
  const std::vector<double>& absolute = motion_.control.absolute;
  for (std::size_t i = 0; i < absolute.size(); ++i) {
    const double tolerance = absolute[i] + motion_.control.relative * std::abs(x[i]);
    const double part = factor * change[i] / std::max(tolerance, rounding * sizes_[i]);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(absolute.size()));
}

double Passage::tail(const double* x0, double span) {
  double sum = 0;
  for (std::size_t part = 0; part < 2; ++part) {
    std::fill(change_.begin(), change_.end(), 0.0);
    for (int j = 0; j < n; ++j) {
      const double* rate = rate_at(j);
      for (std::size_t k = 0; k < change_.size(); ++k) change_[k] += rule().highest[at(j)][part] * rate[k];
    }
    sum += norm(change_.data(), x0, span / (2 * n));  // the integral of P_k is smaller by that much
  }
  return sum;
}

bool Passage::take(double t0, const double* x0, double middle, Step& out) {
  const double span = 2 * (middle - t0);
  const std::size_t size = x_.size();
  motion_.sizes(t0, x0, span, sizes_.data());
  ++evaluations;
  motion_.field(t0, x0, f0_.data());
  for (int i = 0; i < n; ++i) {
    times_[at(i)] = t0 + rule().c[at(i)] * span;
    std::copy(x0, x0 + size, state_at(i));
    motion_.go_on(rule().c[at(i)] * span, f0_.data(), state_at(i));
  }
  double last = std::numeric_limits<double>::infinity(), noise = 0;
  int stalls = 0;
  for (int iteration = 0;; ++iteration) {
    const double change = iterate(iteration == 0, x0, middle, span);
    if (!std::isfinite(change) || (iteration == 1 && !(tail(x0, span) < hopeless))) return false;
    if (iteration > 0 && change <= solved) break;
    stalls = iteration > 1 && change > 0.5 * last ? stalls + 1 : 0;
    if (stalls == 2) {  // the rest is what rounding makes of positions so near to where branches meet
      noise = change;
      break;
    }
    if (iteration == most_corrections) return false;
    if (iteration > 0) last = change;
    collocate(x0, span);
  }
  const double inside = tail(x0, span);
  end_of(rule().fewer, x0, span, other_);
  end_of(rule().weight, x0, span, end_);
  if (!motion_.pull(t0 + span, other_.data()) || !motion_.pull(t0 + span, end_.data())) return false;
  const double error = difference(other_, end_);
  // Noise is across the manifold, and what of it reaches the end is pulled away there: once more says how much is not.
  if (noise > 0) {
    collocate(x0, span);
    if (!std::isfinite(iterate(false, x0, middle, span))) return false;
    end_of(rule().weight, x0, span, other_);
    if (!motion_.pull(t0 + span, other_.data()) || !(difference(other_, end_) <= allowed)) return false;
    end_of(rule().weight, x0, span, end_);
    if (!motion_.pull(t0 + span, end_.data())) return false;
  }
  if (!(error <= allowed) || !(inside <= std::max(allowed, noise))) return false;
  write(t0, x0, span, out);
  out.error = error;
  return true;
}

/// The rates at all points, at their states pulled onto the manifold; how much they have changed, infinite where a pull
/// fails or moves so far that it may have found another branch.
double Passage::iterate(bool is_first, const double* x0, double middle, double span) {
  constexpr double lost = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    const double t = times_[at(i)];
    double *x = state_at(i), *rate = rate_at(i);
    std::copy(x, x + x_.size(), x_.begin());
    if (!motion_.pull(t, x)) return lost;
    const double apart = motion_.speed(x) * std::abs(t - middle);
    if (!is_first && !(motion_.distance(x_.data(), x) <= of_branches * apart)) return lost;
    ++evaluations;
    motion_.field(t, x, change_.data());
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (!std::isfinite(change_[k])) return lost;
      const double before = std::exchange(rate[k], change_[k]);
      change_[k] -= before;
    }
    if (!is_first) largest = std::max(largest, norm(change_.data(), x0, span));
  }
  return largest;
}

/// States at the points from the rates there.
void Passage::collocate(const double* x0, double span) {
  for (int i = 0; i < n; ++i) {
    double* x = state_at(i);
    std::copy(x0, x0 + x_.size(), x);
    for (int j = 0; j < n; ++j) {
      const double *rate = rate_at(j), share = span * rule().integral[at(i)][at(j)];
      for (std::size_t k = 0; k < x_.size(); ++k) x[k] += share * rate[k];
    }
  }
}

void Passage::end_of(std::span<const double> weights, const double* x0, double span, std::vector<double>& end) {
  std::copy(x0, x0 + x_.size(), end.begin());
  for (int j = 0; j < n; ++j) {
    const double* rate = rate_at(j);
    for (std::size_t k = 0; k < x_.size(); ++k) end[k] += span * weights[at(j)] * rate[k];
  }
}

double Passage::difference(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) change_[k] = a[k] - b[k];
  return norm(change_.data(), a.data(), 1);
}

void Passage::write(double t0, const double* x0, double span, Step& out) const {
  const std::size_t size = x_.size();
  out.t0 = t0;
  out.t1 = t0 + span;
  out.h = out.span = span;
  double* c = out.make_polynomial(n);
  for (std::size_t k = 0; k < size; ++k, c += n + 1) {
    c[0] = out.start()[k] = x0[k];
    double sum = x0[k];
    for (int power = 1; power <= n; ++power) {
      c[power] = 0;
      for (int j = 0; j < n; ++j) c[power] += span * rule().monomial[at(j)][at(power)] * rates_[at(j) * size + k];
      sum += c[power];
    }
    const double gap = end_[k] - sum;  // the pull, and rounding
    c[2] += 3 * gap;
    c[3] -= 2 * gap;
    out.end()[k] = end_[k];
  }
}

}  // namespace pawl::stabilize
