#include "simulate/initial_equations.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Core>

#include <fmt/format.h>

#include "formulate/dae_bench.hpp"
#include "formulate/dae_equations.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::detail {

namespace {

using formulate::at;

constexpr int most_unknowns = 400;   // the matrices are dense
constexpr int most_iterations = 60;  // of Newton's method, half of them damped at worst
constexpr int most_decisions = 8;    // of conditions, between solutions
constexpr double rank_threshold = 1e-10;
constexpr double enough = 1e-13;  // relative to the sizes of the terms of a row, where a solution is reached

class InitialProblem {
 public:
  InitialProblem(const std::shared_ptr<const System::Declarations>& model, Held held, double t,
                 std::vector<double> start)
      : model_(*model), equations_(model), held_(std::move(held)), t_(t), n_(equations_.size()), y_(std::move(start)) {
    dy_.assign(y_.size(), 0.0);
    for (const EquationInfo& one : model_.initial) rows_ += one.rows;
    held_.states = y_.size();
  }

  std::string solve() {
    for (int round = 0; round < most_decisions; ++round) {
      const bool has_changed = decide();
      if (round > 0 && !has_changed) return {};
      if (std::string failure = iterate(); !failure.empty()) return failure;
    }
    return fmt::format(
        "t = {:.10g}: the initial equations do not settle: they and the conditions contradict each other", t_);
  }
  std::vector<double> take() { return std::move(y_); }

 private:
  // The truths that belong to the values as they are.
  bool decide() {
    const std::vector<signed char> before = held_.truths;
    Surroundings<double> around{&held_};
    formulate::GivenRates<double> rates;
    rates.values = dy_.data();
    around.rates = &rates;
    const Point<double> here(t_, y_.data(), held_.parameters.data(), &around);
    for (const GuardInfo& guard : model_.guards) {
      if (guard.role != GuardRole::condition && guard.role != GuardRole::relation) continue;
      std::vector<double> g(at(std::max(guard.rows, 1)));
      guard.g(here, g.data());
      const double value = g[at(guard.row)];
      held_.truths[at(guard.role_index)] = value > 0 ? 1 : value < 0 && guard.role == GuardRole::relation ? -1 : 0;
    }
    equations_.lock(held_, held_.parameters.data());
    equations_.observe(t_, y_.data());
    find_differential();
    return held_.truths != before;
  }

  void find_differential() {
    is_differential_.assign(at(n_), false);
    for (const formulate::RowReads& row : equations_.reads())
      for (const int j : row.rates) is_differential_[at(j)] = true;
  }

  std::string iterate() {
    Eigen::VectorXd b = residual();
    if (!b.allFinite()) return say_not_finite(b);
    for (int k = 0; k < most_iterations; ++k) {
      linearize();
      if (is_small(b)) return {};
      const Eigen::VectorXd step = least_move(-scaled(b)).cwiseProduct(size_);
      if (!step.allFinite()) break;
      const double norm = scaled(b).norm();
      double factor = 1;
      const std::vector<double> y = y_, dy = dy_;
      for (;; factor /= 2) {
        move(y, dy, step, factor);
        b = residual();
        if (b.allFinite() && scaled(b).norm() <= (1 - 0.1 * factor) * norm + 1e-300) break;
        if (factor < 1e-6) break;
      }
      if (factor >= 1e-6) continue;
      move(y, dy, step, 0);
      b = residual();
      if (is_nearly_small(b)) return {};  // rounding ends it
      break;
    }
    return say_stuck(b);
  }

  void move(const std::vector<double>& y, const std::vector<double>& dy, const Eigen::VectorXd& step, double factor) {
    constexpr double least = 8 * std::numeric_limits<double>::epsilon();  // rounding of the step moves nothing
    for (int j = 0; j < n_; ++j) {
      const bool moves = std::abs(step(j)) > least * equations_.nominal(j, y[at(j)]);
      y_[at(j)] = y[at(j)] + (moves ? factor * step(j) : 0.0);
      dy_[at(j)] = dy[at(j)] + factor * step(n_ + j);
    }
  }

  template <class T>
  std::vector<T> initial_rows(const T* y, const T* dy) {
    Surroundings<T> around{&held_};
    formulate::GivenRates<T> rates;
    rates.values = dy;
    around.rates = &rates;
    const Point<T> here(T(t_), y, held_.parameters.data(), &around);
    std::vector<T> out(at(rows_), T(0.0));
    T* next = out.data();
    for (const EquationInfo& one : model_.initial) {
      one.f(here, next);
      next += one.rows;
    }
    return out;
  }

  Eigen::VectorXd residual() {
    Eigen::VectorXd b(n_ + rows_);
    equations_.residual(t_, y_.data(), dy_.data(), b.data());
    const std::vector<double> initial = initial_rows(y_.data(), dy_.data());
    for (int i = 0; i < rows_; ++i) b(n_ + i) = initial[at(i)];
    return b;
  }

  // A step with A step = b that moves differential states as little as possible: first what rates and algebraic
  // unknowns cannot do, by the rows that are orthogonal to their columns; then they follow.
  Eigen::VectorXd least_move(const Eigen::VectorXd& b) const {
    std::vector<int> kept, free;
    for (int j = 0; j < 2 * n_; ++j) (j < n_ && is_differential_[at(j)] ? kept : free).push_back(j);
    const Eigen::MatrixXd of_free = columns(free), of_kept = columns(kept);
    const linear::PivotedQr factors(of_free, rank_threshold);
    const Eigen::Index rest = of_free.rows() - factors.rank();
    Eigen::VectorXd of_states = Eigen::VectorXd::Zero(of_kept.cols());
    if (rest > 0 && of_kept.cols() > 0) {
      const Eigen::MatrixXd across = factors.Q().rightCols(rest).transpose();
      of_states = linear::LeastNorm(across * of_kept).solve(across * b);
    }
    const Eigen::VectorXd follows = linear::LeastNorm(of_free).solve(b - of_kept * of_states);
    Eigen::VectorXd step(2 * n_);
    for (std::size_t k = 0; k < kept.size(); ++k) step(kept[k]) = of_states(static_cast<Eigen::Index>(k));
    for (std::size_t k = 0; k < free.size(); ++k) step(free[k]) = follows(static_cast<Eigen::Index>(k));
    return step;
  }
  Eigen::MatrixXd columns(const std::vector<int>& which) const {
    Eigen::MatrixXd some(A_.rows(), static_cast<Eigen::Index>(which.size()));
    for (std::size_t k = 0; k < which.size(); ++k) some.col(static_cast<Eigen::Index>(k)) = A_.col(which[k]);
    return some;
  }

  // Columns in units of what may move: A_ is d(rows) / d(y, y') times size_, its rows divided by their largest entry.
  void linearize() {
    A_ = Eigen::MatrixXd::Zero(n_ + rows_, 2 * n_);
    std::vector<double> J(equations_.row().size()), M(J.size());
    equations_.linearize(t_, y_.data(), dy_.data(), J.data(), M.data(), nullptr, false);
    for (int i = 0; i < n_; ++i) {
      for (const auto& [column, place] : equations_.by_row().row(i)) {
        A_(i, column) = J[at(place)];
        A_(i, n_ + column) = -M[at(place)];
      }
    }
    differentiate_initial();
    size_.resize(2 * n_);
    for (int j = 0; j < n_; ++j) {
      const double nominal = equations_.nominal(j, y_[at(j)]);
      size_(j) = nominal;
      size_(n_ + j) = std::max(nominal, std::abs(dy_[at(j)]));
    }
    terms_ = A_.cwiseAbs().leftCols(n_) * Eigen::VectorXd::NullaryExpr(n_, [&](Eigen::Index j) {
               return equations_.nominal(static_cast<int>(j), y_[static_cast<std::size_t>(j)]);
             });
    terms_ += A_.cwiseAbs().rightCols(n_) * Eigen::VectorXd::NullaryExpr(n_, [&](Eigen::Index j) {
                return std::abs(dy_[static_cast<std::size_t>(j)]);
              });
    A_ *= size_.asDiagonal();
    scale_.resize(n_ + rows_);
    for (Eigen::Index i = 0; i < n_ + rows_; ++i) {
      const double largest = A_.row(i).cwiseAbs().maxCoeff();
      scale_(i) = largest > 0 && std::isfinite(largest) ? largest : 1;
      A_.row(i) /= scale_(i);
    }
  }

  void differentiate_initial() {
    constexpr int width = formulate::width;
    for (int first = 0; first < 2 * n_; first += width) {
      std::vector<Gradient> y(y_.begin(), y_.end()), dy(dy_.begin(), dy_.end());
      for (int k = 0; k < width && first + k < 2 * n_; ++k) {
        const int j = first + k;
        (j < n_ ? y[at(j)] : dy[at(j - n_)]).slope[at(k)] = 1;
      }
      const std::vector<Gradient> rows = initial_rows(y.data(), dy.data());
      for (int i = 0; i < rows_; ++i)
        for (int k = 0; k < width && first + k < 2 * n_; ++k) A_(n_ + i, first + k) = rows[at(i)].slope[at(k)];
    }
  }

  Eigen::VectorXd scaled(const Eigen::VectorXd& b) const { return b.cwiseQuotient(scale_); }
  bool is_below(const Eigen::VectorXd& b, double part) const {
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (!(std::abs(b(i)) <= part * std::max(terms_(i), std::numeric_limits<double>::min()))) return false;
    return true;
  }
  bool is_small(const Eigen::VectorXd& b) const { return is_below(b, enough); }
  bool is_nearly_small(const Eigen::VectorXd& b) const { return is_below(b, 1e3 * enough); }

  std::string row_name(Eigen::Index i) const {
    if (i < n_) return equations_.row_name(static_cast<int>(i));
    auto row = static_cast<std::size_t>(i - n_);
    for (const EquationInfo& one : model_.initial) {
      if (row < one.row_names.size()) return one.row_names[row];
      row -= one.row_names.size();
    }
    return {};
  }
  std::string say_not_finite(const Eigen::VectorXd& b) const {
    Eigen::Index worst = 0;
    while (std::isfinite(b(worst))) ++worst;
    return fmt::format(
        "t = {:.10g}: no start meets the initial equations: {} is not finite at the start values.\n"
        "  try:    start values for which the model can be evaluated",
        t_, row_name(worst));
  }
  std::string say_stuck(const Eigen::VectorXd& b) const {
    Eigen::Index worst = 0;
    scaled(b).cwiseAbs().maxCoeff(&worst);
    return fmt::format(
        "t = {:.10g}: no start meets the initial equations: {} is off by {:.3g} where they are met best.\n"
        "  likely: they contradict each other or the equations, or the start values are far away\n"
        "  try:    fewer initial equations, or start values nearer to a solution",
        t_, row_name(worst), b(worst));
  }

  const System::Declarations& model_;
  formulate::DaeEquations equations_;
  Held held_;
  double t_;
  int n_, rows_ = 0;
  std::vector<double> y_, dy_;
  std::vector<bool> is_differential_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd size_, scale_, terms_;
};

}  // namespace

std::string meet_initial_equations(const std::shared_ptr<const System::Declarations>& model, const Held& held, double t,
                                   std::vector<double>& start) {
  const auto n = static_cast<int>(model->state_names.size());
  if (n > most_unknowns)
    throw Misuse(fmt::format("system '{}': initial equations are solved for up to {} unknowns, and it has {}",
                             model->name, most_unknowns, n));
  InitialProblem problem(model, held, t, start);
  std::string failure = problem.solve();
  if (failure.empty()) start = problem.take();
  return failure;
}

}  // namespace pawl::detail
