#include "report/comparison_report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/page.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_columns = 60;
}  // namespace

const std::string_view between_samples =
    "The files have samples at different times: between them stands the cubic through four neighbours, and +- says "
    "about "
    "how far that may be off; where two jumps have no sample between them, nothing is known and nothing is drawn. With "
    "the same --samples for all files nothing is interpolated.";

namespace {

std::size_t column_of(const Table& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.names.begin(), table.names.end(), name) - table.names.begin());
}

/// A column between its samples: the cubic through the four nearest ones, on one side of jumps. Two rows of one time
/// are both sides of an event, and begin and end what is smooth.
class Curve {
 public:
  struct Value {
    double x = 0;
    double off =
        0;  ///< how far it may be from the run: what the third differences nearby add to a parabola; 0 at a sample
  };

  Curve(const StoredRun& run, const std::string& name)
      : table_(run.samples), time_(column_of(table_, "t")), column_(column_of(table_, name)) {
    for (const Json& event : run.json.value("events", Json::array())) events_.push_back(event.value("t", 0.0));
    std::sort(events_.begin(), events_.end());
  }

  double first() const { return row_time(0); }
  double last() const { return row_time(table_.rows() - 1); }
  double row_time(std::size_t row) const { return table_(order(row), time_); }

  /// Values at `count` instants from a to b, a piece that has no sample inside it.
  std::vector<Value> over(double a, double b, const std::vector<double>& shares) const {
    std::size_t low = 0, high = table_.rows() - 1;  // the last row at or before a, which begins the segment
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (row_time(middle) <= a)
        low = middle;
      else
        high = middle - 1;
    }
    std::vector<Value> all;
    for (const double share : shares) all.push_back(at(share == 0 ? a : share == 1 ? b : a + (b - a) * share, low));
    return all;
  }

 private:
  std::size_t order(std::size_t row) const {  // ascending in time, backward runs too
    const std::size_t end = table_.rows() - 1;
    return table_(0, time_) <= table_(end, time_) ? row : end - row;
  }
  double value(std::size_t row) const { return table_(order(row), column_); }
  /// Whether the motion has no event between this sample and the next.
  bool is_smooth(std::size_t row) const {
    const double a = row_time(row), b = row_time(row + 1);
    const auto event = std::upper_bound(events_.begin(), events_.end(), a);
    return a < b && (event == events_.end() || *event >= b);
  }

  Value at(double t, std::size_t low) const {
    const std::size_t next = std::min(low + 1, table_.rows() - 1);
    if (t == row_time(low) || next == low) return {value(low), 0};
    if (t == row_time(next)) return {value(next), 0};
    std::size_t from = low, to = next;  // what is smooth around the segment, three samples to either side
    const double line = through(low, 2, t);
    if (!is_smooth(low)) return {line, std::abs(value(next) - value(low))};
    for (int i = 0; i < 3 && from > 0 && is_smooth(from - 1); ++i) --from;
    for (int i = 0; i < 3 && to + 1 < table_.rows() && is_smooth(to); ++i) ++to;
    if (to == next && from == low)
      return {line, std::numeric_limits<double>::infinity()};  // both ends alone say nothing
    if (to - from == 2) {
      const double parabola = through(from, 3, t);
      return {parabola, std::abs(parabola - line)};
    }
    const std::size_t begin = std::min(low > from ? low - 1 : low, to - 3);
    double cube = 0, reach = 0;  // third differences near here: where one vanishes, its neighbours do not
    for (std::size_t i = from; i + 3 <= to; ++i) cube = std::max(cube, std::abs(third_difference(i)));
    for (std::size_t i = begin; i < begin + 4; ++i) reach = std::max(reach, std::abs(t - row_time(i)));
    return {through(begin, 4, t), cube * std::abs((t - row_time(low)) * (t - row_time(next))) * reach};
  }

  /// The polynomial through `count` samples from `begin` on (Neville's scheme).
  double through(std::size_t begin, std::size_t count, double t) const {
    double x[4];
    for (std::size_t i = 0; i < count; ++i) x[i] = value(begin + i);
    for (std::size_t k = 1; k < count; ++k) {
      for (std::size_t i = 0; i + k < count; ++i) {
        const double left = row_time(begin + i), right = row_time(begin + i + k);
        x[i] += (x[i + 1] - x[i]) * ((t - left) / (right - left));
      }
    }
    return x[0];
  }

  double third_difference(std::size_t begin) const {
    double x[4];
    for (std::size_t i = 0; i < 4; ++i) x[i] = value(begin + i);
    for (std::size_t k = 1; k < 4; ++k)
      for (std::size_t i = 0; i + k < 4; ++i)
        x[i] = (x[i + 1] - x[i]) / (row_time(begin + i + k) - row_time(begin + i));
    return x[0];
  }

  const Table& table_;
  std::size_t time_, column_;
  std::vector<double> events_;
};

/// All instants of all runs within the time that they share.
std::vector<double> shared_times(const std::vector<StoredRun>& runs) {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  std::vector<double> all;
  for (const StoredRun& run : runs) {
    const Curve times(run, "t");
    from = std::max(from, times.first());
    to = std::min(to, times.last());
    for (std::size_t i = 0; i < run.samples.rows(); ++i) all.push_back(times.row_time(i));
  }
  std::erase_if(all, [&](double t) { return t < from || t > to; });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Instants at which a run has two rows: both sides of an event.
std::vector<double> jumps_of(const StoredRun& run) {
  const Curve times(run, "t");
  std::vector<double> all;
  for (std::size_t i = 1; i < run.samples.rows(); ++i) {
    const double t = times.row_time(i);
    if (t == times.row_time(i - 1) && (all.empty() || all.back() != t)) all.push_back(t);
  }
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

/// Where four values decide a cubic on a piece: from its beginning to its end, at cosines.
const std::vector<double> nodes_of_cubic{0, 0.25, 0.75, 1};

/// The Chebyshev series of the cubic with these values at the nodes; empty where one is no number, or not known.
std::vector<double> cubic(const std::vector<Curve::Value>& at) {
  const double a = at[0].x, b = at[1].x, c = at[2].x, d = at[3].x;  // at -1, -1/2, 1/2, 1
  if (!std::isfinite(a + b + c + d + at[1].off)) return {};
  return {(a + 2 * b + 2 * c + d) / 6, (d - a + c - b) / 3, (a - b - c + d) / 3, (d - a - 2 * (c - b)) / 6};
}

std::string text_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? "" : it->is_string() ? it->get<std::string>() : it->dump();
}

Json facts_of(const std::vector<StoredRun>& runs, const std::vector<ColumnDifference>& differences) {
  Json tables = Json::array();
  Json rows = Json::array();
  for (const ColumnDifference& one : differences)
    rows.push_back({fmt::format("{} in {}", one.column, one.run), in_words(one)});
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
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& column : *samples)
      run.samples.values.push_back(column[row].is_number() ? column[row].get<double>()
                                                           : std::numeric_limits<double>::quiet_NaN());
  }
  return run;
}

std::vector<std::pair<double, double>> nearly_equal_jumps(const StoredRun& first, const StoredRun& other) {
  const std::vector<double> mine = jumps_of(first), its = jumps_of(other);
  const Curve times(first, "t");
  const double close = 1e-6 * (times.last() - times.first());
  std::vector<std::pair<double, double>> all;
  for (std::size_t i = 0, k = 0; i < mine.size() && k < its.size();) {  // in order, each with one
    if (std::abs(mine[i] - its[k]) <= close)
      all.emplace_back(std::minmax(mine[i++], its[k++]));
    else
      ++(mine[i] < its[k] ? i : k);
  }
  return all;
}

namespace {

/// Per piece between these times: whether one run has jumped there, and the other will at once.
std::vector<char> between_jumps(const std::vector<double>& times, const StoredRun& first, const StoredRun& other) {
  const auto jumps = nearly_equal_jumps(first, other);
  std::vector<char> all(times.size(), 0);
  auto jump = jumps.begin();
  for (std::size_t i = 0; i < times.size(); ++i) {
    while (jump != jumps.end() && jump->second <= times[i]) ++jump;
    all[i] = jump != jumps.end() && jump->first <= times[i];
  }
  return all;
}

}  // namespace

std::string jumps_in_words(const std::vector<StoredRun>& runs) {
  std::string text;
  for (std::size_t k = 1; k < runs.size(); ++k) {
    double most = 0;
    for (const auto& [a, b] : nearly_equal_jumps(runs.front(), runs[k])) most = std::max(most, b - a);
    if (most > 0)
      text += fmt::format("{}Jumps of {} are up to {:.1e} from those of {}: between two such, values are not compared.",
                          text.empty() ? "" : " ", runs[k].name, most, runs.front().name);
  }
  return text;
}

bool have_equal_times(const std::vector<StoredRun>& runs) {
  const Curve first(runs.front(), "t");
  return std::all_of(runs.begin() + 1, runs.end(), [&](const StoredRun& run) {
    if (run.samples.rows() != runs.front().samples.rows()) return false;
    const Curve other(run, "t");
    for (std::size_t i = 0; i < run.samples.rows(); ++i)
      if (first.row_time(i) != other.row_time(i)) return false;
    return true;
  });
}

std::vector<ColumnDifference> compare(const std::vector<StoredRun>& runs) {
  const std::vector<double> times = shared_times(runs);
  const std::vector<double> ends{0, 1};
  std::vector<ColumnDifference> all;
  for (const std::string& name : shared_columns(runs)) {
    const Curve first(runs.front(), name);
    for (std::size_t k = 1; k < runs.size(); ++k) {
      ColumnDifference one{name, runs[k].name};
      Range range = Range::empty();
      for (const StoredRun* run : {&runs.front(), &runs[k]}) {
        const std::size_t column = column_of(run->samples, name);
        for (std::size_t i = 0; i < run->samples.rows(); ++i) range.widen(run->samples(i, column));
      }
      one.range = range.max - range.min;
      const Curve other(runs[k], name);
      double most = -std::numeric_limits<double>::infinity();  // what is sure of the difference
      const auto see = [&](const Curve::Value& a, const Curve::Value& b, double t) {
        if (std::isnan(a.x) && std::isnan(b.x)) return;
        const bool is_number = !std::isnan(b.x - a.x);  // else one of them alone is none
        const double difference = is_number ? std::abs(b.x - a.x) : std::numeric_limits<double>::infinity();
        const double off = is_number ? a.off + b.off : 0;
        if (!(difference - off > most)) return;
        most = difference - off;
        one.largest = difference, one.off = off, one.at = t;
      };
      const std::vector<char> is_between = between_jumps(times, runs.front(), runs[k]);
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        if (is_between[i]) continue;
        const auto a = first.over(times[i], times[i + 1], ends), b = other.over(times[i], times[i + 1], ends);
        see(a[0], b[0], times[i]);
        see(a[1], b[1], times[i + 1]);
      }
      all.push_back(one);
    }
  }
  return all;
}

std::string in_words(const ColumnDifference& one) {
  if (one.largest > 0 && one.off >= one.largest)
    return fmt::format("not told apart: what lies between samples is known to {:.1e} at best", one.off);
  return fmt::format("{:.3e}{} at t = {:.6g}, {:.1e} of its range", one.largest,
                     one.off > 0.005 * one.largest ? fmt::format(" +- {:.1e}", one.off) : "", one.at,
                     one.range > 0 ? one.largest / one.range : 0);
}

std::string comparison_to_html(const std::vector<StoredRun>& runs, const std::string& command) {
  const std::vector<double> times = shared_times(runs);
  if (times.size() < 2) throw Misuse("these runs share no time that could be compared");
  Packing packing;
  PageWords words;
  std::vector<std::string> columns = shared_columns(runs), remarks;
  if (!have_equal_times(runs)) remarks.emplace_back(between_samples);
  if (std::string jumps = jumps_in_words(runs); !jumps.empty()) remarks.push_back(std::move(jumps));
  if (columns.size() > most_columns) {
    remarks.push_back(fmt::format("{} of {} columns are in this file", most_columns, columns.size()));
    columns.resize(most_columns);
  }
  Json curves = Json::array(), plots = Json::array();
  const std::vector<double> ends(times.begin() + 1, times.end());
  std::vector<std::vector<char>> is_between;
  for (const StoredRun& run : runs) is_between.push_back(between_jumps(times, runs.front(), run));
  for (const std::string& name : columns) {
    Json together = Json::array(), apart = Json::array();
    const Curve first(runs.front(), name);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Curve curve(runs[k], name);
      PieceSeries own, difference;
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const std::vector<double> here = cubic(curve.over(times[i], times[i + 1], nodes_of_cubic)),
                                  there = cubic(first.over(times[i], times[i + 1], nodes_of_cubic));
        own.push_back(here);
        difference.emplace_back();
        if (is_between[k][i]) continue;
        for (std::size_t n = 0; n < std::min(here.size(), there.size()); ++n)
          difference.back().push_back(here[n] - there[n]);
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
  std::vector<std::string> methods, counts;
  for (const StoredRun& run : runs) {
    methods.push_back(text_of(run.json, "method"));
    counts.push_back(fmt::format("{}", run.samples.rows()));
  }
  head["method"] = fmt::format("{}", fmt::join(methods, " beside "));
  head["counts"] = fmt::format("{} samples", fmt::join(counts, " and "));
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
