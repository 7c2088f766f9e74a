// The derivatives of an implicit mechanism: every function of the model is differentiated by what it reads, and what
// comes out is added into the matrices, entry by entry.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/implicit_mechanics.hpp"

namespace pawl::formulate {

namespace {

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
constexpr int time_column = -1;
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
  if (model_->rates.supports<Gradient>()) {
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

// ---- potentials and constraints

double ImplicitMechanics::first(const Curve& curve, int row, int a) const {
  return first_[at(row * curve.width() + a)];
}

double ImplicitMechanics::second(const Curve& curve, int row, int a, int b) const {
  return second_[at((row * curve.width() + a) * curve.width() + b)];
}

// First and second derivatives by everything the function reads and by the time, 8 by 8 of them at once.
void ImplicitMechanics::evaluate_curve(const Curve& curve, double t, const double* y) {
  if (!curve.f->supports<Curvature>()) return evaluate_curve_by_differences(curve, t, y);
  const int count = curve.width();
  const detail::Surroundings<Curvature> around{&held_};
  for (int rows = 0; rows < count; rows += directions) {
    for (int columns = rows; columns < count; columns += directions) {
      const auto variable = [=](double value, int a) {
        Curvature z(value);
        if (a >= columns && a < columns + directions) z.value.slope[at(a - columns)] = 1;
        if (a >= rows && a < rows + directions) z.slope[at(a - rows)] = Gradient(1.0);
        return z;
      };
      for (int a = 0; a + 1 < count; ++a) {
        const int state = curve.variables[at(a)].state;
        curvatures_[at(state)] = variable(y[state], a);
      }
      (*curve.f)(Point<Curvature>(variable(t, count - 1), curvatures_.data(), held_.parameters.data(), &around),
                 rows_curvature_.data());
      for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k) {
        const Curvature& out = rows_curvature_[at(curve.kept[at(k)])];
        for (int a = rows; a < std::min(rows + directions, count); ++a) {
          const Gradient& slope = out.slope[at(a - rows)];
          first_[at(k * count + a)] = slope.value;
          for (int b = columns; b < std::min(columns + directions, count); ++b)
            second_[at((k * count + a) * count + b)] = second_[at((k * count + b) * count + a)] =
                slope.slope[at(b - columns)];
        }
      }
    }
  }
}

// A function that branches on states is differentiated once; the rest is differences of that.
void ImplicitMechanics::evaluate_curve_by_differences(const Curve& curve, double t, const double* y) {
  const int count = curve.width();
  const detail::Surroundings<Gradient> around{&held_};
  for (int i = 0; i < states_; ++i) duals_[at(i)] = y[i];
  const auto gradient = [&](Gradient time, int a, double* out, int stride) {  // out[k stride + a] for 8 variables
    const auto set = [&](double slope) {
      for (int b = a; b < std::min(a + directions, count - 1); ++b)
        duals_[at(curve.variables[at(b)].state)].slope[at(b - a)] = slope;
    };
    set(1);
    if (count - 1 < a + directions) time.slope[at(count - 1 - a)] = 1;
    (*curve.f)(Point<Gradient>(time, duals_.data(), held_.parameters.data(), &around), rows_dual_.data());
    set(0);
    for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k) {
      for (int b = a; b < std::min(a + directions, count); ++b)
        out[k * stride + b] = rows_dual_[at(curve.kept[at(k)])].slope[at(b - a)];
    }
  };
  for (int a = 0; a < count; a += directions) gradient(t, a, first_.data(), count);
  for (int b = 0; b < count; ++b) {
    const int state = b + 1 < count ? curve.variables[at(b)].state : time_column;
    const double step = increment(state, state >= 0 ? y[state] : t);
    if (state >= 0) duals_[at(state)].value = y[state] + step;
    for (int a = 0; a < count; a += directions)
      gradient(state >= 0 ? t : t + step, a, second_.data() + b * count, count * count);
    if (state >= 0) duals_[at(state)].value = y[state];
    ++difference_evaluations;
    for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k) {
      for (int a = 0; a < count; ++a) {
        double& slope = second_[at((k * count + b) * count + a)];
        slope = (slope - first(curve, k, a)) / step;
      }
    }
  }
}

template <class Do>
void ImplicitMechanics::for_each_lever(const Variable& variable, const Do& act) const {
  if (variable.slot < 0) return;
  if (variable.attitude < 0) return act(variable.slot, 1.0);
  for (int axis = 0; axis < 3; ++axis)
    act(variable.slot + axis, maps_[at(variable.attitude)][at(variable.part)][at(axis)]);
}

// z(s, b): the derivative by variable b of the force along speed s, S^T Σ_k weight_k df_k/dq (of Σ_k weight_k dh_k/dv
// for constraints on speeds). The map S of an attitude moves as well.
void ImplicitMechanics::force_slopes(const Curve& curve, const double* weights) {
  const int count = curve.width();
  std::fill(z_.begin(), z_.end(), 0.0);
  for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k) {
    if (weights[k] == 0) continue;
    for (int a = 0; a + 1 < count; ++a) {
      const Variable& variable = curve.variables[at(a)];
      if (variable.slot < 0) continue;
      for_each_lever(variable, [&](int s, double lever) {
        for (int b = 0; b < count; ++b) z_[at(s * count + b)] += weights[k] * lever * second(curve, k, a, b);
      });
      if (variable.attitude < 0) continue;
      for (int axis = 0; axis < 3; ++axis) {
        for (int part = 0; part < 4; ++part)
          z_[at((variable.slot + axis) * count + variable.first_part + part)] +=
              weights[k] * unit_maps_[at(part)][at(variable.part)][at(axis)] * first(curve, k, a);
      }
    }
  }
}

void ImplicitMechanics::add_force_slopes(const Curve& curve, const double* weights) {
  force_slopes(curve, weights);
  const int count = curve.width();
  for (int s = 0; s < static_cast<int>(curve.speeds.size()); ++s) {
    for (int b = 0; b < count; ++b)
      add(speed_state(curve.speeds[at(s)]), column_of(curve, b), -z_[at(s * count + b)]);
  }
}

int ImplicitMechanics::column_of(const Curve& curve, int variable) const {
  return variable + 1 < curve.width() ? curve.variables[at(variable)].state : time_column;
}

void ImplicitMechanics::add_constraint(const Curve& curve, double t, const double* y) {
  const int count = curve.width(), kept = static_cast<int>(curve.kept.size()), row = curve.first_row;
  const bool is_stabilized = level_ == Level::stabilized_index_2;
  add_force_slopes(curve, y + multiplier(row));
  // G, which stands in several places.
  for (int k = 0; k < kept; ++k) {
    for (int a = 0; a + 1 < count; ++a) {
      for_each_lever(curve.variables[at(a)], [&](int s, double lever) {
        const int state = speed_state(curve.speeds[at(s)]);
        const double entry = lever * first(curve, k, a);
        add(state, multiplier(row + k), -entry);
        if (level_ == Level::index_2 || is_stabilized) add(multiplier(row + k), state, entry);
        if (level_ == Level::index_1) add_mass(multiplier(row + k), state, entry);
      });
    }
    // 0 = g
    if (level_ == Level::index_3 || is_stabilized) {
      const int equation = is_stabilized ? stabilizer(row + k) : multiplier(row + k);
      for (int b = 0; b < count; ++b) add(equation, column_of(curve, b), first(curve, k, b));
    }
    // 0 = g_q q' + g_t
    if (level_ == Level::index_2 || is_stabilized) {
      for (int b = 0; b < count; ++b) {
        double sum = second(curve, k, b, count - 1);
        for (int a = 0; a + 1 < count; ++a) sum += second(curve, k, a, b) * position_rate(curve.variables[at(a)]);
        add(multiplier(row + k), column_of(curve, b), sum);
      }
      for (int a = 0; a + 1 < count; ++a) add_turning(curve, a, multiplier(row + k), first(curve, k, a), y);
    }
  }
  if (is_stabilized) add_stabilizer(curve, y);
  if (level_ == Level::index_1) add_acceleration(curve, t, y);
}

// What moves in weight q'_a, q' = S(q) v, with the attitude.
void ImplicitMechanics::add_turning(const Curve& curve, int a, int row, double weight, const double* y) {
  const Variable& variable = curve.variables[at(a)];
  if (variable.attitude < 0) return;
  const int first_speed = terms_.info().attitudes[at(variable.attitude)].first_speed;
  for (int part = 0; part < 4; ++part) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
      sum += unit_maps_[at(part)][at(variable.part)][at(axis)] * y[speed_state(first_speed + axis)];
    add(row, curve.variables[at(variable.first_part + part)].state, weight * sum);
  }
}

double ImplicitMechanics::position_rate(const Variable& variable) const {
  return variable.position < 0 ? 0 : terms_.q_rate[at(variable.position)];
}

// -S G^T μ in the equations of positions.
void ImplicitMechanics::add_stabilizer(const Curve& curve, const double* y) {
  const int count = curve.width();
  force_slopes(curve, y + stabilizer(curve.first_row));
  for (int a = 0; a + 1 < count; ++a) {
    const Variable& to = curve.variables[at(a)];
    for_each_lever(to, [&](int s, double lever) {
      for (int b = 0; b < count; ++b) add(to.state, column_of(curve, b), -lever * z_[at(s * count + b)]);
      for (int from = 0; from + 1 < count; ++from) {
        for_each_lever(curve.variables[at(from)], [&](int speed, double arm) {
          if (speed != s) return;
          for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k)
            add(to.state, stabilizer(curve.first_row + k), -lever * arm * first(curve, k, from));
        });
      }
    });
  }
}

// -(G v' + γ). γ is quadratic in the speeds, so that a central difference by them is exact with any increment.
void ImplicitMechanics::add_acceleration(const Curve& curve, double t, const double* y) {
  const int count = curve.width(), kept = static_cast<int>(curve.kept.size());
  for (int k = 0; k < kept; ++k) {
    unit_[at(k)] = 1;
    force_slopes(curve, unit_.data());
    unit_[at(k)] = 0;
    for (int b = 0; b < count; ++b) {
      double sum = 0;
      for (std::size_t s = 0; s < curve.speeds.size(); ++s)
        sum += z_[s * at(count) + at(b)] * w_[at(curve.speeds[s])];
      add(multiplier(curve.first_row + k), column_of(curve, b), -sum);
    }
  }
  std::copy(y, y + states_, x_moved_.begin());
  double largest = 0;
  for (const Variable& variable : curve.variables) largest = std::max(largest, std::abs(y[variable.state]));
  const auto add_difference = [&](int column, double value, double step) {
    double* moved = column >= 0 ? &x_moved_[at(column)] : nullptr;
    const auto gamma_at = [&](double place, double* out) {
      if (moved != nullptr) *moved = place;
      evaluate_gamma(curve, moved != nullptr ? t : place, x_moved_.data(), out);
    };
    gamma_at(value + step, gamma_.data());
    gamma_at(value - step, gamma_back_.data());
    if (moved != nullptr) *moved = value;
    for (int k = 0; k < kept; ++k)
      add(multiplier(curve.first_row + k), column, -(gamma_[at(k)] - gamma_back_[at(k)]) / (2 * step));
  };
  const double reach = std::cbrt(eps);
  if (target_ == Target::slope) return add_difference(time_column, t, reach * std::max(std::abs(t), 1.0));
  for (const Variable& variable : curve.variables) {
    const double value = y[variable.state], size = std::max(std::abs(value), 0.01 * largest);
    add_difference(variable.state, value, reach * (size > 0 ? size : 1));
  }
  for (const int speed : curve.speeds) {
    const int state = speed_state(speed);
    add_difference(state, y[state], std::max(std::abs(y[state]), 1.0));
  }
}

void ImplicitMechanics::evaluate_gamma(const Curve& curve, double t, const double* x, double* gamma) {
  const MechanicsInfo& info = terms_.info();
  for (const Variable& variable : curve.variables) {
    Jet<double>& jet = motion_.jets[at(variable.state)];
    if (variable.attitude < 0) {
      jet = {x[variable.state], x[speed_state(info.speed_of[at(variable.position)])], 0};
      continue;
    }
    if (variable.part > 0) continue;
    const auto& [first_position, first_speed] = info.attitudes[at(variable.attitude)];
    double q[4], rate[4] = {0, 0, 0, 0}, curve_of_q[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) q[i] = x[info.positions[at(first_position + i)]];
    const auto turn = [&, first_speed = first_speed](const double* from, double* to, double factor) {
      for (int part = 0; part < 4; ++part) {
        for (int i = 0; i < 4; ++i) {
          for (int axis = 0; axis < 3; ++axis)
            to[i] +=
                factor * unit_maps_[at(part)][at(i)][at(axis)] * from[part] * x[speed_state(first_speed + axis)];
        }
      }
    };
    turn(q, rate, 1);
    turn(rate, curve_of_q, 0.5);
    for (int i = 0; i < 4; ++i)
      motion_.jets[at(info.positions[at(first_position + i)])] = {q[i], rate[i], curve_of_q[i]};
  }
  const detail::Surroundings<Jet<double>> around{&held_};
  (*curve.f)(Point<Jet<double>>(Jet<double>(t, 1, 0), Point<Jet<double>>::States{{&motion_}}, held_.parameters.data(),
                                &around),
             rows_jet_.data());
  for (std::size_t k = 0; k < curve.kept.size(); ++k) gamma[k] = 2 * rows_jet_[at(curve.kept[k])].curve;
}

void ImplicitMechanics::add_speed_constraint(const Curve& curve, const double* y) {
  const int count = curve.width(), row = curve.first_row;
  add_force_slopes(curve, y + multiplier(row));
  for (int k = 0; k < static_cast<int>(curve.kept.size()); ++k) {
    const int equation = multiplier(row + k);
    for (int a = 0; a + 1 < count; ++a) {
      const Variable& variable = curve.variables[at(a)];
      if (variable.slot < 0) continue;
      add(variable.state, equation, -first(curve, k, a));
      if (level_ == Level::index_1) add_mass(equation, variable.state, first(curve, k, a));
    }
    if (level_ != Level::index_1) {
      for (int b = 0; b < count; ++b) add(equation, column_of(curve, b), first(curve, k, b));
      continue;
    }
    // -(h_v v' + h_q q' + h_t), q' = S v
    for (int b = 0; b < count; ++b) {
      double sum = second(curve, k, b, count - 1);
      for (int a = 0; a + 1 < count; ++a) {
        const Variable& variable = curve.variables[at(a)];
        const double rate = variable.slot >= 0 ? w_[at(curve.speeds[at(variable.slot)])] : position_rate(variable);
        sum += second(curve, k, a, b) * rate;
      }
      add(equation, column_of(curve, b), -sum);
    }
    for (int a = 0; a + 1 < count; ++a) {
      const Variable& variable = curve.variables[at(a)];
      if (variable.position < 0) continue;
      const MechanicsInfo& info = terms_.info();
      const double slope = first(curve, k, a);
      add_turning(curve, a, equation, -slope, y);
      if (variable.attitude < 0) {
        add(equation, speed_state(info.speed_of[at(variable.position)]), -slope);
        continue;
      }
      for (int axis = 0; axis < 3; ++axis)
        add(equation, speed_state(info.attitudes[at(variable.attitude)].first_speed + axis),
            -slope * maps_[at(variable.attitude)][at(variable.part)][at(axis)]);
    }
  }
}

}  // namespace pawl::formulate
