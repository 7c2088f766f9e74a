// The guards of a run, flat: every member of every family is one guard with a number. They are evaluated with ranges,
// jets or numbers at whatever states they are given, and every evaluation is counted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "event/guard_blocks.hpp"
#include "event/model_rates.hpp"
#include "event/sliding.hpp"
#include "event/sliding_relays.hpp"
#include "event/step_states.hpp"
#include "integrate/follower_levels.hpp"
#include "pawl/event.hpp"
#include "system/dynamics.hpp"

namespace pawl::event {

struct LiveGuard {
  int declaration = 0;  // -1: the exit of a sliding motion
  Pair member = {};
  double offset = 0;  // added to g: half of a relay's hysteresis
  Direction direction = Direction::either;
  Side side = Side::bilateral;
  bool is_generic = true;
  Exit exit = {};                // of a sliding motion
  bool reads_followers = false;  // multipliers, as far as was seen
  bool was_sampled = false;      // generic, and yet charted by numbers somewhere
  bool shares_load = false;      // of a contact, with others: told by ranges while smooth forces hold all of them

  bool fires_towards(int sign) const { return direction == Direction::either || static_cast<int>(direction) == sign; }
};

struct GuardWork {
  long long ranges = 0;  // interval and jet-of-interval evaluations
  long long points = 0;  // evaluations at single instants, with numbers or jets
};

class GuardSet {
 public:
  GuardSet(const detail::Dynamics& dynamics, Held& held, Sliding& sliding, int size);

  int size() const { return static_cast<int>(live_.size()); }
  const LiveGuard& operator[](int guard) const { return live_[static_cast<std::size_t>(guard)]; }
  const GuardInfo& info(int guard) const { return model_.guards[static_cast<std::size_t>((*this)[guard].declaration)]; }
  EventSource source(int guard) const;
  const System::Declarations& model() const { return model_; }
  std::string name(int guard) const { return name_of(source(guard), model_); }
  bool is_exit(int guard) const { return (*this)[guard].declaration < 0; }
  /// Whether it is watched in the present mode.
  bool is_enabled(int guard) const {
    const int declaration = (*this)[guard].declaration;
    return declaration < 0 || is_enabled_[static_cast<std::size_t>(declaration)];
  }
  /// Members of declarations that the last refresh switched off.
  const std::vector<int>& newly_disabled() const { return newly_disabled_; }
  int declared() const { return static_cast<int>(declared_); }  ///< the guards behind these are exits

  /// Decides which guards are watched in the present mode, and lists the exits of a sliding motion.
  void refresh();

  /// What can be told by ranges and what by numbers alone, as things stand; after the first evaluation in a mode.
  void refresh_kinds();
  /// A generic guard that is told by numbers until end_sampling() or the next mode.
  void sample(int guard) {
    LiveGuard& one = live_[static_cast<std::size_t>(guard)];
    one.is_generic = false;
    one.was_sampled = true;
    sampled_.push_back(guard);
  }
  void end_sampling() {
    for (const int guard : sampled_) live_[static_cast<std::size_t>(guard)].is_generic = true;
    sampled_.clear();
  }
  /// A guard that is looked at now and then, while it rests: no proof covers what is between.
  void note_sampled(int guard) { live_[static_cast<std::size_t>(guard)].was_sampled = true; }
  bool was_sampled(int declaration) const;
  /// Its sign could not be proved from t on: it counts as sampled, and that is said once per declaration.
  void doubt(int guard, double t, const char* why);
  struct Doubt {
    int guard;
    double t;
    const char* why;
  };
  std::vector<Doubt> take_doubts() { return std::exchange(doubts_, {}); }
  bool has_doubts() const { return !doubts_.empty(); }
  /// Multipliers and the like that guards may read; null: there are none.
  FollowerLevels* followers() const { return followers_; }
  void note_follower_reads(int guard);

  bool is_relation(int guard) const { return !is_exit(guard) && info(guard).role == GuardRole::relation; }
  /// A condition, a relation, a member of a family or a relay: something that is held follows it.
  bool holds_truth(int guard) const { return !is_exit(guard) && info(guard).role != GuardRole::guard; }
  /// Likewise, or the guard of an ideal switch, which ends what the switch does now: leaving zero is an event of these,
  /// where that goes to the other side than the one that is held.
  bool keeps_side(int guard) const { return holds_truth(guard) || is_of_switch(guard); }
  /// Whether a unilateral guard must never be seen with this sign.
  bool is_forbidden(int guard, int sign) const {
    return (*this)[guard].side == Side::unilateral && static_cast<int>((*this)[guard].direction) == sign;
  }
  bool is_of_switch(int guard) const { return !is_exit(guard) && info(guard).ideal_switch >= 0; }
  /// Whether ranges of the states are enough to tell where it is: what it reads beside them is solved for.
  bool is_told_by_ranges(int guard) const { return (*this)[guard].is_generic && !(*this)[guard].reads_followers; }
  /// Of a contact, a place of friction: the engine's own.
  bool is_of_contact(int guard) const { return !is_exit(guard) && info(guard).contact >= 0; }
  /// Whether one function computes it together with others.
  bool is_in_block(int guard) const { return !is_exit(guard) && info(guard).rows > 1; }
  /// Only ranges of the value can be had, no derivatives: exits.
  bool has_values_only(int guard) const { return is_exit(guard); }

  /// T: Interval, Jet<double> or Jet<Interval>.
  template <class T>
  T evaluate(int guard, const T& time, const detail::LazyStates<T>& states);
  double evaluate(int guard, double t, const double* x);
  /// With one follower moved by that much.
  double evaluate_moved(int guard, double t, const double* x, int follower, double by);
  struct Reads {
    bool modes = false, parameters = false;
  };
  /// A range, and what it took beside states and time. Not for guards in blocks, which read what all of them read.
  Interval evaluate_recorded(int guard, const Interval& time, const detail::LazyStates<Interval>& states, Reads& reads);

  void carry(Memory& memory) {
    memory(live_, declared_, is_enabled_, newly_disabled_, sampled_, is_doubted_, doubts_, work,
           number_rates_.evaluations, range_rates_.evaluations, jet_rates_.evaluations, range_jet_rates_.evaluations);
  }

  GuardWork work;
  /// Right-hand sides evaluated because guards read at[dot(x)].
  long long rate_evaluations() const {
    return number_rates_.evaluations + range_rates_.evaluations + jet_rates_.evaluations + range_jet_rates_.evaluations;
  }

 private:
  void refresh_kind(int guard);
  template <class T>
  const SlidingRelays<T>& relays_of() const {
    if constexpr (std::is_same_v<T, Interval>)
      return range_relays_;
    else if constexpr (std::is_same_v<T, Jet<double>>)
      return jet_relays_;
    else
      return range_jet_relays_;
  }
  template <class T>
  BlockValues<T>& blocks_of() {
    if constexpr (std::is_same_v<T, Interval>)
      return range_blocks_;
    else if constexpr (std::is_same_v<T, Jet<double>>)
      return jet_blocks_;
    else
      return range_jet_blocks_;
  }
  template <class T>
  const ModelRates<T>& rates_of() const {
    if constexpr (std::is_same_v<T, double>)
      return number_rates_;
    else if constexpr (std::is_same_v<T, Interval>)
      return range_rates_;
    else if constexpr (std::is_same_v<T, Jet<double>>)
      return jet_rates_;
    else
      return range_jet_rates_;
  }

  const System::Declarations& model_;
  const detail::MultiplierSource* multipliers_;
  Held& held_;
  Sliding& sliding_;
  std::size_t size_;
  const DrawnMultipliers* drawn_ = nullptr;
  FollowerLevels* followers_ = nullptr;
  std::vector<LiveGuard> live_;
  std::size_t declared_ = 0;      // live guards that are not exits
  std::vector<bool> is_enabled_;  // per declaration
  std::vector<int> first_of_;     // per declaration: its first guard
  std::vector<int> newly_disabled_;
  std::vector<int> sampled_;
  std::vector<bool> is_doubted_;  // per declaration
  std::vector<Doubt> doubts_;     // that have not been told yet
  ModelRates<double> number_rates_;
  ModelRates<Interval> range_rates_;
  ModelRates<Jet<double>> jet_rates_;
  ModelRates<Jet<Interval>> range_jet_rates_;
  SlidingRelays<double> number_relays_;
  SlidingRelays<Interval> range_relays_;
  SlidingRelays<Jet<double>> jet_relays_;
  SlidingRelays<Jet<Interval>> range_jet_relays_;
  BlockValues<double> number_blocks_;
  BlockValues<Interval> range_blocks_;
  BlockValues<Jet<double>> jet_blocks_;
  BlockValues<Jet<Interval>> range_jet_blocks_;
};

}  // namespace pawl::event
