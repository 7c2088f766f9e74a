// Integrals of analytic functions, for closed forms that end in one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "problems/closed_form.hpp"

namespace pawl::problems {

/// A point of the rule on [-1, 1] and its weight.
struct QuadraturePoint {
  Real x, weight;
};
inline constexpr std::size_t quadrature_points = 32;

/// Gauss's rule: its points are the zeros of the Legendre polynomial P of that degree, with weights 2 / ((1 - x²) P'²).
inline const std::array<QuadraturePoint, quadrature_points>& gauss_legendre() {
  static const auto rule = [] {
    constexpr auto n = static_cast<Real>(quadrature_points);
    std::array<QuadraturePoint, quadrature_points> points{};
    for (std::size_t i = 0; i < quadrature_points; ++i) {
      Real x = std::cos(std::numbers::pi_v<Real> * (static_cast<Real>(i) + 0.75L) / (n + 0.5L)), slope = 0;
      for (int round = 0; round < 10; ++round) {
        Real before = 1, now = x;
        for (Real k = 2; k <= n; ++k) {
          const Real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
          before = now;
          now = next;
        }
        slope = n * (x * now - before) / (x * x - 1);
        x -= now / slope;
      }
      points[i] = {x, 2 / ((1 - x * x) * slope * slope)};
    }
    return points;
  }();
  return rule;
}

/// The integral of f from a to b, by the rule on each of so many panels.
template <class F>
Real integral(F f, Real a, Real b, int panels = 8) {
  Real sum = 0;
  const Real half = (b - a) / static_cast<Real>(2 * panels);
  for (int panel = 0; panel < panels; ++panel) {
    const Real middle = a + half * static_cast<Real>(2 * panel + 1);
    for (const QuadraturePoint& point : gauss_legendre()) sum += point.weight * f(middle + half * point.x);
  }
  return half * sum;
}

}  // namespace pawl::problems
