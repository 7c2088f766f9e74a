// A step away from a point at which the matrix of a step is singular although it is not around it: an inductance that
// says nothing while no current flows. The values there are consistent, but the equations leave some of them open, and
// no step of a method that linearizes there can be solved. Nor can one whose algebraic unknowns are far from where they
// should be by the time a step begins, as a loose tolerance may leave them. One step of the implicit Euler method can,
// linearized anew in every iteration of Newton's method, damped, and begun a little beside the point.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

class SingularStart {
 public:
  /// Both outlive it; what it costs is counted in work.
  SingularStart(formulate::ImplicitForm& form, Work& work);

  /// The size of an error of the end, in units of the tolerance.
  using Norm = std::function<double(const std::vector<double>& error, const std::vector<double>& end)>;
  /// One step of h or a part of it: two halves against the whole, as short as the tolerance wants it. Returns its size
  /// and writes its end; 0: there is none.
  double leave(double t, const std::vector<double>& y, double h, const Norm& norm, std::vector<double>& end);

 private:
  /// The unknowns at t + h, from those at t. False: they are not found.
  bool step(double t, const std::vector<double>& y, double h, std::vector<double>& end);
  bool linearize(double t, const std::vector<double>& y, double h);
  double residual(double t, const std::vector<double>& start, const std::vector<double>& y, double h);
  void begin_beside(const std::vector<double>& y, double h);

  formulate::ImplicitForm& form_;
  Work& work_;
  std::unique_ptr<ShiftedSystem> solver_;
  std::vector<double> y_, rate_, residual_, change_, kept_;
  std::vector<double> whole_, middle_, error_;
};

}  // namespace pawl
