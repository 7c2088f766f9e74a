// Result: everything a run found out. It is read with the model's own handles and outlives the model.
//
//   const Result run = simulate(ball, {.end = 2});
//   run.final()[height];  run.at(1.5)[speed];  run.range(energy).variation();
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/event.hpp"
#include "pawl/message.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/system.hpp"

namespace pawl {

namespace detail {
class Dynamics;  // the equations as a run evaluates them
}

enum class Outcome {
  finished,
  terminated,  ///< by the model, at an event: a jump asked for it, or events accumulate
  stopped,     ///< by the progress callback or the observer, that is, by the user
  failed,      ///< `reason` says what happened, where, and what to try
};
std::string_view to_string(Outcome outcome);

/// How well constraints and invariants were kept, at the ends of all steps, and what it cost.
struct ConstraintStatistics {
  std::string formulation, stabilization;
  std::string inertia;  ///< of mechanisms: how the terms that follow from their masses are found
  double position_drift = 0, velocity_drift = 0, invariant_drift = 0;  ///< largest residuals
  double surface = 0;                                                  ///< of g' + σ g, where the formulation has it
  double max_adjustment = 0;                                           ///< largest change of a state by a correction
  double max_adjustment_in_tolerance = 0;                              ///< in the error norm
  long long corrections = 0, iterations = 0, refactored = 0;
  long long raised_polynomials = 0;  ///< steps whose dense output needed more than their ends
  std::vector<std::string> redundant = {};
  struct Reached {
    std::string constraint;
    double t;
  };
  std::vector<Reached> reached = {};  ///< start = reach(...): when each surface was reached
};

/// What implicit methods did beside evaluating the right-hand side.
struct ImplicitStatistics {
  long long jacobians = 0;       ///< evaluated
  long long dual_rhs = 0;        ///< evaluations of the right-hand side with dual numbers, for Jacobians
  long long factorizations = 0;  ///< of the iteration matrix, real and complex
  long long solves = 0;          ///< with these factors
  long long iterations = 0;      ///< of Newton's method
  long long divergences = 0;     ///< trial steps in which Newton's method did not converge
  std::string linear_solver, jacobian;
  std::string structure;  ///< of differential-algebraic systems: index and roles, as they were found
  struct Share {
    std::string method;
    long long steps;
  };
  std::vector<Share> steps = {};  ///< accepted, by method or order
};

struct Statistics {
  long long rhs = 0;  ///< evaluations of the right-hand side, every one of them
  long long steps_accepted = 0;
  long long steps_rejected = 0;
  double min_step = 0;  ///< smallest and largest accepted step; the last one, cut by the end, included
  double max_step = 0;
  double largest_error_estimate =
      0;  ///< over accepted steps, in units of the tolerance; with a fixed step it may exceed 1
  double wall_seconds = 0;
  EventStatistics events;
  std::optional<ConstraintStatistics> constraints = {};  ///< of systems that have any
  std::optional<ImplicitStatistics> implicit = {};       ///< where implicit steps were taken
};

struct Range {
  double min = 0, max = 0;
  double variation() const { return max - min; }
  static Range empty() { return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}; }
  void widen(double value) {  // once NaN, always NaN
    min = value < min || std::isnan(value) ? value : min;
    max = value > max || std::isnan(value) ? value : max;
  }
};

/// One instant of a run.
class Instant {
 public:
  Instant(double time, std::vector<double> states, std::shared_ptr<const Held> held,
          std::shared_ptr<const detail::Dynamics> dynamics);

  double t;
  double operator[](State x) const { return states_[checked(x, states_.size(), "state", *model_)]; }
  double operator[](Parameter p) const {
    return held_->parameters[checked(p, held_->parameters.size(), "parameter", *model_)];
  }
  double operator[](Input u) const {
    return value_of(held_->inputs[checked(u, held_->inputs.size(), "input", *model_)], t);
  }
  template <class E>
  E operator[](Discrete<E> d) const {
    const auto& stored = detail::kept_in<E>(*held_);
    return detail::value_of_stored<E>(stored[checked(d, stored.size(), detail::kind_of_discrete<E>, *model_)]);
  }
  bool operator[](Condition c) const {
    return held_->truths[checked(c, held_->truths.size(), "condition", *model_)] != 0;
  }
  /// The sign of its difference as of the last event: -1, 1, or 0 where it rests at zero.
  int operator[](Relation r) const { return held_->truths[checked(r, held_->truths.size(), "condition", *model_)]; }
  double operator[](Relay r) const;  ///< its level, or the equivalent control while sliding
  double operator[](Observable o) const;
  double operator[](Constraint c) const;           ///< its multiplier
  double operator[](std::string_view name) const;  ///< a state, parameter, input or observable; Misuse if there is none
  const std::vector<double>& states() const& { return states_; }
  const Held& held() const& { return *held_; }
  // Of an Instant that is about to vanish: the thing itself, no view of it.
  std::vector<double> states() && { return std::move(states_); }
  Held held() &&;

 private:
  std::vector<double> states_;
  std::shared_ptr<const Held> held_;
  std::shared_ptr<const detail::Dynamics> dynamics_;
  const System::Declarations* model_;  // of the dynamics
};

/// How one recorded step was made.
struct StepHistory {
  float size = 0;    ///< that the method used; an event may have cut it
  float error = 0;   ///< its estimate in units of the tolerance; 0 where the method has none
  short order = 0;   ///< of the method, for this step
  short method = 0;  ///< in Result::methods_in_force
};

/// The recorded polynomials of a run, or what Options::keep left of them: flat arrays in the order of time.
struct Trajectory {
  int size = 0;
  std::vector<double> t0, t1, span;        // per step
  std::vector<int> degree;                 // per step
  std::vector<std::size_t> first;          // per step: where its coefficients begin
  std::vector<double> coefficients, ends;  // ends: size numbers per step
  std::vector<StepHistory> history;        // per step, with Options::keeps_history
  std::vector<double> sample_times, sample_states;
  std::vector<char> sample_was_requested;
};

/// Quantities of a run at several instants, in one array: row after row, one row per instant, one column per name.
struct Table {
  std::vector<std::string> names;
  std::vector<double> values;

  std::size_t columns() const { return names.size(); }
  std::size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
  double operator()(std::size_t row, std::size_t column) const { return values[row * names.size() + column]; }
};

class Result {
 public:
  Outcome outcome = Outcome::finished;
  std::string reason;             ///< why it failed or stopped; empty if finished
  std::optional<Message> ending;  ///< the same with its code and data; none if finished
  std::string model, method;
  Recommendation plan;  ///< what was chosen for this run, and why; what was not, and why not
  double t_start = 0;
  double t_end = 0;  ///< where the run ended, before Options::end if it failed or was stopped
  Statistics statistics;
  std::vector<Message> messages;
  std::vector<Event> events;  ///< everything that fired or was seen, in the order of time

  bool finished() const { return outcome == Outcome::finished; }
  Instant start() const;
  Instant final() const;
  /// The state at any time of the run, at an event the one after it; needs Keep::everything.
  Instant at(double t) const;
  /// The same, at an event the one before it.
  Instant before(double t) const;
  /// The state there, pulled onto the manifold to rounding: at(t) has the constraints to the accuracy of the dense
  /// output. Without a manifold, at(t).
  Instant on_manifold(double t) const;

  /// Times at which this fired.
  std::vector<double> times_of(Guard guard) const;
  std::vector<double> times_of(Condition c) const;
  std::vector<double> times_of(Relation r) const;
  std::vector<double> times_of(Relay r) const;  ///< it switched, began to slide or left its surface
  std::vector<double> times_of(TimeEvent e) const;
  std::vector<double> times_of(const Contact& contact) const;  ///< impacts and changes of its mode
  std::vector<double> times_of(const Contact& contact, ContactEvent kind) const;
  /// Times at which an event changed this variable.
  template <class E>
  std::vector<double> times_of(Discrete<E> d) const {
    const std::size_t count = detail::kept_in<E>(*held_at(t_start, false)).size();
    const std::size_t i = checked(d, count, detail::kind_of_discrete<E>, *declarations);
    return times_where([i](const Event& event) {
      return detail::kept_in<E>(*event.held_before)[i] != detail::kept_in<E>(*event.held_after)[i];
    });
  }
  /// Names of what fired, and of the mode.
  std::vector<std::string> names(const Event& event) const;
  /// What contacts did at it: "impact of floor", "slip of floor".
  std::vector<std::string> contact_events(const Event& event) const;
  std::string mode(const Held& held) const { return describe_mode(held, *declarations); }

  /// Accepted steps and requested times, in the order of time, as far as Options::keep allows.
  int sample_count() const { return static_cast<int>(trajectory.sample_times.size()); }
  Instant sample(int i) const;
  bool was_requested(int i) const { return trajectory.sample_was_requested[static_cast<std::size_t>(i)] != 0; }

  /// These quantities at these times, each instant as at(t) gives it: "t", states, observables, rows of constraints
  /// (their multipliers), parameters, discrete variables. Much cheaper than reading them one by one.
  Table table(const std::vector<double>& times, const std::vector<std::string>& names) const;
  /// The same at the samples that were kept: those that were asked for, if any were, else every accepted step. At an
  /// event two rows have the same time: before it and after it.
  Table table_of_samples(const std::vector<std::string>& names) const;
  /// "t", every state, every observable, every row of the constraints.
  std::vector<std::string> quantity_names() const;

  /// Smallest and largest value over the start, every accepted step and every event, evaluated now where Options::keep
  /// has kept them, and along the way where not. Without Options::keeps_ranges, over what was kept.
  Range range(Observable o) const;
  /// The same for a state, over the samples that were kept and the two ends.
  Range range(State x) const;

  const std::vector<std::string>& state_names() const& { return declarations->state_names; }
  const std::vector<std::string>& constraint_names() const& { return declarations->constraint_names; }
  const std::vector<std::string>& observable_names() const& { return declarations->observable_names; }
  const std::vector<std::string>& state_names() && = delete;  // a view of a Result that is about to vanish
  const std::vector<std::string>& constraint_names() && = delete;
  const std::vector<std::string>& observable_names() && = delete;

  // The parts a recorder fills.
  std::shared_ptr<const System::Declarations> declarations;
  std::shared_ptr<const detail::Dynamics> dynamics;
  struct Era {  // what was held from this time on
    double t;
    std::shared_ptr<const Held> held;
  };
  std::vector<Era> eras;
  std::vector<double> start_state, final_state;
  std::vector<std::string> methods_in_force;  // names for StepHistory::method
  std::vector<Range> observable_ranges;       // empty: the steps are kept, or ranges are not wanted
  Trajectory trajectory;

 private:
  std::vector<double> times_where(const Callback<bool(const Event&)>& is_wanted) const;
  void check(const Contact& contact) const;
  std::vector<double> times_of_guards(const Callback<bool(const GuardInfo&)>& is_wanted) const;
  std::shared_ptr<const Held> held_at(double t, bool before) const;
  Instant inside(double t, bool before) const;
};

}  // namespace pawl
