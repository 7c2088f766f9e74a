// at[relay] while the motion slides: the equivalent control, solved for when a function reads it.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "event/sliding.hpp"

namespace pawl::event {

template <class T>
class SlidingRelays final : public detail::RelaySource<T> {
 public:
  SlidingRelays(const System::Declarations& model, Sliding& sliding) : model_(model), sliding_(sliding) {}

  T value(const Point<T>& at, int relay) const override {
    if constexpr (std::is_same_v<T, double>) {
      return sliding_.relay_values(at)[relay];
    } else if constexpr (std::is_same_v<T, Interval>) {
      if (sliding_.has_ranges()) return sliding_.relay_values(at)[relay];
      const RelayInfo& info =
          model_.relays[static_cast<std::size_t>(relay)];  // between its levels, as long as it slides
      return {std::min(info.below, info.above), std::max(info.below, info.above)};
    } else if constexpr (std::is_same_v<T, Jet<Interval>>) {
      const Values<Interval> states(at);
      detail::Surroundings<Interval> around{at.around()->held};
      constexpr double infinity = std::numeric_limits<double>::infinity();
      Jet<Interval> u(
          SlidingRelays<Interval>(model_, sliding_).value({at.t.value, {{&states}}, at.parameters(), &around}, relay));
      u.slope = u.curve = Interval(-infinity, infinity);  // its derivatives are not known
      return u;
    } else {
      std::vector<double> x(model_.state_names.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = at[State{static_cast<int>(i)}].value;
      const detail::Surroundings<double> around{at.around()->held};
      Jet<double> u(sliding_.relay_values(Point<double>(at.t.value, x.data(), at.parameters(), &around))[relay]);
      u.slope = u.curve = std::numeric_limits<double>::quiet_NaN();
      return u;
    }
  }

 private:
  /// The values of jets, without their derivatives.
  template <class V>
  class Values final : public detail::LazyStates<V> {
   public:
    explicit Values(const Point<T>& at) : at_(at) {}
    const V& state(int index) const override { return at_[State{index}].value; }

   private:
    const Point<T>& at_;
  };

  const System::Declarations& model_;
  Sliding& sliding_;
};

}  // namespace pawl::event
