#include "report/comparison_report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/page.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_columns = 60;

std::size_t column_of(const Table& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.names.begin(), table.names.end(), name) - table.names.begin());
}

/// A column as straight lines between its samples, read piece by piece: two rows of one time are both sides of a jump.
class Lines {
 public:
  Lines(const Table& table, const std::string& name)
      : table_(table), time_(column_of(table, "t")), column_(column_of(table, name)) {}

  bool is_there() const { return column_ < table_.columns(); }
  double first() const { return std::min(t(0), t(table_.rows() - 1)); }
  double last() const { return std::max(t(0), t(table_.rows() - 1)); }
  /// Values at both ends of a piece that has no sample inside it.
  std::pair<double, double> over(double a, double b) const {
    std::size_t low = 0, high = table_.rows() - 1;  // the last row at or before a, which begins the segment
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (row_time(middle) <= a)
        low = middle;
      else
        high = middle - 1;
    }
    const std::size_t next = std::min(low + 1, table_.rows() - 1);
    const double t0 = row_time(low), t1 = row_time(next), x0 = value(low), x1 = value(next);
    const auto at = [&](double time) { return t1 > t0 ? x0 + (x1 - x0) * ((time - t0) / (t1 - t0)) : x0; };
    return {at(a), at(b)};
  }
  double row_time(std::size_t row) const { return t(order(row)); }

 private:
  std::size_t order(std::size_t row) const {  // ascending in time, backward runs too
    return t(0) <= t(table_.rows() - 1) ? row : table_.rows() - 1 - row;
  }
  double t(std::size_t row) const { return table_(row, time_); }
  double value(std::size_t row) const { return table_(order(row), column_); }

  const Table& table_;
  std::size_t time_, column_;
};

/// All instants of all runs within the time that they share.
std::vector<double> shared_times(const std::vector<StoredRun>& runs) {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  std::vector<double> all;
  for (const StoredRun& run : runs) {
    const Lines times(run.samples, "t");
    from = std::max(from, times.first());
    to = std::min(to, times.last());
    for (std::size_t i = 0; i < run.samples.rows(); ++i) all.push_back(times.row_time(i));
  }
  std::erase_if(all, [&](double t) { return t < from || t > to; });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> shared_columns(const std::vector<StoredRun>& runs) {
  std::vector<std::string> all;
  for (const std::string& name : runs.front().samples.names) {
    const bool is_shared = std::all_of(runs.begin(), runs.end(), [&](const StoredRun& run) {
      return column_of(run.samples, name) < run.samples.columns();
    });
    if (name != "t" && is_shared) all.push_back(name);
  }
  return all;
}

std::string text_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? "" : it->is_string() ? it->get<std::string>() : it->dump();
}

Json facts_of(const std::vector<StoredRun>& runs, const std::vector<ColumnDifference>& differences) {
  Json tables = Json::array();
  Json rows = Json::array();
  for (const ColumnDifference& one : differences)
    rows.push_back({fmt::format("{} in {}", one.column, one.run),
                    fmt::format("{:.3e} at t = {:.6g}, {:.1e} of its range", one.largest, one.at,
                                one.range > 0 ? one.largest / one.range : 0)});
  tables.push_back({fmt::format("Largest differences from {}", runs.front().name), rows});
  for (const StoredRun& run : runs) {
    const Json statistics = run.json.value("statistics", Json::object());
    tables.push_back(
        {run.name, Json::array({{"model", text_of(run.json, "model")},
                                {"method", text_of(run.json, "method")},
                                {"outcome", text_of(run.json, "outcome")},
                                {"steps accepted", text_of(statistics, "steps_accepted")},
                                {"steps rejected", text_of(statistics, "steps_rejected")},
                                {"right-hand sides", text_of(statistics, "rhs")},
                                {"computing time in seconds", text_of(statistics, "wall_seconds")},
                                {"events", fmt::format("{}", run.json.value("events", Json::array()).size())},
                                {"samples", fmt::format("{}", run.samples.rows())}})});
  }
  return tables;
}

/// The events of all runs, in lanes of their own.
Json events_of(const std::vector<StoredRun>& runs, double from, double to, PageWords& words) {
  struct Row {
    double t;
    Json names;
    std::size_t kind, before, after;
  };
  std::vector<Row> rows;
  for (const StoredRun& run : runs) {
    for (const Json& event : run.json.value("events", Json::array())) {
      const double t = event.value("t", 0.0);
      if (t < from || t > to) continue;
      Json names = Json::array();
      for (const Json& name : event.value("guards", Json::array()))
        names.push_back(words.number(fmt::format("{}: {}", run.name, name.get<std::string>())));
      rows.push_back({t, names, words.number(text_of(event, "kind")), words.number(text_of(event, "mode_before")),
                      words.number(text_of(event, "mode_after"))});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.t < b.t; });
  Json t = Json::array(), names = Json::array(), kind = Json::array(), before = Json::array(), after = Json::array(),
       notes = Json::array(), uncertainty = Json::array();
  for (Row& row : rows) {
    t.push_back(row.t);
    names.push_back(std::move(row.names));
    kind.push_back(row.kind);
    before.push_back(row.before);
    after.push_back(row.after);
    notes.push_back(Json::array());
    uncertainty.push_back(0.0);
  }
  return {{"t", t},
          {"names", names},
          {"kind", kind},
          {"before", before},
          {"after", after},
          {"notes", notes},
          {"uncertainty", uncertainty}};
}

}  // namespace

StoredRun read_run(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Misuse(fmt::format("{}: there is no such file, or it cannot be read", path));
  StoredRun run{std::filesystem::path(path).filename().string(), Json::parse(file, nullptr, false), {}};
  const std::string wanted = "pawl run NAME --out FILE.json writes such a file";
  if (run.json.is_discarded()) throw Misuse(fmt::format("{}: this is no JSON; {}", path, wanted));
  const auto samples = run.json.find("samples");
  if (samples == run.json.end() || !samples->is_object() || !samples->contains("t"))
    throw Misuse(fmt::format("{}: there are no samples in it; {}", path, wanted));
  const std::size_t rows = samples->at("t").size();
  for (const auto& [name, values] : samples->items()) {
    if (!values.is_array() || values.size() != rows)
      throw Misuse(fmt::format("{}: the column '{}' has not as many numbers as 't'", path, name));
    run.samples.names.push_back(name);
  }
  if (rows == 0) throw Misuse(fmt::format("{}: there are no samples in it; {}", path, wanted));
  for (std::size_t row = 0; row < rows; ++row)
    for (const auto& column : *samples)
      run.samples.values.push_back(column[row].is_number() ? column[row].get<double>()
                                                           : std::numeric_limits<double>::quiet_NaN());
  return run;
}

std::vector<ColumnDifference> compare(const std::vector<StoredRun>& runs) {
  const std::vector<double> times = shared_times(runs);
  std::vector<ColumnDifference> all;
  for (const std::string& name : shared_columns(runs)) {
    const Lines first(runs.front().samples, name);
    Range range = Range::empty();
    const std::size_t column = column_of(runs.front().samples, name);
    for (std::size_t i = 0; i < runs.front().samples.rows(); ++i) range.widen(runs.front().samples(i, column));
    for (std::size_t k = 1; k < runs.size(); ++k) {
      ColumnDifference one{name, runs[k].name, 0, times.empty() ? 0 : times.front(), range.max - range.min};
      const Lines other(runs[k].samples, name);
      const auto see = [&](double difference, double t) {
        if (!(std::abs(difference) <= one.largest)) one.largest = std::abs(difference), one.at = t;
      };
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const auto [a0, a1] = first.over(times[i], times[i + 1]);
        const auto [b0, b1] = other.over(times[i], times[i + 1]);
        see(b0 - a0, times[i]);
        see(b1 - a1, times[i + 1]);
      }
      all.push_back(one);
    }
  }
  return all;
}

std::string comparison_to_html(const std::vector<StoredRun>& runs, const std::string& command) {
  const std::vector<double> times = shared_times(runs);
  if (times.size() < 2) throw Misuse("these runs share no time that could be compared");
  Packing packing;
  PageWords words;
  std::vector<std::string>
      columns = shared_columns(runs),
      remarks{
          "Curves are straight lines between the samples of the files; differences are taken at the samples of all."};
  if (columns.size() > most_columns) {
    remarks.push_back(fmt::format("{} of {} columns are in this file", most_columns, columns.size()));
    columns.resize(most_columns);
  }
  Json curves = Json::array(), plots = Json::array();
  const std::vector<double> ends(times.begin() + 1, times.end());
  for (const std::string& name : columns) {
    Json together = Json::array(), apart = Json::array();
    const Lines first(runs.front().samples, name);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Lines lines(runs[k].samples, name);
      PieceSeries own, difference;
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const auto [a, b] = lines.over(times[i], times[i + 1]);
        const auto [a0, b0] = first.over(times[i], times[i + 1]);
        const bool is_number = std::isfinite(a + b), is_both = std::isfinite(a + b + a0 + b0);
        own.push_back(is_number ? std::vector{(a + b) / 2, (b - a) / 2} : std::vector<double>{});
        difference.push_back(is_both ? std::vector{(a + b - a0 - b0) / 2, (b - a - b0 + a0) / 2}
                                     : std::vector<double>{});
      }
      const std::string label = fmt::format("{} in {}", name, runs[k].name);
      curves.push_back(pack_curve(packing, label, "state", std::move(own), false));
      together.push_back(label);
      if (k == 0) continue;
      const std::string off = fmt::format("{} in {} - {}", name, runs[k].name, runs.front().name);
      curves.push_back(pack_curve(packing, off, "difference", std::move(difference), false));
      apart.push_back(off);
    }
    if (plots.size() < 6) {
      plots.push_back(together);
      plots.push_back(apart);
    }
  }
  Json head = empty_page(fmt::format("{} runs compared", runs.size()), times.front(), times.back());
  head["summary"] = fmt::format("differences from {}", runs.front().name);
  head["method"] = text_of(runs.front().json, "method");
  head["outcome"] = "compared";
  head["command"] = command;
  head["stacked"] = plots;
  head["pieces"] = {{"ends", packing.add(ends)}};
  head["curves"] = curves;
  head["events"] = events_of(runs, times.front(), times.back(), words);
  head["words"] = words.take();
  head["facts"] = facts_of(runs, compare(runs));
  head["remarks"] = remarks;
  return page_with(head, packing, false);
}

}  // namespace pawl
