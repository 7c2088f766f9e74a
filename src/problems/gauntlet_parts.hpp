// What the cases of the gauntlet share. Each gauntlet_*.cpp adds the cases of one kind to the list.
#pragma once

#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "problems/gauntlet.hpp"

namespace pawl::gauntlet_parts {

inline constexpr double pi = std::numbers::pi;
using Cases = std::vector<GauntletCase>;

/// Tolerances of event times. A guard of t alone is located to rounding. One that reads a state knows it as well as the
/// dense output is evaluated: high-order ones have weights of 1e3 and more, and rounding grows with them and with
/// restarts.
inline constexpr double of_time = 1e-12, of_state = 1e-9;

void add_waves(Cases& cases, GuardForm form);           // many roots, pairs, chirps
void add_tangencies(Cases& cases, GuardForm form);      // near tangency on both sides, touches, multiple roots
void add_dips(Cases& cases, GuardForm form);            // short excursions
void add_ends(Cases& cases, GuardForm form);            // starts, ends, output times, backward
void add_simultaneous(Cases& cases, GuardForm form);    // same bit, neighbours, many guards
void add_resets(Cases& cases, GuardForm form);          // jumps across, onto and back
void add_switches(Cases& cases, GuardForm form);        // conditions, relays, time events
void add_accumulations(Cases& cases, GuardForm form);   // Zeno, clusters, bouncing
void add_rests(Cases& cases, GuardForm form);           // zero to noise: constraints, unknowns of index 1 and 2, locks
void add_forces(Cases& cases, GuardForm form);          // multipliers, two guards that accumulate
void add_resting_forces(Cases& cases, GuardForm form);  // multipliers that are zero to noise, landings
void add_constrained(Cases& cases, GuardForm form);     // relations and conditions on joints and hidden constraints

template <class F>
GuardDeclaration guard(System& system, GuardForm form, std::string name, F g) {
  return form == GuardForm::generic ? system.guard(std::move(name), std::move(g))
                                    : system.guard(std::move(name), black_box(std::move(g)));
}

/// A state that does not move, so that nothing limits the step; its mode is toggled by the events, so that each
/// restarts.
struct Still {
  System system;
  State y;
  Discrete<bool> mode;
};
inline Still still(const std::string& name) {
  System system(name);
  const auto y = system.state("y", 1.0);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto& at, auto& d) { d[y] = at[mode] ? 0.0 : -0.0; });
  return {std::move(system), y, mode};
}

/// A clock: x = t exactly, so that a guard of x has known zeros and still reads a state.
struct Clock {
  System system;
  State x;
  Discrete<bool> mode;
};
inline Clock clock(const std::string& name, double start = 0) {
  System system(name);
  const auto x = system.state("x", start);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto& at, auto& d) { d[x] = 1.0 + 0 * at[mode]; });
  return {std::move(system), x, mode};
}

inline auto toggling(Discrete<bool> mode) {
  return [=](Jump& jump) { jump[mode] = !jump[mode]; };
}

/// Crossings of one guard that go to + and - in turn.
inline std::vector<ExpectedEvent> alternating(const std::vector<double>& times, const std::string& guard, int first,
                                              double tolerance = of_state, bool needs_proof = false) {
  std::vector<ExpectedEvent> events;
  int to = first;
  for (const double t : times) {
    events.push_back({.t = t, .guard = guard, .tolerance = tolerance, .to = to, .needs_proof = needs_proof});
    to = -to;
  }
  return events;
}

/// All of one direction.
inline std::vector<ExpectedEvent> repeated(const std::vector<double>& times, const std::string& guard, int to,
                                           double tolerance = of_state) {
  std::vector<ExpectedEvent> events;
  for (const double t : times) events.push_back({.t = t, .guard = guard, .tolerance = tolerance, .to = to});
  return events;
}

/// f(first), ..., f(last).
template <class F>
std::vector<double> times_of(int first, int last, F f) {
  std::vector<double> times;
  for (int k = first; k <= last; ++k) times.push_back(f(k));
  return times;
}

}  // namespace pawl::gauntlet_parts
