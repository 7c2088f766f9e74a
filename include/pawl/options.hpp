// Options: how a run is made. Plain data with defaults; name only what differs.
//
//   simulate(model, {.end = 10, .tolerance = 1e-9, .method = "verner-9"});
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pawl/callback.hpp"

namespace pawl {

/// Local error allowed per step: |error_i| <= absolute_i + relative |x_i|, in the root-mean-square over components.
struct Tolerance {
  double relative = 1e-6;
  std::optional<double> absolute = std::nullopt;  ///< default: relative / 1000
  std::vector<double> absolute_each = {};         ///< one per state, where they differ; wins over `absolute`

  Tolerance() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): .tolerance = 1e-9 is the common case
  Tolerance(double both_from_relative) : relative(both_from_relative) {}
  Tolerance(double rel, double abs) : relative(rel), absolute(abs) {}
  Tolerance(double rel, std::vector<double> abs_each) : relative(rel), absolute_each(std::move(abs_each)) {}
};

/// What a run remembers. Memory per step: everything n (degree + 2) numbers, samples n, end none.
enum class Keep {
  everything,  ///< the polynomial of every step: the result can be evaluated anywhere
  samples,     ///< states at the requested times, or at every step if none are requested
  end,         ///< the last state only
};

/// What a run does where events accumulate and the guard has no at_accumulation(...) of its own.
enum class AtAccumulation {
  stop,  ///< end there, as terminated
  fail,  ///< end there, as failed
};

struct Progress {
  double t, start, end;
  long long steps;
};

/// How constraints and invariants are kept; `pawl methods` lists the names, docs/constraints.md explains them.
struct ConstraintOptions {
  std::string formulation = "auto";     ///< acceleration, baumgarte(12,70), penalty(1e5,1e3), state-space, ...
  std::string stabilization = "auto";   ///< projection, none, s-both2(mass,last-stage), sweeps, ...
  std::string start = "project";        ///< a start off the manifold: project, reach(η1,η2,...), keep, or refuse
  std::vector<std::string> fixed = {};  ///< states that a projected start must not change
  bool pulls_samples = false;           ///< samples are pulled onto the manifold, instead of read from the dense output
};

/// How implicit methods solve their equations (docs/stiff.md).
struct ImplicitOptions {
  std::string linear_solver = "auto";  ///< dense, band, sparse, or krylov (with bdf and adams)
  std::string jacobian = "auto";       ///< exact where the model allows it; or differences
};

class Instant;

struct Options {
  double start = 0;
  double end = std::numeric_limits<double>::quiet_NaN();  ///< required; before start: backward in time
  Tolerance tolerance = {};
  std::string method = "auto";            ///< `pawl methods` lists the names; auto chooses and says what and why
  std::optional<double> step = {};        ///< a fixed step size instead of error control
  std::optional<double> first_step = {};  ///< default: from the sizes of x, x' and x'' at the start
  double max_step = std::numeric_limits<double>::infinity();
  Keep keep = Keep::everything;
  int samples = 0;                   ///< this many equal intervals are sampled (samples + 1 instants), beside `times`
  std::vector<double> times = {};    ///< further instants to sample, in any order
  bool keeps_history = false;        ///< of every recorded step: its size, error estimate, order and method
  bool keeps_ranges = true;          ///< of observables: evaluated at every step where `keep` does not keep its end
  std::string events = "certified";  ///< how events are found: certified, compere or daspke (docs/events.md)
  double event_tolerance = 0;        ///< of event times, independent of the integration; 0: to rounding
  double concurrency_window = 0;     ///< events this close in time are one event
  /// With a window: bilateral guards may be this far beyond zero at the common instant (region of concurrency).
  double concurrency_amplitude = std::numeric_limits<double>::infinity();
  long long max_events = 1'000'000;                       ///< the run ends when so many have happened
  AtAccumulation at_accumulation = AtAccumulation::stop;  ///< where the model does not say it
  ConstraintOptions constraints = {};
  ImplicitOptions implicit = {};
  Callback<bool(const Progress&)> progress = {};  ///< called after every accepted step; false stops the run
  /// Called with the end of every accepted step, and with the state after every event (the same time again); false
  /// stops the run there.
  Callback<bool(const Instant&)> observer = {};
};

}  // namespace pawl
