// pawl bench gauntlet, events, constraints, stiff, auto: what event finding, staying on a manifold, implicit methods
// and the choice of a method achieve, as Markdown tables.
#include <fmt/format.h>

#include "cli/bench.hpp"
#include "cli/commands.hpp"
#include "integrate/methods.hpp"
#include "problems/gauntlet.hpp"

namespace pawl::cli {

bool bench_gauntlet(const std::string& wanted, bool as_black_boxes, bool lists_cases) {
  const GuardForm form = as_black_boxes ? GuardForm::black_box : GuardForm::generic;
  const std::vector<GauntletCase> cases = gauntlet(form);
  if (lists_cases) {
    for (const GauntletCase& one : cases) fmt::print("{:<40} {}\n", one.name, one.why);
    return true;
  }
  if (wanted != "all") find_method(wanted);
  fmt::print(
      "{} cases, guards as {}. Events that had to be found and were; faults are events missed, false, doubled, out of "
      "order, on the\n"
      "wrong side or too far from their exact time.\n\n"
      "| method | cases | events found / expected | faults | right-hand sides | guard "
      "evaluations |\n"
      "|---|---|---|---|---|---|\n",
      cases.size(), as_black_boxes ? "black boxes" : "generic functions");
  std::vector<std::string> faults;
  for (const Method& method : methods()) {
    if (!method.is_adaptive || (wanted != "all" && method.name != wanted)) continue;
    GauntletReport sum;
    int count = 0;
    for (const GauntletCase& one : cases) {
      if (method.order < one.lowest_order) continue;
      const GauntletReport report = run_case(one, method.name, form);
      ++count;
      sum.expected += report.expected;
      sum.found += report.found;
      sum.rhs += report.rhs;
      sum.guard_evaluations += report.guard_evaluations;
      for (const std::string& fault : report.faults)
        sum.faults.push_back(fmt::format("{}, {}: {}", method.name, one.name, fault));
    }
    fmt::print("| {} | {} | {} / {} | {} | {} | {} |\n", method.name, count, sum.found, sum.expected, sum.faults.size(),
               sum.rhs, sum.guard_evaluations);
    std::fflush(stdout);
    faults.insert(faults.end(), sum.faults.begin(), sum.faults.end());
  }
  for (const std::string& fault : faults) fmt::print("\n- {}", fault);
  if (!as_black_boxes) {
    const RandomReport random = run_random_guards(200, 50, {"dormand-prince-5", "dop853"}, 20261115);
    fmt::print("\n{} random guards with {} zeros: {} found, {} missed, {} false; largest location error {:.1e}.\n",
               random.guards, random.roots, random.found, random.missed, random.wrong, random.location_error);
    return faults.empty() && random.missed == 0 && random.wrong == 0;
  }
  fmt::print("\n");
  return faults.empty();
}

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "bench", "measures what pawl achieves: gauntlet, events, constraints, stiff, auto, spheres or contact");
  command->require_subcommand(1);
  static std::string method = "all";
  static bool as_black_boxes = false, lists_cases = false, with_marbles = false;
  CLI::App* cases =
      command->add_subcommand("gauntlet", "adversarial guards with exactly known events, under every method");
  cases->add_option("--method", method, "one method instead of all adaptive ones")->capture_default_str();
  cases->add_flag("--black-box", as_black_boxes, "the same guards as black boxes");
  cases->add_flag("--list", lists_cases, "say what the cases are instead of running them");
  cases->footer("Exit code 1 if any event was missed, false, doubled or misplaced.");
  cases->callback(
      [&exit_code] { exit_code = bench_gauntlet(method, as_black_boxes, lists_cases) ? finished : failed; });
  CLI::App* tables =
      command->add_subcommand("events", "the tables of Compere and of Mao and Petzold, published and ours");
  tables->add_flag("--marbles", with_marbles, "with the marble jar, which takes a minute");
  tables->callback([] { bench_events(with_marbles); });
  static std::string table = "all";
  static bool is_quick = false, is_json = false;
  CLI::App* constraints = command->add_subcommand(
      "constraints", "the tables of Compere, of Ascher et al. and of Koenders, published and ours; peers; costs");
  constraints->add_option("--table", table, "one of them: " + table_names())->capture_default_str();
  constraints->add_flag("--quick", is_quick, "fewer repetitions and shorter runs");
  constraints->add_flag("--json", is_json, "print one JSON object instead of Markdown");
  constraints->callback([] { bench_constraints(table, is_quick, is_json); });
  static std::string stiff_table = "all", problem = "all", plots;
  CLI::App* stiff = command->add_subcommand(
      "stiff", "implicit methods: work and precision beside CVODE and IDA, sparse systems, restarts, published tables");
  stiff->add_option("--table", stiff_table, "one of them: " + stiff_table_names())->capture_default_str();
  stiff->add_option("--problem", problem, "one problem of the table work")->capture_default_str();
  stiff->add_option("--plots", plots, "write work against error as <problem>.svg into this folder");
  stiff->add_flag("--quick", is_quick, "fewer tolerances, repetitions and shorter runs");
  stiff->add_flag("--json", is_json, "print one JSON object instead of Markdown");
  stiff->callback([] { bench_stiff(stiff_table, problem, plots, is_quick, is_json); });
  CLI::App* spheres = command->add_subcommand("spheres", "many compliant contacts: time per step, rest, energy");
  spheres->add_option("--plots", plots, "write spheres.svg into this folder");
  spheres->add_flag("--quick", is_quick, "fewer spheres");
  spheres->add_flag("--json", is_json, "print one JSON object instead of Markdown");
  spheres->callback([] { bench_spheres(plots, is_quick, is_json); });
  static std::string peers = "build/peers";
  CLI::App* contact = command->add_subcommand(
      "contact", "impact and friction: accuracy and time beside Siconos and MuJoCo; explicit beside implicit methods");
  contact->add_option("--peers", peers, "folder that bench/build_contact_peers has filled")->capture_default_str();
  contact->add_flag("--quick", is_quick, "fewer tolerances and repetitions, no step of 1e-5");
  contact->add_flag("--json", is_json, "print one JSON object instead of Markdown");
  contact->callback([] { bench_contact(peers, is_quick, is_json); });
  static std::string auto_problem = "all";
  static bool lists_all = false;
  CLI::App* choice = command->add_subcommand(
      "auto", "what the choice of auto costs beside the best choice by hand, over the catalogue");
  choice->add_option("--problem", auto_problem, "one problem of the catalogue")->capture_default_str();
  choice->add_flag("--quick", is_quick, "fewer tolerances and repetitions");
  choice->add_flag("--all", lists_all, "list every method that was tried");
  choice->callback([] { bench_auto(auto_problem, is_quick, lists_all); });
  command->footer(
      "Examples:\n  pawl bench auto --quick\n  pawl bench gauntlet --method dop853\n  pawl bench events\n  pawl bench "
      "constraints --table 6.4\n  "
      "pawl bench stiff --table work --problem hires --plots .");
}

}  // namespace pawl::cli
