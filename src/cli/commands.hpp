// The subcommands of pawl. Each adds its words to the parser and says what to do when they are used.
#pragma once

#include <CLI/CLI.hpp>

namespace pawl::cli {

/// Exit codes of the command.
inline constexpr int finished = 0, failed = 1, misused = 2;

void add_run(CLI::App& app, int& exit_code);
void add_advise(CLI::App& app);
void add_list(CLI::App& app);
void add_methods(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace pawl::cli
