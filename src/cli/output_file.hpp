// Files that a command is asked to write: trouble with them is better known before a long run than after it.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

/// Throws Misuse where `path` cannot be written or does not end as one of `endings` (".csv", ...); `option` is the word
/// that asked for it. An empty path is none. Names files that killed runs have left beside it.
void check_output_file(const std::string& option, const std::string& path, const std::vector<std::string>& endings);

/// The words of a command as a shell reads them, for files that say how they were made.
std::string command_line(const std::string& command, const std::vector<std::string>& words);

}  // namespace pawl::cli
