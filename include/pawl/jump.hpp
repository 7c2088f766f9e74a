// Jump: one round of an event as transitions see it. Reads and writes states, parameters and discrete variables; the
// values of before the round stay readable as pre(...).
//
//   .then([=](Jump& jump) { jump[speed] = -jump[restitution] * jump.pre(speed); })
//   system.transition([=](Jump& jump) { if (jump.fired(tick)) jump[n] = jump.pre(n) + 1; });
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/contact.hpp"
#include "pawl/held.hpp"
#include "pawl/readable.hpp"

namespace pawl {

namespace event {
class Transitions;
}

/// What a guard is for: itself, or the switch that the engine makes of it.
enum class GuardRole { guard, condition, condition_family, relation, relay_up, relay_down };

/// One guard that fired: its declaration and, in a family or block, its member.
struct Fired {
  Guard guard;
  Pair member;
  GuardRole role = GuardRole::guard;
  int role_index = 0;  ///< of the condition, relation or relay
  int contact = -1;    ///< that the engine made it for; -1: for none, or for all of them
};

/// What made a round of an event. A later round of the same instant has its own.
struct Causes {
  std::vector<Fired> fired = {};            ///< in the order of time, then of declaration
  std::vector<TimeEvent> time_events = {};  ///< in the order of declaration
  std::vector<Relay> left = {};             ///< relays whose surface the motion leaves
  std::vector<ContactFired> contacts = {};  ///< what contacts did in the round before
  bool is_start = false;                    ///< the run starts here
  bool is_accumulation = false;             ///< infinitely many events of `fired` end here
};

class Jump {
 public:
  /// A discrete variable that can be read and assigned.
  template <class E>
  class Slot {
   public:
    using Stored = detail::StoredAs<E>;
    explicit Slot(Stored& value) : value_(value) {}
    operator E() const { return detail::value_of_stored<E>(value_); }  // NOLINT: it stands for its value
    Slot& operator=(E value) {
      value_ = static_cast<Stored>(std::move(value));
      return *this;
    }
    Slot& operator=(const Slot& other) {
      return *this = static_cast<E>(other);  // NOLINT(misc-unconventional-assign-operator): the above returns *this
    }
    friend bool operator==(const Slot& slot, const E& value) requires detail::is_object<E> {
      return static_cast<E>(slot) == value;
    }
    Slot(const Slot&) = default;

   private:
    Stored& value_;
  };

  /// An input that can be read, and given another course from here on.
  class InputSlot {
   public:
    InputSlot(HeldInput& input, double t, double direction) : input_(input), t_(t), direction_(direction) {}
    operator double() const { return value_of(input_, t_); }  // NOLINT: it stands for its value
    InputSlot& operator=(const Signal& signal) {
      input_.signal = std::make_shared<const Signal>(signal);
      input_.piece = input_.signal->piece_at(t_, direction_);
      return *this;
    }
    InputSlot& operator=(double constant) { return *this = Signal(constant); }

   private:
    HeldInput& input_;
    double t_, direction_;
  };

  Jump(double time, std::span<double> states, Held& held, std::span<const double> states_before,
       const Held& held_before, const Causes& causes, double direction = 1)
      : t(time),
        direction_(direction),
        states_(states),
        held_(held),
        states_before_(states_before),
        held_before_(held_before),
        causes_(causes) {}

  double t;

  double& operator[](State x) { return states_[index_of(x, states_.size(), "state")]; }
  double& operator[](Parameter p) { return held_.parameters[index_of(p, held_.parameters.size(), "parameter")]; }
  InputSlot operator[](Input u) { return {held_.inputs[index_of(u, held_.inputs.size(), "input")], t, direction_}; }
  template <class E>
  Slot<E> operator[](Discrete<E> d) {
    auto& stored = detail::kept_in<E>(held_);
    return Slot<E>(stored[index_of(d, stored.size(), detail::kind_of_discrete<E>)]);
  }
  // What the engine decides is not assignable: the truth of a condition, the sign of a relation, the members of a
  // family that hold, the side of a relay.
  bool operator[](Condition c) const { return truth(held_, c) != 0; }
  int operator[](Relation r) const { return truth(held_, r); }
  const std::vector<Pair>& operator[](ConditionFamily f) const { return members(held_, f); }
  RelaySide operator[](Relay r) const { return held_.sides[index_of(r, held_.sides.size(), "relay")]; }
  template <class H>
  requires(!detail::ReadByJump<H>) double& operator[](const H&) {
    detail::refuse_jump<H>();
    return states_[0];
  }

  double pre(State x) const { return states_before_[index_of(x, states_before_.size(), "state")]; }
  double pre(Parameter p) const {
    return held_before_.parameters[index_of(p, held_before_.parameters.size(), "parameter")];
  }
  double pre(Input u) const {
    return value_of(held_before_.inputs[index_of(u, held_before_.inputs.size(), "input")], t);
  }
  template <class E>
  E pre(Discrete<E> d) const {
    const auto& stored = detail::kept_in<E>(held_before_);
    return detail::value_of_stored<E>(stored[index_of(d, stored.size(), detail::kind_of_discrete<E>)]);
  }
  bool pre(Condition c) const { return truth(held_before_, c) != 0; }
  int pre(Relation r) const { return truth(held_before_, r); }
  const std::vector<Pair>& pre(ConditionFamily f) const { return members(held_before_, f); }
  RelaySide pre(Relay r) const { return held_before_.sides[index_of(r, held_before_.sides.size(), "relay")]; }

  /// It has become true in this round.
  bool edge(Condition c) const { return (*this)[c] && !pre(c); }
  bool edge(Discrete<bool> d) { return (*this)[d] && !pre(d); }

  /// Every guard that fired in this round, in the order of time, then of declaration.
  std::span<const Fired> fired() const { return causes_.fired; }
  bool fired(Guard guard) const {
    index_of(guard, static_cast<std::size_t>(guard.index) + 1, "guard");
    return any([guard](const Fired& one) { return one.guard.index == guard.index; });
  }
  bool fired(Condition c) const {
    index_of(c, held_.truths.size(), "condition");
    return has_role(GuardRole::condition, c.index);
  }
  bool fired(Relation r) const {
    index_of(r, held_.truths.size(), "relation");
    return has_role(GuardRole::relation, r.index);
  }
  bool fired(ConditionFamily f) const {
    index_of(f, held_.members.size(), "family of conditions");
    return has_role(GuardRole::condition_family, f.index);
  }
  bool fired(Relay r) const {
    index_of(r, held_.sides.size(), "relay");
    for (const Relay left : causes_.left) {
      if (left.index == r.index) return true;
    }
    return has_role(GuardRole::relay_up, r.index) || has_role(GuardRole::relay_down, r.index);
  }
  bool fired(TimeEvent e) const {
    check(e);
    for (const TimeEvent one : causes_.time_events) {
      if (one.index == e.index) return true;
    }
    return false;
  }
  /// An impact, or another mode: rest, slip, stick, release.
  bool fired(const Contact& contact) const {
    const std::size_t mode = index_of(contact.mode, held_.modes.size(), "contact");
    return held_.modes[mode] != held_before_.modes[mode] ||
           any([&contact](const Fired& one) { return one.contact == contact.index; });
  }
  /// The same by kind. Contacts are decided after the jumps of a round: asked in the round that follows.
  bool fired(const Contact& contact, ContactEvent kind) const {
    index_of(contact.mode, held_.modes.size(), "contact");
    for (const ContactFired& one : causes_.contacts) {
      if (one == ContactFired{contact.index, kind}) return true;
    }
    return false;
  }
  bool is_start() const { return causes_.is_start; }                ///< the first round of the run
  bool is_accumulation() const { return causes_.is_accumulation; }  ///< infinitely many events end here

  /// The time event happens (next) at that time, which must come after this instant; infinity: not any more. A periodic
  /// one goes on from there with its period.
  void schedule(TimeEvent e, double time) {
    check(e);
    requests_.push_back({e, time});
  }
  /// The same for the time event whose own jump this is.
  void schedule_again(double time) {
    if (own_.index < 0) throw std::logic_error("schedule_again(t) is called outside the jump of a time event");
    requests_.push_back({own_, time});
  }
  struct Request {
    TimeEvent event;
    double time;
  };
  const std::vector<Request>& requests() const { return requests_; }

  /// Ends the run here, with this reason.
  void terminate(std::string reason) {
    is_terminated_ = true;
    reason_ = std::move(reason);
  }
  bool is_terminated() const { return is_terminated_; }
  const std::string& reason() const { return reason_; }

 private:
  friend class event::Transitions;
  // Jumps are rare, so every handle is checked.
  template <class Handle>
  std::size_t index_of(const Handle& handle, std::size_t count, const char* kind) const {
    return detail::own_index(handle, count, kind, held_.model);
  }
  void check(TimeEvent e) const { index_of(e, static_cast<std::size_t>(e.index) + 1, "time event"); }
  template <class Handle>
  int truth(const Held& held, const Handle& handle) const {
    return held.truths[index_of(handle, held.truths.size(), "condition")];
  }
  const std::vector<Pair>& members(const Held& held, ConditionFamily f) const {
    return held.members[index_of(f, held.members.size(), "family of conditions")];
  }
  template <class Predicate>
  bool any(Predicate predicate) const {
    for (const Fired& one : causes_.fired) {
      if (predicate(one)) return true;
    }
    return false;
  }
  bool has_role(GuardRole role, int index) const {
    return any([=](const Fired& one) { return one.role == role && one.role_index == index; });
  }

  double direction_;  // of time
  std::span<double> states_;
  Held& held_;
  std::span<const double> states_before_;
  const Held& held_before_;
  const Causes& causes_;
  std::vector<Request> requests_;
  TimeEvent own_{-1};  // whose jump is being made
  bool is_terminated_ = false;
  std::string reason_;
};

}  // namespace pawl
