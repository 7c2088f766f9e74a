#include "pawl/jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {

namespace {

Jacobian by_duals(const Function& rates, const Held& held, double t, const std::vector<double>& x) {
  constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
  const int n = static_cast<int>(x.size());
  Jacobian result{n, std::vector<double>(x.size() * x.size()), true, 0};
  const detail::Surroundings<Gradient> around{&held};
  std::vector<Gradient> point(x.begin(), x.end()), out(x.size());
  for (int first = 0; first < n; first += width, ++result.evaluations) {
    const int count = std::min(width, n - first);
    for (int j = 0; j < count; ++j)
      point[static_cast<std::size_t>(first + j)] = Gradient::variable(x[static_cast<std::size_t>(first + j)], j);
    rates(Point<Gradient>(t, point.data(), held.parameters.data(), &around), out.data());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < count; ++j)
        result.values[static_cast<std::size_t>(i * n + first + j)] =
            out[static_cast<std::size_t>(i)].slope[static_cast<std::size_t>(j)];
    }
    for (int j = 0; j < count; ++j) point[static_cast<std::size_t>(first + j)] = x[static_cast<std::size_t>(first + j)];
  }
  return result;
}

Jacobian by_differences(const Function& rates, const Held& held, double t, const std::vector<double>& x) {
  const std::size_t n = x.size();
  Jacobian result{static_cast<int>(n), std::vector<double>(n * n), false, static_cast<int>(n) + 1};
  const detail::Surroundings<double> around{&held};
  std::vector<double> point = x;
  std::vector<double> base(n), moved(n);
  rates(Point<double>(t, point.data(), held.parameters.data(), &around), base.data());
  for (std::size_t j = 0; j < n; ++j) {
    double& coordinate = point[j];
    const double kept = coordinate;
    coordinate += std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(kept), 1e-3);
    rates(Point<double>(t, point.data(), held.parameters.data(), &around), moved.data());
    for (std::size_t i = 0; i < n; ++i) result.values[i * n + j] = (moved[i] - base[i]) / (coordinate - kept);
    coordinate = kept;
  }
  return result;
}

}  // namespace

Jacobian jacobian(const System& system, const Values& values, double t, const std::vector<double>& x) {
  if (!system.declarations().rates || static_cast<int>(x.size()) != system.size() || !values.belong_to(system))
    throw Misuse("jacobian: the system needs rates and values of its own, and the point one number per state");
  return detail::jacobian(system.declarations().rates, values.held(), t, x);
}

namespace detail {
Jacobian jacobian(const Function& rates, const Held& held, double t, const std::vector<double>& x) {
  return rates.supports<Gradient>() ? by_duals(rates, held, t, x) : by_differences(rates, held, t, x);
}
}  // namespace detail

}  // namespace pawl
