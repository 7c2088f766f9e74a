#include "formulate/dae_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/QR>
#include <Eigen/SparseLU>

namespace pawl::formulate {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
constexpr int largest_dense = 400;
constexpr int most_iterations = 1000;  // an exponential is descended by a factor e in each
constexpr double close = 1e-7;         // relative changes below which Newton's method is left alone
constexpr double consistent = 1e-9;    // residuals, relative to their terms
constexpr double rank_threshold = 1e-11;
constexpr double free_weight = 1e-4;            // of unknowns that are no guesses, where weights have to do
constexpr double differentiated_weight = 1e-6;  // of F' against F, where both cannot hold

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

enum class Purpose { start, jump, rates };

class Stages {
 public:
  Stages(DaeForm& form, double t, const double* y, const double* dy, std::vector<bool> fixed, Purpose purpose)
      : form_(form), structure_(form.structure()), t_(t), n_(form.size()), fixed_(std::move(fixed)), purpose_(purpose) {
    for (std::vector<double>& order : z_) order.assign(at(n_), 0.0);
    for (std::vector<double>& order : r_) order.assign(at(n_), 0.0);
    for (int j = 0; j < n_; ++j) {
      z_[0][at(j)] = y[j];
      if (dy != nullptr && std::isfinite(dy[j])) z_[1][at(j)] = dy[j];
    }
    before_ = z_[0];
    fixed_.resize(at(n_), purpose == Purpose::rates);
  }

  /// Returns why it cannot.
  std::string run() {
    if (!structure_.failure.empty()) return structure_.failure;
    if (n_ == 0) return {};
    const int highest = *std::max_element(structure_.d.begin(), structure_.d.end());
    const int most = *std::max_element(structure_.c.begin(), structure_.c.end());
    const auto guess = z_;
    std::string failure;
    for (int stage = -highest; stage <= 0 && failure.empty(); ++stage) {
      arrange(stage);
      failure = solve();
    }
    // A fixed value may ask for a change of something that an earlier stage has settled.
    const bool any_fixed = std::find(fixed_.begin(), fixed_.end(), true) != fixed_.end();
    if (!failure.empty() && any_fixed && n_ <= largest_dense && purpose_ != Purpose::rates) {
      z_ = guess;
      is_together_ = true;
      arrange_together();
      failure = solve();
      is_together_ = false;
    }
    // Of a force of index 3 it takes third derivatives.
    if (failure.empty() && (most < 2 || (highest <= 2 && form_.equations().takes_jets()))) take_algebraic_rates();
    return failure;
  }

  const std::vector<double>& y() const { return z_[0]; }
  const std::vector<double>& dy() const { return z_[1]; }

 private:
  struct Unknown {
    int state, order;
  };
  struct Row {
    int row, order;
  };

  void arrange(int stage) {
    stage_ = stage;
    unknowns_.clear();
    rows_.clear();
    for (int j = 0; j < n_; ++j) {
      const int order = structure_.d[at(j)] + stage;
      if (order >= 0 && !(order == 0 && fixed_[at(j)])) unknowns_.push_back({j, order});
    }
    for (int i = 0; i < n_; ++i) {
      if (structure_.c[at(i)] + stage >= 0) rows_.push_back({i, structure_.c[at(i)] + stage});
    }
  }

  /// All stages at once.
  void arrange_together() {
    unknowns_.clear();
    rows_.clear();
    for (int j = 0; j < n_; ++j)
      for (int order = fixed_[at(j)] ? 1 : 0; order <= structure_.d[at(j)]; ++order) unknowns_.push_back({j, order});
    for (int i = 0; i < n_; ++i)
      for (int order = 0; order <= structure_.c[at(i)]; ++order) rows_.push_back({i, order});
  }

  bool is_guess(const Unknown& one) const { return one.order == 0 && structure_.d[at(one.state)] > 0; }

  /// F_i^(k + c_i) of the stage.
  void residual(Eigen::VectorXd& b) {
    int highest = 0;
    for (const Row& one : rows_) highest = std::max(highest, one.order);
    DaeEquations& equations = form_.equations();
    equations.residual(t_, z_[0].data(), z_[1].data(), r_[0].data());
    for (int order = 1; order <= highest; ++order)
      equations.along_motion(order, t_, z_[0].data(), z_[1].data(), z_[2].data(), z_[3].data(), r_[at(order)].data());
    b.resize(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double sum = 0;
      for (const auto& [row, factor] : structure_.rows[at(rows_[i].row)])
        sum += factor * r_[at(rows_[i].order)][at(row)];
      b(static_cast<Eigen::Index>(i)) = sum;
    }
  }

  // d F^(m) / d y^(k) = C(m, k) D^(m-k) F_y + C(m, k-1) D^(m-k+1) F_y' with the total derivative D. Within a stage only
  // the terms without D occur; where stages are solved together the others are taken by differences along the motion.
  void linearize() {
    const std::vector<double>&y = z_[0], &dy = z_[1];
    sample_ = form_.sample(t_, y.data(), dy.data());
    int highest = 0;
    for (const Row& one : rows_) highest = std::max(highest, is_together_ ? one.order : 0);
    std::array<DaeSample, 3> along{sample_, {}, {}};  // and its first two derivatives
    if (highest > 0) differentiate_sample(along);
    std::array<std::vector<int>, 5> place;  // per order and state: the column
    for (std::vector<int>& one : place) one.assign(at(n_), -1);
    for (std::size_t j = 0; j < unknowns_.size(); ++j)
      place[at(unknowns_[j].order)][at(unknowns_[j].state)] = static_cast<int>(j);
    constexpr std::array<std::array<int, 3>, 4> binomial{{{1, 0, 0}, {1, 1, 0}, {1, 2, 1}, {1, 3, 3}}};
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const int m = rows_[i].order;
      for (int q = 0; q <= (is_together_ ? m : 0); ++q) {
        for (const auto& [row, factor] : structure_.rows[at(rows_[i].row)]) {
          const double share = factor * binomial[at(m)][at(q)];
          for (Matrix::InnerIterator entry(along[at(q)].J, row); entry; ++entry)
            if (const int j = place[at(m - q)][at(static_cast<int>(entry.col()))]; j >= 0)
              entries.emplace_back(static_cast<int>(i), j, share * entry.value());
          for (Matrix::InnerIterator entry(along[at(q)].M, row); entry; ++entry)
            if (const int j = place[at(m - q + 1)][at(static_cast<int>(entry.col()))]; j >= 0)
              entries.emplace_back(static_cast<int>(i), j, -share * entry.value());
        }
      }
    }
    A_.resize(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(unknowns_.size()));
    A_.setFromTriplets(entries.begin(), entries.end());
    find_scales();
  }

  void differentiate_sample(std::array<DaeSample, 3>& along) {
    const double s = 10 * form_.equations().path_step(t_, z_[0].data(), z_[1].data(), z_[2].data());
    std::array<DaeSample, 2> ends;
    std::vector<double> y(at(n_)), dy(at(n_));
    for (const int side : {0, 1}) {
      const double step = side == 0 ? -s : s;
      for (int j = 0; j < n_; ++j) {
        y[at(j)] = z_[0][at(j)] + step * (z_[1][at(j)] + step / 2 * z_[2][at(j)]);
        dy[at(j)] = z_[1][at(j)] + step * (z_[2][at(j)] + step / 2 * z_[3][at(j)]);
      }
      ends[at(side)] = form_.sample(t_ + step, y.data(), dy.data());
    }
    along[1] = {(ends[1].J - ends[0].J) / (2 * s), (ends[1].M - ends[0].M) / (2 * s)};
    along[2] = {(ends[1].J - 2 * sample_.J + ends[0].J) / (s * s), (ends[1].M - 2 * sample_.M + ends[0].M) / (s * s)};
  }

  // Guesses are measured by their nominal size, derivatives by what makes their columns about one.
  void find_scales() {
    size_.resize(A_.cols());
    scale_.setOnes(A_.rows());
    for (Eigen::Index j = 0; j < A_.cols(); ++j) {
      const int state = unknowns_[static_cast<std::size_t>(j)].state;
      size_(j) = form_.equations().nominal(state, z_[0][at(state)]);
    }
    for (int sweep = 0; sweep < 3; ++sweep) {
      Eigen::VectorXd column = Eigen::VectorXd::Zero(A_.cols());
      for (Eigen::Index i = 0; i < A_.rows(); ++i) {
        double largest = 0;
        for (Matrix::InnerIterator entry(A_, i); entry; ++entry)
          largest = std::max(largest, std::abs(entry.value()) * size_(entry.col()));
        if (largest > 0 && std::isfinite(largest)) scale_(i) = largest;
        for (Matrix::InnerIterator entry(A_, i); entry; ++entry)
          column(entry.col()) = std::max(column(entry.col()), std::abs(entry.value()) * size_(entry.col()) / scale_(i));
      }
      for (Eigen::Index j = 0; j < A_.cols(); ++j) {
        if (unknowns_[static_cast<std::size_t>(j)].order > 0 && column(j) > 0 && std::isfinite(column(j)))
          size_(j) /= column(j);
      }
    }
  }

  /// How large the terms of each row are: what its residual is measured against.
  Eigen::VectorXd terms() const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(A_.rows());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const int order = rows_[i].order;
      double& total = sum(static_cast<Eigen::Index>(i));
      for (const auto& [row, factor] : structure_.rows[at(rows_[i].row)]) {
        for (Matrix::InnerIterator entry(sample_.J, row); entry; ++entry) {
          const int j = static_cast<int>(entry.col());
          const double value = z_[at(order)][at(j)];
          total +=
              std::abs(factor * entry.value()) * (order == 0 ? form_.equations().nominal(j, value) : std::abs(value));
        }
        for (Matrix::InnerIterator entry(sample_.M, row); entry; ++entry)
          total += std::abs(factor * entry.value() * z_[at(order + 1)][at(static_cast<int>(entry.col()))]);
      }
    }
    return sum;
  }

  /// The change of unknowns (in units of their sizes) that makes the linearized rows zero and moves guesses least.
  bool step(const Eigen::VectorXd& b, Eigen::VectorXd& change) {
    Matrix A = scale_.cwiseInverse().asDiagonal() * A_ * size_.asDiagonal();
    Eigen::VectorXd right = -b.cwiseQuotient(scale_);
    if (purpose_ == Purpose::rates) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].order == 0) continue;
        A.row(static_cast<Eigen::Index>(i)) *= differentiated_weight;
        right(static_cast<Eigen::Index>(i)) *= differentiated_weight;
      }
    }
    const bool is_jump = purpose_ == Purpose::jump && !is_together_;
    if (n_ > largest_dense) {
      if (is_jump && sparse_jump(A, right, change)) return true;
      return sparse_step(A, right, weights(), change);
    }
    const Eigen::MatrixXd dense = A;
    if (!dense.allFinite()) return false;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr(dense.rows(), dense.cols());
    qr.setThreshold(purpose_ == Purpose::rates ? 1e-14 : rank_threshold);
    qr.compute(dense);
    change = qr.solve(right);
    if (qr.rank() == dense.cols() || purpose_ == Purpose::rates) return change.allFinite();
    // The rest is free: of all solutions change + Z p, that one which has the impulses, then the one that moves guesses
    // least.
    Eigen::MatrixXd Z = null_space(qr);
    if (is_jump) {
      const Balance balance = find_balance();
      const Eigen::Index free = Z.cols(), impulses = balance.A.cols() - dense.cols();
      const Eigen::MatrixXd all = balance.A;
      Eigen::MatrixXd L(all.rows(), free + impulses);
      L << all.leftCols(dense.cols()) * Z, all.rightCols(impulses);
      if (!L.allFinite()) return false;
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> jump(L.rows(), L.cols());
      jump.setThreshold(rank_threshold);
      jump.compute(L);
      if (L.rows() > 0) {
        change += Z * jump.solve(balance.right - all.leftCols(dense.cols()) * change).head(free);
        Z = Z * null_space(jump).topRows(free);
      }
    }
    if (Z.cols() == 0) return change.allFinite();
    const Eigen::VectorXd kept = weights(0);
    const Eigen::MatrixXd BZ = kept.asDiagonal() * Z;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least(BZ.rows(), BZ.cols());
    least.setThreshold(rank_threshold);
    least.compute(BZ);
    change -= Z * least.solve(kept.asDiagonal() * change);
    return change.allFinite();
  }

  static Eigen::MatrixXd null_space(const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>& qr) {
    const Eigen::Index n = qr.cols();
    const Eigen::MatrixXd Z = (qr.matrixZ().transpose() * Eigen::MatrixXd::Identity(n, n)).rightCols(n - qr.rank());
    return qr.colsPermutation() * Z;
  }

  /// The rows of the next stage, integrated over the jump: columns are the unknowns of this stage, in units of their
  /// sizes, then the impulses.
  struct Balance {
    Matrix A;
    Eigen::VectorXd right;
  };
  Balance find_balance() const {
    std::vector<int> place(at(n_), -1), impulse(at(n_), -1);
    for (std::size_t j = 0; j < unknowns_.size(); ++j)
      if (unknowns_[j].order == 0) place[at(unknowns_[j].state)] = static_cast<int>(j);
    auto columns = static_cast<int>(unknowns_.size());
    for (int j = 0; j < n_; ++j)
      if (structure_.d[at(j)] == -stage_ - 1) impulse[at(j)] = columns++;
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> right;
    for (int i = 0; i < n_; ++i) {
      if (structure_.c[at(i)] != -stage_ - 1) continue;
      const auto row = static_cast<int>(right.size());
      double sum = 0;
      for (const auto& [equation, factor] : structure_.rows[at(i)]) {
        for (Matrix::InnerIterator entry(sample_.M, equation); entry; ++entry) {
          const auto j = static_cast<int>(entry.col());
          if (structure_.d[at(j)] != -stage_) continue;
          sum -= factor * entry.value() * (z_[0][at(j)] - before_[at(j)]);
          if (place[at(j)] >= 0) entries.emplace_back(row, place[at(j)], factor * entry.value() * size_(place[at(j)]));
        }
        for (Matrix::InnerIterator entry(sample_.J, equation); entry; ++entry)
          if (const int j = impulse[static_cast<std::size_t>(entry.col())]; j >= 0)
            entries.emplace_back(row, j, -factor * entry.value());
      }
      right.push_back(sum);
    }
    Balance result{{static_cast<Eigen::Index>(right.size()), columns},
                   Eigen::Map<Eigen::VectorXd>(right.data(), static_cast<Eigen::Index>(right.size()))};
    result.A.setFromTriplets(entries.begin(), entries.end());
    scale(result);
    return result;
  }

  /// Rows to about one; of the columns only those of impulses, which have no size of their own.
  void scale(Balance& balance) const {
    for (int sweep = 0; sweep < 3; ++sweep) {
      Eigen::VectorXd columns = Eigen::VectorXd::Ones(balance.A.cols());
      columns.tail(balance.A.cols() - A_.cols()).setZero();
      for (Eigen::Index i = 0; i < balance.A.rows(); ++i) {
        double largest = 0;
        for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
          largest = std::max(largest, std::abs(entry.value()));
        if (!(largest > 0) || !std::isfinite(largest)) continue;
        balance.right(i) /= largest;
        for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry) {
          entry.valueRef() /= largest;
          if (entry.col() >= A_.cols()) columns(entry.col()) = std::max(columns(entry.col()), std::abs(entry.value()));
        }
      }
      for (Eigen::Index i = 0; i < balance.A.rows(); ++i)
        for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
          if (columns(entry.col()) > 0) entry.valueRef() /= columns(entry.col());
    }
  }

  /// Constraints and balance in one sparse system. False: it is singular.
  bool sparse_jump(const Matrix& A, const Eigen::VectorXd& right, Eigen::VectorXd& change) const {
    const Balance balance = find_balance();
    if (A.rows() + balance.A.rows() > balance.A.cols()) return false;
    Matrix both(A.rows() + balance.A.rows(), balance.A.cols());
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      for (Matrix::InnerIterator entry(A, i); entry; ++entry)
        entries.emplace_back(static_cast<int>(i), static_cast<int>(entry.col()), entry.value());
    for (Eigen::Index i = 0; i < balance.A.rows(); ++i)
      for (Matrix::InnerIterator entry(balance.A, i); entry; ++entry)
        entries.emplace_back(static_cast<int>(A.rows() + i), static_cast<int>(entry.col()), entry.value());
    both.setFromTriplets(entries.begin(), entries.end());
    Eigen::VectorXd rhs(both.rows()), weight = Eigen::VectorXd::Constant(both.cols(), free_weight), all;
    rhs << right, balance.right;
    weight.head(A.cols()) = weights();
    if (!sparse_step(both, rhs, weight, all)) return false;
    change = all.head(A.cols());
    return true;
  }

  /// In what unit changes of a guess are compared with those of others: components of one vector must have the same.
  double weight_size(const Unknown& one) const {
    const std::vector<double>& nominals = form_.equations().model().nominals;
    return !nominals.empty() && nominals[at(one.state)] > 0 ? nominals[at(one.state)] : 1.0;
  }
  /// How much changes of unknowns count: those of guesses, and next to nothing the others.
  Eigen::VectorXd weights(double of_others = free_weight) const {
    Eigen::VectorXd result = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(unknowns_.size()), of_others);
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      if (is_guess(unknowns_[j])) result(k) = size_(k) / weight_size(unknowns_[j]);
    }
    return result;
  }

  // Many unknowns: one sparse factorization. Weights stand for the order in which unknowns are to be kept.
  static bool sparse_step(const Matrix& A, const Eigen::VectorXd& right, const Eigen::VectorXd& weights,
                          Eigen::VectorXd& change) {
    const Eigen::Index m = A.rows(), n = A.cols();
    Eigen::SparseMatrix<double> K;
    Eigen::VectorXd rhs;
    if (m == n) {
      K = A;
      rhs = right;
    } else {
      // m < n: W x + A^T l = 0, A x = b. m > n: r + A x = b, A^T r = 0.
      std::vector<Eigen::Triplet<double>> entries;
      const Eigen::Index shift = m < n ? n : m;
      for (Eigen::Index i = 0; i < m; ++i) {
        for (Matrix::InnerIterator entry(A, i); entry; ++entry) {
          const auto a = static_cast<int>(m < n ? n + i : i),
                     b = static_cast<int>(m < n ? entry.col() : m + entry.col());
          entries.emplace_back(a, b, entry.value());
          entries.emplace_back(b, a, entry.value());
        }
      }
      for (Eigen::Index k = 0; k < shift; ++k) {
        const double weight = m < n ? weights(k) : 1;
        entries.emplace_back(static_cast<int>(k), static_cast<int>(k), weight * weight);
      }
      K.resize(m + n, m + n);
      K.setFromTriplets(entries.begin(), entries.end());
      rhs = Eigen::VectorXd::Zero(m + n);
      rhs.segment(m < n ? n : 0, m) = right;
    }
    K.makeCompressed();
    Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
    lu.compute(K);
    if (lu.info() != Eigen::Success) return false;
    const Eigen::VectorXd all = lu.solve(rhs);
    change = m > n ? Eigen::VectorXd(all.tail(n)) : Eigen::VectorXd(all.head(n));
    return change.allFinite();
  }

  void move(const Eigen::VectorXd& change, double factor) {
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      z_[at(unknowns_[j].order)][at(unknowns_[j].state)] += factor * change(k) * size_(k);
    }
  }

  /// The largest change, each relative to the size its unknown has.
  double relative(const Eigen::VectorXd& change) const {
    std::array<double, 4> largest{};
    const auto nominal = [&](const Unknown& one) { return form_.equations().nominal(one.state, z_[0][at(one.state)]); };
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& one = unknowns_[j];
      const auto k = static_cast<Eigen::Index>(j);
      const double value = z_[at(one.order)][at(one.state)], next = value + change(k) * size_(k);
      largest[at(one.order)] =
          std::max(largest[at(one.order)], std::max(std::abs(value), std::abs(next)) / nominal(one));
    }
    double result = 0;
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& one = unknowns_[j];
      const auto k = static_cast<Eigen::Index>(j);
      const double whole = one.order == 0 ? nominal(one) : nominal(one) * largest[at(one.order)];
      if (change(k) != 0) result = std::max(result, std::abs(change(k)) * size_(k) / whole);
    }
    return result;
  }

  std::string solve() {
    if (rows_.empty()) return {};
    if (unknowns_.empty()) return purpose_ == Purpose::rates ? std::string() : check_without_unknowns();
    Eigen::VectorXd b, change;
    residual(b);
    if (!b.allFinite()) return say_not_finite(b);
    if (purpose_ != Purpose::rates) {
      linearize();
      if (is_within(b, 4e-15, 4e-15)) return {};  // as good as it gets
    }
    double last = std::numeric_limits<double>::infinity();
    bool is_stuck = false;
    for (int iteration = 0; iteration < most_iterations && !is_stuck; ++iteration) {
      linearize();
      if (!step(b, change)) return say_stuck(b);
      const double size = relative(change);
      if (size == 0) break;
      if (size <= close) {
        // At the end rounding decides; more steps than that do no good.
        if (size > 0.3 * last) break;
        const auto before = z_;
        const Eigen::VectorXd b_before = b;
        move(change, 1);
        residual(b);
        if (!b.allFinite()) {
          z_ = before;
          b = b_before;
          break;
        }
        if (size < 1e-15) break;
      } else {
        is_stuck = !search(change, b);
      }
      last = size;
    }
    if (purpose_ == Purpose::rates) return {};
    linearize();
    return is_within(b, consistent, 1e-12) ? std::string() : say_stuck(b);
  }

  /// Whether the rows are zero, relative to their terms as they are and as they may be.
  bool is_within(const Eigen::VectorXd& b, double of_terms, double of_nominals) const {
    const Eigen::VectorXd whole = terms(), rounding = nominal_terms();
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (!(std::abs(b(i)) <= of_terms * whole(i) + of_nominals * rounding(i))) return false;
    return true;
  }

  /// The same with nominal sizes for values, moving as fast as the fastest of all does: rows whose terms happen to
  /// vanish still have rounding of this size.
  Eigen::VectorXd nominal_terms() const {
    double rate = 0;
    for (int j = 0; j < n_; ++j)
      rate = std::max(rate, std::abs(z_[1][at(j)]) / form_.equations().nominal(j, z_[0][at(j)]));
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(A_.rows());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double& total = sum(static_cast<Eigen::Index>(i));
      const double power = std::pow(rate, rows_[i].order);
      const auto nominal = [&](Eigen::Index j) {
        return form_.equations().nominal(static_cast<int>(j), z_[0][static_cast<std::size_t>(j)]);
      };
      for (const auto& [row, factor] : structure_.rows[at(rows_[i].row)]) {
        for (Matrix::InnerIterator entry(sample_.J, row); entry; ++entry)
          total += std::abs(factor * entry.value()) * nominal(entry.col()) * power;
        for (Matrix::InnerIterator entry(sample_.M, row); entry; ++entry)
          total += std::abs(factor * entry.value()) * nominal(entry.col()) * power * rate;
      }
    }
    return sum;
  }

  /// A part of the step that reduces the residual (Armijo); false: there is none.
  bool search(const Eigen::VectorXd& change, Eigen::VectorXd& b) {
    const double before = b.cwiseQuotient(scale_).squaredNorm();
    const auto from = z_;
    Eigen::VectorXd trial;
    for (double factor = 1; factor > 1e-9; factor /= 2) {
      z_ = from;
      move(change, factor);
      residual(trial);
      if (!trial.allFinite() || !(trial.cwiseQuotient(scale_).squaredNorm() <= (1 - 1e-4 * factor) * before)) continue;
      b = trial;
      return true;
    }
    z_ = from;
    return false;
  }

  /// One stage beyond the last: linear, for the rates of algebraic unknowns.
  void take_algebraic_rates() {
    arrange(1);
    std::vector<double> found = z_[1];
    for (const Unknown& one : unknowns_)
      if (one.order <= 3) z_[at(one.order)][at(one.state)] = 0;
    Eigen::VectorXd b, change;
    residual(b);
    if (!b.allFinite()) return z_[1].swap(found);
    linearize();
    const Purpose purpose = std::exchange(purpose_, Purpose::start);
    const bool is_solved = step(b, change);
    purpose_ = purpose;
    if (!is_solved) return z_[1].swap(found);
    move(change, 1);
  }

  std::string check_without_unknowns() {
    Eigen::VectorXd b;
    residual(b);
    if (!b.allFinite()) return say_not_finite(b);
    linearize();
    const Eigen::VectorXd whole = terms();
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (std::abs(b(i)) > consistent * whole(i)) return say_stuck(b);
    return {};
  }

  std::string row_text(std::size_t i) const {
    const auto& parts = structure_.rows[at(rows_[i].row)];
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(parts.size(), 3); ++k)
      text += (k == 0 ? "" : " with ") + form_.equations().row_name(parts[k].first);
    if (rows_[i].order == 1) text = "the derivative of " + text;
    if (rows_[i].order == 2) text = "the second derivative of " + text;
    return text;
  }
  std::string say_not_finite(const Eigen::VectorXd& b) const {
    std::size_t worst = 0;
    while (std::isfinite(b(static_cast<Eigen::Index>(worst)))) ++worst;
    return fmt::format(
        "t = {:.10g}: no consistent values: {} is not finite at the guess.\n"
        "  try:    start values for which the model can be evaluated",
        t_, row_text(worst));
  }
  std::string say_stuck(const Eigen::VectorXd& b) {
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
      if (fixed_[at(j)] && is_settled && is_read(j)) held.push_back("'" + form_.name(j) + "'");
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
  bool is_read(int state) const {
    for (const Row& one : rows_) {
      for (const auto& [row, factor] : structure_.rows[at(one.row)]) {
        const RowReads& reads = form_.equations().reads()[at(row)];
        if (std::binary_search(reads.values.begin(), reads.values.end(), state)) return true;
      }
    }
    return false;
  }
  /// The combination of rows that no unknown can change; empty: there is none, or there are too many rows.
  std::vector<double> left_null() const {
    const Eigen::MatrixXd A = scale_.cwiseInverse().asDiagonal() * A_ * size_.asDiagonal();
    if (n_ > largest_dense || A.size() == 0 || !A.allFinite()) return {};
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.rows(), A.cols());
    qr.setThreshold(1e-8);
    qr.compute(A);
    if (qr.rank() == A.rows()) return {};
    const Eigen::MatrixXd Q = qr.householderQ();
    const Eigen::VectorXd w = Q.col(A.rows() - 1);
    return {w.data(), w.data() + w.size()};
  }

  DaeForm& form_;
  const DaeStructure& structure_;
  double t_;
  int n_;
  std::vector<bool> fixed_;
  Purpose purpose_;
  int stage_ = 0;
  bool is_together_ = false;
  std::array<std::vector<double>, 4> z_;  // y and its derivatives
  std::array<std::vector<double>, 4> r_;
  std::vector<double> before_;  // y at the guess
  std::vector<Unknown> unknowns_;
  std::vector<Row> rows_;
  DaeSample sample_;
  Matrix A_;
  Eigen::VectorXd size_, scale_;  // of unknowns and rows
};

}  // namespace

StartReport find_consistent(DaeForm& form, double t, double* y, double* dy, const std::vector<bool>& fixed,
                            bool after_jump) {
  form.follow(t, y);
  Stages stages(form, t, y, dy, fixed, after_jump ? Purpose::jump : Purpose::start);
  StartReport report{stages.run(), {}};
  if (!report.failure.empty()) return report;
  int changes = 0;
  for (int j = 0; j < form.size(); ++j) {
    const double now = stages.y()[at(j)];
    const bool is_kept =
        form.structure().d[at(j)] == 0 ||
        std::abs(now - y[j]) <= 1e-10 * form.equations().nominal(j, std::max(std::abs(y[j]), std::abs(now)));
    if (!is_kept && ++changes <= 6)
      report.changes += fmt::format("{}'{}' from {:.6g} to {:.6g}", changes == 1 ? "" : ", ", form.name(j), y[j], now);
    y[j] = now;
    dy[j] = stages.dy()[at(j)];
  }
  if (changes > 6) report.changes += fmt::format(" and {} more", changes - 6);
  return report;
}

std::string find_rates(DaeForm& form, double t, const double* y, double* dy) {
  form.follow(t, y);
  Stages stages(form, t, y, nullptr, {}, Purpose::rates);
  std::string failure = stages.run();
  if (failure.empty()) std::copy(stages.dy().begin(), stages.dy().end(), dy);
  return failure;
}

}  // namespace pawl::formulate
