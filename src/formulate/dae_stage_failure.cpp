#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/dae_explanation.hpp"
#include "formulate/dae_stages.hpp"
#include "formulate/not_finite.hpp"
#include "numerics/orthogonal.hpp"

// Why a stage has no solution, in words.
namespace pawl::formulate {

std::string Stages::row_text(std::size_t i) const {
  const auto& parts = structure_.rows[at(rows_[i].row)];
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(parts.size(), 3); ++k)
    text += (k == 0 ? "" : " with ") + form_.equations().row_name(parts[k].row);
  if (rows_[i].order == 1) text = "the derivative of " + text;
  if (rows_[i].order == 2) text = "the second derivative of " + text;
  if (rows_[i].order > 2) text = fmt::format("derivative {} of {}", rows_[i].order, text);
  return text;
}

std::string Stages::say_not_finite(const Vector& b) const {
  std::size_t worst = 0;
  while (std::isfinite(b(static_cast<Eigen::Index>(worst)))) ++worst;
  return fmt::format(
      "t = {:.10g}: no consistent values: {} is not finite at the guess.\n"
      "  try:    start values for which the model can be evaluated{}",
      t_, row_text(worst),
      line_of_operation(operation_not_finite(form_.equations().model(), form_.held(), t_, z(0), z(1))));
}

std::string Stages::say_stuck(const Vector& b) const {
  std::size_t worst = 0;
  double largest = -1;
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const double size = std::abs(b(i)) / scale_(i);
    if (size > largest) worst = static_cast<std::size_t>(i), largest = size;
  }
  std::string text = fmt::format("t = {:.10g}: no consistent values: {} is off by {:.3g}", t_, row_text(worst),
                                 b(static_cast<Eigen::Index>(worst)));
  const std::vector<double> shares = left_null();
  std::vector<std::string> held;
  for (int j = 0; j < n_; ++j) {
    const bool is_settled = is_together_ || structure_.d[at(j)] + stage_ >= 0;
    if (fixed_[at(j)] && is_settled && is_read(j)) held.push_back(fmt::format("'{}'", form_.name(j)));
  }
  if (!shares.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows_.size(); ++i) names.push_back(row_text(i));
    text += fmt::format("; {} depend on each other there", largest_shares(shares, names, 3));
  }
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(held.size(), 6); ++i) list += (i == 0 ? "" : ", ") + held[i];
  if (!held.empty()) text += fmt::format("; the fixed {} leave no choice", list);
  text += held.empty() ? ".\n  try:    start values nearer to a solution, or a little away from a singular one"
                       : ".\n  try:    fewer fixed values, or fixed values that the equations allow together";
  return text;
}

bool Stages::is_read(int state) const {
  for (const Row& one : rows_) {
    for (const RowPart& part : structure_.rows[at(one.row)]) {
      const RowReads& reads = form_.equations().reads()[at(part.row)];
      if (std::binary_search(reads.values.begin(), reads.values.end(), state)) return true;
    }
  }
  return false;
}

/// The combination of rows that no unknown can change; empty: there is none, or there are too many rows.
std::vector<double> Stages::left_null() const {
  const Eigen::MatrixXd A = scale_.cwiseInverse().asDiagonal() * A_ * size_.asDiagonal();
  if (n_ > largest_dense || A.size() == 0 || !A.allFinite()) return {};
  const linear::PivotedQr qr(A, 1e-8);
  if (qr.rank() == A.rows()) return {};
  const Eigen::VectorXd w = qr.Q().col(A.rows() - 1);
  return {w.data(), w.data() + w.size()};
}

std::string Stages::weakest_row() {
  constexpr double dependent = 1e-2;
  std::string name;
  double least = std::numeric_limits<double>::infinity();
  if (n_ > largest_dense || is_array()) return name;
  for (int stage = -highest_stage(); stage <= 0; ++stage) {
    arrange(stage);
    if (rows_.empty()) continue;
    linearize();
    const Eigen::MatrixXd A = matrix().transpose();
    const Eigen::Index last = A.cols() - 1;
    if (last >= A.rows() || !A.allFinite()) continue;
    const linear::PivotedQr qr(A);
    const double pivot = std::abs(qr.pivot(last) / qr.pivot(0));
    if (!(pivot < least) || least < dependent) continue;  // a later stage has all rows of the earlier ones
    least = pivot;
    name = row_text(static_cast<std::size_t>(qr.column_of_pivot(last)));
  }
  return name;
}

}  // namespace pawl::formulate
