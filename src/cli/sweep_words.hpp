// The words of `pawl sweep`, and what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/model_words.hpp"
#include "pawl/sweep.hpp"

namespace pawl::cli {

struct SweepWords : ModelWords {
  std::vector<std::string> vary, random, keep;
  std::string design, part, out;
  std::optional<long long> runs, max_steps;
  std::optional<double> max_seconds, step, start, stop;
  std::uint64_t seed = 0;
  bool indices = false;
  int jobs = 0;
  std::string method = "auto", events = "certified", formulation = "auto", stabilization = "auto",
              linear_solver = "auto";
  double max_step = std::numeric_limits<double>::infinity();
  long long max_events = 1'000'000;
  bool status = false, failed = false;
  std::string csv, hdf5, npz, report;

  /// Whether they say which runs to make, and not only which sweep to read.
  bool plan_runs() const {
    return !vary.empty() || !random.empty() || !design.empty() || runs || !keep.empty() || !out.empty() || indices;
  }
};

void add_sweep_words(CLI::App& command, SweepWords& words);

Design design_of(const SweepWords& words);
SweepModel sweep_model_of(const SweepWords& words);
SweepOptions sweep_options_of(const SweepWords& words, const SweepModel& model);

}  // namespace pawl::cli
