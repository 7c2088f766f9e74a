#include "formulate/mechanics_terms.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Notes which states a function asks for.
class RecordingStates final : public detail::LazyStates<Jet<double>> {
 public:
  RecordingStates(const Jet<double>* jets, char* was_read) : jets_(jets), was_read_(was_read) {}
  const Jet<double>& state(int i) const override {
    was_read_[i] = 1;
    return jets_[i];
  }

 private:
  const Jet<double>* jets_;
  char* was_read_;
};

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

/// The rate of a unit quaternion that turns with this angular velocity in body axes: half their product.
template <class T>
std::array<T, 4> quaternion_rate(const T& w, const T& x, const T& y, const T& z, const double* v) {
  return {-0.5 * (x * v[0] + y * v[1] + z * v[2]), 0.5 * (w * v[0] + y * v[2] - z * v[1]),
          0.5 * (w * v[1] + z * v[0] - x * v[2]), 0.5 * (w * v[2] + x * v[1] - y * v[0])};
}

}  // namespace

MechanicsTerms::MechanicsTerms(const System::Declarations& model)
    : model_(model),
      info_(*model.mechanics),
      n_(static_cast<int>(info_.speeds.size())),
      attitude_of_(info_.positions.size(), -1) {
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
  int most = 1;
  for (const auto& constraint : info_.constraints) most = std::max(most, constraint.rows);
  rows_dual_.resize(at(most));
  rows_jet_.resize(at(most));
  rows_value_.resize(at(most));
}

void MechanicsTerms::lock(const Held& held) {
  held_ = &held;
}

std::vector<int> MechanicsTerms::rows_in_force() const {
  std::vector<int> rows;
  for (const bool on_speeds : {false, true}) {
    for (const auto& constraint : info_.constraints) {
      if (constraint.is_on_speeds != on_speeds) continue;
      if (!constraint.only_when.is_always_true() && !constraint.only_when.holds(*held_)) continue;
      for (int row = 0; row < constraint.rows; ++row) rows.push_back(constraint.first_row + row);
    }
  }
  return rows;
}

const std::string& MechanicsTerms::row_name(int row) const {
  return model_.constraint_names[at(declared_row(row))];
}

int MechanicsTerms::row_of_declared(int declared) const {
  const auto found = std::find(declared_row_.begin(), declared_row_.end(), declared);
  return found == declared_row_.end() ? -1 : static_cast<int>(found - declared_row_.begin());
}

int MechanicsTerms::state_of(const Block& block, int seed) const {
  return block.info->is_on_speeds ? info_.speeds[at(seed)] : info_.positions[at(seed)];
}

// The positions (or speeds) a function asks for. A function that cannot be asked reads them all.
std::vector<int> MechanicsTerms::reads(const Function& f, double t, const double* x, bool of_speeds) {
  const std::vector<int>& states = of_speeds ? info_.speeds : info_.positions;
  std::fill(motion_.was_read.begin(), motion_.was_read.end(), f.supports<Jet<double>>() ? 0 : 1);
  if (f.supports<Jet<double>>()) {
    for (std::size_t i = 0; i < motion_.jets.size(); ++i) motion_.jets[i] = x[i];
    const detail::Surroundings<Jet<double>> around{held_};
    const RecordingStates recording(motion_.jets.data(), motion_.was_read.data());
    f(Point<Jet<double>>(Jet<double>(t), Point<Jet<double>>::States{{&recording}}, held_->parameters.data(), &around),
      rows_jet_.data());
  }
  return read_of(states);
}

bool MechanicsTerms::reads_differ(double t, const double* x) {
  for (const Block& block : blocks_) {
    reads(block.info->g, t, x, block.info->is_on_speeds);
    if (read_of(info_.positions) != block.positions || read_of(info_.speeds) != block.speeds) return true;
  }
  for (const auto& [v, positions, others] : potentials_) {
    if (reads(*v, t, x, false) != positions) return true;
  }
  if (!is_sparse()) return false;
  const SparseRows before = mass_pattern_;
  observe_mass(t, x);
  return mass_pattern_.column != before.column || mass_pattern_.first != before.first;
}

bool MechanicsTerms::force_is_finite() const {
  double sum = 0;
  for (const double f : force) sum += 0 * f;
  return sum == 0;
}

// Those of the last function that was asked, by number.
std::vector<int> MechanicsTerms::read_of(const std::vector<int>& states) const {
  std::vector<int> read;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (motion_.was_read[at(states[i])]) read.push_back(static_cast<int>(i));
  }
  return read;
}

void MechanicsTerms::arrange(double t, const double* x, const std::vector<int>& declared_rows) {
  declared_row_ = declared_rows;
  rows_ = static_cast<int>(declared_rows.size());
  holonomic_ = 0;
  blocks_.clear();
  pattern_ = {};
  for (int r = 0; r < rows_;) {
    Block block{};
    for (const auto& constraint : info_.constraints) {
      if (declared_rows[at(r)] >= constraint.first_row && declared_rows[at(r)] < constraint.first_row + constraint.rows)
        block.info = &constraint;
    }
    block.first_row = r;
    for (; r < rows_ && declared_rows[at(r)] < block.info->first_row + block.info->rows &&
           declared_rows[at(r)] >= block.info->first_row;
         ++r)
      block.kept.push_back(declared_rows[at(r)] - block.info->first_row);
    if (!block.info->is_on_speeds) holonomic_ = r;
    block.seeds = reads(block.info->g, t, x, block.info->is_on_speeds);
    block.positions = read_of(info_.positions);
    block.speeds = read_of(info_.speeds);
    for (std::size_t i = 0; i < motion_.was_read.size(); ++i) {
      const int state = static_cast<int>(i);
      const auto has = [state](const std::vector<int>& list) {
        return std::find(list.begin(), list.end(), state) != list.end();
      };
      if (motion_.was_read[i] && !has(info_.positions) && !(block.info->is_on_speeds && has(info_.speeds)))
        throw Misuse("constraint '" + block.info->name + "' depends on '" + model_.state_names[i] +
                     "': a constraint is a function of time and coordinates, a velocity constraint of speeds too");
    }
    if (block.seeds.empty())
      throw Misuse("constraint '" + block.info->name + "' does not depend on any " +
                   (block.info->is_on_speeds ? "speed: a constraint of positions is declared with constraint(...)"
                                             : "coordinate, so that no force can hold it"));
    const auto column_of = [&](int seed) {
      if (block.info->is_on_speeds) return seed;
      const int attitude = attitude_of(seed);
      return attitude < 0 ? info_.speed_of[at(seed)] : info_.attitudes[at(attitude)].first_speed;
    };
    for (const int seed : block.seeds) {
      const int wide = !block.info->is_on_speeds && attitude_of(seed) >= 0 ? 3 : 1;
      for (int k = 0; k < wide; ++k) block.columns.push_back(column_of(seed) + k);
    }
    std::sort(block.columns.begin(), block.columns.end());
    block.columns.erase(std::unique(block.columns.begin(), block.columns.end()), block.columns.end());
    for (const int seed : block.seeds) {
      const auto found = std::lower_bound(block.columns.begin(), block.columns.end(), column_of(seed));
      block.slot.push_back(static_cast<int>(found - block.columns.begin()));
    }
    for (std::size_t k = 0; k < block.kept.size(); ++k) {
      pattern_.column.insert(pattern_.column.end(), block.columns.begin(), block.columns.end());
      pattern_.first.push_back(pattern_.entries());
    }
    blocks_.push_back(std::move(block));
  }
  jacobian.assign(at(pattern_.entries()), 0);
  for (auto* vector : {&value, &slope, &gamma}) vector->assign(at(rows_), 0);
  potentials_.clear();
  for (const Function& v : info_.potentials) {
    potentials_.push_back({&v, reads(v, t, x, false), {}});
    for (std::size_t i = 0; i < motion_.was_read.size(); ++i) {
      const int state = static_cast<int>(i);
      if (motion_.was_read[i] && std::find(info_.positions.begin(), info_.positions.end(), state) == info_.positions.end())
        potentials_.back().others.push_back(state);
    }
    if (v.supports<Jet<double>>() && !read_of(info_.speeds).empty())
      throw Misuse("a potential of '" + model_.name + "' reads a speed: a potential is a function of positions; forces "
                   "that depend on speeds are declared with force(...)");
  }
  observe_mass(t, x);
}

// Many speeds and few couplings: the mass matrix is kept in the places of its pattern.
void MechanicsTerms::observe_mass(double t, const double* x) {
  map_.first.clear();
  map_.column.clear();
  Entries<double>::Seen seen;
  if (n_ > 16) {
    Entries<double> record(map_, seen);
    const detail::Surroundings<double> around{held_};
    for (const auto& f : info_.masses) f(Point<double>(t, x, held_->parameters.data(), &around), record);
    for (int i = 0; i < n_; ++i) seen.emplace_back(i, i);
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  }
  mass_pattern_ = {};
  if (n_ > 16 && seen.size() + at(pattern_.entries()) < at(n_) * at(n_) / 4) {
    mass_pattern_.first.assign(at(n_) + 1, 0);
    for (const auto& [i, j] : seen) {
      mass_pattern_.column.push_back(j);
      mass_pattern_.first[at(i) + 1] = mass_pattern_.entries();
    }
    map_.first = mass_pattern_.first;
    map_.column = mass_pattern_.column;
  }
  mass.assign(is_sparse() ? seen.size() : at(n_) * at(n_), 0);
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
  std::fill(mass.begin(), mass.end(), 0.0);
  const double* parameters = held_->parameters.data();
  for (const auto& [speed, m] : info_.constant_masses) {
    const double number = m.index() == 0 ? std::get<double>(m) : parameters[std::get<Parameter>(m).index];
    mass[is_sparse() ? at(map_.first[at(speed) + 1] - 1) : at(speed * n_ + speed)] += number;
  }
  const detail::Surroundings<double> around{held_};
  Entries<double> entries(map_, mass.data());
  for (const auto& f : info_.masses) f(Point<double>(t, x, parameters, &around), entries);
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
      for (int k = begin; k < end; ++k)
        duals_[at(info_.positions[at(positions[at(k)])])].slope[at(k - begin)] = 1;
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
    for (int begin = 0; begin < count; begin += directions) {
      const int end = std::min(begin + directions, count);
      for (int k = begin; k < end; ++k) duals_[at(state_of(block, block.seeds[at(k)]))].slope[at(k - begin)] = 1;
      block.info->g(point, rows_dual_.data());
      for (int k = begin; k < end; ++k) {
        const int seed = block.seeds[at(k)], slot = block.slot[at(k)];
        duals_[at(state_of(block, seed))].slope[at(k - begin)] = 0;
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
  const Point<Jet<double>> point(Jet<double>(t, 1, 0), Point<Jet<double>>::States{{&motion_}},
                                 held_->parameters.data(), &around);
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
