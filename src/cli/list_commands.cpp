// pawl list, pawl methods, pawl completion: what there is.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "integrate/methods.hpp"
#include "problems/catalogue.hpp"

#include "report/json.hpp"
#include "report/message_page.hpp"
#include "stabilize/stabilizer.hpp"

namespace pawl::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Form {
  bool json = false, names = false, messages = false;
};

Form& add_form(CLI::App& command) {
  static std::map<CLI::App*, Form> forms;
  Form& form = forms[&command];
  command.add_flag("--json", form.json, "one JSON array instead of a table");
  command.add_flag("--names", form.names, "the names alone, one per line");
  return form;
}

void list_problems(const Form& form) {
  Json all = Json::array();
  for (const Problem& problem : catalogue()) {
    const auto& declared = problem.system.declarations();
    if (form.names) {
      fmt::print("{}\n", problem.name());
    } else if (!form.json) {
      fmt::print("{:<18} {:<25} {}  [{}]\n", problem.name(), problem.kind, problem.summary, problem.source);
    }
    Json parameters = Json::object();
    for (std::size_t i = 0; i < declared.parameters.size(); ++i)
      parameters[declared.parameter_names[i]] = declared.parameters[i];
    all.push_back({{"name", problem.name()},
                   {"summary", problem.summary},
                   {"class", problem.kind},
                   {"source", problem.source},
                   {"start", problem.start},
                   {"end", problem.end},
                   {"states", declared.state_names},
                   {"parameters", parameters},
                   {"observables", declared.observable_names},
                   {"reference", problem.known_by}});
  }
  if (form.json && !form.names) fmt::print("{}", print(all));
}

void list_methods(const Form& form) {
  Json all = Json::array();
  if (!form.names && !form.json)
    fmt::print("{:<28} {:>5} {:>6} {:>6}  {:<8}  {}\n", "name", "order", "dense", "stages", "steps", "title; source");
  for (const Method& method : methods()) {
    const char* steps = method.is_adaptive ? "adaptive" : "fixed";
    if (form.names) {
      fmt::print("{}\n", method.name);
    } else if (!form.json) {
      fmt::print("{:<28} {:>5} {:>6} {:>6}  {:<8}  {}; {}\n", method.name, method.order, method.dense_order,
                 method.stages, steps, method.title, method.source);
    }
    all.push_back({{"name", method.name},
                   {"title", method.title},
                   {"family", std::string(to_string(method.family))},
                   {"order", method.order},
                   {"dense_order", method.dense_order},
                   {"stages", method.stages},
                   {"adaptive", method.is_adaptive},
                   {"source", method.source}});
  }
  if (form.json && !form.names) fmt::print("{}", print(all));
  if (!form.names && !form.json) {
    fmt::print(
        "\nThe dense output of a step has error O(h^(dense + 1)). `fixed` needs --step; `adaptive` takes it too.\n"
        "`--method auto` chooses and says what and why; `pawl advise NAME` says more (docs/advice.md).\n");
    fmt::print("\nConstraints (docs/constraints.md), --formulation:\n");
    for (const auto& [name, summary, source] : formulate::formulations())
      fmt::print("  {:<20} {}  [{}]\n", name, summary, source);
    fmt::print("and --stabilization:\n");
    for (const auto& [name, summary, source] : stabilize::stabilizations())
      fmt::print("  {:<20} {}  [{}]\n", name, summary, source);
  }
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "the catalogue of models, with class and source");
  command->footer("Examples:\n  pawl list\n  pawl list --json\n  pawl list --messages");
  Form& form = add_form(*command);
  command->add_flag("--messages", form.messages, "what runs can say instead: every message, why, and what to do");
  command->callback([&form] { form.messages ? fmt::print("{}", message_page()) : list_problems(form); });
}

void add_methods(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "the integration methods, with orders and sources");
  command->footer("Examples:\n  pawl methods\n  pawl methods --names");
  const Form& form = add_form(*command);
  command->callback([&form] { list_methods(form); });
}

void add_completion(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "prints the completion script for bash");
  command->footer("Example:\n  pawl completion > ~/.local/share/bash-completion/completions/pawl");
  command->callback([] { fmt::print("{}", completion_script); });
}

}  // namespace pawl::cli
