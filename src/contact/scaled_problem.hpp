// A friction problem with the units taken out: λ = d y and d a = (d W d) y + d b, with one factor d per contact so that
// the diagonal of W becomes at most 1 and cones stay cones. Forces y and accelerations d a then have one size, that of
// b.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "contact/friction_problem.hpp"

namespace pawl::contact::detail {

/// One contact: its rows and its laws.
struct Part {
  int contact = 0;                   ///< number in the problem
  int normal = -1;                   ///< row; -1: the normal force is given, it is `least`
  int tangent = 0, tangents = 0;     ///< first row, rows
  double friction = 0, holding = 0;  ///< while it slips; while it sticks
  bool is_given = false;             ///< it slips, along `direction`
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
  double least = 0;   ///< y of the normal is at least this
  double factor = 1;  ///< d

  double pressed(const Eigen::VectorXd& y) const { return normal >= 0 ? y[normal] : least; }
  bool has_choice() const { return tangents > 0 && !is_given; }
};

struct ScaledProblem {
  std::vector<Part> parts;
  Eigen::MatrixXd W;
  Eigen::VectorXd b;
  std::vector<int> rows;  ///< of the problem
  double least_size = 0;  ///< in the units of the problem
  double size = 0;        ///< of b and of the given forces: what "zero" is measured by

  /// Whether every direction of friction is one of two.
  bool is_plane() const;
};

ScaledProblem scaled(const FrictionProblem& problem);

/// The groups of contacts that do not act on each other, each a problem of its own.
std::vector<ScaledProblem> islands(const ScaledProblem& all);

/// Largest violation of any condition, relative to the size.
double violation(const ScaledProblem& p, const Eigen::VectorXd& y, std::string* what = nullptr);

// The links of the chain know one coefficient per contact: they ask for friction == holding.

/// Sweeps, then Newton's iteration.
bool solve_by_newton(const ScaledProblem& p, Eigen::VectorXd& y);
/// Sweeps alone, many of them: for problems on the edge between answers, where Newton's iteration goes in circles.
bool solve_by_sweeps(const ScaledProblem& p, Eigen::VectorXd& y);
/// Newton's iteration from a good guess.
bool polish(const ScaledProblem& p, Eigen::VectorXd& y);
/// In space: of a pyramid inside the cone, to be polished.
bool solve_by_lemke(const ScaledProblem& p, Eigen::VectorXd& y);
/// Plane: every consistent choice of open, stick and slip; none where there are more than 4^6 of them, or 18 rows.
std::vector<Eigen::VectorXd> enumerate(const ScaledProblem& p, int most);

/// Of all forces with the same accelerations the ones of least norm (of λ, not of y), as far as the conditions allow.
void take_least_norm(const ScaledProblem& p, Eigen::VectorXd& y);

inline constexpr double verified = 1e-10;  ///< a violation below this is none
inline constexpr double settled = 1e-6;    ///< the same, of sweeps that do not come any closer
inline constexpr double nothing = 1e-9;    ///< forces and accelerations below this times the size are zero

}  // namespace pawl::contact::detail
