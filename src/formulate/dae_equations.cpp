#include "formulate/dae_equations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "formulate/coloring.hpp"

namespace pawl::formulate {

namespace {

constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
constexpr int largest_full = 64;  // states, for matrices the model writes
constexpr double small = 1e-3;    // of a state that is zero and has no nominal size
constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::vector<int> all_of(int n) {
  std::vector<int> all(at(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <class T>
class GivenRates final : public detail::RateSource<T> {
 public:
  T rate(const Point<T>&, int index) const override { return values[index]; }
  const T* values = nullptr;
};

class GivenJets final : public detail::LazyStates<Jet<double>> {
 public:
  const Jet<double>& state(int index) const override { return values[at(index)]; }
  std::vector<Jet<double>> values;
};

void merge(std::vector<int>& into, const std::vector<int>& more) {
  std::vector<int> both;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into.swap(both);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  if (names.size() > 8) text += fmt::format(" and {} more", names.size() - 8);
  return text.empty() ? "none" : text;
}

}  // namespace

// What one evaluation with a scalar works on.
template <class T>
struct DaeEquations::Bench {
  explicit Bench(int size) : f(at(size), T(0.0)), y(at(size), T(0.0)), dy(at(size), T(0.0)), r(at(size), T(0.0)) {}
  GivenRates<T> rates;
  std::vector<T> f, mass, y, dy, r;
};

DaeEquations::DaeEquations(std::shared_ptr<const System::Declarations> model) : model_(std::move(model)) {
  size_ = static_cast<int>(model_->state_names.size());
  declared_ = Held{.parameters = model_->parameters,
                   .modes = model_->modes,
                   .numbers = model_->numbers,
                   .truths = std::vector<signed char>(model_->condition_names.size(), 0),
                   .members = std::vector<std::vector<Pair>>(model_->condition_family_names.size()),
                   .levels = {},
                   .sides = {}};
  for (const RelayInfo& relay : model_->relays) {
    declared_.levels.push_back(relay.below);
    declared_.sides.push_back(RelaySide::below);
  }
  lock(declared_, declared_.parameters.data());
  numbers_ = std::make_unique<Bench<double>>(size_);
  duals_ = std::make_unique<Bench<Gradient>>(size_);
  for (std::vector<double>* one : {&zero_, &scale_, &point_, &rates_, &base_, &moved_}) one->assign(at(size_), 0.0);
  for (std::size_t i = 0; i < model_->nominals.size(); ++i) scale_[i] = model_->nominals[i];

  find_assigned_rates();
  int equations = 0;
  for (const EquationInfo& one : model_->equations) equations += one.rows;
  if (rate_rows_ + equations != size_) refuse_counts(equations);

  const bool mass_is_exact = !model_->mass || model_->mass.supports<Gradient>();
  is_given_ = model_->rates && !model_->rates.supports<Gradient>() && model_->jacobian && mass_is_exact;
  unit_is_exact_.push_back(!model_->rates || (model_->rates.supports<Gradient>() && mass_is_exact) || is_given_);
  unit_of_row_.assign(at(rate_rows_), 0);
  for (const EquationInfo& one : model_->equations) {
    first_row_.push_back(static_cast<int>(unit_of_row_.size()));
    unit_of_row_.insert(unit_of_row_.end(), at(one.rows), unit_is_exact_.size());
    unit_is_exact_.push_back(one.f.supports<Gradient>());
  }
  all_inexact_.assign(unit_is_exact_.size(), false);
  reads_.resize(at(size_));
  std::mt19937 random(5);
  for (int j = 0; j < size_; ++j) direction_.push_back(0.5 + static_cast<double>(random()) / 4294967296.0);
}

DaeEquations::~DaeEquations() = default;

void DaeEquations::lock(const Held& held, const double* parameters) {
  held_ = &held;
  parameters_ = parameters != nullptr ? parameters : held.parameters.data();
}

bool DaeEquations::is_exact() const {
  return std::all_of(unit_is_exact_.begin(), unit_is_exact_.end(), [](bool exact) { return exact; });
}

// A generic function shows what it assigns; of any other, what is still NaN after a call was not assigned.
void DaeEquations::find_assigned_rates() {
  row_of_state_.assign(at(size_), -1);
  if (!model_->rates) return;
  std::vector<bool> is_assigned(at(size_), false);
  if (model_->rates.supports<Pattern>()) {
    PatternTape tape;
    const detail::Surroundings<Pattern> around{held_};
    const std::vector<Pattern> states(at(size_));
    std::vector<Pattern> out(at(size_), Pattern::unassigned());
    model_->rates(Point<Pattern>(Pattern(), states.data(), parameters_, &around), out.data());
    for (int i = 0; i < size_; ++i) is_assigned[at(i)] = out[at(i)].is_assigned();
  } else {
    std::vector<double> states = model_->starts, out(at(size_), std::numeric_limits<double>::quiet_NaN());
    Start start(states.data(), parameters_);
    if (model_->start) model_->start(start);
    const detail::Surroundings<double> around{held_};
    model_->rates(Point<double>(0, states.data(), parameters_, &around), out.data());
    for (int i = 0; i < size_; ++i) is_assigned[at(i)] = !std::isnan(out[at(i)]);
  }
  for (int i = 0; i < size_; ++i) {
    if (!is_assigned[at(i)]) continue;
    row_of_state_[at(i)] = rate_rows_++;
    assigned_.push_back(i);
  }
}

void DaeEquations::refuse_counts(int equations) const {
  std::vector<std::string> without, names;
  for (int i = 0; i < size_; ++i) {
    if (rate_row(i) < 0) without.push_back(state_name(i));
  }
  for (const EquationInfo& one : model_->equations)
    names.push_back(one.rows == 1 ? one.name : fmt::format("{}[1..{}]", one.name, one.rows));
  throw Misuse(fmt::format(
      "system '{}' has {} unknowns but {} equations: rates are assigned to {} states, not to {}; equations: {}.\n"
      "  try:    {}",
      model_->name, size_, rate_rows_ + equations, rate_rows_, list(without), list(names),
      rate_rows_ + equations < size_
          ? "one equation(...) more for every state that has neither a rate nor an equation of its own"
          : "without the equations that repeat others, or without the rates d[x] of states that equations determine"));
}

std::string DaeEquations::row_name(int row) const {
  if (row < rate_rows_) return fmt::format("rate of '{}'", state_name(assigned_[at(row)]));
  const std::size_t equation = unit_of_row_[at(row)] - 1;
  const EquationInfo& one = model_->equations[equation];
  return one.rows == 1 ? fmt::format("'{}'", one.name)
                       : fmt::format("'{}[{}]'", one.name, row - first_row_[equation] + 1);
}

double DaeEquations::nominal(int state, double value) const {
  const double declared = model_->nominals.empty() ? 0.0 : model_->nominals[at(state)];
  return std::max(declared > 0 ? declared : 1.0, std::isfinite(value) ? std::abs(value) : 0.0);
}

std::vector<DaePoint> DaeEquations::neighbours(double t, const double* y, const double* dy) const {
  if (dy == nullptr) dy = zero_.data();
  std::vector<DaePoint> points{{t, {y, y + size_}, {dy, dy + size_}}};
  std::mt19937 random(20010401);
  const auto some = [&] {  // between a fifth and one, of either sign
    const double u = static_cast<double>(random()) / 4294967296.0;
    return u < 0.5 ? -0.2 - 1.6 * u : 0.2 + 1.6 * (u - 0.5);
  };
  for (const double size : {1e-3, 0.03, 0.5}) {
    DaePoint moved = points.front();
    moved.t += size * std::abs(some()) * std::max(std::abs(t), 1.0);
    for (int j = 0; j < size_; ++j) {
      const double declared = model_->nominals.empty() ? 0.0 : model_->nominals[at(j)];
      const double own = std::isfinite(y[j]) ? std::abs(y[j]) : 0.0;
      const double scale = declared > 0 ? std::max(declared, own) : own > 0 ? own : small;
      moved.y[at(j)] += size * some() * scale;
      moved.dy[at(j)] += size * some() * std::max(std::abs(dy[j]), scale);
    }
    points.push_back(std::move(moved));
  }
  return points;
}

// The rows with any scalar. Mass matrices are only evaluated with numbers and duals: for the others M is what it was at
// the last evaluation with numbers.
template <class T>
void DaeEquations::evaluate(Bench<T>& bench, const T& t, const typename Point<T>::States& states, const T* dy, T* r,
                            Units units) {
  ++(std::is_same_v<T, double> ? all_evaluations : all_dual_evaluations);
  detail::Surroundings<T> around{held_};
  const Point<T> point(t, states, parameters_, &around);
  if (rate_rows_ > 0 && takes(0, units)) {
    if (std::is_same_v<T, Gradient> && skips_rates_) {
      std::fill(bench.f.begin(), bench.f.end(), T(0.0));
    } else {
      model_->rates(point, bench.f.data());
    }
    for (int row = 0; row < rate_rows_; ++row) r[row] = bench.f[at(assigned_[at(row)])];
    if (model_->mass) {
      subtract_mass(bench, point, dy, r);
    } else {
      for (int row = 0; row < rate_rows_; ++row) r[row] -= dy[assigned_[at(row)]];
    }
  }
  bench.rates.values = dy;
  around.rates = &bench.rates;
  int row = rate_rows_;
  for (std::size_t e = 0; e < model_->equations.size(); ++e) {
    if (takes(e + 1, units)) model_->equations[e].f(point, r + row);
    row += model_->equations[e].rows;
  }
}

template <class T>
void DaeEquations::subtract_mass(Bench<T>& bench, const Point<T>& point, const T* dy, T* r) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Gradient>) {
    bench.mass.assign(mass_.slots, T(0.0));
    Entries<T> entries(mass_.map, bench.mass.data());
    model_->mass(point, entries);
    for (const Written::Entry& one : mass_.entries) r[one.row] -= bench.mass[at(one.slot)] * dy[one.column];
    return;
  }
  for (const Written::Entry& one : mass_.entries) r[one.row] -= numbers_->mass[at(one.slot)] * dy[one.column];
}

void DaeEquations::residual(double t, const double* y, const double* dy, double* r) {
  evaluate<double>(*numbers_, t, {y}, dy == nullptr ? zero_.data() : dy, r, Units::all);
}

bool DaeEquations::observe(double t, const double* y) {
  forget_mass();
  earliest_ = std::min(earliest_, t);
  for (int j = 0; j < size_; ++j) {
    if (std::isfinite(y[j])) scale_[at(j)] = std::max(scale_[at(j)], std::abs(y[j]));
  }
  if (model_->mass) {
    observe_entries(model_->mass, mass_, t, y);
    numbers_->mass.assign(mass_.slots, 0.0);
  }
  if (is_given_) {
    observe_entries(model_->jacobian, jacobian_, t, y);
    given_.assign(jacobian_.slots, 0.0);
  }
  observe_reads(t, y);
  return make_pattern();
}

void DaeEquations::observe_entries(const detail::MatrixFunction& matrix, Written& written, double t,
                                   const double* y) const {
  const detail::EntryMap all{all_of(size_), size_, false, {}, {}};
  const detail::Surroundings<double> around{held_};
  Entries<double> entries(all, written.seen);
  matrix(Point<double>(t, y, parameters_, &around), entries);
  std::sort(written.seen.begin(), written.seen.end());
  written.seen.erase(std::unique(written.seen.begin(), written.seen.end()), written.seen.end());
  const bool is_sparse = size_ > largest_full;
  written.map = all;
  written.entries.clear();
  if (is_sparse) written.map.first.assign(at(size_) + 1, 0);
  for (const auto& [i, j] : written.seen) {
    if (rate_row(i) < 0)
      throw Misuse(
          fmt::format("system '{}': a matrix has an entry in the row of '{}', but rates() do not assign d[{}]: the row "
                      "of a state is "
                      "the line its d[x] stands on",
                      model_->name, state_name(i), state_name(i)));
    const int slot = is_sparse ? static_cast<int>(written.map.column.size()) : i * size_ + j;
    written.entries.push_back({rate_row(i), j, slot});
    if (!is_sparse) continue;
    written.map.column.push_back(j);
    ++written.map.first[at(i) + 1];
  }
  std::partial_sum(written.map.first.begin(), written.map.first.end(), written.map.first.begin());
  written.slots = is_sparse ? written.map.column.size() : at(size_) * at(size_);
}

// Which states the rows of M depend on: seen from their derivatives near the start.
std::vector<std::vector<int>> DaeEquations::mass_reads(double t, const double* y) {
  std::vector<std::vector<int>> result(at(rate_rows_));
  if (!model_->mass.supports<Gradient>()) {
    for (std::vector<int>& one : result) one = all_of(size_);
    return result;
  }
  const std::vector<DaePoint> points = neighbours(t, y, nullptr);
  const std::vector<std::vector<int>> candidates = mass_candidates(points);
  std::vector<std::vector<int>> rows_of(at(size_));
  for (int row = 0; row < rate_rows_; ++row)
    for (const int j : candidates[at(row)]) rows_of[at(j)].push_back(row);
  std::vector<int> first{0}, rows;
  for (const std::vector<int>& one : rows_of) {
    rows.insert(rows.end(), one.begin(), one.end());
    first.push_back(static_cast<int>(rows.size()));
  }
  if (rows.empty()) return result;
  // Columns of one colour share no row: of those that may be meant, the derivative says which.
  const std::vector<int> color = color_columns(rate_rows_, first, rows);
  const int colors = 1 + *std::max_element(color.begin(), color.end());
  std::vector<int> group(at(size_));
  for (const DaePoint& point : points) {
    for (int begin = 0; begin < colors; begin += width) {
      for (int j = 0; j < size_; ++j) {
        const bool is_seeded = !rows_of[at(j)].empty() && color[at(j)] >= begin && color[at(j)] < begin + width;
        group[at(j)] = is_seeded ? color[at(j)] - begin : -1;
      }
      probe_mass(point, group, [&](const Written::Entry& one, int g) {
        for (const int j : candidates[at(one.row)])
          if (group[at(j)] == g) result[at(one.row)].push_back(j);
      });
    }
  }
  for (std::vector<int>& one : result) {
    std::sort(one.begin(), one.end());
    one.erase(std::unique(one.begin(), one.end()), one.end());
  }
  return result;
}

// Group testing: in each of eight rounds every state is in one of eight groups, by chance. A row may depend on the
// states whose groups all move it.
std::vector<std::vector<int>> DaeEquations::mass_candidates(const std::vector<DaePoint>& points) {
  static_assert(width <= 8);
  std::vector<std::vector<int>> result(at(rate_rows_));
  std::vector<std::uint64_t> moves(at(rate_rows_), 0), groups(at(size_), 0);
  std::vector<int> group(at(size_));
  std::mt19937 random(1);
  for (int round = 0; round < 8; ++round) {
    for (int j = 0; j < size_; ++j) {
      group[at(j)] = static_cast<int>(random() % static_cast<unsigned>(width));
      groups[at(j)] |= std::uint64_t{1} << (8 * round + group[at(j)]);
    }
    for (const DaePoint& point : points)
      probe_mass(point, group,
                 [&](const Written::Entry& one, int g) { moves[at(one.row)] |= std::uint64_t{1} << (8 * round + g); });
    if (std::all_of(moves.begin(), moves.end(), [](std::uint64_t one) { return one == 0; })) return result;
  }
  for (int row = 0; row < rate_rows_; ++row) {
    if (moves[at(row)] == 0) continue;
    for (int j = 0; j < size_; ++j)
      if ((groups[at(j)] & ~moves[at(row)]) == 0) result[at(row)].push_back(j);
  }
  return result;
}

// Calls take(entry, group) where an entry of M moves with the states of a group; -1: in none. Slopes differ, so that
// no dependence is orthogonal to them by chance.
template <class Take>
void DaeEquations::probe_mass(const DaePoint& point, const std::vector<int>& group, const Take& take) {
  std::vector<Gradient>& states = duals_->y;
  for (int j = 0; j < size_; ++j) {
    states[at(j)] = point.y[at(j)];
    if (group[at(j)] >= 0) states[at(j)].slope[at(group[at(j)])] = direction_[at(j)];
  }
  duals_->mass.assign(mass_.slots, Gradient(0.0));
  Entries<Gradient> entries(mass_.map, duals_->mass.data());
  const detail::Surroundings<Gradient> around{held_};
  ++all_dual_evaluations;
  try {
    model_->mass(Point<Gradient>(Gradient(point.t), states.data(), parameters_, &around), entries);
  } catch (const std::exception&) {
    return;  // not defined there
  }
  for (const Written::Entry& one : mass_.entries) {
    for (int g = 0; g < width; ++g)
      if (duals_->mass[at(one.slot)].slope[at(g)] != 0) take(one, g);  // NaN counts
  }
}

bool DaeEquations::mass_is_proved_constant() const {
  if (model_->mass) return false;
  return std::all_of(reads_.begin() + rate_rows_, reads_.end(), [](const RowReads& row) { return row.rates.empty(); });
}

void DaeEquations::assume_mass(const double* M) {
  for (std::vector<double>* one : {&assumed_mass_, &assumed_size_}) one->assign(at(size_), 0.0);
  seen_mass_.assign(at(size_), 0.0);
  for (int j = 0; j < size_; ++j) {
    for (int e = first_[at(j)]; e < first_[at(j) + 1]; ++e) {
      assumed_mass_[at(row_[at(e)])] += M[e] * direction_[at(j)];
      assumed_size_[at(row_[at(e)])] += std::abs(M[e] * direction_[at(j)]);
    }
  }
}

bool DaeEquations::compare_mass(const double* Mw) const {
  for (int i = 0; i < size_; ++i)
    if (std::abs(Mw[i] - assumed_mass_[at(i)]) > 1e-13 * assumed_size_[at(i)])
      return true;  // what is no number says nothing
  return false;
}

bool DaeEquations::mass_function_has_changed() {
  if (assumed_mass_.empty() || !model_->mass) return false;
  seen_mass_ = assumed_mass_;
  std::fill(seen_mass_.begin(), seen_mass_.begin() + rate_rows_, 0.0);
  for (const Written::Entry& one : mass_.entries)
    seen_mass_[at(one.row)] += numbers_->mass[at(one.slot)] * direction_[at(one.column)];
  return compare_mass(seen_mass_.data());
}

// A black box does not say which states it reads, but which rates it asks for.
std::vector<int> DaeEquations::rates_read(const EquationInfo& equation, double t, const double* y) const {
  struct Asked final : detail::RateSource<double> {
    mutable std::vector<int> rates;
    double rate(const Point<double>&, int index) const override {
      rates.push_back(index);
      return 0;
    }
  } asked;
  detail::Surroundings<double> around{held_};
  around.rates = &asked;
  std::vector<double> r(at(equation.rows));
  try {
    equation.f(Point<double>(t, y, parameters_, &around), r.data());
  } catch (...) {
    return all_of(size_);  // it will throw again where that is an outcome
  }
  std::sort(asked.rates.begin(), asked.rates.end());
  asked.rates.erase(std::unique(asked.rates.begin(), asked.rates.end()), asked.rates.end());
  return asked.rates;
}

void DaeEquations::observe_reads(double t, const double* y) {
  std::vector<RowReads> now(at(size_));
  PatternTape tape;
  std::vector<Pattern> states, dy, r(at(size_));
  for (int j = 0; j < size_; ++j) states.push_back(tape.variable(j));
  for (int j = 0; j < size_; ++j) dy.push_back(tape.variable(size_ + j));
  detail::Surroundings<Pattern> around{held_};
  const Point<Pattern> point(tape.variable(2 * size_), states.data(), parameters_, &around);
  const auto take = [&](int row) {
    for (const int input : tape.inputs_of(r[at(row)])) {
      if (input < size_)
        now[at(row)].values.push_back(input);
      else if (input < 2 * size_)
        now[at(row)].rates.push_back(input - size_);
      else
        reads_time_ = true;
    }
  };
  reads_time_ = model_->mass || (model_->rates && !model_->rates.supports<Pattern>());
  if (rate_rows_ > 0) {
    std::vector<Pattern> f(at(size_));
    if (model_->rates.supports<Pattern>()) model_->rates(point, f.data());
    for (int row = 0; row < rate_rows_; ++row) {
      r[at(row)] = f[at(assigned_[at(row)])];
      if (!model_->rates.supports<Pattern>() && !is_given_) now[at(row)].values = all_of(size_);
      if (!model_->mass) now[at(row)].rates.push_back(assigned_[at(row)]);
      take(row);
    }
    for (const Written::Entry& one : jacobian_.entries) now[at(one.row)].values.push_back(one.column);
    for (const Written::Entry& one : mass_.entries) now[at(one.row)].rates.push_back(one.column);
    if (model_->mass) {
      const auto by_mass = mass_reads(t, y);
      for (int row = 0; row < rate_rows_; ++row) merge(now[at(row)].values, by_mass[at(row)]);
    }
  }
  GivenRates<Pattern> rates;
  rates.values = dy.data();
  around.rates = &rates;
  int row = rate_rows_;
  for (const EquationInfo& one : model_->equations) {
    if (one.f.supports<Pattern>()) one.f(point, r.data() + row);
    for (int k = 0; k < one.rows; ++k, ++row) {
      if (one.f.supports<Pattern>()) {
        take(row);
      } else {
        now[at(row)].values = all_of(size_);
        now[at(row)].rates = rates_read(one, t, y);
      }
    }
    reads_time_ = reads_time_ || !one.f.supports<Pattern>();
  }
  reads_.swap(now);
}

bool DaeEquations::make_pattern() {
  std::vector<std::vector<int>> columns(at(size_));
  for (int j = 0; j < size_; ++j) {
    columns[at(j)].push_back(j);
    if (!first_.empty()) merge(columns[at(j)], {row_.begin() + first_[at(j)], row_.begin() + first_[at(j) + 1]});
  }
  for (int i = 0; i < size_; ++i) {
    for (const std::vector<int>* inputs : {&reads_[at(i)].values, &reads_[at(i)].rates})
      for (const int j : *inputs) columns[at(j)].push_back(i);
  }
  std::vector<int> first{0}, row;
  for (std::vector<int>& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    row.insert(row.end(), column.begin(), column.end());
    first.push_back(static_cast<int>(row.size()));
  }
  const bool is_same = first == first_ && row == row_;
  first_.swap(first);
  row_.swap(row);
  place_.clear();
  for (const Written::Entry& one : jacobian_.entries) {
    const auto column = row_.begin() + first_[at(one.column)];
    place_.push_back(
        static_cast<int>(std::lower_bound(column, row_.begin() + first_[at(one.column) + 1], one.row) - row_.begin()));
  }
  if (is_same) return false;
  const std::vector<int> color = color_columns(size_, first_, row_);
  by_color_.assign(size_ == 0 ? 0 : at(1 + *std::max_element(color.begin(), color.end())), {});
  for (int j = 0; j < size_; ++j) by_color_[at(color[at(j)])].push_back(j);
  return true;
}

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
        for (const int j : by_color_[at(g % groups)]) (g < groups ? states : rates)[at(j)].slope[at(g - begin)] = 1;
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
      for (const int j : by_color_[at(g % groups)]) {
        for (int e = first_[at(j)]; e < first_[at(j) + 1]; ++e) {
          const double derivative = r[at(row_[at(e)])].slope[at(g - begin)];
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
  std::fill(given_.begin(), given_.end(), 0.0);
  Entries<double> entries(jacobian_.map, given_.data());
  const detail::Surroundings<double> around{held_};
  model_->jacobian(Point<double>(t, y, parameters_, &around), entries);
  for (std::size_t k = 0; k < jacobian_.entries.size(); ++k) J[place_[k]] += given_[at(jacobian_.entries[k].slot)];
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
    for (const std::vector<int>& group : by_color_) {
      for (const int j : group) moving[at(j)] += increment(j);
      evaluate<double>(*numbers_, t, {point_.data()}, rates_.data(), moved_.data(), Units::inexact);
      ++difference_evaluations;
      for (const int j : group) {
        const double change = moving[at(j)] - from[j];
        for (int e = first_[at(j)]; e < first_[at(j) + 1]; ++e) {
          const std::size_t i = at(row_[at(e)]);
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

void DaeEquations::along_motion(int order, double t, const double* y, const double* dy, const double* ddy,
                                const double* dddy, double* r) {
  if (ddy == nullptr) ddy = zero_.data();
  if (dddy == nullptr) dddy = zero_.data();
  if (order == 1)
    first_along(t, y, dy, ddy, r);
  else if (order == 2)
    second_along(t, y, dy, ddy, dddy, r);
  else
    difference_along(3, t, y, dy, ddy, dddy, r);
}

void DaeEquations::first_along(double t, const double* y, const double* dy, const double* ddy, double* r) {
  if (is_exact() && !is_given_) {
    for (int j = 0; j < size_; ++j) {
      duals_->y[at(j)] = y[j];
      duals_->dy[at(j)] = dy[j];
      duals_->y[at(j)].slope[0] = dy[j];
      duals_->dy[at(j)].slope[0] = ddy[j];
    }
    evaluate<Gradient>(*duals_, Gradient::variable(t, 0), {duals_->y.data()}, duals_->dy.data(), duals_->r.data(),
                       Units::all);
    for (int i = 0; i < size_; ++i) r[i] = duals_->r[at(i)].slope[0];
    return;
  }
  std::vector<double> there(at(size_)), rate(at(size_)), rows(at(size_));
  std::fill(r, r + size_, 0.0);
  for (const auto& [step, weight] : weights_in_time(t, path_step(t, y, dy, ddy)).terms) {
    if (weight == 0) continue;
    for (int j = 0; j < size_; ++j) {
      there[at(j)] = y[j] + step * (dy[j] + step / 2 * ddy[j]);
      rate[at(j)] = dy[j] + step * ddy[j];
    }
    residual(t + step, there.data(), rate.data(), rows.data());
    for (int i = 0; i < size_; ++i) r[i] += weight * rows[at(i)];
  }
}

bool DaeEquations::takes_jets() const {
  bool takes = rate_rows_ == 0 || (model_->rates.supports<Jet<double>>() && (!model_->mass || !assumed_mass_.empty()));
  for (const EquationInfo& one : model_->equations) takes = takes && one.f.supports<Jet<double>>();
  return takes;
}

void DaeEquations::second_along(double t, const double* y, const double* dy, const double* ddy, const double* dddy,
                                double* r) {
  if (takes_jets()) {
    GivenJets states;
    Bench<Jet<double>> bench(size_);
    for (int j = 0; j < size_; ++j) {
      states.values.emplace_back(y[j], dy[j], ddy[j] / 2);
      bench.dy[at(j)] = {dy[j], ddy[j], dddy[j] / 2};
    }
    evaluate<Jet<double>>(bench, Jet<double>::variable(t), {{&states}}, bench.dy.data(), bench.r.data(), Units::all);
    for (int i = 0; i < size_; ++i) r[i] = 2 * bench.r[at(i)].curve;
    return;
  }
  looks_back_ = true;  // one-sided differences of one-sided differences are mostly noise
  difference_along(2, t, y, dy, ddy, dddy, r);
  looks_back_ = false;
}

// Of the derivatives of the order before. The third, for the rates of forces, only where the second are exact.
void DaeEquations::difference_along(int order, double t, const double* y, const double* dy, const double* ddy,
                                    const double* dddy, double* r) {
  std::vector<double> there(at(size_)), rate(at(size_)), second(at(size_)), rows(at(size_));
  std::fill(r, r + size_, 0.0);
  for (const auto& [step, weight] : weights_in_time(t, path_step(t, y, dy, ddy)).terms) {
    if (weight == 0) continue;
    for (int j = 0; j < size_; ++j) {
      there[at(j)] = y[j] + step * (dy[j] + step / 2 * (ddy[j] + step / 3 * dddy[j]));
      rate[at(j)] = dy[j] + step * (ddy[j] + step / 2 * dddy[j]);
      second[at(j)] = ddy[j] + step * dddy[j];
    }
    if (order == 2)
      first_along(t + step, there.data(), rate.data(), second.data(), rows.data());
    else
      second_along(t + step, there.data(), rate.data(), second.data(), dddy, rows.data());
    for (int i = 0; i < size_; ++i) r[i] += weight * rows[at(i)];
  }
}

}  // namespace pawl::formulate
