// Which row is for which column of a sparse pattern, and how often rows have to be differentiated: the combinatorial
// part of the signature method (Pryce, BIT 41 (2001) 364).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace pawl {

/// σ, row after row, without the entries that are -∞.
struct Signature {
  struct Entry {
    int column, order;
    auto operator<=>(const Entry&) const = default;  // NOLINT(modernize-use-nullptr): what it is rewritten to
  };
  std::vector<int> first{0};
  std::vector<Entry> entries;

  int size() const { return static_cast<int>(first.size()) - 1; }
  std::span<const Entry> row(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return {entries.data() + first[at], entries.data() + first[at + 1]};
  }
  void end_row() { first.push_back(static_cast<int>(entries.size())); }
};

/// The assignment of most rows and of largest Σ σ: shortest augmenting paths with potentials, for costs max σ - σ. Rows
/// and columns that cannot be assigned have -1. Of several such assignments the order of rows chooses none, as far as
/// their entries differ.
class Assignment {
 public:
  explicit Assignment(const Signature& sigma) : Assignment(sigma, sigma.size()) {}
  Assignment(const Signature& sigma, int columns);
  bool is_complete() const { return std::find(of_row.begin(), of_row.end(), -1) == of_row.end(); }

  std::vector<int> of_row, of_column;

 private:
  void start(int i);
  void augment(int source);

  const Signature& sigma_;
  int n_, highest_ = 1;
  std::vector<int> row_potential_, column_potential_;
  std::vector<int> distance_, from_, touched_, settled_;
  std::vector<char> is_settled_;
};

/// The smallest c, d >= 0. Requires a complete assignment, and as many columns as rows.
void find_offsets(const Signature& sigma, const Assignment& assignment, std::vector<int>& c, std::vector<int>& d);

/// Blocks of rows that have to be solved together, each after those it needs (Tarjan, SIAM J. Comput. 1 (1972) 146).
/// needs(row, visit) calls visit(other) for every row that this one needs.
class Blocks {
 public:
  /// Rows in the order of their blocks; block k has rows[first[k]] ... rows[first[k + 1] - 1].
  std::vector<int> rows, first{0};

  int size() const { return static_cast<int>(first.size()) - 1; }
  std::span<const int> operator[](int k) const {
    const auto at = static_cast<std::size_t>(k);
    return {rows.data() + first[at], rows.data() + first[at + 1]};
  }
};
/// A row needs those to which its columns are assigned, where the entry counts: counts(row, entry).
template <class Counts>
Blocks blocks_of(const Signature& sigma, const Assignment& assignment, const Counts& counts);

template <class Counts>
Blocks blocks_of(const Signature& sigma, const Assignment& assignment, const Counts& counts) {
  const int n = sigma.size();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  Blocks blocks;
  std::vector<int> number(at(n), -1), low(at(n), 0), next(at(n), 0), open, path;
  std::vector<char> is_open(at(n), 0);
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (number[at(root)] >= 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      const int i = path.back();
      if (number[at(i)] < 0) {
        number[at(i)] = low[at(i)] = count++;
        open.push_back(i);
        is_open[at(i)] = 1;
      }
      const auto row = sigma.row(i);
      int deeper = -1;
      while (next[at(i)] < static_cast<int>(row.size()) && deeper < 0) {
        const auto& entry = row[at(next[at(i)]++)];
        if (!counts(i, entry)) continue;
        const int other = assignment.of_column[at(entry.column)];
        if (other < 0 || other == i) continue;
        if (number[at(other)] < 0)
          deeper = other;
        else if (is_open[at(other)] != 0)
          low[at(i)] = std::min(low[at(i)], number[at(other)]);
      }
      if (deeper >= 0) {
        path.push_back(deeper);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[at(path.back())] = std::min(low[at(path.back())], low[at(i)]);
      if (low[at(i)] != number[at(i)]) continue;
      const auto begin = blocks.rows.size();
      for (int member = -1; member != i;) {
        member = open.back();
        open.pop_back();
        is_open[at(member)] = 0;
        blocks.rows.push_back(member);
      }
      std::sort(blocks.rows.begin() + static_cast<std::ptrdiff_t>(begin), blocks.rows.end());
      blocks.first.push_back(static_cast<int>(blocks.rows.size()));
    }
  }
  return blocks;
}

}  // namespace pawl
