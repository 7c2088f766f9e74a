// Consistent values of differential-algebraic equations: y and y' that satisfy them and every derivative of them that
// restricts y.
//
// With c and d of the structure, stage k = -max d, ..., 0 solves F_i^(k + c_i) = 0 for y_j^(k + d_j) (Pryce, BIT 41
// (2001) 364): F = 0 itself for what is differentiated most often, then its first derivative, and so on. The matrix of
// every stage is part of the system Jacobian, so it is exact and needs no second derivatives. A stage has at most as
// many equations as unknowns; of all solutions that one is taken which changes the guesses least: those of differential
// unknowns not at all, if possible.
//
// Across a jump y changes by what impulses ξ of the next stage's unknowns do: integrated over no time, the rows of the
// next stage are M (y+ - y-) = F_z ξ (charge goes through a switch that closes, momentum through a joint). At stage -1
// that and the constraints are as many as the unknowns, with the matrix S of the structure: there is no choice left.
#pragma once

#include <string>
#include <vector>

#include "formulate/dae_form.hpp"

namespace pawl::formulate {

struct StartReport {
  std::string failure;  ///< why there are none; empty: found
  std::string changes;  ///< guesses of differential unknowns that could not be kept: "'u' from 1 to 0.8 (for 'circle')"
};

/// The matrices of all stages at a point, each row in units of its largest entry. They have full rank where the
/// equations determine the motion; empty: too many unknowns.
using StageMatrices = std::vector<Eigen::MatrixXd>;

/// Moves y, and dy with it, to consistent values. Unknowns marked as fixed keep their values; an empty list: none is.
/// matrices: those it was done with.
StartReport find_consistent(DaeForm& form, double t, double* y, double* dy, const std::vector<bool>& fixed,
                            bool after_jump, StageMatrices* matrices = nullptr);

StageMatrices stage_matrices(DaeForm& form, double t, const double* y, const double* dy);
/// The row that depends most on others of its stage, the first stage with such rows first.
std::string weakest_row(DaeForm& form, double t, const double* y, const double* dy);

/// The rates at any values of what is differentiated, near consistent ones: algebraic unknowns follow from them, and y
/// only says which solution is meant. A smooth field that is the motion's where y is consistent. Returns why there is
/// none; empty: done.
std::string find_field(DaeForm& form, double t, const double* y, double* dy);

/// y' at a consistent y. Returns why there is none; empty: done.
std::string find_rates(DaeForm& form, double t, const double* y, double* dy);

/// What impulses on rows of the equations do: F + p δ(t) = 0, one p per column.
struct ImpulseResponse {
  Eigen::MatrixXd jumps;     ///< by unknown: of its value, where that is what jumps
  Eigen::MatrixXd impulses;  ///< by unknown: of those that are impulses themselves, multipliers above all
};
/// Integrated over no time, all rows in their leading orders: S w = -p. on_rows: by equation; all of them must be rows
/// that are not differentiated and in no combination. Returns why there is no answer; empty: done.
std::string find_impulses(DaeForm& form, double t, const double* y, const double* dy, const Eigen::MatrixXd& on_rows,
                          ImpulseResponse& out);

/// The derivative array of the form's structure at a consistent point near this one: none if it does not determine y'.
DaeArray judge_array(DaeForm& form, double t, const double* y);

}  // namespace pawl::formulate
