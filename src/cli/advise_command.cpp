// pawl advise: what a model of the catalogue consists of, and what to integrate it with.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/model_words.hpp"
#include "pawl/advise.hpp"
#include "report/advice_json.hpp"
#include "report/json.hpp"

namespace pawl::cli {

namespace {

struct AdviseWords : ModelWords {
  std::string method = "auto", events = "certified", formulation = "auto", stabilization = "auto";
  std::optional<double> step, start, stop;
  bool json = false;
};

void advise(const AdviseWords& words) {
  const Problem& problem = problem_of(words);
  const Assignments assignments = assignments_of(words);
  const System system = system_of(problem, assignments);
  const Values values = values_of(words, system, assignments);
  Options options{.start = words.start.value_or(problem.start), .end = words.stop.value_or(problem.end)};
  options.tolerance = tolerance_of(words, system);
  options.method = words.method;
  options.step = words.step;
  options.events = words.events;
  options.constraints.formulation = words.formulation;
  options.constraints.stabilization = words.stabilization;
  const analyze::Advice advice = analyze::advise(system, values, options);
  fmt::print("{}", words.json ? print(to_json(advice)) : analyze::to_text(advice));
}

}  // namespace

void add_advise(CLI::App& app) {
  CLI::App* command = app.add_subcommand("advise", "takes a model apart and says what to integrate it with, and why");
  static AdviseWords words;
  command->add_option("NAME", words.model, "the model (pawl list)")->required();
  command->add_option("--rtol,--tolerance", words.rtol, "relative tolerance of the run to be advised on")
      ->capture_default_str();
  command->add_option("--atol", words.atol, "absolute tolerance, for all states or name=V for one; default rtol/1000")
      ->expected(1)
      ->take_all();
  command->add_option("--set", words.set, "name=value of a parameter, constant input or start value; may be repeated")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--input", words.input,
                   "name=file.csv, name=steps:file.csv or name=spline:file.csv: the course of an input, as `pawl run` "
                   "reads it; may be repeated")
      ->expected(1)
      ->take_all();
  command->add_option("--start", words.start, "the time to start at; default: the model's own");
  command->add_option("--stop", words.stop, "the time to stop at; default: the model's own");
  command->add_option("--method", words.method, "a method you have chosen; auto: it is advised on")
      ->capture_default_str();
  command->add_option("--step", words.step, "a fixed step size you have chosen");
  command->add_option("--events", words.events, "the event finder you have chosen")->capture_default_str();
  command->add_option("--formulation", words.formulation, "a formulation you have chosen")->capture_default_str();
  command->add_option("--stabilization", words.stabilization, "a stabilization you have chosen")->capture_default_str();
  command->add_flag("--json", words.json, "print one JSON object (docs/advice.md) instead of a page");
  command->footer(
      "Eigenvalues are those of the linearized equations, frozen at one instant of each mode that a short pilot run\n"
      "visits. The method advised is what --method auto takes at the start, or what measured stiffness would have.\n"
      "Examples:\n"
      "  pawl advise gear-wheels\n"
      "  pawl advise gear-wheels --set formulation=0 --set Cp=1e-3 --set Rp=100\n"
      "  pawl advise driven-rc --input u=measured.csv\n"
      "  pawl advise robertson --rtol 1e-9 --json");
  command->callback([] { advise(words); });
}

}  // namespace pawl::cli
