// State-space form: some coordinates are integrated, the others follow from the constraints at every stage (Ascher,
// Chin, Petzold and Reich 1995, section 3.1). Which ones is decided at the start of a step and changed when the choice
// has become a poor one.
#include <algorithm>
#include <cmath>

#include "formulate/mechanics_form.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Smallest singular value of the columns of G that belong to dependent coordinates, over the norm of G.
double quality(const Eigen::MatrixXd& G, const std::vector<int>& dependent) {
  Eigen::MatrixXd part(G.rows(), static_cast<Eigen::Index>(dependent.size()));
  for (std::size_t i = 0; i < dependent.size(); ++i) part.col(static_cast<Eigen::Index>(i)) = G.col(dependent[i]);
  return linear::singular_values(part).values.minCoeff() / G.norm();
}

}  // namespace

void MechanicsForm::choose_partition(double t, const double* x) {
  const Eigen::MatrixXd G = dense_jacobian(t, x);
  const linear::PivotedQr qr(G);
  std::vector<int> best;
  for (Eigen::Index r = 0; r < G.rows(); ++r) best.push_back(static_cast<int>(qr.column_of_pivot(r)));
  std::sort(best.begin(), best.end());
  if (!dependent_.empty()) {
    if (best == dependent_ || quality(G, dependent_) > 0.3 * quality(G, best)) return;
    ++partition_changes_;
  }
  dependent_ = best;
}

// Positions by simplified Newton, then speeds by one solve, in the dependent columns alone.
bool MechanicsForm::solve_dependent(double t, double* x) {
  const MechanicsInfo& info = terms_.info();
  const int rows = terms_.rows(), holonomic = terms_.holonomic();
  const auto part = [&](const Eigen::MatrixXd& G) {
    Eigen::MatrixXd columns(rows, rows);
    for (int j = 0; j < rows; ++j) columns.col(j) = G.col(dependent_[at(j)]);
    return columns;
  };
  Eigen::VectorXd r(rows), move(terms_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 12 && holonomic > 0; ++iteration) {
    r.setZero();
    terms_.evaluate_values(t, x, r.data());
    const Eigen::VectorXd d = linear::solve_with_full_pivoting(part(dense_jacobian(t, x)), r);
    const double size = d.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(size)) return false;
    if (size > last / 2) break;
    last = size;
    move.setZero();
    for (int j = 0; j < rows; ++j) move(dependent_[at(j)]) = -d(j);
    terms_.move_positions(move.data(), x);
    if (size == 0) break;
  }
  if (holonomic > 0 && !(last < 1e-6)) return false;
  terms_.rate_of_positions(x);
  terms_.evaluate_motion(t, x);
  for (int row = 0; row < rows; ++row) r(row) = terms_.slope[at(row)];
  const Eigen::VectorXd d = linear::solve_with_full_pivoting(part(dense_jacobian(t, x)), r);
  for (int j = 0; j < rows; ++j) x[info.speeds[at(dependent_[at(j)])]] -= d(j);
  return d.allFinite();
}

}  // namespace pawl::formulate
