#include "integrate/algebraic_part.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formulate/dae_rank.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl {

bool AlgebraicPart::find(const MatrixPair& matrices, const std::vector<formulate::Role>& roles, bool is_constant) {
  if (matrices.M.empty()) return false;
  if (std::exchange(is_sure_, is_constant)) return is_found_;
  is_found_ = find_rows(matrices, roles);
  has_combinations_ = !is_found_ && is_constant && find_combinations(matrices);
  return is_found_ = is_found_ || has_combinations_;
}

/// False: rows without rates are not as many as the algebraic unknowns.
bool AlgebraicPart::find_rows(const MatrixPair& matrices, const std::vector<formulate::Role>& roles) {
  const auto n = roles.size();
  is_row_.assign(n, 1);
  is_unknown_.assign(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    is_unknown_[j] = roles[j].is_differential ? 0 : 1;
    if (matrices.is_sparse) {
      for (int k = matrices.first[j]; k < matrices.first[j + 1]; ++k)
        if (matrices.M[at(k)] != 0) is_row_[at(matrices.row[at(k)])] = 0;
    } else {
      for (std::size_t i = 0; i < n; ++i)
        if (matrices.M[j * n + i] != 0) is_row_[i] = 0;
    }
  }
  const auto count = [](const std::vector<char>& all) { return std::count(all.begin(), all.end(), 1); };
  return count(is_unknown_) > 0 && count(is_row_) == count(is_unknown_);
}

/// By singular values of M in units that balance it, so that those it has do not matter.
bool AlgebraicPart::find_combinations(const MatrixPair& matrices) {
  constexpr int most_unknowns = 100;
  constexpr double nothing = 1e-10;
  const Eigen::Index n = matrices.size;
  if (matrices.is_sparse || n > most_unknowns) return false;
  if (mass_ == matrices.M) return equations_.size() > 0;
  mass_ = matrices.M;
  equations_.resize(0, 0);
  Eigen::MatrixXd M = Eigen::Map<const Eigen::MatrixXd>(mass_.data(), n, n);
  if (!M.allFinite()) return false;
  const formulate::Exponents units =
      formulate::balance(M.unaryExpr([](double entry) { return std::log2(std::abs(entry)); }));
  const auto size = [](double exponent) { return std::exp2(-std::round(exponent)); };
  const Eigen::VectorXd rows = units.rows.unaryExpr(size), columns = units.columns.unaryExpr(size);
  M = rows.cwiseInverse().asDiagonal() * M * columns.cwiseInverse().asDiagonal();
  const linear::SingularValues left = linear::singular_values(M), right = linear::singular_values(M.transpose());
  const auto is_nothing = [&](double value) { return !(value > nothing * left.values[0]); };
  const auto count = std::count_if(left.values.begin(), left.values.end(), is_nothing);
  if (count == 0) return false;
  // Exact zeros where rows have nothing in common: what is rounding here may be large in other units.
  const auto projector = [&](const Eigen::MatrixXd& U) -> Eigen::MatrixXd {
    const auto basis = U.rightCols(count);
    return (basis * basis.transpose()).unaryExpr([](double x) { return std::abs(x) > nothing ? x : 0.0; });
  };
  equations_ = rows.asDiagonal() * projector(left.U) * rows.cwiseInverse().asDiagonal();
  unknowns_ = columns.cwiseInverse().asDiagonal() * projector(right.U) * columns.asDiagonal();
  return true;
}

void AlgebraicPart::take_equations(const double* residual, double* out) {
  const auto n = static_cast<Eigen::Index>(is_row_.size());
  if (has_combinations_) {
    work_.noalias() = equations_ * Eigen::Map<const Eigen::VectorXd>(residual, n);
    std::copy(work_.begin(), work_.end(), out);
    return;
  }
  for (std::size_t i = 0; i < is_row_.size(); ++i) out[i] = is_row_[i] != 0 ? residual[i] : 0;
}

void AlgebraicPart::keep_unknowns(double* change) {
  if (has_combinations_) {
    work_.noalias() = unknowns_ * Eigen::Map<const Eigen::VectorXd>(change, unknowns_.cols());
    std::copy(work_.begin(), work_.end(), change);
    return;
  }
  for (std::size_t i = 0; i < is_unknown_.size(); ++i)
    if (is_unknown_[i] == 0) change[i] = 0;
}

void AlgebraicPart::carry(Memory& memory) {
  memory(is_sure_, is_found_, has_combinations_, is_row_, is_unknown_, mass_, equations_, unknowns_);
}

}  // namespace pawl
