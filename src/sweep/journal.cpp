#include "sweep/journal.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace pawl::sweeping {

namespace {

static_assert(std::endian::native == std::endian::little, "journals are written as they are in memory");

constexpr std::size_t head = 8, fixed = 9;  // length and checksum; run and state
constexpr std::size_t most_payload = std::size_t{1} << 26U;

std::string first_line(std::string_view hash) {
  return fmt::format("pawl journal 1 {}\n", hash);
}

std::uint32_t checksum(const char* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes), count));
}

template <class Number>
Number number_at(const char* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class Number>
void put(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

long long now_in_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A file that is closed when it goes out of scope.
struct File {
  int file;
  ~File() {
    if (file >= 0) ::close(file);
  }
};

/// A window of the file: whole records are taken from its front.
class Reader {
 public:
  explicit Reader(int file) : file_(file) {}

  /// Whether `count` bytes are there.
  bool need(std::size_t count, const std::string& path) {
    while (bytes_.size() - front_ < count && !is_at_end_) {
      bytes_.erase(0, front_);
      front_ = 0;
      const std::size_t before = bytes_.size();
      bytes_.resize(before + std::max<std::size_t>(count, std::size_t{1} << 18U));
      const ssize_t got = ::read(file_, bytes_.data() + before, bytes_.size() - before);
      if (got < 0 && errno != EINTR)
        throw std::runtime_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
      bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      is_at_end_ = got == 0;
    }
    return bytes_.size() - front_ >= count;
  }
  const char* front() const { return bytes_.data() + front_; }
  std::size_t rest() const { return bytes_.size() - front_; }
  void take(std::size_t count) { front_ += count; }

 private:
  int file_;
  std::string bytes_;
  std::size_t front_ = 0;
  bool is_at_end_ = false;
};

}  // namespace

void append(std::string& bytes, const Record& record, std::size_t columns) {
  const std::size_t start = bytes.size();
  bytes.append(head, '\0');
  put(bytes, static_cast<std::uint64_t>(record.run));
  put(bytes, static_cast<std::uint8_t>(record.state));
  for (std::size_t i = 0; i < columns; ++i)
    put(bytes, has_values(record.state) ? record.values[i] : std::numeric_limits<double>::quiet_NaN());
  bytes.append(record.reason.substr(0, most_payload / 2));
  const std::size_t length = bytes.size() - start - head;
  const auto length_word = static_cast<std::uint32_t>(length);
  const std::uint32_t sum = checksum(bytes.data() + start + head, length);
  std::memcpy(bytes.data() + start, &length_word, 4);
  std::memcpy(bytes.data() + start + 4, &sum, 4);
}

std::uint64_t read_journal(const std::string& path, std::string_view hash, std::size_t columns,
                           const std::function<void(const Record&)>& take) {
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.file < 0) {
    if (errno == ENOENT) return 0;
    throw std::runtime_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  Reader reader(file.file);
  const std::string line = first_line(hash);
  if (!reader.need(line.size(), path)) return 0;
  if (std::string_view(reader.front(), line.size()) != line)
    throw Misuse(fmt::format("'{}' is no journal of this sweep: its first line is not '{}'", path,
                             std::string_view(line).substr(0, line.size() - 1)));
  reader.take(line.size());
  std::uint64_t good = line.size();
  const std::size_t least = fixed + 8 * columns;
  std::vector<double> values(columns);
  while (reader.need(head, path)) {
    const auto length = number_at<std::uint32_t>(reader.front());
    const auto sum = number_at<std::uint32_t>(reader.front() + 4);
    if (length < least || length > most_payload || !reader.need(head + length, path)) break;
    const char* payload = reader.front() + head;
    if (checksum(payload, length) != sum) break;
    std::memcpy(values.data(), payload + fixed, 8 * columns);
    take({static_cast<long long>(number_at<std::uint64_t>(payload)),
          static_cast<RunState>(number_at<std::uint8_t>(payload + 8)), values.data(),
          std::string_view(payload + least, length - least)});
    reader.take(head + length);
    good += head + length;
  }
  return good;
}

JournalWriter::JournalWriter(std::string path, std::string_view hash, std::uint64_t good)
    : path_(std::move(path)), written_(good), last_flush_(now_in_milliseconds()), last_sync_(last_flush_) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(good)) != 0 ||
      ::lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0) {
    const int error = errno;
    if (file_ >= 0) ::close(file_);
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path_, std::strerror(error)));
  }
  if (good > 0) return;
  buffer_ = first_line(hash);
  ends_.push_back(buffer_.size());
  try {
    flush();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

JournalWriter::~JournalWriter() {
  try {
    sync();
  } catch (const std::exception&) {  // whoever wants to know calls sync()
  }
  ::close(file_);
}

void JournalWriter::add(const Record& record, std::size_t columns) {
  append(buffer_, record, columns);
  ends_.push_back(buffer_.size());
  constexpr std::size_t most = std::size_t{1} << 16U;
  constexpr long long between_flushes = 100, between_syncs = 10'000;
  if (const long long now = now_in_milliseconds(); buffer_.size() > most || now - last_flush_ >= between_flushes) {
    last_flush_ = now;
    flush();
    if (now - last_sync_ < between_syncs) return;
    last_sync_ = now;
    ::fdatasync(file_);
  }
}

void JournalWriter::flush() {
  if (is_broken_) return;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int error = errno;
      is_broken_ = true;
      const auto cut = std::upper_bound(ends_.begin(), ends_.end(), done);
      const std::size_t whole = cut == ends_.begin() ? 0 : *(cut - 1);
      static_cast<void>(::ftruncate(file_, static_cast<off_t>(written_ + whole)));  // if not, the checksum says it
      ::fdatasync(file_);
      throw std::runtime_error(fmt::format(
          "cannot write '{}': {}\n  every run before this is kept; with room for more, repeat the command to go on",
          path_, std::strerror(error)));
    }
  }
  written_ += buffer_.size();
  buffer_.clear();
  ends_.clear();
}

void JournalWriter::sync() {
  flush();
  if (!is_broken_) ::fdatasync(file_);
}

}  // namespace pawl::sweeping
