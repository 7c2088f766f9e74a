#include "integrate/radau_table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>

namespace pawl {

namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Polynomial = std::vector<Real>;  // by ascending powers

Real value(const Polynomial& p, Real x) {
  Real sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * x + p[k];
  return sum;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t k = 1; k < p.size(); ++k) d.push_back(static_cast<Real>(k) * p[k]);
  return d;
}

/// Ascending; the last one is 1.
std::vector<Real> nodes(int s) {
  Polynomial p(static_cast<std::size_t>(2 * s), 0);  // x^(s-1) (x - 1)^s
  Real binomial = 1;
  for (int k = 0; k <= s; ++k) {  // coefficient of x^(s-1+k) is C(s, k) (-1)^(s-k)
    p[static_cast<std::size_t>(s - 1 + k)] = (s - k) % 2 == 0 ? binomial : -binomial;
    binomial = binomial * static_cast<Real>(s - k) / static_cast<Real>(k + 1);
  }
  for (int k = 1; k < s; ++k) p = derivative(p);
  Matrix companion = Matrix::Zero(s, s);
  for (int k = 0; k < s; ++k) {
    companion(k, s - 1) = -p[static_cast<std::size_t>(k)] / p[static_cast<std::size_t>(s)];
    if (k > 0) companion(k, k - 1) = 1;
  }
  const Eigen::EigenSolver<Matrix> solver(companion, false);
  const Polynomial slope = derivative(p);
  std::vector<Real> c;
  for (int i = 0; i < s; ++i) {
    Real x = solver.eigenvalues()[i].real();
    for (int sweep = 0; sweep < 3; ++sweep) x -= value(p, x) / value(slope, x);
    c.push_back(x);
  }
  std::sort(c.begin(), c.end());
  c.back() = 1;
  return c;
}

template <int s>
void store(const Matrix& from, typename RadauTable<s>::Matrix& to) {
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j)
      to[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = static_cast<double>(from(i, j));
}

template <int s>
RadauTable<s> compute() {
  RadauTable<s> table;
  const std::vector<Real> c = nodes(s);
  Matrix V(s, s), W(s, s), U(s, s);
  for (int i = 0; i < s; ++i) {
    const Real x = c[static_cast<std::size_t>(i)];
    table.c[static_cast<std::size_t>(i)] = static_cast<double>(x);
    Real power = 1;
    for (int k = 0; k < s; ++k) {
      V(i, k) = power;
      power *= x;
      W(i, k) = power / static_cast<Real>(k + 1);
      U(i, k) = power;
    }
  }
  const Matrix A = V.transpose().fullPivLu().solve(W.transpose()).transpose(), inverse = A.inverse();
  store<s>(A, table.A);
  store<s>(inverse, table.inverse_A);
  store<s>(U.inverse(), table.inverse_U);

  const Eigen::EigenSolver<Matrix> solver(inverse);
  Matrix T(s, s);
  int pair = 0;
  for (int i = 0; i < s; ++i) {
    const auto lambda = solver.eigenvalues()[i];
    const Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1> vector =
        solver.eigenvectors().col(i) / solver.eigenvectors()(s - 1, i);
    if (std::abs(lambda.imag()) < 1e-10L) {
      table.gamma = static_cast<double>(lambda.real());
      T.col(0) = vector.real();
    } else if (lambda.imag() > 0) {
      // A^-1 (u + i w) = (α + i β)(u + i w): A^-1 u = α u - β w, A^-1 w = β u + α w
      table.alpha[static_cast<std::size_t>(pair)] = static_cast<double>(lambda.real());
      table.beta[static_cast<std::size_t>(pair)] = static_cast<double>(lambda.imag());
      T.col(1 + 2 * pair) = vector.real();
      T.col(2 + 2 * pair) = vector.imag();
      ++pair;
    }
  }
  store<s>(T, table.T);
  store<s>(T.inverse(), table.inverse_T);
  return table;
}

}  // namespace

template <int s>
const RadauTable<s>& radau_table() {
  static const RadauTable<s> table = compute<s>();
  return table;
}

template const RadauTable<3>& radau_table<3>();
template const RadauTable<5>& radau_table<5>();
template const RadauTable<7>& radau_table<7>();

}  // namespace pawl
