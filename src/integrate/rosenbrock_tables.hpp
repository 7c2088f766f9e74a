// Rosenbrock methods as data, in the form that needs no product with J (Hairer, Wanner, Solving ODE II, IV.7):
//
//   (M / (h γ) - J) u_i = f(t0 + c_i h, y0 + Σ_j a_ij u_j) + (1/h) M Σ_j C_ij u_j + h d_i f_t,   i = 1 ... s,
//   y1 = y0 + Σ_j a_sj u_j + u_s,   local error ≈ u_s,
//   y(t0 + θ h) = (1 - θ) y0 + θ y1 + θ (1 - θ) (p_1 + θ p_2 + θ² p_3),   p_k = Σ_j dense[k-1][j] u_j.
//
// All of them are stiffly accurate: the last stages sit at the end of the step, and each adds the stage before it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace pawl {

struct RosenbrockTable {
  static constexpr int most_stages = 8;
  using Row = std::array<double, most_stages>;

  std::string_view name;    ///< as a user writes it: "rodas5p"
  std::string_view title;   ///< as the literature writes it
  std::string_view source;  ///< where the coefficients were published
  int order;                ///< global error O(h^order)
  int embedded_order;       ///< of the value before u_s is added
  int dense_order;          ///< error of the dense output within one step is O(h^(dense_order + 1))
  int stages;
  int dense_rows;  ///< the degree of the dense output is dense_rows + 1
  double gamma;
  Row c{}, d{};
  std::array<Row, most_stages> a{}, C{};
  std::array<Row, 3> dense{};
  /// Where in a step the dense output of algebraic unknowns is worst.
  struct Inside {
    double theta = 0;
    int order = 1;         ///< their error there is of size h^order
    Row value{}, slope{};  ///< weights of the stages, beside the rise, in the value and the slope there
  } inside = {};           ///< follows from the rest

  /// Weight of u_j in p_power; none below the first and above the last.
  double dense_weight(int power, int j) const {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    return power < 1 || power > dense_rows ? 0 : dense[at(power - 1)][at(j)];
  }
};

const std::vector<RosenbrockTable>& rosenbrock_tables();

}  // namespace pawl
