#include "verify/judgement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "verify/growth.hpp"

namespace pawl::verification {

namespace {

double direction_of(const Result& run) {
  return run.t_end < run.t_start ? -1 : 1;
}

std::optional<Growth> growth_of(const Differences& differences) {
  std::vector<double> in_units_of_the_motion;
  for (std::size_t k = 0; k < differences.t.size(); ++k)
    in_units_of_the_motion.push_back(differences.mean[k] / std::max(differences.size[k], 1e-300));
  return fit_growth(differences.t, in_units_of_the_motion);
}

/// Nearby motions part at one rate, whoever computes them: all pairs of runs must show it. A run that is merely wrong
/// shows it beside the others, but these do not beside each other.
void look_for_chaos(const std::vector<Made>& made, const std::vector<Differences>& among, Verification& verification) {
  std::vector<Growth> all;
  bool is_exponential = true;
  const auto look = [&](const Differences& differences) {
    if (differences.t.empty()) return;
    const auto growth = growth_of(differences);
    is_exponential &= growth && growth->is_exponential;
    if (growth) all.push_back(*growth);
  };
  for (const Made& one : made) look(one.differences);
  for (const Differences& one : among) look(one);
  if (all.empty()) return;
  const auto longest = std::max_element(all.begin(), all.end(),
                                        [](const Growth& a, const Growth& b) { return a.e_foldings < b.e_foldings; });
  verification.growth = *longest;
  const auto has_same_rate = [&](const Growth& one) {
    return one.rate < 2 * longest->rate && longest->rate < 2 * one.rate;
  };
  verification.is_chaotic = is_exponential && std::all_of(all.begin(), all.end(), has_same_rate);
}

std::string where_only(const EventPair& pair, const SecondRun& run) {
  if (pair.is_matched()) return fmt::format("{:.2g} later with {}", pair.difference(), run.how);
  return pair.t_first ? fmt::format("missing with {}", run.how) : fmt::format("only with {}", run.how);
}

const SecondRun* first_to_part(const Result& first, const std::vector<SecondRun>& runs) {
  const SecondRun* earliest = nullptr;
  for (const SecondRun& run : runs) {
    if (!run.t_parts) continue;
    if (earliest == nullptr || direction_of(first) * (*run.t_parts - *earliest->t_parts) < 0) earliest = &run;
  }
  return earliest;
}

/// "12 of 12 events match to 3e-11", or nothing where there are none.
std::string events_in_words(const std::vector<SecondRun>& runs) {
  int total = 0, matched = -1;
  double largest = 0;
  for (const SecondRun& run : runs) {
    if (!run.is_whole()) continue;
    const int all = run.matched + run.missing + run.extra;
    total = std::max(total, all);
    if (matched < 0 || run.matched < matched) matched = run.matched;
    largest = std::max(largest, run.largest_time_difference);
  }
  if (total == 0) return {};
  return fmt::format("; {} of {} event{} match{} {}", matched, total, total == 1 ? "" : "s", total == 1 ? "es" : "",
                     largest > 0 ? fmt::format("to {:.1g}", largest) : "exactly");
}

std::string troubles_in_words(const std::vector<SecondRun>& runs) {
  std::string text;
  for (const SecondRun& run : runs) {
    if (run.is_whole()) continue;
    text += !run.has_run ? fmt::format("; not run: {}", run.what)
                         : fmt::format("; {} {} at t = {:.5g}", run.method, to_string(run.outcome), run.t_end);
  }
  return text;
}

bool is_only_sampled(const Result& first, const std::string& event) {
  return std::any_of(
      first.statistics.events.guarantees.begin(), first.statistics.events.guarantees.end(),
      [&](const Guarantee& one) { return one.level == Assurance::sampled && event.starts_with(one.guard); });
}

/// Least agreement of the second runs with one another; nothing where there is one only.
std::optional<double> digits_among(const std::vector<Differences>& among) {
  std::optional<double> least;
  for (const Differences& one : among)
    for (const Agreement& variable : one.variables) least = std::min(least.value_or(16), variable.digits);
  return least;
}

/// Agreement of the two second runs that are nearest to one another; nothing where there is one only.
std::optional<double> digits_of_the_nearest(const std::vector<Differences>& among) {
  std::optional<double> most;
  for (const Differences& one : among) {
    double least = 16;
    for (const Agreement& variable : one.variables) least = std::min(least, variable.digits);
    most = std::max(most.value_or(0), least);
  }
  return most;
}

/// Errors follow tolerances, more or less: what is left of them in the second runs says how much less. An error is not
/// explained where it is so many tolerances, and so many times what such a run should leave.
struct Unexplained {
  double tolerances, times;
};
constexpr Unexplained large{100, 100}, beyond_promise{1000, 3};

/// How many tolerances the first run is off from the second run that is nearest to it, where that is more than its
/// tolerance explains; else 0. A large error is held against the two runs that agree best; one beyond what a tolerance
/// promises, against all of them.
double unexplained_error(const Options& options, double tightened, const std::vector<Differences>& among,
                         const Verification& v) {
  const auto agreed = digits_among(among), nearest = digits_of_the_nearest(among);
  const double tolerance = options.tolerance.relative;
  if (options.step || !(tolerance > 0) || !agreed) return 0;
  double digits = 0;
  for (const SecondRun& run : v.runs)
    if (!run.variables.empty()) digits = std::max(digits, run.digits);
  const double error = std::pow(10, -digits);
  const auto is_more = [&](const Unexplained& limit, double digits) {
    return error > limit.tolerances * tolerance && error > limit.times * tightened * std::pow(10, -digits);
  };
  return is_more(large, *nearest) || is_more(beyond_promise, *agreed) ? error / tolerance : 0;
}

std::optional<double> first_beyond(const std::vector<Made>& made, double difference, double direction) {
  std::optional<double> t;
  for (const Made& one : made) {
    for (std::size_t k = 0; k < one.differences.t.size(); ++k) {
      if (one.differences.largest[k] <= difference) continue;
      if (!t || direction * (one.differences.t[k] - *t) < 0) t = one.differences.t[k];
      break;
    }
  }
  return t;
}

std::string advice_on(const Options& options, const Result& first, const std::vector<Differences>& among,
                      const Verification& v) {
  if (v.is_chaotic) {
    return fmt::format(
        "end the run before t = {:.4g}, or compare averages instead of states: a tolerance 100 times tighter moves "
        "the parting by {:.2g} only",
        *v.t_parts, std::log(100) / v.growth->rate);
  }
  if (!v.parting_event.empty() && is_only_sampled(first, v.parting_event)) {
    return fmt::format(
        "'{}' is a black box, and between samples nothing is known of it: write it as a generic function (const auto& "
        "at), declare its min_width or rate_bound, or give a maximum step below its shortest excursion",
        v.parting_event);
  }
  const auto agreed = digits_among(among);
  const std::string others = agreed && *agreed >= v.wanted_digits
                                 ? fmt::format(" (the other runs agree with one another to {:.1f} digits)", *agreed)
                                 : std::string();
  if (options.step) return fmt::format("a fixed step below {:g}, or error control{}", *options.step, others);
  const auto parted = std::count_if(v.runs.begin(), v.runs.end(), [](const SecondRun& run) { return run.t_parts; });
  const auto whole = std::count_if(v.runs.begin(), v.runs.end(), [](const SecondRun& run) { return run.is_whole(); });
  if (parted == 1 && whole > 1) {
    const SecondRun& odd = *first_to_part(first, v.runs);
    return fmt::format("only {} differs ({}): look at its messages, or verify with a tighter tolerance", odd.what,
                       odd.how);
  }
  return fmt::format("a relative tolerance of {:.0e} or less{}", std::max(options.tolerance.relative / 100, 1e-14),
                     others);
}

std::string disagreement(const Result& first, const Verification& v, const SecondRun& run) {
  std::string text = fmt::format("disagrees: the runs part at t = {:.4g}", *v.t_parts);
  const auto pair = std::find_if(run.events.begin(), run.events.end(), [&](const EventPair& one) {
    return one.name == run.parting_event && one.t() == *run.t_parts;
  });
  if (pair != run.events.end())
    text += fmt::format(", at event '{}' ({})", pair->name, where_only(*pair, run));
  else if (run.is_whole() && *v.t_parts == (run.outcome == Outcome::terminated ? run.t_end : first.t_end) &&
           run.outcome != first.outcome)
    text += ", where the model ends one of them";
  if (*v.t_parts != first.t_start) text += fmt::format(", before that {:.1f} digits", v.digits);
  if (v.is_chaotic)
    return text + fmt::format("; the motion is chaotic there: differences grow by e^({:.2g} t)", v.growth->rate);
  text += "; not chaotic";
  if (v.growth && !v.growth->is_exponential && v.growth->power > 0 && v.parting_event.empty())
    text += fmt::format(", differences grow like t^{:.1f}", v.growth->power);
  return text;
}

}  // namespace

void find_parting(const Result& first, const Differences& differences, double tolerance, SecondRun& run) {
  const double direction = direction_of(first), span = std::abs(first.t_end - first.t_start);
  const auto part = [&](double t, const std::string& event) {
    if (run.t_parts && direction * (t - *run.t_parts) > 0) return;
    run.t_parts = t;
    run.parting_event = event;
  };
  for (std::size_t k = 0; k < differences.t.size() && !run.t_parts; ++k)
    if (!(differences.largest[k] <= tolerance)) part(differences.t[k], {});
  for (const EventPair& pair : run.events) {
    const bool agrees = pair.is_matched() ? std::abs(pair.difference()) <= tolerance * span : pair.is_excused;
    if (agrees) continue;
    part(pair.t(), pair.name);
    break;
  }
  const bool first_is_whole = first.outcome == Outcome::finished || first.outcome == Outcome::terminated;
  const bool ends_apart = std::abs(run.t_end - first.t_end) > tolerance * span || run.outcome != first.outcome;
  if (!run.t_parts && run.is_whole() && first_is_whole && ends_apart)
    part(direction > 0 ? std::min(run.t_end, first.t_end) : std::max(run.t_end, first.t_end), {});
}

void judge(const Options& options, double tightened, const Result& first, const std::vector<Made>& made,
           const std::vector<Differences>& among, Verification& v) {
  const double direction = direction_of(first);
  const SecondRun* parted = first_to_part(first, v.runs);
  if (parted != nullptr) {
    v.t_parts = parted->t_parts;
    v.parting_event = parted->parting_event;
  }
  double largest = 0;
  for (const Made& one : made) {
    for (std::size_t k = 0; k < one.differences.t.size(); ++k)
      if (!v.t_parts || direction * (one.differences.t[k] - *v.t_parts) < 0)
        largest = std::max(largest, one.differences.largest[k]);
  }
  v.digits = digits_of(largest);

  const auto whole = std::count_if(v.runs.begin(), v.runs.end(), [](const SecondRun& run) { return run.is_whole(); });
  const std::string troubles = troubles_in_words(v.runs);
  if (const double excess = unexplained_error(options, tightened, among, v); parted == nullptr && excess > 0) {
    v.verdict = Verdict::disagrees;
    v.t_parts = first_beyond(made, large.tolerances * options.tolerance.relative, direction);
    v.summary = fmt::format(
        "disagrees: the other runs agree with one another to {:.1f} digits, with the first one to {:.1f}, which its "
        "tolerance does not explain",
        *digits_among(among), v.digits);
    v.advice =
        fmt::format("look at the tolerances and the method of the first run: its error is {:.0e} tolerances", excess);
  } else if (parted != nullptr) {
    v.verdict = Verdict::disagrees;
    look_for_chaos(made, among, v);
    v.summary = disagreement(first, v, *parted) + troubles;
    v.advice = advice_on(options, first, among, v);
  } else if (first.outcome == Outcome::failed || first.outcome == Outcome::stopped) {
    v.verdict = Verdict::unknown;
    v.summary = fmt::format("not verified: the first run {} at t = {:.5g}; {} other{} came to the end{}",
                            first.outcome == Outcome::failed ? "failed" : "was stopped", first.t_end, whole,
                            whole == 1 ? "" : "s", troubles);
    v.advice = "let the first run come to its end; its reason says what to try";
  } else if (whole == 0) {
    v.verdict = Verdict::unknown;
    v.summary = fmt::format("not verified: no second run came to the end{}", troubles);
    v.advice = v.was_stopped ? "let the second runs come to their end" : "see the reasons of the runs";
  } else {
    v.verdict = Verdict::verified;
    v.summary = fmt::format("verified: {} runs agree to {:.1f} digits or better{}{}", whole + 1, v.digits,
                            events_in_words(v.runs), troubles);
  }
}

}  // namespace pawl::verification
