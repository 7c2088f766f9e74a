// What follows from the states of a step, multipliers for instance, as polynomials beside those of the states. They go
// through values at states of the step and are raised only as far as somebody asks:
//
//   level 0   θ = 0, 1, 1/2               at no cost where the rates there are known
//   level 1   + 1/4, 3/4                  likewise
//   level 2   + 1/16, 15/16, 3/8, 5/8     7 evaluations: all inside are those of the polynomial as it is now
//   level 3   + 1/64, 63/64, 5/32, 27/32  4 evaluations
//
// The last terms of Newton's form say what a level may be off, with more than a digit to spare; below a hundred
// relative tolerances of the largest value in the step, a polynomial is as good as the step.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/point.hpp"
#include "pawl/step.hpp"

namespace pawl {

class FollowerLevels {
 public:
  /// How they are found, which costs an evaluation where the rates have not just been evaluated.
  struct Source {
    int count = 0;
    std::function<void(double t, const double* x, double* values)> values;
    /// What their terms would add up to if they did not cancel, which rounding is relative to; empty: not known.
    std::function<void(double t, const double* x, double* sizes)> sizes = {};
    /// Whether they cost nothing here.
    std::function<bool(double t, const double* x)> are_known;
    /// Whether those of contacts are shared by more of them than are needed.
    std::function<bool()> are_shared = {};
    /// And, where they are, whether these are the ones that the constraints leave, which are smooth functions of the
    /// motion: not where some forces within the cones had to be looked for.
    std::function<bool(double t, const double* x)> are_of_constraints = {};
  };
  FollowerLevels(Source source, double tolerance, int size);

  int count() const { return source_.count; }
  void values(double t, const double* x, double* out) const { source_.values(t, x, out); }
  /// False: they are not known.
  bool sizes(double t, const double* x, double* out) const {
    if (source_.sizes) source_.sizes(t, x, out);
    return static_cast<bool>(source_.sizes);
  }
  bool are_shared() const { return source_.are_shared && source_.are_shared(); }
  /// Whether they are smooth functions of the motion at the start of a step; those in it may not be.
  bool begin_smooth(const Step& step) { return values_at(step.t0, step.start()).is_smooth; }
  /// Whether the polynomials go through values of smooth functions alone.
  bool are_smooth() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& one) { return one.is_smooth; });
  }
  /// Puts a state inside a step where its ends are: onto a manifold.
  std::function<void(double t, double* x)> pull;

  /// The mode has changed: what is known is not true any more.
  void forget() { seen_.clear(), oldest_ = 0; }
  /// The rates here have just been evaluated: what follows is remembered if it is known.
  void see(double t, const double* x);
  /// A step with a new polynomial; what is seen inside it from now on is taken over.
  void begin(const Step& step);
  void see_inside(double theta, double t, const double* x);

  /// From now on they are those of this step, which has a polynomial.
  void read(const Step& step);
  /// Draws them, or better ones; false: there are none better.
  bool draw(const Step& step);
  /// Makes them exact at one more place of the step.
  bool pin(const Step& step, double theta);

  bool are_drawn() const { return degree_ > 0; }
  int degree() const { return degree_; }
  const double* polynomial(int k) const { return c_.data() + static_cast<std::ptrdiff_t>(k) * (degree_ + 1); }
  double at(int k, double theta) const;
  /// What a polynomial may be off; 0: it is as good as the step.
  double error(int k) const { return errors_[static_cast<std::size_t>(k)]; }

  void carry(Memory& memory) {
    memory(seen_, oldest_, is_wanted_, t0_, span_, start_, nodes_, level_, pins_, degree_, c_, errors_);
  }

 private:
  struct Instant {
    double t;
    std::vector<double> x, values;
    bool is_smooth;
  };
  struct Node {
    double theta;
    std::vector<double> values;
    bool is_smooth = true;
  };
  bool is_of(const Step& step) const;
  bool find(double t, const double* x, std::vector<double>& values) const;  // returns whether they are smooth
  const Instant& values_at(double t, const double* x);
  void add(const Step& step, double theta);
  void fit();

  Source source_;
  double tolerance_;
  std::vector<Instant> seen_;  // ends of steps
  std::size_t oldest_ = 0;
  bool is_wanted_ = false;  // somebody has asked for them
  double t0_ = 0, span_ = 0;
  std::vector<double> start_;
  std::vector<Node> nodes_;
  int level_ = -1, pins_ = 0, degree_ = 0;
  std::vector<double> c_, errors_, x_;
};

/// Multipliers with polynomials.
class DrawnMultipliers : public detail::MultiplierSource {
 public:
  std::shared_ptr<FollowerLevels> levels;
  /// Whoever asks what a function makes of the noise of one of them moves it meanwhile.
  struct Moved {
    int row = -1;
    double by = 0;
  };
  mutable Moved moved;
};

}  // namespace pawl
