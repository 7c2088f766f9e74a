// The structure of differential-algebraic equations: how often each has to be differentiated until all derivatives are
// determined, and what that makes of the unknowns.
//
//   σ_ij = order of the highest derivative of y_j in equation i (none: -∞)
//   an assignment of equations to unknowns of the largest Σ σ, and the smallest c, d >= 0 with
//   d_j - c_i >= σ_ij, equality on the assignment;   S_ij = dF_i / dy_j^(d_j - c_i)
//
// (Pryce, BIT 41 (2001) 364). If S is regular, F_i has to be differentiated c_i times and y_j occurs up to order d_j.
// If it is not, the structure lies: equations cancel, as two that both contain C (y2' - y1'). With u^T S = 0 and c the
// least c_i that takes part, the combination Σ u_i F_i^(c_i - c), in which the leading terms cancel, then takes the
// place of one of the equations with this c, and the analysis is repeated (Tan, Nedialkov and Pryce, Numerical
// Algorithms 76 (2017) 911): structure first, rank always. Where u moves with the solution, what is differentiated
// cannot be written down once: then all derivatives of all equations are taken together (dae_array.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formulate/dae_array.hpp"
#include "formulate/dae_equations.hpp"
#include "formulate/dae_rows.hpp"
#include "formulate/implicit_form.hpp"

namespace pawl::formulate {

struct DaeStructure {
  std::string failure;  ///< why the equations cannot be integrated; empty: they can
  int index = 0;        ///< 0: y' is determined by the equations as they stand
  int degrees_of_freedom = 0;
  int rank = 0;                       ///< of S
  int differential_combinations = 0;  ///< rank of M
  bool is_singular_here = false;      ///< S is regular in general, but not at the start
  int array = 0;                      ///< above zero: the structure is blind, every equation is differentiated so often
  std::vector<Role> roles;            ///< per unknown
  std::vector<int> c, d;              ///< differentiations of each combined row; highest order of each unknown
  std::vector<int> assigned;          ///< per row: its unknown
  /// The rows the analysis holds for: the equations, or combinations of them and their derivatives.
  std::vector<RowParts> rows;
  std::shared_ptr<const System::Declarations> model;   ///< whose states the unknowns are
  std::shared_ptr<const std::vector<RowReads>> reads;  ///< what the analysis was told that the equations read

  bool has_combinations() const;
  /// Combinations of equations with derivatives of others.
  bool has_hidden_derivatives() const;
  /// How often the equations of a row are differentiated: c, and what the row itself contains.
  int differentiations(int row) const;
  /// "index 2; differential: 'a', 'b'; algebraic: 'c' (index 2)"
  std::string describe() const;
};

/// Samples at the start and, where they are asked for, at other points near it.
class DaeSamples {
 public:
  virtual ~DaeSamples() = default;
  virtual const DaeValues& here() = 0;
  /// The one here first.
  virtual const std::vector<DaeValues>& all() = 0;
  /// The derivative array at these points.
  virtual DaeArray array() = 0;
};

/// Every equation differentiated so often, as rows of their own.
void take_whole_array(DaeStructure& structure, int equations, int order);

/// Numbers below `threshold`, relative to their row and column, count as zero.
DaeStructure analyze_structure(const DaeEquations& equations, DaeSamples& samples, double threshold);

/// Whether what was found elsewhere, for equations that read the same, holds at this point too. False: it may.
bool still_holds(const DaeStructure& structure, const DaeEquations& equations, const DaeValues& sample,
                 double threshold);

}  // namespace pawl::formulate
