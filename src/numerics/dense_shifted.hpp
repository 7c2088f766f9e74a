// LU factors of a dense matrix of at most one or two hundred unknowns, P A = L U, with partial pivoting.
//
// Columns are padded to an even length and worked two numbers at a time; an odd number at the start of a range goes
// alone and is never read again as part of a pair. The columns of U are divided by their pivots, so that no product
// with a reciprocal lies between one unknown and the next:
//
//   y <- P b;   y <- y - l_k y_k,  k = 0, 1, ...;   y <- y - (u_k / u_kk) y_k,  k = ..., 1, 0;   x_k = y_k / u_kk.
//
// A complex matrix is kept as two real ones; its pivots have the largest |re| + |im|.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/plain_complex.hpp"

namespace pawl::shifted {

// step(0), ... step(n - 1), until one returns false; with constants where the size is fixed (above 0).
template <int fixed, class Step>
[[gnu::always_inline]] inline bool each_forward(int n, const Step& step) {
  if constexpr (fixed > 0) {
    return [&]<int... k>(std::integer_sequence<int, k...>) {
      return (step(std::integral_constant<int, k>()) && ...);
    }
    (std::make_integer_sequence<int, fixed>());
  } else {
    for (int k = 0; k < n; ++k) {
      if (!step(k)) return false;
    }
    return true;
  }
}

/// fixed: the size, where the compiler knows it; otherwise 0.
template <int fixed>
class RealLu {
 public:
  explicit RealLu(int n) : n_(n), order_(n), factors_(padded()), upper_(padded()), inverse_(length()), y_(length()) {}

  int size() const { return fixed > 0 ? fixed : n_; }
  int length() const { return (size() + 1) / 2 * 2; }  ///< of a padded column
  /// Column j of the matrix, to be filled before every factor(). What is beyond size() stays zero.
  double* column(int j) { return factors_.data() + static_cast<std::ptrdiff_t>(j) * length(); }
  bool factor();
  void solve(double* x);
  int culprit() const { return culprit_; }  ///< after a failure: the column without a pivot

 private:
  std::size_t padded() const { return static_cast<std::size_t>(size()) * length(); }

  int n_;
  int culprit_ = -1;
  std::vector<int> order_;  // the row of each pivot
  std::vector<double> factors_, upper_, inverse_, y_;
};

template <int fixed>
class ComplexLu {
 public:
  explicit ComplexLu(int n) : n_(n), order_(n) {
    for (auto* part : {&factors_re_, &factors_im_, &upper_re_, &upper_im_}) {
      part->resize(static_cast<std::size_t>(size()) * length());
    }
    for (auto* part : {&inverse_re_, &inverse_im_, &y_re_, &y_im_}) part->resize(length());
  }

  int size() const { return fixed > 0 ? fixed : n_; }
  int length() const { return (size() + 1) / 2 * 2; }
  double* column_re(int j) { return factors_re_.data() + static_cast<std::ptrdiff_t>(j) * length(); }
  double* column_im(int j) { return factors_im_.data() + static_cast<std::ptrdiff_t>(j) * length(); }
  bool factor();
  void solve(double* re, double* im);
  int culprit() const { return culprit_; }

 private:
  int n_;
  int culprit_ = -1;
  std::vector<int> order_;
  std::vector<double> factors_re_, factors_im_, upper_re_, upper_im_, inverse_re_, inverse_im_, y_re_, y_im_;
};

template <int fixed>
bool RealLu<fixed>::factor() {
  const int n = size(), rows = length();
  double* const matrix = column(0);
  double* const inverses = inverse_.data();
  int* const order = order_.data();
  for (int i = 0; i < n; ++i) order[i] = i;

  const auto eliminate = [ =, this ](auto constant) __attribute__((always_inline)) {
    const int k = constant;
    double* const from = matrix + k * rows;
    int p = k;
    double pivot = from[k], largest = std::abs(pivot);
    // As branches, which are foreseen: the division need not wait for the search.
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(from[i]) > largest) [[unlikely]] {
        pivot = from[i];
        largest = std::abs(pivot);
        p = i;
      }
    }
    if (!is_usable_pivot(largest)) {
      culprit_ = k;
      return false;
    }
    const double reciprocal = 1 / pivot;
    inverses[k] = reciprocal;
    if (p != k) {
      std::swap(order[k], order[p]);
      for (int j = 0; j < n; ++j) std::swap(matrix[j * rows + k], matrix[j * rows + p]);
    }
    const int alone = k % 2 == 0 ? k + 1 : rows, pairs = k / 2 * 2 + 2;
    if (alone < rows) from[alone] *= reciprocal;
#pragma GCC unroll 8
    for (int i = pairs; i < rows; i += 2) two(from + i) *= reciprocal;
    for (int j = k + 1; j < n; ++j) {
      double* const to = matrix + j * rows;
      const double t = to[k];
      if (alone < rows) to[alone] -= from[alone] * t;
#pragma GCC unroll 8
      for (int i = pairs; i < rows; i += 2) two(to + i) -= two(from + i) * t;
    }
    return true;
  };
  if (!each_forward<fixed>(n, eliminate)) {
    for (int j = 0; j < n && rows > n; ++j) matrix[j * rows + n] = 0;
    return false;
  }
  double* const upper = upper_.data();
  for (int k = 0; k < n; ++k) {
    const double reciprocal = inverses[k];
    for (int i = 0; i < k; ++i) upper[k * rows + i] = matrix[k * rows + i] * reciprocal;
  }
  return true;
}

template <int fixed>
void RealLu<fixed>::solve(double* x) {
  const int n = size(), rows = length();
  const int* const order = order_.data();
  const double* const lower = factors_.data();
  const double* const upper = upper_.data();
  if constexpr (fixed > 0) {
    constexpr int twos = (fixed + 1) / 2;
    Two y[twos] = {};
    for (int i = 0; i < fixed; ++i) y[i / 2][i % 2] = x[order[i]];
    const auto forward = [&](auto constant) __attribute__((always_inline)) {
      constexpr int k = constant;
      const double t = y[k / 2][k % 2];
      if constexpr (k % 2 == 0) y[k / 2][1] -= lower[k * 2 * twos + k + 1] * t;
#pragma GCC unroll 8
      for (int i = k / 2 + 1; i < twos; ++i) y[i] -= two(lower + k * 2 * twos + 2 * i) * t;
      return true;
    };
    const auto backward = [&](auto constant) __attribute__((always_inline)) {
      constexpr int k = fixed - 1 - constant;
      const double t = y[k / 2][k % 2];
      if constexpr (k % 2 == 1) y[k / 2][0] -= upper[k * 2 * twos + k - 1] * t;
#pragma GCC unroll 8
      for (int i = 0; i < k / 2; ++i) y[i] -= two(upper + k * 2 * twos + 2 * i) * t;
      return true;
    };
    each_forward<fixed>(n, forward);
    each_forward<fixed>(n, backward);
    for (int i = 0; i < fixed; ++i) x[i] = y[i / 2][i % 2] * inverse_[i];
  } else {
    double* const y = y_.data();
    y[rows - 1] = 0;
    for (int i = 0; i < n; ++i) y[i] = x[order[i]];
    for (int k = 0; k < n; ++k) {
      const double t = y[k];
      if (k % 2 == 0) y[k + 1] -= lower[k * rows + k + 1] * t;
      for (int i = k / 2 * 2 + 2; i < rows; i += 2) two(y + i) -= two(lower + k * rows + i) * t;
    }
    for (int k = n - 1; k >= 0; --k) {
      const double t = y[k];
      if (k % 2 == 1) y[k - 1] -= upper[k * rows + k - 1] * t;
      for (int i = 0; i < k / 2 * 2; i += 2) two(y + i) -= two(upper + k * rows + i) * t;
    }
    for (int i = 0; i < n; ++i) x[i] = y[i] * inverse_[i];
  }
}

template <int fixed>
bool ComplexLu<fixed>::factor() {
  const int n = size(), rows = length();
  double* const re = column_re(0);
  double* const im = column_im(0);
  int* const order = order_.data();
  for (int i = 0; i < n; ++i) order[i] = i;

  const auto eliminate = [ =, this ](auto constant) __attribute__((always_inline)) {
    const int k = constant;
    double* const from_re = re + k * rows;
    double* const from_im = im + k * rows;
    int p = k;
    PlainComplex pivot(from_re[k], from_im[k]);
    double largest = pivot_size(pivot);
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(from_re[i]) + std::abs(from_im[i]) > largest) [[unlikely]] {
        pivot = {from_re[i], from_im[i]};
        largest = pivot_size(pivot);
        p = i;
      }
    }
    if (!is_usable_pivot(largest)) {
      culprit_ = k;
      return false;
    }
    const PlainComplex reciprocal = inverse(pivot);
    const double a = reciprocal.re(), b = reciprocal.im();
    inverse_re_[k] = a;
    inverse_im_[k] = b;
    if (p != k) {
      std::swap(order[k], order[p]);
      for (int j = 0; j < n; ++j) {
        std::swap(re[j * rows + k], re[j * rows + p]);
        std::swap(im[j * rows + k], im[j * rows + p]);
      }
    }
    const int alone = k % 2 == 0 ? k + 1 : rows, pairs = k / 2 * 2 + 2;
    if (alone < rows) {
      const PlainComplex l = PlainComplex{from_re[alone], from_im[alone]} * reciprocal;
      from_re[alone] = l.re();
      from_im[alone] = l.im();
    }
#pragma GCC unroll 8
    for (int i = pairs; i < rows; i += 2) {
      const Two value_re = two(from_re + i), value_im = two(from_im + i);
      two(from_re + i) = value_re * a - value_im * b;
      two(from_im + i) = value_re * b + value_im * a;
    }
    for (int j = k + 1; j < n; ++j) {
      double* const to_re = re + j * rows;
      double* const to_im = im + j * rows;
      const double t_re = to_re[k], t_im = to_im[k];
      if (alone < rows) {
        to_re[alone] -= from_re[alone] * t_re - from_im[alone] * t_im;
        to_im[alone] -= from_re[alone] * t_im + from_im[alone] * t_re;
      }
#pragma GCC unroll 8
      for (int i = pairs; i < rows; i += 2) {
        const Two l_re = two(from_re + i), l_im = two(from_im + i);
        two(to_re + i) -= l_re * t_re - l_im * t_im;
        two(to_im + i) -= l_re * t_im + l_im * t_re;
      }
    }
    return true;
  };
  if (!each_forward<fixed>(n, eliminate)) {
    for (int j = 0; j < n && rows > n; ++j) re[j * rows + n] = im[j * rows + n] = 0;
    return false;
  }
  double* __restrict const upper_re = upper_re_.data();
  double* __restrict const upper_im = upper_im_.data();
  for (int k = 0; k < n; ++k) {
    const double a = inverse_re_[k], b = inverse_im_[k];
    for (int i = k * rows; i < k * rows + k; ++i) {
      upper_re[i] = re[i] * a - im[i] * b;
      upper_im[i] = re[i] * b + im[i] * a;
    }
  }
  return true;
}

template <int fixed>
void ComplexLu<fixed>::solve(double* x_re, double* x_im) {
  const int n = size(), rows = length();
  const int* const order = order_.data();
  // In registers where the size is fixed: all indices below are constants then.
  double few_re[fixed > 0 ? (fixed + 1) / 2 * 2 : 1], few_im[fixed > 0 ? (fixed + 1) / 2 * 2 : 1];
  double* const re = fixed > 0 ? few_re : y_re_.data();
  double* const im = fixed > 0 ? few_im : y_im_.data();
  re[rows - 1] = im[rows - 1] = 0;
  for (int i = 0; i < n; ++i) {
    re[i] = x_re[order[i]];
    im[i] = x_im[order[i]];
  }
  const auto subtract = [=](int k, int alone, int begin, int end, const double* by_re, const double* by_im)
      __attribute__((always_inline)) {
    const double t_re = re[k], t_im = im[k];
    by_re += k * rows;
    by_im += k * rows;
    if (alone >= 0) {
      re[alone] -= by_re[alone] * t_re - by_im[alone] * t_im;
      im[alone] -= by_re[alone] * t_im + by_im[alone] * t_re;
    }
#pragma GCC unroll 8
    for (int i = begin; i < end; i += 2) {
      const Two l_re = two(by_re + i), l_im = two(by_im + i);
      two(re + i) -= l_re * t_re - l_im * t_im;
      two(im + i) -= l_re * t_im + l_im * t_re;
    }
  };
  each_forward<fixed>(
      n, [&](auto constant) __attribute__((always_inline)) {
        const int k = constant;
        subtract(k, k % 2 == 0 ? k + 1 : -1, k / 2 * 2 + 2, rows, factors_re_.data(), factors_im_.data());
        return true;
      });
  each_forward<fixed>(
      n, [&](auto constant) __attribute__((always_inline)) {
        const int k = n - 1 - constant;
        subtract(k, k % 2 == 1 ? k - 1 : -1, 0, k / 2 * 2, upper_re_.data(), upper_im_.data());
        return true;
      });
  for (int i = 0; i < n; ++i) {
    const PlainComplex value = PlainComplex{re[i], im[i]} * PlainComplex{inverse_re_[i], inverse_im_[i]};
    x_re[i] = value.re();
    x_im[i] = value.im();
  }
}

}  // namespace pawl::shifted
