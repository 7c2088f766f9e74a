// What the analysis of a structure has found, in words.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "formulate/dae_structure.hpp"
#include "numerics/assignment.hpp"

namespace pawl::formulate {

/// No complete assignment: sets of equations with too few unknowns, and of unknowns with too few equations.
std::string explain_singular(const DaeEquations& equations, const Signature& sigma, const Assignment& assignment);
/// An equation would have to be differentiated so many times, and cannot be.
std::string explain_opaque(const DaeEquations& equations, const DaeStructure& structure, int row, int differentiations);
/// Equations would have to be differentiated so many times.
std::string explain_too_high(const DaeEquations& equations, const DaeStructure& structure, int differentiations);
/// Leading terms cancel in combinations of rows, the columns of `left_null`, and that cannot be helped.
std::string explain_dependent(const DaeEquations& equations, const DaeStructure& structure,
                              const Eigen::MatrixXd& left_null);

/// Names with the largest shares first: "'a', 'b' and 3 more".
std::string largest_shares(const std::vector<double>& shares, const std::vector<std::string>& names, std::size_t most);

}  // namespace pawl::formulate
