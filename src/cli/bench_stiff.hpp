// What `pawl bench stiff` is made of: implicit methods at work, beside CVODE and IDA used directly in the same run.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_constraints.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl::cli {

struct StiffOptions {
  TableReport& report;
  std::string problem = "all";  ///< work-precision: one problem instead of all
  bool is_quick = false;        ///< fewer tolerances and repetitions, shorter runs
  std::string plots = "";       ///< folder for plots; empty: none
};

struct StiffTable {
  std::string name, title;
  void (*print)(const StiffOptions&);
};
const std::vector<StiffTable>& stiff_tables();

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

/// The first line of a text, without what would break a table.
std::string first_line(const std::string& text);
/// Milliseconds of seconds: 0.012, 1.23, 12.3, 123.
std::string milliseconds(double seconds);

// bench_stiff_work.cpp
void bench_work(const StiffOptions& options);
// bench_stiff_sparse.cpp, bench_stiff_restart.cpp, bench_stiff_papers.cpp, bench_stiff_formulations.cpp
void bench_sparse(const StiffOptions& options);
void bench_restart(const StiffOptions& options);
void bench_papers(const StiffOptions& options);
void bench_formulations(const StiffOptions& options);

}  // namespace pawl::cli
