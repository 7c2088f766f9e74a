// Sparse matrices by KLU: blocks of a triangular form, minimum degree within, pivots from the diagonal where they are
// large enough. The pivots of the first factorization are kept as long as the numbers allow it.
//
// Davis, Palamadai Natarajan: Algorithm 907, ACM Transactions on Mathematical Software 37 (2010) 36.
#include <klu.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

namespace {

class SparseShifted final : public ShiftedSystem {
 public:
  SparseShifted(const MatrixPair& matrices, int real_slots, int complex_slots)
      : matrices_(matrices), pattern_(pattern_of(matrices)) {
    klu_defaults(&common_);
    if (matrices.M.empty()) find_diagonal();
    values_.resize(pattern_.row.size() * (complex_slots > 0 ? 2 : 1));
    x_.resize(complex_slots > 0 ? 2 * static_cast<std::size_t>(matrices.size) : 0);
    real_.resize(real_slots, nullptr);
    complex_.resize(complex_slots, nullptr);
    real_origin_.resize(real_slots);
    complex_origin_.resize(complex_slots);
    for (Origin& one : real_origin_) one.make_room(pattern_.row.size());
    for (Origin& one : complex_origin_) one.make_room(2 * pattern_.row.size());
    symbolic_ = klu_analyze(matrices.size, pattern_.first.data(), pattern_.row.data(), &common_);
    if (symbolic_ == nullptr) {
      if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
      throw std::invalid_argument("sparse matrix of size " + std::to_string(matrices.size) +
                                  ": its pattern is not one of ascending rows, column after column");
    }
  }
  SparseShifted(const SparseShifted&) = delete;
  SparseShifted& operator=(const SparseShifted&) = delete;
  ~SparseShifted() override {
    for (klu_numeric*& numeric : real_) klu_free_numeric(&numeric, &common_);
    for (klu_numeric*& numeric : complex_) klu_z_free_numeric(&numeric, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  bool factor(int slot, double c) override {
    const std::size_t entries = pattern_.row.size();
    const double* J = matrices_.J.data();
    if (matrices_.M.empty()) {
      if (diagonal_.empty()) find_diagonal();
      for (std::size_t e = 0; e < entries; ++e) values_[e] = -J[e];
      for (const int e : diagonal_) values_[e] += c;
    } else {
      for (std::size_t e = 0; e < entries; ++e) values_[e] = c * matrices_.M[e] - J[e];
    }
    return is_factored(real_[slot], real_origin_[slot], entries, klu_factor, klu_refactor, klu_rgrowth, klu_rcond,
                       klu_free_numeric);
  }

  bool factor(int slot, std::complex<double> c) override {
    const std::size_t entries = pattern_.row.size();
    const double* J = matrices_.J.data();
    if (matrices_.M.empty()) {
      if (diagonal_.empty()) find_diagonal();
      for (std::size_t e = 0; e < entries; ++e) {
        values_[2 * e] = -J[e];
        values_[2 * e + 1] = 0;
      }
      for (const int e : diagonal_) {
        values_[2 * static_cast<std::size_t>(e)] += c.real();
        values_[2 * static_cast<std::size_t>(e) + 1] = c.imag();
      }
    } else {
      for (std::size_t e = 0; e < entries; ++e) {
        values_[2 * e] = c.real() * matrices_.M[e] - J[e];
        values_[2 * e + 1] = c.imag() * matrices_.M[e];
      }
    }
    return is_factored(complex_[slot], complex_origin_[slot], 2 * entries, klu_z_factor, klu_z_refactor, klu_z_rgrowth,
                       klu_z_rcond, klu_z_free_numeric);
  }

  void solve(int slot, double* x) override { klu_solve(symbolic_, real_[slot], matrices_.size, 1, x, &common_); }
  void solve(int slot, double* re, double* im) override {
    for (int i = 0; i < matrices_.size; ++i) {
      x_[2 * static_cast<std::size_t>(i)] = re[i];
      x_[2 * static_cast<std::size_t>(i) + 1] = im[i];
    }
    klu_z_solve(symbolic_, complex_[slot], matrices_.size, 1, x_.data(), &common_);
    for (int i = 0; i < matrices_.size; ++i) {
      re[i] = x_[2 * static_cast<std::size_t>(i)];
      im[i] = x_[2 * static_cast<std::size_t>(i) + 1];
    }
  }

  int culprit() const override { return culprit_; }

  // KLU's factors are its own; they are made again from the numbers they were made from, pivots first.
  void carry(Memory& memory) override {
    memory(real_origin_, complex_origin_, culprit_);
    if (memory.is_saving()) return;
    for (std::size_t slot = 0; slot < real_.size(); ++slot)
      make_again(real_[slot], real_origin_[slot], klu_factor, klu_refactor, klu_free_numeric);
    for (std::size_t slot = 0; slot < complex_.size(); ++slot)
      make_again(complex_[slot], complex_origin_[slot], klu_z_factor, klu_z_refactor, klu_z_free_numeric);
  }

  std::string describe() const override {
    std::string text =
        "sparse (KLU) " + std::to_string(matrices_.size) + ", " + std::to_string(pattern_.row.size()) + " entries";
    for (const auto* slots : {&real_, &complex_}) {
      for (const klu_numeric* numeric : *slots) {
        if (numeric == nullptr) continue;
        // Both factors count the diagonal; nzoff is what lies above the blocks of the triangular form.
        const int count = numeric->lnz + numeric->unz - numeric->n + numeric->nzoff;
        return text + ", " + std::to_string(count) + " in factors";
      }
    }
    return text;
  }

 private:
  void find_diagonal() {
    for (int j = 0; j < matrices_.size; ++j) {
      const auto begin = pattern_.row.begin() + pattern_.first[j], end = pattern_.row.begin() + pattern_.first[j + 1];
      const auto found = std::lower_bound(begin, end, j);
      if (found == end || *found != j) {
        throw std::invalid_argument("sparse matrix: entry (" + std::to_string(j) + ", " + std::to_string(j) +
                                    ") is not in its pattern");
      }
      diagonal_.push_back(static_cast<int>(found - pattern_.row.begin()));
    }
  }

  // The numbers that factors were made from: those that chose the pivots, and the last with the same pivots.
  struct Origin {
    std::vector<double> pivots, last;
    void make_room(std::size_t count) {
      pivots.reserve(count);
      last.reserve(count);
    }
  };

  template <class Factor, class Refactor, class Free>
  void make_again(klu_numeric*& numeric, Origin& origin, Factor factor_anew, Refactor refactor, Free free) {
    free(&numeric, &common_);
    if (origin.pivots.empty()) return;
    int* first = pattern_.first.data();
    int* row = pattern_.row.data();
    numeric = factor_anew(first, row, origin.pivots.data(), symbolic_, &common_);
    if (numeric != nullptr && !origin.last.empty())
      refactor(first, row, origin.last.data(), symbolic_, numeric, &common_);
  }

  // The numbers of values_, with the old pivots if they still serve.
  template <class Factor, class Refactor, class Growth, class Condition, class Free>
  bool is_factored(klu_numeric*& numeric, Origin& origin, std::size_t count, Factor factor_anew, Refactor refactor,
                   Growth growth, Condition condition, Free free) {
    double not_finite = 0;
    for (std::size_t e = 0; e < count; ++e) not_finite += 0 * values_[e];
    if (not_finite != 0) {  // zero or NaN
      culprit_ = column_not_finite(matrices_);
      return false;
    }
    int* first = pattern_.first.data();
    int* row = pattern_.row.data();
    if (numeric != nullptr && refactor(first, row, values_.data(), symbolic_, numeric, &common_) != 0 &&
        common_.status == KLU_OK && growth(first, row, values_.data(), symbolic_, numeric, &common_) != 0 &&
        common_.rgrowth >= smallest_growth_ && condition(symbolic_, numeric, &common_) != 0 && common_.rcond > 0) {
      origin.last.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count));
      return true;
    }
    free(&numeric, &common_);
    origin.pivots.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count));
    origin.last.clear();
    numeric = factor_anew(first, row, values_.data(), symbolic_, &common_);
    if (numeric != nullptr && common_.status == KLU_OK && condition(symbolic_, numeric, &common_) != 0 &&
        common_.rcond > 0) {
      return true;
    }
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    const bool is_known = common_.status == KLU_SINGULAR && common_.singular_col >= 0;
    culprit_ = is_known && common_.singular_col < matrices_.size ? common_.singular_col : -1;
    return false;
  }

  // Reciprocal growth of the pivots below which pivots chosen for other numbers are given up.
  static constexpr double smallest_growth_ = 1e-8;

  const MatrixPair& matrices_;
  Pattern pattern_;
  std::vector<int> diagonal_;
  std::vector<double> values_, x_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  std::vector<klu_numeric*> real_, complex_;
  std::vector<Origin> real_origin_, complex_origin_;
  int culprit_ = -1;
};

}  // namespace

std::unique_ptr<ShiftedSystem> make_sparse(const MatrixPair& matrices, int real_slots, int complex_slots) {
  return std::make_unique<SparseShifted>(matrices, real_slots, complex_slots);
}

}  // namespace pawl::shifted
