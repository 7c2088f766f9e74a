#include "report/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

namespace pawl {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

/// Writes and closes; returns the error number, 0 if all is well.
int write_all(int file, std::string_view text) {
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail(path, EISDIR);
  const bool goes_direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (goes_direct) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    if (const int error = write_all(file, text)) fail(path, error);
    return;
  }
  const std::string target =
      std::filesystem::is_symlink(path, ignored) ? std::filesystem::weakly_canonical(path, ignored).string() : path;
  const std::string beside = fmt::format("{}.{}.partial", target, ::getpid());
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  int error = write_all(file, text);
  if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    fail(path, error);
  }
}

}  // namespace pawl
