// A file that appears whole or not at all: written beside its target, as NAME.PROCESS.partial, then renamed over it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Throws std::runtime_error that names the file and the reason (no such folder, disk full, read-only, ...); the target
/// is then as it was. A link stays: what it points to is written, there or not yet. A target that is no regular file (a
/// pipe, a device) is written directly; one that is replaced hands on its permissions.
void write_whole_file(const std::string& path, std::string_view text);

/// The same piece by piece: without finish() the target is as it was.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void append(std::string_view text);
  void finish();
  /// Where it is until then, for libraries that write files themselves.
  const std::string& place() const { return place_; }

 private:
  std::string path_, target_, place_;
  int file_ = -1;
  bool is_direct_ = false;
};

/// What is written for this path: where it is a link, the file at the end of it, which need not be there. Throws
/// std::runtime_error for links in a circle.
std::string target_of(const std::string& path);

/// Whether there is a file that may not be written. One that nobody may write counts even for those who could.
bool is_read_only(const std::string& path);

/// Files beside the target that programs which are not running any more have left unfinished, by name.
std::vector<std::string> files_left_behind(const std::string& path);

/// Takes away the file that write_whole_file() is writing, if it is. For handlers of signals that end the program.
void remove_unfinished_file() noexcept;

}  // namespace pawl
