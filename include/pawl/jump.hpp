// Jump: one event as its transition sees it. Reads and writes states, parameters and discrete variables; the values of
// before the event stay readable as pre(...).
//
//   .then([=](Jump& jump) { jump[speed] = -jump[restitution] * jump.pre(speed); })
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pawl/held.hpp"
#include "pawl/readable.hpp"

namespace pawl {

/// One guard that fired: its declaration and, in a family, its member.
struct Fired {
  Guard guard;
  Pair member;
};

class Jump {
 public:
  /// A discrete variable that can be read and assigned.
  template <class E>
  class Slot {
   public:
    using Stored = std::conditional_t<std::is_same_v<E, double>, double, int>;
    explicit Slot(Stored& value) : value_(value) {}
    operator E() const { return static_cast<E>(value_); }  // NOLINT: it stands for its value
    Slot& operator=(E value) {
      value_ = static_cast<Stored>(value);
      return *this;
    }
    Slot& operator=(const Slot& other) { return *this = static_cast<E>(other); }
    Slot(const Slot&) = default;

   private:
    Stored& value_;
  };

  Jump(double time, std::span<double> states, Held& held, std::span<const double> states_before,
       const Held& held_before, std::span<const Fired> all_fired)
      : t(time),
        states_(states),
        held_(held),
        states_before_(states_before),
        held_before_(held_before),
        fired_(all_fired) {}

  double t;

  double& operator[](State x) { return states_[index_of(x, states_.size(), "state")]; }
  double& operator[](Parameter p) { return held_.parameters[index_of(p, held_.parameters.size(), "parameter")]; }
  template <class E>
  Slot<E> operator[](Discrete<E> d) {
    if constexpr (std::is_same_v<E, double>)
      return Slot<E>(held_.numbers[index_of(d, held_.numbers.size(), "discrete number")]);
    else
      return Slot<E>(held_.modes[index_of(d, held_.modes.size(), "discrete variable")]);
  }
  /// The truth of a condition: decided by the engine, not assignable.
  bool operator[](Condition c) const { return held_.truths[index_of(c, held_.truths.size(), "condition")] != 0; }
  template <class H>
  requires(!detail::ReadByJump<H>) double& operator[](const H&) {
    detail::refuse_jump<H>();
    return states_[0];
  }

  double pre(State x) const { return states_before_[index_of(x, states_before_.size(), "state")]; }
  double pre(Parameter p) const {
    return held_before_.parameters[index_of(p, held_before_.parameters.size(), "parameter")];
  }
  template <class E>
  E pre(Discrete<E> d) const {
    if constexpr (std::is_same_v<E, double>)
      return held_before_.numbers[index_of(d, held_before_.numbers.size(), "discrete number")];
    else
      return static_cast<E>(held_before_.modes[index_of(d, held_before_.modes.size(), "discrete variable")]);
  }

  /// Everything that fired at this instant, in the order of time, then of declaration.
  std::span<const Fired> fired() const { return fired_; }
  bool fired(Guard guard) const {
    index_of(guard, static_cast<std::size_t>(guard.index) + 1, "guard");
    for (const Fired& one : fired_) {
      if (one.guard.index == guard.index) return true;
    }
    return false;
  }

  /// Ends the run here, with this reason.
  void terminate(std::string reason) {
    is_terminated_ = true;
    reason_ = std::move(reason);
  }
  bool is_terminated() const { return is_terminated_; }
  const std::string& reason() const { return reason_; }

 private:
  // Jumps are rare, so every handle is checked.
  template <class Handle>
  std::size_t index_of(const Handle& handle, std::size_t count, const char* kind) const {
    return detail::own_index(handle, count, kind, held_.model);
  }

  std::span<double> states_;
  Held& held_;
  std::span<const double> states_before_;
  const Held& held_before_;
  std::span<const Fired> fired_;
  bool is_terminated_ = false;
  std::string reason_;
};

}  // namespace pawl
