// The pilot: a short run with a loose tolerance that visits modes, and a few implicit steps that show which step
// accuracy allows.
#pragma once

#include <string>
#include <vector>

#include "analyze/linearize.hpp"
#include "pawl/advise.hpp"

namespace pawl::analyze {

struct Visit {
  Place place = {};  ///< where the equations are looked at: half way through the first stay
  double entered = 0, time = 0;
  std::string mode = {};
};

struct Pilot {
  double start = 0, end = 0;
  long long steps = 0;
  std::string failure = {};
  std::vector<Visit> visits = {};  ///< one per mode, in the order they were entered; the first is the one at the start
  int left_out = 0;                ///< modes beyond the largest number that is looked at
  EventForecast events = {};
};

Pilot fly(const System& system, const Values& values, const Options& options);

/// The largest step that radau-5 takes within the wanted tolerance, in at most 40 steps from there. 0: it cannot.
double accurate_step(const System& system, const Values& values, const Place& from, const Options& options);

}  // namespace pawl::analyze
