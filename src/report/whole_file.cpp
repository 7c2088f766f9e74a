#include "report/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pawl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".partial";

std::atomic<const char*> unfinished{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);  // handlers of signals read it

[[noreturn]] void fail(const std::string& path, std::string_view why) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path, why));
}
[[noreturn]] void fail(const std::string& path, int error) {
  fail(path, std::strerror(error));
}

/// A new file beside the target. Its name says who writes it; one that is there already was left by a process that had
/// this number before.
struct Beside {
  std::string path;
  int file = -1;

  explicit Beside(const std::string& target) {
    for (int attempt = 1; file < 0 && (attempt == 1 || errno == EEXIST) && attempt < 1000; ++attempt) {
      path = attempt == 1 ? fmt::format("{}.{}{}", target, ::getpid(), ending)
                          : fmt::format("{}.{}-{}{}", target, ::getpid(), attempt, ending);
      file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
  }
};

/// Whether the process that began this file has gone; `middle` is what its name has between target and ending.
bool is_abandoned(std::string_view middle) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(middle.data(), middle.data() + middle.size(), process);
  if (error != std::errc() || process <= 0) return false;
  const std::string_view rest(end, static_cast<std::size_t>(middle.data() + middle.size() - end));
  const bool has_count = rest.size() > 1 && rest[0] == '-' &&
                         std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!rest.empty() && !has_count) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

}  // namespace

std::string target_of(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code ignored;
  fs::path target(path);
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, ignored)); ++links) {
    if (links == most_links) fail(path, ELOOP);
    const fs::path next = fs::read_symlink(target, ignored);
    target = target.parent_path() / next;  // an absolute one replaces the folder
  }
  return target.string();
}

bool is_read_only(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || ::access(path.c_str(), W_OK) != 0;
}

std::vector<std::string> files_left_behind(const std::string& path) {
  std::vector<std::string> found;
  const fs::path target(target_of(path));
  const std::string beginning = target.filename().string() + ".";
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code ignored;
  for (auto it = fs::directory_iterator(folder, ignored); it != fs::directory_iterator(); it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(beginning) || !name.ends_with(ending)) continue;
    if (name.size() <= beginning.size() + ending.size()) continue;
    const std::string_view middle(name.data() + beginning.size(), name.size() - beginning.size() - ending.size());
    if (is_abandoned(middle)) found.push_back((target.parent_path() / name).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void remove_unfinished_file() noexcept {
  if (const char* path = unfinished.load()) ::unlink(path);
}

WholeFile::WholeFile(const std::string& path) : path_(path), target_(target_of(path)) {
  struct stat old {
  }, found{};
  const bool is_there = ::stat(path.c_str(), &old) == 0;
  if (is_there && S_ISDIR(old.st_mode)) fail(path, EISDIR);
  if (is_there && is_read_only(path)) fail(path, "this file is read-only");
  // Links in /proc and /dev/fd lead to open files, whatever their text says.
  const bool is_found =
      ::stat(target_.c_str(), &found) == 0 && found.st_dev == old.st_dev && found.st_ino == old.st_ino;
  is_direct_ = is_there && (!S_ISREG(old.st_mode) || !is_found);
  if (is_direct_) {
    place_ = path;
    file_ = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file_ < 0) fail(path, errno);
    return;
  }
  Beside beside(target_);
  if (beside.file < 0) fail(path, errno);
  place_ = std::move(beside.path);
  file_ = beside.file;
  unfinished = place_.c_str();
  if (is_there) static_cast<void>(::fchmod(file_, old.st_mode & 0777));  // of another owner: ours will do
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (is_direct_) return;
  ::unlink(place_.c_str());
  unfinished = nullptr;
}

void WholeFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail(path_, errno);
  }
}

void WholeFile::finish() {
  int error = ::close(std::exchange(file_, -1)) != 0 ? errno : 0;
  if (!is_direct_) {
    if (error == 0 && ::rename(place_.c_str(), target_.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(place_.c_str());
    unfinished = nullptr;
  }
  if (error != 0) fail(path_, error);
}

void write_whole_file(const std::string& path, std::string_view text) {
  WholeFile file(path);
  file.append(text);
  file.finish();
}

}  // namespace pawl
