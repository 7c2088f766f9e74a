// Small systems: M = U^T U, Y = U^-T G^T, S = Y^T Y = V^T V, all written out. Inner loops add multiples of contiguous
// rows, so that they neither wait for a running sum nor touch entries that are zero; Y is kept, so that a solve costs
// no further product with M^-1.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "formulate/kkt.hpp"

namespace pawl::formulate {

namespace {

constexpr double least_pivot = 1e-13;  // of a row, relative to its own size: below, it depends on the rows before it

/// y -= factor x
void subtract(double factor, const double* __restrict x, double* __restrict y, int count) {
  for (int i = 0; i < count; ++i) y[i] -= factor * x[i];
}

double dot(const double* a, const double* b, int count) {
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < count; i += 2) {
    even += a[i] * b[i];
    odd += a[i + 1] * b[i + 1];
  }
  return i < count ? even + odd + a[i] * b[i] : even + odd;
}

/// Calls f with the numbers from first to last - 1 as constants, so that loops within it have a known length.
template <int first, int last, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  if constexpr (first < last) {
    f(std::integral_constant<int, first>());
    unrolled<first + 1, last>(f);
  }
}

constexpr int any_rows = 0;  // known only when the program runs

/// For mechanisms with so many constraints.
template <int fixed_rows>
class DenseKkt final : public Kkt {
 public:
  DenseKkt(int size, const SparseRows& jacobian)
      : n_(size),
        m_(jacobian.rows()),
        U_(at(n_ * n_)),
        inverse_(at(n_)),
        reach_(at(n_)),
        Y_(at(n_ * m_)),
        V_(at(m_ * m_)),
        inverse_pivot_(at(m_)),
        scale_(at(m_)),
        pivot_(at(m_)),
        w_(at(n_)),
        u_(at(m_)) {
    for (int r = 0; r < m_; ++r) {
      for (int k = jacobian.first[at(r)]; k < jacobian.first[at(r + 1)]; ++k)
        place_.push_back(jacobian.column[at(k)] * m_ + r);
    }
  }

  Status factor(const double* mass, const double* jacobian, bool is_same_mass) override {
    if (!is_same_mass && !factor_mass(mass)) return Status::mass_is_singular;
    reduce_rows(jacobian);
    add_products();
    for (int r = 0; r < m(); ++r) scale_[at(r)] = V_[at(r * m() + r)];
    smallest_ = std::numeric_limits<double>::infinity();
    return factor_schur() ? Status::good : Status::rows_depend;
  }

  void solve(const double* f, const double* gamma, double* a, double* lambda) override {
    double *w = w_.data(), *u = u_.data();
    for (int i = 0; i < n_; ++i) w[i] = f[i];
    for (int r = 0; r < m(); ++r) u[r] = gamma[r];
    for (int i = 0; i < n_; ++i) {
      const double here = w[i] *= inverse_[at(i)];
      const double* row = U_.data() + i * n_;
      for (int j = i + 1; j <= reach_[at(i)]; ++j) w[j] -= here * row[j];
      const double* y = Y_.data() + i * m();
      for (int r = 0; r < m(); ++r) u[r] += here * y[r];
    }
    solve_schur();
    for (int r = 0; r < m(); ++r) lambda[r] = u[r];
    back_substitute(a);
  }

  void pull(const double* r, double* d) override {
    for (double& entry : w_) entry = 0;
    for (int k = 0; k < m(); ++k) u_[at(k)] = r[k];
    solve_schur();
    back_substitute(d);
  }

  int culprit() const override { return culprit_; }
  double smallest_pivot() const override { return smallest_; }
  const double* pivots() const override { return pivot_.data(); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int m() const {
    if constexpr (fixed_rows == any_rows)
      return m_;
    else
      return fixed_rows;
  }
  bool fail(int row) {
    culprit_ = row;
    return false;
  }
  /// f(r) for every row, with r a constant where the number of rows is one.
  template <class F>
  [[gnu::always_inline]] void each_row(const F& f) const {
    if constexpr (fixed_rows == any_rows)
      for (int r = 0; r < m_; ++r) f(r);
    else
      unrolled<0, fixed_rows>(f);
  }

  // M = U^T U; beyond the last entry of a row that is not zero there is nothing to do.
  bool factor_mass(const double* mass) {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) U_[at(j * n_ + i)] = mass[i * n_ + j];
    }
    for (int k = 0; k < n_; ++k) {
      double* row = U_.data() + k * n_;
      if (!(row[k] > 0)) return fail(k);
      const double inverse = 1 / std::sqrt(row[k]);
      inverse_[at(k)] = inverse;
      int last = n_ - 1;
      while (last > k && row[last] == 0) --last;
      reach_[at(k)] = last;
      for (int j = k + 1; j <= last; ++j) row[j] *= inverse;
      for (int i = k + 1; i <= last; ++i) {
        if (row[i] != 0) subtract(row[i], row + i, U_.data() + i * n_ + i, last + 1 - i);
      }
    }
    return true;
  }

  // Y = U^-T G^T
  void reduce_rows(const double* jacobian) {
    double* Y = Y_.data();
    if (place_.size() < Y_.size())
      for (double& entry : Y_) entry = 0;
    for (std::size_t k = 0; k < place_.size(); ++k) Y[place_[k]] = jacobian[k];
    for (int k = 0; k < n_; ++k) {
      double* y = Y + k * m();
      const double *row = U_.data() + k * n_, inverse = inverse_[at(k)];
      for (int r = 0; r < m(); ++r) y[r] *= inverse;
      for (int i = k + 1; i <= reach_[at(k)]; ++i) {
        if (row[i] != 0) subtract(row[i], y, Y + i * m(), m());
      }
    }
  }

  // V = Y^T Y, the upper triangle
  void add_products() {
    each_row([&](auto r) {
      double* row = V_.data() + r * m();
      if constexpr (fixed_rows == any_rows) {
        for (int s = r; s < m_; ++s) row[s] = 0;
        for (int k = 0; k < n_; ++k) {
          const double* y = Y_.data() + k * m_;
          if (y[r] != 0) subtract(-y[r], y + r, row + r, m_ - r);
        }
      } else {
        double sum[fixed_rows] = {};
        for (int k = 0; k < n_; ++k) {
          const double* y = Y_.data() + k * fixed_rows;
          const double factor = y[r];
          if (factor != 0) unrolled<r(), fixed_rows>([&](auto s) { sum[s] += factor * y[s]; });
        }
        unrolled<r(), fixed_rows>([&](auto s) { row[s] = sum[s]; });
      }
    });
  }

  // S = V^T V
  bool factor_schur() {
    bool is_regular = true;
    each_row([&](auto r) {
      if (!is_regular) return;
      double* row = V_.data() + r * m();
      if (!(row[r] > least_pivot * scale_[at(r)])) {
        is_regular = fail(r);
        return;
      }
      if (row[r] < smallest_ * scale_[at(r)]) smallest_ = row[r] / scale_[at(r)];
      pivot_[at(r)] = row[r];
      const double inverse = 1 / std::sqrt(row[r]);
      inverse_pivot_[at(r)] = inverse;
      if constexpr (fixed_rows == any_rows) {
        for (int s = r + 1; s < m_; ++s) row[s] *= inverse;
        for (int s = r + 1; s < m_; ++s) {
          if (row[s] != 0) subtract(row[s], row + s, V_.data() + s * m_ + s, m_ - s);
        }
      } else {
        unrolled<r() + 1, fixed_rows>([&](auto s) { row[s] *= inverse; });
        unrolled<r() + 1, fixed_rows>([&](auto s) {
          const double factor = row[s];
          double* to = V_.data() + s * fixed_rows;
          if (factor != 0) unrolled<s(), fixed_rows>([&](auto j) { to[j] -= factor * row[j]; });
        });
      }
    });
    return is_regular;
  }

  // u := S^-1 u
  void solve_schur() {
    double* u = u_.data();
    const double* V = V_.data();
    each_row([&](auto r) {
      const double here = u[r] *= inverse_pivot_[at(r)];
      for (int s = r + 1; s < m(); ++s) u[s] -= here * V[r * m() + s];
    });
    each_row([&](auto up) {
      const int r = m() - 1 - up;
      u[r] = (u[r] - dot(V + r * m() + r + 1, u + r + 1, m() - r - 1)) * inverse_pivot_[at(r)];
    });
  }
  // U a = w - Y u
  void back_substitute(double* a) {
    for (int i = n_ - 1; i >= 0; --i) {
      const double rest = w_[at(i)] - dot(Y_.data() + i * m(), u_.data(), m());
      const int all = n_ - 1 - i, reached = reach_[at(i)] - i;
      const int count = std::min(all, reached + reached % 2);  // even, so that the sum has the order of the whole row's
      a[i] = (rest - dot(U_.data() + i * n_ + i + 1, a + i + 1, count)) * inverse_[at(i)];
    }
  }

  void carry(Memory& memory) override {
    memory(U_, inverse_, reach_, Y_, V_, inverse_pivot_, scale_, pivot_, smallest_, culprit_);
  }

  int n_, m_;
  std::vector<int> place_;           // in Y, of the entries of the Jacobian
  std::vector<double> U_, inverse_;  // upper triangle by rows; the diagonal by its inverse
  std::vector<int> reach_;           // per row of U: the last column that is not zero
  std::vector<double> Y_;            // n rows of m
  std::vector<double> V_, inverse_pivot_, scale_, pivot_;
  std::vector<double> w_, u_;
  double smallest_ = 0;
  int culprit_ = -1;
};

constexpr int most_fixed_rows = 8;

template <int rows>
std::unique_ptr<Kkt> make_for_rows(int size, const SparseRows& jacobian) {
  if constexpr (rows <= most_fixed_rows) {
    if (rows != jacobian.rows()) return make_for_rows<rows + 1>(size, jacobian);
    return std::make_unique<DenseKkt<rows>>(size, jacobian);
  } else {
    return std::make_unique<DenseKkt<any_rows>>(size, jacobian);
  }
}

}  // namespace

std::unique_ptr<Kkt> make_dense_kkt(int size, const SparseRows& jacobian) {
  return make_for_rows<1>(size, jacobian);
}

}  // namespace pawl::formulate
