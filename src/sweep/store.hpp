// The folder of a sweep: manifest, journals and locks. Journals are read by everybody and written by one process each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/journal.hpp"
#include "sweep/manifest.hpp"

namespace pawl::sweeping {

std::string journal_path(const std::string& folder, Part part);

/// The good records of all journals, in the order of their names; where two have the same run, the first counts. Skips
/// what `take` has seen already.
void read_journals(const std::string& folder, const Manifest& manifest, const std::function<void(const Record&)>& take);

/// Which runs are there, one bit each.
class Bits {
 public:
  explicit Bits(long long size) : bytes_(static_cast<std::size_t>((size + 7) / 8), '\0') {}
  explicit Bits(std::string bytes) : bytes_(std::move(bytes)) {}
  bool operator[](long long i) const { return (bytes_[static_cast<std::size_t>(i / 8)] >> (i % 8)) & 1; }
  void set(long long i) { bytes_[static_cast<std::size_t>(i / 8)] |= static_cast<char>(1 << (i % 8)); }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};
Bits finished_runs(const std::string& folder, const Manifest& manifest);

/// The runs of this part that are missing, in the order in which they are made: a fixed permutation of all runs, so
/// that dear and cheap ones are mixed, of which a part takes every `of`-th.
std::vector<long long> missing_runs(const Bits& finished, long long size, Part part);

}  // namespace pawl::sweeping
