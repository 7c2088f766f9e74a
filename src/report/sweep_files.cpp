#include "report/sweep_files.hpp"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

#include "report/csv.hpp"
#include "report/digits.hpp"
#include "report/whole_file.hpp"

namespace pawl {

namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;

// An entry of a zip archive, stored as it is. Sizes and times are little-endian; times are of 1980, so that the same
// runs give the same file.
struct Entry {
  std::string name;
  std::uint32_t checksum = 0, size = 0, place = 0;
};

void put(std::string& text, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
}

/// What local and central headers have in common.
void put_common(std::string& text, const Entry& entry) {
  put(text, 20, 2);                         // version
  put(text, 0x0800, 2);                     // names are UTF-8
  put(text, 0, 2);                          // stored
  put(text, (1U << 21U) | (1U << 16U), 4);  // 1980-01-01
  put(text, entry.checksum, 4);
  put(text, entry.size, 4);
  put(text, entry.size, 4);
  put(text, static_cast<std::uint32_t>(entry.name.size()), 2);
  put(text, 0, 2);
}

/// Numbers one after another, in pieces.
using Pieces = std::function<void(const std::function<void(std::string_view)>&)>;

class Zip {
 public:
  explicit Zip(const std::string& path) : path_(path), file_(path) {}

  void add(const std::string& name, std::uint64_t size, const Pieces& pieces) {
    if (place_ + size > 0xfff00000U)
      throw Misuse(fmt::format("'{}': an .npz file ends at 4 GB; write .h5 or .csv", path_));
    Entry entry{name, 0, static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(place_)};
    pieces([&entry](std::string_view text) {  // once for the checksum, which comes first
      entry.checksum = static_cast<std::uint32_t>(
          ::crc32_z(entry.checksum, reinterpret_cast<const unsigned char*>(text.data()), text.size()));
    });
    std::string head = "PK\3\4";
    put_common(head, entry);
    write(head + name);
    pieces([this](std::string_view text) { write(text); });
    entries_.push_back(std::move(entry));
  }

  void finish() {
    const std::uint64_t start = place_;
    for (const Entry& entry : entries_) {
      std::string head = "PK\1\2";
      put(head, 20, 2);
      put_common(head, entry);
      put(head, 0, 2);  // comment
      put(head, 0, 2);  // disk
      put(head, 0, 2);  // attributes
      put(head, 0, 4);
      put(head, entry.place, 4);
      write(head + entry.name);
    }
    std::string tail = "PK\5\6";
    put(tail, 0, 4);
    put(tail, static_cast<std::uint32_t>(entries_.size()), 2);
    put(tail, static_cast<std::uint32_t>(entries_.size()), 2);
    put(tail, static_cast<std::uint32_t>(place_ - start), 4);
    put(tail, static_cast<std::uint32_t>(start), 4);
    put(tail, 0, 2);
    write(tail);
    file_.finish();
  }

 private:
  void write(std::string_view text) {
    file_.append(text);
    place_ += text.size();
  }

  std::string path_;
  WholeFile file_;
  std::uint64_t place_ = 0;
  std::vector<Entry> entries_;
};

/// Magic, version, and a dictionary filled up with blanks to a multiple of 64 bytes.
std::string npy_head(std::string_view type, long long count) {
  std::string words = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type, count);
  words.append(63 - (10 + words.size()) % 64, ' ');
  words += '\n';
  std::string head = "\x93NUMPY";
  head += '\1';
  head += '\0';
  put(head, static_cast<std::uint32_t>(words.size()), 2);
  return head + words;
}

}  // namespace

std::vector<std::string> quantity_names(const Sweep& sweep) {
  std::vector<std::string> names = sweep.parameters();
  names.insert(names.end(), sweep.columns().begin(), sweep.columns().end());
  return names;
}

void write_sweep_csv(const Sweep& sweep, const std::string& path) {
  WholeFile file(path);
  std::string text = "run,outcome";
  for (const std::string& name : quantity_names(sweep)) {
    text += ',';
    append_csv_field(text, name);
  }
  text += ",reason\n";
  std::vector<double> parameters(sweep.parameters().size());
  for (long long run = 0; run < sweep.size(); ++run) {
    text += fmt::format("{},{}", run, to_string(sweep.state(run)));
    sweep.design().values(run, parameters.data());
    const auto add = [&text](double number) {
      text += ',';
      append_digits(text, number);
    };
    for (const double number : parameters) add(number);
    const double* values = sweep.values(run);
    for (std::size_t i = 0; i < sweep.columns().size(); ++i) add(values[i]);
    text += ',';
    append_csv_field(text, sweep.reason(run));
    text += '\n';
    if (text.size() < piece) continue;
    file.append(text);
    text.clear();
  }
  file.append(text);
  file.finish();
}

void write_sweep_npz(const Sweep& sweep, const std::string& path) {
  Zip zip(path);
  const auto add = [&](const std::string& name, std::string_view type, std::size_t width,
                       const std::function<void(long long, std::string&)>& append_run) {
    const std::string head = npy_head(type, sweep.size());
    zip.add(name + ".npy", head.size() + width * static_cast<std::uint64_t>(sweep.size()), [&](const auto& take) {
      std::string text = head;
      for (long long run = 0; run < sweep.size(); ++run) {
        append_run(run, text);
        if (text.size() < piece) continue;
        take(text);
        text.clear();
      }
      take(text);
    });
  };
  const auto append_number = [](std::string& text, double number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  constexpr std::size_t longest = 10;
  add("outcome", "|S10", longest, [&](long long run, std::string& text) {
    const std::string_view word = to_string(sweep.state(run));
    text.append(word).append(longest - word.size(), '\0');
  });
  std::vector<double> parameters(sweep.parameters().size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    add(sweep.parameters()[i], "<f8", 8, [&](long long run, std::string& text) {
      sweep.design().values(run, parameters.data());
      append_number(text, parameters[i]);
    });
  }
  for (std::size_t i = 0; i < sweep.columns().size(); ++i)
    add(sweep.columns()[i], "<f8", 8,
        [&](long long run, std::string& text) { append_number(text, sweep.values(run)[i]); });
  zip.finish();
}

}  // namespace pawl
