#include "numerics/orthogonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <Eigen/QR>

#include "numerics/own_bodies.hpp"

namespace pawl::linear {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Ref;
using Eigen::VectorXd;

using Qr = Eigen::ColPivHouseholderQR<MatrixXd>;
using Complete = Eigen::CompleteOrthogonalDecomposition<MatrixXd>;

PivotedQr::PivotedQr(Index rows, Index columns) : qr_(std::make_unique<Qr>(rows, columns)) {}

PivotedQr::PivotedQr(const Ref<const MatrixXd>& A) : PivotedQr(A.rows(), A.cols()) {
  qr_->compute(A);
}

PivotedQr::PivotedQr(const Ref<const MatrixXd>& A, double threshold) : PivotedQr(A.rows(), A.cols()) {
  qr_->setThreshold(threshold);
  qr_->compute(A);
}

void PivotedQr::compute(const Ref<const MatrixXd>& A) {
  qr_->compute(A);
}

double PivotedQr::pivot(Index k) const {
  return qr_->matrixR()(k, k);
}

Index PivotedQr::column_of_pivot(Index k) const {
  return qr_->colsPermutation().indices()(k);
}

Index PivotedQr::rank() const {
  return qr_->rank();
}

MatrixXd PivotedQr::Q() const {
  return qr_->householderQ();
}

VectorXd PivotedQr::solve(const Ref<const VectorXd>& b) const {
  return qr_->solve(b);
}

MatrixXd PivotedQr::solve_columns(const MatrixXd& B) const {
  return qr_->solve(B);
}

LeastNorm::LeastNorm(const Ref<const MatrixXd>& A) : qr_(std::make_unique<Complete>(A.rows(), A.cols())) {
  qr_->compute(A);
}

LeastNorm::LeastNorm(const Ref<const MatrixXd>& A, double threshold)
    : qr_(std::make_unique<Complete>(A.rows(), A.cols())) {
  qr_->setThreshold(threshold);
  qr_->compute(A);
}

Index LeastNorm::rank() const {
  return qr_->rank();
}

VectorXd LeastNorm::solve(const Ref<const VectorXd>& b) const {
  return qr_->solve(b);
}

MatrixXd LeastNorm::solve_columns(const MatrixXd& B) const {
  return qr_->solve(B);
}

MatrixXd LeastNorm::null_space() const {
  const Index n = qr_->cols();
  if (qr_->rank() == n) return MatrixXd::Zero(n, 0);  // Eigen's products step through no columns by a null pointer
  const MatrixXd Z = (qr_->matrixZ().transpose() * MatrixXd::Identity(n, n)).rightCols(n - qr_->rank());
  return qr_->colsPermutation() * Z;
}

SingularValues singular_values(const MatrixXd& A) {
  const Qr qr(A);
  const Index count = std::min(A.rows(), A.cols());
  // Columns of B = R^T W become orthogonal to each other; then U is Q W, and the values are their lengths.
  MatrixXd B = MatrixXd::Zero(A.cols(), count), W = MatrixXd::Identity(count, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = i; j < A.cols(); ++j) B(j, i) = qr.matrixR()(i, j);
  const auto turn = [](double* a, double* b, Index n, double c, double s) {
    for (Index i = 0; i < n; ++i) {
      const double ai = a[i], bi = b[i];
      a[i] = c * ai - s * bi;
      b[i] = s * ai + c * bi;
    }
  };
  constexpr int most_sweeps = 40;
  bool has_turned = true;
  for (int sweep = 0; sweep < most_sweeps && has_turned; ++sweep) {
    has_turned = false;
    for (Index p = 0; p < count; ++p) {
      for (Index q = p + 1; q < count; ++q) {
        const double pp = B.col(p).squaredNorm(), qq = B.col(q).squaredNorm(), pq = B.col(p).dot(B.col(q));
        if (!(std::abs(pq) > std::numeric_limits<double>::epsilon() * std::sqrt(pp) * std::sqrt(qq))) continue;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t);
        turn(B.col(p).data(), B.col(q).data(), B.rows(), c, c * t);
        turn(W.col(p).data(), W.col(q).data(), count, c, c * t);
        has_turned = true;
      }
    }
  }
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index(0));
  const VectorXd lengths = B.colwise().norm();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return lengths(a) > lengths(b); });
  const MatrixXd Q = qr.householderQ();
  SingularValues out{VectorXd(count), Q};
  for (Index k = 0; k < count; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    out.values(k) = lengths(from);
    out.U.col(k).noalias() = Q.leftCols(count) * W.col(from);
  }
  return out;
}

}  // namespace pawl::linear

template class pawl::Own<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>>;
template class pawl::Own<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>>;
