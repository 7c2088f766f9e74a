// What the functions of a mechanism read and write, observed by evaluating them: the patterns of G and M.
#include <algorithm>

#include "formulate/mechanics_terms.hpp"

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

}  // namespace

void MechanicsTerms::lock(const Held& held) {
  held_ = &held;
  keeps_mass_ = false;
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
  if (inertia_.reads_differ(t, x, *held_)) return true;
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
    block.info = &info_.constraint_of(declared_rows[at(r)]);
    block.first_row = r;
    for (; r < rows_ && block.info->has_row(declared_rows[at(r)]); ++r)
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
    if (block.seeds.empty()) {
      throw Misuse("constraint '" + block.info->name + "' does not depend on any " +
                   (block.info->is_on_speeds ? "speed: a constraint of positions is declared with constraint(...)"
                                             : "coordinate, so that no force can hold it"));
    }
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
    block.is_plain = true;
    for (const int seed : block.seeds) {
      const auto found = std::lower_bound(block.columns.begin(), block.columns.end(), column_of(seed));
      const auto number = static_cast<std::ptrdiff_t>(block.slot.size());
      const bool is_alone = block.info->is_on_speeds || attitude_of(seed) < 0;
      block.is_plain = block.is_plain && is_alone && found - block.columns.begin() == number;
      block.slot.push_back(static_cast<int>(found - block.columns.begin()));
      block.seed_states.push_back(block.info->is_on_speeds ? info_.speeds[at(seed)] : info_.positions[at(seed)]);
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
      if (motion_.was_read[i] &&
          std::find(info_.positions.begin(), info_.positions.end(), state) == info_.positions.end())
        potentials_.back().others.push_back(state);
    }
    if (v.supports<Jet<double>>() && !read_of(info_.speeds).empty()) {
      throw Misuse("a potential of '" + model_.name +
                   "' reads a speed: a potential is a function of positions; forces "
                   "that depend on speeds are declared with force(...)");
    }
  }
  observe_mass(t, x);
  inertia_.arrange(t, x, *held_, map_);
}

// Many speeds and few couplings: the mass matrix is kept in the places of its pattern.
void MechanicsTerms::observe_mass(double t, const double* x) {
  keeps_mass_ = false;
  map_.first.clear();
  map_.column.clear();
  Entries<double>::Seen seen;
  if (n_ > 16) {
    Entries<double> record(map_, seen);
    const detail::Surroundings<double> around{held_};
    for (const auto& f : info_.masses) f(Point<double>(t, x, held_->parameters.data(), &around), record);
    for (const auto& pair : inertia_.coupled(t, x, *held_)) seen.push_back(pair);
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

}  // namespace pawl::formulate
