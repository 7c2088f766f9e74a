#include "cli/output_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "pawl/system.hpp"
#include "report/whole_file.hpp"

namespace pawl::cli {

namespace {

std::string in_words(const std::vector<std::string>& endings) {
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i)
    text += (i == 0 ? "" : i + 1 < endings.size() ? ", " : " or ") + endings[i];
  return text;
}

}  // namespace

void check_output_file(const std::string& option, const std::string& path, const std::vector<std::string>& endings) {
  if (path.empty()) return;
  std::error_code error;  // of names that cannot exist: the folder check below says it
  const std::filesystem::path file(path);
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status)) throw Misuse(fmt::format("{} {}: this is a folder", option, path));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;  // a pipe or a device
  if (std::find(endings.begin(), endings.end(), file.extension().string()) == endings.end())
    throw Misuse(fmt::format("{} {}: the name must end in {}", option, path, in_words(endings)));
  if (error && error != std::errc::no_such_file_or_directory)
    throw Misuse(fmt::format("{} {}: {}", option, path, error.message()));
  const std::filesystem::path target(target_of(path));
  if (is_read_only(target)) throw Misuse(fmt::format("{} {}: this file is read-only", option, path));
  const auto folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error))
    throw Misuse(fmt::format("{} {}: there is no folder '{}'", option, path, folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw Misuse(fmt::format("{} {}: no permission to write in '{}'", option, path, folder.string()));
  for (const std::string& left : files_left_behind(path))
    fmt::print(stderr, "pawl: note: '{}' was left unfinished by a run that was killed; it can be removed\n", left);
}

std::string command_line(const std::string& command, const std::vector<std::string>& words) {
  std::string line = "pawl " + command;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && word.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                               "0123456789-_=.,:/+") == std::string::npos;
    line += " ";
    if (is_plain) {
      line += word;
      continue;
    }
    line += "'";
    for (const char one : word) line += one == '\'' ? std::string("'\\''") : std::string(1, one);
    line += "'";
  }
  return line;
}

}  // namespace pawl::cli
