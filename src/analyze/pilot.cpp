#include "analyze/pilot.hpp"

#include <algorithm>
#include <cmath>

#include "pawl/simulate.hpp"

namespace pawl::analyze {

namespace {

constexpr std::size_t most_modes = 8;
constexpr long long most_steps = 1000, most_events = 200;
constexpr double loosest = 1e-3;
constexpr int most_trial_steps = 40;

/// Modes differ in what decides which equations are in force; numbers that are only held do not.
bool is_same_mode(const Held& a, const Held& b) {
  return a.modes == b.modes && a.truths == b.truths && a.members == b.members && a.sides == b.sides;
}

/// The end of a step, where the state is on the manifold: that nearest to the middle of the stay.
Place middle_of(const Result& run, double begin, double end, const Held& held) {
  const double middle = begin + 0.5 * (end - begin);
  double best = begin;
  for (const double t : run.trajectory.t1) {
    if (std::min(begin, end) <= t && t <= std::max(begin, end) && std::abs(t - middle) < std::abs(best - middle))
      best = t;
  }
  const std::vector<double> x = begin == end    ? run.start_state
                                : best == begin ? run.at(best).states()
                                                : run.before(best).states();
  return {best, x, held};
}

Options pilot_options(const Options& wanted, int states) {
  Options options = wanted;
  options.method = "auto";
  options.step.reset();
  options.tolerance.relative = std::max(wanted.tolerance.relative, loosest);
  options.keep = Keep::everything;
  options.samples = 0;
  options.times.clear();
  options.max_events = std::min(wanted.max_events, most_events);
  const long long steps = std::clamp<long long>(200'000 / std::max(states, 1), 50, most_steps);
  options.progress = [steps](const Progress& progress) { return progress.steps < steps; };
  return options;
}

}  // namespace

Pilot fly(const System& system, const Values& values, const Options& options) {
  const Result run = simulate(system, values, pilot_options(options, system.size()));
  Pilot pilot{.start = run.t_start, .end = run.t_end, .steps = run.statistics.steps_accepted};
  if (run.outcome == Outcome::failed) pilot.failure = run.reason;
  const double duration = std::abs(run.t_end - run.t_start);
  for (const Event& event : run.events) {
    if (fires(event.kind)) ++pilot.events.seen;
    pilot.events.accumulates |= event.kind == EventKind::accumulation;
    pilot.events.slides |= event.kind == EventKind::slide;
  }
  pilot.events.per_unit_time = duration > 0 ? static_cast<double>(pilot.events.seen) / duration : 0;
  std::vector<const Held*> left_out;
  for (std::size_t k = 0; k < run.eras.size(); ++k) {
    const double begin = run.eras[k].t, end = k + 1 < run.eras.size() ? run.eras[k + 1].t : run.t_end;
    const Held& held = *run.eras[k].held;
    if (begin == end && run.eras.size() > 1 && duration > 0) continue;  // passed in no time
    const auto known = std::find_if(pilot.visits.begin(), pilot.visits.end(),
                                    [&](const Visit& visit) { return is_same_mode(visit.place.held, held); });
    if (known != pilot.visits.end()) {
      known->time += std::abs(end - begin);
    } else if (pilot.visits.size() < most_modes) {
      pilot.visits.push_back({middle_of(run, begin, end, held), begin, std::abs(end - begin), run.mode(held)});
    } else if (std::none_of(left_out.begin(), left_out.end(),
                            [&](const Held* one) { return is_same_mode(*one, held); })) {
      left_out.push_back(&held);
    }
  }
  if (pilot.visits.empty()) pilot.visits.push_back({{run.t_start, values.start(), values.held()}, run.t_start, 0, {}});
  pilot.left_out = static_cast<int>(left_out.size());
  return pilot;
}

double accurate_step(const System& system, const Values& values, const Place& from, const Options& wanted) {
  if (from.t == wanted.end) return 0;
  Values there = values;
  // A run may have more of them than the system: multipliers of a mixture, modes of switches.
  const System::Declarations& model = system.declarations();
  for (std::size_t i = 0; i < std::min(from.x.size(), model.state_names.size()); ++i)
    there[State{static_cast<int>(i)}] = from.x[i];
  there.take(from.held);
  Options options = wanted;
  options.start = from.t;
  options.method = "radau-5";
  options.events = "certified";
  options.constraints = {};
  options.step.reset();
  options.keep = Keep::end;
  options.samples = 0;
  options.times.clear();
  double last = from.t, largest = 0;
  options.progress = [&](const Progress& progress) {
    largest = std::max(largest, std::abs(progress.t - last));
    last = progress.t;
    return progress.steps < most_trial_steps;
  };
  try {
    simulate(system, there, options);
  } catch (const Misuse&) {  // a model that implicit methods cannot take
    return 0;
  }
  return largest;
}

}  // namespace pawl::analyze
