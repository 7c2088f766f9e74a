// Radau IIA with s stages, from its nodes alone (Hairer and Wanner, Solving ODE II, IV.5 and IV.8; J. Comput. Appl.
// Math. 111 (1999) 93).
//
//   c     roots of d^(s-1)/dx^(s-1) [x^(s-1) (x - 1)^s]
//   A^-1 = T Λ T^-1, Λ = diag(γ, [[α, β], [-β, α]], ...), each column pair of T real and imaginary part of an
//   eigenvector P(θ) = y0 + Σ_k θ^k q_k, k = 1..s, through y0 and the stages: q = U^-1 Z, U_ik = c_i^k
//
// Everything is computed once, in extended precision.
#pragma once

#include <array>

namespace pawl {

template <int s>
struct RadauTable {
  static constexpr int stages = s, order = 2 * s - 1, pairs = (s - 1) / 2;
  using Matrix = std::array<std::array<double, s>, s>;

  std::array<double, s> c;
  Matrix A, inverse_A, T, inverse_T, inverse_U;
  double gamma;
  std::array<double, pairs> alpha, beta;
};

/// s = 3, 5, 7.
template <int s>
const RadauTable<s>& radau_table();

}  // namespace pawl
