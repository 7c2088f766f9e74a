#include "contact/flight.hpp"

#include <array>

namespace pawl::contact {

namespace {

// Spheres that touch and come nearer more slowly than this, in their speeds, slide along each other but for rounding.
constexpr double no_approach = 16 * std::numeric_limits<double>::epsilon();

/// c[0] + c[1] τ + ...
template <std::size_t n>
double value(const std::array<double, n>& c, double tau) {
  double sum = c[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) sum = sum * tau + c[k];
  return sum;
}

template <std::size_t n>
std::array<double, n - 1> derivative(const std::array<double, n>& c) {
  std::array<double, n - 1> d{};
  for (std::size_t k = 1; k < n; ++k) d[k - 1] = static_cast<double>(k) * c[k];
  return d;
}

/// The root between ends of different sign, from the side of `low`: Newton's method kept inside the bracket.
template <std::size_t n>
double root_between(const std::array<double, n>& c, double low, double high) {
  const auto slope = derivative(c);
  const bool falls = value(c, low) > value(c, high);
  double tau = low + (high - low) / 2;
  for (int i = 0; i < 100 && low < tau && tau < high; ++i) {
    const double f = value(c, tau);
    if (f == 0) return tau;
    ((f > 0) == falls ? low : high) = tau;
    const double next = tau - f / value(slope, tau);
    if (next > low && next < high) {
      if (std::abs(next - tau) <= 2e-16 * std::abs(tau)) return next;
      tau = next;
    } else {
      tau = low + (high - low) / 2;
    }
  }
  return tau;
}

/// Roots inside (0, end), ascending, of which there are at most n - 1.
template <std::size_t n>
struct Roots {
  std::array<double, n> at{};
  int count = 0;
};
template <std::size_t n>
Roots<n> roots_of(const std::array<double, n>& c, double end) {
  Roots<n> roots;
  if constexpr (n == 2) {
    const double tau = -c[0] / c[1];
    if (tau > 0 && tau < end) roots.at[static_cast<std::size_t>(roots.count++)] = tau;
  } else {
    const auto turns = roots_of(derivative(c), end);
    double from = 0, f = c[0];
    for (int k = 0; k <= turns.count; ++k) {
      const double to = k < turns.count ? turns.at[static_cast<std::size_t>(k)] : end, g = value(c, to);
      if ((f > 0) != (g > 0) && f != 0) roots.at[static_cast<std::size_t>(roots.count++)] = root_between(c, from, to);
      from = to, f = g;
    }
  }
  return roots;
}

/// Where a polynomial that is above zero just after the start goes below it.
template <std::size_t n>
double first_descent(const std::array<double, n>& c, double end) {
  const auto turns = roots_of(derivative(c), end);
  double from = 0;
  for (int k = 0; k <= turns.count; ++k) {
    const double to = k < turns.count ? turns.at[static_cast<std::size_t>(k)] : end;
    if (value(c, to) <= 0) return root_between(c, from, to);
    from = to;
  }
  return never;
}

/// Whether something at zero height stays there but for rounding.
bool lies(double rate, double presses, double rounding) {
  return presses > 0 && rate * rate <= 2 * presses * rounding;
}

}  // namespace

double time_to_meet(Vector3 d, Vector3 u, double R, double speeds) {
  const double b = dot(d, u);
  if (!(b < 0)) return never;
  const double size = norm(d), c = (size - R) * (size + R), squared = dot(u, u);
  if (c <= 0) return -b > no_approach * size * speeds ? 0 : never;
  const double discriminant = b * b - squared * c;
  return discriminant <= 0 ? never : c / (std::sqrt(discriminant) - b);
}

double time_to_meet(Vector3 d, Vector3 u, Vector3 a, double R, double speeds, double rounding, double horizon) {
  const double size = norm(d), gap = size - R;
  if (gap > 0 && gap > horizon * (norm(u) + horizon / 2 * norm(a))) return never;
  const double c0 = gap * (size + R), c1 = 2 * dot(d, u), c2 = dot(u, u) + dot(d, a), c3 = dot(u, a),
               c4 = dot(a, a) / 4;
  if (c0 > 0) return first_descent(std::array{c0, c1, c2, c3, c4}, horizon);
  const double rate = c1 / (2 * size), presses = -dot(d, a) / size;
  if (lies(rate, presses, rounding)) return std::sqrt(2 * rounding / presses);
  if (-c1 > 2 * no_approach * size * speeds) return 0;
  if (c1 > 0) return first_descent(std::array{c1, c2, c3, c4}, horizon);
  return c2 < 0 ? 0 : first_descent(std::array{c2, c3, c4}, horizon);
}

double time_to_fall(double height, double rate, double acceleration, double rounding) {
  if (height <= 0) {
    if (lies(rate, -acceleration, rounding)) return std::sqrt(-2 * rounding / acceleration);
    if (rate < 0) return 0;
    return acceleration < 0 ? -2 * rate / acceleration : never;
  }
  const double discriminant = rate * rate - 2 * acceleration * height;
  if (acceleration >= 0 && (rate >= 0 || discriminant <= 0)) return never;
  const double root = std::sqrt(discriminant);
  return rate < 0 ? 2 * height / (root - rate) : -(rate + root) / acceleration;
}

double time_within(double distance, double speed, double acceleration) {
  return 2 * distance / (speed + std::sqrt(speed * speed + 2 * acceleration * distance));
}

}  // namespace pawl::contact
