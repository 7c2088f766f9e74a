// An order of the unknowns that keeps the entries of a sparse matrix near its diagonal.
//
// Cuthill and McKee, Proc. 24th ACM Conference (1969) 157, reversed; it starts at a node of large eccentricity, George
// and Liu, ACM Transactions on Mathematical Software 5 (1979) 284.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

// The neighbours of each unknown in the symmetrized pattern.
inline Pattern neighbours_of(const Pattern& pattern) {
  const int n = static_cast<int>(pattern.first.size()) - 1;
  std::vector<std::pair<int, int>> edges;
  edges.reserve(2 * pattern.row.size());
  for (int j = 0; j < n; ++j) {
    for (int e = pattern.first[j]; e < pattern.first[j + 1]; ++e) {
      if (pattern.row[e] == j) continue;
      edges.emplace_back(j, pattern.row[e]);
      edges.emplace_back(pattern.row[e], j);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Pattern graph;
  graph.first.assign(n + 1, 0);
  for (const auto& [from, to] : edges) {
    ++graph.first[from + 1];
    graph.row.push_back(to);
  }
  for (int i = 0; i < n; ++i) graph.first[i + 1] += graph.first[i];
  return graph;
}

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Pattern& pattern)
      : graph_(neighbours_of(pattern)), n_(static_cast<int>(graph_.first.size()) - 1), seen_(n_, 0) {}

  std::vector<int> reversed() {
    std::vector<int> order;
    order.reserve(n_);
    std::vector<char> is_placed(n_, 0);
    for (int i = 0; i < n_; ++i) {
      if (is_placed[i]) continue;
      levels_from(far_end_of(i));
      for (const int node : queue_) is_placed[node] = 1;
      order.insert(order.end(), queue_.begin(), queue_.end());
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  int degree(int node) const { return graph_.first[node + 1] - graph_.first[node]; }

  // Breadth first, neighbours of small degree first, into queue_. Returns the number of levels; last_level_ is where
  // the last of them begins.
  int levels_from(int root) {
    ++round_;
    queue_.assign(1, root);
    seen_[root] = round_;
    int levels = 0;
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = queue_.size()) {
      last_level_ = begin;
      ++levels;
      for (std::size_t at = begin; at < end; ++at) {
        const int node = queue_[at];
        const auto fresh = static_cast<std::ptrdiff_t>(queue_.size());
        for (int e = graph_.first[node]; e < graph_.first[node + 1]; ++e) {
          if (seen_[graph_.row[e]] == round_) continue;
          seen_[graph_.row[e]] = round_;
          queue_.push_back(graph_.row[e]);
        }
        std::stable_sort(queue_.begin() + fresh, queue_.end(), [this](int a, int b) { return degree(a) < degree(b); });
      }
    }
    return levels;
  }

  int far_end_of(int node) {
    int levels = levels_from(node);
    while (true) {
      const int next = *std::min_element(queue_.begin() + static_cast<std::ptrdiff_t>(last_level_), queue_.end(),
                                         [this](int a, int b) { return degree(a) < degree(b); });
      const int more = levels_from(next);
      if (more <= levels) return next;
      levels = more;
    }
  }

  Pattern graph_;
  int n_;
  std::vector<int> seen_, queue_;  // seen_: the round in which a node was last met
  int round_ = 0;
  std::size_t last_level_ = 0;
};

}  // namespace pawl::shifted
