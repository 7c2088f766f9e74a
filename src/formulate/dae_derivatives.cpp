#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formulate/dae_bench.hpp"

// The derivatives of DaeEquations: by unknowns, their rates and time, and along a motion.
namespace pawl::formulate {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class GivenJets final : public detail::LazyStates<Jet<double>> {
 public:
  const Jet<double>& state(int index) const override { return values[at(index)]; }
  std::vector<Jet<double>> values;
};

}  // namespace

// Differences of second order: central, but where that would be before the start, ahead.
struct DaeEquations::Weights {
  struct Term {
    double step, weight;
  };
  std::array<Term, 3> terms;
};
DaeEquations::Weights DaeEquations::weights_in_time(double t, double step) const {
  if (!looks_back_ && t >= earliest_ && t - step < earliest_)
    return {{{{0, -1.5 / step}, {step, 2 / step}, {2 * step, -0.5 / step}}}};
  return {{{{-step, -0.5 / step}, {step, 0.5 / step}, {0, 0}}}};
}

void DaeEquations::linearize(double t, const double* y, const double* dy, double* J, double* M, double* slope,
                             bool by_differences) {
  if (dy == nullptr) dy = zero_.data();
  if (by_differences) unit_is_exact_.swap(all_inexact_);
  const bool any_exact = std::find(unit_is_exact_.begin(), unit_is_exact_.end(), true) != unit_is_exact_.end();
  const bool any_inexact = std::find(unit_is_exact_.begin(), unit_is_exact_.end(), false) != unit_is_exact_.end();
  mass_has_changed_ = false;
  if (any_exact) linearize_exactly(t, y, dy, J, M, slope);
  if (any_inexact) difference(t, y, dy, J, M, slope);
  if (by_differences) unit_is_exact_.swap(all_inexact_);
}

// Directions: the colours of y, those of y' if M is wanted or one of them all if it is to be looked at, then t.
void DaeEquations::linearize_exactly(double t, const double* y, const double* dy, double* J, double* M, double* slope) {
  std::vector<Gradient>&states = duals_->y, &rates = duals_->dy, &r = duals_->r;
  for (int j = 0; j < size_; ++j) {
    states[at(j)] = y[j];
    rates[at(j)] = dy[j];
  }
  skips_rates_ = is_given_;
  const bool looks = M == nullptr && !assumed_mass_.empty();
  const int groups = colors(), of_rates = M != nullptr ? groups : looks ? 1 : 0;
  const int directions = groups + of_rates + (slope != nullptr ? 1 : 0);
  for (int begin = 0; begin < directions; begin += width) {
    const int end = std::min(begin + width, directions);
    Gradient time(t);
    for (int g = begin; g < end; ++g) {
      if (g == groups + of_rates)
        time.slope[at(g - begin)] = 1;
      else if (looks && g == groups)
        for (int j = 0; j < size_; ++j) rates[at(j)].slope[at(g - begin)] = direction_[at(j)];
      else
        for (const int j : observed_->of_color(g < groups ? g : g - groups))
          (g < groups ? states : rates)[at(j)].slope[at(g - begin)] = 1;
    }
    evaluate<Gradient>(*duals_, time, {states.data()}, rates.data(), r.data(), Units::exact);
    ++dual_evaluations;
    for (int g = begin; g < end; ++g) {
      if (g == groups + of_rates) {
        for (int i = 0; i < size_; ++i) slope[i] = r[at(i)].slope[at(g - begin)];
        continue;
      }
      if (looks && g == groups) {
        for (int i = 0; i < size_; ++i) {
          seen_mass_[at(i)] = -r[at(i)].slope[at(g - begin)];
          rates[at(i)].slope[at(g - begin)] = 0;
        }
        mass_has_changed_ = compare_mass(seen_mass_.data());
        continue;
      }
      for (const int j : observed_->of_color(g < groups ? g : g - groups)) {
        for (int e = first()[at(j)]; e < first()[at(j) + 1]; ++e) {
          const double derivative = r[at(row()[at(e)])].slope[at(g - begin)];
          (g < groups ? J : M)[e] = g < groups ? derivative : -derivative;
        }
        (g < groups ? states : rates)[at(j)].slope[at(g - begin)] = 0;
      }
    }
  }
  skips_rates_ = false;
  if (is_given_) take_given(t, y, dy, J, slope);
}

void DaeEquations::take_given(double t, const double* y, const double* dy, double* J, double* slope) {
  const Written& jacobian = observed_->jacobian;
  std::fill(given_.begin(), given_.end(), 0.0);
  Entries<double> entries(jacobian.map, given_.data());
  const detail::Surroundings<double> around{held_};
  model_->jacobian(Point<double>(t, y, parameters_, &around), entries);
  for (std::size_t k = 0; k < jacobian.entries.size(); ++k)
    J[observed_->place[k]] += given_[at(jacobian.entries[k].slot)];
  if (slope == nullptr) return;
  const double change = path_step(t, y, dy, nullptr);
  std::fill(slope, slope + rate_rows_, 0.0);
  for (const auto& [step, weight] : weights_in_time(t, change).terms) {
    if (weight == 0) continue;
    evaluate<double>(*numbers_, t + step, {y}, dy, moved_.data(), Units::all);
    ++difference_evaluations;
    for (int i = 0; i < rate_rows_; ++i) slope[i] += weight * moved_[at(i)];
  }
}

// Forward differences. Increments follow the size a state has, has had or is declared to have: the rounding of a state
// that is zero for a moment must not decide.
void DaeEquations::difference(double t, const double* y, const double* dy, double* J, double* M, double* slope) {
  std::copy(y, y + size_, point_.begin());
  std::copy(dy, dy + size_, rates_.begin());
  evaluate<double>(*numbers_, t, {point_.data()}, rates_.data(), base_.data(), Units::inexact);
  ++difference_evaluations;
  const auto pass = [&](std::vector<double>& moving, const double* from, const auto& increment, double* out, int sign) {
    for (int g = 0; g < colors(); ++g) {
      const std::span<const int> group = observed_->of_color(g);
      for (const int j : group) moving[at(j)] += increment(j);
      evaluate<double>(*numbers_, t, {point_.data()}, rates_.data(), moved_.data(), Units::inexact);
      ++difference_evaluations;
      for (const int j : group) {
        const double change = moving[at(j)] - from[j];
        for (int e = first()[at(j)]; e < first()[at(j) + 1]; ++e) {
          const std::size_t i = at(row()[at(e)]);
          if (!unit_is_exact_[unit_of_row_[i]]) out[e] = sign * (moved_[i] - base_[i]) / change;
        }
        moving[at(j)] = from[j];
      }
    }
  };
  const auto of_state = [&](int j) {
    scale_[at(j)] = std::max(scale_[at(j)], std::abs(y[j]));
    // A state that has only just left zero must still be moved by more than the rounding of what it is added to.
    const bool is_declared = !model_->nominals.empty() && model_->nominals[at(j)] > 0;
    const double size = std::max({std::abs(y[j]), 0.1 * scale_[at(j)], is_declared ? 0.0 : 1e-3});
    return std::sqrt(epsilon) * size * (y[j] < 0 ? -1 : 1);
  };
  pass(point_, y, of_state, J, 1);
  const auto of_rate = [&](int j) {
    return std::sqrt(epsilon) * std::max(std::abs(dy[j]), scale_[at(j)] > 0 ? scale_[at(j)] : 1.0);
  };
  if (M != nullptr) pass(rates_, dy, of_rate, M, -1);
  if (slope == nullptr) return;
  const double change = path_step(t, y, dy, nullptr);
  const auto is_mine = [&](int i) { return !unit_is_exact_[unit_of_row_[at(i)]]; };
  for (int i = 0; i < size_; ++i)
    if (is_mine(i)) slope[i] = 0;
  for (const auto& [step, weight] : weights_in_time(t, change).terms) {
    if (weight == 0) continue;
    evaluate<double>(*numbers_, t + step, {y}, dy, moved_.data(), Units::inexact);
    ++difference_evaluations;
    for (int i = 0; i < size_; ++i)
      if (is_mine(i)) slope[i] += weight * moved_[at(i)];
  }
}

// A step along the motion that moves no state by more than a small part of its size.
double DaeEquations::path_step(double t, const double* y, const double* dy, const double* ddy) const {
  double longest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < size_; ++j) {
    const double size = std::max(std::abs(y[j]), scale_[at(j)]);
    if (size == 0) continue;  // it may be small everywhere
    if (dy[j] != 0) longest = std::min(longest, size / std::abs(dy[j]));
    if (ddy != nullptr && ddy[j] != 0) longest = std::min(longest, std::sqrt(size / std::abs(ddy[j])));
  }
  if (!std::isfinite(longest) || !(longest > 0)) longest = std::max(std::abs(t), 1.0);
  return std::max(std::cbrt(epsilon) * longest, 1e3 * epsilon * std::abs(t));
}

void DaeEquations::along_motion(int order, double t, const double* z, std::span<const int> rows, double* r) {
  if (order == 1) {
    first_along(t, z, z + size_, z + 2 * size_, r);
  } else if (order == 2) {
    second_along(t, z, rows, r);
  } else {
    const auto takes = [this](int row) { return takes_series(row); };
    if (!std::all_of(rows.begin(), rows.end(), takes)) difference_along(order, t, z, rows, r);
    highest_along(order, t, z, takes, r);
  }
}

/// The rows that can, as series.
void DaeEquations::highest_along(int order, double t, const double* z, const std::function<bool(int)>& can, double* r) {
  std::vector<double> all(at((order + 1) * size_));
  series_along(order, t, z, all.data());
  for (int i = 0; i < size_; ++i)
    if (can(i)) r[i] = all[at(order * size_ + i)];
}

void DaeEquations::first_along(double t, const double* y, const double* dy, const double* ddy, double* r) {
  const auto is_differentiated = [this](int row) { return !is_given_ && unit_is_exact_[unit_of_row_[at(row)]]; };
  if (!is_given_) {
    for (int j = 0; j < size_; ++j) {
      duals_->y[at(j)] = y[j];
      duals_->dy[at(j)] = dy[j];
      duals_->y[at(j)].slope[0] = dy[j];
      duals_->dy[at(j)].slope[0] = ddy[j];
    }
    evaluate<Gradient>(*duals_, Gradient::variable(t, 0), {duals_->y.data()}, duals_->dy.data(), duals_->r.data(),
                       Units::exact);
    for (int i = 0; i < size_; ++i)
      if (is_differentiated(i)) r[i] = duals_->r[at(i)].slope[0];
    if (is_exact()) return;
  }
  std::vector<double> there(at(size_)), rate(at(size_)), rows(at(size_));
  for (int i = 0; i < size_; ++i)
    if (!is_differentiated(i)) r[i] = 0;
  for (const auto& [step, weight] : weights_in_time(t, path_step(t, y, dy, ddy)).terms) {
    if (weight == 0) continue;
    for (int j = 0; j < size_; ++j) {
      there[at(j)] = y[j] + step * (dy[j] + step / 2 * ddy[j]);
      rate[at(j)] = dy[j] + step * ddy[j];
    }
    residual(t + step, there.data(), rate.data(), rows.data());
    for (int i = 0; i < size_; ++i)
      if (!is_differentiated(i)) r[i] += weight * rows[at(i)];
  }
}

bool DaeEquations::unit_takes_jets(std::size_t unit) const {
  if (unit > 0) return model_->equations[unit - 1].f.supports<Jet<double>>();
  return rate_rows_ == 0 || (model_->rates.supports<Jet<double>>() && (!model_->mass || !assumed_mass_.empty()));
}

bool DaeEquations::unit_takes_series(std::size_t unit) const {
  if (unit > 0) return model_->equations[unit - 1].f.supports<Series>();
  return rate_rows_ == 0 || (model_->rates.supports<Series>() && (!model_->mass || !assumed_mass_.empty()));
}

void DaeEquations::second_along(double t, const double* z, std::span<const int> rows, double* r) {
  const auto needs_series = [this](int row) { return !takes_jets(row) && takes_series(row); };
  if (!std::all_of(rows.begin(), rows.end(), [this](int row) { return takes_jets(row) || takes_series(row); })) {
    looks_back_ = true;  // one-sided differences of one-sided differences are mostly noise
    difference_along(2, t, z, rows, r);
    looks_back_ = false;
  }
  if (std::any_of(rows.begin(), rows.end(), needs_series)) highest_along(2, t, z, needs_series, r);
  const double *dy = z + size_, *ddy = z + 2 * size_, *dddy = z + 3 * size_;
  GivenJets states;
  Bench<Jet<double>> bench(size_);
  for (int j = 0; j < size_; ++j) {
    states.values.emplace_back(z[j], dy[j], ddy[j] / 2);
    bench.dy[at(j)] = {dy[j], ddy[j], dddy[j] / 2};
  }
  evaluate<Jet<double>>(bench, Jet<double>::variable(t), {{&states}}, bench.dy.data(), bench.r.data(), Units::jets);
  for (int i = 0; i < size_; ++i)
    if (takes_jets(i)) r[i] = 2 * bench.r[at(i)].curve;
}

void DaeEquations::series_along(int order, double t, const double* z, double* r) {
  Bench<Series> bench(size_);
  double factorial = 1;
  for (int k = 0; k <= order; ++k) {
    factorial *= std::max(k, 1);
    for (int j = 0; j < size_; ++j) {
      bench.y[at(j)].order = bench.dy[at(j)].order = at(order);
      bench.y[at(j)].c[at(k)] = z[k * size_ + j] / factorial;
      bench.dy[at(j)].c[at(k)] = z[(k + 1) * size_ + j] / factorial;
    }
  }
  evaluate<Series>(bench, Series::variable(t, at(order)), {bench.y.data()}, bench.dy.data(), bench.r.data(),
                   Units::series);
  factorial = 1;
  for (int k = 0; k <= order; ++k) {
    factorial *= std::max(k, 1);
    for (int i = 0; i < size_; ++i) r[k * size_ + i] = factorial * bench.r[at(i)].c[at(k)];
  }
}

// Of the derivatives of the order before.
void DaeEquations::difference_along(int order, double t, const double* z, std::span<const int> asked, double* r) {
  std::vector<double> there(at((order + 1) * size_)), rows(at(size_));
  std::fill(r, r + size_, 0.0);
  for (const auto& [step, weight] : weights_in_time(t, path_step(t, z, z + size_, z + 2 * size_)).terms) {
    if (weight == 0) continue;
    for (int k = 0; k <= order; ++k) {
      for (int j = 0; j < size_; ++j) {
        double value = 0;
        for (int m = order + 1; m >= k; --m) value = z[m * size_ + j] + value * step / (m - k + 1);
        there[at(k * size_ + j)] = value;
      }
    }
    along_motion(order - 1, t + step, there.data(), asked, rows.data());
    for (int i = 0; i < size_; ++i) r[i] += weight * rows[at(i)];
  }
}

}  // namespace pawl::formulate
