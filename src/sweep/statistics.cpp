#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pawl/sweep.hpp"

namespace pawl {

Summary summarize(const Sweep& sweep, std::string_view column) {
  const std::vector<double> all = sweep.all(column);
  Summary summary;
  std::vector<double> sorted;
  sorted.reserve(all.size());
  double squares = 0;  // Welford: mean and sum of squares about it, run by run
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto run = static_cast<long long>(i);
    if (!has_values(sweep.state(run))) continue;
    const double value = all[i];
    if (std::isnan(value)) {
      ++summary.without;
      continue;
    }
    sorted.push_back(value);
    const double change = value - summary.mean;
    summary.mean += change / static_cast<double>(++summary.count);
    squares += change * (value - summary.mean);
    if (summary.min_run < 0 || value < summary.min) summary.min = value, summary.min_run = run;
    if (summary.max_run < 0 || value > summary.max) summary.max = value, summary.max_run = run;
  }
  if (sorted.empty()) {
    summary.mean = summary.deviation = summary.min = summary.max = std::nan("");
    summary.quantiles.assign(std::size(quantile_levels), std::nan(""));
    return summary;
  }
  summary.deviation = summary.count > 1 ? std::sqrt(squares / static_cast<double>(summary.count - 1)) : 0;
  std::sort(sorted.begin(), sorted.end());
  for (const double level : quantile_levels) {
    const double place = level * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(below);
    const double low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
    summary.quantiles.push_back(share == 0 ? low : low + share * (high - low));
  }
  return summary;
}

// With f0 the mean over A and B, over the N draws:
//   V   = 1/2N Σ (f(A) - f0)^2 + (f(B) - f0)^2
//   S_i = 1/N  Σ (f(B) - f0) (f(AB_i) - f(A)) / V,   T_i = 1/2N Σ (f(A) - f(AB_i))^2 / V
std::vector<SobolIndex> sobol_indices(const Sweep& sweep, std::string_view column) {
  const Design& design = sweep.design();
  if (!design.for_indices)
    throw Misuse("Sobol indices need runs that were planned for them: --indices, or Design::for_indices");
  const std::size_t place = sweep.find(column);
  const std::size_t d = sweep.parameters().size();
  if (place < d) throw Misuse(fmt::format("Sobol indices are of results, and '{}' is a parameter", column));
  const auto value = [&](std::size_t block, long long draw) {
    return sweep.values(static_cast<long long>(block) * design.draws + draw)[place - d];
  };
  std::vector<long long> whole;
  double sum = 0;
  for (long long draw = 0; draw < design.draws; ++draw) {
    bool is_whole = true;
    for (std::size_t block = 0; block < d + 2; ++block) is_whole = is_whole && std::isfinite(value(block, draw));
    if (!is_whole) continue;
    whole.push_back(draw);
    sum += value(0, draw) + value(1, draw);
  }
  const auto count = static_cast<double>(whole.size());
  const double f0 = sum / (2 * count);
  double variance = 0;
  std::vector<double> first(d), total(d);
  for (const long long draw : whole) {
    const double a = value(0, draw), b = value(1, draw);
    variance += (a - f0) * (a - f0) + (b - f0) * (b - f0);
    for (std::size_t i = 0; i < d; ++i) {
      const double mixed = value(i + 2, draw);
      first[i] += (b - f0) * (mixed - a);
      total[i] += (a - mixed) * (a - mixed);
    }
  }
  std::vector<SobolIndex> indices;
  for (std::size_t i = 0; i < d; ++i)
    indices.push_back({sweep.parameters()[i], 2 * first[i] / variance, total[i] / variance});
  return indices;
}

}  // namespace pawl
