// Point: one instant of a model, the single argument of every model function. Rates: where its derivatives are written.
//
//   [=](const auto& at, auto& d) { d[height] = at[speed]; d[speed] = at[resting] ? 0 : -at[gravity]; }
//
// States move, so they have the scalar type T the engine needs at that moment (a number, a Dual, an Interval, ...).
// Parameters, discrete variables and truth values are held between events, so they are plain numbers, bools and enums
// and may be branched on.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pawl/held.hpp"
#include "pawl/readable.hpp"
#include "pawl/scalar.hpp"

namespace pawl {

namespace detail {

/// Where ranges and jets of states come from: computed when a function asks for them, and not before.
template <class T>
class LazyStates {
 public:
  virtual ~LazyStates() = default;
  virtual const T& state(int index) const = 0;
  /// Another number whenever the states are others; 0: not known. What was computed from them may be kept until then.
  virtual std::uint64_t stamp() const { return 0; }
};

template <class T>
struct StateAccess {
  const T* array;
  const T& operator[](int i) const { return array[i]; }
};
template <class T>
struct LazyAccess {
  const LazyStates<T>* source;
  const T& operator[](int i) const { return source->state(i); }
};
template <>
struct StateAccess<Interval> : LazyAccess<Interval> {};
template <>
struct StateAccess<Jet<double>> : LazyAccess<Jet<double>> {};
template <>
struct StateAccess<Jet<Interval>> : LazyAccess<Jet<Interval>> {};

/// at[dot(x)] is read where there are no rates.
[[noreturn]] void refuse_rate(int state);
[[noreturn]] void refuse_multiplier();

template <class T>
class RateSource;
class MultiplierSource;
template <class T>
class RelaySource;

/// What a point has beside time, states and parameters.
template <class T>
struct Surroundings {
  const Held* held = nullptr;
  Pair member = {};                               ///< of the family whose function is being evaluated
  const T* relays = nullptr;                      ///< values of all relays, where they are given
  const RateSource<T>* rates = nullptr;           ///< evaluates the field for at[dot(x)]
  const RelaySource<T>* sliding = nullptr;        ///< the equivalent control, while the motion slides
  const MultiplierSource* multipliers = nullptr;  ///< solves for at[constraint]
  mutable bool reads_modes = false;               ///< set by evaluations with ranges
  mutable bool reads_parameters = false;
  mutable bool reads_multipliers = false;  ///< set where at[constraint] has no value
};

}  // namespace detail

template <class T>
class Point {
 public:
  using States = detail::StateAccess<T>;
  using Around = detail::Surroundings<T>;

  Point(T time, States states, const double* parameters, const Around* around = nullptr)
      : t(time), states_(states), parameters_(parameters), around_(around) {}
  Point(T time, const T* states, const double* parameters, const Around* around = nullptr) requires
      std::is_constructible_v<States, const T*> || std::is_aggregate_v<States>
      : Point(time, States{states}, parameters, around) {}

  T t;  ///< time

  const T& operator[](State x) const {
    if (const Held* held = checked_by()) detail::own_index(x, held->states, "state", held->model);
    return states_[x.index];
  }
  double operator[](Parameter p) const {
    if constexpr (std::is_same_v<T, Interval>) around_->reads_parameters = true;
    if (const Held* held = checked_by()) detail::own_index(p, held->parameters.size(), "parameter", held->model);
    return parameters_[p.index];
  }
  /// An input, which moves with time as the states do.
  T operator[](Input u) const;
  template <class E>
  decltype(auto) operator[](Discrete<E> d) const {
    note_mode();
    const auto& stored = detail::kept_in<E>(*around_->held);
    if (const Held* held = checked_by()) detail::own_index(d, stored.size(), detail::kind_of_discrete<E>, held->model);
    return detail::value_of_stored<E>(stored[static_cast<std::size_t>(d.index)]);
  }
  /// The truth of g > 0 as of the last event.
  bool operator[](Condition c) const {
    note_mode();
    if (const Held* held = checked_by()) detail::own_index(c, held->truths.size(), "condition", held->model);
    return around_->held->truths[static_cast<std::size_t>(c.index)] != 0;
  }
  /// The sign of its difference as of the last event: -1, 1, or 0 where it rests at zero.
  int operator[](Relation r) const {
    note_mode();
    if (const Held* held = checked_by()) detail::own_index(r, held->truths.size(), "relation", held->model);
    return around_->held->truths[static_cast<std::size_t>(r.index)];
  }
  /// The members that hold: for (const auto [i, j] : at[contacts]) ...
  const std::vector<Pair>& operator[](ConditionFamily f) const {
    note_mode();
    if (const Held* held = checked_by()) detail::own_index(f, held->members.size(), "condition family", held->model);
    return around_->held->members[static_cast<std::size_t>(f.index)];
  }
  /// A level, or the equivalent control while sliding.
  T operator[](Relay r) const {
    note_mode();
    if (const Held* held = checked_by()) detail::own_index(r, held->levels.size(), "relay", held->model);
    if (around_->relays != nullptr) return around_->relays[r.index];
    const auto i = static_cast<std::size_t>(r.index);
    const Held& held = *around_->held;
    if (held.sides[i] == RelaySide::sliding && held.first_relay >= 0) return states_[held.first_relay + r.index];
    if (held.sides[i] == RelaySide::sliding && around_->sliding != nullptr) return equivalent_control(r);
    return T(held.levels[i]);
  }
  /// The multiplier of a constraint: an unknown of the model, or solved for here.
  T operator[](Constraint c) const;
  /// The rate of a state: evaluates the model's rates here. Not for use inside the rates themselves.
  T operator[](Rate r) const;
  template <class H>
  requires(!detail::ReadByPoint<H>) T operator[](const H&) const {
    detail::refuse_read<H>();
    return T();
  }

  const States& states() const { return states_; }
  const double* parameters() const { return parameters_; }
  const Around* around() const { return around_; }

 private:
  // Numbers and patterns are checked at every access, so that everything is at least once: a generic function when its
  // model is compiled, a black box always. Generic functions run with detail::QuickPoint, which does not look.
  const Held* checked_by() const {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Pattern>) {
      if (around_ != nullptr && around_->held != nullptr && around_->held->model != 0) return around_->held;
    }
    return nullptr;
  }
  T equivalent_control(Relay r) const;
  void note_mode() const {
    if constexpr (std::is_same_v<T, Interval>) around_->reads_modes = true;
  }

  States states_;
  const double* parameters_;
  const Around* around_;
};

namespace detail {

/// Evaluates the rates of a model at a point with any scalar.
template <class T>
class RateSource {
 public:
  virtual ~RateSource() = default;
  virtual T rate(const Point<T>& at, int index) const = 0;
};

/// The multipliers of the constraints at a point.
class MultiplierSource {
 public:
  virtual ~MultiplierSource() = default;
  virtual double multiplier(const Point<double>& at, int row) const = 0;
};

/// The value of a relay that slides.
template <class T>
class RelaySource {
 public:
  virtual ~RelaySource() = default;
  virtual T value(const Point<T>& at, int relay) const = 0;
};

}  // namespace detail

template <class T>
T Point<T>::operator[](Rate r) const {
  if (const Held* held = checked_by()) detail::own_index(r, held->states, "state", held->model);
  if (around_ == nullptr || around_->rates == nullptr) detail::refuse_rate(r.index);
  return around_->rates->rate(*this, r.index);
}

template <class T>
T Point<T>::operator[](Constraint c) const {
  if (const Held* held = checked_by(); held != nullptr && c.model != 0 && c.model != held->model)
    detail::refuse_handle("constraint", c.index, c.model, 0, held->model);
  if (around_ != nullptr && around_->held != nullptr && around_->held->first_multiplier >= 0)
    return states_[around_->held->first_multiplier + c.index];
  if constexpr (std::is_same_v<T, double>) {
    if (around_ != nullptr && around_->multipliers != nullptr) return around_->multipliers->multiplier(*this, c.index);
  }
  if constexpr (std::is_same_v<T, Pattern>) {
    if (around_ != nullptr) around_->reads_multipliers = true;
    return T(0.0);
  } else {
    detail::refuse_multiplier();
  }
}

template <class T>
T Point<T>::equivalent_control(Relay r) const {
  return around_->sliding->value(*this, r.index);
}

template <class T>
class Rates {
 public:
  explicit Rates(T* rates, const Held* held = nullptr) : rates_(rates) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Pattern>) {
      if (held != nullptr && held->model != 0) held_ = held;
    }
  }

  T& operator[](State x) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Pattern>) {
      if (held_ != nullptr) detail::own_index(x, held_->states, "state", held_->model);
    }
    return rates_[x.index];
  }
  template <class H>
  requires(!std::is_convertible_v<H, State>) T& operator[](const H&) {
    detail::refuse_rate_of<H>();
    return *rates_;
  }

 protected:
  T* rates_;

 private:
  const Held* held_ = nullptr;
};

namespace detail {

/// The point at which a run evaluates a generic function with numbers: what it reads was checked with patterns, when
/// the model was compiled.
class QuickPoint : public Point<double> {
 public:
  explicit QuickPoint(const Point<double>& at) : Point(at) {}

  using Point::operator[];
  const double& operator[](State x) const { return states()[x.index]; }
  double operator[](Parameter p) const { return parameters()[p.index]; }
  template <class E>
  decltype(auto) operator[](Discrete<E> d) const {
    return detail::value_of_stored<E>(detail::kept_in<E>(*around()->held)[static_cast<std::size_t>(d.index)]);
  }
  bool operator[](Condition c) const { return around()->held->truths[static_cast<std::size_t>(c.index)] != 0; }
  const std::vector<Pair>& operator[](ConditionFamily f) const {
    return around()->held->members[static_cast<std::size_t>(f.index)];
  }
};

class QuickRates : public Rates<double> {
 public:
  explicit QuickRates(double* rates) : Rates(rates) {}

  using Rates::operator[];
  double& operator[](State x) { return rates_[x.index]; }
};

}  // namespace detail

}  // namespace pawl
