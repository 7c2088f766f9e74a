// The rows a structural analysis works on: the equations at first, then combinations of them and their derivatives,
//
//   R_i = Σ factor F_e^(order),   dR_i / dy_j^(m) = Σ factor (J_ej where order = m, -M_ej where order + 1 = m).
//
// The second holds for equations whose J and M are constant; others take part undifferentiated only.
#pragma once

#include <span>
#include <vector>

#include "formulate/dae_equations.hpp"
#include "formulate/dae_rank.hpp"
#include "numerics/assignment.hpp"

namespace pawl::formulate {

/// A term of a combination: an equation (or a row), how often it is differentiated, its factor.
struct RowPart {
  int row, order;
  double factor;
};
using RowParts = std::vector<RowPart>;

/// Terms of a combination whose sum is below this part of their sizes cancel.
inline constexpr double cancels_below = 1e-11;

class CombinedRows {
 public:
  /// The equations themselves, with their derivatives at some points.
  CombinedRows(const RowPattern& pattern, const std::vector<DaeValues>& samples);

  int size() const { return static_cast<int>(parts_.size()); }
  int samples() const { return static_cast<int>(values_.size()); }
  /// In terms of the equations.
  const std::vector<RowParts>& parts() const { return parts_; }

  struct Entry {
    int column, order;
    double value;
  };
  /// dR_i / dy_j^(order) at a point; what cancels is zero.
  std::vector<Entry> entries(int sample, int row) const;
  /// Entries that are there at one of the points at least.
  Signature signature() const;
  /// dR_i / dy_j^(d_j - c_i) at a point.
  MatrixEntries leading(int sample, const std::vector<int>& c, const std::vector<int>& d) const;
  /// Whether the terms of highest order, y_j^(d_j - c), cancel in a combination that takes the place of a row with this
  /// c, at every point, and whether what is differentiated in it is linear with constant coefficients.
  bool can_replace(const RowParts& combination, int c, const std::vector<int>& d, double threshold) const;
  /// Rows with a combination are replaced by it, all at once: combinations refer to the rows as they were. What
  /// cancels is zero.
  void replace(const std::vector<RowParts>& combinations, double threshold);

 private:
  struct Key {
    int column, order;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): what it is rewritten to
  };
  struct Term {
    Key key;
    double value, size;  // of the sum, and of what was added up
  };
  bool is_constant(int row) const;
  std::vector<Term> sum(int sample, const RowParts& combination) const;

  std::vector<RowParts> parts_;
  std::vector<std::vector<Key>> keys_;                    // per row, ascending
  std::vector<std::vector<std::vector<double>>> values_;  // per point and row
};

}  // namespace pawl::formulate
