#include "numerics/shifted_system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "numerics/shifted_parts.hpp"

namespace pawl {

namespace shifted {

int column_not_finite(const MatrixPair& matrices) {
  for (int j = 0; j < matrices.size; ++j) {
    const int begin = matrices.is_sparse ? matrices.first[j] : j * matrices.size;
    const int end = matrices.is_sparse ? matrices.first[j + 1] : begin + matrices.size;
    for (int e = begin; e < end; ++e) {
      if (!std::isfinite(matrices.J[e]) || (!matrices.M.empty() && !std::isfinite(matrices.M[e]))) return j;
    }
  }
  return -1;
}

Pattern pattern_of(const MatrixPair& matrices) {
  if (matrices.is_sparse) return {matrices.first, matrices.row};
  Pattern full;
  for (int j = 0; j < matrices.size; ++j) {
    full.first.push_back(j * matrices.size);
    for (int i = 0; i < matrices.size; ++i) full.row.push_back(i);
  }
  full.first.push_back(matrices.size * matrices.size);
  return full;
}

namespace {

// Below 16 unknowns nothing beats a dense matrix; a sparse one pays when most entries are not there.
bool is_best_dense(const MatrixPair& matrices) {
  const int n = matrices.size;
  if (!matrices.is_sparse || n <= 16) return true;
  return n <= 200 && matrices.row.size() > 0.3 * n * n;
}

/// The order in which a band is the best; none: it is too wide in every order, or in the one that is found.
std::optional<BandOrder> best_band(const MatrixPair& matrices) {
  const int widest = matrices.size > 32 ? 16 : 4;
  for (int j = 0; j < matrices.size; ++j)
    if (matrices.first[j + 1] - matrices.first[j] > 2 * widest + 1) return std::nullopt;
  BandOrder order = band_order(matrices);
  return std::max(order.lower, order.upper) <= widest ? std::optional(std::move(order)) : std::nullopt;
}

}  // namespace
}  // namespace shifted

std::string_view to_string(LinearSolver solver) {
  switch (solver) {
    case LinearSolver::automatic:
      return "auto";
    case LinearSolver::dense:
      return "dense";
    case LinearSolver::band:
      return "band";
    case LinearSolver::sparse:
      return "sparse";
  }
  return "?";
}

LinearSolver best_solver(const MatrixPair& matrices) {
  if (shifted::is_best_dense(matrices)) return LinearSolver::dense;
  return shifted::best_band(matrices) ? LinearSolver::band : LinearSolver::sparse;
}

std::unique_ptr<ShiftedSystem> make_shifted_system(const MatrixPair& matrices, int real_slots, int complex_slots,
                                                   LinearSolver kind) {
  using namespace shifted;
  if (kind == LinearSolver::dense) return make_dense(matrices, real_slots, complex_slots);
  if (kind == LinearSolver::band) return make_band(matrices, real_slots, complex_slots, band_order(matrices));
  if (kind == LinearSolver::sparse) return make_sparse(matrices, real_slots, complex_slots);
  if (is_best_dense(matrices)) return make_dense(matrices, real_slots, complex_slots);
  if (auto order = best_band(matrices)) return make_band(matrices, real_slots, complex_slots, std::move(*order));
  return make_sparse(matrices, real_slots, complex_slots);
}

}  // namespace pawl
