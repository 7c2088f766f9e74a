// The states of two runs at common times.
#pragma once

#include <vector>

#include "pawl/verify.hpp"

namespace pawl::verification {

/// States at the common times, in order, as far as a run came; `end` where it came to its end.
struct Track {
  int size = 0;
  std::vector<double> states;  // size numbers per time
  std::vector<double> end;     // empty: it did not get there
  std::size_t count() const { return states.size() / static_cast<std::size_t>(size); }
  const double* at(std::size_t k) const { return states.data() + k * static_cast<std::size_t>(size); }
};

/// Where the first run can be compared, its end left out: if it kept its polynomials, the ends of equal intervals, the
/// middle of as many steps, and the middle between events; else its samples.
std::vector<double> common_times(const Result& first, int instants);

Track track_of_first(const Result& first, const std::vector<double>& times);
/// Of a run that was asked to sample these times.
Track track_of(const Result& run, const std::vector<double>& times);

/// What differences of each variable are divided by: its range over the first run, at least a thousandth of its largest
/// value and so much that differences below its absolute tolerance do not count.
std::vector<double> scales_of(const Track& first, const std::vector<double>& absolute, double digits);

/// A variable that is below the relative tolerance beside the largest scale, and a tenth of that in a run with tighter
/// tolerances, is zero but for errors: digits of it mean nothing, and its scale becomes so large that they do not
/// count.
std::vector<double> with_zeros(std::vector<double> scales, const Track& first, const Track& tighter, double relative,
                               double agreement);

/// Differences in units of the scales, at the times both runs have and at which they are between the same events.
struct Differences {
  std::vector<double> t, largest;  ///< over the variables
  std::vector<double> mean;        ///< root mean square over the variables
  std::vector<double> apart;       ///< b - a as they are, a number per variable and time
  std::vector<double> size;        ///< root mean square of the states themselves, the largest so far
  std::vector<Agreement> variables;
  bool has_end = false;  ///< the last entry is the end of the run
};
Differences compare(const Track& a, const Track& b, const std::vector<double>& times, double t_end,
                    const std::vector<double>& scales, const std::vector<EventPair>& events,
                    const std::vector<std::string>& names);

double digits_of(double difference);

}  // namespace pawl::verification
