// What the published finders share: a guard and its rate at an instant, and Hermite polynomials through such nodes.
//
//   two nodes: the cubic; three: the quintic.       p(s) = Σ c_k s^k,  s from 0 at the first node to 1 at the last
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "event/guard_set.hpp"
#include "event/standing.hpp"
#include "pawl/step.hpp"

namespace pawl::event {

/// A guard at an instant. Time is counted from the start of the step, along the integration, so it only grows.
struct Node {
  double time = 0, value = 0, rate = 0;
};

/// Evaluates guards and their rates at an instant: with jets along the field, or, where a guard has no derivatives,
/// with a difference quotient along it.
class GuardProbe {
 public:
  GuardProbe(GuardSet& guards, int size);

  /// Rates are those of the step's polynomial, which must exist and meets the field at both ends.
  void read_start(const Step& step);
  void read_end(const Step& step);
  void read_at(const Step& step, double theta);
  /// Any instant. step_size: of the difference quotients.
  void read(double t, const double* x, const double* rate, double direction, double step_size);

  /// At the instant last read. Throws GuardNotANumber.
  Node operator()(int guard);
  /// The same without complaint: what is not a number stays so.
  Node look(int guard);

 private:
  void read(const Step& step, double t, const double* x, double theta);

  GuardSet& guards_;
  double t_ = 0, time_ = 0, direction_ = 1, step_size_ = 0;
  std::vector<double> x_, rate_, moved_;
  GivenStates<Jet<double>> jets_;
};

/// A place where a polynomial changes sign.
struct Crossing {
  double s;
  int after;  // the sign it changes to
};

class Polynomial {
 public:
  /// Through values and rates at two or three nodes, in the order of time.
  static Polynomial hermite(std::span<const Node> nodes);

  double operator()(double s) const;
  double slope(double s) const;
  /// A range of the polynomial over [0, 1], by interval arithmetic, does not contain zero: there is no root.
  bool excludes_roots() const;
  /// Where it changes sign in [0, 1], from left to right. side: the sign it comes from; 0: whichever it leaves with.
  std::vector<Crossing> crossings(int side) const;
  /// Where its slope changes sign in (0, 1).
  std::vector<double> extrema() const;

 private:
  static constexpr int most = 5;
  using Coefficients = std::array<double, most + 1>;
  static double evaluate(const Coefficients& c, int degree, double s);
  static Coefficients derivative(const Coefficients& c, int degree);
  static std::vector<double> turning_points(const Coefficients& c, int degree);
  static double root_between(const Coefficients& c, int degree, double a, double b);

  Coefficients c_{};
  int degree_ = 0;
};

/// Smallest change of the time that matters at t.
double resolution(double t);

}  // namespace pawl::event
