// Timed runs of implicit methods, beside CVODE and IDA used directly in the same program.
#pragma once

#include <string>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

/// Seconds of processor time after which a run is cut.
inline constexpr double longest_run = 5;

/// A run that was timed: the best of several where it is short, at least `seconds` in all.
struct TimedRun {
  Result run;
  double seconds = 0;
  bool was_cut = false;  ///< after `longest` seconds
};
/// Keep::end; a run that fails or is cut is not repeated. Seconds: processor time of the whole call.
TimedRun time_run(const System& system, const Values& values, Options options, double seconds = 0.02,
                  double longest = longest_run);

/// Seconds of a run of no length, best of several: checks, structure, consistent start.
double set_up_seconds(const System& system, const Values& values, Options options);

/// Whether SUNDIALS was compiled with optimization, and a sentence for the head of a table: which one it is, and, where
/// it is not, that ratios prove nothing.
bool peers_are_optimized();
std::string peers_note();

}  // namespace pawl::bench
