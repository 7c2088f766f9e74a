#include "formulate/mechanics_terms.hpp"

#include <algorithm>
#include <cmath>

#include "formulate/quaternion_rate.hpp"

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

}  // namespace

MechanicsTerms::MechanicsTerms(const System::Declarations& model)
    : model_(model),
      info_(*model.mechanics),
      n_(static_cast<int>(info_.speeds.size())),
      attitude_of_(info_.positions.size(), -1),
      inertia_(model) {
  const auto states = model.state_names.size();
  force_map_ = info_.speed_map(static_cast<int>(states));
  map_ = force_map_;
  map_.is_symmetric = true;
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    for (int i = 0; i < 4; ++i) attitude_of_[at(info_.attitudes[a].first_position + i)] = static_cast<int>(a);
  }
  duals_.resize(states);
  motion_.jets.resize(states);
  motion_.was_read.resize(states);
  q_rate.resize(info_.positions.size());
  q_curve_.resize(info_.positions.size());
  force.resize(at(n_));
  inertial.resize(at(n_));
  int most = 1;
  for (const auto& constraint : info_.constraints) most = std::max(most, constraint.rows);
  rows_dual_.resize(at(most));
  rows_jet_.resize(at(most));
  rows_value_.resize(at(most));
}

void MechanicsTerms::attitude_map(int attitude, const double* x, double map[4][3]) const {
  const int first = info_.attitudes[at(attitude)].first_position;
  double q[4];
  for (int i = 0; i < 4; ++i) q[i] = x[info_.positions[at(first + i)]];
  for (int axis = 0; axis < 3; ++axis) {
    double v[3] = {0, 0, 0};
    v[axis] = 1;
    const auto rate = quaternion_rate(q[0], q[1], q[2], q[3], v);
    for (int i = 0; i < 4; ++i) map[i][axis] = rate[at(i)];
  }
}

void MechanicsTerms::rate_of_positions(const double* x) {
  for (std::size_t i = 0; i < q_rate.size(); ++i) {
    if (info_.speed_of[i] >= 0) q_rate[i] = x[info_.speeds[at(info_.speed_of[i])]];
  }
  for (const auto& [first, first_speed] : info_.attitudes) {
    double q[4], v[3];
    for (int i = 0; i < 4; ++i) q[i] = x[info_.positions[at(first + i)]];
    for (int i = 0; i < 3; ++i) v[i] = x[info_.speeds[at(first_speed + i)]];
    const auto rate = quaternion_rate(q[0], q[1], q[2], q[3], v);
    for (int i = 0; i < 4; ++i) q_rate[at(first + i)] = rate[at(i)];
  }
}

void MechanicsTerms::evaluate_mass(double t, const double* x) {
  if (keeps_mass_) return;
  inertia_.evaluate_mass(t, x, *held_, mass.data());
  keeps_mass_ = inertia_.is_constant();
  ++mass_version_;
}

void MechanicsTerms::evaluate_inertia(double t, const double* x, const double* rates) {
  if (inertia_.is_zero()) return evaluate_mass(t, x);
  inertia_.evaluate(t, x, q_rate.data(), rates, *held_, mass.data(), inertial.data());
  ++mass_version_;
}

void MechanicsTerms::add_inertial() {
  if (inertia_.is_zero()) return;
  for (std::size_t i = 0; i < force.size(); ++i) force[i] += inertial[i];
}

// Only what one function reads, just before it does: the duals of a long chain do not fit a cache.
void MechanicsTerms::set_duals(const std::vector<int>& positions, const std::vector<int>& speeds, const double* x) {
  for (const int i : positions) duals_[at(info_.positions[at(i)])].value = x[info_.positions[at(i)]];
  for (const int i : speeds) duals_[at(info_.speeds[at(i)])].value = x[info_.speeds[at(i)]];
}

void MechanicsTerms::evaluate_force(double t, const double* x, const double* relays) {
  std::fill(force.begin(), force.end(), 0.0);
  const double* parameters = held_->parameters.data();
  const detail::Surroundings<double> around{held_, {}, relays};
  Terms<double> terms(force_map_, force.data());
  for (const auto& f : info_.forces) f(Point<double>(t, x, parameters, &around), terms);
  if (potentials_.empty()) return;
  const detail::Surroundings<Gradient> around_dual{held_};
  for (const auto& [v, positions, others] : potentials_) {
    for (const int state : others) duals_[at(state)].value = x[state];
    const int count = static_cast<int>(positions.size());
    set_duals(positions, {}, x);
    for (int begin = 0; begin < count; begin += directions) {
      const int end = std::min(begin + directions, count);
      for (int k = begin; k < end; ++k) duals_[at(info_.positions[at(positions[at(k)])])].slope[at(k - begin)] = 1;
      (*v)(Point<Gradient>(Gradient(t), duals_.data(), parameters, &around_dual), rows_dual_.data());
      for (int k = begin; k < end; ++k) {
        const int position = positions[at(k)], attitude = attitude_of(position);
        duals_[at(info_.positions[at(position)])].slope[at(k - begin)] = 0;
        const double slope_k = rows_dual_[0].slope[at(k - begin)];
        if (attitude < 0) {
          force[at(info_.speed_of[at(position)])] -= slope_k;
          continue;
        }
        double map[4][3];
        attitude_map(attitude, x, map);
        const auto& [first, first_speed] = info_.attitudes[at(attitude)];
        for (int axis = 0; axis < 3; ++axis) force[at(first_speed + axis)] -= slope_k * map[position - first][axis];
      }
    }
  }
}

void MechanicsTerms::evaluate_jacobian(double t, const double* x) {
  if (rows_ == 0) return;
  const detail::Surroundings<Gradient> around{held_};
  const Point<Gradient> point(Gradient(t), duals_.data(), held_->parameters.data(), &around);
  if (!info_.attitudes.empty()) std::fill(jacobian.begin(), jacobian.end(), 0.0);
  for (const Block& block : blocks_) {
    const int count = static_cast<int>(block.seeds.size()), width = static_cast<int>(block.columns.size());
    double* rows = jacobian.data() + pattern_.first[at(block.first_row)];
    set_duals(block.positions, block.speeds, x);
    const int* states = block.seed_states.data();
    for (int begin = 0; begin < count; begin += directions) {
      const int end = std::min(begin + directions, count);
      for (int k = begin; k < end; ++k) duals_[at(states[k])].slope[at(k - begin)] = 1;
      block.info->g(point, rows_dual_.data());
      for (int k = begin; k < end; ++k) duals_[at(states[k])].slope[at(k - begin)] = 0;
      if (block.is_plain) {
        double* row = rows + begin;
        for (const int kept : block.kept) {
          const double* slopes = rows_dual_[at(kept)].slope.data();
          for (int k = 0; k < end - begin; ++k) row[k] = slopes[k];
          row += width;
        }
        continue;
      }
      for (int k = begin; k < end; ++k) {
        const int seed = block.seeds[at(k)], slot = block.slot[at(k)];
        const int attitude = block.info->is_on_speeds ? -1 : attitude_of(seed);
        if (attitude < 0) {
          for (std::size_t r = 0; r < block.kept.size(); ++r)
            rows[static_cast<std::ptrdiff_t>(r) * width + slot] = rows_dual_[at(block.kept[r])].slope[at(k - begin)];
          continue;
        }
        double map[4][3];
        attitude_map(attitude, x, map);
        const int part = seed - info_.attitudes[at(attitude)].first_position;
        for (std::size_t r = 0; r < block.kept.size(); ++r) {
          for (int axis = 0; axis < 3; ++axis)
            rows[static_cast<std::ptrdiff_t>(r) * width + slot + axis] +=
                rows_dual_[at(block.kept[r])].slope[at(k - begin)] * map[part][axis];
        }
      }
    }
  }
}

void MechanicsTerms::evaluate_motion(double t, const double* x) {
  if (rows_ == 0) return;
  for (const auto& [first, first_speed] : info_.attitudes) {
    double v[3];
    for (int i = 0; i < 3; ++i) v[i] = x[info_.speeds[at(first_speed + i)]];
    const double* rate = q_rate.data() + first;
    const auto second = quaternion_rate(rate[0], rate[1], rate[2], rate[3], v);
    for (int i = 0; i < 4; ++i) q_curve_[at(first + i)] = 0.5 * second[at(i)];
  }
  const detail::Surroundings<Jet<double>> around{held_};
  const Point<Jet<double>> point(Jet<double>(t, 1, 0), Point<Jet<double>>::States{{&motion_}}, held_->parameters.data(),
                                 &around);
  for (const Block& block : blocks_) {
    for (const int i : block.positions) {
      const int state = info_.positions[at(i)];
      motion_.jets[at(state)] = {x[state], q_rate[at(i)], q_curve_[at(i)]};
    }
    for (const int i : block.speeds) motion_.jets[at(info_.speeds[at(i)])] = x[info_.speeds[at(i)]];
    block.info->g(point, rows_jet_.data());
    for (std::size_t k = 0; k < block.kept.size(); ++k) {
      const Jet<double>& jet = rows_jet_[at(block.kept[k])];
      const auto row = at(block.first_row) + k;
      value[row] = jet.value;
      slope[row] = block.info->is_on_speeds ? jet.value : jet.slope;
      gamma[row] = block.info->is_on_speeds ? jet.slope : 2 * jet.curve;
    }
  }
}

void MechanicsTerms::evaluate_values(double t, const double* x, double* values) {
  const detail::Surroundings<double> around{held_};
  const Point<double> point(t, x, held_->parameters.data(), &around);
  for (const Block& block : blocks_) {
    if (block.first_row >= holonomic_) break;
    block.info->g(point, rows_value_.data());
    for (std::size_t k = 0; k < block.kept.size(); ++k)
      values[at(block.first_row) + k] = rows_value_[at(block.kept[k])];
  }
}

void MechanicsTerms::evaluate_slope_jacobian(double t, const double* x, double* dense) {
  std::fill(dense, dense + static_cast<std::ptrdiff_t>(rows_) * n_, 0.0);
  rate_of_positions(x);
  std::vector<Curvature> points(duals_.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Gradient(x[i]);
  Gradient time(t);
  time.slope[0] = 1;
  for (std::size_t i = 0; i < q_rate.size(); ++i) points[at(info_.positions[i])].value.slope[0] = q_rate[i];
  std::vector<Curvature> out(rows_dual_.size());
  const detail::Surroundings<Curvature> around{held_};
  const Point<Curvature> point(Curvature(time), points.data(), held_->parameters.data(), &around);
  for (const Block& block : blocks_) {
    const std::vector<int> seeds = block.info->is_on_speeds ? reads(block.info->g, t, x, false) : block.seeds;
    for (const int seed : seeds) {  // one at a time: this is not on the way of a default step
      const int attitude = attitude_of(seed), state = info_.positions[at(seed)];
      points[at(state)].slope[0] = Gradient(1.0);
      if (attitude >= 0) {
        const auto& [first, first_speed] = info_.attitudes[at(attitude)];
        double unit[4] = {0, 0, 0, 0}, v[3];
        unit[seed - first] = 1;
        for (int i = 0; i < 3; ++i) v[i] = x[info_.speeds[at(first_speed + i)]];
        const auto rate = quaternion_rate(unit[0], unit[1], unit[2], unit[3], v);
        for (int i = 0; i < 4; ++i) points[at(info_.positions[at(first + i)])].slope[0].slope[0] = rate[at(i)];
      }
      block.info->g(point, out.data());
      points[at(state)].slope[0] = Gradient(0.0);
      for (std::size_t k = 0; k < block.kept.size(); ++k) {
        const Gradient& change = out[at(block.kept[k])].slope[0];
        const double derivative = block.info->is_on_speeds ? change.value : change.slope[0];
        double* row = dense + (static_cast<std::ptrdiff_t>(block.first_row) + static_cast<std::ptrdiff_t>(k)) * n_;
        if (attitude < 0) {
          row[info_.speed_of[at(seed)]] += derivative;
          continue;
        }
        double map[4][3];
        attitude_map(attitude, x, map);
        const auto& [first, first_speed] = info_.attitudes[at(attitude)];
        for (int axis = 0; axis < 3; ++axis) row[first_speed + axis] += derivative * map[seed - first][axis];
      }
      if (attitude >= 0) {
        for (int i = 0; i < 4; ++i)
          points[at(info_.positions[at(info_.attitudes[at(attitude)].first_position + i)])].slope[0] = Gradient(0.0);
      }
    }
  }
}

void MechanicsTerms::force_of_positions(const double* by_state, const double* x, double* out) const {
  std::fill(out, out + n_, 0.0);
  for (std::size_t i = 0; i < info_.positions.size(); ++i) {
    if (info_.speed_of[i] >= 0) out[info_.speed_of[i]] += by_state[info_.positions[i]];
  }
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    double map[4][3];
    attitude_map(static_cast<int>(a), x, map);
    const auto& [first, first_speed] = info_.attitudes[a];
    for (int i = 0; i < 4; ++i) {
      for (int axis = 0; axis < 3; ++axis)
        out[first_speed + axis] += by_state[info_.positions[at(first + i)]] * map[i][axis];
    }
  }
}

void MechanicsTerms::normalize(double* x) const {
  for (const auto& [first, first_speed] : info_.attitudes) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += sqr(x[info_.positions[at(first + i)]]);
    const double scale = 1 / std::sqrt(sum);
    for (int i = 0; i < 4; ++i) x[info_.positions[at(first + i)]] *= scale;
  }
}

void MechanicsTerms::move_positions(const double* d, double* x) const {
  for (std::size_t i = 0; i < info_.positions.size(); ++i) {
    if (info_.speed_of[i] >= 0) x[info_.positions[i]] += d[info_.speed_of[i]];
  }
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    double map[4][3];
    attitude_map(static_cast<int>(a), x, map);
    const auto& [first, first_speed] = info_.attitudes[a];
    for (int i = 0; i < 4; ++i) {
      for (int axis = 0; axis < 3; ++axis) x[info_.positions[at(first + i)]] += map[i][axis] * d[first_speed + axis];
    }
  }
  normalize(x);
}

}  // namespace pawl::formulate
