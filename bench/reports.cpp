// How large reports and files of samples of runs are, and how long they take to write (docs/report.md).
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pawl/pawl.hpp"
#include "pawl/report.hpp"
#include "problems/catalogue.hpp"
#include "report.hpp"
#include "report/csv.hpp"
#include "report/hdf5.hpp"
#include "report/json.hpp"
#include "report/mat.hpp"
#include "report/whole_file.hpp"
#include "report_models.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

double seconds_of(const std::function<void()>& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void bench_files(Report& report) {
  constexpr int samples = 20000;
  report.begin(
      "files", "Files of samples",
      "All states, observables and multipliers of the chain of ten rods, at 20 001 instants. The table is what "
      "all files are written from; every other row is without it.",
      {"file", "columns", "MB", "seconds", "allowed"});
  const Problem& chain = find_problem("chain");
  const Result run = simulate(chain.system, {.end = chain.end, .samples = samples});
  Table table;
  const double reading = seconds_of([&] { table = run.table_of_samples(run.quantity_names()); });
  const std::string columns = fmt::format("{}", table.columns());
  report.row({"the table", columns, "-", fmt::format("{:.2f}", reading), "-"});
  const auto add = [&](const std::string& ending, const std::string& allowed,
                       const std::function<void(const std::string& path)>& write) {
    const std::string path = (std::filesystem::temp_directory_path() / ("pawl-bench-samples" + ending)).string();
    const double seconds = seconds_of([&] { write(path); });
    const auto size = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::filesystem::remove(path);
    report.row({ending, columns, fmt::format("{:.1f}", size), fmt::format("{:.2f}", seconds), allowed});
    if (allowed != "-")
      report.expect(reading + seconds <= std::stod(allowed),
                    fmt::format("{} with its table takes at most {} s", ending, allowed));
  };
  add(".json", "0.5", [&](const std::string& path) { write_whole_file(path, print(to_json(run), table)); });
  add(".csv", "-", [&](const std::string& path) { write_whole_file(path, to_csv(table)); });
  add(".mat", "-", [&](const std::string& path) { write_mat(table, path); });
  add(".h5", "-", [&](const std::string& path) { write_whole_file(path, to_hdf5(table, {})); });
}

}  // namespace

void bench_reports(Report& report, const Wanted& /*wanted*/) {
  report.begin("reports", "Sizes of reports",
               "One HTML file each, with its script, to 1e-6 of the range of every variable. Written: evaluation of "
               "observables, packing and compression together.",
               {"run", "steps", "states", "events", "MB", "allowed", "written in s"});
  const auto add = [&](const std::string& name, const System& system, const Options& options, double allowed) {
    const Result run = simulate(system, options);
    std::string page;
    const double seconds = seconds_of([&] { page = to_html(run); });
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
  bench_files(report);
}

}  // namespace pawl::bench
