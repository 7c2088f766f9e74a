// Which equation is for which unknown, and how often equations are differentiated: the combinatorial part of
// dae_structure.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "formulate/dae_equations.hpp"

namespace pawl::formulate {

/// σ, row after row, without the entries that are -∞.
struct Signature {
  struct Entry {
    int column, order;
  };
  std::vector<int> first{0};
  std::vector<Entry> entries;

  int size() const { return static_cast<int>(first.size()) - 1; }
  std::span<const Entry> row(int i) const { return {entries.data() + first[at(i)], entries.data() + first[at(i) + 1]}; }
  void end_row() { first.push_back(static_cast<int>(entries.size())); }
};

/// The assignment of largest Σ σ: shortest augmenting paths with potentials, for costs max σ - σ. Rows and columns that
/// cannot be assigned have -1.
class Assignment {
 public:
  explicit Assignment(const Signature& sigma);
  bool is_complete() const { return std::find(of_row.begin(), of_row.end(), -1) == of_row.end(); }

  std::vector<int> of_row, of_column;

 private:
  void start(int i);
  void augment(int source);

  const Signature& sigma_;
  int n_, highest_ = 1;
  std::vector<int> row_potential_, column_potential_;
};

/// The smallest c, d >= 0 by fixed-point iteration.
void find_offsets(const Signature& sigma, const Assignment& assignment, std::vector<int>& c, std::vector<int>& d);

}  // namespace pawl::formulate
