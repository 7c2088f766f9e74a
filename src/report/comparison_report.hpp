// Several runs over each other: files that `pawl run --out x.json` wrote, compared column by column with the first one,
// and as one page like that of a single run.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "pawl/result.hpp"

namespace pawl {

/// One file: its name as it is shown, its JSON (docs/json.md), its samples.
struct StoredRun {
  std::string name;
  nlohmann::ordered_json json;
  Table samples;
};

/// Throws Misuse, with the name of the file, for what is not a run with samples.
StoredRun read_run(const std::string& path);

/// How far a column of another run is from that of the first, over the time that both have: where it is surely largest.
struct ColumnDifference {
  std::string column, run;
  double largest = 0, at = 0;  ///< absolute, and when
  double off = 0;              ///< how far `largest` may be off, because one of the two has no sample there
  double range = 0;            ///< of the column, in both runs
};
std::vector<ColumnDifference> compare(const std::vector<StoredRun>& runs);
std::string in_words(const ColumnDifference& one);

/// Instants of jumps, of the first and of the other run, that are the same but for a millionth of the run: earlier and
/// later one. Between them one run has jumped and the other has not, which says nothing of their values.
std::vector<std::pair<double, double>> nearly_equal_jumps(const StoredRun& first, const StoredRun& other);
std::string jumps_in_words(const std::vector<StoredRun>& runs);  ///< how far they are apart; empty: not at all

/// Whether all runs have the same samples; else what lies between samples is interpolated.
bool have_equal_times(const std::vector<StoredRun>& runs);
extern const std::string_view between_samples;  ///< what to say of that

std::string comparison_to_html(const std::vector<StoredRun>& runs, const std::string& command);

}  // namespace pawl
