#include "cli/bench_stiff.hpp"

#include <fmt/format.h>

#include "cli/bench.hpp"
#include "cli/stiff_peers.hpp"

namespace pawl::cli {

const std::vector<StiffTable>& stiff_tables() {
  static const std::vector<StiffTable> list{
      {"work", "work and precision of every stiff method, beside CVODE and IDA", bench_work},
      {"sparse", "large sparse systems", bench_sparse},
      {"restart", "what a restart after an event costs", bench_restart},
      {"papers", "published tables and ours", bench_papers},
      {"formulations", "constraints with implicit methods, by formulation", bench_formulations},
  };
  return list;
}

std::string stiff_table_names() {
  std::string names;
  for (const StiffTable& one : stiff_tables()) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

void bench_stiff(const std::string& wanted, const std::string& problem, const std::string& plots, bool is_quick,
                 bool is_json) {
  TableReport report(is_json);
  const StiffOptions options{report, problem, is_quick, plots};
  bool has_run = false;
  for (const StiffTable& one : stiff_tables()) {
    if (wanted != "all" && wanted != one.name) continue;
    one.print(options);
    has_run = true;
  }
  if (!has_run) throw Misuse(fmt::format("unknown table '{}': there are all, {}", wanted, stiff_table_names()));
  report.finish();
}

TimedRun time_run(const System& system, const Values& values, Options options, double seconds, double longest) {
  options.keep = Keep::end;
  TimedRun out;
  double began = 0;
  long long steps = 0;  // the clock is not read in every one of them
  options.progress = [&](const Progress&) { return ++steps % 64 != 0 || processor_seconds() - began < longest; };
  for (double spent = 0; out.seconds == 0 || spent < seconds;) {
    began = processor_seconds();
    Result run = simulate(system, values, options);
    const double now = processor_seconds() - began;
    spent += now;
    if (out.seconds == 0 || now < out.seconds) {
      out.seconds = now;
      out.run = std::move(run);
    }
    if (out.run.finished()) continue;
    out.was_cut = out.run.outcome == Outcome::stopped;
    break;
  }
  return out;
}

double set_up_seconds(const System& system, const Values& values, Options options) {
  options.end = options.start;
  return time_run(system, values, options, 2e-3).seconds;
}

bool peers_are_optimized() {
  return PAWL_HAS_OPTIMIZED_SUNDIALS != 0;
}

std::string peers_note() {
  return peers_are_optimized()
             ? "CVODE and IDA: SUNDIALS 6.4.1 built with -O3 from Debian's source package."
             : "CVODE and IDA are the packaged library, which is compiled without optimization: ratios "
               "to it prove nothing (`make bench` builds an optimized one).";
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  for (char& c : line) {
    if (c == '|') c = '/';
  }
  return line;
}

std::string milliseconds(double seconds) {
  const double ms = 1e3 * seconds;
  return fmt::format("{:.{}f}", ms, ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

}  // namespace pawl::cli
