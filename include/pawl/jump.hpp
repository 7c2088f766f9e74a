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
       const Held& held_before, std::span<const Fired> all_fired, double direction = 1)
      : t(time),
        direction_(direction),
        states_(states),
        held_(held),
        states_before_(states_before),
        held_before_(held_before),
        fired_(all_fired) {}

  double t;

  double& operator[](State x) { return states_[static_cast<std::size_t>(x.index)]; }
  double& operator[](Parameter p) { return held_.parameters[static_cast<std::size_t>(p.index)]; }
  InputSlot operator[](Input u) { return {held_.inputs[static_cast<std::size_t>(u.index)], t, direction_}; }
  template <class E>
  Slot<E> operator[](Discrete<E> d) {
    const auto i = static_cast<std::size_t>(d.index);
    if constexpr (std::is_same_v<E, double>)
      return Slot<E>(held_.numbers[i]);
    else
      return Slot<E>(held_.modes[i]);
  }
  /// The truth of a condition: decided by the engine, not assignable.
  bool operator[](Condition c) const { return held_.truths[static_cast<std::size_t>(c.index)] != 0; }

  double pre(State x) const { return states_before_[static_cast<std::size_t>(x.index)]; }
  double pre(Parameter p) const { return held_before_.parameters[static_cast<std::size_t>(p.index)]; }
  double pre(Input u) const { return value_of(held_before_.inputs[static_cast<std::size_t>(u.index)], t); }
  template <class E>
  E pre(Discrete<E> d) const {
    const auto i = static_cast<std::size_t>(d.index);
    if constexpr (std::is_same_v<E, double>)
      return held_before_.numbers[i];
    else
      return static_cast<E>(held_before_.modes[i]);
  }

  /// Everything that fired at this instant, in the order of time, then of declaration.
  std::span<const Fired> fired() const { return fired_; }
  bool fired(Guard guard) const {
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
  double direction_;  // of time
  std::span<double> states_;
  Held& held_;
  std::span<const double> states_before_;
  const Held& held_before_;
  std::span<const Fired> fired_;
  bool is_terminated_ = false;
  std::string reason_;
};

}  // namespace pawl
