// The three kinds of shifted systems, behind make_shifted_system.
#pragma once

#include <memory>
#include <vector>

#include "numerics/shifted_system.hpp"

namespace pawl::shifted {

std::unique_ptr<ShiftedSystem> make_dense(const MatrixPair& matrices, int real_slots, int complex_slots);

/// Unknowns in an order that keeps the entries near the diagonal, and how near.
struct BandOrder {
  std::vector<int> unknown;  ///< the unknown at each place
  int lower = 0, upper = 0;  ///< entries (i, j), by place, have i - j <= lower and j - i <= upper
};
/// The given order where it is good, otherwise that of reverse Cuthill and McKee.
BandOrder band_order(const MatrixPair& matrices);
std::unique_ptr<ShiftedSystem> make_band(const MatrixPair& matrices, int real_slots, int complex_slots,
                                         BandOrder order);

std::unique_ptr<ShiftedSystem> make_sparse(const MatrixPair& matrices, int real_slots, int complex_slots);

/// The first column in which J or M is not finite; -1: none.
int column_not_finite(const MatrixPair& matrices);

/// The pattern of the pair; all entries where it is dense.
struct Pattern {
  std::vector<int> first, row;
};
Pattern pattern_of(const MatrixPair& matrices);

}  // namespace pawl::shifted
