// The sign chart of one guard over a step: the step is covered from left to right by stretches labelled +, - or 0. A
// label
// + or - is a proof; a 0 is the bracket of a root, or a stretch where the guard is zero to within its own rounding.
//
//   + 0 -  and  - 0 +  cross      + 0 +  and  - 0 -  touch      leading 0  starts at zero      all 0  rests
//
// The chart is made lazily: it ends at the first event that fires.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "event/guard_set.hpp"
#include "event/step_states.hpp"

namespace pawl::event {

/// A guard that is not a number: its name and where.
struct GuardNotANumber : std::runtime_error {
  GuardNotANumber(int number, double time) : std::runtime_error("a guard is not a number"), guard(number), t(time) {}
  int guard;
  double t;
};

/// A zero of a guard, bracketed in θ.
struct Zero {
  double left, right;       // the guard has a proved sign before and after
  int before, after;        // these signs
  bool is_leading = false;  // at the start of the step, where the guard was known to leave zero the other way
  bool is_touch() const { return before == after; }
};

/// Reads labels from left to right and says what they mean for a guard that was armed.
class ChartReader {
 public:
  /// armed: the sign at the start, 0 where it is not known. starts_at_zero: the guard is zero there, so leaving is no
  /// event. settles_until: up to there a crossing is the rest of an event that has already fired.
  /// is_strict: unilateral, so that leaving zero to the forbidden side is an event even so.
  ChartReader(int armed, bool starts_at_zero, Direction direction, bool fires_on_touch, double settles_until = -1,
              bool is_strict = false)
      : side_(armed),
        starts_at_zero_(starts_at_zero),
        is_strict_(is_strict),
        direction_(direction),
        fires_on_touch_(fires_on_touch),
        settles_until_(settles_until) {}

  /// False: an event that fires has been found, the rest of the chart is not needed.
  bool emit(int sign, double a, double b);

  const std::optional<Zero>& event() const { return event_; }
  const std::vector<Zero>& touches() const { return touches_; }
  int side() const { return side_; }                       ///< the last proved sign, or how the guard was armed
  int side_at(double theta) const;                         ///< the same as of an earlier time, and before the event
  bool ends_in_zero() const { return zero_.has_value(); }  ///< and nothing proved after it
  double zero_from() const { return zero_->left; }
  bool has_departed() const { return departure_.has_value(); }
  double departure() const { return *departure_; }

 private:
  bool cross(const Zero& found);
  struct Stretch {
    double left, right;
  };
  int side_;
  bool starts_at_zero_, is_strict_;
  Direction direction_;
  bool fires_on_touch_;
  double settles_until_;
  std::vector<Zero> passes_;  // crossings that do not fire
  std::optional<Stretch> zero_;
  std::optional<Zero> event_;
  std::optional<double> departure_;  // end of a leading zero
  std::vector<Zero> touches_;
};

/// How a guard is near zero somewhere without reaching it, or only just: used to warn.
struct NearMiss {
  double theta, value;
};

/// Charts of generic guards, proved by interval arithmetic.
class GenericChart {
 public:
  GenericChart(GuardSet& guards, int size);

  void read(const Step& step);
  /// Covers [from, to], over which the sign is not certain as a whole. False: the budget of nodes is spent; the chart
  /// reaches frontier().
  bool cover(int guard, double from, double to, ChartReader& reader);
  double frontier() const { return frontier_; }

  /// Sign of the guard over a stretch, or 0: one evaluation.
  int sign_over(int guard, double a, double b);
  int sign_at(int guard, double theta) { return sign_over(guard, theta, theta); }
  /// Value and derivatives by θ.
  Jet<double> jet_at(int guard, double theta);
  Interval range_over(int guard, double a, double b);
  /// Whether that read a polynomial which is coarse or not there.
  bool has_read_coarse() const { return ranges_.has_read_coarse(); }

  double location_tolerance = 0;  // in θ: brackets need not be narrower
  int iterations = 0;             // of Newton's method, since the last reset
  std::optional<NearMiss> near_miss;

 private:
  bool node(double a, double b, int sa, int sb);
  bool monotone(double a, double b, int sa, int sb, int direction);
  bool convex(double a, double b, int sa, int sb, const Interval& curve);
  double split_point(double a, double b, int& sign);
  int slope_at(double theta);
  double ulp_at(double theta) const;
  [[noreturn]] void throw_not_a_number(int guard, double theta);

  static constexpr int budget_ = 4096;
  GuardSet& guards_;
  const Step* step_ = nullptr;
  StepStates<Interval> ranges_;
  StepStates<Jet<double>> jets_;
  StepStates<Jet<Interval>> range_jets_;
  int guard_ = 0, nodes_ = 0;
  ChartReader* reader_ = nullptr;
  double frontier_ = 0;
  bool is_spent_ = false;
};

}  // namespace pawl::event
