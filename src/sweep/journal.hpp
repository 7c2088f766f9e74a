// Journal: the finished runs of one process, one record after another in a file that only grows.
//
//   "pawl journal 1 0123456789abcdef\n"           the hash of the manifest it belongs to
//   length, checksum                              of what follows: two numbers of 32 bits
//     run, state, values ...                      64 bits, 8 bits, 64 bits each
//     reason                                      what is left of the length
//   length, checksum, ...
//
// Numbers are little-endian. A record that is cut off, or whose checksum (CRC-32) is wrong, ends the journal: what is
// before it is good, what is behind it is made again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/sweep.hpp"

namespace pawl::sweeping {

struct Record {
  long long run = 0;
  RunState state = RunState::missing;
  const double* values = nullptr;
  std::string_view reason;
};

/// Adds the bytes of a record.
void append(std::string& bytes, const Record& record, std::size_t columns);

/// Reads all good records of a file; the number of bytes up to the end of the last one, 0 where not even the first line
/// is whole. Throws Misuse where the file belongs to another manifest, std::runtime_error where it cannot be read.
std::uint64_t read_journal(const std::string& path, std::string_view hash, std::size_t columns,
                           const std::function<void(const Record&)>& take);

/// Writes a journal: records are gathered and written some ten times a second. A write that fails cuts the file behind
/// its last whole record and throws std::runtime_error with the reason. For one thread at a time.
class JournalWriter {
 public:
  /// Continues the file behind `good` bytes, or begins it.
  JournalWriter(std::string path, std::string_view hash, std::uint64_t good);
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  ~JournalWriter();

  void add(const Record& record, std::size_t columns);
  /// To the file system.
  void flush();
  /// To the disk.
  void sync();

 private:
  std::string path_, buffer_;
  std::vector<std::size_t> ends_;  // of the records in the buffer
  std::uint64_t written_ = 0;
  long long last_flush_ = 0, last_sync_ = 0;  // milliseconds
  int file_ = -1;
  bool is_broken_ = false;
};

}  // namespace pawl::sweeping
