// Diagonally implicit Runge-Kutta methods with one diagonal element γ, as data:
//
//   k_i = f(t0 + c_i h, y0 + h Σ_{j<=i} a_ij k_j),  a_ii = γ (or a_11 = 0: the first stage is explicit),
//   y1 = y0 + h Σ a_sj k_j,  local error ≈ h Σ e_i k_i,
//   y(t0 + θ h) = y0 + Σ_i d_i(θ) z_i,  d_i(θ) = Σ_k dense[k-1][i] θ^k,  z_i = h Σ_j a_ij k_j.
//
// Dense output in terms of the stages' values, not of their rates, holds for algebraic unknowns and where M is
// singular. All of them are stiffly accurate: the last stage is the end of the step, and with an explicit first stage
// its rate is the first of the next step.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace pawl {

struct EsdirkTable {
  static constexpr int most_stages = 7;
  using Row = std::array<double, most_stages>;

  std::string_view name;    ///< as a user writes it: "esdirk-5"
  std::string_view title;   ///< as the literature writes it
  std::string_view source;  ///< where the coefficients were published
  int order;                ///< global error O(h^order)
  int embedded_order;       ///< of the comparison solution behind e
  int dense_order;          ///< error of the dense output within one step is O(h^(dense_order + 1)), without stiffness
  int stages;
  int degree;  ///< of the dense output
  double gamma;
  Row c{};
  std::array<Row, most_stages> a{};
  Row e{};
  std::array<Row, 4> dense{};  ///< [power - 1][stage]

  bool has_explicit_start() const { return a[0][0] == 0; }
};

const std::vector<EsdirkTable>& esdirk_tables();

}  // namespace pawl
