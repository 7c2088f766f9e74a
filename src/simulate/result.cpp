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

double Instant::operator[](Observable o) const {
  checked(o.index, model_->observables.size(), "observable", *model_);
  return event::observe(*model_, *held_, o.index, t, states_.data());
}

double Instant::operator[](Constraint c) const {
  checked(c.index, model_->constraint_names.size(), "constraint", *model_);
  return event::Scene(*model_, *held_, t, states_.data()).multiplier(c.index);
}

double Instant::operator[](Relay r) const {
  checked(r.index, model_->relays.size(), "relay", *model_);
  const auto i = static_cast<std::size_t>(r.index);
  if (held_->sides[i] != RelaySide::sliding) return held_->levels[i];
  return event::Scene(*model_, *held_, t, states_.data()).equivalent_control(r.index);
}

double Instant::operator[](std::string_view name) const {
  const detail::Quantity quantity = detail::find_quantity(*model_, name);
  if (!quantity.needs_scene()) return detail::value_of(quantity, *this, nullptr);
  const event::Scene scene(*model_, *held_, t, states_.data());
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
  return {t_start, start_state, eras.front().held, declarations};
}

Instant Result::final() const {
  return {t_end, final_state, eras.back().held, declarations};
}

std::vector<double> Result::times_of(Guard guard) const {
  std::vector<double> times;
  for (const Event& event : events) {
    if (event.fired(guard)) times.push_back(event.t);
  }
  return times;
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
  return {t, std::vector<double>(first, first + n), held_at(t, is_before), declarations};
}

Range Result::range(State x) const {
  const std::size_t i = checked(x.index, start_state.size(), "state", *declarations);
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
  const Instant drawn = at(t);
  if (!declarations->settle) return drawn;
  const std::lock_guard reading(*declarations->reading);
  std::vector<double> x = drawn.states();
  const std::string failure = declarations->settle(t, x.data(), drawn.held(), Settle::drawn);
  if (!failure.empty()) throw Misuse(fmt::format("t = {}: {}", t, failure));
  return {t, std::move(x), std::make_shared<const Held>(drawn.held()), declarations};
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
  return {t, std::move(x), held_at(t, before), declarations};
}

}  // namespace pawl
