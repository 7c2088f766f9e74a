#include "integrate/radau_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

namespace pawl {

namespace {

using Real = long double;
using Complex = std::complex<Real>;
using Polynomial = std::vector<Real>;  // by ascending powers
template <class Number>
using Matrix = std::vector<std::vector<Number>>;  // rows

template <class Number>
Matrix<Number> zeros(std::size_t rows, std::size_t columns) {
  return Matrix<Number>(rows, std::vector<Number>(columns, Number(0)));
}

Complex value(const Polynomial& p, Complex x) {
  Complex sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * x + p[k];
  return sum;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t k = 1; k < p.size(); ++k) d.push_back(static_cast<Real>(k) * p[k]);
  return d;
}

/// All at once (Durand, Kerner), then each by Newton's iteration. They must be simple.
std::vector<Complex> roots(const Polynomial& p) {
  const std::size_t n = p.size() - 1;
  const Real size = 1 + std::abs(p[0] / p[n]);
  std::vector<Complex> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(std::polar(std::pow(size, 1 / static_cast<Real>(n)),
                           0.4L + 6.28L * static_cast<Real>(i) / static_cast<Real>(n)));
  for (int sweep = 0; sweep < 200; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      Complex product = p[n];
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) product *= x[i] - x[j];
      }
      x[i] -= value(p, x[i]) / product;
    }
  }
  const Polynomial slope = derivative(p);
  for (Complex& one : x) {
    for (int sweep = 0; sweep < 3; ++sweep) one -= value(p, one) / value(slope, one);
  }
  return x;
}

/// A^-1 B by elimination with exchange of rows.
template <class Number>
Matrix<Number> solve(Matrix<Number> A, Matrix<Number> B) {
  const std::size_t n = A.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(A[i][k]) > std::abs(A[row][k])) row = i;
    }
    std::swap(A[k], A[row]);
    std::swap(B[k], B[row]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Number factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      for (std::size_t j = 0; j < B[i].size(); ++j) B[i][j] -= factor * B[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (Number& one : B[k]) one /= A[k][k];
  }
  return B;
}

Matrix<Real> inverse(const Matrix<Real>& A) {
  Matrix<Real> identity = zeros<Real>(A.size(), A.size());
  for (std::size_t i = 0; i < A.size(); ++i) identity[i][i] = 1;
  return solve(A, identity);
}

Real binomial(std::size_t n, std::size_t k) {
  Real product = 1;
  for (std::size_t i = 0; i < k; ++i) product = product * static_cast<Real>(n - i) / static_cast<Real>(i + 1);
  return product;
}

/// Ascending; the last one is 1. The derivative in question is a multiple of P_s - P_(s-1), Legendre's polynomials in
/// 2 x - 1, whose recurrence gives its roots to all digits.
std::vector<Real> nodes(std::size_t s) {
  std::vector<Real> c;
  for (std::size_t i = 0; i + 1 < s; ++i) {
    Real y = -std::cos(3.14159265358979323846L * (static_cast<Real>(2 * i) + 1) / static_cast<Real>(2 * s - 1));
    for (int sweep = 0; sweep < 20; ++sweep) {
      Real before = 1, p = y, slope_before = 0, slope = 1;
      for (std::size_t k = 1; k < s; ++k) {
        const Real next =
            (static_cast<Real>(2 * k + 1) * y * p - static_cast<Real>(k) * before) / static_cast<Real>(k + 1);
        const Real next_slope = slope_before + static_cast<Real>(2 * k + 1) * p;
        before = std::exchange(p, next);
        slope_before = std::exchange(slope, next_slope);
      }
      y -= (p - before) / (slope - slope_before);
    }
    c.push_back((1 + y) / 2);
  }
  c.push_back(1);
  return c;
}

/// Row k: the coefficients of x^k in Lagrange's polynomials of the nodes.
Matrix<Real> lagrange(const std::vector<Real>& c) {
  Matrix<Real> out = zeros<Real>(c.size(), c.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    Polynomial product{1};
    Real at_node = 1;
    for (std::size_t j = 0; j < c.size(); ++j) {
      if (j == i) continue;
      at_node *= c[i] - c[j];
      product.push_back(0);
      for (std::size_t k = product.size(); k-- > 0;) product[k] = (k > 0 ? product[k - 1] : 0) - c[j] * product[k];
    }
    for (std::size_t k = 0; k < c.size(); ++k) out[k][i] = product[k] / at_node;
  }
  return out;
}

/// The eigenvalues of A^-1 are the roots of det(1 - z A) = Σ_k C(s, k) (2s-1-k)! / (2s-1)! (-z)^k, the denominator of
/// the stability function. The real one first, then one of each pair, the farthest from the real axis first.
std::vector<Complex> eigenvalues(std::size_t s) {
  Polynomial p;
  Real factor = 1;
  for (std::size_t k = 0; k <= s; ++k) {
    p.push_back(binomial(s, k) * factor);
    factor /= -static_cast<Real>(2 * s - 1 - k);
  }
  std::vector<Complex> upper;
  for (const Complex& one : roots(p)) {
    if (one.imag() > -1e-10L) upper.push_back(one);
  }
  std::sort(upper.begin(), upper.end(), [](const Complex& a, const Complex& b) { return a.imag() > b.imag(); });
  std::rotate(upper.begin(), upper.end() - 1, upper.end());
  return upper;
}

/// Of a matrix without further structure, with the last component 1: the other rows give the other components.
std::vector<Complex> eigenvector(const Matrix<Real>& of, Complex lambda) {
  const std::size_t n = of.size() - 1;
  Matrix<Complex> A = zeros<Complex>(n, n), b = zeros<Complex>(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) A[i][j] = of[i][j] - (i == j ? lambda : 0);
    b[i][0] = -of[i][n];
  }
  std::vector<Complex> out;
  for (const auto& row : solve(A, b)) out.push_back(row[0]);
  out.push_back(1);
  return out;
}

template <std::size_t s>
void store(const Matrix<Real>& from, std::array<std::array<double, s>, s>& to) {
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t j = 0; j < s; ++j) to[i][j] = static_cast<double>(from[i][j]);
}

template <std::size_t s>
RadauTable<static_cast<int>(s)> compute() {
  RadauTable<static_cast<int>(s)> table;
  const std::vector<Real> c = nodes(s);
  const Matrix<Real> coefficients = lagrange(c);
  Matrix<Real> A = zeros<Real>(s, s), inverse_U = A, T = A;
  for (std::size_t i = 0; i < s; ++i) {
    table.c[i] = static_cast<double>(c[i]);
    for (std::size_t j = 0; j < s; ++j) {
      inverse_U[j][i] = coefficients[j][i] / c[i];
      for (std::size_t k = s; k-- > 0;) A[i][j] = (A[i][j] + coefficients[k][j] / static_cast<Real>(k + 1)) * c[i];
    }
  }
  const Matrix<Real> inverse_A = inverse(A);
  store(A, table.A);
  store(inverse_A, table.inverse_A);
  store(inverse_U, table.inverse_U);

  const std::vector<Complex> lambda = eigenvalues(s);
  table.gamma = static_cast<double>(lambda[0].real());
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    // A^-1 (u + i w) = (α + i β)(u + i w): A^-1 u = α u - β w, A^-1 w = β u + α w
    const std::vector<Complex> vector = eigenvector(inverse_A, lambda[k]);
    for (std::size_t i = 0; i < s; ++i) {
      if (k > 0) T[i][2 * k - 1] = vector[i].real();
      T[i][2 * k] = k > 0 ? vector[i].imag() : vector[i].real();
    }
    if (k == 0) continue;
    table.alpha[k - 1] = static_cast<double>(lambda[k].real());
    table.beta[k - 1] = static_cast<double>(lambda[k].imag());
  }
  store(T, table.T);
  store(inverse(T), table.inverse_T);
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
