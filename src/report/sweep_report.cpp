#include "report/sweep_report.hpp"

#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "report/page.hpp"
#include "report/sweep_files.hpp"

namespace pawl {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_reasons = 1000;

bool is_without_values(RunState state) {
  return state != RunState::missing && !has_values(state);
}

/// [heading, [column heads], [[cells], ...]]
Json statistics_of(const Sweep& sweep) {
  Json rows = Json::array();
  for (const std::string& name : sweep.columns()) {
    const Summary s = summarize(sweep, name);
    const auto text = [](double value) { return fmt::format("{:.6g}", value); };
    rows.push_back({name, text(s.mean), text(s.deviation), text(s.quantiles[0]), text(s.quantiles[2]),
                    text(s.quantiles[4]), fmt::format("{:.6g} ({})", s.min, s.min_run),
                    fmt::format("{:.6g} ({})", s.max, s.max_run)});
  }
  return {"Statistics",
          {"", "mean", "deviation", "5 %", "median", "95 %", "least (run)", "greatest (run)"},
          std::move(rows)};
}

Json indices_of(const Sweep& sweep) {
  Json rows = Json::array();
  for (const std::string& name : sweep.columns()) {
    for (const SobolIndex& index : sobol_indices(sweep, name))
      rows.push_back({name, index.parameter, fmt::format("{:.4f}", index.first), fmt::format("{:.4f}", index.total)});
  }
  return {"Sobol indices", {"", "parameter", "first order", "total"}, std::move(rows)};
}

/// The runs that the page has, in order.
std::vector<long long> reported_runs(const Sweep& sweep) {
  const long long stride = (sweep.size() + most_reported_runs - 1) / most_reported_runs;
  std::vector<long long> runs;
  std::size_t reasons = 0;
  for (long long run = 0; run < sweep.size(); ++run) {
    const RunState state = sweep.state(run);
    if (state == RunState::missing) continue;
    const bool is_listed = is_without_values(state) && reasons++ < most_reasons;
    if (run % stride == 0 || is_listed) runs.push_back(run);
  }
  return runs;
}

std::string counts_of(const Sweep& sweep) {
  return fmt::format("{} runs: {} with values, {} without, {} not yet made", sweep.size(),
                     sweep.done() - sweep.failed(), sweep.failed(), sweep.size() - sweep.done());
}

}  // namespace

std::string sweep_to_html(const Sweep& sweep) {
  const std::vector<long long> runs = reported_runs(sweep);
  Packing packing;
  Json head{{"title", sweep.model()},   {"counts", counts_of(sweep)},  {"command", sweep.command_of_all()},
            {"remarks", Json::array()}, {"parameters", Json::array()}, {"columns", Json::array()}};
  if (sweep.size() > most_reported_runs)
    head["remarks"].push_back(
        fmt::format("{} of {} runs are shown, at equal distances in their numbers.", runs.size(), sweep.size()));
  const std::vector<std::string>& parameters = sweep.parameters();
  std::vector<std::vector<double>> varied(parameters.size());
  std::vector<std::vector<float>> kept(sweep.columns().size());
  std::vector<std::int32_t> numbers;
  std::vector<std::uint8_t> outcomes;
  Json reasons = Json::array();
  for (const long long run : runs) {
    const std::vector<double> values = sweep.parameters(run);
    for (std::size_t i = 0; i < values.size(); ++i) varied[i].push_back(values[i]);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i].push_back(static_cast<float>(sweep.values(run)[i]));
    numbers.push_back(static_cast<std::int32_t>(run));
    outcomes.push_back(static_cast<std::uint8_t>(sweep.state(run)));
    if (is_without_values(sweep.state(run)) && reasons.size() < most_reasons)
      reasons.push_back({run, sweep.reason(run)});
  }
  for (std::size_t i = 0; i < varied.size(); ++i)
    head["parameters"].push_back({{"name", parameters[i]}, {"values", packing.add(varied[i])}});
  for (std::size_t i = 0; i < kept.size(); ++i)
    head["columns"].push_back({{"name", sweep.columns()[i]}, {"values", packing.add(kept[i])}});
  head["runs"] = packing.add(numbers);
  head["outcomes"] = packing.add(outcomes);
  head["words"] = Json::array();
  for (int state = 0; state <= static_cast<int>(RunState::gave_up); ++state)
    head["words"].push_back(to_string(static_cast<RunState>(state)));
  head["reasons"] = std::move(reasons);
  head["facts"] = Json::array({statistics_of(sweep)});
  if (sweep.design().for_indices) head["facts"].push_back(indices_of(sweep));
  return sweep_page_with(head, packing);
}

}  // namespace pawl
