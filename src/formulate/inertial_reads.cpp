// What masses and kinetic energies read, observed by evaluating them.
#include <algorithm>

#include <fmt/format.h>

#include "formulate/coloring.hpp"
#include "formulate/inertial_terms.hpp"

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Notes which states a function asks for.
struct Recording final : detail::LazyStates<Jet<double>> {
  std::vector<Jet<double>> jets;
  mutable std::vector<char> was_read;
  const Jet<double>& state(int i) const override {
    was_read[at(i)] = 1;
    return jets[at(i)];
  }
};

}  // namespace

/// Everything but speeds.
std::vector<InertialTerms::Direction> InertialTerms::all_moves() const {
  std::vector<Direction> all;
  for (std::size_t i = 0; i < info_.positions.size(); ++i)
    all.push_back({.state = info_.positions[i], .position = static_cast<int>(i)});
  for (int state = 0; state < static_cast<int>(is_speed_.size()); ++state) {
    if (!is_speed_[at(state)] && !is_position_[at(state)] && state != info_.friction_work)
      all.push_back({.state = state});
  }
  all.push_back({});
  return all;
}

// With patterns; a function that branches on states is taken to write every entry and to read everything.
InertialTerms::Structure InertialTerms::observe(const Held& held) const {
  const int states = static_cast<int>(is_speed_.size());
  PatternTape tape;
  std::vector<Pattern> x, entries(at(places_));
  for (int i = 0; i < states; ++i) x.push_back(tape.variable(i));
  const detail::Surroundings<Pattern> around{&held};
  bool may_branch = false;
  Entries<Pattern> out(map_, entries.data());
  for (const auto* f : smooth_) {
    if (f->supports<Pattern>()) {
      (*f)(Point<Pattern>(tape.variable(states), x.data(), held.parameters.data(), &around), out);
    } else {
      may_branch = true;
    }
  }
  const std::vector<Direction> all = all_moves();
  std::vector<int> number(at(states) + 1, -1);  // of the direction of a state; the time comes last
  for (std::size_t d = 0; d < all.size(); ++d)
    number[at(all[d].state < 0 ? states : all[d].state)] = static_cast<int>(d);
  Structure found;
  std::vector<int> first{0};  // reads of every entry, as columns of a pattern
  for_each_place([&](int i, int j, int place) {
    const auto begin = static_cast<int>(found.reads.size());
    if (may_branch) {
      for (std::size_t d = 0; d < all.size(); ++d) found.reads.push_back(static_cast<int>(d));
    } else {
      for (const int input : tape.inputs_of(entries[at(place)])) {
        if (number[at(input)] < 0) {
          throw Misuse(fmt::format(
              "the mass matrix of '{}' depends on '{}': masses are functions of coordinates, further states and time.\n"
              "  try:    forces for what depends on speeds",
              model_.name, model_.state_names[at(input)]));
        }
        found.reads.push_back(number[at(input)]);
      }
    }
    if (static_cast<int>(found.reads.size()) == begin) return;
    found.entries.push_back({i, j, place, begin});
    first.push_back(static_cast<int>(found.reads.size()));
  });
  // Directions that are read, and groups of them that no entry reads together.
  std::vector<int> renumbered(all.size(), -1);
  for (int& read : found.reads) {
    if (renumbered[at(read)] < 0) {
      renumbered[at(read)] = static_cast<int>(found.directions.size());
      found.directions.push_back(all[at(read)]);
    }
    read = renumbered[at(read)];
  }
  const int count = static_cast<int>(found.directions.size());
  const TransposedPattern by_direction = transpose(count, first, found.reads);
  const std::vector<int> color =
      color_columns(static_cast<int>(found.entries.size()), by_direction.first, by_direction.column);
  for (std::size_t d = 0; d < found.directions.size(); ++d) found.directions[d].group = color[d];
  found.entries.push_back({0, 0, 0, static_cast<int>(found.reads.size())});  // so that every entry has a next one
  return found;
}

void InertialTerms::observe_kinetics(double t, const double* x, const Held& held) {
  kinetics_.clear();
  Recording recording;
  for (std::size_t i = 0; i < is_speed_.size(); ++i) recording.jets.emplace_back(x[i]);
  const detail::Surroundings<Jet<double>> around{&held};
  for (const Function& f : info_.kinetic_energies) {
    recording.was_read.assign(is_speed_.size(), f.supports<Jet<double>>() ? 0 : 1);
    Jet<double> out;
    if (f.supports<Jet<double>>())
      f(Point<Jet<double>>(Jet<double>(t), Point<Jet<double>>::States{{&recording}}, held.parameters.data(), &around),
        &out);
    Kinetic kinetic{&f, {}, {}, {}};
    for (std::size_t i = 0; i < info_.positions.size(); ++i) {
      if (recording.was_read[at(info_.positions[i])]) kinetic.positions.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < info_.speeds.size(); ++i) {
      if (recording.was_read[at(info_.speeds[i])]) kinetic.speeds.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < is_speed_.size(); ++i) {
      if (recording.was_read[i] && !is_speed_[i] && !is_position_[i]) kinetic.others.push_back(static_cast<int>(i));
    }
    kinetics_.push_back(std::move(kinetic));
  }
}

std::vector<std::pair<int, int>> InertialTerms::coupled(double t, const double* x, const Held& held) {
  observe_kinetics(t, x, held);
  std::vector<std::pair<int, int>> pairs;
  for (const Kinetic& kinetic : kinetics_) {
    for (const int i : kinetic.speeds) {
      for (const int j : kinetic.speeds) {
        if (j <= i) pairs.emplace_back(i, j);
      }
    }
  }
  return pairs;
}

void InertialTerms::arrange(double t, const double* x, const Held& held, const detail::EntryMap& map) {
  map_ = map;
  places_ = map.is_sparse() ? map.first.back() : n_ * map.width;
  observe_kinetics(t, x, held);
  structure_ = observe(held);
  groups_ = 0;
  reads_others_ = false;
  const auto is_other = [](const Direction& d) { return d.state >= 0 && d.position < 0; };
  for (const Direction& direction : structure_.directions) {
    groups_ = std::max(groups_, direction.group + 1);
    reads_others_ |= is_other(direction);
  }
  for (const Direction& direction : moves_) reads_others_ |= is_other(direction);
  for (const Kinetic& kinetic : kinetics_) reads_others_ |= !kinetic.others.empty();

  const std::size_t count = structure_.directions.size();
  const auto size_bench = [&](auto& bench) {
    bench.states.resize(is_speed_.size());
    bench.entries.resize(at(places_));
  };
  const auto size = [&](auto& work) {
    size_bench(work.bench);
    work.rate.resize(count);
    work.energy.resize(count);
    work.momentum.resize(at(n_));
  };
  size(work_);
  has_single_slopes_ = groups_ <= 1 && std::all_of(smooth_.begin(), smooth_.end(), [](const auto* f) {
                         return f->template supports<detail::SingleSlope>();
                       });
  if (has_single_slopes_) size_bench(single_);
  if (is_twice_differentiable_) size(work_dual_);
  ahead_.assign(at(places_), 0);
  behind_.assign(at(places_), 0);

  // Bodies whose inertia is three numbers, which may be equal.
  is_single_.assign(info_.attitudes.size(), 1);
  has_gyroscopes_ = false;
  if (info_.attitudes.empty()) return;
  Entries<double>::Seen written;
  Entries<double> record(map_, written);
  const detail::Surroundings<double> around{&held};
  for (const auto& f : info_.masses) f(Point<double>(t, x, held.parameters.data(), &around), record);
  for (const Kinetic& kinetic : kinetics_) {
    for (const int i : kinetic.speeds) written.emplace_back(i, i);
  }
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    const int first = info_.attitudes[a].first_speed;
    for (const auto& [i, j] : written) {
      if ((i >= first && i < first + 3) || (j >= first && j < first + 3)) is_single_[a] = 0;
    }
  }
  has_gyroscopes_ = turns_unevenly(held);
}

bool InertialTerms::reads_differ(double t, const double* x, const Held& held) {
  if (!smooth_.empty() && !(observe(held) == structure_)) return true;
  if (turns_unevenly(held) != has_gyroscopes_) return true;
  if (kinetics_.empty()) return false;
  const std::vector<Kinetic> before = kinetics_;
  observe_kinetics(t, x, held);
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k].positions != kinetics_[k].positions || before[k].speeds != kinetics_[k].speeds ||
        before[k].others != kinetics_[k].others)
      return true;
  }
  return false;
}

std::string InertialTerms::description() const {
  if (is_zero()) return "none: the masses are constant";
  if (black_boxes_.empty()) return "exact (dual numbers)";
  return fmt::format("differences, {} evaluations of the masses each", black_box_evaluations());
}

// Whether the inertia of some body, if it has no more than three numbers on the diagonal, differs between its axes.
bool InertialTerms::turns_unevenly(const Held& held) const {
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    double inertia[3] = {0, 0, 0};
    for (const auto& mass : info_.constant_masses) {
      const int axis = mass.speed - info_.attitudes[a].first_speed;
      if (axis >= 0 && axis < 3) inertia[axis] += number_of(mass, held);
    }
    if (!is_single_[a] || inertia[0] != inertia[1] || inertia[1] != inertia[2]) return true;
  }
  return false;
}

}  // namespace pawl::formulate
