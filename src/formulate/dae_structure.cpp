#include "formulate/dae_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include <fmt/format.h>
#include <Eigen/QR>
#include <Eigen/SparseLU>

namespace pawl::formulate {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
constexpr int largest_dense = 400;      // unknowns; beyond, a sparse factorization says whether S is regular
constexpr int largest_combined = 2000;  // and if it is not, beyond this nobody looks further
constexpr int most_differentiations = 2;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string joined(const std::vector<std::string>& names, std::size_t most = 6) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

/// σ, row after row, without the entries that are -∞.
struct Signature {
  struct Entry {
    int column, order;
  };
  std::vector<std::vector<Entry>> rows;
};

/// The assignment of largest Σ σ: shortest augmenting paths with potentials, for costs 1 - σ. Rows and columns that
/// cannot be assigned have -1.
class Assignment {
 public:
  explicit Assignment(const Signature& sigma) : sigma_(sigma), n_(static_cast<int>(sigma.rows.size())) {
    of_row.assign(at(n_), -1);
    of_column.assign(at(n_), -1);
    row_potential_.assign(at(n_), 0);
    column_potential_.assign(at(n_), 0);
    for (int i = 0; i < n_; ++i) start(i);
    for (int i = 0; i < n_; ++i) {
      if (of_row[at(i)] < 0) augment(i);
    }
  }
  bool is_complete() const { return std::find(of_row.begin(), of_row.end(), -1) == of_row.end(); }

  std::vector<int> of_row, of_column;

 private:
  void start(int i) {
    int least = 1;
    for (const auto& [j, order] : sigma_.rows[at(i)]) least = std::min(least, 1 - order);
    row_potential_[at(i)] = least;
    for (const auto& [j, order] : sigma_.rows[at(i)]) {
      if (1 - order != least || of_column[at(j)] >= 0) continue;
      of_row[at(i)] = j;
      of_column[at(j)] = i;
      return;
    }
  }
  void augment(int source) {
    constexpr int far = std::numeric_limits<int>::max();
    std::vector<int> distance(at(n_), far), from(at(n_), -1), settled;
    std::vector<bool> is_settled(at(n_), false);
    using Reached = std::pair<int, int>;  // distance, column
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    const auto scan = [&](int i, int base) {
      for (const auto& [j, order] : sigma_.rows[at(i)]) {
        const int d = base + 1 - order - row_potential_[at(i)] - column_potential_[at(j)];
        if (is_settled[at(j)] || d >= distance[at(j)]) continue;
        distance[at(j)] = d;
        from[at(j)] = i;
        queue.emplace(d, j);
      }
    };
    scan(source, 0);
    int end = -1;
    while (!queue.empty()) {
      const auto [d, j] = queue.top();
      queue.pop();
      if (is_settled[at(j)]) continue;
      if (of_column[at(j)] < 0) {
        end = j;
        break;
      }
      is_settled[at(j)] = true;
      settled.push_back(j);
      scan(of_column[at(j)], d);
    }
    if (end < 0) return;
    const int length = distance[at(end)];
    row_potential_[at(source)] += length;
    for (const int j : settled) {
      column_potential_[at(j)] -= length - distance[at(j)];
      row_potential_[at(of_column[at(j)])] += length - distance[at(j)];
    }
    for (int j = end; j >= 0;) {
      const int i = from[at(j)];
      of_column[at(j)] = i;
      std::swap(of_row[at(i)], j);
    }
  }

  const Signature& sigma_;
  int n_;
  std::vector<int> row_potential_, column_potential_;
};

/// The smallest c, d >= 0 by fixed-point iteration.
void find_offsets(const Signature& sigma, const Assignment& assignment, std::vector<int>& c, std::vector<int>& d) {
  const int n = static_cast<int>(sigma.rows.size());
  c.assign(at(n), 0);
  d.assign(at(n), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      for (const auto& [j, order] : sigma.rows[at(i)]) d[at(j)] = std::max(d[at(j)], order + c[at(i)]);
    }
    for (int i = 0; i < n; ++i) {
      for (const auto& [j, order] : sigma.rows[at(i)]) {
        if (assignment.of_row[at(i)] != j || c[at(i)] == d[at(j)] - order) continue;
        c[at(i)] = d[at(j)] - order;
        changed = true;
      }
    }
  }
}

/// What is left over, in names: sets of equations with too few unknowns, and of unknowns with too few equations.
std::string describe_singular(const Signature& sigma, const Assignment& assignment,
                              const std::vector<std::string>& row_names, const std::vector<std::string>& names) {
  const int n = static_cast<int>(sigma.rows.size());
  std::vector<std::vector<int>> rows_of(at(n));
  for (int i = 0; i < n; ++i)
    for (const auto& entry : sigma.rows[at(i)]) rows_of[at(entry.column)].push_back(i);
  std::vector<std::string> parts;
  std::vector<bool> row_is_told(at(n), false), column_is_told(at(n), false);
  for (int i = 0; i < n; ++i) {
    if (assignment.of_row[at(i)] >= 0 || row_is_told[at(i)]) continue;
    std::vector<int> rows{i}, columns;
    std::vector<bool> seen(at(n), false);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (const auto& [j, order] : sigma.rows[at(rows[k])]) {
        if (seen[at(j)]) continue;
        seen[at(j)] = true;
        columns.push_back(j);
        rows.push_back(assignment.of_column[at(j)]);
      }
    }
    std::vector<std::string> equations, unknowns;
    for (const int row : rows) {
      equations.push_back(row_names[at(row)]);
      row_is_told[at(row)] = true;
    }
    std::sort(columns.begin(), columns.end());
    for (const int j : columns) unknowns.push_back(names[at(j)]);
    if (unknowns.empty())
      parts.push_back(fmt::format("equation {} contains no unknown", equations.front()));
    else
      parts.push_back(fmt::format("equations {} determine only {}: one too many", joined(equations), joined(unknowns)));
  }
  for (int j = 0; j < n; ++j) {
    if (assignment.of_column[at(j)] >= 0 || column_is_told[at(j)]) continue;
    std::vector<int> columns{j}, rows;
    std::vector<bool> seen(at(n), false);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (const int i : rows_of[at(columns[k])]) {
        if (seen[at(i)]) continue;
        seen[at(i)] = true;
        rows.push_back(i);
        if (assignment.of_row[at(i)] >= 0) columns.push_back(assignment.of_row[at(i)]);
      }
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<std::string> equations, unknowns;
    for (const int column : columns) {
      unknowns.push_back(names[at(column)]);
      column_is_told[at(column)] = true;
    }
    for (const int row : rows) equations.push_back(row_names[at(row)]);
    if (equations.empty())
      parts.push_back(fmt::format("nothing determines {}", joined(unknowns)));
    else
      parts.push_back(fmt::format("{} are determined by {} alone: one too few", joined(unknowns), joined(equations)));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// Scales rows and columns until the largest entry of each is about one (Ruiz, RAL-TR-2001-034); returns the factors of
/// the rows.
Eigen::VectorXd equilibrate(Eigen::MatrixXd& A) {
  Eigen::VectorXd factor = Eigen::VectorXd::Ones(A.rows());
  for (int sweep = 0; sweep < 5; ++sweep) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double largest = A.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      A.row(i) /= std::sqrt(largest);
      factor(i) /= std::sqrt(largest);
    }
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      const double largest = A.col(j).cwiseAbs().maxCoeff();
      if (largest > 0) A.col(j) /= std::sqrt(largest);
    }
  }
  return factor;
}

struct Rank {
  int rank = -1;              // -1: not finite
  Eigen::MatrixXd left_null;  // one combination of rows per column
};

bool is_finite(const Matrix& A) {
  return std::all_of(A.valuePtr(), A.valuePtr() + A.nonZeros(), [](double value) { return std::isfinite(value); });
}

/// By a sparse factorization: what solves for a vector nobody has chosen shows the smallest singular value.
bool is_regular(const Matrix& S, double threshold) {
  Eigen::SparseMatrix<double> A = S;
  A.makeCompressed();
  for (int sweep = 0; sweep < 5; ++sweep) {
    Eigen::VectorXd rows = Eigen::VectorXd::Zero(A.rows()), columns = Eigen::VectorXd::Zero(A.cols());
    for (Eigen::Index j = 0; j < A.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry) {
        rows(entry.row()) = std::max(rows(entry.row()), std::abs(entry.value()));
        columns(j) = std::max(columns(j), std::abs(entry.value()));
      }
    }
    if (rows.minCoeff() == 0 || columns.minCoeff() == 0) return false;
    for (Eigen::Index j = 0; j < A.outerSize(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry)
        entry.valueRef() /= std::sqrt(rows(entry.row())) * std::sqrt(columns(j));
  }
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  lu.compute(A);
  if (lu.info() != Eigen::Success) return false;
  Eigen::VectorXd b(A.rows());
  for (Eigen::Index i = 0; i < b.size(); ++i) b(i) = std::cos(1.0 + 7.0 * static_cast<double>(i * i % 1009));
  const Eigen::VectorXd x = lu.solve(b);
  return x.allFinite() && x.norm() * threshold < b.norm();
}

/// The number of its entries where no two share a row or column; -1 where some do.
int count_lone_entries(const Matrix& S) {
  std::vector<bool> has_entry(static_cast<std::size_t>(S.cols()), false);
  int count = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    int in_row = 0;
    for (Matrix::InnerIterator entry(S, i); entry; ++entry) {
      if (entry.value() == 0) continue;
      const auto j = static_cast<std::size_t>(entry.col());
      if (++in_row > 1 || has_entry[j]) return -1;
      has_entry[j] = true;
      ++count;
    }
  }
  return count;
}

Rank rank_of(const Matrix& S, double threshold) {
  const int n = static_cast<int>(S.rows());
  if (!is_finite(S)) return {};
  if (n == 0) return {0, {}};
  if (n > 50 && is_regular(S, threshold)) return {n, {}};
  if (n > largest_combined) return {n - 1, {}};
  Eigen::MatrixXd A = S;
  const Eigen::VectorXd factor = equilibrate(A);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  const double largest = std::abs(qr.matrixR()(0, 0));
  Rank result{0, {}};
  while (result.rank < n && std::abs(qr.matrixR()(result.rank, result.rank)) > threshold * largest) ++result.rank;
  if (result.rank == n) return result;
  const Eigen::MatrixXd Q = qr.householderQ();
  result.left_null = factor.asDiagonal() * Q.rightCols(n - result.rank);
  return result;
}

/// Columns with few entries that span the same space: Gauss-Jordan elimination, each with a pivot row of its own.
std::vector<int> make_sparse(Eigen::MatrixXd& W) {
  std::vector<int> pivots;
  std::vector<bool> is_taken(at(static_cast<int>(W.rows())), false);
  for (Eigen::Index k = 0; k < W.cols(); ++k) {
    Eigen::Index pivot = 0;
    double largest = -1;
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
      if (is_taken[static_cast<std::size_t>(i)] || std::abs(W(i, k)) <= largest) continue;
      largest = std::abs(W(i, k));
      pivot = i;
    }
    is_taken[static_cast<std::size_t>(pivot)] = true;
    pivots.push_back(static_cast<int>(pivot));
    W.col(k) /= W(pivot, k);
    for (Eigen::Index other = 0; other < W.cols(); ++other) {
      if (other != k) W.col(other) -= W(pivot, other) * W.col(k);
    }
  }
  return pivots;
}

/// S, from J and M.
Matrix leading_part(const DaeSample& sample, const std::vector<int>& c, const std::vector<int>& d) {
  std::vector<Eigen::Triplet<double>> entries;
  const int n = static_cast<int>(c.size());
  for (int i = 0; i < n; ++i) {
    for (const auto& [matrix, order] : {std::pair{&sample.J, 0}, std::pair{&sample.M, 1}})
      for (Matrix::InnerIterator entry(*matrix, i); entry; ++entry)
        if (d[at(static_cast<int>(entry.col()))] - c[at(i)] == order)
          entries.emplace_back(i, static_cast<int>(entry.col()), order == 0 ? entry.value() : -entry.value());
  }
  Matrix S(n, n);
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

class Analysis {
 public:
  Analysis(const DaeEquations& equations, const std::vector<DaeSample>& samples, double threshold)
      : equations_(equations), samples_(samples), threshold_(threshold), n_(equations.size()) {
    for (int i = 0; i < n_; ++i) {
      row_names_.push_back(equations.row_name(i));
      names_.push_back(fmt::format("'{}'", equations.state_name(i)));
      out_.names.push_back(names_.back());
      out_.rows.push_back({{i, 1.0}});
    }
    out_.roles.resize(at(n_));
    out_.reads = equations.reads();
    combined_ = samples;
  }

  DaeStructure run() {
    Signature sigma = as_read();
    for (int attempt = 0; attempt <= n_ + 1; ++attempt) {
      const Assignment assignment(sigma);
      if (!assignment.is_complete()) {
        out_.failure = out_.has_combinations() ? say_dependent() : say_singular(sigma, assignment);
        return out_;
      }
      out_.assigned = assignment.of_row;
      find_offsets(sigma, assignment, out_.c, out_.d);
      if (find_rank()) {
        take_roles(sigma);
        return out_;
      }
      // First without what is written but zero, then with combined rows.
      if (attempt > 0 && !combine()) return out_;
      sigma = as_seen();
    }
    out_.failure = say_dependent();
    return out_;
  }

 private:
  Signature as_read() const {
    Signature sigma;
    for (const RowReads& row : equations_.reads()) {
      sigma.rows.emplace_back();
      for (const int j : row.rates) sigma.rows.back().push_back({j, 1});
      for (const int j : row.values) {
        if (!std::binary_search(row.rates.begin(), row.rates.end(), j)) sigma.rows.back().push_back({j, 0});
      }
    }
    return sigma;
  }

  /// Entries that are there at one of the points at least. What is left of a sum that cancels is not.
  Signature as_seen() const {
    Signature sigma;
    for (int i = 0; i < n_; ++i) {
      std::vector<std::pair<int, int>> found;
      for (const DaeSample& sample : combined_) {
        for (const auto& [matrix, o] : {std::pair{&sample.J, 0}, std::pair{&sample.M, 1}})
          for (Matrix::InnerIterator entry(*matrix, i); entry; ++entry)
            if (entry.value() != 0) found.emplace_back(static_cast<int>(entry.col()), -o);
      }
      std::sort(found.begin(), found.end());
      sigma.rows.emplace_back();
      for (const auto& [j, negative] : found) {
        if (sigma.rows.back().empty() || sigma.rows.back().back().column != j)
          sigma.rows.back().push_back({j, -negative});
      }
    }
    return sigma;
  }

  /// True: S is regular, here or at least nearby; or nowhere finite, which is for the start to say.
  bool find_rank() {
    int best = -1;
    for (std::size_t s = 0; s < combined_.size(); ++s) {
      const Rank found = rank_of(leading(combined_[s]), threshold_);
      if (s == 0) out_.is_singular_here = found.rank < n_;
      if (found.rank > best) {
        best = found.rank;
        left_null_ = found.left_null;
      }
      if (best == n_) break;
    }
    out_.rank = std::max(best, 0);
    return best == n_ || best < 0;
  }

  Matrix leading(const DaeSample& sample) const { return leading_part(sample, out_.c, out_.d); }

  /// Puts combinations without leading terms in the place of equations. False: there are none that can be used.
  bool combine() {
    if (left_null_.cols() == 0) {
      out_.failure = say_dependent();
      return false;
    }
    const std::vector<int> pivots = make_sparse(left_null_);
    for (Eigen::Index k = 0; k < left_null_.cols(); ++k) {
      const int pivot = pivots[static_cast<std::size_t>(k)];
      std::vector<std::pair<int, double>> parts;
      for (int i = 0; i < n_; ++i) {
        if (std::abs(left_null_(i, k)) < 1e-9) continue;
        // A sum of capacitances and the like: factors that look like small integers are.
        const double factor = left_null_(i, k), whole = std::round(factor);
        parts.emplace_back(i, std::abs(factor - whole) < 1e-12 ? whole : factor);
        if (out_.c[at(i)] != out_.c[at(pivot)]) {
          out_.failure = say_dependent();
          return false;
        }
      }
      for (DaeSample& sample : combined_) {
        if (!is_finite(sample.J) || !is_finite(sample.M)) continue;
        if (!cancels(leading(sample), parts)) {
          out_.failure = say_dependent();
          return false;
        }
      }
      replacements_.emplace_back(pivot, parts);
    }
    // All at once: combinations refer to the rows as they were.
    const std::vector<DaeSample> before = combined_;
    const auto rows_before = out_.rows;
    for (const auto& [pivot, parts] : replacements_) {
      std::vector<double> total(at(n_), 0.0);
      for (const auto& [i, factor] : parts)
        for (const auto& [equation, share] : rows_before[at(i)]) total[at(equation)] += factor * share;
      out_.rows[at(pivot)].clear();
      for (int i = 0; i < n_; ++i)
        if (std::abs(total[at(i)]) > 1e-12) out_.rows[at(pivot)].emplace_back(i, total[at(i)]);
      for (std::size_t s = 0; s < combined_.size(); ++s) {
        replace_row(combined_[s].J, before[s].J, pivot, parts);
        replace_row(combined_[s].M, before[s].M, pivot, parts);
      }
    }
    replacements_.clear();
    return true;
  }

  bool cancels(const Matrix& S, const std::vector<std::pair<int, double>>& parts) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(n_), size = sum;
    for (const auto& [i, factor] : parts) {
      for (Matrix::InnerIterator entry(S, i); entry; ++entry) {
        sum(entry.col()) += factor * entry.value();
        size(entry.col()) += std::abs(factor * entry.value());
      }
    }
    return (sum.array().abs() <= std::max(1e-9, threshold_) * size.array()).all();
  }

  void replace_row(Matrix& A, const Matrix& before, int row, const std::vector<std::pair<int, double>>& parts) const {
    std::vector<double> sum(at(n_), 0.0), size(at(n_), 0.0);
    for (const auto& [i, factor] : parts) {
      for (Matrix::InnerIterator entry(before, i); entry; ++entry) {
        sum[at(static_cast<int>(entry.col()))] += factor * entry.value();
        size[at(static_cast<int>(entry.col()))] += std::abs(factor * entry.value());
      }
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n_; ++i) {
      if (i == row) continue;
      for (Matrix::InnerIterator entry(A, i); entry; ++entry)
        entries.emplace_back(i, static_cast<int>(entry.col()), entry.value());
    }
    for (int j = 0; j < n_; ++j) {
      if (!(std::abs(sum[at(j)]) <= std::max(1e-11, threshold_) * size[at(j)]))
        entries.emplace_back(row, j, sum[at(j)]);
    }
    A.setFromTriplets(entries.begin(), entries.end());
  }

  void take_roles(const Signature& sigma) {
    const int most = *std::max_element(out_.c.begin(), out_.c.end());
    // Derivatives of equation i reach y_j through the leading terms; `reach` is the largest c among those that do.
    std::vector<int> reach = out_.c, row_of(at(n_));
    for (int i = 0; i < n_; ++i) row_of[at(out_.assigned[at(i)])] = i;
    std::vector<std::vector<int>> readers(at(n_));
    for (int i = 0; i < n_; ++i)
      for (const auto& [j, order] : sigma.rows[at(i)])
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
    std::vector<bool> moves(at(n_), false);
    for (const DaeSample& sample : samples_)
      for (int i = 0; i < n_; ++i)
        for (Matrix::InnerIterator entry(sample.M, i); entry; ++entry)
          if (entry.value() != 0) moves[at(static_cast<int>(entry.col()))] = true;
    for (int j = 0; j < n_; ++j) {
      out_.roles[at(j)].is_differential = moves[at(j)];
      out_.roles[at(j)].index = std::max(0, 1 + reach[at(row_of[at(j)])] - out_.d[at(j)]);
      if (!moves[at(j)]) out_.roles[at(j)].index = std::max(out_.roles[at(j)].index, 1);
      out_.index = std::max(out_.index, out_.roles[at(j)].index);
    }
    out_.degrees_of_freedom =
        std::accumulate(out_.d.begin(), out_.d.end(), 0) - std::accumulate(out_.c.begin(), out_.c.end(), 0);
    count_combinations();
    if (most > most_differentiations) out_.failure = say_too_high(most);
  }

  void count_combinations() {
    if (n_ <= largest_dense) {
      for (const DaeSample& sample : samples_) {
        const int lone = is_finite(sample.M) ? count_lone_entries(sample.M) : -1;
        out_.differential_combinations =
            std::max(out_.differential_combinations, lone >= 0 ? lone : rank_of(sample.M, threshold_).rank);
      }
      return;
    }
    Signature rates;  // of the combined rows, in which nothing cancels any more
    for (int i = 0; i < n_; ++i) {
      rates.rows.emplace_back();
      for (Matrix::InnerIterator entry(combined_.front().M, i); entry; ++entry)
        if (entry.value() != 0) rates.rows.back().push_back({static_cast<int>(entry.col()), 1});
    }
    const Assignment assignment(rates);
    out_.differential_combinations =
        n_ - static_cast<int>(std::count(assignment.of_row.begin(), assignment.of_row.end(), -1));
  }

  std::string say_singular(const Signature& sigma, const Assignment& assignment) const {
    return fmt::format(
        "the equations of system '{}' cannot be solved for its unknowns, whatever the numbers: {}.\n"
        "  try:    an equation for what is not determined, in the place of one that says the same as others",
        equations_.model().name, describe_singular(sigma, assignment, row_names_, names_));
  }
  std::string say_too_high(int most) const {
    std::vector<std::string> worst;
    for (int i = 0; i < n_; ++i)
      if (out_.c[at(i)] == most) worst.push_back(row_names_[at(i)]);
    return fmt::format(
        "system '{}' has index {}: {} would have to be differentiated {} times. pawl integrates equations up to index "
        "3, and does not reduce the index of general equations symbolically.\n"
        "  try:    the derivatives of these equations in their place, written by hand",
        equations_.model().name, out_.index, joined(worst), most);
  }
  std::string say_dependent() const {
    std::vector<double> shares(at(n_), 0.0);
    for (Eigen::Index k = 0; k < left_null_.cols(); ++k)
      for (int i = 0; i < n_; ++i) shares[at(i)] = std::max(shares[at(i)], std::abs(left_null_(i, k)));
    const std::string who = left_null_.size() == 0 ? "some equations" : largest_shares(shares, row_names_, 3);
    return fmt::format(
        "the equations of system '{}' depend on each other: {} have leading terms that cancel (rank {} of {}), and no "
        "fixed combination of them gives an equation without; they say the same, or the index is above 3.\n"
        "  try:    without what is said twice, or a combination of these equations in the place of one of them",
        equations_.model().name, who, out_.rank, n_);
  }

  const DaeEquations& equations_;
  const std::vector<DaeSample>& samples_;
  double threshold_;
  int n_;
  std::vector<std::string> row_names_, names_;
  std::vector<DaeSample> combined_;
  Eigen::MatrixXd left_null_;
  std::vector<std::pair<int, std::vector<std::pair<int, double>>>> replacements_;
  DaeStructure out_;
};

}  // namespace

DaeStructure analyze_structure(const DaeEquations& equations, const std::vector<DaeSample>& samples, double threshold) {
  return Analysis(equations, samples, threshold).run();
}

// S regular with offsets that every term respects: Pryce's conditions. Combinations have factors that may be others
// now, and what was singular nearby too is looked at anew.
bool still_holds(const DaeStructure& structure, const DaeSample& sample, double threshold) {
  if (!structure.failure.empty() || structure.has_combinations() || structure.is_singular_here) return false;
  const int n = static_cast<int>(structure.c.size());
  for (int i = 0; i < n; ++i)
    for (const auto& [matrix, order] : {std::pair{&sample.J, 0}, std::pair{&sample.M, 1}})
      for (Matrix::InnerIterator entry(*matrix, i); entry; ++entry)
        if (entry.value() != 0 && structure.d[at(static_cast<int>(entry.col()))] - structure.c[at(i)] < order)
          return false;
  std::vector<bool> moves(at(n), false);
  for (int i = 0; i < n; ++i)
    for (Matrix::InnerIterator entry(sample.M, i); entry; ++entry)
      if (entry.value() != 0) moves[at(static_cast<int>(entry.col()))] = true;
  for (int j = 0; j < n; ++j)
    if (moves[at(j)] != structure.roles[at(j)].is_differential) return false;
  return rank_of(leading_part(sample, structure.c, structure.d), threshold).rank == n;
}

bool DaeStructure::has_combinations() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() > 1; });
}

std::string DaeStructure::describe() const {
  if (!failure.empty()) return failure;
  std::vector<std::string> differential, algebraic;
  for (std::size_t j = 0; j < names.size(); ++j) {
    std::string text = names[j];
    if (roles[j].index > 1) text += fmt::format(" (index {})", roles[j].index);
    (roles[j].is_differential ? differential : algebraic).push_back(text);
  }
  std::string text = fmt::format("index {}, {} degrees of freedom; differential: {}", index, degrees_of_freedom,
                                 differential.empty() ? "none" : joined(differential, 12));
  if (differential_combinations < static_cast<int>(differential.size()))
    text += fmt::format(" (in {} combinations)", differential_combinations);
  if (!algebraic.empty()) text += "; algebraic: " + joined(algebraic, 12);
  return text;
}

std::string largest_shares(const std::vector<double>& shares, const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(shares[a]) > std::abs(shares[b]); });
  std::vector<std::string> parts;
  for (const std::size_t i : order) {
    if (std::abs(shares[i]) > 1e-3 * std::abs(shares[order.front()])) parts.push_back(names[i]);
  }
  return joined(parts, most);
}

}  // namespace pawl::formulate
