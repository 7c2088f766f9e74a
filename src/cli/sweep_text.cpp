#include "cli/sweep_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::cli {

std::string statistics_in_words(const Sweep& sweep) {
  std::size_t width = 6;
  for (const std::string& name : sweep.columns()) width = std::max(width, name.size());
  std::string text = fmt::format("  {:<{}} {:>12} {:>12} {:>12} {:>12} {:>12}   {:<22} {}\n", "", width, "mean",
                                 "deviation", "5 %", "median", "95 %", "least (run)", "greatest (run)");
  for (const std::string& name : sweep.columns()) {
    const Summary s = summarize(sweep, name);
    text += fmt::format("  {:<{}} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}   {:<22} {}\n", name, width, s.mean,
                        s.deviation, s.quantiles[0], s.quantiles[2], s.quantiles[4],
                        fmt::format("{:.6g} ({})", s.min, s.min_run), fmt::format("{:.6g} ({})", s.max, s.max_run));
    if (s.without > 0)
      text += fmt::format("  {:<{}} {} run{} came to the end without a value of it\n", "", width, s.without,
                          s.without == 1 ? "" : "s");
  }
  if (!sweep.design().for_indices) return text;
  text +=
      "\nSobol indices: the share of the variance that is due to a parameter alone, and with all that it does together "
      "with others\n";
  for (const std::string& name : sweep.columns()) {
    text += fmt::format("  {}\n", name);
    for (const SobolIndex& index : sobol_indices(sweep, name))
      text += fmt::format("    {:<{}} {:>8.4f} {:>8.4f}\n", index.parameter, width, index.first, index.total);
  }
  return text;
}

std::string counts_in_words(const Sweep& sweep) {
  std::string text = fmt::format("{} run{}:", sweep.size(), sweep.size() == 1 ? "" : "s");
  bool is_first = true;
  for (const RunState state : {RunState::finished, RunState::terminated, RunState::failed, RunState::threw,
                               RunState::gave_up, RunState::missing}) {
    const long long count = sweep.count(state);
    if (count == 0) continue;
    text += fmt::format("{} {} {}", is_first ? "" : ",", count, to_string(state));
    is_first = false;
  }
  return text;
}

std::string failures_in_words(const Sweep& sweep) {
  std::string text;
  for (long long run = 0; run < sweep.size(); ++run) {
    const RunState state = sweep.state(run);
    if (state == RunState::missing || has_values(state)) continue;
    text += fmt::format("run {} {}: {}\n  {}\n", run, to_string(state), sweep.reason(run), sweep.command(run));
  }
  return text;
}

}  // namespace pawl::cli
