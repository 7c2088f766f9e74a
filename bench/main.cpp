// pawl-bench: what pawl achieves, measured. A suite is run and prints Markdown or JSON rows; pages are written from
// rows.
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "pawl/system.hpp"
#include "pawl/version.hpp"
#include "suites.hpp"

namespace {

constexpr int right = 0, faulty = 1, misused = 2;

nlohmann::ordered_json read_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw pawl::Misuse(fmt::format("cannot read '{}'", path));
  try {
    return nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::json::exception&) {
    throw pawl::Misuse(fmt::format("'{}' has no rows of pawl-bench --json", path));
  }
}

std::string list() {
  std::string text, suite;
  for (const pawl::bench::BenchTable& one : pawl::bench::tables()) {
    text += fmt::format("{:<12} {:<14} {}{}\n", one.suite == suite ? "" : one.suite, one.name, one.what,
                        one.is_published ? " *" : "");
    suite = one.suite;
  }
  return text + "* a published table: `pawl-bench papers` runs all of them\n";
}

}  // namespace

int main(int count, char** words) {
  CLI::App app{"pawl-bench measures what pawl achieves: accuracy, counts, time; beside published figures and peers.",
               "pawl-bench"};
  app.set_version_flag("--version", fmt::format("pawl-bench {}", pawl::version));
  std::string suite, table = "all";
  std::vector<std::string> pages;
  bool is_json = false, lists = false;
  pawl::bench::Wanted wanted;
  app.add_option("SUITE", suite, "what to run: papers, or a suite of --list");
  app.add_flag("--list", lists, "say which suites and tables there are");
  app.add_option("--table", table, "one table of the suite")->capture_default_str();
  app.add_option("--problem", wanted.problem, "one problem of the catalogue (catalogue, stiff, auto)")
      ->capture_default_str();
  app.add_option("--method", wanted.methods, "methods, separated by commas (catalogue, gauntlet)")->delimiter(',');
  app.add_option("--rtol", wanted.tolerances, "relative tolerances, separated by commas (catalogue)")->delimiter(',');
  app.add_option("--against", wanted.before, "rows of an earlier catalogue run: more right-hand sides are a fault");
  app.add_option("--plots", wanted.plots, "write pictures into this folder (stiff, spheres)");
  app.add_option("--peers", wanted.peers, "folder that bench/build_contact_peers has filled")->capture_default_str();
  app.add_option("--scipy", wanted.scipy, "what bench/scipy_events.py has written")->capture_default_str();
  app.add_option("--page", pages, "print the page of these files of rows instead of running anything");
  app.add_flag("--all", wanted.lists_all, "list every method that was tried (auto)");
  app.add_flag("--quick", wanted.is_quick, "fewer tolerances and repetitions, shorter runs");
  app.add_flag("--json", is_json, "print rows as one JSON object instead of Markdown");
  app.footer(
      "Exit code: 1 where an expectation of a table does not hold, 2 for misuse.\n"
      "Examples:\n"
      "  pawl-bench gauntlet --method dop853,radau\n"
      "  pawl-bench papers\n"
      "  pawl-bench constraints --table 6.4\n"
      "  pawl-bench catalogue --problem squeezer --method auto,radau --rtol 1e-4,1e-8\n"
      "  pawl-bench stiff --quick --json > rows.json; pawl-bench --page rows.json");
  try {
    app.parse(count, words);
    if (lists) {
      fmt::print("{}", list());
      return right;
    }
    for (std::size_t i = 0; i < pages.size(); ++i)
      fmt::print("{}{}", i == 0 ? "" : "\n", pawl::bench::page_of(read_rows(pages[i])));
    if (!pages.empty()) return right;
    if (suite.empty()) throw pawl::Misuse("a suite is needed: pawl-bench --list says which there are");
    pawl::bench::Report report(is_json);
    run_suite(suite, table, report, wanted);
    report.finish();
    return report.faults().empty() ? right : faulty;
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "pawl-bench: {}\n  try: pawl-bench --help\n", error.what());
    return misused;
  } catch (const pawl::Misuse& error) {
    fmt::print(stderr, "pawl-bench: {}\n", error.what());
    return misused;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pawl-bench: {}\n", error.what());
    return faulty;
  }
}
