// Work and precision of stiff methods: what was measured, and how it is read and printed.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "stiff.hpp"

namespace pawl::bench {

enum class Norm {
  componentwise,  ///< largest relative error of a component
  largest,        ///< largest error, relative to the largest component
  nominal,        ///< largest error, relative to the component or its nominal size (1 where it has none)
};

struct Case {
  const char* problem;
  Norm norm = Norm::componentwise;
  double wanted_loose = 0.35, wanted_tight = 0.25;  // of the best peer's time, at errors 1e-5 and 1e-8
};

/// One run.
struct Work {
  double tolerance, error = std::numeric_limits<double>::infinity(), seconds = 0,
                    set_up = 0;  // of the seconds
  long long steps = 0, rejected = 0, rhs = 0, jacobians = 0, factorizations = 0;
  std::string failure = {};  // empty: it arrived
  bool was_cut = false;
};

struct Contestant {
  std::string name;
  bool is_peer;
  std::function<Work(double tolerance)> run;
  std::vector<Work> runs = {};  // from loose to tight
};

struct Effort {
  double seconds, longest;  // of repetitions in all; of one run
};

struct Field {
  const Case* which;
  const Problem* problem;
  Effort effort;
  std::vector<Contestant> contestants;
};

void print_summary(Report& report, const std::vector<Field>& fields);
/// Milliseconds to reach an error, one line per contestant.
void print_times(Report& report, const Field& field);
void print_counts(Report& report, const Wanted& wanted, const Field& field);
/// Error against time, as <problem>.svg in this folder.
void write_plot(const std::string& folder, const Field& field);

}  // namespace pawl::bench
