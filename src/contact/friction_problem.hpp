// The complementarity problem behind every decision about contacts: forces λ and accelerations a = W λ + b with
//
//   normal      0 <= λN, aN >= 0, λN aN = 0
//   frictional  |λT| <= μ λN, and where |λT| < μ λN: aT = 0; else λT = -μ λN aT / |aT|
//   slipping    λT = -μ λN d, with the direction d of slip given
//   fixed       λN is given (a driven contact): the friction part alone
//
// The same problem with impulses and speeds decides impacts. Rows of W are ordered contact by contact: the normal one
// (none where λN is fixed), then the tangential ones.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace pawl::contact {

struct FrictionContact {
  int tangents = 0;           ///< tangential rows: 0, 1 or 2
  double friction = 0;        ///< while it slips; its cone
  double stick_friction = 0;  ///< what may be held while it sticks (static); at least `friction`
  bool is_slipping = false;   ///< the direction is given: no choice
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< of slip; in the plane its first component is +1 or -1
  bool has_fixed_normal = false;                        ///< no normal row
  double normal_force = 0;                              ///< where it is fixed
  double least_normal = 0;  ///< λN >= least_normal instead of 0, with λN = least_normal + x, x complementary to aN
};

struct FrictionProblem {
  std::vector<FrictionContact> contacts;
  Eigen::MatrixXd W;  ///< symmetric positive semidefinite
  Eigen::VectorXd b;
  bool looks_for_others = true;  ///< answers with other accelerations, where there may be some
  double least_size = 0;         ///< of the terms b was summed from: where b is smaller, rounding is measured by this
};

/// In the order they are tried in.
enum class ContactSolver { newton, lemke, enumeration, sweeps };
std::string_view to_string(ContactSolver solver);

enum class Standing { open, stick, slip };  ///< frictionless and touching: stick with no tangential rows

struct FrictionSolution {
  bool is_found = false;      ///< verified: no answer is ever returned unverified
  bool is_ambiguous = false;  ///< another answer with other accelerations exists (looked for up to four contacts)
  Eigen::VectorXd force, acceleration;           ///< λ of least norm among those with the same acceleration; a
  std::vector<Standing> standing;                ///< per contact; degenerate ones (λN and aN both zero) are closed
  std::vector<bool> is_degenerate;               ///< λN = 0 and aN = 0, or on the cone with aT = 0, within tolerance
  ContactSolver solver = ContactSolver::newton;  ///< which one answered; of several islands the last resort
  double violation = 0;                          ///< of the conditions, relative
  std::string failure = {};                      ///< none was found: what was tried, and what it violated
};

/// Sweeps to guess, an active-set Newton iteration to rounding, then Lemke's method, then enumeration; each answer is
/// verified.
FrictionSolution solve(const FrictionProblem& problem);

/// How far λ is from a solution, relative to the size of the terms: the largest violation of any condition.
double violation(const FrictionProblem& problem, const Eigen::VectorXd& force, std::string* what = nullptr);

// The links of the chain, for tests and benchmarks; each answers unverified, or nothing.
bool solve_by_newton(const FrictionProblem& problem, Eigen::VectorXd& force);
bool solve_by_lemke(const FrictionProblem& problem, Eigen::VectorXd& force);  ///< plane friction only
std::vector<Eigen::VectorXd> enumerate(const FrictionProblem& problem,
                                       int most);  ///< plane: all consistent active sets

}  // namespace pawl::contact
