// pawl compare: runs that were written to files, over each other.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "pawl/system.hpp"
#include "report/comparison_report.hpp"
#include "report/whole_file.hpp"

namespace pawl::cli {

namespace {

struct CompareWords {
  std::vector<std::string> files;
  std::string report;
};

void compare(const CompareWords& words, const std::string& command) {
  if (words.files.size() < 2) throw Misuse("compare wants two files or more, of pawl run NAME --out FILE.json");
  check_output_file("--report", words.report, {".html"});
  std::vector<StoredRun> runs;
  for (const std::string& path : words.files) runs.push_back(read_run(path));
  const std::vector<ColumnDifference> differences = pawl::compare(runs);
  if (differences.empty()) throw Misuse("these runs have no column in common");
  fmt::print("largest differences from {}\n", runs.front().name);
  for (const ColumnDifference& one : differences)
    fmt::print("  {:<20} {:<24} {}\n", one.column, one.run, in_words(one));
  if (!have_equal_times(runs)) fmt::print("\n{}\n", between_samples);
  if (const std::string jumps = jumps_in_words(runs); !jumps.empty()) fmt::print("\n{}\n", jumps);
  if (words.report.empty()) return;
  write_whole_file(words.report, comparison_to_html(runs, command));
  fmt::print("\nwrote {}\n", words.report);
}

}  // namespace

void add_compare(CLI::App& app, const std::vector<std::string>& given) {
  CLI::App* command = app.add_subcommand("compare", "compares runs that were written with --out FILE.json");
  static CompareWords words;
  static const std::string line = command_line("compare", given);
  command->add_option("FILES", words.files, "two files or more; the first is what the others are compared with")
      ->required();
  command->add_option("--report", words.report, "write one HTML file that shows them over each other (docs/report.md)");
  command->footer(
      "Examples:\n"
      "  pawl run kepler --rtol 1e-6 --samples 1000 --out a.json\n"
      "  pawl run kepler --rtol 1e-9 --samples 1000 --out b.json\n"
      "  pawl compare b.json a.json --report kepler.html");
  command->callback([] { compare(words, line); });
}

}  // namespace pawl::cli
