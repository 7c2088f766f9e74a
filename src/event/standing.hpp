// The decision tables of docs/events.md as functions of nothing but signs: how a guard stands at the start of a piece,
// from what it was before, what is known of it now, and how it was declared.
#pragma once

#include <functional>

#include "pawl/guard.hpp"

namespace pawl::event {

inline int sign_of(double x) {
  return (x > 0) - (x < 0);
}

/// What is known of a guard at one instant; 0: not certain, or not asked for.
struct Signs {
  int sign = 0;
  int slope = 0;  // sign of its first derivative along the motion
  int curve = 0;  // of its second
  int leaving() const { return slope != 0 ? slope : curve; }
  int sign_from_here() const { return sign != 0 ? sign : leaving(); }
};

struct Standing {
  enum class Outcome {
    stands,
    fires,    // by what a reset has done, at the same instant
    passes,   // it has fired, and consistent values took it back by noise: passing zero again is no event
    remains,  // unilateral, and still moving inward: its transition is made again
    beyond    // unilateral, and a reset put it where it must not be
  };
  int sign = 0;                 // from which it is watched; 0: the first proved sign decides
  bool starts_at_zero = false;  // leaving zero is no event
  Outcome outcome = Outcome::stands;

  bool operator==(const Standing&) const = default;
};

/// Whether a transition changed the value of the guard. Asked only where it matters: it costs an evaluation.
using HasMoved = std::function<bool()>;

/// The start of a run, or of watching.
Standing stand_at_start(const Signs& now, bool is_relation);
/// A guard that fired, after its transition; was_touch: without crossing. before: its sign, watched until the event.
/// approaches: its value has the sign of before, or so its number says, and its slope the other one.
Standing stand_after_firing(int before, const Signs& now, Side side, bool was_touch, bool approaches,
                            const HasMoved& has_moved);
/// A guard that did not fire, after the transition of others.
Standing stand_after_reset(const Standing& before, const Signs& now, Side side, Direction direction,
                           const HasMoved& has_moved);

/// A relation, whose sign is held.
struct RelationStanding : Standing {
  int after = 0;             // fires: the sign it has from here
  bool passes_zero = false;  // by rounding on the other side of zero than where it goes: passing it is no event
  bool operator==(const RelationStanding&) const = default;
};
/// approaches: its value and slope have opposite signs. has_fired_early: before its own zero, which is still to come.
RelationStanding stand_of_relation(int held, const Signs& now, bool approaches, bool has_fired_early,
                                   const HasMoved& has_moved);

}  // namespace pawl::event
