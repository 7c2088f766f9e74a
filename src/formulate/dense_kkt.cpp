// Small systems: Cholesky of M, then of S = G M^-1 G^T, both written out. Y = L^-1 G^T is kept between them, so that a
// solve costs no further product with M^-1.
#include <cmath>
#include <limits>

#include "formulate/kkt.hpp"

namespace pawl::formulate {

namespace {

constexpr double least_pivot = 1e-13;  // of a row, relative to its own size: below, it depends on the rows before it

double dot(const double* a, const double* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

class DenseKkt final : public Kkt {
 public:
  DenseKkt(int size, const SparseRows& jacobian)
      : n_(size),
        m_(jacobian.rows()),
        pattern_(jacobian),
        L_(static_cast<std::size_t>(n_ * n_)),
        inverse_diagonal_(static_cast<std::size_t>(n_)),
        Y_(static_cast<std::size_t>(m_ * n_)),
        S_(static_cast<std::size_t>(m_ * m_)),
        inverse_pivot_(static_cast<std::size_t>(m_)),
        w_(static_cast<std::size_t>(n_)),
        u_(static_cast<std::size_t>(m_)) {}

  Status factor(const double* mass, const double* jacobian) override {
    for (int i = 0; i < n_; ++i) {
      double* row = L_.data() + i * n_;
      for (int j = 0; j < i; ++j) row[j] = (mass[i * n_ + j] - dot(row, L_.data() + j * n_, j)) * inverse(j);
      const double pivot = mass[i * n_ + i] - dot(row, row, i);
      if (!(pivot > 0)) return fail(Status::mass_is_singular, i);
      inverse_diagonal_[at(i)] = 1 / std::sqrt(pivot);
    }
    smallest_ = std::numeric_limits<double>::infinity();
    for (int r = 0; r < m_; ++r) {
      double* y = Y_.data() + r * n_;
      for (int i = 0; i < n_; ++i) y[i] = 0;
      const int begin = pattern_.first[at(r)], end = pattern_.first[at(r + 1)];
      for (int k = begin; k < end; ++k) y[pattern_.column[at(k)]] = jacobian[k];
      for (int i = begin < end ? pattern_.column[at(begin)] : n_; i < n_; ++i)
        y[i] = (y[i] - dot(L_.data() + i * n_, y, i)) * inverse(i);
      double* row = S_.data() + r * m_;
      for (int s = 0; s < r; ++s)
        row[s] = (dot(y, Y_.data() + s * n_, n_) - dot(row, S_.data() + s * m_, s)) * inverse_pivot_[at(s)];
      const double scale = dot(y, y, n_), pivot = scale - dot(row, row, r);
      if (!(pivot > least_pivot * scale)) return fail(Status::rows_depend, r);
      if (pivot < smallest_ * scale) smallest_ = pivot / scale;
      inverse_pivot_[at(r)] = 1 / std::sqrt(pivot);
    }
    return Status::good;
  }

  void solve(const double* f, const double* gamma, double* a, double* lambda) override {
    for (int i = 0; i < n_; ++i) w_[at(i)] = (f[i] - dot(L_.data() + i * n_, w_.data(), i)) * inverse(i);
    for (int r = 0; r < m_; ++r) u_[at(r)] = dot(Y_.data() + r * n_, w_.data(), n_) + gamma[r];
    solve_schur(lambda);
    back_substitute(lambda, a);
  }

  void pull(const double* r, double* d) override {
    for (int i = 0; i < n_; ++i) w_[at(i)] = 0;
    for (int k = 0; k < m_; ++k) u_[at(k)] = r[k];
    solve_schur(u_.data());
    back_substitute(u_.data(), d);
  }

  int culprit() const override { return culprit_; }
  double smallest_pivot() const override { return smallest_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  double inverse(int i) const { return inverse_diagonal_[at(i)]; }
  Status fail(Status status, int row) {
    culprit_ = row;
    return status;
  }

  // S x = u_; x may be u_.
  void solve_schur(double* x) {
    for (int r = 0; r < m_; ++r) x[r] = (u_[at(r)] - dot(S_.data() + r * m_, x, r)) * inverse_pivot_[at(r)];
    for (int r = m_ - 1; r >= 0; --r) {
      x[r] *= inverse_pivot_[at(r)];
      for (int s = 0; s < r; ++s) x[s] -= S_[at(r * m_ + s)] * x[r];
    }
  }
  // L^T a = w_ - Y lambda
  void back_substitute(const double* lambda, double* a) {
    for (int r = 0; r < m_; ++r) {
      const double* y = Y_.data() + r * n_;
      for (int i = 0; i < n_; ++i) w_[at(i)] -= y[i] * lambda[r];
    }
    for (int i = n_ - 1; i >= 0; --i) {
      a[i] = w_[at(i)] * inverse(i);
      const double* row = L_.data() + i * n_;
      for (int j = 0; j < i; ++j) w_[at(j)] -= row[j] * a[i];
    }
  }

  int n_, m_;
  SparseRows pattern_;
  std::vector<double> L_, inverse_diagonal_;  // diagonal of L by its inverse alone
  std::vector<double> Y_;                     // m rows of n
  std::vector<double> S_, inverse_pivot_;
  std::vector<double> w_, u_;
  double smallest_ = 0;
  int culprit_ = -1;
};

}  // namespace

std::unique_ptr<Kkt> make_dense_kkt(int size, const SparseRows& jacobian) {
  return std::make_unique<DenseKkt>(size, jacobian);
}

}  // namespace pawl::formulate
