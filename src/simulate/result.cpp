#include "pawl/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "event/observe.hpp"
#include "pawl/step.hpp"
#include "simulate/quantity.hpp"

namespace pawl {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::terminated:
      return "terminated";
    case Outcome::stopped:
      return "stopped";
    case Outcome::failed:
      return "failed";
  }
  return "unknown";
}

namespace detail {

std::shared_ptr<Dynamics> reader(const std::shared_ptr<const Dynamics>& dynamics) {
  thread_local std::weak_ptr<const Dynamics> last;
  thread_local std::shared_ptr<Dynamics> own;
  if (last.lock() != dynamics) {
    own = dynamics->make_reader();
    last = dynamics;
  }
  return own;
}

}  // namespace detail

double Instant::operator[](Observable o) const {
  checked(o, model_->observables.size(), "observable", *model_);
  return event::observe(*detail::reader(dynamics_), *held_, o.index, t, states_.data());
}

double Instant::operator[](Constraint c) const {
  checked(c, model_->constraint_names.size(), "constraint", *model_);
  const auto dynamics = detail::reader(dynamics_);
  return event::Scene(*dynamics, *held_, t, states_.data()).multiplier(c.index);
}

Instant::Instant(double time, std::vector<double> states, std::shared_ptr<const Held> held,
                 std::shared_ptr<const detail::Dynamics> dynamics)
    : t(time),
      states_(std::move(states)),
      held_(std::move(held)),
      dynamics_(std::move(dynamics)),
      model_(&dynamics_->model()) {}

Held Instant::held() && {
  return *held_;
}

double Instant::operator[](Relay r) const {
  checked(r, model_->relays.size(), "relay", *model_);
  const auto i = static_cast<std::size_t>(r.index);
  if (held_->sides[i] != RelaySide::sliding) return held_->levels[i];
  const auto dynamics = detail::reader(dynamics_);
  return event::Scene(*dynamics, *held_, t, states_.data()).equivalent_control(r.index);
}

double Instant::operator[](std::string_view name) const {
  const detail::Quantity quantity = detail::find_quantity(*model_, name);
  if (!quantity.needs_scene()) return detail::value_of(quantity, *this, nullptr);
  const auto dynamics = detail::reader(dynamics_);
  const event::Scene scene(*dynamics, *held_, t, states_.data());
  return detail::value_of(quantity, *this, &scene);
}

std::shared_ptr<const Held> Result::held_at(double t, bool before) const {
  const double direction = t_end < t_start ? -1 : 1;
  auto era = std::upper_bound(eras.begin(), eras.end(), t, [=](double time, const Era& one) {
    const double ahead = direction * (one.t - time);
    return ahead > 0 || (before && ahead == 0);
  });
  return era == eras.begin() ? era->held : std::prev(era)->held;
}

Instant Result::start() const {
  return {t_start, start_state, eras.front().held, dynamics};
}

Instant Result::final() const {
  return {t_end, final_state, eras.back().held, dynamics};
}

std::vector<double> Result::times_where(const Callback<bool(const Event&)>& is_wanted) const {
  std::vector<double> times;
  for (const Event& event : events) {
    if (is_wanted(event)) times.push_back(event.t);
  }
  return times;
}

std::vector<double> Result::times_of_guards(const Callback<bool(const GuardInfo&)>& is_wanted) const {
  return times_where([&](const Event& event) {
    return fires(event.kind) && event.kind != EventKind::accumulation &&
           std::any_of(event.sources.begin(), event.sources.end(), [&](const EventSource& source) {
             return source.kind == EventSource::Kind::guard &&
                    is_wanted(declarations->guards[static_cast<std::size_t>(source.index)]);
           });
  });
}

std::vector<double> Result::times_of(Guard guard) const {
  checked(guard, declarations->guards.size(), "guard", *declarations);
  return times_where([guard](const Event& event) { return event.fired(guard); });
}

std::vector<double> Result::times_of(Condition c) const {
  checked(c, declarations->condition_names.size(), "condition", *declarations);
  return times_of_guards(
      [c](const GuardInfo& guard) { return guard.role == GuardRole::condition && guard.role_index == c.index; });
}

std::vector<double> Result::times_of(Relation r) const {
  checked(r, declarations->condition_names.size(), "relation", *declarations);
  return times_of_guards(
      [r](const GuardInfo& guard) { return guard.role == GuardRole::relation && guard.role_index == r.index; });
}

std::vector<double> Result::times_of(Relay r) const {
  checked(r, declarations->relays.size(), "relay", *declarations);
  return times_where([this, r](const Event& event) {
    return fires(event.kind) && std::any_of(event.sources.begin(), event.sources.end(), [&](const EventSource& source) {
             if (source.kind == EventSource::Kind::exit) return source.index == r.index;
             if (source.kind != EventSource::Kind::guard) return false;
             const GuardInfo& guard = declarations->guards[static_cast<std::size_t>(source.index)];
             const bool is_relay = guard.role == GuardRole::relay_up || guard.role == GuardRole::relay_down;
             return is_relay && guard.role_index == r.index;
           });
  });
}

std::vector<double> Result::times_of(TimeEvent e) const {
  checked(e, declarations->time_events.size(), "time event", *declarations);
  return times_where([e](const Event& event) {
    return std::any_of(event.sources.begin(), event.sources.end(), [e](const EventSource& source) {
      return source.kind == EventSource::Kind::time && source.index == e.index;
    });
  });
}

void Result::check(const Contact& contact) const {
  const auto& mechanism = (declarations->parts ? declarations->parts : declarations)->mechanics;  // of a mixture
  const std::size_t count = mechanism ? mechanism->contacts.size() : 0;
  checked(contact.index, count, "contact", *declarations);
  checked(contact.mode, declarations->modes.size(), "contact", *declarations);
}

std::vector<double> Result::times_of(const Contact& contact) const {
  check(contact);
  const auto mode = static_cast<std::size_t>(contact.mode.index);
  return times_where([&](const Event& event) {
    if (!fires(event.kind)) return false;
    if (event.held_before->modes[mode] != event.held_after->modes[mode]) return true;
    return std::any_of(event.sources.begin(), event.sources.end(), [&](const EventSource& source) {
      return source.kind == EventSource::Kind::guard &&
             declarations->guards[static_cast<std::size_t>(source.index)].contact == contact.index;
    });
  });
}

std::vector<double> Result::times_of(const Contact& contact, ContactEvent kind) const {
  check(contact);
  return times_where([&](const Event& event) { return event.fired(contact, kind); });
}

std::vector<std::string> Result::contact_events(const Event& event) const {
  std::vector<std::string> all;
  for (const ContactFired& one : event.contacts)
    all.push_back(fmt::format("{} of {}", to_string(one.kind), name_of(one, *declarations)));
  return all;
}

std::vector<std::string> Result::names(const Event& event) const {
  std::vector<std::string> all;
  for (const EventSource& source : event.sources) all.push_back(name_of(source, *declarations));
  return all;
}

Instant Result::sample(int i) const {
  const auto n = static_cast<std::ptrdiff_t>(trajectory.size);
  const auto first = trajectory.sample_states.begin() + i * n;
  const auto k = static_cast<std::size_t>(i);
  const double t = trajectory.sample_times[k];
  const bool is_before = k + 1 < trajectory.sample_times.size() && trajectory.sample_times[k + 1] == t;
  return {t, std::vector<double>(first, first + n), held_at(t, is_before), dynamics};
}

Range Result::range(Observable o) const {
  const std::size_t i = checked(o, declarations->observables.size(), "observable", *declarations);
  if (!observable_ranges.empty()) return observable_ranges[i];
  Range range = Range::empty();
  range.widen(start()[o]);
  const std::vector<double>& ends = trajectory.t1;  // empty unless the polynomials are kept
  std::size_t step = 0;
  for (int k = 0; k < sample_count(); ++k) {
    const double t = trajectory.sample_times[static_cast<std::size_t>(k)];
    while (step < ends.size() && (t_end < t_start ? ends[step] > t : ends[step] < t)) ++step;
    const bool is_drawn = !ends.empty() && (step == ends.size() || ends[step] != t);  // inside a step
    if (!is_drawn) range.widen(sample(k)[o]);
  }
  range.widen(final()[o]);
  return range;
}

Range Result::range(State x) const {
  const std::size_t i = checked(x, start_state.size(), "state", *declarations);
  const auto [low, high] = std::minmax(start_state[i], final_state[i]);
  Range range{low, high};
  for (std::size_t k = i; k < trajectory.sample_states.size(); k += static_cast<std::size_t>(trajectory.size)) {
    range.min = std::min(range.min, trajectory.sample_states[k]);
    range.max = std::max(range.max, trajectory.sample_states[k]);
  }
  return range;
}

Instant Result::at(double t) const {
  return inside(t, false);
}

Instant Result::before(double t) const {
  return inside(t, true);
}

Instant Result::on_manifold(double t) const {
  Instant drawn = at(t);
  if (!dynamics->settles()) return drawn;
  std::vector<double> x = drawn.states();
  const std::string failure = detail::reader(dynamics)->settle(t, x.data(), drawn.held(), Settle::drawn);
  if (!failure.empty()) throw Misuse(fmt::format("t = {}: {}", t, failure));
  return {t, std::move(x), std::make_shared<const Held>(drawn.held()), dynamics};
}

Instant Result::inside(double t, bool before) const {
  const double direction = t_end < t_start ? -1 : 1;
  if (!(direction * (t - t_start) >= 0 && direction * (t_end - t) >= 0))
    throw Misuse(fmt::format("t = {} is outside the run, which covers [{}, {}]", t, t_start, t_end));
  if (t == t_start) return start();
  if (t == t_end && !before) return final();
  const Trajectory& path = trajectory;
  if (path.coefficients.empty())
    throw Misuse(
        "the run kept no polynomials: ask for Options::keep = Keep::everything, or for this time in Options::times");
  const auto after = std::lower_bound(path.t1.begin(), path.t1.end(), t,
                                      [direction](double end, double time) { return direction * (end - time) < 0; });
  auto step = static_cast<std::size_t>(after - path.t1.begin());
  while (!before && step + 1 < path.t0.size() && path.t0[step + 1] == t) ++step;
  const auto n = static_cast<std::size_t>(path.size);
  std::vector<double> x(n);
  if (t == path.t1[step]) {
    std::copy_n(path.ends.begin() + static_cast<std::ptrdiff_t>(step * n), n, x.begin());
  } else {
    const double theta = (t - path.t0[step]) / path.span[step];
    evaluate_polynomials(path.coefficients.data() + path.first[step], path.size, path.degree[step], theta, x.data());
  }
  return {t, std::move(x), held_at(t, before), dynamics};
}

}  // namespace pawl
