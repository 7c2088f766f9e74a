#include "pawl/design.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "pawl/system.hpp"
#include "sweep/permutation.hpp"
#include "sweep/philox.hpp"
#include "sweep/sobol.hpp"

namespace pawl {

namespace {

constexpr long long most_runs = 1'000'000'000'000;

double number(std::string_view word) {
  double value = 0;
  if (!read_number(word, value)) throw Misuse(fmt::format("'{}' is not a number", word));
  return value;
}

std::vector<std::string_view> split(std::string_view words, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = words.find(at);
    parts.push_back(words.substr(0, end));
    if (end == std::string_view::npos) return parts;
    words.remove_prefix(end + 1);
  }
}

void check_ends(double first, double last, int count) {
  if (!std::isfinite(first) || !std::isfinite(last))
    throw Misuse(fmt::format("{}:{} has an end that is not a finite number", first, last));
  if (count < 1) throw Misuse(fmt::format("{}:{}:{} is empty: one level or more", first, last, count));
  if (count == 1 && first != last)
    throw Misuse(fmt::format("{}:{}:1 has two ends and one level: two or more", first, last));
  if (count > 1 && first == last) throw Misuse(fmt::format("{}:{}:{} has no width", first, last, count));
}

}  // namespace

std::string_view to_string(Sampling sampling) {
  return sampling == Sampling::random ? "random" : sampling == Sampling::sobol ? "sobol" : "latin";
}

std::vector<double> levels(double first, double last, int count) {
  check_ends(first, last, count);
  std::vector<double> all(static_cast<std::size_t>(count), last);
  for (int i = 0; i + 1 < count; ++i) all[static_cast<std::size_t>(i)] = first + (last - first) * i / (count - 1);
  return all;
}

std::vector<double> log_levels(double first, double last, int count) {
  check_ends(first, last, count);
  if (!(first > 0 && last > 0)) throw Misuse(fmt::format("{}:{}:log: both ends must be positive", first, last));
  std::vector<double> all(static_cast<std::size_t>(count), last);
  for (int i = 0; i + 1 < count; ++i)
    all[static_cast<std::size_t>(i)] = i == 0 ? first : first * std::pow(last / first, double(i) / (count - 1));
  return all;
}

std::vector<double> read_levels(std::string_view words) {
  if (words.find(':') == std::string_view::npos) {
    std::vector<double> all;
    for (const std::string_view word : split(words, ',')) all.push_back(number(word));
    return all;
  }
  const std::vector<std::string_view> parts = split(words, ':');
  const bool is_log = parts.size() == 4 && parts[3] == "log";
  if (parts.size() != 3 && !is_log) throw Misuse("expected first:last:count, first:last:count:log or a list a,b,c");
  const double count = number(parts[2]);
  if (count != std::floor(count) || std::abs(count) > 1e9)
    throw Misuse(fmt::format("'{}' is no number of levels", parts[2]));
  const int whole = static_cast<int>(count);
  return is_log ? log_levels(number(parts[0]), number(parts[1]), whole)
                : levels(number(parts[0]), number(parts[1]), whole);
}

Design& Design::vary(std::string name, std::vector<double> levels) {
  varied_.push_back({std::move(name), std::move(levels)});
  return *this;
}

Design& Design::random(std::string name, Distribution distribution) {
  drawn_.push_back({std::move(name), std::move(distribution)});
  return *this;
}

std::vector<std::string> Design::names() const {
  std::vector<std::string> all;
  for (const Varied& one : varied_) all.push_back(one.name);
  for (const Drawn& one : drawn_) all.push_back(one.name);
  return all;
}

void Design::check() const {
  if (columns() == 0) throw Misuse("a sweep varies something: no parameter is varied or drawn");
  std::set<std::string> seen;
  for (const std::string& name : names())
    if (!seen.insert(name).second) throw Misuse(fmt::format("'{}' is varied or drawn twice", name));
  for (const Varied& one : varied_) {
    if (one.levels.empty()) throw Misuse(fmt::format("'{}' is varied over no level", one.name));
    for (const double level : one.levels)
      if (!std::isfinite(level)) throw Misuse(fmt::format("a level of '{}' is {}, no finite number", one.name, level));
  }
  if (draws < 1) throw Misuse(fmt::format("{} runs: a sweep has one or more", draws));
  if (drawn_.empty() && draws > 1)
    throw Misuse(
        fmt::format("{} draws of nothing: no parameter is random, and every run of a point would be the same", draws));
  if (for_indices && drawn_.empty()) throw Misuse("Sobol indices are of random parameters, and there are none");
  if (for_indices && !varied_.empty())
    throw Misuse(
        fmt::format("Sobol indices are of random parameters alone: '{}' is varied over levels", varied_[0].name));
  const std::size_t dimensions = drawn_.size() * (for_indices ? 2 : 1);
  if (sampling == Sampling::sobol && dimensions > sweeping::sobol_dimensions)
    throw Misuse(fmt::format("{} dimensions: Sobol's sequence is known here for {}; random and latin have no limit",
                             dimensions, sweeping::sobol_dimensions));
  double count = static_cast<double>(draws) * (for_indices ? static_cast<double>(drawn_.size() + 2) : 1);
  for (const Varied& one : varied_) count *= static_cast<double>(one.levels.size());
  if (count > static_cast<double>(most_runs))
    throw Misuse(fmt::format("{:.3g} runs are more than the {:.0e} that are possible", count, double(most_runs)));
}

long long Design::size() const {
  long long count = for_indices ? draws * static_cast<long long>(drawn_.size() + 2) : draws;
  for (const Varied& one : varied_) count *= static_cast<long long>(one.levels.size());
  return count;
}

void Design::values(long long run, double* out) const {
  // The last level runs fastest, then the others, then the draws.
  long long rest = run;
  for (std::size_t i = varied_.size(); i-- > 0;) {
    const auto count = static_cast<long long>(varied_[i].levels.size());
    out[i] = varied_[i].levels[static_cast<std::size_t>(rest % count)];
    rest /= count;
  }
  const auto d = static_cast<std::uint32_t>(drawn_.size());
  const auto draw = static_cast<std::uint64_t>(for_indices ? rest % draws : rest);
  const auto block = static_cast<std::uint32_t>(for_indices ? rest / draws : 0);
  const auto count = static_cast<std::uint64_t>(draws);
  for (std::uint32_t i = 0; i < d; ++i) {
    const bool is_from_b = block == 1 || block == i + 2;
    const std::uint32_t column = is_from_b ? d + i : i;
    double u = 0;
    if (sampling == Sampling::random) {
      u = sweeping::unit_number(sweeping::random_bits(seed, sweeping::Stream::draws, draw, column));
    } else if (sampling == Sampling::sobol) {
      u = sweeping::unit_number(sweeping::sobol_bits(draw, static_cast<int>(column)) ^
                                sweeping::random_bits(seed, sweeping::Stream::shift, 0, column));
    } else {
      const auto part = static_cast<double>(sweeping::permuted(draw, count, seed, column));
      u = (part + sweeping::unit_number(sweeping::random_bits(seed, sweeping::Stream::jitter, draw, column))) /
          static_cast<double>(count);
      u = std::min(u, 1 - 0x1p-53);  // in the last part the sum may round to its end
    }
    out[varied_.size() + i] = drawn_[i].distribution.quantile(u);
  }
}

}  // namespace pawl
