// Event: one instant at which something fired, or was seen. docs/events.md defines every kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/system.hpp"

namespace pawl {

enum class EventKind {
  crossing,      ///< guards crossed zero in their direction, or touched it where that fires
  jump,          ///< a transition at the same instant put them on the other side
  time,          ///< scheduled, or a corner of an input
  change,        ///< made from outside, by whoever steps the run
  slide,         ///< the motion stays on a relay's surface from here
  leave,         ///< the motion leaves a surface
  accumulation,  ///< infinitely many events end here
  initial,       ///< zero at the start: nothing fires
  touch,         ///< touched zero without crossing: nothing fires
  near_touch,    ///< came as near to zero as the integration error: nothing fires
  departure,     ///< left a stretch of zero: nothing fires
};
std::string_view to_string(EventKind kind);
/// Whether something fired; the other kinds only say what was seen.
bool fires(EventKind kind);

/// What fired: a guard or a member of a family, a time event, a relay whose surface the motion leaves, or an input at a
/// corner of its course.
struct EventSource {
  enum class Kind { guard, time, exit, input } kind = Kind::guard;
  int index = 0;  ///< of the declaration
  Pair member = {};
};

struct Event {
  double t = 0;
  EventKind kind = EventKind::crossing;
  std::vector<EventSource> sources;  ///< in the order of time, then of declaration
  std::shared_ptr<const Held> held_before, held_after;

  std::vector<std::string> notes = {};      ///< what the engine decided: impacts, what a contact does from here
  std::vector<ContactFired> contacts = {};  ///< what contacts did, in the order of their declaration

  bool fired(Guard guard) const;
  bool fired(const Contact& contact, ContactEvent of_kind) const;

  // How it was found.
  std::vector<double> zeros;         ///< where each guard vanishes, to within `uncertainty`
  double uncertainty = 0;            ///< width of the bracket, in time
  bool is_clamped = false;           ///< at the end of the run, where a bilateral guard cannot be shown beyond zero
  bool is_within_tolerance = false;  ///< the integration error is large enough to move or remove it
  int iterations = 0;                ///< of root location
  long long extra_evaluations = 0;   ///< of the right-hand side, spent on locating it
};

std::string name_of(const EventSource& source, const System::Declarations& model);
/// The name of a contact of a mechanism, alone or in a mixture.
const std::string& name_of(const ContactFired& one, const System::Declarations& model);
/// What is held, in words: "not resting, gear = 2, heater above".
std::string describe_mode(const Held& held, const System::Declarations& model);

/// What one guard declaration was promised: proved by ranges, bounded by what was declared of it, or sampled.
enum class Assurance { proved, bounded, sampled };
std::string_view to_string(Assurance assurance);

struct Guarantee {
  std::string guard;
  Assurance level;
};

struct EventStatistics {
  long long events = 0;            ///< that fired
  long long guard_ranges = 0;      ///< guard evaluations over intervals
  long long guard_points = 0;      ///< guard evaluations at single instants
  long long iterations = 0;        ///< of root location
  long long rhs_for_location = 0;  ///< right-hand sides spent on locating events
  long long wrong_order = 0;       ///< N_ctch of Compere: another event turned out to be the first
  long long false_roots = 0;       ///< N_fl of Compere: the expected event turned out not to exist
  long long discarded = 0;         ///< whole steps taken to locate events and not used (in N_rej of Compere)
  long long micro_steps = 0;
  int guards = 0;
  std::vector<Guarantee> guarantees;
};

}  // namespace pawl
