#include "report/sampled_path.hpp"

#include <cstddef>

namespace pawl {

Result with_cubics_between_samples(const Result& run) {
  constexpr int degree = 3;
  Result drawn = run;
  Trajectory& path = drawn.trajectory;
  const auto n = static_cast<std::size_t>(path.size);
  const std::vector<double>& times = path.sample_times;
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    const double h = times[k + 1] - times[k];
    if (!(h > 0)) continue;
    const double* x = path.sample_states.data() + k * n;
    const double* next = x + n;
    path.t0.push_back(times[k]);
    path.t1.push_back(times[k + 1]);
    path.span.push_back(h);
    path.degree.push_back(degree);
    path.first.push_back(path.coefficients.size());
    path.ends.insert(path.ends.end(), next, next + n);
    for (std::size_t i = 0; i + 1 < n; i += 2) {  // a coordinate, and its speed
      const double change = next[i] - x[i], v0 = h * x[i + 1], v1 = h * next[i + 1];
      const double c2 = 3 * change - 2 * v0 - v1, c3 = v0 + v1 - 2 * change;
      path.coefficients.insert(path.coefficients.end(), {x[i], v0, c2, c3});
      path.coefficients.insert(path.coefficients.end(), {x[i + 1], 2 * c2 / h, 3 * c3 / h, 0.0});
    }
  }
  return drawn;
}

}  // namespace pawl
