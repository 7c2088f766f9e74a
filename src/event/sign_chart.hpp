// The sign chart of one guard over a step: the step is covered from left to right by stretches labelled +, - or 0. A
// label
// + or - is a proof; a 0 is the bracket of a root, or a stretch where the guard is zero to within its own rounding.
//
//   + 0 -  and  - 0 +  cross      + 0 +  and  - 0 -  touch      leading 0  starts at zero      all 0  rests
//
// A 0 may also be a pole, where the guard is not zero: passing it is no event of a guard. The chart is made lazily: it
// ends at the first event that fires.
#pragma once

#include <cmath>
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
  bool ends_rest = false;   // where it left zero is told by rounding
  bool is_touch() const { return before == after; }
};

/// Reads labels from left to right and says what they mean for a guard that was armed.
class ChartReader {
 public:
  /// armed: the sign at the start, 0 where it is not known. starts_at_zero: the guard is zero there, so leaving is no
  /// event. settles_until: up to there a crossing is the rest of an event that has already fired.
  /// is_strict: unilateral, so that leaving zero to the forbidden side is an event even so. counts_poles: a truth
  /// changes with the sign, whichever way that changes.
  ChartReader(int armed, bool starts_at_zero, Direction direction, bool fires_on_touch, double settles_until = -1,
              bool is_strict = false, bool counts_poles = false)
      : side_(armed),
        starts_at_zero_(starts_at_zero),
        is_strict_(is_strict),
        counts_poles_(counts_poles),
        direction_(direction),
        fires_on_touch_(fires_on_touch),
        settles_until_(settles_until) {}

  /// False: an event that fires has been found, the rest of the chart is not needed.
  bool emit(int sign, double a, double b);
  /// Somewhere in [a, b] the guard goes to infinity.
  bool emit_pole(double a, double b);

  const std::optional<Zero>& event() const { return event_; }
  const std::vector<Zero>& touches() const { return touches_; }
  int side() const { return side_; }                       ///< the last proved sign, or how the guard was armed
  int side_at(double theta) const;                         ///< the same as of an earlier time, and before the event
  bool ends_in_zero() const { return zero_.has_value(); }  ///< and nothing proved after it
  bool ends_in_pole() const { return zero_ && zero_->is_pole; }
  double zero_from() const { return zero_->left; }
  bool has_strayed() const { return has_strayed_; }  ///< it left zero to the other side than how it was armed
  bool has_departed() const { return departure_.has_value(); }
  double departure() const { return *departure_; }

 private:
  bool cross(const Zero& found);
  struct Stretch {
    double left, right;
    bool is_pole = false;
  };
  int side_;
  bool starts_at_zero_, is_strict_, counts_poles_;
  Direction direction_;
  bool fires_on_touch_;
  double settles_until_;
  std::vector<Zero> passes_;  // crossings that do not fire
  std::optional<Stretch> zero_;
  std::optional<Zero> event_;
  std::optional<double> departure_;  // end of a leading zero
  bool has_strayed_ = false;
  std::vector<Zero> touches_;
};

/// Whether a guard grows towards [a, b] from both sides, as far as they are within [from, to]: a pole, and no zero.
template <class Value>
bool is_pole(double a, double b, double from, double to, const Value& value) {
  const double width = b - a;
  const auto has_side = [&](double edge, double away) {
    return edge + 4096 * away >= from && edge + 4096 * away <= to;
  };
  const auto grows = [&](double edge, double away) {
    const double near = std::abs(value(edge + away)), middle = std::abs(value(edge + 64 * away));
    return near > 1.5 * middle && middle > 1.5 * std::abs(value(edge + 4096 * away));
  };
  const bool has_left = has_side(a, -width), has_right = has_side(b, width);
  return (has_left || has_right) && (!has_left || grows(a, -width)) && (!has_right || grows(b, width));
}

/// How a guard is near zero somewhere without reaching it, or only just: used to warn.
struct NearMiss {
  double theta, value;
};

/// Charts of generic guards, proved by interval arithmetic.
class GenericChart {
 public:
  GenericChart(GuardSet& guards, int size);

  void read(const Step& step);
  /// Covers [from, to], over which the sign is not certain as a whole. False: the chart reaches frontier() only, and
  /// stop() says why.
  bool cover(int guard, double from, double to, ChartReader& reader);
  double frontier() const { return frontier_; }
  enum class Stop {
    none,
    spent,         // the budget of nodes
    undecided,     // ranges say nothing, not even at single instants; doubt() says why
    slow,          // ranges of parts say nothing in reasonable time, those of instants do
    not_a_number,  // from the frontier on
  };
  Stop stop() const { return stop_; }
  /// What was not proved, though the chart is whole; null: nothing.
  const char* doubt() const { return doubt_; }

  /// Sign of the guard over a stretch, or 0: one evaluation.
  int sign_over(int guard, double a, double b) { return range_over(guard, a, b).sign(); }
  int sign_at(int guard, double theta) { return sign_over(guard, theta, theta); }
  /// Value and derivatives by θ.
  Jet<double> jet_at(int guard, double theta);
  /// The whole line where the guard is not a number: halves decide.
  Interval range_over(int guard, double a, double b);
  /// Whether the last range is one of a part only, because some of the stretch is outside the domain of the guard.
  bool has_left_domain() const { return detail::has_left_domain; }
  /// Throws: the guard is not a number at θ; where that began is looked for.
  [[noreturn]] void throw_not_a_number(int guard, double theta);
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
  bool halves(double a, double b, int sa, int sb);
  bool is_at_border(double a, double b);
  bool rests(double a, double b);
  bool is_rounding(const Interval& value);
  bool end_at(double theta, Stop why, const char* doubt = nullptr);

  // Nodes of one chart; those after which it must have come some way; and how many in a row may be zero to rounding,
  // undecided at every instant tried, or partly outside the domain.
  static constexpr int budget_ = 4096, patience_ = 512, most_zeros_ = 512, most_undecided_ = 24, most_cuts_ = 256;
  GuardSet& guards_;
  const Step* step_ = nullptr;
  StepStates<Interval> ranges_;
  StepStates<Jet<double>> jets_;
  StepStates<Jet<Interval>> range_jets_;
  GivenStates<Interval> wide_;
  int guard_ = 0, nodes_ = 0, zeros_ = 0, undecided_ = 0, cuts_ = 0;
  ChartReader* reader_ = nullptr;
  double from_ = 0, to_ = 0, frontier_ = 0, zero_end_ = 0;
  double scale_ = 0;  // of the values that the guard takes for states of this size; negative: not known yet
  Stop stop_ = Stop::none;
  const char* doubt_ = nullptr;
};

}  // namespace pawl::event
