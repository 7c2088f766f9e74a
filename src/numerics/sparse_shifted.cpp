// Sparse matrices by KLU: blocks of a triangular form, minimum degree within, pivots from the diagonal where they are
// large enough. The pivots of the first factorization are kept as long as the numbers allow it. Minimum degree looks at
// the pattern as if it were symmetric; up to a thousand unknowns an order of columns alone is tried as well, and the
// one with fewer entries in the factors taken. Where these come in long runs, KLU finds pivots and patterns alone, and
// RunLu does the rest.
//
// Davis, Palamadai Natarajan: Algorithm 907, ACM Transactions on Mathematical Software 37 (2010) 36.
#include <klu.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "numerics/run_lu.hpp"
#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

namespace {

/// One name for the functions of KLU for real and for complex numbers.
template <int parts>
struct Klu;
template <>
struct Klu<1> {
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto growth = klu_rgrowth;
  static constexpr auto condition = klu_rcond;
  static constexpr auto free = klu_free_numeric;
  /// The order of these factors and where they have entries: KLU gives it with the entries, or not at all.
  static bool extract(klu_numeric* numeric, klu_symbolic* symbolic, Elimination& out, klu_common& common) {
    std::vector<double> lower(out.lower.row.size()), upper(out.upper.row.size());
    return klu_extract(numeric, symbolic, out.lower.first.data(), out.lower.row.data(), lower.data(),
                       out.upper.first.data(), out.upper.row.data(), upper.data(), nullptr, nullptr, nullptr,
                       out.row.data(), out.column.data(), nullptr, nullptr, &common) != 0;
  }
};
template <>
struct Klu<2> {
  static constexpr auto factor = klu_z_factor;
  static constexpr auto refactor = klu_z_refactor;
  static constexpr auto growth = klu_z_rgrowth;
  static constexpr auto condition = klu_z_rcond;
  static constexpr auto free = klu_z_free_numeric;
  static bool extract(klu_numeric* numeric, klu_symbolic* symbolic, Elimination& out, klu_common& common) {
    std::vector<double> lower(2 * out.lower.row.size()), upper(2 * out.upper.row.size());
    return klu_z_extract(numeric, symbolic, out.lower.first.data(), out.lower.row.data(), lower.data(),
                         lower.data() + out.lower.row.size(), out.upper.first.data(), out.upper.row.data(),
                         upper.data(), upper.data() + out.upper.row.size(), nullptr, nullptr, nullptr, nullptr,
                         out.row.data(), out.column.data(), nullptr, nullptr, &common) != 0;
  }
};

/// Beside the diagonal; nzoff is what lies above the blocks of the triangular form.
int entries_of(const klu_numeric& numeric) {
  return numeric.lnz + numeric.unz - numeric.n + numeric.nzoff;
}

class SparseShifted final : public ShiftedSystem {
 public:
  SparseShifted(const MatrixPair& matrices, int real_slots, int complex_slots)
      : matrices_(matrices), pattern_(pattern_of(matrices)) {
    klu_defaults(&common_);
    if (matrices.M.empty()) find_diagonal();
    values_.resize(pattern_.row.size() * (complex_slots > 0 ? 2 : 1));
    x_.resize(complex_slots > 0 ? 2 * static_cast<std::size_t>(matrices.size) : 0);
    real_.resize(real_slots);
    complex_.resize(complex_slots);
    for (auto& slot : real_) slot.make_room(pattern_.row.size());
    for (auto& slot : complex_) slot.make_room(2 * pattern_.row.size());
    analyze();
  }
  SparseShifted(const SparseShifted&) = delete;
  SparseShifted& operator=(const SparseShifted&) = delete;
  ~SparseShifted() override {
    for (auto& slot : real_) klu_free_numeric(&slot.numeric, &common_);
    for (auto& slot : complex_) klu_z_free_numeric(&slot.numeric, &common_);
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
    return is_factored(real_[slot]);
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
    return is_factored(complex_[slot]);
  }

  void solve(int slot, double* x) override {
    if (real_[slot].runs != nullptr)
      real_[slot].runs->solve({x});
    else
      klu_solve(symbolic_, real_[slot].numeric, matrices_.size, 1, x, &common_);
  }
  void solve(int slot, double* re, double* im) override {
    if (complex_[slot].runs != nullptr) return complex_[slot].runs->solve({re, im});
    for (int i = 0; i < matrices_.size; ++i) {
      x_[2 * static_cast<std::size_t>(i)] = re[i];
      x_[2 * static_cast<std::size_t>(i) + 1] = im[i];
    }
    klu_z_solve(symbolic_, complex_[slot].numeric, matrices_.size, 1, x_.data(), &common_);
    for (int i = 0; i < matrices_.size; ++i) {
      re[i] = x_[2 * static_cast<std::size_t>(i)];
      im[i] = x_[2 * static_cast<std::size_t>(i) + 1];
    }
  }

  int culprit() const override { return culprit_; }

  // KLU's factors are its own; they are made again from the numbers they were made from, pivots first.
  void carry(Memory& memory) override {
    memory(is_by_columns_, has_order_, culprit_);
    if (!memory.is_saving()) {  // factors before the order they were made in
      for (auto& slot : real_) klu_free_numeric(&slot.numeric, &common_);
      for (auto& slot : complex_) klu_z_free_numeric(&slot.numeric, &common_);
      analyze();
    }
    for (auto& slot : real_) carry(memory, slot);
    for (auto& slot : complex_) carry(memory, slot);
  }

  std::string describe() const override {
    std::string text =
        "sparse (KLU) " + std::to_string(matrices_.size) + ", " + std::to_string(pattern_.row.size()) + " entries";
    const auto add = [&text](const auto& slots) {
      for (const auto& slot : slots) {
        if (slot.numeric == nullptr) continue;
        text += ", " + std::to_string(entries_of(*slot.numeric)) + " in factors";
        if (slot.runs != nullptr) text += ", in runs";
        return true;
      }
      return false;
    };
    if (!add(real_)) add(complex_);
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

  template <int parts>
  struct Slot {
    klu_numeric* numeric = nullptr;
    std::unique_ptr<RunLu<parts>> runs;  // null: KLU's own factors are used
    // The numbers that factors were made from: those that chose the pivots, and the last with the same pivots.
    std::vector<double> pivots, last;
    void make_room(std::size_t count) {
      pivots.reserve(count);
      last.reserve(count);
    }
  };

  void analyze() {
    klu_free_symbolic(&symbolic_, &common_);
    symbolic_ = analyze(is_by_columns_);
  }
  klu_symbolic* analyze(bool is_by_columns) {
    constexpr int minimum_degree = 0, column_minimum_degree = 1;
    common_.ordering = is_by_columns ? column_minimum_degree : minimum_degree;
    klu_symbolic* const symbolic = klu_analyze(matrices_.size, pattern_.first.data(), pattern_.row.data(), &common_);
    if (symbolic != nullptr) return symbolic;
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    throw std::invalid_argument("sparse matrix of size " + std::to_string(matrices_.size) +
                                ": its pattern is not one of ascending rows, column after column");
  }

  template <int parts>
  klu_numeric* factor_anew(klu_symbolic* symbolic, double* values) {
    return Klu<parts>::factor(pattern_.first.data(), pattern_.row.data(), values, symbolic, &common_);
  }

  // The first factors decide in which order all are made.
  template <int parts>
  void choose_order(Slot<parts>& slot) {
    if (std::exchange(has_order_, true) || matrices_.size > largest_tried) return;
    klu_symbolic* other = analyze(true);
    klu_numeric* numeric = factor_anew<parts>(other, slot.pivots.data());
    const bool is_better = numeric != nullptr && common_.status == KLU_OK &&
                           Klu<parts>::condition(other, numeric, &common_) != 0 && common_.rcond > 0 &&
                           entries_of(*numeric) < entries_of(*slot.numeric);
    if (is_better) {
      is_by_columns_ = true;
      std::swap(symbolic_, other);
      std::swap(slot.numeric, numeric);
    }
    Klu<parts>::free(&numeric, &common_);
    klu_free_symbolic(&other, &common_);
  }

  // In the order of KLU's factors, where they come in long runs and these numbers can be factored so.
  template <int parts>
  void make_runs(Slot<parts>& slot) {
    slot.runs.reset();
    if (symbolic_->nblocks != 1) return;
    Elimination order;
    const auto size = static_cast<std::size_t>(matrices_.size);
    order.row.resize(size);
    order.column.resize(size);
    order.lower.first.resize(size + 1);
    order.lower.row.resize(static_cast<std::size_t>(slot.numeric->lnz));
    order.upper.first.resize(size + 1);
    order.upper.row.resize(static_cast<std::size_t>(slot.numeric->unz));
    if (!Klu<parts>::extract(slot.numeric, symbolic_, order, common_)) return;
    slot.runs = std::make_unique<RunLu<parts>>(pattern_, order);
    if (!slot.runs->pays() || !slot.runs->factor(slot.pivots.data())) slot.runs.reset();
  }

  template <int parts>
  bool refactor(Slot<parts>& slot, double* values) {
    if (slot.runs != nullptr) return slot.runs->factor(values);
    int* first = pattern_.first.data();
    int* row = pattern_.row.data();
    return Klu<parts>::refactor(first, row, values, symbolic_, slot.numeric, &common_) != 0 &&
           common_.status == KLU_OK && Klu<parts>::growth(first, row, values, symbolic_, slot.numeric, &common_) != 0 &&
           common_.rgrowth >= smallest_growth_ && is_regular<parts>(slot);
  }
  template <int parts>
  bool is_regular(const Slot<parts>& slot) {
    return Klu<parts>::condition(symbolic_, slot.numeric, &common_) != 0 && common_.rcond > 0;
  }

  template <int parts>
  void carry(Memory& memory, Slot<parts>& slot) {
    memory(slot.pivots, slot.last);
    if (memory.is_saving()) return;
    slot.runs.reset();
    if (slot.pivots.empty()) return;
    slot.numeric = factor_anew<parts>(symbolic_, slot.pivots.data());
    if (slot.numeric == nullptr) return;
    make_runs(slot);
    if (!slot.last.empty()) refactor(slot, slot.last.data());
  }

  // The numbers of values_, with the old pivots if they still serve.
  template <int parts>
  bool is_factored(Slot<parts>& slot) {
    const std::size_t count = parts * pattern_.row.size();
    double not_finite = 0;
    for (std::size_t e = 0; e < count; ++e) not_finite += 0 * values_[e];
    if (not_finite != 0) {  // zero or NaN
      culprit_ = column_not_finite(matrices_);
      return false;
    }
    if (slot.numeric != nullptr && refactor(slot, values_.data())) {
      slot.last.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count));
      return true;
    }
    Klu<parts>::free(&slot.numeric, &common_);
    slot.runs.reset();
    slot.pivots.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count));
    slot.last.clear();
    slot.numeric = factor_anew<parts>(symbolic_, values_.data());
    if (slot.numeric != nullptr && common_.status == KLU_OK && is_regular(slot)) {
      choose_order(slot);
      make_runs(slot);
      return true;
    }
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    const bool is_known = common_.status == KLU_SINGULAR && common_.singular_col >= 0;
    culprit_ = is_known && common_.singular_col < matrices_.size ? common_.singular_col : -1;
    return false;
  }

  // Reciprocal growth of the pivots below which pivots chosen for other numbers are given up.
  static constexpr double smallest_growth_ = 1e-8;
  static constexpr int largest_tried = 1000;  // unknowns: beyond, columns alone may fill too much

  const MatrixPair& matrices_;
  Pattern pattern_;
  std::vector<int> diagonal_;
  std::vector<double> values_, x_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  bool is_by_columns_ = false, has_order_ = false;
  std::vector<Slot<1>> real_;
  std::vector<Slot<2>> complex_;
  int culprit_ = -1;
};

}  // namespace

std::unique_ptr<ShiftedSystem> make_sparse(const MatrixPair& matrices, int real_slots, int complex_slots) {
  return std::make_unique<SparseShifted>(matrices, real_slots, complex_slots);
}

}  // namespace pawl::shifted
