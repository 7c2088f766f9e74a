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
  /// A jump may have changed a time or a period, by what holds it or by asking for it. A held time that has changed and
  /// lies ahead happens, again if it was done; one that is not after `now` does not. Returns what is wrong with a new
  /// value, or nothing.
  std::string refresh(const Held& held, double now, const std::vector<Jump::Request>& requests = {});

  void carry(Memory& memory) { memory(next_, entries_); }

 private:
  struct Entry {
    double base = 0, period = 0;
    long long count = 0;
    double time = 0;
    double held = 0;  // what the declaration says; a jump may have scheduled another time
    bool is_done = false;
  };
  bool is_after(double time, double now) const { return direction_ * (time - now) > 0; }
  void change_period(Entry& entry, double period, double now) const;
  std::string grant(const Jump::Request& request, double now);
  void find_next();

  const System::Declarations& model_;
  double direction_, next_;
  std::vector<Entry> entries_;
};

}  // namespace pawl::event
