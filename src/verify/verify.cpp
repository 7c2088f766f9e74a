#include "pawl/verify.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "pawl/contact_family.hpp"
#include "pawl/simulate.hpp"
#include "verify/event_pairs.hpp"
#include "verify/judgement.hpp"

namespace pawl {

using namespace verification;

namespace {

/// What is common to all comparisons with the first run.
struct Ground {
  const System& system;
  const Values& values;
  const Result& first;
  std::vector<double> times;
  Track track;
  std::vector<double> scales;
  double relative;   // tolerance of the first run
  double tolerance;  // the largest difference that counts as agreement
};

/// What this run, tighter than the first, shows to be zero.
void take_zeros(Ground& ground, const Track& tighter) {
  if (tighter.size > 0)
    ground.scales = with_zeros(ground.scales, ground.track, tighter, ground.relative, ground.tolerance);
}

void count_events(SecondRun& run) {
  for (const EventPair& pair : run.events) {
    run.matched += pair.is_matched();
    if (pair.is_excused) continue;
    run.missing += pair.t_first && !pair.t_other;
    run.extra += pair.t_other && !pair.t_first;
  }
  for (const EventPair& pair : run.events)
    run.largest_time_difference = std::max(run.largest_time_difference, std::abs(pair.difference()));
}

void take_over(const Ground& ground, const Result& result, SecondRun& run, Made& made) {
  const Result& first = ground.first;
  run.has_run = true;
  run.method = result.method;
  if (result.statistics.constraints) run.formulation = result.statistics.constraints->formulation;
  run.outcome = result.outcome;
  run.reason = result.reason;
  run.t_end = result.t_end;
  run.statistics = result.statistics;
  run.events = pair_events(first, result, std::abs(first.t_end - first.t_start) / 50);
  count_events(run);
  made.track = track_of(result, ground.times);
  for (std::size_t i = 0; i < first.observable_names().size(); ++i) {
    const Observable o{static_cast<int>(i)};
    run.observables.push_back({first.observable_names()[i], first.range(o), result.range(o)});
  }
}

void compare_with_first(const Ground& ground, SecondRun& run, Made& made) {
  if (!run.has_run) return;
  const Result& first = ground.first;
  made.differences =
      compare(ground.track, made.track, ground.times, first.t_end, ground.scales, run.events, first.state_names());
  run.variables = made.differences.variables;
  run.times = made.differences.t;
  run.differences = made.differences.apart;
  if (!made.differences.t.empty()) run.t_compared = made.differences.t.back();
  for (const Agreement& variable : run.variables) {
    run.digits = std::min(run.digits, variable.digits);
    run.digits_at_end = std::min(run.digits_at_end, variable.digits_at_end);
  }
  find_parting(first, made.differences, ground.tolerance, run);
}

SecondRun not_run(const Plan& plan, Outcome outcome, std::string reason) {
  SecondRun run;
  run.what = plan.what;
  run.how = plan.how;
  run.why = plan.why;
  run.method = plan.options.method;
  run.outcome = outcome;
  run.reason = std::move(reason);
  return run;
}

SecondRun second_run(const Ground& ground, const Plan& plan, Made& made) {
  SecondRun run = not_run(plan, Outcome::failed, {});
  Options options = plan.options;
  options.keep = ground.times.empty() ? Keep::end : Keep::samples;
  options.samples = 0;
  options.times = ground.times;
  if (ground.first.outcome == Outcome::stopped) options.end = ground.first.t_end;
  try {
    take_over(ground, simulate(ground.system, ground.values, options), run, made);
  } catch (const std::exception& error) {  // Misuse: the model and this method do not go together
    run.reason = error.what();
  }
  return run;
}

/// Whether its states part from the first run while another run confirms that: perhaps it is the inaccurate one. An
/// event that only one run has is never explained away like this.
bool is_odd_one_out(const std::vector<SecondRun>& runs, std::size_t which) {
  if (!runs[which].t_parts || !runs[which].parting_event.empty()) return false;
  return std::any_of(runs.begin(), runs.end(), [](const SecondRun& run) { return run.is_whole() && !run.t_parts; });
}

/// Between all pairs of second runs.
std::vector<Differences> compare_among(const Ground& ground, const std::vector<SecondRun>& runs,
                                       const std::vector<Made>& made) {
  std::vector<Differences> all;
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (std::size_t j = i + 1; j < made.size(); ++j) {
      if (made[i].track.size == 0 || made[j].track.size == 0) continue;
      std::vector<EventPair> events = runs[i].events;
      events.insert(events.end(), runs[j].events.begin(), runs[j].events.end());
      all.push_back(compare(made[i].track, made[j].track, ground.times, ground.first.t_end, ground.scales, events,
                            ground.first.state_names()));
    }
  }
  return all;
}

}  // namespace

void check(const VerifyOptions& how) {
  if (!(how.tighten > 1))
    throw Misuse(
        fmt::format("tighten by {:g}: it must be above 1, so that second runs are more accurate", how.tighten));
  if (how.digits && !(*how.digits > 0 && *how.digits < 16))
    throw Misuse(fmt::format("{:g} digits: agreement is asked for between 0 and 16 digits", *how.digits));
  if (how.instants < 1) throw Misuse(fmt::format("{} instants: at least one is needed", how.instants));
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::verified:
      return "verified";
    case Verdict::disagrees:
      return "disagrees";
    case Verdict::unknown:
      return "unknown";
  }
  return "unknown";
}

Verification verify(const System& system, const Options& options, const Result& first, const VerifyOptions& how) {
  return verify(system, Values(system), options, first, how);
}

Verification verify(const System& system, const Values& values, const Options& options, const Result& first,
                    const VerifyOptions& how) {
  check(how);
  // A mixture has multipliers and relays behind its states.
  const auto &declared = system.declarations().state_names, &found = first.state_names();
  if (!values.belong_to(system) || found.size() < declared.size() ||
      !std::equal(declared.begin(), declared.end(), found.begin()))
    throw Misuse(fmt::format("the values or the result to verify are not of system '{}'", system.name()));
  if (family_of(system.declarations()) >= 0) {
    throw Misuse(
        fmt::format("system '{}' has a family of contacts: nothing is integrated, and there is no other method "
                    "to compare with; what can be checked is its energy, its momenta and its gaps",
                    system.name()));
  }
  Verification v;
  v.wanted_digits = how.digits.value_or(default_digits(options));
  Ground ground{.system = system,
                .values = values,
                .first = first,
                .times = common_times(first, how.instants),
                .track = {},
                .scales = {},
                .relative = options.tolerance.relative,
                .tolerance = std::pow(10, -v.wanted_digits)};
  ground.track = track_of_first(first, ground.times);
  ground.scales = scales_of(ground.track, absolute_tolerances(system.declarations(), options.tolerance, found.size()),
                            v.wanted_digits);

  const std::vector<Plan> plans = make_plans(system, options, first, how);
  std::vector<Made> made(plans.size());
  const auto make = [&](const Plan& plan, std::size_t i) {
    if (how.begins) how.begins(plan.what, static_cast<int>(i), static_cast<int>(plans.size()));
    v.runs[i] = second_run(ground, plan, made[i]);
    v.was_stopped = v.was_stopped || (v.runs[i].has_run && v.runs[i].outcome == Outcome::stopped);
    v.rhs += v.runs[i].statistics.rhs;
    v.wall_seconds += v.runs[i].statistics.wall_seconds;
  };
  v.runs.resize(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::string obstacle = v.was_stopped ? "stopped by the user" : plans[i].obstacle;
    if (obstacle.empty())
      make(plans[i], i);
    else
      v.runs[i] = not_run(plans[i], v.was_stopped ? Outcome::stopped : Outcome::failed, obstacle);
  }
  for (const Made& one : made) take_zeros(ground, one.track);
  for (std::size_t i = 0; i < plans.size(); ++i) compare_with_first(ground, v.runs[i], made[i]);
  for (std::size_t i = 0; i < plans.size() && !v.was_stopped; ++i) {
    const auto again = tightened_again(plans[i], how.tighten);
    if (!again || !is_odd_one_out(v.runs, i)) continue;
    make(*again, i);
    compare_with_first(ground, v.runs[i], made[i]);
  }
  judge(options, how.tighten, first, made, compare_among(ground, v.runs, made), v);
  return v;
}

}  // namespace pawl
