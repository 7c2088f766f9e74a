// Passage: one step across a position in which the constraints lose rank.
//
// There reaction forces are not determined and branches of the motion meet; beside it they are, and each branch is as
// smooth as its forces. So the step is one of collocation at points none of which is near its middle, where that
// position is put (those of Gauss's rule for 16, without the two next to the middle):
//
//   x(t) = x0 + ∫ p,   p(t_i) = f(t_i, P x(t_i)),   i = 1 ... 14,   P the pull onto the manifold,
//
// solved by fixed-point iteration from the Taylor polynomial at the start. A pull moves no farther than a fraction of
// the distance between branches that cross, so the branch is that of smooth continuation.
//
// The error estimate is what the end differs by without two points more, both ends pulled; inside the step, what the
// highest Legendre polynomials of p contribute. At a distance τ from the middle the rounding of positions is seen τ^-3
// times in accelerations, across the manifold: that noise is not taken for an error, since the end is free of it. No
// state is held to a tolerance below its rounding.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl::stabilize {

class Passage {
 public:
  static constexpr int points = 14;

  /// What is known of the motion on its manifold.
  struct Motion {
    VectorField field;
    const StepControl& control;
    std::function<bool(double t, double* x)> pull;  ///< false: not possible
    /// From x, by so much time along x', with this rate of all states; without regard to the manifold.
    std::function<void(double span, const double* rate, double* x)> go_on;
    /// How far a state may be from another one before it may be on another branch, per time from where they meet.
    std::function<double(const double* x)> speed;
    std::function<double(const double* x, const double* y)> distance;  ///< of positions, in the measure of the speed
    /// How large each state is beside what it happens to be, in a step of this span: of a speed, what it would be if
    /// it had all of the kinetic energy. Its rounding is that of the others.
    std::function<void(double t, const double* x, double span, double* sizes)> sizes;
    int size;
  };
  explicit Passage(Motion motion);

  /// From (t0, x0) to as far behind the middle; writes the whole step with its polynomial. False: it is too long, or
  /// no branch is clearly the smooth one.
  bool take(double t0, const double* x0, double middle, Step& out);

  /// The points of the last step, of which the first half lies before the middle.
  double time(int i) const { return times_[static_cast<std::size_t>(i)]; }
  const double* state(int i) const { return pulled_.data() + static_cast<std::ptrdiff_t>(i) * motion_.size; }

  void carry(Memory& memory) { memory(evaluations, times_, pulled_, rates_, f0_, x_, end_); }

  long long evaluations = 0;

 private:
  double* state_at(int i) { return pulled_.data() + static_cast<std::ptrdiff_t>(i) * motion_.size; }
  double* rate_at(int i) { return rates_.data() + static_cast<std::ptrdiff_t>(i) * motion_.size; }
  double norm(const double* change, const double* x, double factor) const;
  double iterate(bool is_first, const double* x0, double middle, double span);
  void collocate(const double* x0, double span);
  void end_of(std::span<const double> weights, const double* x0, double span, std::vector<double>& end);
  double difference(const std::vector<double>& a, const std::vector<double>& b);
  double tail(const double* x0, double span);
  void write(double t0, const double* x0, double span, Step& out) const;

  Motion motion_;
  std::vector<double> times_, pulled_, rates_;  // at the points
  std::vector<double> f0_, x_, change_, end_, other_, sizes_;
};

}  // namespace pawl::stabilize
