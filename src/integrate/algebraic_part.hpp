// AlgebraicPart: the equations of M y' = f(t, y) that hold no rates, and the unknowns whose rates M does not see: rows
// and columns of zeros, or, where M is constant, combinations of rows and of unknowns that it takes to zero.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "formulate/implicit_form.hpp"

namespace pawl {

class AlgebraicPart {
 public:
  /// A piece begins: roles, and with them a constant M, may have changed.
  void restart() { is_sure_ = false; }
  /// For these matrices; false: it is not known, or there is none.
  bool find(const MatrixPair& matrices, const std::vector<formulate::Role>& roles, bool is_constant);
  /// What of a residual these equations leave; may be in place.
  void take_equations(const double* residual, double* out);
  /// What of a change these unknowns make.
  void keep_unknowns(double* change);
  void carry(Memory& memory);

 private:
  bool find_rows(const MatrixPair& matrices, const std::vector<formulate::Role>& roles);
  bool find_combinations(const MatrixPair& matrices);

  bool is_sure_ = false;  // M is constant, and has been looked at since the restart
  bool is_found_ = false, has_combinations_ = false;
  std::vector<char> is_row_, is_unknown_;
  std::vector<double> mass_;              // for which the combinations are
  Eigen::MatrixXd equations_, unknowns_;  // projectors
  Eigen::VectorXd work_;
};

}  // namespace pawl
