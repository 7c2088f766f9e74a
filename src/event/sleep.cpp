#include "event/sleep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pawl::event {

void SleepHabit::fell_asleep(int level, long long step) {
  level_ = static_cast<signed char>(level);
  asleep_since_ = step;
}

void SleepHabit::stayed_awake() {
  level_ = static_cast<signed char>(std::max(0, level_ - 4));
  patience_ = level_ == 0 ? 8 : 1;
}

void SleepHabit::woke(long long step) {
  restless_ = step - asleep_since_ <= 1 ? static_cast<unsigned char>(restless_ + 1) : 0;
  if (restless_ < 4) return;
  restless_ = 0;
  patience_ = 16;
}

Sleep::Sleep(GuardSet& guards, int size) : guards_(guards), n_(static_cast<std::size_t>(size)) {
  resize();
}

void Sleep::make_room() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  boxes_.resize(n_ + 1);
  unit_.resize(n_ + 1);
  unit_of_step_.resize(n_ + 1, -1);
  tightest_.resize(n_ + 1, Interval(-infinity, infinity));
  is_crowded_.resize(n_ + 1);
  probe_.values.resize(n_);
}

void Sleep::resize() {
  const auto count = static_cast<std::size_t>(guards_.size()), declared = static_cast<std::size_t>(guards_.declared());
  std::erase_if(awake_, [declared](int g) { return static_cast<std::size_t>(g) >= declared; });
  const std::size_t known = std::min(position_.size(), declared);
  position_.resize(known);
  habits_.resize(count);
  for (std::size_t i = 0; i < awake_.size(); ++i) position_[static_cast<std::size_t>(awake_[i])] = static_cast<int>(i);
  for (std::size_t g = known; g < count; ++g) {
    position_.push_back(static_cast<int>(awake_.size()));
    awake_.push_back(static_cast<int>(g));
  }
}

void Sleep::rouse(int guard) {
  position_[static_cast<std::size_t>(guard)] = static_cast<int>(awake_.size());
  awake_.push_back(guard);
}

void Sleep::wake_readers(bool modes_changed, bool parameters_changed) {
  if ((!modes_changed || mode_readers_ == 0) && !parameters_changed) return;
  for (std::size_t g = 0; g < habits_.size(); ++g) {
    const bool is_concerned =
        (modes_changed && habits_[g].reads_modes) || (parameters_changed && habits_[g].reads_parameters);
    if (is_concerned && is_asleep(static_cast<int>(g))) rouse(static_cast<int>(g));
  }
}

void Sleep::wake(const Sleeper& sleeper) {
  const auto g = static_cast<std::size_t>(sleeper.guard);
  Habit& habit = habits_[g];
  if (!is_asleep(sleeper.guard) || habit.stamp != sleeper.stamp) return;
  rouse(sleeper.guard);
  habit.past.woke(steps_);
}

void Sleep::break_boxes(std::size_t variable, double lo, double hi) {
  for (Box& box : boxes_[variable]) {
    if (box.sleepers.empty() || (lo >= box.centre - box.radius && hi <= box.centre + box.radius)) continue;
    for (const Sleeper& sleeper : box.sleepers) wake(sleeper);
    box.sleepers.clear();
  }
  tighten(variable);
}

void Sleep::tighten(std::size_t variable) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Interval common(-infinity, infinity);
  for (const Box& box : boxes_[variable]) {
    if (box.sleepers.empty()) continue;
    common.lo = std::max(common.lo, box.centre - box.radius);
    common.hi = std::min(common.hi, box.centre + box.radius);
  }
  tightest_[variable] = common;
}

void Sleep::follow(const Step& step) {
  ++steps_;
  const double end = std::abs((step.t1 - step.t0) / step.span);
  const int d = step.degree();
  std::size_t kept = 0;
  for (const int v : crowded_) {
    const auto i = static_cast<std::size_t>(v);
    if (i == n_) {
      test(n_, std::min(step.t0, step.t1), std::max(step.t0, step.t1));
    } else {  // |x(θ) - x(0)| <= Σ |c_k| θ^k: coarser than a range, and cheap
      const double* c = step.coefficients() + static_cast<std::ptrdiff_t>(v) * (d + 1);
      double reach = 0;
      for (int k = d; k > 0; --k) reach = (reach + std::abs(c[k])) * end;
      const double margin = 1e-14 * (std::abs(c[0]) + reach);
      const double lo = c[0] - reach - margin, hi = c[0] + reach + margin;
      if (!(lo >= tightest_[i].lo && hi <= tightest_[i].hi)) {
        const Interval range = coarse_range(step, v);
        test(i, range.lo, range.hi);
      }
    }
    if (std::isinf(tightest_[i].hi) && std::isinf(tightest_[i].lo))
      is_crowded_[i] = 0;  // nobody sleeps here any more
    else
      crowded_[kept++] = v;
  }
  crowded_.resize(kept);
}

void Sleep::follow(double t, const double* x) {
  for (const int v : crowded_) {
    const auto i = static_cast<std::size_t>(v);
    const double at = i == n_ ? t : x[i];
    test(i, at, at);
  }
}

double Sleep::unit_of(std::size_t variable, const Step& step) {
  if (std::exchange(unit_of_step_[variable], steps_) != steps_) {
    const Interval range = coarse_range(step, static_cast<int>(variable));
    unit_[variable] = std::max(range.hi - range.lo, 1e-12 * std::abs(range.hi) + 1e-300);
  }
  return unit_[variable];
}

// Writes the box of every state at this level into the probe and evaluates the guard over them.
bool Sleep::is_possible(int guard, const Step& step, int level) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto l = static_cast<std::size_t>(level);
  const double scale = std::ldexp(1.0, level), t = step.t1, step_size = std::abs(step.span);
  const double* x = step.end();
  const auto box_at = [&](std::size_t variable, double at, double radius) {
    const Box& box = boxes_[variable][l];
    return box.sleepers.empty() ? Interval(at - radius, at + radius)
                                : Interval(box.centre - box.radius, box.centre + box.radius);
  };
  Habit& habit = habits_[static_cast<std::size_t>(guard)];
  for (const int i : habit.reads) {
    const auto v = static_cast<std::size_t>(i);
    probe_.values[v] = box_at(v, x[v], unit_of(v, step) * scale);
  }
  const auto evaluate = [&](const Interval& time) {
    probe_.reads.clear();
    GuardSet::Reads held;
    const Interval g = guards_.evaluate_recorded(guard, time, probe_, held);
    habit.reads_modes = held.modes;
    habit.reads_parameters = held.parameters;
    return g.sign() != 0 && !pawl::detail::has_left_domain;
  };
  bool uses_time = false;
  bool is_quiet = evaluate(Interval(-infinity, infinity));
  if (!is_quiet) {
    uses_time = true;
    is_quiet = evaluate(box_at(n_, t, step_size * scale));
  }
  const bool is_complete = std::all_of(probe_.reads.begin(), probe_.reads.end(), [&habit](int i) {
    return std::binary_search(habit.reads.begin(), habit.reads.end(), i);
  });
  if (!is_complete) habit.reads.clear();  // the mode has changed what it reads: observe again next time
  if (!is_quiet || !is_complete) return false;
  for (const int i : habit.reads) {
    const auto v = static_cast<std::size_t>(i);
    lie_down(guard, v, level, x[v], unit_[v] * scale);
  }
  if (uses_time) lie_down(guard, n_, level, t, step_size * scale);
  return true;
}

void Sleep::lie_down(int guard, std::size_t variable, int level, double at, double radius) {
  Box& box = boxes_[variable][static_cast<std::size_t>(level)];
  if (box.sleepers.empty()) {
    box.centre = at;
    box.radius = radius;
  }
  if (box.sleepers.size() == box.sleepers.capacity()) {  // before it grows: entries that mean nothing any more go
    std::erase_if(box.sleepers, [this](const Sleeper& s) {
      const auto g = static_cast<std::size_t>(s.guard);
      return !is_asleep(s.guard) || habits_[g].stamp != s.stamp;
    });
    box.sleepers.reserve(2 * box.sleepers.size() + 8);
  }
  box.sleepers.push_back({guard, habits_[static_cast<std::size_t>(guard)].stamp});
  tightest_[variable].lo = std::max(tightest_[variable].lo, box.centre - box.radius);
  tightest_[variable].hi = std::min(tightest_[variable].hi, box.centre + box.radius);
  if (std::exchange(is_crowded_[variable], 1) == 0) crowded_.push_back(static_cast<int>(variable));
}

bool Sleep::offer(int guard, const Step& step) {
  const auto g = static_cast<std::size_t>(guard);
  Habit& habit = habits_[g];
  if (!habit.past.accepts_offer()) return false;
  if (boxes_.empty() || probe_.values.empty()) make_room();  // or a snapshot from before has been restored
  if (habit.reads.empty()) {  // which states it reads is seen by one evaluation at the state itself
    for (std::size_t i = 0; i < n_; ++i) probe_.values[i] = Interval(step.end()[i]);
    probe_.reads.clear();
    GuardSet::Reads held;
    guards_.evaluate_recorded(guard, Interval(step.t1), probe_, held);
    std::sort(probe_.reads.begin(), probe_.reads.end());
    probe_.reads.erase(std::unique(probe_.reads.begin(), probe_.reads.end()), probe_.reads.end());
    habit.reads = probe_.reads;
  }
  ++habit.stamp;
  for (const int level : habit.past.levels_to_try()) {
    if (level < 0 || level >= levels || !is_possible(guard, step, level)) continue;
    habit.past.fell_asleep(level, steps_);
    const auto place = static_cast<std::size_t>(std::exchange(position_[g], -1));
    awake_[place] = awake_.back();
    position_[static_cast<std::size_t>(awake_[place])] = awake_.back() == guard ? -1 : static_cast<int>(place);
    awake_.pop_back();
    mode_readers_ += habit.reads_modes ? 1 : 0;
    return true;
  }
  habit.past.stayed_awake();
  return false;
}

}  // namespace pawl::event
