#include "simulate/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "event/observe.hpp"
#include "system/dynamics.hpp"

namespace pawl::detail {

namespace {

std::vector<double> requested_times(const Options& options) {
  std::vector<double> times = options.times;
  for (long long i = 0; i <= options.samples && options.samples > 0; ++i) {
    const double fraction = static_cast<double>(i) / options.samples;
    times.push_back(i == options.samples ? options.end : options.start + fraction * (options.end - options.start));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (options.end < options.start) std::reverse(times.begin(), times.end());
  return times;
}

/// Room for more, growing geometrically, so that appending afterwards cannot fail halfway.
template <class Vector>
[[gnu::noinline]] void grow(Vector& vector, std::size_t more) {
  vector.reserve(std::max(2 * vector.capacity(), vector.size() + more));
}
template <class Vector>
void make_room(Vector& vector, std::size_t more) {
  if (vector.capacity() - vector.size() < more) grow(vector, more);
}

}  // namespace

Recorder::Recorder(const Setup& setup)
    : keep_(setup.options.keep),
      direction_(setup.options.end < setup.options.start ? -1 : 1),
      requested_(requested_times(setup.options)),
      scratch_(requested_.empty() ? 0 : setup.start_state.size()) {
  pulls_samples_ = setup.options.constraints.pulls_samples && setup.dynamics->settles();
  keeps_every_step_ = keep_ == Keep::everything || (keep_ == Keep::samples && requested_.empty());
  keeps_history_ = keep_ == Keep::everything && setup.options.keeps_history;
  const double t = setup.options.start;
  result_.model = setup.declarations->name;
  result_.method = setup.method;
  result_.t_start = result_.t_end = t;
  result_.declarations = setup.declarations;
  result_.dynamics = dynamics_ = setup.dynamics;
  if (pulls_samples_) puller_ = dynamics_->make_reader();  // the run must not notice
  result_.eras.push_back({t, setup.held});
  result_.start_state = result_.final_state = setup.start_state;
  result_.trajectory.size = setup.size();
  if (!keeps_every_step_ && setup.options.keeps_ranges)
    result_.observable_ranges.assign(setup.declarations->observables.size(), Range::empty());
  result_.statistics.min_step = std::numeric_limits<double>::infinity();
  last_time_ = t;
}

void Recorder::begin(double t, const std::vector<double>& x, std::shared_ptr<const Held> held) {
  result_.eras.front().held = std::move(held);
  result_.start_state = result_.final_state = x;
  if (!result_.observable_ranges.empty()) widen_ranges(t, x.data());
  const bool is_requested = is_due(t);
  if (is_requested) ++next_requested_;
  if (keep_ != Keep::end && (keeps_every_step_ || is_requested)) sample(t, x.data(), is_requested);
}

void Recorder::jump(double t, const std::vector<double>& x, std::shared_ptr<const Held> held) {
  if (result_.eras.back().held != held) result_.eras.push_back({t, std::move(held)});
  state_after_jump_ = x;
  jump_time_ = t;
  if (!result_.observable_ranges.empty()) widen_ranges(t, x.data());
  if (last_sample_ == t) sample(t, x.data(), last_was_requested_);
}

void Recorder::keep(const Step& step) {
  if (!result_.observable_ranges.empty()) widen_ranges(step.t1, step.end());
  if (keep_ != Keep::end) sample_requested(step);
  if (keep_ == Keep::everything) keep_polynomial(step);
}

void Recorder::keep_polynomial(const Step& step) {
  Trajectory& path = result_.trajectory;
  const auto n = static_cast<std::size_t>(step.size());
  const auto is_full = [](const auto& one) { return one.size() == one.capacity(); };
  if (is_full(path.t0) || is_full(path.t1) || is_full(path.span) || is_full(path.degree) || is_full(path.first)) {
    make_room(path.t0, 1);
    make_room(path.t1, 1);
    make_room(path.span, 1);
    make_room(path.degree, 1);
    make_room(path.first, 1);
  }
  make_room(path.coefficients, n * static_cast<std::size_t>(step.degree() + 1));
  make_room(path.ends, n);
  path.t0.push_back(step.t0);
  path.t1.push_back(step.t1);
  path.span.push_back(step.span);
  path.degree.push_back(step.degree());
  path.first.push_back(path.coefficients.size());
  path.coefficients.insert(path.coefficients.end(), step.coefficients(),
                           step.coefficients() + static_cast<std::ptrdiff_t>(step.size()) * (step.degree() + 1));
  path.ends.insert(path.ends.end(), step.end(), step.end() + step.size());
}

void Recorder::history(const Step& step, int order, const std::string& method) {
  std::vector<std::string>& names = result_.methods_in_force;
  auto known = std::find(names.begin(), names.end(), method);
  if (known == names.end()) known = names.insert(known, method);
  Trajectory& path = result_.trajectory;
  make_room(path.history, 1);
  path.history.push_back({.size = static_cast<float>(std::abs(step.h)),
                          .error = static_cast<float>(step.error),
                          .order = static_cast<short>(order),
                          .method = static_cast<short>(known - names.begin())});
}

void Recorder::sample_requested(const Step& step) {
  bool end_is_sampled = false;
  for (; is_due(step.t1); ++next_requested_) {
    const double t = requested_[next_requested_];
    end_is_sampled = t == step.t1;
    step.at(t, scratch_.data());
    if (pulls_samples_ && t != step.t1) {
      const std::string why = puller_->settle(t, scratch_.data(), *result_.eras.back().held, Settle::drawn);
      if (!why.empty()) step.at(t, scratch_.data());
    }
    sample(t, scratch_.data(), true);
  }
  if (keeps_every_step_ && !end_is_sampled) sample(step.t1, step.end(), false);
}

void Recorder::sample(double t, const double* x, bool was_requested) {
  Trajectory& path = result_.trajectory;
  make_room(path.sample_times, 1);
  make_room(path.sample_states, static_cast<std::size_t>(path.size));
  make_room(path.sample_was_requested, 1);
  path.sample_times.push_back(t);
  path.sample_states.insert(path.sample_states.end(), x, x + path.size);
  path.sample_was_requested.push_back(was_requested);
  last_sample_ = t;
  last_was_requested_ = was_requested;
}

void Recorder::widen_ranges(double t, const double* x) {
  for (std::size_t i = 0; i < result_.observable_ranges.size(); ++i) {
    result_.observable_ranges[i].widen(
        event::observe(*dynamics_, *result_.eras.back().held, static_cast<int>(i), t, x));
  }
}

void Recorder::carry(Memory& memory) {
  if (memory.is_saving() && !result_.trajectory.sample_times.empty()) {
    const int size = result_.trajectory.size;
    sealed_.push_back(std::make_shared<const Trajectory>(std::exchange(result_.trajectory, {})));
    result_.trajectory.size = size;
  }
  memory(recorded_, last_time_, jump_time_, state_after_jump_, next_requested_, sealed_, last_sample_,
         last_was_requested_, result_);
}

// The parts that were shared, in one again.
void Recorder::unseal() {
  if (sealed_.empty()) return;
  Trajectory whole;
  whole.size = result_.trajectory.size;
  sealed_.push_back(std::make_shared<const Trajectory>(std::move(result_.trajectory)));
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const auto& part : sealed_) {
    for (const std::size_t first : part->first) whole.first.push_back(first + whole.coefficients.size());
    append(whole.t0, part->t0);
    append(whole.t1, part->t1);
    append(whole.span, part->span);
    append(whole.degree, part->degree);
    append(whole.coefficients, part->coefficients);
    append(whole.ends, part->ends);
    append(whole.history, part->history);
    append(whole.sample_times, part->sample_times);
    append(whole.sample_states, part->sample_states);
    append(whole.sample_was_requested, part->sample_was_requested);
  }
  sealed_.clear();
  result_.trajectory = std::move(whole);
}

Result Recorder::finish(Outcome outcome, std::optional<Message> why, const Step& last, const Work& work,
                        double wall_seconds) {
  if (work.accepted > 0) {  // a step that was accepted but not recorded starts where the run ends
    const double* x = last.t1 == last_time_ ? last.end() : last.start();
    result_.t_end = last_time_;
    result_.final_state.assign(x, x + last.size());
  }
  if (jump_time_ == last_time_) {
    result_.t_end = last_time_;
    result_.final_state = state_after_jump_;
  }
  unseal();
  result_.outcome = outcome;
  if (why) result_.reason = why->text;
  result_.ending = std::move(why);
  Statistics& statistics = result_.statistics;
  statistics.rhs = work.rhs;
  statistics.steps_accepted = recorded_;
  statistics.steps_rejected = work.rejected;
  statistics.wall_seconds = wall_seconds;
  if (recorded_ == 0) statistics.min_step = 0;
  return std::move(result_);
}

}  // namespace pawl::detail
