#include "formulate/dae_structure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formulate/dae_assignment.hpp"
#include "formulate/dae_explanation.hpp"
#include "formulate/dae_rank.hpp"

namespace pawl::formulate {

namespace {

constexpr int largest_ranked = 400;  // unknowns, for the rank of M
constexpr int most_differentiations = 2;

/// S, from J and M.
MatrixEntries leading_part(const RowPattern& pattern, const DaeValues& sample, const std::vector<int>& c,
                           const std::vector<int>& d) {
  MatrixEntries entries;
  entries.reserve(pattern.entries.size());
  for (int i = 0; i < static_cast<int>(c.size()); ++i) {
    for (const auto& [j, place] : pattern.row(i)) {
      const int order = d[at(j)] - c[at(i)];
      if (order == 0) entries.emplace_back(i, j, sample.J[at(place)]);
      if (order == 1) entries.emplace_back(i, j, -sample.M[at(place)]);
    }
  }
  return entries;
}

bool has_same_values(const MatrixEntries& a, const MatrixEntries& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.value() == other.value(); });
}

/// Unknowns of which a rate occurs at this point.
void note_moving(const RowPattern& pattern, const DaeValues& sample, std::vector<bool>& moves) {
  for (const auto& [j, place] : pattern.entries)
    if (sample.M[at(place)] != 0) moves[at(j)] = true;
}

class Analysis {
 public:
  Analysis(const DaeEquations& equations, DaeSamples& samples, double threshold)
      : equations_(equations), samples_(samples), threshold_(threshold), n_(equations.size()) {
    out_.rows.reserve(at(n_));
    for (int i = 0; i < n_; ++i) out_.rows.push_back({{i, 1.0}});
    out_.roles.resize(at(n_));
    out_.reads = equations.share_reads();
    out_.model = equations.share_model();
  }

  DaeStructure run() {
    Signature sigma = as_read();
    std::vector<int> c, d;
    for (int attempt = 0; attempt <= n_ + 1; ++attempt) {
      const Assignment assignment(sigma);
      if (!assignment.is_complete()) {
        out_.failure = out_.has_combinations() ? explain_dependent(equations_, out_, left_null_)
                                               : explain_singular(equations_, sigma, assignment);
        return std::move(out_);
      }
      out_.assigned = assignment.of_row;
      find_offsets(sigma, assignment, out_.c, out_.d);
      const bool is_known = attempt == 1 && c == out_.c && d == out_.d;  // that S is singular
      if (!is_known && find_rank()) {
        take_roles(sigma);
        return std::move(out_);
      }
      // First without what is written but zero, then with combined rows.
      if (attempt > 0 && !combine()) return std::move(out_);
      c = out_.c;
      d = out_.d;
      sigma = as_seen();
    }
    out_.failure = explain_dependent(equations_, out_, left_null_);
    return std::move(out_);
  }

 private:
  using Parts = std::vector<std::pair<int, double>>;

  // Of the rows as they are combined now.
  const RowPattern& pattern() const { return combined_.empty() ? equations_.by_row() : combined_pattern_; }
  const std::vector<DaeValues>& points() { return combined_.empty() ? samples_.all() : combined_; }
  const DaeValues& here() { return combined_.empty() ? samples_.here() : combined_.front(); }

  Signature as_read() const {
    Signature sigma;
    sigma.first.reserve(at(n_) + 1);
    sigma.entries.reserve(equations_.by_row().entries.size());
    for (const RowReads& row : equations_.reads()) {
      for (const int j : row.rates) sigma.entries.push_back({j, 1});
      for (const int j : row.values) {
        if (!std::binary_search(row.rates.begin(), row.rates.end(), j)) sigma.entries.push_back({j, 0});
      }
      sigma.end_row();
    }
    return sigma;
  }

  /// Entries that are there at one of the points at least. What is left of a sum that cancels is not.
  Signature as_seen() {
    Signature sigma;
    for (int i = 0; i < n_; ++i) {
      for (const auto& [j, place] : pattern().row(i)) {
        int order = -1;
        for (const DaeValues& sample : points())
          order = std::max(order, sample.M[at(place)] != 0 ? 1 : sample.J[at(place)] != 0 ? 0 : -1);
        if (order >= 0) sigma.entries.push_back({j, order});
      }
      sigma.end_row();
    }
    return sigma;
  }

  /// True: S is regular, here or at least nearby; or nowhere finite, which is for the start to say.
  bool find_rank() {
    const MatrixEntries S = leading(here());
    Rank best = rank_of(n_, S, threshold_);
    out_.is_singular_here = best.rank < n_;
    for (std::size_t s = 1; best.rank < n_ && s < points().size(); ++s) {
      const MatrixEntries other = leading(points()[s]);
      if (has_same_values(S, other)) continue;
      Rank found = rank_of(n_, other, threshold_);
      if (found.rank > best.rank) best = std::move(found);
    }
    left_null_ = std::move(best.left_null);
    out_.rank = std::max(best.rank, 0);
    return best.rank == n_ || best.rank < 0;
  }

  MatrixEntries leading(const DaeValues& sample) const { return leading_part(pattern(), sample, out_.c, out_.d); }

  /// Puts combinations without leading terms in the place of equations. False: there are none that can be used.
  bool combine() {
    std::vector<Parts> replacements(at(n_));
    if (!find_replacements(replacements)) {
      out_.failure = explain_dependent(equations_, out_, left_null_);
      return false;
    }
    // All at once: combinations refer to the rows as they were.
    const auto rows_before = out_.rows;
    for (int pivot = 0; pivot < n_; ++pivot) {
      if (replacements[at(pivot)].empty()) continue;
      std::vector<double> total(at(n_), 0.0);
      for (const auto& [i, factor] : replacements[at(pivot)])
        for (const auto& [equation, share] : rows_before[at(i)]) total[at(equation)] += factor * share;
      out_.rows[at(pivot)].clear();
      for (int i = 0; i < n_; ++i)
        if (std::abs(total[at(i)]) > 1e-12) out_.rows[at(pivot)].emplace_back(i, total[at(i)]);
    }
    replace_rows(replacements);
    return true;
  }

  /// Per row the combination that takes its place; none: it stays.
  bool find_replacements(std::vector<Parts>& replacements) {
    if (left_null_.cols() == 0) return false;
    const std::vector<int> pivots = make_sparse(left_null_);
    for (Eigen::Index k = 0; k < left_null_.cols(); ++k) {
      const int pivot = pivots[static_cast<std::size_t>(k)];
      Parts& parts = replacements[at(pivot)];
      for (int i = 0; i < n_; ++i) {
        if (std::abs(left_null_(i, k)) < 1e-9) continue;
        // A sum of capacitances and the like: factors that look like small integers are.
        const double factor = left_null_(i, k), whole = std::round(factor);
        parts.emplace_back(i, std::abs(factor - whole) < 1e-12 ? whole : factor);
        if (out_.c[at(i)] != out_.c[at(pivot)]) return false;
      }
      for (const DaeValues& sample : points())
        if (all_finite(sample.J) && all_finite(sample.M) && !cancels(sample, parts)) return false;
    }
    return true;
  }

  /// Whether leading terms do.
  bool cancels(const DaeValues& sample, const Parts& parts) const {
    std::vector<double> sum(at(n_), 0.0), size(at(n_), 0.0);
    for (const auto& [i, factor] : parts) {
      for (const auto& [j, place] : pattern().row(i)) {
        const int order = out_.d[at(j)] - out_.c[at(i)];
        if (order != 0 && order != 1) continue;
        const double term = factor * (order == 0 ? sample.J[at(place)] : -sample.M[at(place)]);
        sum[at(j)] += term;
        size[at(j)] += std::abs(term);
      }
    }
    for (int j = 0; j < n_; ++j)
      if (!(std::abs(sum[at(j)]) <= std::max(1e-9, threshold_) * size[at(j)])) return false;
    return true;
  }

  void replace_rows(const std::vector<Parts>& replacements) {
    const RowPattern& before = pattern();
    RowPattern now{{0}, {}};
    std::vector<DaeValues> samples(points().size());
    std::vector<bool> is_read(at(n_));
    const auto add_entry = [&](int j) { now.entries.push_back({j, static_cast<int>(now.entries.size())}); };
    for (int i = 0; i < n_; ++i) {
      const Parts& parts = replacements[at(i)];
      if (parts.empty()) {
        for (const auto& entry : before.row(i)) add_entry(entry.column);
      } else {
        is_read.assign(at(n_), false);
        for (const auto& [row, factor] : parts)
          for (const auto& entry : before.row(row)) is_read[at(entry.column)] = true;
        for (int j = 0; j < n_; ++j)
          if (is_read[at(j)]) add_entry(j);
      }
      now.first.push_back(static_cast<int>(now.entries.size()));
      for (std::size_t s = 0; s < samples.size(); ++s) {
        add_row(i, before, points()[s].J, parts, now.row(i), samples[s].J);
        add_row(i, before, points()[s].M, parts, now.row(i), samples[s].M);
      }
    }
    combined_pattern_ = std::move(now);
    combined_ = std::move(samples);
  }

  /// Appends the values of row i: as they were, or of the combination that takes its place. What cancels is zero.
  void add_row(int i, const RowPattern& before, const std::vector<double>& values, const Parts& parts,
               std::span<const RowPattern::Entry> row, std::vector<double>& out) const {
    if (parts.empty()) {
      for (const auto& entry : before.row(i)) out.push_back(values[at(entry.place)]);
      return;
    }
    std::vector<double> sum(at(n_), 0.0), size(at(n_), 0.0);
    for (const auto& [one, factor] : parts) {
      for (const auto& [j, place] : before.row(one)) {
        sum[at(j)] += factor * values[at(place)];
        size[at(j)] += std::abs(factor * values[at(place)]);
      }
    }
    for (const auto& entry : row) {
      const auto j = at(entry.column);
      const bool is_left = !(std::abs(sum[j]) <= std::max(1e-11, threshold_) * size[j]);
      out.push_back(is_left ? sum[j] : 0.0);
    }
  }

  void take_roles(const Signature& sigma) {
    const int most = *std::max_element(out_.c.begin(), out_.c.end());
    std::vector<int> row_of(at(n_));
    for (int i = 0; i < n_; ++i) row_of[at(out_.assigned[at(i)])] = i;
    const std::vector<int> reach = most > 0 ? find_reach(sigma, row_of, most) : out_.c;
    // Where M cannot be another elsewhere, nobody has to look there.
    is_seen_here_ = equations_.mass_is_proved_constant() && all_finite(samples_.here().M);
    std::vector<bool> moves(at(n_), false);
    note_moving(equations_.by_row(), samples_.here(), moves);
    if (!is_seen_here_)
      for (const DaeValues& sample : samples_.all()) note_moving(equations_.by_row(), sample, moves);
    for (int j = 0; j < n_; ++j) {
      out_.roles[at(j)].is_differential = moves[at(j)];
      out_.roles[at(j)].index = std::max(0, 1 + reach[at(row_of[at(j)])] - out_.d[at(j)]);
      if (!moves[at(j)]) out_.roles[at(j)].index = std::max(out_.roles[at(j)].index, 1);
      out_.index = std::max(out_.index, out_.roles[at(j)].index);
    }
    out_.degrees_of_freedom =
        std::accumulate(out_.d.begin(), out_.d.end(), 0) - std::accumulate(out_.c.begin(), out_.c.end(), 0);
    count_combinations();
    if (most > most_differentiations) out_.failure = explain_too_high(equations_, out_, most);
  }

  /// Derivatives of equation i reach y_j through the leading terms: per row, the largest c among those that do.
  std::vector<int> find_reach(const Signature& sigma, const std::vector<int>& row_of, int most) const {
    std::vector<int> reach = out_.c;
    std::vector<std::vector<int>> readers(at(n_));
    for (int i = 0; i < n_; ++i)
      for (const auto& [j, order] : sigma.row(i))
        if (out_.d[at(j)] - out_.c[at(i)] == order) readers[at(row_of[at(j)])].push_back(i);
    for (int level = most; level > 0; --level) {
      std::vector<int> queue;
      for (int i = 0; i < n_; ++i)
        if (reach[at(i)] == level) queue.push_back(i);
      for (std::size_t k = 0; k < queue.size(); ++k) {
        for (const int i : readers[at(queue[k])]) {
          if (reach[at(i)] >= level) continue;
          reach[at(i)] = level;
          queue.push_back(i);
        }
      }
    }
    return reach;
  }

  void count_combinations() {
    if (n_ <= largest_ranked) {
      out_.differential_combinations = std::max(out_.differential_combinations, rank_of_mass(samples_.here()));
      if (is_seen_here_) return;
      for (const DaeValues& sample : samples_.all())
        if (sample.M != samples_.here().M)
          out_.differential_combinations = std::max(out_.differential_combinations, rank_of_mass(sample));
      return;
    }
    Signature rates;  // of the combined rows, in which nothing cancels any more
    for (int i = 0; i < n_; ++i) {
      for (const auto& [j, place] : pattern().row(i))
        if (here().M[at(place)] != 0) rates.entries.push_back({j, 1});
      rates.end_row();
    }
    const Assignment assignment(rates);
    out_.differential_combinations =
        n_ - static_cast<int>(std::count(assignment.of_row.begin(), assignment.of_row.end(), -1));
  }

  int rank_of_mass(const DaeValues& sample) const {
    if (!all_finite(sample.M)) return -1;
    MatrixEntries entries;
    entries.reserve(sample.M.size());
    for (int i = 0; i < n_; ++i)
      for (const auto& [j, place] : equations_.by_row().row(i))
        if (sample.M[at(place)] != 0) entries.emplace_back(i, j, sample.M[at(place)]);
    const int lone = count_lone_entries(n_, entries);
    return lone >= 0 ? lone : rank_of(n_, entries, threshold_).rank;
  }

  const DaeEquations& equations_;
  DaeSamples& samples_;
  double threshold_;
  int n_;
  bool is_seen_here_ = false;        // all of M
  std::vector<DaeValues> combined_;  // empty: rows are the equations
  RowPattern combined_pattern_;
  Eigen::MatrixXd left_null_;
  DaeStructure out_;
};

}  // namespace

DaeStructure analyze_structure(const DaeEquations& equations, DaeSamples& samples, double threshold) {
  return Analysis(equations, samples, threshold).run();
}

// S regular with offsets that every term respects: Pryce's conditions. Combinations have factors that may be others
// now, and what was singular nearby too is looked at anew.
bool still_holds(const DaeStructure& structure, const DaeEquations& equations, const DaeValues& sample,
                 double threshold) {
  if (!structure.failure.empty() || structure.has_combinations() || structure.is_singular_here) return false;
  const int n = equations.size();
  const RowPattern& pattern = equations.by_row();
  for (int i = 0; i < n; ++i) {
    for (const auto& [j, place] : pattern.row(i)) {
      const int order = sample.M[at(place)] != 0 ? 1 : sample.J[at(place)] != 0 ? 0 : -1;
      if (order >= 0 && structure.d[at(j)] - structure.c[at(i)] < order) return false;
    }
  }
  std::vector<bool> moves(at(n), false);
  note_moving(pattern, sample, moves);
  for (int j = 0; j < n; ++j)
    if (moves[at(j)] != structure.roles[at(j)].is_differential) return false;
  return rank_of(n, leading_part(pattern, sample, structure.c, structure.d), threshold).rank == n;
}

bool DaeStructure::has_combinations() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() > 1; });
}

}  // namespace pawl::formulate
