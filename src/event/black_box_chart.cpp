#include "event/black_box_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {

/// Bernstein coefficients of each Chebyshev polynomial T_0 ... T_n on the unit interval.
template <int n>
std::array<std::array<double, n + 1>, n + 1> chebyshev_in_bernstein() {
  std::array<std::array<double, n + 1>, n + 1> power{}, result{};
  std::array<std::array<double, n + 1>, n + 1> t{};  // T_k(2 s - 1) in powers of s
  t[0][0] = 1;
  t[1][0] = -1;
  t[1][1] = 2;
  for (std::size_t k = 2; k <= n; ++k) {
    for (std::size_t i = 0; i <= n; ++i) {
      t[k][i] = -2 * t[k - 1][i] - t[k - 2][i];
      if (i > 0) t[k][i] += 4 * t[k - 1][i - 1];
    }
  }
  const auto binomial = [](int a, int b) {
    double value = 1;
    for (int i = 0; i < b; ++i) value = value * (a - i) / (i + 1);
    return value;
  };
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= j; ++i)
      power[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = binomial(j, i) / binomial(n, i);
  }
  for (std::size_t k = 0; k <= n; ++k) {
    for (std::size_t j = 0; j <= n; ++j) {
      for (std::size_t i = 0; i <= j; ++i) result[k][j] += power[j][i] * t[k][i];
    }
  }
  return result;
}

}  // namespace

BlackBoxChart::BlackBoxChart(GuardSet& guards, int size) : guards_(guards), x_(static_cast<std::size_t>(size)) {
  ranges_.resize(size);
}

void BlackBoxChart::read(const Step& step) {
  step_ = &step;
  ranges_.read(step, guards_.followers());
}

double BlackBoxChart::ulp_at(double theta) const {
  const double t = step_->t0 + theta * step_->span;
  return std::max({eps * std::abs(t) / std::abs(step_->span), eps * std::abs(theta), 1e-4 * eps});
}

double BlackBoxChart::value_at(int guard, double theta) {
  const double t = step_->t0 + theta * step_->span;
  evaluate_polynomials(step_->coefficients(), step_->size(), step_->degree(), theta, x_.data());
  const double g = guards_.evaluate(guard, t, x_.data());
  if (std::isnan(g)) throw GuardNotANumber(guard, t);
  return g;
}

// Rounding of a black box is unknown: it is estimated by moving the inputs by two ulp, time and states apart.
double BlackBoxChart::noise_near(double theta, double value) {
  if (has_ranges_) {
    ranges_.select(theta, theta);
    return guards_.evaluate(guard_, ranges_.time(), ranges_).radius();
  }
  double noise = 0;
  for (const double side : {-1.0, 1.0}) {
    const double t = step_->t0 + theta * step_->span;
    evaluate_polynomials(step_->coefficients(), step_->size(), step_->degree(), theta, x_.data());
    for (double& x : x_) x *= 1 - side * 2 * eps;
    noise = std::max(noise, std::abs(guards_.evaluate(guard_, t * (1 + side * 2 * eps), x_.data()) - value));
  }
  return noise;
}

int BlackBoxChart::sign_at(int guard, double t, const double* x) {
  const double g = guards_.evaluate(guard, t, x);
  if (std::isnan(g)) throw GuardNotANumber(guard, t);
  double noise = 4 * eps * std::abs(g);
  for (const double side : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i] * (1 - side * 2 * eps);
    noise = std::max(noise, std::abs(guards_.evaluate(guard, t * (1 + side * 2 * eps), x_.data()) - g));
  }
  return std::abs(g) > noise ? (g > 0 ? 1 : -1) : 0;
}

bool BlackBoxChart::cover(int guard, double from, double to, ChartReader& reader, bool has_ranges) {
  has_ranges_ = has_ranges;
  guard_ = guard;
  reader_ = &reader;
  pieces_ = 0;
  is_spent_ = false;
  largest_ = 0;
  from_ = from;
  to_ = to;
  const bool is_exit = guards_.is_exit(guard);
  const double bound = is_exit ? 0 : guards_.info(guard).rate_bound;
  if (bound > 0) {
    walk(from, to, bound * std::abs(step_->span));
    return !is_spent_;
  }
  const double width = is_exit ? 0 : guards_.info(guard).min_width;
  const double longest = width > 0 ? 4 * width / std::abs(step_->span) : to - from;
  const int count = static_cast<int>(std::clamp(std::ceil((to - from) / longest), 1.0, 1e7));
  for (int i = 0; i < count; ++i) {
    pieces_ = 0;
    const double a = from + (to - from) * i / count, b = i + 1 == count ? to : from + (to - from) * (i + 1) / count;
    if (!resolve(a, b, 0)) break;
  }
  return !is_spent_;
}

BlackBoxChart::Piece BlackBoxChart::sample(double a, double b) {
  static const auto to_bernstein = chebyshev_in_bernstein<degree>();
  Piece piece{a, b, {}, 0, 0, 0, true};
  Coefficients values{}, chebyshev{};
  const double m = 0.5 * (a + b), r = 0.5 * (b - a);
  for (int j = 0; j <= degree; ++j) {
    const double s = -std::cos(std::numbers::pi * j / degree);
    values[static_cast<std::size_t>(j)] = value_at(guard_, j == 0 ? a : j == degree ? b : m + r * s);
    piece.largest = std::max(piece.largest, std::abs(values[static_cast<std::size_t>(j)]));
  }
  for (int k = 0; k <= degree; ++k) {
    double sum = 0;
    for (int j = 0; j <= degree; ++j) {
      const double weight = j == 0 || j == degree ? 0.5 : 1;
      sum += weight * values[static_cast<std::size_t>(j)] * std::cos(std::numbers::pi * k * (degree - j) / degree);
    }
    chebyshev[static_cast<std::size_t>(k)] = sum * (k == 0 || k == degree ? 1.0 : 2.0) / degree;
  }
  const double tail = std::abs(chebyshev[degree]) + std::abs(chebyshev[degree - 1]) + std::abs(chebyshev[degree - 2]);
  double off = 0;
  for (const double s : {-0.3371, 0.6217}) {  // between the sample points
    double u = 0, v = 0;                      // Clenshaw
    for (int k = degree; k > 0; --k) {
      const double w = chebyshev[static_cast<std::size_t>(k)] + 2 * s * u - v;
      v = u;
      u = w;
    }
    const double theta = m + r * s, expected = chebyshev[0] + s * u - v, g = value_at(guard_, theta);
    off = std::max(off, std::abs(g - expected));
    piece.largest = std::max(piece.largest, std::abs(g));
    piece.noise = std::max(piece.noise, noise_near(theta, g));
  }
  largest_ = std::max(largest_, piece.largest);
  // Resolved: to ten digits, or to rounding; what cancels in a small guard may have been as large as it was in this
  // step.
  piece.noise += 4 * eps * piece.largest;
  const double rest = std::max(tail, off);
  piece.is_resolved = rest <= std::max({1e-10 * piece.largest, 4 * piece.noise, 8 * eps * largest_});
  // Cancellation that noise_near() does not show: six digits of the smallest value are enough to be sure of its sign.
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low * *high > 0) piece.is_resolved |= rest <= 1e-6 * std::min(std::abs(*low), std::abs(*high));
  piece.noise = std::max(piece.noise, rest);
  piece.band = 4 * (rest + degree * eps * piece.largest) + piece.noise;
  for (std::size_t j = 0; j <= degree; ++j) {
    for (std::size_t k = 0; k <= degree; ++k) piece.bernstein[j] += chebyshev[k] * to_bernstein[k][j];
  }
  return piece;
}

// No sign on [a, b]: it is zero there, or too large to have digits left.
bool BlackBoxChart::emit_zero(double a, double b) {
  const auto value = [this](double theta) { return value_at(guard_, theta); };
  return is_pole(a, b, from_, to_, value) ? reader_->emit_pole(a, b) : reader_->emit(0, a, b);
}

bool BlackBoxChart::resolve(double a, double b, int depth) {
  const bool is_smallest = b - a <= 8 * ulp_at(b);
  if (is_smallest) return emit_zero(a, b);
  if (++pieces_ > 256) {
    frontier_ = a;
    is_spent_ = true;
    return false;
  }
  const Piece piece = sample(a, b);
  if (piece.is_resolved) return chart(piece, piece.bernstein, a, b, depth);
  const double m = 0.5 * (a + b);
  return resolve(a, m, depth) && resolve(m, b, depth);
}

bool BlackBoxChart::chart(const Piece& piece, const Coefficients& c, double a, double b, int depth) {
  const auto [low, high] = std::minmax_element(c.begin(), c.end());
  if (*low > piece.band) return reader_->emit(1, a, b);
  if (*high < -piece.band) return reader_->emit(-1, a, b);
  const bool is_rising = std::is_sorted(c.begin(), c.end(), [](double x, double y) { return x <= y; });
  const bool is_falling = std::is_sorted(c.begin(), c.end(), [](double x, double y) { return x >= y; });
  const bool has_ends = std::abs(c.front()) > piece.band && std::abs(c.back()) > piece.band;
  if ((is_rising || is_falling) && has_ends) return locate(a, b, c.front(), c.back(), piece.band);
  if (b - a <= 8 * ulp_at(b)) return emit_zero(a, b);
  if (std::max(-*low, *high) <= piece.band) {  // all of it within what the piece can tell
    if (piece.largest <= 8 * piece.noise || depth > 40) return zero_within(a, b, piece.noise);
    if (b - a < piece.b - piece.a) return resolve(a, b, depth + 1);
  }
  if (b - a < (piece.b - piece.a) / 200) return resolve(a, b, depth + 1);  // a closer look: its band is smaller
  Coefficients left{}, right{}, work = c;                                  // de Casteljau at the middle
  for (std::size_t k = 0; k <= degree; ++k) {
    left[k] = work[0];
    right[degree - k] = work[degree - k];
    for (std::size_t i = 0; i + k < degree; ++i) work[i] = 0.5 * (work[i] + work[i + 1]);
  }
  const double m = 0.5 * (a + b);
  return chart(piece, left, a, m, depth) && chart(piece, right, m, b, depth);
}

// Nothing but noise on [a, b], as far as the piece can tell; the ends may still show a sign change. Inputs moved by a
// few ulp need not show the rounding of terms that cancel; what the piece leaves of the guard does.
bool BlackBoxChart::zero_within(double a, double b, double noise) {
  const double ga = value_at(guard_, a), gb = value_at(guard_, b);
  const bool crosses = ga * gb < 0 && std::abs(ga) > 2 * std::max(noise, noise_near(a, ga)) &&
                       std::abs(gb) > 2 * std::max(noise, noise_near(b, gb));
  return crosses ? locate(a, b, ga, gb, std::min(std::abs(ga), std::abs(gb))) : emit_zero(a, b);
}

// One root between two certain signs: Illinois on the guard itself, then outward until both signs are above the noise.
bool BlackBoxChart::locate(double a, double b, double ga, double gb, double noise) {
  const int sa = ga > 0 ? 1 : -1;
  double l = a, r = b, gl = ga, gr = gb, x = a;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0, last = 0; i < 100 && r - l > std::max(2 * ulp_at(r), 0.5 * location_tolerance); ++i) {
    x = r - gr * (r - l) / (gr - gl);
    x = std::clamp(x, l + ulp_at(l), r - ulp_at(r));  // a smaller move would not be one of the time
    if (i % 4 == 3 || !(x > l && x < r)) x = 0.5 * (l + r);
    const double g = value_at(guard_, x);
    ++iterations;
    smallest = std::min(smallest, std::abs(g));
    if (g == 0) {
      l = r = x;
      break;
    }
    if ((g > 0 ? 1 : -1) == sa) {
      if (last == 1) gr *= 0.5;
      l = x;
      gl = g;
      last = 1;
    } else {
      if (last == 2) gl *= 0.5;
      r = x;
      gr = g;
      last = 2;
    }
  }
  const double floor = noise_near(0.5 * (l + r), value_at(guard_, 0.5 * (l + r))) + 4 * eps * smallest;
  const auto outward = [&](double from, double direction, double limit, int sign) {
    for (double d = ulp_at(from);; d *= 2) {
      const double theta = from + direction * d;
      if (direction * (theta - limit) >= 0) return limit;
      if (value_at(guard_, theta) * sign > std::min(floor, noise)) return theta;
    }
  };
  const double left = outward(l, -1, a, sa), right = outward(r, 1, b, -sa);
  if (left > a && !reader_->emit(sa, a, left)) return false;
  if (!reader_->emit(0, left, right)) return false;
  return reader_->emit(-sa, right, b);
}

// |dg/dθ| <= bound: a value excludes zeros around it.
bool BlackBoxChart::walk(double from, double to, double bound) {
  double theta = from;
  double stretch = 1;  // grows while the guard rests at zero
  for (int i = 0; theta < to; ++i) {
    if (i > 1'000'000) {
      frontier_ = theta;
      is_spent_ = true;
      return false;
    }
    const double g = value_at(guard_, theta);
    const double reach = std::abs(g) / bound, least = 4 * ulp_at(theta + reach);
    if (reach > least) {
      const double next = std::min(to, theta + reach * (1 - 4 * eps));
      if (!reader_->emit(g > 0 ? 1 : -1, theta, next)) return false;
      theta = next;
      stretch = 1;
    } else {
      const double next = std::min(to, theta + std::min(2 * least * stretch, 1e-3 * (to - from)));
      if (!reader_->emit(0, theta, next)) return false;
      theta = next;
      stretch *= 2;
    }
  }
  return true;
}

}  // namespace pawl::event
