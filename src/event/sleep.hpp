// Guards that provably cannot vanish soon are asleep. Every state keeps nested boxes, centre ± r0 2^level; a guard
// sleeps on the largest level at which one evaluation over the boxes of the states it reads excludes zero. Each
// accepted step is tested against the boxes, which costs one range per state; a broken box wakes the guards that sleep
// on it. What is relied on, "the motion stayed in the box", is checked, not predicted.
#pragma once

#include <array>
#include <vector>

#include "event/guard_set.hpp"
#include "event/step_states.hpp"

namespace pawl::event {

/// How deeply a guard may sleep, and whether it is worth a try: what its past says.
class SleepHabit {
 public:
  static constexpr int levels = 16;

  /// An offer now: false while it has to wait.
  bool accepts_offer() { return patience_ == 0 || (--patience_, false); }
  /// Levels worth a try, from the deepest: two above the last one, that one, and then below it.
  std::array<int, 4> levels_to_try() const { return {level_ + 2, level_, level_ - 2, level_ - 4}; }
  void fell_asleep(int level, long long step);
  /// None of the levels would do: the next try is shallower, and later where it cannot be.
  void stayed_awake();
  /// After four times at once it is left alone for sixteen steps.
  void woke(long long step);

 private:
  signed char level_ = levels / 2;  // where it slept last
  unsigned char restless_ = 0;      // times it woke at once
  unsigned char patience_ = 0;      // offers to be declined
  long long asleep_since_ = 0;
};

class Sleep {
 public:
  Sleep(GuardSet& guards, int size);

  bool is_asleep(int guard) const { return position_[static_cast<std::size_t>(guard)] < 0; }
  /// Every guard that is not asleep, in no particular order.
  const std::vector<int>& awake() const { return awake_; }
  /// Something held has changed: guards that read it wake up.
  void wake_readers(bool modes_changed, bool parameters_changed);
  /// After GuardSet::refresh: there may be other exits.
  void resize();
  /// The accepted step: wakes guards whose boxes it leaves.
  void follow(const Step& step);
  /// A reset: the same for a single state.
  void follow(double t, const double* x);
  /// Puts a guard to sleep at this state, if that is possible and promises to pay. True: asleep.
  bool offer(int guard, const Step& step);
  void carry(Memory& memory) {
    memory(boxes_, unit_, unit_of_step_, awake_, position_, habits_, tightest_, crowded_, is_crowded_, steps_,
           mode_readers_);
  }

 private:
  static constexpr int levels = SleepHabit::levels;
  void make_room();  // when the first guard is offered sleep: many runs have none
  struct Sleeper {
    int guard;
    unsigned stamp;  // of the time it fell asleep: an entry with an old stamp means nothing
  };
  struct Box {
    double centre = 0, radius = 0;
    std::vector<Sleeper> sleepers;
  };
  struct Habit {
    std::vector<int> reads;  // states
    bool reads_modes = false, reads_parameters = false;
    unsigned stamp = 0;
    SleepHabit past;
  };
  bool is_possible(int guard, const Step& step, int level);
  double unit_of(std::size_t variable, const Step& step);
  void test(std::size_t variable, double lo, double hi) {
    if (!(lo >= tightest_[variable].lo && hi <= tightest_[variable].hi)) break_boxes(variable, lo, hi);
  }
  void break_boxes(std::size_t variable, double lo, double hi);
  void tighten(std::size_t variable);
  void rouse(int guard);
  void wake(const Sleeper& sleeper);
  void lie_down(int guard, std::size_t variable, int level, double at, double radius);

  GuardSet& guards_;
  std::size_t n_;
  std::vector<std::array<Box, levels>> boxes_;  // per state, then one for the time
  std::vector<double> unit_;                    // what each state moves in one step: the radius of level 0
  std::vector<long long> unit_of_step_;         // which step that was
  std::vector<int> awake_;
  std::vector<int> position_;  // of a guard in the list above; -1: asleep
  std::vector<Habit> habits_;
  std::vector<Interval> tightest_;  // per variable: what all boxes with sleepers have in common
  std::vector<int> crowded_;        // variables with sleepers
  std::vector<signed char> is_crowded_;
  RecordedStates probe_;
  long long steps_ = 0;
  long long mode_readers_ = 0;  // sleepers so far whose guard reads a mode
};

}  // namespace pawl::event
