#include "analyze/pencil.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/eigenvalues.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::analyze {

namespace {

using Matrix = Eigen::MatrixXd;
using Eigen::Index;
using linear::SingularValues;

constexpr double negligible = 1e-10;  // relative to the scaled norm: what does not count as a pivot
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double power_of_two_near(double x) {
  return x > 0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1;
}

/// A diagonal similarity by powers of two that makes rows and columns of one size: small eigenvalues beside large ones
/// keep their digits (Parlett and Reinsch, Numer. Math. 13 (1969) 293).
void balance(Matrix& A) {
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (Index i = 0; i < A.rows(); ++i) {
      const double diagonal = std::abs(A(i, i));
      const double column = A.col(i).cwiseAbs().sum() - diagonal, row = A.row(i).cwiseAbs().sum() - diagonal;
      if (!(column > 0) || !(row > 0)) continue;
      const double f = power_of_two_near(std::sqrt(row / column));
      if (column * f + row / f >= 0.95 * (column + row)) continue;
      A.col(i) *= f;
      A.row(i) /= f;
      is_done = false;
    }
  }
}

/// A pencil on its way down. Rows are `left` times the original ones; unknowns have lost their names.
class Descent {
 public:
  Descent(Matrix E, Matrix A) : E_(std::move(E)), A_(std::move(A)), left_(Matrix::Identity(E_.rows(), E_.rows())) {}

  PencilParts run() {
    const Index n = E_.rows();
    scale_time();
    equilibrate();
    bool is_first = true;
    while (true) {
      drop_undetermined();
      if (E_.rows() == 0 || E_.cols() == 0) break;
      const SingularValues of_E = linear::singular_values(E_);
      const Index rank = rank_of(of_E.values, E_.rows());
      if (std::exchange(is_first, false)) parts_.differential = static_cast<int>(rank);
      if (rank == E_.rows()) break;
      descend(of_E.U, rank);
    }
    finish(n);
    return std::move(parts_);
  }

 private:
  /// A unit of time in which E and A are of one size.
  void scale_time() {
    const double of_E = E_.norm(), of_A = A_.norm();
    time_ = of_E > 0 && of_A > 0 ? power_of_two_near(of_A / of_E) : 1;
    A_ /= time_;
  }

  void equilibrate() {
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (Index i = 0; i < E_.rows(); ++i) {
        const double s =
            1 / power_of_two_near(std::max(E_.row(i).cwiseAbs().maxCoeff(), A_.row(i).cwiseAbs().maxCoeff()));
        E_.row(i) *= s;
        A_.row(i) *= s;
        left_.row(i) *= s;
      }
      for (Index j = 0; j < E_.cols(); ++j) {
        const double s =
            1 / power_of_two_near(std::max(E_.col(j).cwiseAbs().maxCoeff(), A_.col(j).cwiseAbs().maxCoeff()));
        E_.col(j) *= s;
        A_.col(j) *= s;
      }
    }
    norm_ = std::max({E_.norm(), A_.norm(), std::numeric_limits<double>::min()});
  }

  /// Of singular values in falling order; `most` of them could count.
  Index rank_of(const Eigen::VectorXd& values, Index most) {
    Index rank = 0;
    while (rank < values.size() && values[rank] > negligible * norm_) ++rank;
    if (rank < most && rank > 0 && rank < values.size())
      note_gap(values[rank - 1], values[rank]);
    else if (rank > 0)
      note_gap(values[rank - 1], 0);
    return rank;
  }
  void note_gap(double counted, double dropped) {
    parts_.smallest_gap = std::min(parts_.smallest_gap, counted / std::max(dropped, epsilon * norm_));
  }

  /// Combinations of unknowns that occur nowhere.
  void drop_undetermined() {
    if (E_.rows() == 0 || E_.cols() == 0) return;
    Matrix both(E_.rows() + A_.rows(), E_.cols());
    both << E_, A_;
    const SingularValues across = linear::singular_values(both.transpose());
    const Index rank = rank_of(across.values, E_.cols());
    if (rank == E_.cols()) return;
    parts_.undetermined += static_cast<int>(E_.cols() - rank);
    const Matrix V = across.U.leftCols(rank);
    E_ = (E_ * V).eval();
    A_ = (A_ * V).eval();
  }

  /// One level: the rows without E restrict the unknowns.
  void descend(const Matrix& U, Index rank) {
    const Matrix constraint_rows = U.rightCols(E_.rows() - rank).transpose();
    const Matrix A2 = constraint_rows * A_;
    const SingularValues of_A2 = linear::singular_values(A2);
    const Index independent = rank_of(of_A2.values, A2.rows());
    const Matrix dependent = of_A2.U.rightCols(A2.rows() - independent).transpose() * constraint_rows * left_;
    for (Index i = 0; i < dependent.rows(); ++i)
      parts_.redundant.emplace_back(dependent.row(i).begin(), dependent.row(i).end());
    const Matrix kept = U.leftCols(rank).transpose();
    E_ = (kept * E_).eval();
    A_ = (kept * A_).eval();
    left_ = (kept * left_).eval();
    if (independent == 0) return;
    ++parts_.index;
    parts_.constraints.push_back(static_cast<int>(independent));
    const Matrix Z = linear::singular_values(A2.transpose()).U.rightCols(A2.cols() - independent);
    E_ = (E_ * Z).eval();
    A_ = (A_ * Z).eval();
    equilibrate();
  }

  void finish(Index n) {
    if (E_.rows() < E_.cols()) {
      parts_.is_singular = true;
      parts_.undetermined += static_cast<int>(E_.cols() - E_.rows());
    }
    const Index size = std::min(E_.rows(), E_.cols());
    parts_.infinite = static_cast<int>(n - size) - parts_.undetermined;
    if (parts_.is_singular || size == 0) return;
    Matrix reduced = linear::solve_with_full_pivoting(E_, A_);
    if (!reduced.allFinite()) return;
    balance(reduced);
    const Eigen::VectorXcd eigenvalues = linear::eigenvalues(reduced);
    for (Index i = 0; i < size; ++i) parts_.finite.push_back(time_ * eigenvalues[i]);
    std::stable_sort(parts_.finite.begin(), parts_.finite.end(),
                     [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  }

  Matrix E_, A_, left_;
  double time_ = 1, norm_ = 1;
  PencilParts parts_;
};

}  // namespace

int PencilParts::hidden_constraints() const {
  int count = 0;
  for (std::size_t level = 1; level < constraints.size(); ++level) count += constraints[level];
  return count;
}

PencilParts take_apart(const Eigen::MatrixXd& E, const Eigen::MatrixXd& A) {
  return Descent(E, A).run();
}

}  // namespace pawl::analyze
