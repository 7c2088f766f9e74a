// Timing for the comparisons: contestants are timed in turn, round after round, and the fastest round of each counts,
// so that whatever else the machine does hits all of them alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace pawl::bench {

using Job = std::function<void()>;

inline double seconds_of(const Job& job, int repetitions) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / repetitions;
}

/// Seconds per run of each job.
inline std::vector<double> time_in_turn(const std::vector<Job>& jobs, int rounds = 15,
                                        double seconds_per_round = 4e-3) {
  std::vector<int> repetitions;
  for (const Job& job : jobs) {
    job();  // warm up
    repetitions.push_back(std::max(1, static_cast<int>(seconds_per_round / std::max(seconds_of(job, 1), 1e-9))));
  }
  std::vector<double> best(jobs.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < jobs.size(); ++i) best[i] = std::min(best[i], seconds_of(jobs[i], repetitions[i]));
  }
  return best;
}

}  // namespace pawl::bench
