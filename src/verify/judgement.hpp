// From comparisons to a verdict: where runs part, whether chaos explains it, what to try.
#pragma once

#include <vector>

#include "verify/comparison.hpp"
#include "verify/plan.hpp"

namespace pawl::verification {

/// A second run with what its comparisons need.
struct Made {
  Track track;
  Differences differences;  ///< from the first run
};

/// Sets where this run parts from the first: `tolerance` is the largest difference that counts as agreement, of states
/// in units of their scales and of event times in units of the length of the run.
void find_parting(const Result& first, const Differences& differences, double tolerance, SecondRun& run);

/// Fills in verdict, summary, advice and what they rest on. tightened: tolerances of the second runs were divided by
/// it.
void judge(const Options& options, double tightened, const Result& first, const std::vector<Made>& made,
           const std::vector<Differences>& among, Verification& verification);

}  // namespace pawl::verification
