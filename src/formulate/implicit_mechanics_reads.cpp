// What the functions of an implicit mechanism read, observed by evaluating them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/implicit_mechanics.hpp"

namespace pawl::formulate {

namespace {

constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
constexpr int full_limit = 64;  // states; up to here every force is taken to read them all, since it may branch

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

// Derivatives that are not a number spread to all that depends on them, also where they are multiplied by zero. Eight
// ranges of states are tried at once, and those that are read are divided.
template <class Evaluate>
ImplicitMechanics::Reads ImplicitMechanics::observe(std::vector<int> outputs, bool in_full, double t, const double* x,
                                                    const Evaluate& evaluate) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  struct Range {
    int begin, end;  // the state after the last is the time
  };
  Reads reads;
  reads.outputs = std::move(outputs);
  const std::size_t count = reads.outputs.size();
  std::vector<std::vector<int>> read(count), readers(at(states_));
  const detail::Surroundings<Gradient> around{&held_, {}, form_.relays != nullptr ? relays_.data() : nullptr};
  for (int i = 0; i < states_; ++i) duals_[at(i)] = x[i];
  std::vector<Range> waiting{{states_, states_ + 1}};
  const auto divide = [&waiting](Range range) {
    const int length = std::max(1, (range.end - range.begin + directions - 1) / directions);
    for (int begin = range.begin; begin < range.end; begin += length)
      waiting.push_back({begin, std::min(begin + length, range.end)});
  };
  divide({0, states_});
  while (!waiting.empty()) {
    const std::size_t tried = std::min(waiting.size(), at(directions));
    const std::vector<Range> ranges(waiting.end() - static_cast<std::ptrdiff_t>(tried), waiting.end());
    waiting.resize(waiting.size() - tried);
    Gradient time(t);
    const auto mark = [&](double slope) {
      for (std::size_t k = 0; k < tried; ++k) {
        for (int i = ranges[k].begin; i < ranges[k].end; ++i) (i < states_ ? duals_[at(i)] : time).slope[k] = slope;
      }
    };
    mark(nan);
    std::fill(outputs_.begin(), outputs_.end(), Gradient());
    evaluate(Point<Gradient>(time, duals_.data(), held_.parameters.data(), &around), outputs_.data());
    mark(0);
    for (std::size_t k = 0; k < tried; ++k) {
      const auto [begin, end] = ranges[k];
      bool is_read = in_full && begin < states_;
      for (const int output : reads.outputs) is_read = is_read || std::isnan(outputs_[at(output)].slope[k]);
      if (!is_read) continue;
      if (begin == states_) {
        reads.has_time = true;
      } else if (end - begin > 1) {
        divide(ranges[k]);
      } else {
        for (std::size_t o = 0; o < count; ++o) {
          if (!in_full && !std::isnan(outputs_[at(reads.outputs[o])].slope[k])) continue;
          read[o].push_back(begin);
          readers[at(begin)].push_back(static_cast<int>(o));
        }
      }
    }
  }
  for (std::vector<int>& list : read) std::sort(list.begin(), list.end());
  reads.first.push_back(0);
  for (const std::vector<int>& list : read) {
    reads.state.insert(reads.state.end(), list.begin(), list.end());
    reads.first.push_back(static_cast<int>(reads.state.size()));
  }
  // Curtis, Powell, Reid, J. Inst. Maths. Applics. 13 (1974) 117: states that no output reads together share a group.
  reads.group.assign(at(states_), -1);
  std::vector<int> taken_by;
  for (int i = 0; i < states_; ++i) {
    if (readers[at(i)].empty()) continue;
    for (const int o : readers[at(i)]) {
      for (const int other : read[at(o)]) {
        if (reads.group[at(other)] >= 0) taken_by[at(reads.group[at(other)])] = i;
      }
    }
    int group = 0;
    while (group < reads.groups && taken_by[at(group)] == i) ++group;
    if (group == reads.groups) {
      ++reads.groups;
      taken_by.push_back(-1);
    }
    reads.group[at(i)] = group;
  }
  return reads;
}

void ImplicitMechanics::observe_functions(double t, const double* x) {
  const MechanicsInfo& info = terms_.info();
  const int n = terms_.size();
  const bool in_full = states_ <= full_limit;
  has_exact_force_ = has_other_force_ = has_exact_mass_ = has_other_mass_ = false;
  for (const auto& f : info.forces) (is_exact(f) ? has_exact_force_ : has_other_force_) = true;
  for (const auto& f : info.masses) (is_exact(f) ? has_exact_mass_ : has_other_mass_) = true;
  if (!info.kinetic_energies.empty()) has_other_mass_ = true;
  mass_map_ = force_map_;
  mass_map_.is_symmetric = true;
  const SparseRows& pattern = terms_.mass_pattern();
  std::vector<int> places;
  mass_entries_.clear();
  for (int i = 0; i < n; ++i) {
    const int begin = terms_.is_sparse() ? pattern.first[at(i)] : i * n,
              end = terms_.is_sparse() ? pattern.first[at(i + 1)] : begin + i + 1;
    for (int place = begin; place < end; ++place) {
      places.push_back(place);
      mass_entries_.emplace_back(i, terms_.is_sparse() ? pattern.column[at(place)] : place - begin);
    }
  }
  if (terms_.is_sparse()) {
    mass_map_.first = pattern.first;
    mass_map_.column = pattern.column;
  }
  const bool has_masses = has_exact_mass_ || has_other_mass_;
  outputs_.assign(std::max({at(n), at(states_), has_masses ? terms_.mass.size() : 0}), Gradient());
  numbers_.assign(outputs_.size(), 0);
  numbers_moved_.assign(outputs_.size(), 0);
  for (std::size_t i = 0; i < relays_.size(); ++i) relays_[i] = form_.relays != nullptr ? form_.relays[i] : 0;

  const auto forces = [this](const Point<Gradient>& point, Gradient* out) { evaluate_forces(point, out, true); };
  const auto masses = [this](const Point<Gradient>& point, Gradient* out) { evaluate_masses(point, out, true); };
  const auto rates = [this](const Point<Gradient>& point, Gradient* out) { model_->rates(point, out); };
  force_reads_ = has_exact_force_ ? observe(all_speeds_, in_full, t, x, forces) : Reads{};
  mass_reads_ = Reads{};
  const InertialTerms& inertia = terms_.inertia();
  mass_is_constant_ = inertia.is_constant();
  if (has_exact_mass_ && !mass_is_constant_) mass_reads_ = observe(places, in_full, t, x, masses);
  mass_reads_.outputs = places;
  const bool has_rates = !others_.empty() && model_->rates;
  const bool has_exact_rates = has_rates && is_exact(model_->rates);
  rate_reads_ = has_exact_rates ? observe(others_, in_full, t, x, rates) : Reads{};

  has_exact_inertia_ = inertia.is_twice_differentiable() && !wants_differences &&
                       (!inertia.reads_others() || !has_rates || has_exact_rates);
  inertia_reads_ = Reads{};
  if (has_exact_inertia_ && !inertia.is_zero()) {
    q_rate_dual_.assign(info.positions.size(), Gradient());
    rates_dual_.assign(at(states_), Gradient());
    mass_dual_.assign(terms_.mass.size(), Gradient());
    const auto inertial = [this](const Point<Gradient>& point, Gradient* out) { evaluate_inertial_terms(point, out); };
    inertia_reads_ = observe(all_speeds_, in_full, t, x, inertial);
  }

  bool has_curvature = true, has_third = false;
  for (const Curve& curve : curves_) {
    has_curvature &= curve.f->supports<Curvature>() && !wants_differences;
    has_third |= level_ == Level::index_1 && curve.first_row >= 0 && !curve.is_on_speeds;
  }
  const bool has_differences = has_other_force_ || has_other_mass_ || (has_rates && !has_exact_rates) ||
                               !has_curvature || (!has_exact_inertia_ && !inertia.is_zero());
  has_exact_jacobian_ = !has_differences && !has_third;
  const int groups = std::max({force_reads_.groups, mass_reads_.groups, inertia_reads_.groups, rate_reads_.groups});
  jacobian_kind_ = has_differences ? std::string("differences")
                   : has_third     ? std::string("exact (dual numbers), dγ/dq by differences")
                                   : fmt::format("exact (dual numbers), {} colours", groups);
}

ImplicitMechanics::Curve ImplicitMechanics::curve_of(const Function& f, int rows, bool is_on_speeds, double t) {
  const MechanicsInfo& info = terms_.info();
  std::vector<int>& read = motion_.read;
  read.clear();
  if (f.supports<Jet<double>>()) {
    const detail::Surroundings<Jet<double>> around{&held_};
    f(Point<Jet<double>>(Jet<double>(t), Point<Jet<double>>::States{{&motion_}}, held_.parameters.data(), &around),
      rows_jet_.data());
  } else {
    for (int i = 0; i < states_; ++i) {
      if (own_speed_[at(i)] < 0) read.push_back(i);
    }
  }
  for (std::size_t k = 0, count = read.size(); k < count; ++k) {  // where the map moves with one part, it does with all
    const int attitude = kinds_[at(read[k])].attitude;
    if (attitude < 0) continue;
    const int first = info.attitudes[at(attitude)].first_position;
    for (int part = 0; part < 4; ++part) read.push_back(info.positions[at(first + part)]);
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  Curve curve{&f, rows, -1, {0}, is_on_speeds, {}, {}};
  const std::vector<int>& speed = is_on_speeds ? own_speed_ : speed_by_state_;
  for (const int i : read) {
    curve.variables.push_back(kinds_[at(i)]);
    const int wide = !is_on_speeds && kinds_[at(i)].attitude >= 0 ? 3 : 1;
    for (int k = 0; speed[at(i)] >= 0 && k < wide; ++k) curve.speeds.push_back(speed[at(i)] + k);
  }
  std::sort(curve.speeds.begin(), curve.speeds.end());
  curve.speeds.erase(std::unique(curve.speeds.begin(), curve.speeds.end()), curve.speeds.end());
  for (Variable& variable : curve.variables) {
    const int number = speed[at(variable.state)];
    if (number >= 0)
      variable.slot =
          static_cast<int>(std::lower_bound(curve.speeds.begin(), curve.speeds.end(), number) - curve.speeds.begin());
    if (variable.attitude < 0) continue;
    const int state = info.positions[at(info.attitudes[at(variable.attitude)].first_position)];
    variable.first_part = static_cast<int>(std::lower_bound(read.begin(), read.end(), state) - read.begin());
  }
  return curve;
}

}  // namespace pawl::formulate
