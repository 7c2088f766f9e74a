// A problem with events run as a published table says: finder, pair, tolerance, largest step.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl::bench {

/// A row as printed by Compere, Tables 5.3 and 5.4; all zeros where our model is a reconstruction.
struct PublishedCounts {
  double x_final = 0;
  int events = 0, rhs = 0, accepted = 0, rejected = 0, iterations = 0;
};

struct EventRow {
  std::string label, problem;
  Assignments assignments = {};
  double tolerance, location;  // tol and eps_d of Compere
  PublishedCounts published = {};
  double window = 0, amplitude = std::numeric_limits<double>::infinity();
  long long most_events = 1'000'000;
};

struct EventRun {
  Result run;
  std::optional<double> error;
};

EventRun run_row(const EventRow& row, const std::string& finder, const std::string& method, double tolerance,
                 double max_step = std::numeric_limits<double>::infinity());

}  // namespace pawl::bench
