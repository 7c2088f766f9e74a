// Whole: the model that a mechanism is part of, as its contacts see it. Impulses and forces at contacts act on the
// mechanism, and on everything that equations bind to its speeds.
#pragma once

#include <string>

#include <Eigen/Core>

#include "pawl/held.hpp"
#include "pawl/memory.hpp"

namespace pawl::contact {

class Whole {
 public:
  virtual ~Whole() = default;
  /// The rates of all states in a mode, in which x is consistent. Forces may read all of them. False: there are none.
  virtual bool rates(double t, const double* x, const Held& held, double* rates) = 0;
  /// The same where algebraic unknowns may be those of another mode, and the multipliers by declared row.
  virtual bool settled_rates(double t, const double* x, const Held& held, double* rates, double* multipliers) = 0;

  /// Whether impulses on the mechanism may go on into what is beside it.
  virtual bool takes_part(double t, const double* x, const Held& held) = 0;
  struct Response {
    Eigen::MatrixXd jumps;        ///< of all states; empty: impulses stay in the mechanism
    Eigen::MatrixXd multipliers;  ///< impulses of the constraints, by declared row
  };
  /// What impulses along the speeds do in a mode, one per column. alone: what they do to the speeds of the mechanism
  /// alone. Returns why that is not known; empty: done.
  virtual std::string respond(double t, const double* x, const Held& held, const Eigen::MatrixXd& along_speeds,
                              const Eigen::MatrixXd& alone, Response& out) = 0;
  virtual void carry(Memory& memory) = 0;
};

}  // namespace pawl::contact
