#include "cli/pawl_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/system.hpp"
#include "pawl/version.hpp"

namespace pawl::cli {

namespace {

/// "; did you mean ...?" for the first word that is neither a subcommand nor an option of the one in use.
std::string suggestion(CLI::App& app, int count, char** words) {
  std::vector<std::string> commands, options;
  CLI::App* used = &app;
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    if (count > 1 && command->get_name() == words[1]) used = command;
  }
  if (used == &app && count > 1 && words[1][0] != '-') return did_you_mean(words[1], commands);
  for (const CLI::Option* option : used->get_options()) options.push_back(option->get_name());
  for (int i = 1; i < count; ++i) {
    const std::string word = std::string(words[i]).substr(0, std::string(words[i]).find('='));
    const bool is_unknown = word.starts_with("--") && std::find(options.begin(), options.end(), word) == options.end();
    if (is_unknown) return did_you_mean(word, options);
  }
  return {};
}

}  // namespace

int pawl_command(int count, char** words) {
  int exit_code = finished;
  CLI::App app{
      "pawl simulates stiff, discontinuous, high-index models. Events are proved, constraints are kept, stiffness is "
      "met as it comes.",
      "pawl"};
  app.set_version_flag("--version", fmt::format("pawl {}", version));
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "what this command does, with examples");
  app.footer(
      "Examples:\n"
      "  pawl list                                  what can be run\n"
      "  pawl run lorenz --plot x,z                 run a model and draw it\n"
      "  pawl run kepler --set e=0.9 --rtol 1e-10   another parameter, a tighter tolerance\n"
      "  pawl run pleiades --out stars.csv          the trajectory as a file\n"
      "  pawl sweep lorenz --vary rho=0:30:61        many runs, on all cores\n"
      "  pawl advise gear-wheels                    what a model consists of, and what to run it with\n"
      "Each command has its own --help.");
  const std::vector<std::string> given(words + std::min(count, 2), words + count);
  add_run(app, given, exit_code);
  add_sweep(app, given, exit_code);
  add_compare(app, given);
  add_advise(app);
  add_list(app);
  add_methods(app);
  add_completion(app);
  try {
    if (count == 1) {
      fmt::print("{}", app.help());
      return misused;
    }
    if (std::string_view(words[1]) == "bench") {
      throw Misuse(
          "benchmarks are a program of their own, pawl-bench, which is built in the source folder\n"
          "  try: make gauntlet, make papers or make bench there");
    }
    app.parse(count, words);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    const std::string hint = suggestion(app, count, words);
    const bool is_unknown_command = words[1][0] != '-' && app.get_subcommands().empty();
    const std::string what = is_unknown_command ? fmt::format("unknown command '{}'", words[1]) : error.what();
    fmt::print(stderr, "pawl: {}{}\n  try: pawl --help\n", what, hint);
    return misused;
  } catch (const Misuse& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return misused;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return failed;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "pawl: cannot write the output: {}\n", std::strerror(errno));
    return failed;
  }
  return exit_code;
}

}  // namespace pawl::cli
