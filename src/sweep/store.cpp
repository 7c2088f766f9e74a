#include "sweep/store.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

namespace pawl::sweeping {

namespace fs = std::filesystem;

std::string journal_path(const std::string& folder, Part part) {
  return (fs::path(folder) / fmt::format("journal.{}-of-{}", part.number, part.of)).string();
}

void read_journals(const std::string& folder, const Manifest& manifest,
                   const std::function<void(const Record&)>& take) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("journal.")) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  const std::string hash = manifest.hash();
  const long long size = manifest.design.size();
  Bits seen(size);
  for (const std::string& path : paths) {
    read_journal(path, hash, manifest.columns.size(), [&](const Record& record) {
      if (record.run < 0 || record.run >= size || seen[record.run]) return;
      seen.set(record.run);
      take(record);
    });
  }
}

Bits finished_runs(const std::string& folder, const Manifest& manifest) {
  Bits finished(manifest.design.size());
  read_journals(folder, manifest, [&finished](const Record& record) { finished.set(record.run); });
  return finished;
}

std::vector<long long> missing_runs(const Bits& finished, long long size, Part part) {
  // i -> a i modulo the number of runs, with a without common divisor and near its golden section: neighbours in
  // this order are far apart, and every stride of it is spread evenly.
  long long a = std::max<long long>(1, static_cast<long long>(0.6180339887498949 * static_cast<double>(size)));
  while (std::gcd(a, size) != 1) ++a;
  std::vector<long long> runs;
  const long long stride = a * part.of % size;
  long long run = a * (part.number - 1) % size;
  for (long long i = part.number - 1; i < size; i += part.of, run = (run + stride) % size)
    if (!finished[run]) runs.push_back(run);
  return runs;
}

}  // namespace pawl::sweeping
