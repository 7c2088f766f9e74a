#include "formulate/dae_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pawl::formulate {

namespace {

constexpr int reach = 3;  // samples to each side

/// Central differences of the first three derivatives over seven points, for steps of one.
constexpr std::array<std::array<double, 2 * reach + 1>, 3> stencils{{
    {-1. / 60, 3. / 20, -3. / 4, 0, 3. / 4, -3. / 20, 1. / 60},
    {1. / 90, -3. / 20, 3. / 2, -49. / 18, 3. / 2, -3. / 20, 1. / 90},
    {1. / 8, -1, 13. / 8, 0, -13. / 8, 1, -1. / 8},
}};

/// In which no term of the motion reaches a fiftieth of the size of its state.
double sample_distance(const DaeEquations& equations, const double* z, int orders) {
  double rate = 0, factorial = 1;
  const int n = equations.size();
  for (int k = 1; k < orders; ++k) {
    factorial *= k;
    for (int j = 0; j < n; ++j) {
      const double share = std::abs(z[k * n + j]) / (factorial * equations.nominal(j, z[j]));
      rate = std::max(rate, std::pow(share, 1.0 / k));
    }
  }
  return 0.02 / std::max(rate, 0.1);
}

}  // namespace

std::vector<DaeValues> along_motion(const DaeEquations& equations, const DaeSampler& sample, double t, const double* z,
                                    int orders) {
  const int n = equations.size();
  double s = sample_distance(equations, z, orders);
  std::array<DaeValues, 2 * reach + 1> samples;
  std::vector<double> y(at(n)), dy(at(n));
  const auto take = [&] {
    bool are_finite = true;
    for (int i = -reach; i <= reach; ++i) {
      const double step = i * s;
      for (int j = 0; j < n; ++j) {
        double value = 0, rate = 0;
        for (int k = orders; k-- > 0;) {
          value = z[k * n + j] + value * step / (k + 1);
          if (k > 0) rate = z[k * n + j] + rate * step / k;
        }
        y[at(j)] = value;
        dy[at(j)] = rate;
      }
      DaeValues& one = samples[at(i + reach)];
      sample(t + step, y.data(), dy.data(), one);
      are_finite = are_finite && all_finite(one.J) && all_finite(one.M);
    }
    return are_finite;
  };
  for (int tries = 0; tries < 3 && !take(); ++tries) s *= 0.03;  // the model may end nearby
  std::vector<DaeValues> along(stencils.size() + 1, samples[reach]);
  for (std::size_t q = 0; q < stencils.size(); ++q) {
    const double unit = std::pow(s, static_cast<double>(q) + 1);
    for (std::vector<double> DaeValues::*matrix : {&DaeValues::J, &DaeValues::M}) {
      std::vector<double>& out = along[q + 1].*matrix;
      for (std::size_t e = 0; e < out.size(); ++e) {
        double sum = 0, size = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
          const double term = stencils[q][i] * (samples[i].*matrix)[e];
          sum += term;
          size = std::max(size, std::abs(term));
        }
        out[e] = std::abs(sum) <= 1e-13 * size ? 0 : sum / unit;
      }
    }
  }
  return along;
}

}  // namespace pawl::formulate
