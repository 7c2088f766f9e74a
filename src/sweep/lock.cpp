#include "sweep/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace pawl::sweeping {

namespace {

namespace fs = std::filesystem;

std::string machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown machine";
}

std::string read_line(int file) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  std::string line(text.data(), static_cast<std::size_t>(count > 0 ? count : 0));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

[[noreturn]] void refuse(const std::string& folder, const std::string& holder, const fs::path& path, bool is_held) {
  std::string text = fmt::format("'{}' is being filled by {}", folder, holder.empty() ? "another process" : holder);
  if (!is_held) text += fmt::format("\n  if that process is gone, remove '{}'", path.string());
  throw Misuse(text);
}

std::string name_of(Part part) {
  return fmt::format("lock.{}-of-{}", part.number, part.of);
}

struct Holder {
  fs::path path;
  std::string words;
};

std::vector<Holder> all_holders(const std::string& folder) {
  std::vector<Holder> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("lock.")) continue;
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    if (::flock(file, LOCK_SH | LOCK_NB) != 0) all.push_back({entry.path(), read_line(file)});
    ::close(file);
  }
  return all;
}

}  // namespace

std::vector<std::string> holders(const std::string& folder) {
  std::vector<std::string> words;
  for (const Holder& holder : all_holders(folder)) words.push_back(holder.words);
  std::sort(words.begin(), words.end());
  return words;
}

FolderLock::FolderLock(const std::string& folder, Part part) {
  const fs::path own = fs::path(folder) / name_of(part);
  const std::string same_division = fmt::format("-of-{}", part.of);
  for (const Holder& holder : all_holders(folder))
    if (!holder.path.string().ends_with(same_division)) refuse(folder, holder.words, holder.path, true);
  file_ = ::open(own.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw std::runtime_error(fmt::format("cannot write '{}': {}", own.string(), std::strerror(errno)));
  const bool is_held = ::flock(file_, LOCK_EX | LOCK_NB) != 0;
  const std::string holder = read_line(file_), here = fmt::format(" on {},", machine());
  if (is_held || (!holder.empty() && holder.find(here) == std::string::npos)) {
    ::close(file_);
    refuse(folder, holder, own, is_held);
  }
  const std::string text = fmt::format("process {} on {}, part {}/{}, since {:%Y-%m-%d %H:%M:%S} UTC\n", ::getpid(),
                                       machine(), part.number, part.of, fmt::gmtime(std::time(nullptr)));
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::close(file_);
    throw std::runtime_error(fmt::format("cannot write '{}': {}", own.string(), std::strerror(error)));
  }
}

FolderLock::~FolderLock() {
  static_cast<void>(::ftruncate(file_, 0));  // nobody is named any more; closing gives the lock back
  ::close(file_);
}

}  // namespace pawl::sweeping
