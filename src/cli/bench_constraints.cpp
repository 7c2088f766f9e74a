// pawl bench constraints: the published tables of Compere (2001), of Ascher, Chin, Petzold and Reich (1995) and of
// Koenders (2002) beside ours; then what peers need, long runs, many links and what staying on the manifold costs.
#include "cli/bench_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"

namespace pawl::cli {

namespace {

struct Entry {
  std::string name;
  Bench bench;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list{
      {"3.2", bench_rod_pendulum},
      {"3.3", bench_rolling_spheres},
      {"fig-3.8", bench_held_multipliers},
      {"reaching", bench_reaching},
      {"6.1-6.2", bench_arm_drift},
      {"6.3", bench_arm_ensemble},
      {"6.4", bench_squeezer},
      {"gear-wheels", bench_gear_wheels},
      {"flyball", bench_flyball},
      {"andrews", bench_andrews},
      {"pendulum", bench_long_pendulum},
      {"period2", bench_period2},
      {"chain", bench_chain},
      {"share", bench_share},
  };
  return list;
}

/// Digits of a printed number: its value and the weight of the last digit.
struct Printed {
  double value = std::numeric_limits<double>::quiet_NaN(), unit = 0;
};

Printed read(std::string_view text) {
  if (text == "*") return {};
  const std::size_t e = text.find('e');
  const std::string mantissa(text.substr(0, e));
  const std::size_t point = mantissa.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
  const double exponent = e == std::string_view::npos ? 0 : std::stod(std::string(text.substr(e + 1)));
  return {std::stod(mantissa) * std::pow(10, exponent), std::pow(10, exponent - decimals)};
}

}  // namespace

std::string table_names() {
  std::string names;
  for (const Entry& one : entries()) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

void bench_constraints(const std::string& wanted, bool is_quick, bool is_json) {
  TableReport report(is_json);
  bool has_run = false;
  for (const Entry& one : entries()) {
    if (wanted != "all" && wanted != one.name) continue;
    one.bench(report, is_quick);
    has_run = true;
  }
  if (!has_run) throw Misuse(fmt::format("unknown table '{}': there are all, {}", wanted, table_names()));
  report.finish();
}

void TableReport::begin(std::string name, std::string title, std::string text, std::vector<std::string> columns) {
  if (!is_json_) {
    fmt::print("{}### {}\n\n{}{}|", tables_.empty() ? "" : "\n", title, text, text.empty() ? "" : "\n\n");
    for (const std::string& column : columns) fmt::print(" {} |", column);
    fmt::print("\n|");
    for (std::size_t i = 0; i < columns.size(); ++i) fmt::print("---|");
    fmt::print("\n");
    std::fflush(stdout);
  }
  tables_.push_back({std::move(name), std::move(title), std::move(text), std::move(columns), {}});
}

void TableReport::row(std::vector<std::string> cells) {
  if (!is_json_) {
    fmt::print("|");
    for (const std::string& cell : cells) fmt::print(" {} |", cell);
    fmt::print("\n");
    std::fflush(stdout);
  }
  tables_.back().rows.push_back(std::move(cells));
}

void TableReport::finish() const {
  if (!is_json_) return;
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Table& table : tables_) {
    Json rows = Json::array();
    for (const auto& cells : table.rows) {
      Json row = Json::array();
      for (const std::string& cell : cells) {
        std::size_t length = 0;
        double value = 0;
        try {
          value = std::stod(cell, &length);
        } catch (const std::exception&) {
          length = 0;  // words
        }
        const bool is_number = length > 0 && length == cell.size() && std::isfinite(value);
        row.push_back(is_number ? Json(value) : Json(cell));
      }
      rows.push_back(std::move(row));
    }
    all.push_back(
        {{"table", table.name}, {"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}});
  }
  fmt::print("{}\n", Json{{"tables", std::move(all)}}.dump(2));
}

double value_of(std::string_view printed) {
  return read(printed).value;
}

std::string verdict(std::string_view text, double ours, double floor) {
  const Printed printed = read(text);
  if (std::isnan(printed.value)) return std::isfinite(ours) ? "only theirs blows up" : "both blow up";
  if (!std::isfinite(ours)) return "only ours blows up";
  const double apart = std::abs(ours - printed.value);
  if (apart <= 0.5001 * printed.unit) return "same digits";
  if (printed.value <= floor && ours <= floor) return "rounding";
  if (apart <= 1.5 * printed.unit && printed.value >= 9.5 * printed.unit) return "last digit";
  const double factor = ours / printed.value;
  return factor >= 0.01 && factor < 100 ? fmt::format("factor {:.2g}", factor) : fmt::format("factor {:.0e}", factor);
}

std::string both(const std::string& first, const std::string& second) {
  return first == second ? first : first + ", " + second;
}

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}e}", value, digits) : "*";
}

long long trial_steps(const Result& run) {
  return run.statistics.steps_accepted + run.statistics.steps_rejected;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0 && std::isfinite(x[i]) && std::isfinite(y[i]))) continue;
    const double u = std::log(x[i]), v = std::log(y[i]);
    n += 1, sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace pawl::cli
