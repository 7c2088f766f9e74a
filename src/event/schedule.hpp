// Time events: known in advance, so they need no search. The next one limits the step, which then ends exactly there.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/system.hpp"

namespace pawl::event {

class Schedule {
 public:
  Schedule(const System::Declarations& model, const Held& held, double start, double direction);

  /// The next time at which something is due, infinitely far in the direction of the run if nothing is.
  double next() const { return next_; }
  /// Everything due at or before t (plus slack); marks it done.
  std::vector<int> take(double t, double slack);
  /// A parameter may have changed a time or a period. What is not after `now` does not happen any more. Returns what is
  /// wrong with a new value, or nothing.
  std::string refresh(const Held& held, double now);

  void carry(Memory& memory) { memory(next_, entries_); }

 private:
  struct Entry {
    double base = 0, period = 0;
    long long count = 0;
    double time = 0;
    bool is_done = false;
  };
  double value_of(const TimeValue& value, const Held& held) const;
  void find_next();

  const System::Declarations& model_;
  double start_, direction_, next_;
  std::vector<Entry> entries_;
};

}  // namespace pawl::event
