// Impact: the impulses P at touching contacts, from the speeds u before; u+ = u + W P.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "pawl/contact.hpp"

namespace pawl::contact {

struct ImpactContact {
  int tangents = 0;
  double friction = 0, restitution = 0;
};

struct ImpactProblem {
  std::vector<ImpactContact> contacts;  ///< all that touch, also those at rest
  Eigen::MatrixXd W;                    ///< with the joints inside; rows: normal, then tangents, contact by contact
  Eigen::VectorXd u;  ///< speeds of the surfaces against each other before; normal: below 0 approaches
  ImpactLaw law = ImpactLaw::poisson;
  bool is_sequential = false;  ///< one by one, the fastest approach first; ties together
};

struct ImpactOutcome {
  std::string failure = {};  ///< no solution: says so, and what was tried
  Eigen::VectorXd impulse, speed;
  double energy_change = 0;         ///< P.u + P.W P / 2: never above zero
  double share = 1;                 ///< of the expansion that was kept, so that the energy does not grow
  int rounds = 1;                   ///< sequential: how many
  bool closed_plastically = false;  ///< sequential rounds did not end
};

/// Poisson: compression as if without restitution, then expansion; Newton: on request. The energy is capped: where the
/// law would raise it, less of the expansion is taken.
ImpactOutcome strike(const ImpactProblem& problem);

}  // namespace pawl::contact
