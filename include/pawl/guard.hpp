// Guards: named functions of the motion whose zeros are events. docs/events.md says what fires when.
//
//   ball.guard("ball touches ground", [=](const auto& at) { return at[height]; })
//       .falling().unilateral().only_when(!resting)
//       .then([=](Jump& jump) { jump[speed] = -jump[restitution] * jump.pre(speed); });
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pawl/callback.hpp"
#include "pawl/function.hpp"
#include "pawl/jump.hpp"
#include "pawl/logic.hpp"

namespace pawl {

enum class Direction : signed char { falling = -1, either = 0, rising = 1 };
/// bilateral: the motion goes through, the located instant is at or just after the zero (CEL+). unilateral: the guard
/// is never seen beyond zero, the instant is at or just before (CEL-).
enum class Side : signed char { bilateral, unilateral };

using Transition = Callback<void(Jump&, Pair)>;

/// Which part of what a contact does is ended by one of its guards.
enum class ContactEnd : signed char { gap, release, slip, onset, cone, cone_back, side, lock, pull, press };

/// What has been said of one guard, or of one family of guards.
struct GuardInfo {
  using Role = GuardRole;

  std::string name;
  Function g;
  bool is_family = false;
  std::vector<Pair> members = {Pair{}};
  Direction direction = Direction::either;
  Side side = Side::bilateral;
  bool fires_on_touch = false;
  bool reports_departure = false;
  Logic only_when = {};
  double min_width = 0;   ///< black boxes: no excursion beyond zero is shorter than this
  double rate_bound = 0;  ///< black boxes: |dg/dt| never exceeds this
  Transition then = {};
  Transition at_accumulation = {};
  Callback<double(const Held&)> gap_ratio = {};  ///< known ratio of the gaps between its events, where they shrink
  Role role = Role::guard;
  int role_index = 0;  ///< of the condition, relation, family or relay
  int block = -1;      ///< where one function computes many: number of the block, and which of its values this is
  int row = 0, rows = 1;
  std::optional<ContactEnd> contact_end = {};  ///< where it belongs to contacts, what it ends
  int contact = -1;                            ///< of which one; -1: of all
  int ideal_switch = -1;                       ///< the switch it belongs to

  bool is_generic() const { return g.supports<Jet<Interval>>(); }
};

/// A number, or the parameter or discrete variable that holds it.
using TimeValue = std::variant<double, Parameter, Discrete<double>>;
inline double value_of(const TimeValue& value, const Held& held) {
  if (const auto* p = std::get_if<Parameter>(&value)) return held.parameters[static_cast<std::size_t>(p->index)];
  if (const auto* d = std::get_if<Discrete<double>>(&value)) return held.numbers[static_cast<std::size_t>(d->index)];
  return std::get<double>(value);
}

struct TimeEventInfo {
  std::string name;
  TimeValue time;  ///< when, or how often; infinity: not before it is scheduled
  bool is_periodic = false;
  Transition then = {};
  TimeValue phase = 0.0;  ///< periodic: the first time, counted from the start of the run
  bool includes_start = false;
};

struct RelayInfo {
  std::string name;
  double below, above, hysteresis;
  Function g;
};

/// An ideal switch: 0 = voltage while it conducts, 0 = current while it does not.
struct SwitchInfo {
  enum class Kind { diode, thyristor, given };
  std::string name;
  Kind kind;
  int mode;                   ///< discrete variable: it conducts
  Function voltage, current;  ///< as guards
  Logic gate = {};            ///< thyristor: without it, it does not begin to conduct
  int idles = -1;             ///< discrete variable of a compiled model: what it watches is zero whatever the state is
};

struct DecisionInfo {
  int discrete;
  Logic logic;
};

class System;

/// Completes the sentence that System::guard or guards began; for a block it speaks of all its guards.
class GuardDeclaration {
 public:
  GuardDeclaration(System& system, int index, int count = 1) : system_(system), index_(index), count_(count) {}
  GuardDeclaration operator[](int i) const { return {system_, index_ + i}; }  ///< one of a block

  GuardDeclaration& rising();               ///< only from - to +
  GuardDeclaration& falling();              ///< only from + to -
  GuardDeclaration& bilateral();            ///< the motion goes through zero (default)
  GuardDeclaration& unilateral();           ///< the guard must never be seen beyond zero
  GuardDeclaration& touching();             ///< touching zero without crossing fires too
  GuardDeclaration& reporting_departure();  ///< leaving a stretch of zero is recorded as an event
  GuardDeclaration& only_when(Logic logic);
  GuardDeclaration& min_width(double width);   ///< black box: every excursion lasts at least this long
  GuardDeclaration& rate_bound(double bound);  ///< black box: |dg/dt| <= bound along the motion

  /// What happens at the event: a function (Jump&), or (Jump&, int i) for a block, (Jump&, int i, int j) for a family.
  template <class F>
  GuardDeclaration& then(F f) {
    const Transition made = transition(std::move(f));
    for (int i = 0; i < count_; ++i) info(i).then = made;
    return *this;
  }
  /// What happens where events accumulate: the resting state of the model.
  template <class F>
  GuardDeclaration& at_accumulation(F f) {
    const Transition made = transition(std::move(f));
    for (int i = 0; i < count_; ++i) info(i).at_accumulation = made;
    return *this;
  }

  operator Guard() const;         // NOLINT: a declaration is named by its handle
  operator Block<Guard>() const;  // NOLINT: and a block of them

  template <class F>
  static Transition transition(F f) {
    constexpr bool is_of_member = std::is_invocable_v<const F&, Jump&, int, int>;
    constexpr bool is_of_row = std::is_invocable_v<const F&, Jump&, int>;
    constexpr bool is_jump = std::is_invocable_v<const F&, Jump&>;
    static_assert(is_of_member || is_of_row || is_jump,
                  "pawl: a jump is a function (Jump& jump), or (Jump& jump, int i, int j) for a family; it is called "
                  "const, so a mutable lambda is refused: keep what changes in a discrete variable of the model");
    if constexpr (is_of_member)
      return [f = std::move(f)](Jump& jump, Pair member) { f(jump, member.i, member.j); };
    else if constexpr (is_of_row)
      return [f = std::move(f)](Jump& jump, Pair member) { f(jump, member.i); };
    else if constexpr (is_jump)
      return [f = std::move(f)](Jump& jump, Pair) { f(jump); };
    else
      return {};
  }

 private:
  GuardInfo& info(int i = 0);
  System& system_;
  int index_, count_;
};

/// Completes the sentence that System::at, every or time_event began.
class TimeEventDeclaration {
 public:
  TimeEventDeclaration(System& system, int index) : system_(system), index_(index) {}

  /// Periodic: happens at start + phase + k period.
  TimeEventDeclaration& phase(TimeValue phase);
  /// Happens at the start of the run too, if its time is there; by default events belong to start < t <= end.
  TimeEventDeclaration& including_start();
  /// What happens then: a function (Jump&).
  template <class F>
  TimeEventDeclaration& then(F f) {
    info().then = GuardDeclaration::transition(std::move(f));
    return *this;
  }

  operator TimeEvent() const;  // NOLINT: a declaration is named by its handle

 private:
  TimeEventInfo& info();
  System& system_;
  int index_;
};

}  // namespace pawl
