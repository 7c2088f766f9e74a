// Problem x method x tolerance: what a run of the catalogue costs and achieves, one row each.
#include "problems/catalogue.hpp"

#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "stiff.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr double most_growth = 1.02;  // of right-hand sides, against an earlier run

std::string key_of(const std::string& problem, const std::string& method, const std::string& tolerance) {
  return problem + " " + method + " " + tolerance;
}

/// Right-hand sides by problem, method and tolerance.
std::map<std::string, double> read_counts(const std::string& path) {
  std::map<std::string, double> counts;
  if (path.empty()) return counts;
  std::ifstream file(path);
  if (!file) throw Misuse(fmt::format("cannot read '{}'", path));
  const nlohmann::ordered_json all = nlohmann::ordered_json::parse(file);
  for (const auto& table : all.at("tables")) {
    if (table.value("table", "") != "catalogue") continue;
    for (const auto& cells : table.at("cells"))
      counts[key_of(cells.at(0), cells.at(1), cells.at(2))] = std::stod(cells.at(8).get<std::string>());
  }
  return counts;
}

double largest_drift(const Statistics& s) {
  const ConstraintStatistics& c = *s.constraints;
  return std::max({c.position_drift, c.velocity_drift, c.invariant_drift});
}

}  // namespace

void bench_catalogue(Report& report, const Wanted& wanted) {
  const std::vector<std::string> methods = wanted.methods.empty() ? std::vector<std::string>{"auto"} : wanted.methods;
  const std::vector<double> tolerances = wanted.tolerances.empty() ? std::vector{1e-6} : wanted.tolerances;
  const std::map<std::string, double> before = read_counts(wanted.before);
  report.begin("catalogue", "Runs of the catalogue",
               "Every problem to its own end time. Events: that fired. Right-hand sides: every one; duals: with dual "
               "numbers, for Jacobians. Error: of the final state against the reference, where there is one. Drift: "
               "largest of constraints and invariants. Before: right-hand sides over those of the earlier run.",
               {"problem", "method", "tolerance", "as it ran", "outcome", "events", "steps", "rejected", "rhs", "duals",
                "Jacobians", "factorizations", "error", "drift", "ms", "before"});
  bool is_known = wanted.problem == "all";
  for (const Problem& problem : catalogue()) {
    if (wanted.problem != "all" && wanted.problem != problem.name()) continue;
    is_known = true;
    for (const std::string& method : methods) {
      for (const double tolerance : tolerances) {
        const Options options{.start = problem.start, .end = problem.end, .tolerance = tolerance, .method = method};
        const Values values(problem.system);
        std::vector<std::string> cells{problem.name(), method, fmt::format("{:g}", tolerance)};
        TimedRun timed;
        try {
          timed = time_run(problem.system, values, options, wanted.is_quick ? 0 : 0.02);
        } catch (const Misuse& misuse) {
          cells.insert(cells.end(), {"-", "refused: " + first_line(misuse.what())});
          cells.resize(16, "-");
          report.row(cells);
          continue;
        }
        const Statistics& s = timed.run.statistics;
        const auto error = error_against_reference(problem, values, timed.run.t_end, timed.run.final().states());
        const auto earlier = before.find(key_of(cells[0], cells[1], cells[2]));
        const double growth = earlier == before.end() ? std::nan("") : static_cast<double>(s.rhs) / earlier->second;
        cells.insert(
            cells.end(),
            {timed.run.method, timed.was_cut ? "cut" : std::string(to_string(timed.run.outcome)),
             fmt::format("{}", s.events.events), fmt::format("{}", s.steps_accepted),
             fmt::format("{}", s.steps_rejected), fmt::format("{}", s.rhs),
             s.implicit ? fmt::format("{}", s.implicit->dual_rhs) : "-",
             s.implicit ? fmt::format("{}", s.implicit->jacobians) : "-",
             s.implicit ? fmt::format("{}", s.implicit->factorizations) : "-",
             error ? fmt::format("{:.2e}", *error) : "-", s.constraints ? fmt::format("{:.0e}", largest_drift(s)) : "-",
             milliseconds(timed.seconds), std::isnan(growth) ? "-" : fmt::format("{:.3f}", growth)});
        report.row(cells);
        if (!std::isnan(growth))
          report.expect(growth <= most_growth, fmt::format("{}, {}, {}: {} right-hand sides, {:.3f} times those before",
                                                           cells[0], method, cells[2], s.rhs, growth));
      }
    }
  }
  if (!is_known) find_problem(wanted.problem);  // says what there is
}

}  // namespace pawl::bench
