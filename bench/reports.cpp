// How large reports of runs are, and how long they take to write (docs/report.md).
#include <chrono>

#include <fmt/format.h>

#include "pawl/pawl.hpp"
#include "pawl/report.hpp"
#include "problems/catalogue.hpp"
#include "report.hpp"
#include "report_models.hpp"
#include "suites.hpp"

namespace pawl::bench {

void bench_reports(Report& report, const Wanted& /*wanted*/) {
  report.begin("reports", "Sizes of reports",
               "One HTML file each, with its script, to 1e-6 of the range of every variable. Written: evaluation of "
               "observables, packing and compression together.",
               {"run", "steps", "states", "events", "MB", "allowed", "written in s"});
  const auto add = [&](const std::string& name, const System& system, const Options& options, double allowed) {
    const Result run = simulate(system, options);
    const auto begin = std::chrono::steady_clock::now();
    const std::string page = to_html(run);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double size = static_cast<double>(page.size()) / 1e6;
    report.row({name, fmt::format("{}", run.statistics.steps_accepted), fmt::format("{}", run.state_names().size()),
                fmt::format("{}", run.events.size()), fmt::format("{:.3f}", size), fmt::format("{:g}", allowed),
                fmt::format("{:.2f}", seconds)});
    report.expect(run.finished(), fmt::format("{} comes to its end: {}", name, run.reason));
    report.expect(size <= allowed, fmt::format("the report of {} has at most {:g} MB", name, allowed));
  };
  Options options{.end = 369 * 0.05, .method = "dop853", .step = 0.05, .keeps_history = true};
  add("369 steps", pendulums(), options, 0.15);
  options.end = 34253 * 0.05;
  add("34 253 steps", pendulums(), options, 3);
  options = {.end = 33500, .method = "dop853", .step = 0.0335, .keeps_history = true};
  add("1e6 steps and 1e4 events", counted(), options, 40);
}

}  // namespace pawl::bench
