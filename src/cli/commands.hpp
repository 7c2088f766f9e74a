// The subcommands of pawl. Each adds its words to the parser and says what to do when they are used.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace pawl::cli {

/// Exit codes of the command.
inline constexpr int finished = 0, failed = 1, misused = 2;

/// given: the words behind "run", as they were typed.
void add_run(CLI::App& app, std::vector<std::string> given, int& exit_code);
/// team: of pawl-mpi; null: alone, and where mpirun has started this, pawl-mpi takes over.
class Team;
void add_sweep(CLI::App& app, std::vector<std::string> given, int& exit_code, Team* team = nullptr);
void add_compare(CLI::App& app, const std::vector<std::string>& given);
void add_advise(CLI::App& app);
void add_list(CLI::App& app);
void add_methods(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace pawl::cli
