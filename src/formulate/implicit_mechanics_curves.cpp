// Of an implicit mechanism: the derivatives of potentials and constraints, and of the forces that follow from them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulate/implicit_mechanics.hpp"

namespace pawl::formulate {

namespace {

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

double ImplicitMechanics::first(const Curve& curve, int row, int a) const {
  return first_[at(row * curve.width() + a)];
}

double ImplicitMechanics::second(const Curve& curve, int row, int a, int b) const {
  return second_[at((row * curve.width() + a) * curve.width() + b)];
}

// First and second derivatives by everything the function reads and by the time, 8 by 8 of them at once.
void ImplicitMechanics::evaluate_curve(const Curve& curve, double t, const double* y) {
  if (!curve.f->supports<Curvature>() || wants_differences) return evaluate_curve_by_differences(curve, t, y);
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
    for (int b = 0; b < count; ++b) add(speed_state(curve.speeds[at(s)]), column_of(curve, b), -z_[at(s * count + b)]);
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
      for (std::size_t s = 0; s < curve.speeds.size(); ++s) sum += z_[s * at(count) + at(b)] * w_[at(curve.speeds[s])];
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
  const double reach = std::cbrt(std::numeric_limits<double>::epsilon());
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
            to[i] += factor * unit_maps_[at(part)][at(i)][at(axis)] * from[part] * x[speed_state(first_speed + axis)];
        }
      }
    };
    turn(q, rate, 1);
    turn(rate, curve_of_q, 0.5);
    for (int i = 0; i < 4; ++i)
      motion_.jets[at(info.positions[at(first_position + i)])] = {q[i], rate[i], curve_of_q[i]};
  }
  const detail::Surroundings<Jet<double>> around{&held_};
  motion_.read.clear();
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
