#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "formulate/coloring.hpp"
#include "formulate/dae_bench.hpp"
#include "formulate/dae_scatter.hpp"

// What the rows of DaeEquations read, and the pattern of derivatives that follows.
namespace pawl::formulate {

namespace {

constexpr int largest_full = 64;  // states, for matrices the model writes

std::vector<int> all_of(int n) {
  std::vector<int> all(at(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void merge(std::vector<int>& into, const std::vector<int>& more) {
  std::vector<int> both;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into.swap(both);
}

void sort_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

bool DaeEquations::observe(double t, const double* y) {
  forget_mass();
  earliest_ = std::min(earliest_, t);
  for (int j = 0; j < size_; ++j) {
    if (std::isfinite(y[j])) scale_[at(j)] = std::max(scale_[at(j)], std::abs(y[j]));
  }
  auto now = std::make_shared<Observed>();
  if (model_->mass) {
    now->mass.seen = observed_->mass.seen;
    observe_entries(model_->mass, now->mass, t, y);
  }
  if (is_given_) {
    now->jacobian.seen = observed_->jacobian.seen;
    observe_entries(model_->jacobian, now->jacobian, t, y);
  }
  observe_reads(*now, t, y);
  make_pattern(*now);
  const bool has_changed = now->first != first() || now->row != row();
  if (has_changed) {
    color(*now);
  } else {
    now->color_first = observed_->color_first;
    now->colored = observed_->colored;
  }
  observed_ = std::move(now);
  size_memory();
  return has_changed;
}

void DaeEquations::learn_from(const DaeEquations& other) {
  forget_mass();
  observed_ = other.observed_;
  scale_ = other.scale_;
  earliest_ = other.earliest_;
  size_memory();
}

void DaeEquations::size_memory() {
  numbers_->mass.assign(observed_->mass.slots, 0.0);
  given_.assign(observed_->jacobian.slots, 0.0);
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
    if (rate_row(i) < 0) {
      throw Misuse(
          fmt::format("system '{}': a matrix has an entry in the row of '{}', but rates() do not assign d[{}]: the row "
                      "of a state is "
                      "the line its d[x] stands on",
                      model_->name, state_name(i), state_name(i)));
    }
    const int slot = is_sparse ? static_cast<int>(written.map.column.size()) : i * size_ + j;
    written.entries.push_back({rate_row(i), j, slot});
    if (!is_sparse) continue;
    written.map.column.push_back(j);
    ++written.map.first[at(i) + 1];
  }
  std::partial_sum(written.map.first.begin(), written.map.first.end(), written.map.first.begin());
  written.slots = is_sparse ? written.map.column.size() : at(size_) * at(size_);
}

// Calls take(entry, group) where an entry of M moves with the states of a group; -1: in none. Slopes differ, so that
// no dependence is orthogonal to them by chance.
template <class Take>
void DaeEquations::probe_mass(const Written& mass, const DaePoint& point, const std::vector<int>& group,
                              const Take& take) {
  std::vector<Gradient>& states = duals_->y;
  for (int j = 0; j < size_; ++j) {
    states[at(j)] = point.y[at(j)];
    if (group[at(j)] >= 0) states[at(j)].slope[at(group[at(j)])] = direction_[at(j)];
  }
  duals_->mass.assign(mass.slots, Gradient(0.0));
  Entries<Gradient> entries(mass.map, duals_->mass.data());
  const detail::Surroundings<Gradient> around{held_};
  ++all_dual_evaluations;
  try {
    model_->mass(Point<Gradient>(Gradient(point.t), states.data(), parameters_, &around), entries);
  } catch (const std::exception&) {
    return;  // not defined there
  }
  for (const Written::Entry& one : mass.entries) {
    for (int g = 0; g < width; ++g)
      if (duals_->mass[at(one.slot)].slope[at(g)] != 0) take(one, g);  // NaN counts
  }
}

// Which states the rows of M depend on: seen from their derivatives near the start.
std::vector<std::vector<int>> DaeEquations::mass_reads(const Written& mass, double t, const double* y) {
  std::vector<std::vector<int>> result(at(rate_rows_));
  if (!model_->mass.supports<Gradient>()) {
    for (std::vector<int>& one : result) one = all_of(size_);
    return result;
  }
  const std::vector<DaePoint> points = neighbours(t, y, nullptr);
  if (size_ <= width) {  // a direction for every state
    const std::vector<int> own = all_of(size_);
    for (const DaePoint& point : points)
      probe_mass(mass, point, own, [&](const Written::Entry& one, int j) { result[at(one.row)].push_back(j); });
    for (std::vector<int>& one : result) sort_unique(one);
    return result;
  }
  const std::vector<std::vector<int>> candidates = mass_candidates(mass, points);
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
      probe_mass(mass, point, group, [&](const Written::Entry& one, int g) {
        for (const int j : candidates[at(one.row)])
          if (group[at(j)] == g) result[at(one.row)].push_back(j);
      });
    }
  }
  for (std::vector<int>& one : result) sort_unique(one);
  return result;
}

// Group testing: in each of eight rounds every state is in one of eight groups, by chance. A row may depend on the
// states whose groups all move it.
std::vector<std::vector<int>> DaeEquations::mass_candidates(const Written& mass, const std::vector<DaePoint>& points) {
  static_assert(width <= 8);
  std::vector<std::vector<int>> result(at(rate_rows_));
  std::vector<std::uint64_t> moves(at(rate_rows_), 0), groups(at(size_), 0);
  std::vector<int> group(at(size_));
  Scatter scatter(1);
  for (int round = 0; round < 8; ++round) {
    for (int j = 0; j < size_; ++j) {
      group[at(j)] = static_cast<int>(scatter.bits() % std::uint64_t{width});
      groups[at(j)] |= std::uint64_t{1} << (8 * round + group[at(j)]);
    }
    for (const DaePoint& point : points)
      probe_mass(mass, point, group,
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
  sort_unique(asked.rates);
  return asked.rates;
}

void DaeEquations::observe_reads(Observed& now, double t, const double* y) {
  now.reads.resize(at(size_));
  PatternTape tape;
  std::vector<Pattern> inputs, r(at(size_));
  inputs.reserve(at(2 * size_));
  for (int j = 0; j < 2 * size_; ++j) inputs.push_back(tape.variable(j));
  detail::Surroundings<Pattern> around{held_};
  const Point<Pattern> point(tape.variable(2 * size_), inputs.data(), parameters_, &around);
  const auto take = [&](int row) {
    const std::vector<int>& of_row = tape.inputs_of(r[at(row)]);
    const auto rates = std::lower_bound(of_row.begin(), of_row.end(), size_),
               time = std::lower_bound(rates, of_row.end(), 2 * size_);
    RowReads& out = now.reads[at(row)];
    out.values.assign(of_row.begin(), rates);
    for (auto one = rates; one != time; ++one) out.rates.push_back(*one - size_);
    now.reads_time = now.reads_time || time != of_row.end();
  };
  now.reads_time = model_->mass || (model_->rates && !model_->rates.supports<Pattern>());
  if (rate_rows_ > 0) {
    std::vector<Pattern> f(at(size_));
    if (model_->rates.supports<Pattern>()) model_->rates(point, f.data());
    for (int row = 0; row < rate_rows_; ++row) {
      r[at(row)] = f[at(assigned_[at(row)])];
      take(row);
      if (!model_->rates.supports<Pattern>() && !is_given_) now.reads[at(row)].values = all_of(size_);
      if (!model_->mass) now.reads[at(row)].rates.push_back(assigned_[at(row)]);
    }
    for (const Written::Entry& one : now.jacobian.entries) now.reads[at(one.row)].values.push_back(one.column);
    for (const Written::Entry& one : now.mass.entries) now.reads[at(one.row)].rates.push_back(one.column);
    if (model_->mass) {
      const auto by_mass = mass_reads(now.mass, t, y);
      for (int row = 0; row < rate_rows_; ++row)
        if (!by_mass[at(row)].empty()) merge(now.reads[at(row)].values, by_mass[at(row)]);
    }
  }
  GivenRates<Pattern> rates;
  rates.values = inputs.data() + size_;
  around.rates = &rates;
  int row = rate_rows_;
  for (const EquationInfo& one : model_->equations) {
    if (one.f.supports<Pattern>()) one.f(point, r.data() + row);
    for (int k = 0; k < one.rows; ++k, ++row) {
      if (one.f.supports<Pattern>()) {
        take(row);
      } else {
        now.reads[at(row)].values = all_of(size_);
        now.reads[at(row)].rates = rates_read(one, t, y);
      }
    }
    now.reads_time = now.reads_time || !one.f.supports<Pattern>();
  }
}

/// What the rows read now or have read in an earlier mode.
void DaeEquations::make_pattern(Observed& now) const {
  using Entry = RowPattern::Entry;
  RowPattern& rows = now.by_row;
  rows.first.reserve(at(size_) + 1);
  rows.first.push_back(0);
  rows.entries.reserve(at(4 * size_));
  std::vector<int> last_row(at(size_), -1), next(at(size_) + 1, 0);
  for (int i = 0; i < size_; ++i) {
    const auto add = [&](int j) {
      if (std::exchange(last_row[at(j)], i) == i) return;
      rows.entries.push_back({j, 0});
      ++next[at(j) + 1];
    };
    for (const int j : now.reads[at(i)].values) add(j);
    for (const int j : now.reads[at(i)].rates) add(j);
    if (!first().empty())
      for (const Entry& one : by_row().row(i)) add(one.column);
    std::sort(rows.entries.begin() + rows.first.back(), rows.entries.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    rows.first.push_back(static_cast<int>(rows.entries.size()));
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  now.first = next;
  now.row.resize(rows.entries.size());
  for (int i = 0; i < size_; ++i) {
    for (int k = rows.first[at(i)]; k < rows.first[at(i) + 1]; ++k) {
      Entry& one = rows.entries[at(k)];
      one.place = next[at(one.column)]++;
      now.row[at(one.place)] = i;
    }
  }
  for (const Written::Entry& one : now.jacobian.entries) {
    const auto begin = now.row.begin() + now.first[at(one.column)],
               end = now.row.begin() + now.first[at(one.column) + 1];
    now.place.push_back(static_cast<int>(std::lower_bound(begin, end, one.row) - now.row.begin()));
  }
}

void DaeEquations::color(Observed& now) const {
  const std::vector<int> color = color_columns(size_, now.first, now.row);
  const int colors = size_ == 0 ? 0 : 1 + *std::max_element(color.begin(), color.end());
  now.color_first.assign(at(colors) + 1, 0);
  for (const int one : color) ++now.color_first[at(one) + 1];
  std::partial_sum(now.color_first.begin(), now.color_first.end(), now.color_first.begin());
  std::vector<int> next = now.color_first;
  now.colored.resize(at(size_));
  for (int j = 0; j < size_; ++j) now.colored[at(next[at(color[at(j)])]++)] = j;
}

}  // namespace pawl::formulate
