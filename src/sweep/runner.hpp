// Makes runs, by threads that take the next one from a shared counter.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "pawl/sweep.hpp"
#include "sweep/journal.hpp"
#include "sweep/kept.hpp"

namespace pawl::sweeping {

/// Compiled models by what shapes them: most sweeps need one.
class Models {
 public:
  Models(const SweepModel& model, const Design& design);
  /// For a run with these values of the design. The model lives as long as this does.
  const SweepModel& for_values(const std::vector<double>& values);

 private:
  const SweepModel& model_;
  std::vector<std::string> names_;
  std::vector<std::size_t> shaping_;  // which of the names shape the model
  std::mutex mutex_;
  std::map<std::vector<double>, std::unique_ptr<const SweepModel>> made_;
};

/// Where finished runs go; called by one thread at a time.
using Take = std::function<void(const Record&)>;

/// Makes these runs; false: goes_on said no. What `take` throws ends all threads and is thrown again.
bool make_runs(const std::vector<long long>& runs, const SweepModel& model, const Design& design, const Kept& kept,
               const SweepOptions& options, const Take& take);

}  // namespace pawl::sweeping
