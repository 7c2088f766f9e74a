// RankWatch: does the motion pass a configuration in which the constraints lose rank? There reaction forces are not
// determined and branches of the motion meet, so it must not be stepped over in silence.
//
// On the way through, as many singular values of G change their sign as the rank loses, and with them eigenvalues of
//
//   (G0 G0^T)^-1 G0 G1^T,   which are all 1 where G1 = G0.
//
// A determinant would not see two at once. An eigenvalue that is negative only because the step turns far is not so
// between points that are near each other. Columns of G are divided by the roots of the masses: lengths of rows, and so
// what is found, are the same in all units of the coordinates.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulate/mechanics_form.hpp"
#include "pawl/step.hpp"

namespace pawl::stabilize {

/// A short part of a step, which must have a polynomial, between whose ends something still turns over that does so
/// between the ends of the step; empty: there is none, the step only turns far. turns: whether it does between two
/// times.
std::optional<std::pair<double, double>> find_turn(const Step& step,
                                                   const std::function<bool(double from, double to)>& turns);

/// The least real part of the eigenvalues above, from matrices with as many rows; 0 where the first has lost rank. As
/// soon as it is known to be above `enough`, anything above that.
double least_overlap(const Eigen::MatrixXd& before, const Eigen::MatrixXd& after, double enough = 0);

class RankWatch {
 public:
  explicit RankWatch(formulate::MechanicsForm& form, int size)
      : form_(form), x_(static_cast<std::size_t>(size)), y_(static_cast<std::size_t>(size)) {}

  /// Whether a pivot has become so small during the step that looking is worth its price.
  bool is_suspicious() const { return form_.weakest_pivot() < 0.3; }
  /// Whether there are few enough rows to look at all.
  bool can_look() const { return form_.terms().rows() > 0 && form_.terms().rows() <= most_rows; }
  /// Whether a singular value changes its sign between two points near each other.
  bool turns(double t0, const double* x0, double t1, const double* x1);
  bool turns(const Step& step) { return turns(step.t0, step.start(), step.t1, step.end()); }
  /// Whether it still does so between near points, and where: the step must have a polynomial.
  std::optional<std::pair<double, double>> find(const Step& step);
  /// Where it vanishes between two near points of the step, between which it turns.
  double zero_between(const Step& step, double from, double to);
  /// Near such a configuration: the speeds, of length one, along which branches leave it, where two cross there; first
  /// the one that the speeds of x are nearest to.
  std::vector<Eigen::VectorXd> branches(double t, const double* x);
  /// How long from here, along speeds and accelerations, until one does: not much beyond `reach`, which has the sign of
  /// the direction. rate: of all states, as far as it is known.
  std::optional<double> expect(double t, const double* x, const double* rate, double reach);

 private:
  static constexpr int most_rows = 200;

  Eigen::MatrixXd jacobian(double t, const double* x, const Eigen::VectorXd& mass_roots) {
    return form_.dense_jacobian(t, x) * mass_roots.cwiseInverse().asDiagonal();
  }
  double overlap(double t0, const double* x0, double t1, const double* x1) {
    const Eigen::VectorXd roots = form_.mass_roots(t0, x0);
    return least_overlap(jacobian(t0, x0, roots), jacobian(t1, x1, roots));
  }

  formulate::MechanicsForm& form_;
  std::vector<double> x_, y_;
};

/// x goes on by so much time, positions with the curvature that the accelerations give them.
void go_on(const formulate::MechanicsForm& form, double span, const double* rate, double* x, int size);

}  // namespace pawl::stabilize
