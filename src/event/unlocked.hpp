// Without events: conditions, families and relays follow the state at every evaluation of the rates, so that steps meet
// discontinuities inside and the error control alone hunts for them. That is what a solver for smooth equations does
// with such a model; it is there to be compared with (Compere 2001, Tables 5.5 and 5.6).
#pragma once

#include "event/finder.hpp"
#include "system/dynamics.hpp"

namespace pawl::event {

/// The dynamics of declared rates, nothing locked. Throws Misuse for a model that needs events: one with jumps,
/// decisions, relations, hysteresis, a transition function or anything but rates.
std::shared_ptr<detail::Dynamics> make_unlocked(std::shared_ptr<const System::Declarations> model);

/// Finds nothing.
std::unique_ptr<EventFinder> make_no_finder(GuardSet&, Arming&, int size, const FinderOptions&);

}  // namespace pawl::event
