#include "verify/growth.hpp"

#include <cmath>

namespace pawl::verification {

namespace {

struct Line {
  double slope, residual, explained;  // residual: sum of squares; explained: R^2
};

Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mx = 0, my = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sxx += (x[i] - mx) * (x[i] - mx);
    sxy += (x[i] - mx) * (y[i] - my);
    syy += (y[i] - my) * (y[i] - my);
  }
  if (!(sxx > 0 && syy > 0)) return {0, syy, 0};
  const double residual = syy - sxy * sxy / sxx;
  return {sxy / sxx, residual, 1 - residual / syy};
}

}  // namespace

std::optional<Growth> fit_growth(const std::vector<double>& t, const std::vector<double>& d) {
  constexpr double rounding = 1e-14, saturated = 0.1;
  constexpr std::size_t fewest = 20;
  std::size_t end = 0;
  while (end < d.size() && d[end] < saturated) ++end;
  std::vector<double> times, delays, logs;
  for (std::size_t k = 0; k < end; ++k) {
    if (!(d[k] > rounding) || t[k] == t.front()) continue;
    times.push_back(std::abs(t[k] - t.front()));
    delays.push_back(std::log(times.back()));
    logs.push_back(std::log(d[k]));
  }
  if (times.size() < fewest) return std::nullopt;
  const Line exponential = fit(times, logs), power = fit(delays, logs);
  Growth growth{.rate = exponential.slope,
                .e_foldings = exponential.slope * (times.back() - times.front()),
                .power = power.slope};
  growth.is_exponential =
      growth.e_foldings >= 5 && exponential.explained >= 0.8 && exponential.residual < power.residual;
  return growth;
}

}  // namespace pawl::verification
