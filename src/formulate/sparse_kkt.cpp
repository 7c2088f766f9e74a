// Sparse L D L^T of the KKT matrix
//
//   [ M  G^T ]
//   [ G   0  ]
//
// without pivoting, in an order fixed once. No row of G is eliminated before the coordinates it couples: then every
// leading block is again such a matrix, with rows of G in full, and the pivots of coordinates are positive, those of
// rows negative, none zero, as long as M is positive definite and the rows of G are independent. Within that rule the
// unknown with the fewest neighbours goes first (minimum degree): trees of bodies go from the leaves to the root and
// fill nothing.
//
// The numbers are worked right-looking for a column with few entries (all but the loops of a mechanism): column k takes
// l_ik d_k l_jk away from entry (i, j), and the places of all (i, j) are listed beforehand. The list of a long column
// would be quadratic in its length; such a column waits until a column j it acts on is due (left-looking).
//
// Minimum degree: George and Liu, SIAM Review 31 (1989) 1. Patterns: Davis, Direct Methods for Sparse Linear Systems.
#include "formulate/kkt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Core>

namespace pawl::formulate {

namespace {

/// The order of elimination and, for the k-th of it, the unknowns it acts on, in that order: the pattern of L.
/// Unknowns: the n coordinates, then the rows of G.
struct Elimination {
  std::vector<int> order;
  std::vector<std::vector<int>> below;
};

void check(const SparseRows& mass, const SparseRows& jacobian) {
  const int n = mass.rows();
  for (int i = 0; i < n; ++i) {
    // Columns ascend: the diagonal is the last entry of the lower triangle.
    if (mass.first[i] == mass.first[i + 1] || mass.column[mass.first[i + 1] - 1] != i) {
      throw std::invalid_argument(
          fmt::format("make_sparse_kkt: row {} of mass must end with its diagonal entry (lower triangle only)", i));
    }
  }
  for (const int j : jacobian.column) {
    if (j < 0 || j >= n) {
      throw std::invalid_argument(
          fmt::format("make_sparse_kkt: jacobian has column {}; mass has coordinates 0 to {}", j, n - 1));
    }
  }
}

/// Who is coupled with whom, each list ascending.
std::vector<std::vector<int>> graph_of(const SparseRows& mass, const SparseRows& jacobian) {
  const int n = mass.rows();
  std::vector<std::vector<int>> graph(n + jacobian.rows());
  const auto couple = [&](const SparseRows& rows, int label) {
    for (int i = 0; i < rows.rows(); ++i) {
      for (int e = rows.first[i]; e < rows.first[i + 1]; ++e) {
        if (rows.column[e] == label + i) continue;
        graph[label + i].push_back(rows.column[e]);
        graph[rows.column[e]].push_back(label + i);
      }
    }
  };
  couple(mass, 0);
  couple(jacobian, n);
  for (auto& neighbours : graph) std::sort(neighbours.begin(), neighbours.end());
  return graph;
}

/// Minimum degree on the explicit graph: what is eliminated leaves its neighbours coupled with each other. Costs as
/// much as a few factorizations.
Elimination eliminate_by_degree(const SparseRows& mass, const SparseRows& jacobian) {
  const int n = mass.rows();
  std::vector<std::vector<int>> graph = graph_of(mass, jacobian);
  const int size = static_cast<int>(graph.size());
  std::vector<std::vector<int>> rows_of(n);
  std::vector<int> waits_for(size, 0);  // coordinates that must go first
  for (int r = 0; r < jacobian.rows(); ++r) {
    waits_for[n + r] = jacobian.first[r + 1] - jacobian.first[r];
    for (int e = jacobian.first[r]; e < jacobian.first[r + 1]; ++e) rows_of[jacobian.column[e]].push_back(n + r);
  }

  using Candidate = std::pair<std::size_t, int>;  // degree, unknown; out of date where the degree has changed
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto offer = [&](int v) {
    if (waits_for[v] == 0) candidates.emplace(graph[v].size(), v);
  };
  std::size_t twice_edges = 0;
  for (int v = 0; v < size; ++v) {
    offer(v);
    twice_edges += graph[v].size();
  }

  Elimination result;
  std::vector<char> gone(size, 0);
  const auto eliminate = [&](int v, std::vector<int> below) {
    gone[v] = 1;
    result.order.push_back(v);
    result.below.push_back(std::move(below));
  };
  std::vector<int> joined;
  const auto left = [&] { return static_cast<std::size_t>(size) - result.order.size(); };
  while (left() > 0 && twice_edges < left() * (left() - 1)) {
    const auto [degree, v] = candidates.top();
    candidates.pop();
    if (gone[v] || degree != graph[v].size()) continue;
    const std::vector<int> clique = std::move(graph[v]);
    eliminate(v, clique);
    twice_edges -= degree;
    if (v < n) {
      for (const int row : rows_of[v]) --waits_for[row];
    }
    for (const int u : clique) {
      joined.clear();
      std::set_union(graph[u].begin(), graph[u].end(), clique.begin(), clique.end(), std::back_inserter(joined));
      std::erase_if(joined, [u = u, v = v](int w) { return w == u || w == v; });
      twice_edges += joined.size() - graph[u].size();
      graph[u] = joined;
      offer(u);
    }
  }
  // All that are left are coupled with each other: no order is better than another. Coordinates come first.
  std::vector<int> rest;
  for (int v = 0; v < size; ++v) {
    if (!gone[v]) rest.push_back(v);
  }
  for (auto v = rest.begin(); v != rest.end(); ++v) eliminate(*v, std::vector<int>(v + 1, rest.end()));

  std::vector<int> position(size);
  for (int k = 0; k < size; ++k) position[result.order[k]] = k;
  for (auto& below : result.below) {
    std::sort(below.begin(), below.end(), [&](int a, int b) { return position[a] < position[b]; });
  }
  return result;
}

class SparseKkt final : public Kkt {
 public:
  SparseKkt(const SparseRows& mass, const SparseRows& jacobian);

  Status factor(const double* mass, const double* jacobian, bool is_same_mass) override;
  int culprit() const override { return culprit_; }
  double smallest_pivot() const override { return smallest_pivot_; }
  const double* pivots() const override { return row_pivots_.data(); }
  void solve(const double* f, const double* gamma, double* a, double* lambda) override;
  void pull(const double* r, double* d) override;
  void carry(Memory& memory) override { memory(values_, pivots_, row_pivots_, culprit_, smallest_pivot_); }

 private:
  static constexpr int longest_listed = 8;  // entries below the diagonal

  struct Column {
    int first;    // its diagonal entry; those below follow, in the order of elimination
    int below;    // how many
    int targets;  // where its list begins
    int waiting;  // end of the list of long columns that act on it, which begins where that of the column before ends
  };
  struct Action {
    int column, entry;
  };

  int place_of(int row_position, int column) const;
  void list_targets(int k);
  void load(const double* mass, const double* jacobian);
  void catch_up(int k, int first_waiting);
  template <int below>
  void act(const Column& column, double inverse);
  void scale(const Column& column, double inverse);
  void forward(const Column& column);
  void backward();

  int coordinates_, rows_;
  std::vector<Column> columns_;
  std::vector<int> unknown_;     // of every entry of L: which unknown its row is
  std::vector<int> position_;    // of every unknown
  std::vector<int> targets_;     // of every pair (i >= j) of a listed column: the place it acts on
  std::vector<Action> waiting_;  // long columns by the column they act on
  std::vector<int> mass_place_, jacobian_place_;
  std::vector<int> diagonal_;        // of every coordinate: its entry of M
  std::vector<int> pulled_columns_;  // those that a residual of G reaches in the forward substitution
  // Entries of L, with 1/d_k on the diagonal; then, of every row of G, the part of its pivot that comes from
  // coordinates.
  std::vector<double> values_;
  std::vector<double> pivots_;  // d_k of long columns
  std::vector<double> work_;    // of every unknown
  std::vector<double> row_pivots_;
  int culprit_ = -1;
  double smallest_pivot_ = 1;
};

SparseKkt::SparseKkt(const SparseRows& mass, const SparseRows& jacobian)
    : coordinates_(mass.rows()), rows_(jacobian.rows()), row_pivots_(static_cast<std::size_t>(jacobian.rows())) {
  check(mass, jacobian);
  const Elimination elimination = eliminate_by_degree(mass, jacobian);
  const int size = coordinates_ + rows_;
  position_.resize(size);
  columns_.reserve(size);
  for (int k = 0; k < size; ++k) {
    const auto& below = elimination.below[k];
    position_[elimination.order[k]] = k;
    columns_.push_back({static_cast<int>(unknown_.size()), static_cast<int>(below.size()), 0, 0});
    unknown_.push_back(elimination.order[k]);
    unknown_.insert(unknown_.end(), below.begin(), below.end());
  }
  values_.resize(unknown_.size() + rows_);
  pivots_.resize(size);
  work_.resize(size);

  std::vector<std::vector<Action>> waiting(size);
  std::vector<char> is_pulled(size, 0);
  for (int k = 0; k < size; ++k) {
    const Column& column = columns_[k];
    const int end = column.first + column.below + 1;
    if (unknown_[column.first] >= coordinates_) is_pulled[k] = 1;
    if (is_pulled[k]) pulled_columns_.push_back(k);
    for (int e = column.first + 1; e < end; ++e) {
      const int j = position_[unknown_[e]];
      if (is_pulled[k]) is_pulled[j] = 1;
      if (column.below > longest_listed) waiting[j].push_back({k, e});
    }
    waiting_.insert(waiting_.end(), waiting[k].begin(), waiting[k].end());
    columns_[k].waiting = static_cast<int>(waiting_.size());
    columns_[k].targets = static_cast<int>(targets_.size());
    if (column.below <= longest_listed) list_targets(k);
  }

  const auto place = [&](int i, int j) {
    const auto [earlier, later] = std::minmax(position_[i], position_[j]);
    return place_of(later, earlier);
  };
  for (int i = 0; i < coordinates_; ++i) {
    diagonal_.push_back(mass.first[i + 1] - 1);
    for (int e = mass.first[i]; e < mass.first[i + 1]; ++e) mass_place_.push_back(place(i, mass.column[e]));
  }
  for (int r = 0; r < rows_; ++r) {
    for (int e = jacobian.first[r]; e < jacobian.first[r + 1]; ++e) {
      jacobian_place_.push_back(place(coordinates_ + r, jacobian.column[e]));
    }
  }
}

int SparseKkt::place_of(int row_position, int column) const {
  const auto begin = unknown_.begin() + columns_[column].first;
  const auto at = std::lower_bound(begin, begin + columns_[column].below + 1, row_position,
                                   [&](int unknown, int wanted) { return position_[unknown] < wanted; });
  return static_cast<int>(at - unknown_.begin());
}

void SparseKkt::list_targets(int k) {
  const int* unknown = &unknown_[columns_[k].first];
  for (int b = 1; b <= columns_[k].below; ++b) {
    const bool row_by_coordinate = unknown[0] < coordinates_ && unknown[b] >= coordinates_;
    const int j = position_[unknown[b]];
    targets_.push_back(row_by_coordinate ? static_cast<int>(unknown_.size()) + unknown[b] - coordinates_
                                         : columns_[j].first);
    for (int a = b + 1; a <= columns_[k].below; ++a) targets_.push_back(place_of(position_[unknown[a]], j));
  }
}

void SparseKkt::load(const double* mass, const double* jacobian) {
  std::fill(values_.begin(), values_.end(), 0.0);
  double* values = values_.data();
  for (std::size_t e = 0; e < mass_place_.size(); ++e) values[mass_place_[e]] = mass[e];
  for (std::size_t e = 0; e < jacobian_place_.size(); ++e) values[jacobian_place_[e]] = jacobian[e];
}

/// Lets the long columns that came before act on column k.
void SparseKkt::catch_up(int k, int first_waiting) {
  const Column& column = columns_[k];
  double* values = values_.data();
  double* own = &values[column.first];
  const int* unknown = &unknown_[column.first];
  double* spread = work_.data();
  for (int i = 1; i <= column.below; ++i) spread[unknown[i]] = 0;
  for (int w = first_waiting; w < column.waiting; ++w) {
    const Column& source = columns_[waiting_[w].column];
    const int at = waiting_[w].entry;
    const int end = source.first + source.below + 1;
    const double factor = values[at] * pivots_[waiting_[w].column];
    const bool row_by_coordinate = unknown_[source.first] < coordinates_ && unknown[0] >= coordinates_;
    (row_by_coordinate ? values[unknown_.size() + unknown[0] - coordinates_] : own[0]) -= factor * values[at];
    if (end - at - 1 == column.below) {  // the same pattern from here on
      Eigen::Map<Eigen::VectorXd>(own + 1, column.below) -=
          factor * Eigen::Map<const Eigen::VectorXd>(values + at + 1, column.below);
    } else {
      for (int e = at + 1; e < end; ++e) spread[unknown_[e]] += factor * values[e];
    }
  }
  for (int i = 1; i <= column.below; ++i) own[i] -= spread[unknown[i]];
}

template <int below>
void SparseKkt::act(const Column& column, double inverse) {
  double* values = values_.data();
  double* own = values + column.first + 1;
  const int* target = targets_.data() + column.targets;
  std::array<double, below> entry, scaled;
  for (int i = 0; i < below; ++i) {
    entry[i] = own[i];
    scaled[i] = own[i] * inverse;
  }
  for (int i = 0; i < below; ++i) own[i] = scaled[i];
  for (int j = 0; j < below; ++j) {
    for (int i = j; i < below; ++i) values[*target++] -= scaled[j] * entry[i];
  }
}

void SparseKkt::scale(const Column& column, double inverse) {
  Eigen::Map<Eigen::VectorXd>(&values_[column.first + 1], column.below) *= inverse;
}

Kkt::Status SparseKkt::factor(const double* mass, const double* jacobian, bool /*is_same_mass*/) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // a smaller pivot of M has no digit left
  constexpr double independence = 1e-13;
  load(mass, jacobian);
  smallest_pivot_ = 1;
  culprit_ = -1;
  double* values = values_.data();
  const double* from_coordinates = values + unknown_.size();
  const int size = coordinates_ + rows_;
  int waiting = 0;
  for (int k = 0; k < size; ++k) {
    const Column column = columns_[k];
    if (column.waiting != waiting) catch_up(k, std::exchange(waiting, column.waiting));
    const int unknown = unknown_[column.first];
    double pivot = values[column.first];
    if (unknown < coordinates_) {
      if (!(pivot > rounding * std::abs(mass[diagonal_[unknown]]) && pivot <= std::numeric_limits<double>::max())) {
        culprit_ = unknown;
        return Status::mass_is_singular;
      }
    } else {
      const double own_size = -from_coordinates[unknown - coordinates_];
      pivot -= own_size;
      const double independent_part = -pivot / own_size;
      if (!(independent_part > independence)) {
        culprit_ = unknown - coordinates_;
        smallest_pivot_ = 0;
        return Status::rows_depend;
      }
      smallest_pivot_ = std::min(smallest_pivot_, independent_part);
      row_pivots_[unknown - coordinates_] = -pivot;
    }
    const double inverse = 1 / pivot;
    values[column.first] = inverse;
    switch (column.below) {
      case 0:
        break;
      case 1:
        act<1>(column, inverse);
        break;
      case 2:
        act<2>(column, inverse);
        break;
      case 3:
        act<3>(column, inverse);
        break;
      case 4:
        act<4>(column, inverse);
        break;
      case 5:
        act<5>(column, inverse);
        break;
      case 6:
        act<6>(column, inverse);
        break;
      case 7:
        act<7>(column, inverse);
        break;
      case 8:
        act<8>(column, inverse);
        break;
      default:
        pivots_[k] = pivot;
        scale(column, inverse);
    }
  }
  return Status::good;
}

void SparseKkt::forward(const Column& column) {
  const double* entry = values_.data() + column.first;
  const int* unknown = unknown_.data() + column.first;
  double* x = work_.data();
  const double own = x[unknown[0]];
  for (int i = 1; i <= column.below; ++i) x[unknown[i]] -= entry[i] * own;
  x[unknown[0]] = own * entry[0];
}

void SparseKkt::backward() {
  double* x = work_.data();
  for (std::size_t k = columns_.size(); k-- > 0;) {
    const Column column = columns_[k];
    const double* entry = values_.data() + column.first;
    const int* unknown = unknown_.data() + column.first;
    double own = x[unknown[0]];
    for (int i = column.below; i >= 1; --i) own -= entry[i] * x[unknown[i]];
    x[unknown[0]] = own;
  }
}

void SparseKkt::solve(const double* f, const double* gamma, double* a, double* lambda) {
  double* x = work_.data();
  std::copy_n(f, coordinates_, x);
  std::transform(gamma, gamma + rows_, x + coordinates_, std::negate<>());
  for (const Column& column : columns_) forward(column);
  backward();
  std::copy_n(x, coordinates_, a);
  std::copy_n(x + coordinates_, rows_, lambda);
}

void SparseKkt::pull(const double* r, double* d) {
  double* x = work_.data();
  std::fill_n(x, coordinates_, 0.0);
  std::transform(r, r + rows_, x + coordinates_, std::negate<>());
  for (const int k : pulled_columns_) forward(columns_[k]);
  backward();
  std::copy_n(x, coordinates_, d);
}

}  // namespace

std::unique_ptr<Kkt> make_sparse_kkt(const SparseRows& mass, const SparseRows& jacobian) {
  return std::make_unique<SparseKkt>(mass, jacobian);
}

}  // namespace pawl::formulate
