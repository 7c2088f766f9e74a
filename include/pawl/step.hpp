// Step: one accepted step as a polynomial per component.
//
//   x_i(t0 + θ h) = Σ_k c_ik θ^k,  0 <= θ <= 1,  c_i0 the exact start; at θ = 1 the exact start of the next step.
//
// Every stepper writes this one form, whatever its method; samplers and event finders read it. What is recorded is the
// trajectory: nobody asks a method again where it was.
#pragma once

#include <cstddef>
#include <vector>

namespace pawl {

class Step {
 public:
  Step() = default;
  explicit Step(int size);

  double t0 = 0;     ///< where it starts
  double t1 = 0;     ///< where it ends; before t0 when integrating backward
  double h = 0;      ///< the step size the method used
  double span = 0;   ///< θ = (t - t0) / span; t1 - t0, unless an event has cut the step
  double error = 0;  ///< size of the local error estimate in units of the tolerance; 0 where the method has none

  int size() const { return static_cast<int>(start_.size()); }
  int degree() const { return degree_; }  ///< 0 until the polynomial is asked for
  const double* start() const { return start_.data(); }
  const double* end() const { return end_.data(); }
  const double* coefficients() const { return coefficients_.data(); }  ///< c_ik at [i (degree + 1) + k]

  /// Ends the step at another time, without touching the polynomial; t may lie slightly beyond the old end.
  void cut(double t);

  /// The state at a time inside the step. Requires a polynomial (degree > 0) unless t is one of the ends.
  void at(double t, double* x) const;

  double* start() { return start_.data(); }
  double* end() { return end_.data(); }
  void forget_polynomial() { degree_ = 0; }
  /// Room for the coefficients of that degree; sized once, reused by every later step of the same degree.
  double* make_polynomial(int degree);

 private:
  std::vector<double> start_, end_, coefficients_;
  int degree_ = 0;
};

/// Gives the step the cubic Hermite polynomial through its ends, with the rates there; without the rate at the end
/// (null) the quadratic one.
void write_hermite(Step& step, const double* start_rate, const double* end_rate);

/// Σ_k c_ik θ^k for every component i.
inline void evaluate_polynomials(const double* coefficients, int size, int degree, double theta, double* x) {
  for (int i = 0; i < size; ++i) {
    const double* c = coefficients + static_cast<std::ptrdiff_t>(i) * (degree + 1);
    double value = c[degree];
    for (int k = degree - 1; k >= 0; --k) value = value * theta + c[k];
    x[i] = value;
  }
}

}  // namespace pawl
