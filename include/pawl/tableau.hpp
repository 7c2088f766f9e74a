// A Runge-Kutta method as data: the coefficients of the step, of its error estimate and of its dense output.
//
//   k_i = f(t0 + c_i h, x0 + h Σ_j a_ij k_j),  x1 = x0 + h Σ b_i k_i,  local error ≈ h Σ e_i k_i,
//   x(t0 + θ h) = x0 + h Σ b_i(θ) k_i,  b_i(θ) = Σ_k dense[i][k] θ^(k+1).
//
// The first `stages` rows make the step. The `extra` rows after them serve the dense output alone and are evaluated
// only when somebody asks where the state was inside the step. A row that equals b with c = 1 is the rate at the end of
// the step, which the next step starts with: in the step's own rows that is "first same as last", found here, never
// declared.
#pragma once

#include <array>
#include <string_view>

namespace pawl {

template <int stages_, int extra_, int degree_>
struct Tableau {
  static constexpr int stages = stages_, extra = extra_, total = stages_ + extra_, degree = degree_;

  std::string_view name;    ///< as a user writes it: "dormand-prince-5"
  std::string_view title;   ///< as the literature writes it: "Dormand-Prince 5(4)"
  std::string_view source;  ///< where the coefficients were published
  int order;                ///< of the solution that is carried on: global error O(h^order)
  int embedded_order;       ///< of the comparison solution behind e; 0: no error estimate, fixed steps only
  int dense_order;          ///< error of the dense output within one step is O(h^(dense_order + 1))

  std::array<double, total> c{};
  std::array<std::array<double, total>, total> a{};
  std::array<double, stages> b{};
  std::array<double, stages> e{};   // b minus the embedded weights
  std::array<double, stages> e3{};  // DOP853 only: a second, third-order estimate that tempers e
  // Where e is blind to rates of time alone: b minus the weights of a second rule for integrals, and the difference of
  // two stages at one time, which shows how far the stages, and so that rule, are off by what the states do to them.
  std::array<double, stages> quadrature{};
  std::array<double, stages> same_time{};
  std::array<std::array<double, degree>, total> dense{};
};

/// The row that is the rate at the end of the step, or -1.
template <int S, int X, int D>
constexpr int end_rate_row(const Tableau<S, X, D>& table) {
  for (int row = 1; row < S + X; ++row) {
    bool equals_b = table.c[row] == 1;
    for (int j = 0; j < S; ++j) equals_b = equals_b && table.a[row][j] == table.b[j];
    for (int j = S; j < S + X; ++j) equals_b = equals_b && table.a[row][j] == 0;
    if (equals_b) return row;
  }
  return -1;
}

/// First same as last: the last stage of a step is the first of the next.
template <int S, int X, int D>
constexpr bool is_first_same_as_last(const Tableau<S, X, D>& table) {
  return end_rate_row(table) == S - 1;
}

namespace detail {
constexpr double size_of(double number) {
  return number < 0 ? -number : number;
}
constexpr bool nearly_equal(double one, double other, double scale) {
  return size_of(one - other) <= 1e-14 * (1 + scale);
}
}  // namespace detail

/// What a mistyped digit cannot pass, cheap enough for the compiler: rows sum to c, b integrates polynomials below its
/// order, the error weights vanish on constants, and the dense output ends at b. (Tests check every order condition.)
template <int S, int X, int D>
constexpr bool is_consistent(const Tableau<S, X, D>& table) {
  for (int i = 0; i < S + X; ++i) {
    double sum = 0, scale = 0;
    for (int j = 0; j < S + X; ++j) {
      sum += table.a[i][j];
      scale += detail::size_of(table.a[i][j]);
      if (j >= i && table.a[i][j] != 0) return false;
    }
    if (!detail::nearly_equal(sum, table.c[i], scale)) return false;
  }
  for (int power = 1; power <= table.order; ++power) {
    double sum = 0, scale = 0;
    for (int i = 0; i < S; ++i) {
      double term = table.b[i];
      for (int k = 1; k < power; ++k) term *= table.c[i];
      sum += term;
      scale += detail::size_of(term);
    }
    if (!detail::nearly_equal(sum, 1. / power, scale)) return false;
  }
  double error_sum = 0, error_scale = 0;
  for (int i = 0; i < S; ++i) {
    error_sum += table.e[i];
    error_scale += detail::size_of(table.e[i]);
  }
  if (!detail::nearly_equal(error_sum, 0, error_scale)) return false;
  for (int i = 0; i < S + X; ++i) {
    double sum = 0, scale = 0;
    for (int k = 0; k < D; ++k) {
      sum += table.dense[i][k];
      scale += detail::size_of(table.dense[i][k]);
    }
    if (!detail::nearly_equal(sum, i < S ? table.b[i] : 0, scale)) return false;
  }
  return true;
}

/// How far the stability region reaches along the negative real axis: the largest z with |R(-s)| <= 1 for 0 <= s <= z,
/// R(z) = 1 + Σ_k z^k bᵀ A^(k-1) 1. An explicit step is held back to h = z / |λ| by a fast decay rate λ.
template <int S, int X, int D>
constexpr double real_stability_limit(const Tableau<S, X, D>& table) {
  std::array<double, S + 1> coefficients{1};
  std::array<double, S> power{};
  power.fill(1);
  for (int k = 1; k <= S; ++k) {
    std::array<double, S> next{};
    for (int i = 0; i < S; ++i) {
      coefficients[k] += table.b[i] * power[i];
      for (int j = 0; j < i; ++j) next[i] += table.a[i][j] * power[j];
    }
    power = next;
  }
  const double resolution = 1e-2;
  double z = 0;
  for (double amplification = 0; amplification <= 1; z += resolution) {
    double value = 0;
    for (int k = S; k >= 0; --k) value = value * -(z + resolution) + coefficients[k];
    amplification = value < 0 ? -value : value;
  }
  return z;
}

/// Σ |dense[i][k]| over all stages, for the power of θ where it is largest.
template <class Table>
constexpr double largest_dense_weight(const Table& table) {
  double largest = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(Table::degree); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Table::total); ++i) sum += detail::size_of(table.dense[i][k]);
    largest = sum > largest ? sum : largest;
  }
  return largest;
}

/// A rule without dense output of its own, given the cubic Hermite polynomial through x0, f0, x1, f1:
///   x(θ) = x0 + (3θ² - 2θ³)(x1 - x0) + h (θ - 2θ² + θ³) f0 + h (θ³ - θ²) f1.
/// f1 is one more row, whose value the next step starts with.
template <int S>
constexpr Tableau<S, 1, 3> with_hermite(const Tableau<S, 0, 0>& rule) {
  Tableau<S, 1, 3> table{.name = rule.name,
                         .title = rule.title,
                         .source = rule.source,
                         .order = rule.order,
                         .embedded_order = rule.embedded_order,
                         .dense_order = rule.order < 3 ? rule.order : 3};
  for (int i = 0; i < S; ++i) {
    table.c[i] = rule.c[i];
    for (int j = 0; j < S; ++j) table.a[i][j] = rule.a[i][j];
    table.b[i] = table.a[S][i] = rule.b[i];
    table.e[i] = rule.e[i];
    table.dense[i] = {0, 3 * rule.b[i], -2 * rule.b[i]};
  }
  table.c[S] = 1;
  table.dense[0] = {1, 3 * rule.b[0] - 2, 1 - 2 * rule.b[0]};
  table.dense[S] = {0, -1, 1};
  return table;
}

}  // namespace pawl
