#include "formulate/invariant_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace pawl::formulate {

namespace {
constexpr int directions = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
}

InvariantRows::InvariantRows(const System::Declarations& model) : model_(model), duals_(model.state_names.size()) {
  int most = 1;
  for (const InvariantInfo& one : model.invariants) {
    rows_ += one.rows;
    most = std::max(most, one.rows);
  }
  out_.resize(static_cast<std::size_t>(most));
  levels_.assign(static_cast<std::size_t>(rows_), 0);
  jacobian_.setZero(rows_, static_cast<Eigen::Index>(model.state_names.size()));
}

void InvariantRows::take_levels(double t, const double* x) {
  std::fill(levels_.begin(), levels_.end(), 0.0);
  std::vector<double> h(levels_.size());
  residual(t, x, h.data());
  std::size_t row = 0;
  for (const InvariantInfo& one : model_.invariants) {
    for (int k = 0; k < one.rows; ++k, ++row) levels_[row] = one.is_relative ? h[row] : 0;
  }
}

void InvariantRows::residual(double t, const double* x, double* r) {
  const detail::Surroundings<double> around{held_};
  const Point<double> point(t, x, held_->parameters.data(), &around);
  int row = 0;
  for (const InvariantInfo& one : model_.invariants) {
    one.h(point, r + row);
    for (int k = 0; k < one.rows; ++k, ++row) r[row] -= levels_[static_cast<std::size_t>(row)];
  }
}

void InvariantRows::rounding(const double* x, double* size) const {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (int row = 0; row < rows_; ++row) {
    double sum = std::abs(levels_[static_cast<std::size_t>(row)]);
    for (Eigen::Index i = 0; i < jacobian_.cols(); ++i) sum += std::abs(jacobian_(row, i) * x[i]);
    size[row] = 4 * eps * sum;
  }
}

void InvariantRows::evaluate_jacobian(double t, const double* x) {
  const int n = static_cast<int>(duals_.size());
  for (int i = 0; i < n; ++i) duals_[static_cast<std::size_t>(i)] = x[i];
  const detail::Surroundings<Gradient> around{held_};
  const Point<Gradient> point(Gradient(t), duals_.data(), held_->parameters.data(), &around);
  for (int begin = 0; begin < n; begin += directions) {
    const int end = std::min(begin + directions, n);
    for (int i = begin; i < end; ++i)
      duals_[static_cast<std::size_t>(i)].slope[static_cast<std::size_t>(i - begin)] = 1;
    int row = 0;
    for (const InvariantInfo& one : model_.invariants) {
      one.h(point, out_.data());
      for (int k = 0; k < one.rows; ++k, ++row) {
        for (int i = begin; i < end; ++i)
          jacobian_(row, i) = out_[static_cast<std::size_t>(k)].slope[static_cast<std::size_t>(i - begin)];
      }
    }
    for (int i = begin; i < end; ++i)
      duals_[static_cast<std::size_t>(i)].slope[static_cast<std::size_t>(i - begin)] = 0;
  }
}

std::string InvariantRows::describe_unkept(double t, const double* x, const double* rates) {
  evaluate_jacobian(t, x);
  for (std::size_t i = 0; i < duals_.size(); ++i) {
    duals_[i] = x[i];
    duals_[i].slope[0] = rates[i];
  }
  Gradient time(t);
  time.slope[0] = 1;
  const detail::Surroundings<Gradient> around{held_};
  std::string text;
  int row = 0;
  for (const InvariantInfo& one : model_.invariants) {
    one.h(Point<Gradient>(time, duals_.data(), held_->parameters.data(), &around), out_.data());
    for (int k = 0; k < one.rows; ++k, ++row) {
      double size = 0;
      for (std::size_t i = 0; i < duals_.size(); ++i)
        size += std::abs(jacobian_(row, static_cast<Eigen::Index>(i)) * rates[i]);
      const double rate = out_[static_cast<std::size_t>(k)].slope[0];
      if (text.empty() && std::abs(rate) > 1e-7 * size + 1e-300) {
        text = fmt::format(
            "the motion does not keep '{}': at t = {:.10g} it changes at the rate {:.3g}.\n"
            "  try:    without it, or a model without what changes it (friction, drives, moving joints)",
            row_name(row), t, rate);
      }
    }
  }
  for (Gradient& dual : duals_) dual.slope[0] = 0;
  return text;
}

std::string InvariantRows::row_name(int row) const {
  for (const InvariantInfo& one : model_.invariants) {
    if (row < one.rows) return one.rows == 1 ? one.name : one.name + "[" + std::to_string(row) + "]";
    row -= one.rows;
  }
  return {};
}

}  // namespace pawl::formulate
