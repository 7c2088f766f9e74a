// The derivatives of an implicit mechanism: every function of the model is differentiated by what it reads, and what
// comes out is added into the matrices, entry by entry.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/implicit_mechanics.hpp"
#include "formulate/quaternion_rate.hpp"

namespace pawl::formulate {

namespace {

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
constexpr double eps = std::numeric_limits<double>::epsilon();

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

// ---- into the matrices

void ImplicitMechanics::linearize(double t, const double* y, const double* dy) {
  std::fill(matrices_.J.begin(), matrices_.J.end(), 0.0);
  std::fill(matrices_.M.begin(), matrices_.M.end(), 0.0);
  target_ = Target::matrices;
  differentiate(t, y, dy);
}

void ImplicitMechanics::time_slope(double t, const double* y, const double* dy, double* slope) {
  std::fill(slope, slope + size_, 0.0);
  slope_ = slope;
  target_ = Target::slope;
  differentiate(t, y, dy);
  target_ = Target::matrices;
}

void ImplicitMechanics::add(int row, int column, double value) {
  if (target_ == Target::slope) {
    if (column == time_column) slope_[row] += value;
    return;
  }
  if (column == time_column) return;
  if (target_ == Target::pattern) {
    seen_.emplace_back(column, row);
  } else if (!matrices_.is_sparse) {
    matrices_.J[at(column) * at(size_) + at(row)] += value;
  } else {
    const auto begin = matrices_.row.begin() + matrices_.first[at(column)],
               end = matrices_.row.begin() + matrices_.first[at(column + 1)];
    const auto place = std::lower_bound(begin, end, row);
    matrices_.J[static_cast<std::size_t>(place - matrices_.row.begin())] += value;
  }
}

void ImplicitMechanics::add_mass(int row, int column, double value) {
  if (target_ == Target::slope) return;
  if (target_ == Target::pattern) {
    seen_.emplace_back(column, row);
  } else if (!matrices_.is_sparse) {
    matrices_.M[at(column) * at(size_) + at(row)] += value;
  } else {
    const auto begin = matrices_.row.begin() + matrices_.first[at(column)],
               end = matrices_.row.begin() + matrices_.first[at(column + 1)];
    const auto place = std::lower_bound(begin, end, row);
    matrices_.M[static_cast<std::size_t>(place - matrices_.row.begin())] += value;
  }
}

void ImplicitMechanics::differentiate(double t, const double* y, const double* dy) {
  const MechanicsInfo& info = terms_.info();
  for (std::size_t i = 0; i < info.speeds.size(); ++i) {
    w_[i] = dy != nullptr ? dy[info.speeds[i]] : 0;
    u_[i] = y[info.speeds[i]];
  }
  for (std::size_t a = 0; a < maps_.size(); ++a) {
    double map[4][3];
    terms_.attitude_map(static_cast<int>(a), y, map);
    for (int i = 0; i < 4; ++i) std::copy(map[i], map[i] + 3, maps_[a][at(i)].begin());
  }
  for (std::size_t i = 0; i < relays_.size(); ++i) relays_[i] = form_.relays != nullptr ? form_.relays[i] : 0;
  terms_.rate_of_positions(y);
  if (level_ == Level::stabilized_index_2 && !maps_.empty()) {
    terms_.evaluate_jacobian(t, y);
    const SparseRows& G = terms_.pattern();
    for (int k = 0; k < terms_.holonomic(); ++k) {
      for (int e = G.first[at(k)]; e < G.first[at(k + 1)]; ++e)
        u_[at(G.column[at(e)])] -= terms_.jacobian[at(e)] * y[stabilizer(k)];
    }
  }
  const double one = 1;
  add_positions();
  add_inertia(t, y);
  add_inertial_terms(t, y);
  add_forces(t, y);
  add_others(t, y);
  for (const Curve& curve : curves_) {
    evaluate_curve(curve, t, y);
    if (curve.first_row < 0)
      add_force_slopes(curve, &one);
    else if (curve.is_on_speeds)
      add_speed_constraint(curve, y);
    else
      add_constraint(curve, t, y);
  }
  if (!curves_.empty()) ++dual_evaluations;
}

// S u - q', u = v - G^T μ held: what moves with it is added by the constraints.
void ImplicitMechanics::add_positions() {
  const MechanicsInfo& info = terms_.info();
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    add_mass(info.positions[i], info.positions[i], 1);
    if (info.speed_of[i] >= 0) add(info.positions[i], speed_state(info.speed_of[i]), 1);
  }
  for (std::size_t a = 0; a < info.attitudes.size(); ++a) {
    const auto& [first, first_speed] = info.attitudes[a];
    for (int i = 0; i < 4; ++i) {
      const int row = info.positions[at(first + i)];
      for (int axis = 0; axis < 3; ++axis) add(row, speed_state(first_speed + axis), maps_[a][at(i)][at(axis)]);
      for (int part = 0; part < 4; ++part) {
        double sum = 0;
        for (int axis = 0; axis < 3; ++axis) sum += unit_maps_[at(part)][at(i)][at(axis)] * u_[at(first_speed + axis)];
        add(row, info.positions[at(first + part)], sum);
      }
    }
  }
}

// M of dr/dy', and what moves in -M v'.
void ImplicitMechanics::add_inertia(double t, const double* y) {
  if (!mass_is_constant_) terms_.evaluate_mass(t, y);
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [i, j] = mass_entries_[e];
    const double m = terms_.mass[at(mass_reads_.outputs[e])];
    add_mass(speed_state(i), speed_state(j), m);
    if (i != j) add_mass(speed_state(j), speed_state(i), m);
  }
  if (mass_is_constant_) return;
  const auto take = [this](std::size_t e, int column, double slope) {
    const auto [i, j] = mass_entries_[e];
    add(speed_state(i), column, -slope * w_[at(j)]);
    if (i != j) add(speed_state(j), column, -slope * w_[at(i)]);
  };
  const auto exact = [this](const Point<Gradient>& point, Gradient* out) { evaluate_masses(point, out, true); };
  const auto numbers = [this](const Point<double>& point, double* out) { evaluate_masses(point, out, false); };
  if (has_exact_mass_) sweep(mass_reads_, t, y, exact, take);
  if (has_other_mass_) differences(mass_reads_.outputs, t, y, numbers, take);
}

void ImplicitMechanics::add_inertial_terms(double t, const double* y) {
  if (terms_.inertia().is_zero()) return;
  if (!has_exact_inertia_) return add_inertial_differences(t, y);
  const auto take = [this](std::size_t speed, int column, double slope) {
    add(speed_state(static_cast<int>(speed)), column, slope);
  };
  const auto exact = [this](const Point<Gradient>& point, Gradient* out) { evaluate_inertial_terms(point, out); };
  sweep(inertia_reads_, t, y, exact, take);
}

void ImplicitMechanics::evaluate_inertial_terms(const Point<Gradient>& point, Gradient* out) {
  const MechanicsInfo& info = terms_.info();
  const Gradient* x = point.states().array;
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] >= 0) q_rate_dual_[i] = x[speed_state(info.speed_of[i])];
  }
  for (const auto& [first, first_speed] : info.attitudes) {
    const int* q = info.positions.data() + first;
    const Gradient w[3] = {x[speed_state(first_speed)], x[speed_state(first_speed + 1)],
                           x[speed_state(first_speed + 2)]};
    const auto rate = quaternion_rate(x[q[0]], x[q[1]], x[q[2]], x[q[3]], w);
    std::copy(rate.begin(), rate.end(), q_rate_dual_.begin() + first);
  }
  if (terms_.inertia().reads_others() && model_->rates) model_->rates(point, rates_dual_.data());
  terms_.inertia().evaluate(point.t, x, q_rate_dual_.data(), rates_dual_.data(), held_, mass_dual_.data(), out);
}

// Central, of terms that are exact or differences themselves: for kinetic energies, black boxes, and when asked for.
void ImplicitMechanics::add_inertial_differences(double t, const double* y) {
  const double reach = std::sqrt(std::sqrt(eps));
  const detail::Surroundings<double> around{&held_, {}, form_.relays};
  std::copy(y, y + states_, x_moved_.begin());
  const auto terms_at = [&](double time, std::vector<double>& out) {
    terms_.rate_of_positions(x_moved_.data());
    if (terms_.inertia().reads_others() && model_->rates)
      model_->rates(Point<double>(time, x_moved_.data(), held_.parameters.data(), &around), rates_.data());
    terms_.evaluate_inertia(time, x_moved_.data(), rates_.data());
    out = terms_.inertial;
    ++difference_evaluations;
  };
  const auto add_column = [&](int column, double value) {
    const double step = increment(column, value) * reach / std::sqrt(eps);
    double* moved = column >= 0 ? &x_moved_[at(column)] : nullptr;
    const double after = value + step, before = value - step;
    if (moved != nullptr) *moved = after;
    terms_at(moved != nullptr ? t : after, inertial_ahead_);
    if (moved != nullptr) *moved = before;
    terms_at(moved != nullptr ? t : before, inertial_behind_);
    if (moved != nullptr) *moved = value;
    for (int i = 0; i < terms_.size(); ++i)
      add(speed_state(i), column, (inertial_ahead_[at(i)] - inertial_behind_[at(i)]) / (after - before));
  };
  if (target_ == Target::slope) {
    add_column(time_column, t);
  } else {
    for (int i = 0; i < states_; ++i) add_column(i, y[i]);
  }
  terms_.rate_of_positions(y);
}

void ImplicitMechanics::add_forces(double t, const double* y) {
  const auto take = [this](std::size_t speed, int column, double slope) {
    add(speed_state(static_cast<int>(speed)), column, slope);
  };
  const auto exact = [this](const Point<Gradient>& point, Gradient* out) { evaluate_forces(point, out, true); };
  const auto numbers = [this](const Point<double>& point, double* out) { evaluate_forces(point, out, false); };
  if (has_exact_force_) sweep(force_reads_, t, y, exact, take);
  if (has_other_force_) differences(all_speeds_, t, y, numbers, take);
}

void ImplicitMechanics::add_others(double t, const double* y) {
  for (const int state : others_) add_mass(state, state, 1);
  if (others_.empty() || !model_->rates) return;
  const auto take = [this](std::size_t other, int column, double slope) { add(others_[other], column, slope); };
  if (is_exact(model_->rates)) {
    const auto exact = [this](const Point<Gradient>& point, Gradient* out) { model_->rates(point, out); };
    sweep(rate_reads_, t, y, exact, take);
  } else {
    const auto numbers = [this](const Point<double>& point, double* out) { model_->rates(point, out); };
    differences(others_, t, y, numbers, take);
  }
}

// ---- derivatives of lists

template <class Evaluate, class Take>
void ImplicitMechanics::sweep(const Reads& reads, double t, const double* y, const Evaluate& evaluate,
                              const Take& take) {
  const detail::Surroundings<Gradient> around{&held_, {}, form_.relays != nullptr ? relays_.data() : nullptr};
  const bool by_time = target_ == Target::slope;
  const int groups = by_time ? (reads.has_time ? 1 : 0) : reads.groups;
  for (int begin = 0; begin < groups; begin += directions) {
    for (int i = 0; i < states_; ++i) {
      duals_[at(i)] = y[i];
      const int place = reads.group[at(i)] - begin;
      if (!by_time && reads.group[at(i)] >= 0 && place >= 0 && place < directions) duals_[at(i)].slope[at(place)] = 1;
    }
    Gradient time(t);
    if (by_time) time.slope[0] = 1;
    std::fill(outputs_.begin(), outputs_.end(), Gradient());
    evaluate(Point<Gradient>(time, duals_.data(), held_.parameters.data(), &around), outputs_.data());
    ++dual_evaluations;
    for (std::size_t o = 0; o < reads.outputs.size(); ++o) {
      const Gradient& out = outputs_[at(reads.outputs[o])];
      if (by_time) {
        take(o, time_column, out.slope[0]);
        continue;
      }
      for (int e = reads.first[o]; e < reads.first[o + 1]; ++e) {
        const int state = reads.state[at(e)], place = reads.group[at(state)] - begin;
        if (place >= 0 && place < directions) take(o, state, out.slope[at(place)]);
      }
    }
  }
}

double ImplicitMechanics::increment(int state, double value) const {
  const bool has_nominal = state >= 0 && !model_->nominals.empty() && model_->nominals[at(state)] > 0;
  const double size = std::max(std::abs(value), has_nominal ? model_->nominals[at(state)] : 1.0);
  const double moved = value + std::sqrt(eps) * size;
  return moved - value;  // as it is represented
}

template <class Evaluate, class Take>
void ImplicitMechanics::differences(const std::vector<int>& outputs, double t, const double* y,
                                    const Evaluate& evaluate, const Take& take) {
  const detail::Surroundings<double> around{&held_, {}, form_.relays};
  std::copy(y, y + states_, x_moved_.begin());
  const auto values_at = [&](double time, std::vector<double>& out) {
    std::fill(out.begin(), out.end(), 0.0);
    evaluate(Point<double>(time, x_moved_.data(), held_.parameters.data(), &around), out.data());
    ++difference_evaluations;
  };
  const auto take_all = [&](int column, double step) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      take(o, column, (numbers_moved_[at(outputs[o])] - numbers_[at(outputs[o])]) / step);
  };
  values_at(t, numbers_);
  if (target_ == Target::slope) {
    const double step = increment(time_column, t);
    values_at(t + step, numbers_moved_);
    return take_all(time_column, step);
  }
  for (int i = 0; i < states_; ++i) {
    const double step = increment(i, y[i]);
    x_moved_[at(i)] = y[i] + step;
    values_at(t, numbers_moved_);
    x_moved_[at(i)] = y[i];
    take_all(i, step);
  }
}

}  // namespace pawl::formulate
