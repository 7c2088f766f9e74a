// Entries: where a model function writes a matrix, M(x, y) = ..., by the handles of the states its rows and columns
// belong to. Terms: where it writes a vector, f[x] = ... Both start at zero at every evaluation.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/function.hpp"

namespace pawl {

namespace detail {

/// From states to rows, and from pairs of rows to places in memory.
struct EntryMap {
  std::vector<int> number;         ///< per state: its row, -1 if it has none
  int width = 0;                   ///< rows are stored one after the other, this far apart, unless slots are given
  bool is_symmetric = false;       ///< one triangle: (i, j) and (j, i) are the same entry
  std::vector<int> first, column;  ///< sparse: the columns of row i are column[first[i]] ... in ascending order
  int model = 0;                   ///< whose handles it takes; 0: not checked

  bool is_sparse() const { return !first.empty(); }
  /// Throws where the state has no row, or the entry is not in the pattern.
  int row_of(State x) const {
    const auto i = static_cast<std::size_t>(x.index);
    if (model != 0 || i >= number.size() || number[i] < 0) return checked_row_of(x);
    return number[i];
  }
  int slot(int i, int j) const;

 private:
  int checked_row_of(State x) const;
};

void note_entry(std::vector<std::pair<int, int>>& seen, int i, int j);
/// An entry that has a value when it is touched again: the value is taken away, so that whether it is assigned again
/// shows.
void note_assigned(std::vector<std::pair<int, int>>& assigned, int i, int j, double& value);

}  // namespace detail

template <class T>
class Entries {
 public:
  using Seen = std::vector<std::pair<int, int>>;

  Entries(const detail::EntryMap& map, T* values) : map_(map), values_(values) {}
  /// Notes which entries are written, and keeps their values where there is room for them.
  Entries(const detail::EntryMap& map, Seen& seen, T* values = nullptr, Seen* assigned = nullptr)
      : map_(map), values_(values), seen_(&seen), assigned_(assigned) {}

  T& operator()(State row, State column) {
    int i = map_.row_of(row), j = map_.row_of(column);
    if (seen_ != nullptr && values_ != nullptr) detail::note_entry(*seen_, i, j);  // in the order it was written
    if (map_.is_symmetric && i < j) std::swap(i, j);
    if (values_ == nullptr) {
      detail::note_entry(*seen_, i, j);
      return unused_;
    }
    T& value = values_[map_.is_sparse() ? map_.slot(i, j) : i * map_.width + j];
    if constexpr (std::is_same_v<T, double>) {
      if (assigned_ != nullptr) detail::note_assigned(*assigned_, i, j, value);
    }
    return value;
  }

 private:
  const detail::EntryMap& map_;
  T* values_;
  Seen *seen_ = nullptr, *assigned_ = nullptr;
  T unused_{};
};

template <class T>
class Terms {
 public:
  using Seen = std::vector<std::pair<int, int>>;

  Terms(const detail::EntryMap& map, T* values, Seen* seen = nullptr, Seen* assigned = nullptr)
      : map_(map), values_(values), seen_(seen), assigned_(assigned) {}

  T& operator[](State x) {
    const int i = map_.row_of(x);
    if (seen_ != nullptr) detail::note_entry(*seen_, i, i);
    if constexpr (std::is_same_v<T, double>) {
      if (assigned_ != nullptr) detail::note_assigned(*assigned_, i, i, values_[i]);
    }
    return values_[i];
  }

 private:
  const detail::EntryMap& map_;
  T* values_;
  Seen *seen_, *assigned_;
};

namespace detail {

/// A functor f(at, out) whose output is an Out<T>, erased like Function, for these scalars.
template <template <class> class Out, class... Scalar>
class OutputFunction {
 public:
  template <class T>
  using Entry = void (*)(const void* functor, const Point<T>& at, Out<T>& out);

  OutputFunction() = default;
  template <class F>
  explicit OutputFunction(F f) : functor_(std::make_shared<const F>(std::move(f))) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&, Out<double>&>,
                  "pawl: expected a function (const auto& at, auto& out) that assigns entries of `out`; it is called "
                  "const, so a mutable lambda is refused");
    (fill<F>(std::get<Entry<Scalar>>(entries_)), ...);
    checked_ = std::get<Entry<double>>(entries_);
    if constexpr (std::is_invocable_v<const F&, const Point<Gradient>&, Out<Gradient>&>) {
      std::get<Entry<double>>(entries_) = [](const void* functor, const Point<double>& at, Out<double>& out) {
        (*static_cast<const F*>(functor))(QuickPoint(at), out);
      };
    }
  }

  explicit operator bool() const { return functor_ != nullptr; }
  template <class T>
  bool supports() const {
    return entry<T>() != nullptr;
  }
  template <class T>
  void operator()(const Point<T>& at, Out<T>& out) const {
    entry<T>()(functor_.get(), at, out);
  }
  /// The same, with a look at every handle: once, when a model is compiled.
  void check(const Point<double>& at, Out<double>& out) const { checked_(functor_.get(), at, out); }

 private:
  template <class T>
  Entry<T> entry() const {
    return std::get<Entry<T>>(entries_);
  }
  template <class F, class T>
  static void fill(void (*&entry)(const void*, const Point<T>&, Out<T>&)) {
    if constexpr (std::is_invocable_v<const F&, const Point<T>&, Out<T>&>) {
      entry = [](const void* functor, const Point<T>& at, Out<T>& out) { (*static_cast<const F*>(functor))(at, out); };
    }
  }

  std::shared_ptr<const void> functor_;
  std::tuple<Entry<Scalar>...> entries_{};
  Entry<double> checked_ = nullptr;
};

using MatrixFunction = OutputFunction<Entries, double, Gradient>;
using VectorFunction = OutputFunction<Terms, double, Gradient, Series>;
/// Masses often have one derivative each, all of which are then found together: eight slopes would be seven too many.
using SingleSlope = Dual<1>;
/// Inertial terms follow from it.
using MassFunction = OutputFunction<Entries, double, SingleSlope, Gradient, Pattern, Curvature, Series>;

}  // namespace detail
}  // namespace pawl
