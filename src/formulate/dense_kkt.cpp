// Small systems: M = U^T U, Y = U^-T G^T, S = Y^T Y = V^T V, all written out. Inner loops add multiples of contiguous
// rows, so that they neither wait for a running sum nor touch entries that are zero; Y is kept, so that a solve costs
// no further product with M^-1.
#include <cmath>
#include <limits>

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

class DenseKkt final : public Kkt {
 public:
  DenseKkt(int size, const SparseRows& jacobian)
      : n_(size),
        m_(jacobian.rows()),
        pattern_(jacobian),
        U_(static_cast<std::size_t>(n_ * n_)),
        inverse_(static_cast<std::size_t>(n_)),
        Y_(static_cast<std::size_t>(n_ * m_)),
        V_(static_cast<std::size_t>(m_ * m_)),
        inverse_pivot_(static_cast<std::size_t>(m_)),
        scale_(static_cast<std::size_t>(m_)),
        pivot_(static_cast<std::size_t>(m_)),
        w_(static_cast<std::size_t>(n_)),
        u_(static_cast<std::size_t>(m_)) {}

  Status factor(const double* mass, const double* jacobian) override {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) U_[at(j * n_ + i)] = mass[i * n_ + j];
    }
    for (int k = 0; k < n_; ++k) {
      double* row = U_.data() + k * n_;
      if (!(row[k] > 0)) return fail(Status::mass_is_singular, k);
      const double inverse = 1 / std::sqrt(row[k]);
      inverse_[at(k)] = inverse;
      for (int j = k + 1; j < n_; ++j) row[j] *= inverse;
      for (int i = k + 1; i < n_; ++i) {
        if (row[i] != 0) subtract(row[i], row + i, U_.data() + i * n_ + i, n_ - i);
      }
    }
    for (double& entry : Y_) entry = 0;
    for (int r = 0; r < m_; ++r) {
      for (int k = pattern_.first[at(r)]; k < pattern_.first[at(r + 1)]; ++k)
        Y_[at(pattern_.column[at(k)] * m_ + r)] = jacobian[k];
    }
    for (double& entry : V_) entry = 0;
    for (int k = 0; k < n_; ++k) {
      double* y = Y_.data() + k * m_;
      const double* row = U_.data() + k * n_;
      for (int r = 0; r < m_; ++r) y[r] *= inverse_[at(k)];
      for (int i = k + 1; i < n_; ++i) {
        if (row[i] != 0) subtract(row[i], y, Y_.data() + i * m_, m_);
      }
      for (int r = 0; r < m_; ++r) {
        if (y[r] != 0) subtract(-y[r], y + r, V_.data() + r * m_ + r, m_ - r);
      }
    }
    for (int r = 0; r < m_; ++r) scale_[at(r)] = V_[at(r * m_ + r)];
    smallest_ = std::numeric_limits<double>::infinity();
    for (int r = 0; r < m_; ++r) {
      double* row = V_.data() + r * m_;
      if (!(row[r] > least_pivot * scale_[at(r)])) return fail(Status::rows_depend, r);
      if (row[r] < smallest_ * scale_[at(r)]) smallest_ = row[r] / scale_[at(r)];
      pivot_[at(r)] = row[r];
      const double inverse = 1 / std::sqrt(row[r]);
      inverse_pivot_[at(r)] = inverse;
      for (int s = r + 1; s < m_; ++s) row[s] *= inverse;
      for (int s = r + 1; s < m_; ++s) {
        if (row[s] != 0) subtract(row[s], row + s, V_.data() + s * m_ + s, m_ - s);
      }
    }
    return Status::good;
  }

  void solve(const double* f, const double* gamma, double* a, double* lambda) override {
    for (int i = 0; i < n_; ++i) w_[at(i)] = f[i];
    for (int r = 0; r < m_; ++r) u_[at(r)] = gamma[r];
    for (int i = 0; i < n_; ++i) {
      w_[at(i)] *= inverse_[at(i)];
      subtract(w_[at(i)], U_.data() + i * n_ + i + 1, w_.data() + i + 1, n_ - i - 1);
      subtract(-w_[at(i)], Y_.data() + i * m_, u_.data(), m_);
    }
    solve_schur();
    for (int r = 0; r < m_; ++r) lambda[r] = u_[at(r)];
    back_substitute(a);
  }

  void pull(const double* r, double* d) override {
    for (double& entry : w_) entry = 0;
    for (int k = 0; k < m_; ++k) u_[at(k)] = r[k];
    solve_schur();
    back_substitute(d);
  }

  int culprit() const override { return culprit_; }
  double smallest_pivot() const override { return smallest_; }
  const double* pivots() const override { return pivot_.data(); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Status fail(Status status, int row) {
    culprit_ = row;
    return status;
  }

  // u := S^-1 u
  void solve_schur() {
    for (int r = 0; r < m_; ++r) {
      u_[at(r)] *= inverse_pivot_[at(r)];
      subtract(u_[at(r)], V_.data() + r * m_ + r + 1, u_.data() + r + 1, m_ - r - 1);
    }
    for (int r = m_ - 1; r >= 0; --r)
      u_[at(r)] = (u_[at(r)] - dot(V_.data() + r * m_ + r + 1, u_.data() + r + 1, m_ - r - 1)) * inverse_pivot_[at(r)];
  }
  // U a = w - Y u
  void back_substitute(double* a) {
    for (int i = n_ - 1; i >= 0; --i) {
      const double rest = w_[at(i)] - dot(Y_.data() + i * m_, u_.data(), m_);
      a[i] = (rest - dot(U_.data() + i * n_ + i + 1, a + i + 1, n_ - i - 1)) * inverse_[at(i)];
    }
  }

  void carry(Memory& memory) override {
    memory(U_, inverse_, Y_, V_, inverse_pivot_, scale_, pivot_, smallest_, culprit_);
  }

  int n_, m_;
  SparseRows pattern_;
  std::vector<double> U_, inverse_;  // upper triangle by rows; the diagonal by its inverse
  std::vector<double> Y_;            // n rows of m
  std::vector<double> V_, inverse_pivot_, scale_, pivot_;
  std::vector<double> w_, u_;
  double smallest_ = 0;
  int culprit_ = -1;
};

}  // namespace

std::unique_ptr<Kkt> make_dense_kkt(int size, const SparseRows& jacobian) {
  return std::make_unique<DenseKkt>(size, jacobian);
}

}  // namespace pawl::formulate
