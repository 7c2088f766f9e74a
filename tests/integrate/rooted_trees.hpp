// Rooted trees and the order conditions of Runge-Kutta methods (Butcher; Hairer, Norsett, Wanner, Solving ODE I, II.2).
//
//   Σ_i b_i Φ_i(tree) = 1 / γ(tree) for every tree of order <= p;  for dense output the right-hand side is θ^|tree| /
//   γ.
#pragma once

#include <cmath>
#include <vector>

#include "pawl/tableau.hpp"

namespace pawl::testing {

/// parent[v] < v for every vertex but the root, vertex 0.
using Tree = std::vector<int>;

/// All rooted trees with that many vertices, each once: level sequences by the successor rule of Beyer and Hedetniemi
/// (SIAM J. Comput. 9 (1980) 706).
inline std::vector<Tree> trees_of_order(int order) {
  std::vector<Tree> trees;
  std::vector<int> level(static_cast<std::size_t>(order));
  for (int v = 0; v < order; ++v) level[static_cast<std::size_t>(v)] = v;
  while (true) {
    Tree parent(level.size(), -1);
    for (std::size_t v = 1; v < level.size(); ++v) {
      for (std::size_t u = 0; u < v; ++u) {
        if (level[u] == level[v] - 1) parent[v] = static_cast<int>(u);
      }
    }
    trees.push_back(parent);
    std::size_t p = level.size();
    while (p > 0 && level[p - 1] <= 1) --p;
    if (p == 0) return trees;
    --p;
    std::size_t q = p;
    while (level[q] != level[p] - 1) --q;
    for (std::size_t i = p; i < level.size(); ++i) level[i] = level[i - (p - q)];
  }
}

inline double density(const Tree& tree) {  // γ
  std::vector<double> size(tree.size(), 1);
  double product = 1;
  for (std::size_t v = tree.size(); v-- > 0;) {
    product *= size[v];
    if (v > 0) size[static_cast<std::size_t>(tree[v])] += size[v];
  }
  return product;
}

/// Φ_i(tree) for every row i of the table, in extended precision; or the same with |a_ij|, which bounds how far
/// rounding of the coefficients can move it.
template <int S, int X, int D>
std::vector<long double> elementary_weights(const Tableau<S, X, D>& table, const Tree& tree, bool of_sizes = false) {
  constexpr auto rows = static_cast<std::size_t>(S + X);
  std::vector<std::vector<long double>> product(tree.size(), std::vector<long double>(rows, 1));
  for (std::size_t v = tree.size(); v-- > 1;) {
    auto& above = product[static_cast<std::size_t>(tree[v])];
    for (std::size_t i = 0; i < rows; ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < i; ++j) {
        const long double a = table.a[i][j];
        sum += (of_sizes ? std::abs(a) : a) * product[v][j];
      }
      above[i] *= sum;
    }
  }
  return product[0];
}

struct Residual {
  double size = 0;   ///< |Σ w_i Φ_i - θ^r / γ|
  double scale = 0;  ///< Σ |w_i| Φ_i(|a|): rounding of the coefficients is of this size times 1e-16
};

template <int S, int X, int D, class Weights>
Residual order_residual(const Tableau<S, X, D>& table, const Tree& tree, const Weights& weights, double theta = 1) {
  const auto phi = elementary_weights(table, tree), sizes = elementary_weights(table, tree, true);
  long double sum = 0, scale = 0;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    const long double weight = weights(static_cast<int>(i));
    sum += weight * phi[i];
    scale += std::abs(weight) * sizes[i];
  }
  const long double wanted = std::pow(static_cast<long double>(theta), static_cast<long double>(tree.size())) /
                             static_cast<long double>(density(tree));
  return {static_cast<double>(std::abs(sum - wanted)), static_cast<double>(scale)};
}

/// The tree of that order whose condition is violated most.
template <int S, int X, int D, class Weights>
Tree worst_tree(const Tableau<S, X, D>& table, int order, const Weights& weights, double theta = 1) {
  Tree worst;
  double largest = -1;
  for (const Tree& tree : trees_of_order(order)) {
    const double size = order_residual(table, tree, weights, theta).size * density(tree);
    if (size > largest) {
      largest = size;
      worst = tree;
    }
  }
  return worst;
}

}  // namespace pawl::testing
