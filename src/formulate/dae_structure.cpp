#include "formulate/dae_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "formulate/dae_explanation.hpp"
#include "formulate/dae_rank.hpp"
#include "formulate/dae_reach.hpp"
#include "numerics/assignment.hpp"

namespace pawl::formulate {

namespace {

constexpr int largest_ranked = 400;  // unknowns, for the rank of M

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
    for (int i = 0; i < n_; ++i) out_.rows.push_back({{i, 0, 1.0}});
    out_.roles.resize(at(n_));
    out_.reads = equations.share_reads();
    out_.model = equations.share_model();
  }

  DaeStructure run() {
    Signature sigma = as_read();
    std::vector<int> c, d;
    // Every combination lowers Σ σ of the assignment, which is at most n at the beginning.
    for (int attempt = 0; attempt <= 2 * n_ + 2; ++attempt) {
      const Assignment assignment(sigma);
      if (!assignment.is_complete()) {
        if (out_.has_combinations()) return take_array();
        out_.failure = explain_singular(equations_, sigma, assignment);
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
      if (attempt == 0) {
        combined_.emplace(equations_.by_row(), samples_.all());
      } else if (!combine()) {
        return take_array();
      }
      c = out_.c;
      d = out_.d;
      sigma = combined_->signature();
    }
    return take_array();
  }

 private:
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

  /// True: S is regular, here or at least nearby; or nowhere finite, which is for the start to say.
  bool find_rank() {
    const MatrixEntries S = leading(0);
    Rank best = rank_of(n_, S, threshold_);
    out_.is_singular_here = best.rank < n_;
    const int points = best.rank == n_ ? 1 : static_cast<int>(samples_.all().size());
    for (int s = 1; best.rank < n_ && s < points; ++s) {
      const MatrixEntries other = leading(s);
      if (has_same_values(S, other)) continue;
      Rank found = rank_of(n_, other, threshold_);
      if (found.rank > best.rank) best = std::move(found);
    }
    left_null_ = std::move(best.left_null);
    units_ = std::move(best.units);
    out_.rank = std::max(best.rank, 0);
    return best.rank == n_ || best.rank < 0;
  }

  MatrixEntries leading(int sample) {
    if (combined_) return combined_->leading(sample, out_.c, out_.d);
    const DaeValues& values = sample == 0 ? samples_.here() : samples_.all()[at(sample)];
    return leading_part(equations_.by_row(), values, out_.c, out_.d);
  }

  /// Puts combinations without leading terms in the place of equations. False: there are none that can be used.
  bool combine() {
    if (left_null_.cols() == 0) return false;
    const std::vector<int> pivots = make_sparse(left_null_);
    std::vector<RowParts> replacements(at(n_));
    bool are_all_found = true;
    for (Eigen::Index k = 0; k < left_null_.cols() && are_all_found; ++k) {
      const int pivot = pivots[static_cast<std::size_t>(k)];
      replacements[at(pivot)] = combination(k);
      are_all_found = out_.c[at(pivot)] == least_differentiated(k) &&
                      combined_->can_replace(replacements[at(pivot)], out_.c[at(pivot)], out_.d, threshold_);
    }
    if (!are_all_found && !find_one(replacements)) return false;
    combined_->replace(replacements, threshold_);
    out_.rows = combined_->parts();
    return true;
  }

  /// One alone, in the place of the row with the largest share among those that are differentiated least.
  bool find_one(std::vector<RowParts>& replacements) const {
    for (Eigen::Index k = 0; k < left_null_.cols(); ++k) {
      const int least = least_differentiated(k);
      int pivot = -1;
      for (int i = 0; i < n_; ++i) {
        if (out_.c[at(i)] != least || !has_share(i, k)) continue;
        if (pivot < 0 || std::abs(left_null_(i, k)) > std::abs(left_null_(pivot, k))) pivot = i;
      }
      RowParts parts = combination(k);
      if (!combined_->can_replace(parts, least, out_.d, threshold_)) continue;
      replacements.assign(at(n_), {});
      replacements[at(pivot)] = std::move(parts);
      return true;
    }
    return false;
  }

  /// The pivot has a share of one.
  bool has_share(int i, Eigen::Index k) const { return std::abs(left_null_(i, k)) >= 1e-9; }

  int least_differentiated(Eigen::Index k) const {
    int least = std::numeric_limits<int>::max();
    for (int i = 0; i < n_; ++i)
      if (has_share(i, k)) least = std::min(least, out_.c[at(i)]);
    return least;
  }

  /// Σ u_i R_i^(c_i - c) with the smallest c.
  RowParts combination(Eigen::Index k) const {
    RowParts parts;
    const int least = least_differentiated(k);
    Eigen::Index first = 0;  // whose factor is one
    left_null_.col(k).cwiseAbs().maxCoeff(&first);
    const double whole_share = units_(first) * left_null_(first, k);
    for (int i = 0; i < n_; ++i) {
      if (!has_share(i, k)) continue;
      // A sum of capacitances and the like: factors that look like small integers are.
      const double factor = units_(i) * left_null_(i, k) / whole_share, whole = std::round(factor);
      parts.push_back({i, out_.c[at(i)] - least, std::abs(factor - whole) < 1e-12 && whole != 0 ? whole : factor});
    }
    return parts;
  }

  /// All derivatives of all equations together; or why not.
  DaeStructure take_array() {
    const DaeArray array = samples_.array();
    if (array.order == 0) {
      out_.failure = explain_dependent(equations_, out_, left_null_);
      return std::move(out_);
    }
    take_whole_array(out_, n_, array.order);
    out_.degrees_of_freedom = n_ - array.constraints;
    out_.rank = n_;
    std::vector<bool> moves(at(n_), false);
    for (const DaeValues& sample : samples_.all()) note_moving(equations_.by_row(), sample, moves);
    for (int i = 0; i < n_; ++i) out_.roles[at(i)] = {moves[at(i)], moves[at(i)] ? 0 : array.order};
    combined_.reset();
    count_combinations();
    out_.failure = check_differentiations(array.order);
    return std::move(out_);
  }

  void take_roles(const Signature& sigma) {
    std::vector<int> times(at(n_));  // that equations of a row are differentiated
    for (int i = 0; i < n_; ++i) times[at(i)] = out_.differentiations(i);
    const int most = *std::max_element(times.begin(), times.end());
    const std::vector<int> indices = find_indices(sigma, times, most);
    // Where M cannot be another elsewhere, nobody has to look there.
    is_seen_here_ = equations_.mass_is_proved_constant() && all_finite(samples_.here().M);
    std::vector<bool> moves(at(n_), false);
    note_moving(equations_.by_row(), samples_.here(), moves);
    if (!is_seen_here_)
      for (const DaeValues& sample : samples_.all()) note_moving(equations_.by_row(), sample, moves);
    for (int j = 0; j < n_; ++j) {
      out_.roles[at(j)].is_differential = moves[at(j)];
      out_.roles[at(j)].index = std::max(moves[at(j)] ? 0 : 1, indices[at(j)]);
      out_.index = std::max(out_.index, out_.roles[at(j)].index);
    }
    out_.degrees_of_freedom =
        std::accumulate(out_.d.begin(), out_.d.end(), 0) - std::accumulate(out_.c.begin(), out_.c.end(), 0);
    if (out_.index <= 1 && std::count(moves.begin(), moves.end(), true) > out_.degrees_of_freedom)
      for (int j = 0; j < n_; ++j) out_.roles[at(j)].is_bound = moves[at(j)];
    count_combinations();
    if (most > 2) out_.failure = check_differentiations(most);
  }

  std::vector<int> find_indices(const Signature& sigma, const std::vector<int>& times, int most) {
    PatternIndices by_pattern = indices_by_pattern(sigma, out_.assigned, times, out_.c, out_.d);
    const bool may_cancel = out_.has_combinations() || by_pattern.hang_on_lower_orders;
    if (most == 0 || !may_cancel || n_ > largest_ranked) return std::move(by_pattern.indices);
    if (!combined_) combined_.emplace(equations_.by_row(), samples_.all());
    std::vector<int> in_numbers = indices_in_numbers(*combined_, out_.c, out_.d, threshold_);
    return std::move(in_numbers.empty() ? by_pattern.indices : in_numbers);
  }

  /// Beyond the second derivative equations are power series; differences would be mostly noise.
  std::string check_differentiations(int most) const {
    for (int i = 0; i < n_; ++i) {
      for (const RowPart& part : out_.rows[at(i)])
        if (out_.c[at(i)] + part.order > 2 && !equations_.takes_series(part.row))
          return explain_opaque(equations_, out_, part.row, out_.c[at(i)] + part.order);
    }
    return most > equations_.most_derivatives() ? explain_too_high(equations_, out_, most) : std::string();
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
    const Signature all = combined_ ? combined_->signature() : as_read();  // combined, nothing cancels any more
    Signature rates;
    for (int i = 0; i < n_; ++i) {
      for (const auto& [j, order] : all.row(i))
        if (order > 0) rates.entries.push_back({j, 1});
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
  bool is_seen_here_ = false;             // all of M
  std::optional<CombinedRows> combined_;  // none: rows are the equations, as they are read
  Eigen::MatrixXd left_null_;  // shares in balanced units, so that nothing hangs on those that equations are written in
  Eigen::VectorXd units_;
  DaeStructure out_;
};

}  // namespace

void take_whole_array(DaeStructure& structure, int equations, int order) {
  structure.array = structure.index = order;
  structure.c.assign(at(equations), order);
  structure.d.assign(at(equations), order + 1);
  structure.rows.clear();
  structure.assigned.clear();
  for (int i = 0; i < equations; ++i) {
    structure.rows.push_back({{i, 0, 1.0}});
    structure.assigned.push_back(i);
  }
}

DaeStructure analyze_structure(const DaeEquations& equations, DaeSamples& samples, double threshold) {
  return Analysis(equations, samples, threshold).run();
}

// S regular with offsets that every term respects: Pryce's conditions. Combinations have factors that may be others
// now, and what was singular nearby too is looked at anew.
bool still_holds(const DaeStructure& structure, const DaeEquations& equations, const DaeValues& sample,
                 double threshold) {
  if (!structure.failure.empty() || structure.has_combinations() || structure.is_singular_here || structure.array > 0)
    return false;
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
  return std::any_of(rows.begin(), rows.end(), [](const RowParts& row) { return row.size() > 1; });
}

bool DaeStructure::has_hidden_derivatives() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowParts& row) {
    return std::any_of(row.begin(), row.end(), [](const RowPart& part) { return part.order > 0; });
  });
}

int DaeStructure::differentiations(int row) const {
  int most = 0;
  for (const RowPart& part : rows[at(row)]) most = std::max(most, part.order);
  return c[at(row)] + most;
}

}  // namespace pawl::formulate
