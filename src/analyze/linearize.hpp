// The equations of a model linearized at one instant, E x' = A x: with its multipliers among the unknowns, and, while
// it slides, with the controls that keep it on their surfaces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "formulate/implicit_mechanics.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/system.hpp"

namespace pawl::analyze {

struct Linearization {
  Eigen::MatrixXd E, A;
  std::vector<std::string> rows;  ///< what each equation is, for messages
  bool is_exact = true;           ///< false: derivatives by differences, half the digits
  std::string failure;            ///< why there is none; empty: here it is
  // Of systems declared by equations, found from their structure (Pryce's method) and checked by rank.
  std::optional<int> structural_index = {}, structural_freedom = {};
};

/// A state of a run: consistent, with what is held there.
struct Place {
  double t = 0;
  std::vector<double> x;
  Held held;
};

/// level: how constraints are written; without it as they were declared (index 3 for positions, 2 for speeds and
/// efforts).
Linearization linearize(const std::shared_ptr<const System::Declarations>& model, const Place& at,
                        std::optional<formulate::Level> level = {});

/// Index and degrees of freedom alone, of systems declared by equations.
Linearization structure_of_equations(const std::shared_ptr<const System::Declarations>& model, const Place& at);

/// What decisions about a run want to know of equations.
void look_at_equations(const std::shared_ptr<const System::Declarations>& model, const Place& at, Facts& out);

/// Whether nothing is known of zeros in the Jacobian of x' = f: a matrix then has all its entries, and one column of it
/// costs an evaluation of f where f takes numbers only.
bool has_full_matrices(const std::shared_ptr<const System::Declarations>& model, const Place& at);

/// |λ| of the fastest motion of x' = f, by power iteration: for systems too large to take apart. 0: not found.
double spectral_radius(const std::shared_ptr<const System::Declarations>& model, const Place& at);

}  // namespace pawl::analyze
