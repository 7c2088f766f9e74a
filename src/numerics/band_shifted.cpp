// Band matrices, b entries at most on either side of the diagonal, by LU with partial pivoting.
//
// The elimination runs from both ends at once: the steps of one end wait for each other's division, those of the other
// end fill the time. The ends meet in 2 b unknowns, whose matrix is dense. Within an end only a window is at work, b +
// 1 rows of 2 b + 1 entries; a row exchange makes U up to 2 b wide. In the coordinates of the lower end, unknowns are
// counted from the last one, and the same code serves both.
//
// Two-sided elimination: Babuska, SIAM J. Numerical Analysis 9 (1972) 53.
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "numerics/cuthill_mckee.hpp"
#include "numerics/dense_shifted.hpp"
#include "numerics/shifted_parts.hpp"

namespace pawl::shifted {

namespace {

void measure(const Pattern& pattern, BandOrder& order) {
  std::vector<int> place(order.unknown.size());
  for (std::size_t k = 0; k < place.size(); ++k) place[order.unknown[k]] = static_cast<int>(k);
  order.lower = order.upper = 0;
  for (std::size_t j = 0; j < place.size(); ++j) {
    for (int e = pattern.first[j]; e < pattern.first[j + 1]; ++e) {
      const int below = place[pattern.row[e]] - place[j];
      order.lower = std::max(order.lower, below);
      order.upper = std::max(order.upper, -below);
    }
  }
}

// One end of the matrix, or its mirror image. Number: double or PlainComplex. In a window, row i and column j stand for
// row and column k + i and k + j of the matrix, where k is the step.
template <class Number>
struct End {
  std::vector<Number> lower, upper, inverse;  // b multipliers, 2 b entries over their pivot, the reciprocal pivot
  std::vector<int> pivot;                     // the row of the window
  std::vector<Number> window;                 // b + 1 rows of 2 b + 1
  std::vector<Number*> rows;                  // of the window
};

// fixed: b where the compiler knows it, otherwise 0.
template <int fixed, class Number>
class BandLu {
 public:
  BandLu(int steps_above, int steps_below, int b) : b_(b), steps_{steps_above, steps_below}, middle_(2 * b) {
    for (int side = 0; side < 2; ++side) {
      const auto steps = static_cast<std::size_t>(steps_[side]), row = 2 * static_cast<std::size_t>(b) + 1;
      end_[side].lower.resize(steps * b);
      end_[side].upper.resize(steps * 2 * b);
      end_[side].inverse.resize(steps);
      end_[side].pivot.resize(steps);
      end_[side].window.resize((b + 1) * row);
      for (int i = 0; i <= b; ++i) end_[side].rows.push_back(end_[side].window.data() + i * row);
    }
    if constexpr (is_complex) y_im_.resize(2 * static_cast<std::size_t>(b));
    y_.resize(2 * static_cast<std::size_t>(b));
  }

  /// entry(side, i, j): of row i, the j-th of its 2 b + 1 entries, the diagonal being number b. Counted from its end.
  /// False: culprit() has the place, counted from above.
  template <class Entry>
  bool factor(const Entry& entry);
  /// load(side, k): the k-th number of the right-hand side, counted from its end; store(side, k, value) replaces it.
  template <class Load, class Store>
  void solve(const Load& load, const Store& store);
  int culprit() const { return culprit_; }

 private:
  static constexpr bool is_complex = std::is_same_v<Number, PlainComplex>;
  int b() const { return fixed > 0 ? fixed : b_; }

  // A window whose numbers stay in registers, or one in memory whose rows are exchanged by their addresses.
  struct Fixed {
    explicit Fixed(End<Number>&) {}
    Number a[fixed + 1][2 * fixed + 1];
    void exchange(int p) {
#pragma GCC unroll 4
      for (int i = 1; i <= fixed; ++i) {
        if (i == p) std::swap(a[0], a[i]);
      }
    }
    Number* row(int i) {
      return a[i];
    }
    void roll() {
#pragma GCC unroll 4
      for (int i = 0; i < fixed; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < 2 * fixed; ++j) a[i][j] = a[i + 1][j];
        a[i][2 * fixed] = Number{};
      }
    }
  };
  struct Dynamic {
    explicit Dynamic(End<Number>& end) : rows(end.rows.data()), count(static_cast<int>(end.rows.size())) {}
    Number** rows;
    int count;
    void exchange(int p) { std::swap(rows[0], rows[p]); }
    Number* row(int i) { return rows[i]; }
    void roll() {
      std::rotate(rows, rows + 1, rows + count);
      for (int i = 0; i < count - 1; ++i) rows[i][2 * (count - 1)] = Number{};
    }
  };
  using Window = std::conditional_t<(fixed > 0), Fixed, Dynamic>;

  // Row i of a window, before step k, from row k + i of the matrix.
  template <class Entry>
  [[gnu::always_inline]] inline void load(Window& window, int side, int k, int i, const Entry& entry) const {
    Number* const to = window.row(i);
    const int width = b(), shift = width - i;  // the row begins so many places left of the window
#pragma GCC unroll 9
    for (int j = 0; j <= 2 * width; ++j) to[j] = j + shift <= 2 * width ? entry(side, k + i, j + shift) : Number{};
  }
  [[gnu::always_inline]] inline bool eliminate(Window& window, End<Number>& end, int k) const;

  int b_;
  std::array<int, 2> steps_;
  std::array<End<Number>, 2> end_;
  std::conditional_t<is_complex, ComplexLu<0>, RealLu<0>> middle_;
  std::vector<double> y_, y_im_;
  int culprit_ = -1;
};

template <int fixed, class Number>
inline bool BandLu<fixed, Number>::eliminate(Window& window, End<Number>& end, int k) const {
  const int width = b();
  int p = 0;
  Number pivot = window.row(0)[0];
  double largest = pivot_size(pivot);
#pragma GCC unroll 4
  for (int i = 1; i <= width; ++i) {
    if (pivot_size(window.row(i)[0]) > largest) [[unlikely]] {
      pivot = window.row(i)[0];
      largest = pivot_size(pivot);
      p = i;
    }
  }
  if (!is_usable_pivot(largest)) return false;
  const Number reciprocal = inverse(pivot);
  end.inverse[k] = reciprocal;
  end.pivot[k] = p;
  if (p != 0) [[unlikely]]
    window.exchange(p);
  const Number* const first = window.row(0);
  Number* const upper = end.upper.data() + static_cast<std::ptrdiff_t>(k) * 2 * width;
  Number* const lower = end.lower.data() + static_cast<std::ptrdiff_t>(k) * width;
#pragma GCC unroll 8
  for (int j = 0; j < 2 * width; ++j) upper[j] = first[j + 1] * reciprocal;
#pragma GCC unroll 4
  for (int i = 1; i <= width; ++i) {
    Number* const row = window.row(i);
    const Number l = row[0] * reciprocal;
    lower[i - 1] = l;
#pragma GCC unroll 8
    for (int j = 0; j < 2 * width; ++j) row[j] = row[j + 1] - l * first[j + 1];
  }
  window.roll();
  return true;
}

template <int fixed, class Number>
template <class Entry>
bool BandLu<fixed, Number>::factor(const Entry& entry) {
  const int width = b();
  std::array<Window, 2> windows{Window(end_[0]), Window(end_[1])};
  for (int side = 0; side < 2; ++side) {
#pragma GCC unroll 4
    for (int i = 0; i < width; ++i) load(windows[side], side, 0, i, entry);
  }
  const auto step = [&](int side, int k) __attribute__((always_inline)) {
    load(windows[side], side, k, width, entry);
    if (eliminate(windows[side], end_[side], k)) return true;
    culprit_ = side == 0 ? k : steps_[0] + 2 * width + steps_[1] - 1 - k;
    return false;
  };
  for (int k = 0; k < steps_[1]; ++k) {
    if (!step(0, k) || !step(1, k)) return false;
  }
  for (int k = steps_[1]; k < steps_[0]; ++k) {
    if (!step(0, k)) return false;
  }

  // The rows left over at both ends, over the 2 b columns between them.
  const int size = 2 * width;
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j < size; ++j) {
        const Number value = windows[side].row(i)[j];
        const int row = side == 0 ? i : size - 1 - i, column = side == 0 ? j : size - 1 - j;
        if constexpr (is_complex) {
          middle_.column_re(column)[row] = value.re();
          middle_.column_im(column)[row] = value.im();
        } else {
          middle_.column(column)[row] = value;
        }
      }
    }
  }
  if (middle_.factor()) return true;
  culprit_ = steps_[0] + middle_.culprit();
  return false;
}

template <int fixed, class Number>
template <class Load, class Store>
void BandLu<fixed, Number>::solve(const Load& load, const Store& store) {
  const int width = b(), size = 2 * b();
  std::array<std::array<Number, fixed + 1>, 2> few;
  const auto at = [&](int side, int k, int i) -> Number {
    if constexpr (fixed > 0)
      return few[side][i];
    else
      return load(side, k + i);
  };
  const auto put = [&](int side, int k, int i, Number value) {
    if constexpr (fixed > 0)
      few[side][i] = value;
    else
      store(side, k + i, value);
  };
  const auto forward = [&](int side, int k) __attribute__((always_inline)) {
    const End<Number>& end = end_[side];
    if constexpr (fixed > 0) few[side][fixed] = load(side, k + fixed);
    Number first = at(side, k, 0);
    if (const int p = end.pivot[k]; p != 0) [[unlikely]] {
#pragma GCC unroll 4
      for (int i = 1; i <= width; ++i) {
        if (i != p) continue;
        const Number other = at(side, k, i);
        put(side, k, i, first);
        first = other;
      }
    }
    store(side, k, first);
    const Number* const lower = end.lower.data() + static_cast<std::ptrdiff_t>(k) * width;
#pragma GCC unroll 4
    for (int i = 1; i <= width; ++i) {
      const Number value = at(side, k, i) - lower[i - 1] * first;
      if constexpr (fixed > 0)
        few[side][i - 1] = value;
      else
        store(side, k + i, value);
    }
  };
  if constexpr (fixed > 0) {
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < fixed; ++i) few[side][i] = load(side, i);
    }
  }
  for (int k = 0; k < steps_[1]; ++k) {
    forward(0, k);
    forward(1, k);
  }
  for (int k = steps_[1]; k < steps_[0]; ++k) forward(0, k);

  const auto part = [&](int row, auto take) {
    if constexpr (is_complex)
      take(y_[row], y_im_[row]);
    else
      take(y_[row], y_[row]);
  };
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < width; ++i) {
      const Number value = at(side, steps_[side], i);
      part(side == 0 ? i : size - 1 - i, [&](double& re, [[maybe_unused]] double& im) {
        if constexpr (is_complex)
          im = value.im(), re = value.re();
        else
          re = value;
      });
    }
  }
  if constexpr (is_complex)
    middle_.solve(y_.data(), y_im_.data());
  else
    middle_.solve(y_.data());
  std::array<std::array<Number, 2 * fixed + 1>, 2> right;  // the unknowns k + 1, ... k + 2 b
  for (int i = 0; i < size; ++i) {
    part(i, [&](double& re, [[maybe_unused]] double& im) {
      Number value;
      if constexpr (is_complex)
        value = {re, im};
      else
        value = re;
      store(0, steps_[0] + i, value);
      if constexpr (fixed > 0) {
        right[0][i] = value;
        right[1][size - 1 - i] = value;
      }
    });
  }

  const auto backward = [&](int side, int k) __attribute__((always_inline)) {
    const End<Number>& end = end_[side];
    const Number* const upper = end.upper.data() + static_cast<std::ptrdiff_t>(k) * size;
    Number value = load(side, k) * end.inverse[k];
    // The newest unknown last: the others are waiting for it.
#pragma GCC unroll 8
    for (int j = size - 1; j >= 0; --j) {
      if constexpr (fixed > 0)
        value = value - upper[j] * right[side][j];
      else
        value = value - upper[j] * load(side, k + 1 + j);
    }
    store(side, k, value);
    if constexpr (fixed > 0) {
#pragma GCC unroll 8
      for (int j = size - 1; j > 0; --j) right[side][j] = right[side][j - 1];
      right[side][0] = value;
    }
  };
  for (int k = steps_[0] - 1; k >= steps_[1]; --k) backward(0, k);
  for (int k = steps_[1] - 1; k >= 0; --k) {
    backward(0, k);
    backward(1, k);
  }
}

template <int fixed>
class BandShifted final : public ShiftedSystem {
 public:
  BandShifted(const MatrixPair& matrices, int real_slots, int complex_slots, BandOrder order)
      : matrices_(matrices), order_(std::move(order)), b_(std::max({1, order_.lower, order_.upper})) {
    // Where the ends would overlap, unknowns that stand alone are added.
    places_ = std::max(matrices.size, 2 * b_);
    for (int i = matrices.size; i < places_; ++i) order_.unknown.push_back(i);
    list_entries();
    const int steps_below = (places_ - 2 * b_) / 2, steps_above = places_ - 2 * b_ - steps_below;
    real_.reserve(real_slots);
    complex_.reserve(complex_slots);
    for (int i = 0; i < real_slots; ++i) real_.emplace_back(steps_above, steps_below, b_);
    for (int i = 0; i < complex_slots; ++i) complex_.emplace_back(steps_above, steps_below, b_);
    if (places_ > matrices.size) {
      for (auto& part : padded_) part.resize(places_);
    }
  }

  bool factor(int slot, double c) override {
    return is_factored(
        real_[slot], [c](double J, double M) { return c * M - J; },
        [c](double J, bool is_diagonal) { return is_diagonal ? c - J : -J; }, 1.0);
  }
  bool factor(int slot, std::complex<double> z) override {
    const PlainComplex c{z.real(), z.imag()};
    return is_factored(
        complex_[slot],
        [c](double J, double M) {
          return PlainComplex{c.re() * M - J, c.im() * M};
        },
        [c](double J, bool is_diagonal) {
          return is_diagonal ? PlainComplex{c.re() - J, c.im()} : PlainComplex{-J, 0};
        },
        PlainComplex{1, 0});
  }

  void solve(int slot, double* x) override {
    double* const in = enter(0, x);
    const int* const from = order_.unknown.data();
    const int* const last = from + places_ - 1;
    real_[slot].solve([=](int side, int k) { return in[side == 0 ? from[k] : last[-k]]; },
                      [=](int side, int k, double value) { in[side == 0 ? from[k] : last[-k]] = value; });
    leave(0, x);
  }
  void solve(int slot, double* re, double* im) override {
    double* const in_re = enter(0, re);
    double* const in_im = enter(1, im);
    const int* const from = order_.unknown.data();
    const int* const last = from + places_ - 1;
    complex_[slot].solve(
        [=](int side, int k) {
          const int i = side == 0 ? from[k] : last[-k];
          return PlainComplex{in_re[i], in_im[i]};
        },
        [=](int side, int k, PlainComplex value) {
          const int i = side == 0 ? from[k] : last[-k];
          in_re[i] = value.re();
          in_im[i] = value.im();
        });
    leave(0, re);
    leave(1, im);
  }

  int culprit() const override { return culprit_; }
  std::string describe() const override {
    return "band " + std::to_string(matrices_.size) + ", " + std::to_string(order_.lower) + " + " +
           std::to_string(order_.upper);
  }

 private:
  int b() const { return fixed > 0 ? fixed : b_; }

  void list_entries() {
    const Pattern pattern = pattern_of(matrices_);
    std::vector<int> place(matrices_.size);
    for (int k = 0; k < matrices_.size; ++k) place[order_.unknown[k]] = k;
    source_.assign(static_cast<std::size_t>(places_) * (2 * b_ + 1), -1);
    for (int j = 0; j < matrices_.size; ++j) {
      for (int e = pattern.first[j]; e < pattern.first[j + 1]; ++e) {
        const int row = place[pattern.row[e]];
        source_[static_cast<std::size_t>(row) * (2 * b_ + 1) + place[j] - row + b_] = e;
      }
    }
  }

  // both(J, M) and plain(J, is_diagonal): an entry of c M - J, for given M and for the identity.
  template <class Lu, class Both, class Plain, class Number>
  bool is_factored(Lu& lu, const Both& both, const Plain& plain, Number one) {
    const int* const from = source_.data();
    const int* const last = from + source_.size() - 1;
    const double* const J = matrices_.J.data();
    const auto entries = [&](auto has_mass) {
      const double* const M = matrices_.M.data();
      const int n = matrices_.size, places = places_, width = 2 * b() + 1;
      // NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): there is one of it
      return [=, this](int side, int i, int j) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * width + j;
        const int e = side == 0 ? from[at] : last[-at];
        if (e < 0) {
          if (n < places && j == b() && (side == 0 ? i : places - 1 - i) >= n) return one;
          return Number{};
        }
        if constexpr (has_mass)
          return both(J[e], M[e]);
        else
          return plain(J[e], j == b());
      };
    };
    const bool is_done =
        matrices_.M.empty() ? lu.factor(entries(std::false_type())) : lu.factor(entries(std::true_type()));
    if (is_done) return true;
    culprit_ = column_not_finite(matrices_);
    if (culprit_ < 0 && order_.unknown[lu.culprit()] < matrices_.size) culprit_ = order_.unknown[lu.culprit()];
    return false;
  }

  double* enter(int part, double* x) {
    if (places_ == matrices_.size) return x;
    std::copy(x, x + matrices_.size, padded_[part].begin());
    std::fill(padded_[part].begin() + matrices_.size, padded_[part].end(), 0.0);
    return padded_[part].data();
  }
  void leave(int part, double* x) const {
    if (places_ > matrices_.size) std::copy(padded_[part].begin(), padded_[part].begin() + matrices_.size, x);
  }

  void carry(Memory& memory) override { memory(real_, complex_, culprit_); }

  const MatrixPair& matrices_;
  BandOrder order_;
  int b_, places_ = 0;
  std::vector<int> source_;  // per place, 2 b + 1 entries of its row: where in J and M; -1: zero
  std::vector<BandLu<fixed, double>> real_;
  std::vector<BandLu<fixed, PlainComplex>> complex_;
  std::array<std::vector<double>, 2> padded_;
  int culprit_ = -1;
};

}  // namespace

BandOrder band_order(const MatrixPair& matrices) {
  const Pattern pattern = pattern_of(matrices);
  BandOrder given, found;
  for (int i = 0; i < matrices.size; ++i) given.unknown.push_back(i);
  measure(pattern, given);
  if (std::max(given.lower, given.upper) <= 2) return given;
  found.unknown = CuthillMcKee(pattern).reversed();
  measure(pattern, found);
  return std::max(found.lower, found.upper) < std::max(given.lower, given.upper) ? found : given;
}

std::unique_ptr<ShiftedSystem> make_band(const MatrixPair& matrices, int real_slots, int complex_slots,
                                         BandOrder order) {
  const int b = std::max({1, order.lower, order.upper});
  const auto make = [&](auto fixed) -> std::unique_ptr<ShiftedSystem> {
    return std::make_unique<BandShifted<fixed>>(matrices, real_slots, complex_slots, std::move(order));
  };
  if (b == 1) return make(std::integral_constant<int, 1>());
  if (b == 2) return make(std::integral_constant<int, 2>());
  if (b == 3) return make(std::integral_constant<int, 3>());
  if (b == 4) return make(std::integral_constant<int, 4>());
  return make(std::integral_constant<int, 0>());
}

}  // namespace pawl::shifted
