// Point: one instant of a model, the single argument of every model function. Rates: where its derivatives are written.
//
//   [=](const auto& at, auto& d) { d[height] = at[speed]; d[speed] = at[resting] ? 0 : -at[gravity]; }
//
// States move, so they have the scalar type T the engine needs at that moment (a number, a Dual, an Interval, ...).
// Parameters, discrete variables and truth values are held between events, so they are plain numbers, bools and enums
// and may be branched on.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "pawl/held.hpp"
#include "pawl/scalar.hpp"

namespace pawl {

namespace detail {

/// Where ranges and jets of states come from: computed when a function asks for them, and not before.
template <class T>
class LazyStates {
 public:
  virtual ~LazyStates() = default;
  virtual const T& state(int index) const = 0;
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

  const T& operator[](State x) const { return states_[x.index]; }
  double operator[](Parameter p) const {
    if constexpr (std::is_same_v<T, Interval>) around_->reads_parameters = true;
    return parameters_[p.index];
  }
  /// An input, which moves with time as the states do.
  T operator[](Input u) const;
  template <class E>
  E operator[](Discrete<E> d) const {
    note_mode();
    const auto i = static_cast<std::size_t>(d.index);
    if constexpr (std::is_same_v<E, double>)
      return around_->held->numbers[i];
    else
      return static_cast<E>(around_->held->modes[i]);
  }
  /// The truth of g > 0 as of the last event.
  bool operator[](Condition c) const {
    note_mode();
    return around_->held->truths[static_cast<std::size_t>(c.index)] != 0;
  }
  /// The members that hold: for (const auto [i, j] : at[contacts]) ...
  const std::vector<Pair>& operator[](ConditionFamily f) const {
    note_mode();
    return around_->held->members[static_cast<std::size_t>(f.index)];
  }
  /// A level, or the equivalent control while sliding.
  T operator[](Relay r) const {
    note_mode();
    if (around_->relays != nullptr) return around_->relays[r.index];
    const auto i = static_cast<std::size_t>(r.index);
    if (around_->held->sides[i] == RelaySide::sliding && around_->sliding != nullptr) return equivalent_control(r);
    return T(around_->held->levels[i]);
  }
  /// The multiplier of a constraint, solved for here.
  T operator[](Constraint c) const;
  /// The rate of a state: evaluates the model's rates here. Not for use inside the rates themselves.
  T operator[](Rate r) const;

  const States& states() const { return states_; }
  const double* parameters() const { return parameters_; }
  const Around* around() const { return around_; }

 private:
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
  if (around_ == nullptr || around_->rates == nullptr)
    throw std::logic_error(
        "at[dot(x)] is read where there are no rates: in the rates, a relay's surface or a smooth model");
  return around_->rates->rate(*this, r.index);
}

template <class T>
T Point<T>::operator[](Constraint c) const {
  static_assert(std::is_same_v<T, double>,
                "pawl: a multiplier is solved for with numbers: wrap the function that reads it in black_box(f)");
  if (around_ == nullptr || around_->multipliers == nullptr)
    throw std::logic_error("at[constraint] is read where there are no multipliers: in a model function of the motion");
  return around_->multipliers->multiplier(*this, c.index);
}

template <class T>
T Point<T>::equivalent_control(Relay r) const {
  return around_->sliding->value(*this, r.index);
}

template <class T>
class Rates {
 public:
  explicit Rates(T* rates) : rates_(rates) {}

  T& operator[](State x) { return rates_[x.index]; }

 private:
  T* rates_;
};

}  // namespace pawl
