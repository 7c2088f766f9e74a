// Dense matrices: unrolled scalars up to 4 unknowns, padded columns up to 200, Eigen's blocked LU beyond.
#include "numerics/dense_shifted.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include <Eigen/Core>

#include "numerics/elimination.hpp"
#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

namespace {

// All numbers in registers: loops of constant length, exchanges of rows as branches.
template <int n, class Number>
class TinyLu {
 public:
  Number* column(int j) { return work_.data() + n * j; }
  int culprit() const { return culprit_; }

  bool factor() {
    Number a[n][n];
    int order[n];
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
      order[i] = i;
#pragma GCC unroll 4
      for (int j = 0; j < n; ++j) a[i][j] = work_[n * j + i];
    }
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) {
#pragma GCC unroll 4
      for (int i = k + 1; i < n; ++i) {
        if (pivot_size(a[i][k]) > pivot_size(a[k][k])) {
          std::swap(order[i], order[k]);
#pragma GCC unroll 4
          for (int j = 0; j < n; ++j) std::swap(a[i][j], a[k][j]);
        }
      }
      if (!is_usable_pivot(pivot_size(a[k][k]))) {
        culprit_ = k;
        return false;
      }
      const Number reciprocal = inverse(a[k][k]);
      inverse_[k] = reciprocal;
#pragma GCC unroll 4
      for (int i = k + 1; i < n; ++i) {
        a[i][k] = a[i][k] * reciprocal;
#pragma GCC unroll 4
        for (int j = k + 1; j < n; ++j) a[i][j] = a[i][j] - a[i][k] * a[k][j];
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
      order_[i] = order[i];
#pragma GCC unroll 4
      for (int j = 0; j < n; ++j) factors_[n * i + j] = j > i ? a[i][j] * inverse_[j] : a[i][j];
    }
    return true;
  }

  // load(i): the right-hand side; store(i, value): the solution.
  template <class Load, class Store>
  void solve(const Load& load, const Store& store) const {
    Number y[n];
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) y[i] = load(order_[i]);
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) {
#pragma GCC unroll 4
      for (int i = k + 1; i < n; ++i) y[i] = y[i] - factors_[n * i + k] * y[k];
    }
#pragma GCC unroll 4
    for (int k = n - 1; k >= 0; --k) {
#pragma GCC unroll 4
      for (int i = 0; i < k; ++i) y[i] = y[i] - factors_[n * i + k] * y[k];
    }
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) store(i, y[i] * inverse_[i]);
  }

 private:
  std::array<Number, n * n> work_{}, factors_{};
  std::array<Number, n> inverse_{};
  std::array<int, n> order_{};
  int culprit_ = -1;
};

template <int n>
struct TinyReal : TinyLu<n, double> {
  explicit TinyReal(int) {}
  void solve(double* x) {
    TinyLu<n, double>::solve([x](int i) { return x[i]; }, [x](int i, double value) { x[i] = value; });
  }
};

template <int n>
struct TinyComplex : TinyLu<n, PlainComplex> {
  explicit TinyComplex(int) {}
  void solve(double* re, double* im) {
    TinyLu<n, PlainComplex>::solve(
        [=](int i) {
          return PlainComplex{re[i], im[i]};
        },
        [=](int i, PlainComplex value) {
          re[i] = value.re();
          im[i] = value.im();
        });
  }
};

// Eigen's blocked elimination, in objects that keep their size.
template <class Number>
class BlockedLu {
 public:
  explicit BlockedLu(int n) : matrix_(n, n), lu_(n), y_(n) { matrix_.setZero(); }
  Number* column(int j) { return matrix_.data() + static_cast<std::ptrdiff_t>(j) * matrix_.rows(); }
  int culprit() const { return culprit_; }

  bool factor() {
    lu_.compute(matrix_);
    for (int k = 0; k < matrix_.rows(); ++k) {
      const Number pivot = lu_.factors()(k, k);
      if (is_usable_pivot(std::abs(pivot)) && lu_.factors().col(k).allFinite()) continue;
      culprit_ = k;
      return false;
    }
    return true;
  }

 protected:
  Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> matrix_;
  linear::PivotedLu<Number> lu_;
  Eigen::Matrix<Number, Eigen::Dynamic, 1> y_;
  int culprit_ = -1;
};

struct BlockedReal : BlockedLu<double> {
  using BlockedLu::BlockedLu;
  void solve(double* x) {
    Eigen::Map<Eigen::VectorXd> out(x, y_.size());
    lu_.solve(out, y_);
    out = y_;
  }
};

struct BlockedComplex : BlockedLu<std::complex<double>> {
  explicit BlockedComplex(int n) : BlockedLu(n), x_(n) {}
  void solve(double* re, double* im) {
    for (int i = 0; i < x_.size(); ++i) x_[i] = {re[i], im[i]};
    lu_.solve(x_, y_);
    for (int i = 0; i < x_.size(); ++i) {
      re[i] = y_[i].real();
      im[i] = y_[i].imag();
    }
  }

 private:
  Eigen::VectorXcd x_;
};

// fixed: the size where it is known to the compiler, otherwise 0.
template <int fixed, class Real, class Complex>
class DenseShifted final : public ShiftedSystem {
 public:
  DenseShifted(const MatrixPair& matrices, int real_slots, int complex_slots)
      : matrices_(matrices), real_(real_slots, Real(matrices.size)), complex_(complex_slots, Complex(matrices.size)) {}

  bool factor(int slot, double c) override {
    Real& lu = real_[slot];
    form([&](int j) { return [a = lu.column(j)](int i, double value) { a[i] = value; }; },
         [&](int j) { return [a = lu.column(j), c](int i, double J, double M) { a[i] = c * M - J; }; },
         [&](int j) { lu.column(j)[j] += c; });
    return is_factored(lu);
  }

  bool factor(int slot, std::complex<double> c) override {
    Complex& lu = complex_[slot];
    const double c_re = c.real(), c_im = c.imag();
    if constexpr (requires { lu.column_re(0); }) {
      form(
          [&](int j) {
            return [re = lu.column_re(j), im = lu.column_im(j)](int i, double value) {
              re[i] = value;
              im[i] = 0;
            };
          },
          [&](int j) {
            return [re = lu.column_re(j), im = lu.column_im(j), c_re, c_im](int i, double J, double M) {
              re[i] = c_re * M - J;
              im[i] = c_im * M;
            };
          },
          [&](int j) {
            lu.column_re(j)[j] += c_re;
            lu.column_im(j)[j] += c_im;
          });
    } else {
      using Number = std::remove_pointer_t<decltype(lu.column(0))>;
      form([&](int j) { return [a = lu.column(j)](int i, double value) {
                          a[i] = Number{value, 0};
                        }; },
           [&](int j) {
             return [a = lu.column(j), c_re, c_im](int i, double J, double M) {
               a[i] = Number{c_re * M - J, c_im * M};
             };
           },
           [&](int j) {
             lu.column(j)[j] = Number{c_re + real_part(lu.column(j)[j]), c_im};
           });
    }
    return is_factored(lu);
  }

  void solve(int slot, double* x) override { real_[slot].solve(x); }
  void solve(int slot, double* re, double* im) override { complex_[slot].solve(re, im); }
  int culprit() const override { return culprit_; }
  std::string describe() const override {
    const std::string n = std::to_string(matrices_.size);
    return "dense " + n + " x " + n;
  }

 private:
  static double real_part(PlainComplex z) { return z.re(); }
  static double real_part(std::complex<double> z) { return z.real(); }

  // c M - J: plain(j)(i, -J) and both(j)(i, J, M) write an entry of column j, shift(j) adds c to its diagonal.
  template <class Plain, class Both, class Shift>
  void form(const Plain& plain, const Both& both, const Shift& shift) const {
    const int n = fixed > 0 ? fixed : matrices_.size;
    const double* J = matrices_.J.data();
    const double* M = matrices_.M.empty() ? nullptr : matrices_.M.data();
    for (int j = 0; j < n; ++j) {
      if (matrices_.is_sparse) {
        const auto write = plain(j);
        for (int i = 0; i < n; ++i) write(i, 0);
        for (int e = matrices_.first[j]; e < matrices_.first[j + 1]; ++e) {
          if (M == nullptr)
            write(matrices_.row[e], -J[e]);
          else
            both(j)(matrices_.row[e], J[e], M[e]);
        }
      } else if (M == nullptr) {
        const auto write = plain(j);
        for (int i = 0; i < n; ++i) write(i, -J[static_cast<std::size_t>(j) * n + i]);
      } else {
        const auto write = both(j);
        for (int i = 0; i < n; ++i) {
          const std::size_t at = static_cast<std::size_t>(j) * n + i;
          write(i, J[at], M[at]);
        }
      }
      if (M == nullptr) shift(j);
    }
  }

  template <class Lu>
  bool is_factored(Lu& lu) {
    if (lu.factor()) return true;
    culprit_ = column_not_finite(matrices_);
    if (culprit_ < 0) culprit_ = lu.culprit();
    return false;
  }

  void carry(Memory& memory) override { memory(real_, complex_, culprit_); }

  const MatrixPair& matrices_;
  std::vector<Real> real_;
  std::vector<Complex> complex_;
  int culprit_ = -1;
};

template <int n>
std::unique_ptr<ShiftedSystem> make_fixed(const MatrixPair& matrices, int real_slots, int complex_slots) {
  if (matrices.size != n) {
    if constexpr (n < 16) return make_fixed<n + 1>(matrices, real_slots, complex_slots);
  }
  if constexpr (n <= 4) {
    return std::make_unique<DenseShifted<n, TinyReal<n>, TinyComplex<n>>>(matrices, real_slots, complex_slots);
  } else {
    return std::make_unique<DenseShifted<n, RealLu<n>, ComplexLu<n>>>(matrices, real_slots, complex_slots);
  }
}

}  // namespace

std::unique_ptr<ShiftedSystem> make_dense(const MatrixPair& matrices, int real_slots, int complex_slots) {
  if (matrices.size >= 1 && matrices.size <= 16) return make_fixed<1>(matrices, real_slots, complex_slots);
  if (matrices.size <= 200) {
    return std::make_unique<DenseShifted<0, RealLu<0>, ComplexLu<0>>>(matrices, real_slots, complex_slots);
  }
  return std::make_unique<DenseShifted<0, BlockedReal, BlockedComplex>>(matrices, real_slots, complex_slots);
}

}  // namespace pawl::shifted
