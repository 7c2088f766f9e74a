// A verification for people.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pawl/verify.hpp"

namespace pawl {

namespace {

std::string count(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string run_in_words(const SecondRun& run) {
  if (!run.has_run) return fmt::format("{}: not run: {}", run.how, run.reason);
  std::string text = fmt::format("{}: ", run.how);
  if (!run.is_whole()) text += fmt::format("{} at t = {:.6g}; ", to_string(run.outcome), run.t_end);
  if (run.variables.empty())
    text += "nothing to compare";
  else
    text += fmt::format("{:.1f} digits, {:.1f} at the end", run.digits, run.digits_at_end);
  if (run.t_parts) text += fmt::format(", parts at t = {:.6g}", *run.t_parts);
  if (run.matched + run.missing + run.extra > 0) {
    text += fmt::format("; events: {} matched", run.matched);
    if (run.matched > 0) text += fmt::format(" to {:.1e}", run.largest_time_difference);
    if (run.missing > 0) text += fmt::format(", {} missing", run.missing);
    if (run.extra > 0) text += fmt::format(", {} extra", run.extra);
  }
  return text;
}

/// The variables that agree least, over all runs.
std::string least_agreeing(const Verification& v) {
  std::vector<Agreement> worst;
  for (const SecondRun& run : v.runs) {
    if (worst.empty()) worst = run.variables;
    for (std::size_t i = 0; i < run.variables.size(); ++i)
      if (run.variables[i].digits < worst[i].digits) worst[i] = run.variables[i];
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const Agreement& a, const Agreement& b) { return a.digits < b.digits; });
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(worst.size(), most); ++i)
    text += fmt::format("{}{} {:.1f} (t = {:.4g})", i == 0 ? "" : ", ", worst[i].variable, worst[i].digits,
                        worst[i].t_worst);
  if (worst.size() > most) text += fmt::format(", and {} more", worst.size() - most);
  return text;
}

struct Row {
  double t;
  std::string name, kind;
  bool is_in_first;
  std::vector<std::string> cells;  // per run
  bool is_bad = false;
};

std::vector<Row> event_rows(const Verification& v, double direction) {
  std::vector<Row> rows;
  for (std::size_t r = 0; r < v.runs.size(); ++r) {
    std::vector<bool> taken(rows.size(), false);
    std::size_t from = 0;  // rows and pairs are both in the order of time
    for (const EventPair& pair : v.runs[r].events) {
      std::size_t k = rows.size();
      if (pair.t_first) {
        while (from < taken.size() && direction * (rows[from].t - *pair.t_first) < 0) ++from;
        for (std::size_t j = from; j < taken.size() && rows[j].t == *pair.t_first; ++j) {
          if (!taken[j] && rows[j].is_in_first && rows[j].name == pair.name) {
            k = j;
            break;
          }
        }
      }
      if (k == rows.size()) {
        rows.push_back({pair.t(), pair.name, pair.kind, pair.t_first.has_value(),
                        std::vector<std::string>(v.runs.size(), pair.t_first ? "not reached" : ""), false});
      } else {
        taken[k] = true;
      }
      rows[k].cells[r] = pair.is_matched() ? fmt::format("{:+.1e}", pair.difference())
                         : pair.t_first    ? (pair.is_excused ? "missing (excused)" : "missing")
                                           : fmt::format("{:.10g}", pair.t());
      rows[k].is_bad |= !pair.is_matched() && !pair.is_excused;
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [direction](const Row& a, const Row& b) { return direction * (a.t - b.t) < 0; });
  }
  return rows;
}

std::string event_table(const Verification& v, double direction, bool all) {
  const std::vector<Row> rows = event_rows(v, direction);
  if (rows.empty()) return {};
  constexpr std::size_t most = 12, context = 4;
  std::size_t from = 0, to = rows.size();
  if (!all && rows.size() > most) {
    const auto bad = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.is_bad; }) - rows.begin());
    if (bad < rows.size() && bad > context) from = std::min(bad - context, rows.size() - most);
    to = from + most;
  }
  std::string text = fmt::format("\n  {:>18}", "first run");
  for (const SecondRun& run : v.runs)
    if (run.has_run) text += fmt::format("  {:>17}", run.what);
  text += "  event\n";
  if (from > 0) text += fmt::format("  ... {} before\n", count(from, "event"));
  for (std::size_t k = from; k < to; ++k) {
    const Row& row = rows[k];
    text += fmt::format("  {:>18}", row.is_in_first ? fmt::format("{:.12g}", row.t) : "-");
    for (std::size_t r = 0; r < v.runs.size(); ++r) {
      if (!v.runs[r].has_run) continue;
      text += fmt::format("  {:>17}", row.cells[r]);
    }
    text += fmt::format("  {} ({})\n", row.name, row.kind);
  }
  if (to < rows.size()) text += fmt::format("  ... and {} more\n", rows.size() - to);
  return text;
}

}  // namespace

std::string describe(const Verification& v, const Result& first, bool all_events) {
  std::string text = v.summary + "\n";
  const auto line = [&text](std::string_view label, const std::string& words) {
    text += fmt::format("  {:<18} {}\n", label, words);
  };
  if (!v.advice.empty()) line("try", v.advice);
  for (const SecondRun& run : v.runs) {
    line(run.what, run_in_words(run));
    if (run.has_run && !run.why.empty()) line("", run.why);
    if (run.has_run && !run.reason.empty()) line("", run.reason);
  }
  if (const std::string least = least_agreeing(v); !least.empty()) line("digits", least);
  for (std::size_t i = 0; i < first.observable_names().size(); ++i) {
    const auto range_in_words = [](const Range& range) {
      return fmt::format("{:.10g} to {:.10g}, variation {:.2e}", range.min, range.max, range.variation());
    };
    line(first.observable_names()[i], range_in_words(first.range(Observable{static_cast<int>(i)})));
    for (const SecondRun& run : v.runs)
      if (run.has_run) line("", fmt::format("{} ({})", range_in_words(run.observables[i].other), run.what));
  }
  for (const SecondRun& run : v.runs) {
    if (!run.statistics.constraints) continue;
    const ConstraintStatistics& c = *run.statistics.constraints;
    line("manifold", fmt::format("{}, {}: drift {:.1e} (positions) {:.1e} (speeds) ({})", c.formulation,
                                 c.stabilization, c.position_drift, c.velocity_drift, run.what));
  }
  line("cost", fmt::format("{} right-hand sides in {:.3g} ms, beside {} in {:.3g} ms", v.rhs, 1e3 * v.wall_seconds,
                           first.statistics.rhs, 1e3 * first.statistics.wall_seconds));
  return text + event_table(v, first.t_end < first.t_start ? -1 : 1, all_events);
}

}  // namespace pawl
