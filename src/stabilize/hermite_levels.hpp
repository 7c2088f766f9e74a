// Dense output of a mechanism: the quintic Hermite polynomial through position, speed and acceleration at both ends of
// a step, all of which lie on the manifold, so that inside the step the constraints hold to O(h^6) at least. Where that
// is not enough, accelerations inside the step raise it:
//
//   level 1   + B(s) c0,                        from a at 1/2             1 evaluation,  O(h^7)
//   level 2   + B(s) (c0 + c1 x + c2 x²),       from a at 1/4, 1/2, 3/4   4 evaluations, O(h^8)
//   B = s³ (1 - s)³,  x = s - 1/2
//
// Speeds are the derivative of positions, one order lower. Each inner acceleration is taken at a state of the level
// below, pulled onto the manifold.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "stabilize/parts.hpp"
#include "system/vector_field.hpp"

namespace pawl::stabilize {

class HermiteLevels {
 public:
  HermiteLevels(formulate::MechanicsForm& form, const VectorField& field, const StepControl& control, int size);

  /// Whether there are coordinates to write; attitudes and further states keep the polynomial of the method.
  bool has_work() const { return !coordinates_.empty(); }
  bool covers_all() const { return is_all_; }
  /// Overwrites the polynomials of all coordinates and their speeds. Rates at the ends of the step are needed; the step
  /// must have a polynomial already if it has further states. order: of the method that took the step; where it is high
  /// the ends alone are not enough, and the constraints do not see all of it.
  void write(Step& step, const double* start_rate, const double* end_rate, int order);

  /// Puts a state inside a step onto the manifold.
  void pull(double t, double* x) { newton_.pull(t, x, true, true); }

  void carry(Memory& memory) {
    memory(evaluations, raised, c_, last_, x_, rates_, inside_, kept_);
    newton_.carry(memory);
  }

  /// Told of every evaluation of the rates inside a step, right after it.
  std::function<void(double s, double t, const double* x)> observer;

  long long evaluations = 0;
  long long raised = 0;  // steps that needed a higher level

 private:
  struct CoordinateStates {
    int position, speed;
  };
  bool evaluate_inside(const Step& step, double s);  // pulled state in x_, rates in rates_
  void write_base(const Step& step, const double* start_rate, const double* end_rate);
  void raise(const Step& step, int points);
  double pull_needed(const Step& step);
  double size_of_correction(const Step& step) const;
  void store(Step& step);

  const VectorField field_;  // what is integrated: while the motion slides, not the form alone
  const StepControl& control_;
  NewtonPull newton_;
  std::vector<CoordinateStates> coordinates_;
  struct Fit {
    std::array<std::array<double, 9>, 3> bumps{};  // polynomials in s
    Eigen::MatrixXd inverse;
  };
  static Fit fit_at(const double* points, int how_many);
  Fit one_, three_;
  bool is_all_;            // the coordinates and their speeds are all states there are
  std::vector<double> c_;  // nine coefficients per coordinate
  std::vector<double> last_, x_, rates_, inside_, kept_;
};

}  // namespace pawl::stabilize
