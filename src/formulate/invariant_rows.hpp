// Invariants h(t, x) = 0, or h(t, x) = its value at the start: residuals and derivatives.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "pawl/memory.hpp"
#include "pawl/system.hpp"

namespace pawl::formulate {

class InvariantRows {
 public:
  explicit InvariantRows(const System::Declarations& model);

  int rows() const { return rows_; }
  void carry(Memory& memory) { memory(levels_, jacobian_); }
  void lock(const Held& held) { held_ = &held; }
  /// From here on the conserved ones are kept at their value at this point.
  void take_levels(double t, const double* x);
  void residual(double t, const double* x, double* r);
  /// Of each residual, what rounding alone makes of it.
  void rounding(const double* x, double* size) const;
  /// rows() times states, row after row; kept for rounding().
  void evaluate_jacobian(double t, const double* x);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& jacobian() const { return jacobian_; }
  std::string row_name(int row) const;
  /// Which invariant changes along these rates, and how fast, in words; empty: none does.
  std::string describe_unkept(double t, const double* x, const double* rates);

 private:
  const System::Declarations& model_;
  const Held* held_ = nullptr;
  int rows_ = 0;
  std::vector<double> levels_;
  std::vector<Gradient> duals_, out_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian_;
};

}  // namespace pawl::formulate
