// DaeEquations: a model that is not in explicit form, as rows to be made zero,
//
//   r_i = f_i(t, y) - Σ_j M_ij(t, y) y_j'   for every state whose rate is assigned,
//   r_i = F_i(t, y, y')                     for every declared equation,
//
// with their derivatives by y, y' and t, and along a motion. Functions that take dual numbers are differentiated
// exactly, columns that share no row together (coloring.hpp); the others by differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/system.hpp"

namespace pawl::formulate {

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

inline bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Which unknowns a row reads, and the rates of which: ascending.
struct RowReads {
  std::vector<int> values, rates;
  bool operator==(const RowReads&) const = default;
};

/// A sparse matrix by rows, without its values: each entry has a column, ascending within a row, and the place of its
/// value in an array.
struct RowPattern {
  struct Entry {
    int column, place;
  };
  std::vector<int> first;  ///< per row its first entry, and the number of entries
  std::vector<Entry> entries;

  std::span<const Entry> row(int i) const { return {entries.data() + first[at(i)], entries.data() + first[at(i) + 1]}; }
};

/// J = dr/dy and M = -dr/dy' at a point: one value per entry of the pattern.
struct DaeValues {
  std::vector<double> J, M;
};

/// A point of the equations.
struct DaePoint {
  double t = 0;
  std::vector<double> y, dy;
};

class DaeEquations {
 public:
  /// Throws Misuse unless there are as many rows as states.
  explicit DaeEquations(std::shared_ptr<const System::Declarations> model);
  ~DaeEquations();

  int size() const { return size_; }
  const System::Declarations& model() const { return *model_; }
  const std::shared_ptr<const System::Declarations>& share_model() const { return model_; }
  std::string row_name(int row) const;
  const std::string& state_name(int state) const { return model_->state_names[static_cast<std::size_t>(state)]; }

  /// What is held from now on; must outlive its use here.
  void lock(const Held& held, const double* parameters);
  /// All but what is held, which belongs to others.
  void carry(Memory& memory);
  /// Finds what every row reads in this mode. What was read in earlier modes stays in the pattern. True: it has
  /// changed.
  bool observe(double t, const double* y);
  /// Takes over what other equations of the same model have observed.
  void learn_from(const DaeEquations& other);
  const std::vector<RowReads>& reads() const { return observed_->reads; }
  std::shared_ptr<const std::vector<RowReads>> share_reads() const { return {observed_, &observed_->reads}; }
  /// Of the derivatives by y and y': rows of column j are row[first[j]] ..., ascending.
  const std::vector<int>& first() const { return observed_->first; }
  const std::vector<int>& row() const { return observed_->row; }
  const RowPattern& by_row() const { return observed_->by_row; }
  bool reads_time() const { return observed_->reads_time; }
  int colors() const { return observed_->colors(); }

  /// dy null stands for zero, here and below.
  void residual(double t, const double* y, const double* dy, double* r);
  /// J = dr/dy and, if M is not null, M = -dr/dy', one value per entry of the pattern; slope = dr/dt, if not null.
  /// Without M, a mass that is assumed to be constant is looked at again: see mass_has_changed().
  void linearize(double t, const double* y, const double* dy, double* J, double* M, double* slope, bool by_differences);
  /// The total derivative of this order (1, 2, ...) along the motion with these derivatives at t: z holds y, y', ... up
  /// to order + 1. Exact where the functions allow it. Beyond the first order only these rows are asked for; the others
  /// may be left as they are.
  void along_motion(int order, double t, const double* z, std::span<const int> rows, double* r);
  /// r and all its derivatives up to this order, order after order. Requires takes_series() of all rows.
  void series_along(int order, double t, const double* z, double* r);

  /// r'' of this row is exact.
  bool takes_jets(int row) const { return unit_takes_jets(unit_of_row_[at(row)]); }
  /// So is every other derivative along a motion.
  bool takes_series(int row) const { return unit_takes_series(unit_of_row_[at(row)]); }
  /// So many at most. Rows of a mechanism take series of twice the order (mechanics_rows.cpp).
  int most_derivatives() const {
    const bool has_mechanism = model_->parts != nullptr && model_->parts->mechanics != nullptr;
    return static_cast<int>(has_mechanism ? (Series::most - 3) / 2 : Series::most - 2);
  }
  /// All functions are differentiable: Jacobians are exact.
  bool is_exact() const;
  bool is_given() const { return is_given_; }
  /// M is made of zeros and ones: there is no mass function, and no equation reads a rate.
  bool mass_is_proved_constant() const;
  /// M is the same at every point anybody has looked at. Until observe(), every linearize() without M and every
  /// mass_function_has_changed() compares M w for some w with what it is here.
  void assume_mass(const double* M);
  void forget_mass() { assumed_mass_.clear(); }
  /// As the last residual() has left it.
  bool mass_function_has_changed();
  /// What was seen by the last linearize() without M.
  bool mass_has_changed() const { return mass_has_changed_; }
  bool has_mass_function() const { return static_cast<bool>(model_->mass); }

  /// The size of a state: declared, or its value (if that is larger), or 1.
  double nominal(int state, double value) const {
    const double declared = model_->nominals.empty() ? 0.0 : model_->nominals[at(state)];
    return std::max(declared > 0 ? declared : 1.0, std::isfinite(value) ? std::abs(value) : 0.0);
  }
  /// A short time, in which no state moves by more than about 1e-5 of its size.
  double path_step(double t, const double* y, const double* dy, const double* ddy) const;
  /// This point and three others, moved by about 0.1, 3 and 50 percent of each quantity (or of its nominal size, or of
  /// something small), not back in time; always the same. The model need not be defined at the others.
  std::vector<DaePoint> neighbours(double t, const double* y, const double* dy) const;

  long long dual_evaluations = 0, difference_evaluations = 0;  ///< by linearize()
  long long all_evaluations = 0, all_dual_evaluations = 0;     ///< by anything: with numbers, with derivatives

 private:
  enum class Units { all, exact, inexact, jets, series };
  template <class T>
  struct Bench;

  // A matrix the model writes: M, or the derivatives of its rates.
  struct Written {
    struct Entry {
      int row, column, slot;
    };
    detail::EntryMap map;
    std::vector<Entry> entries;
    Entries<double>::Seen seen;
    std::size_t slots = 0;
  };
  // What is known of the rows in the modes seen so far: never changed, so that equations of one model may share it.
  struct Observed {
    std::vector<RowReads> reads;  // in the last mode
    bool reads_time = true;
    Written mass, jacobian;
    std::vector<int> first, row;
    RowPattern by_row;
    std::vector<int> color_first{0}, colored;  // columns, colour after colour
    std::vector<int> place;                    // per entry of the given derivatives: its place in the pattern

    int colors() const { return static_cast<int>(color_first.size()) - 1; }
    std::span<const int> of_color(int color) const {
      return {colored.data() + color_first[at(color)], colored.data() + color_first[at(color) + 1]};
    }
  };

  void find_assigned_rates();
  [[noreturn]] void refuse_counts(int equations) const;
  void observe_entries(const detail::MatrixFunction& matrix, Written& written, double t, const double* y) const;
  void observe_reads(Observed& now, double t, const double* y);
  std::vector<int> rates_read(const EquationInfo& equation, double t, const double* y) const;
  std::vector<std::vector<int>> mass_reads(const Written& mass, double t, const double* y);
  std::vector<std::vector<int>> mass_candidates(const Written& mass, const std::vector<DaePoint>& points);
  template <class Take>
  void probe_mass(const Written& mass, const DaePoint& point, const std::vector<int>& group, const Take& take);
  void make_pattern(Observed& now) const;
  void color(Observed& now) const;
  void size_memory();
  bool compare_mass(const double* Mw) const;
  struct Weights;
  Weights weights_in_time(double t, double step) const;
  bool takes(std::size_t unit, Units units) const {
    if (units == Units::jets) return unit_takes_jets(unit);
    if (units == Units::series) return unit_takes_series(unit);
    return units == Units::all || unit_is_exact_[unit] == (units == Units::exact);
  }
  template <class T>
  void evaluate(Bench<T>& bench, const T& t, const typename Point<T>::States& states, const T* dy, T* r, Units units);
  template <class T>
  void subtract_mass(Bench<T>& bench, const Point<T>& point, const T* dy, T* r);
  void linearize_exactly(double t, const double* y, const double* dy, double* J, double* M, double* slope);
  void take_given(double t, const double* y, const double* dy, double* J, double* slope);
  void difference(double t, const double* y, const double* dy, double* J, double* M, double* slope);
  void first_along(double t, const double* y, const double* dy, const double* ddy, double* r);
  void highest_along(int order, double t, const double* z, const std::function<bool(int)>& can, double* r);
  void second_along(double t, const double* z, std::span<const int> rows, double* r);
  void difference_along(int order, double t, const double* z, std::span<const int> rows, double* r);
  bool unit_takes_jets(std::size_t unit) const;
  bool unit_takes_series(std::size_t unit) const;
  /// Row of the rate of this state, -1 if it has none.
  int rate_row(int state) const { return row_of_state_[static_cast<std::size_t>(state)]; }

  std::shared_ptr<const System::Declarations> model_;
  int size_ = 0, rate_rows_ = 0;
  std::vector<int> assigned_, row_of_state_;  // states with a rate; their rows
  bool is_given_ = false;                     // J of the rates is a function of the model
  std::vector<bool> unit_is_exact_;           // the rates with their mass matrix, then the equations
  std::vector<bool> all_inexact_;
  std::vector<std::size_t> unit_of_row_;
  std::vector<int> first_row_;  // of each equation

  const Held* held_ = nullptr;
  const double* parameters_ = nullptr;
  Held declared_;  // for the time before a run

  std::shared_ptr<const Observed> observed_;
  double earliest_ = std::numeric_limits<double>::infinity();    // time anybody has asked for
  std::vector<double> direction_;                                // w, of rates
  std::vector<double> assumed_mass_, assumed_size_, seen_mass_;  // M w by row, and the sum of its terms; empty: none
  bool mass_has_changed_ = false, looks_back_ = false;
  bool skips_rates_ = false;

  std::unique_ptr<Bench<double>> numbers_;
  std::unique_ptr<Bench<Gradient>> duals_;
  std::vector<double> zero_, scale_, point_, rates_, base_, moved_, given_;
};

}  // namespace pawl::formulate
