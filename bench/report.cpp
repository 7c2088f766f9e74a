#include "report.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "numbers.hpp"

namespace pawl::bench {

using Json = nlohmann::ordered_json;

namespace {

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", cell);
  return line + "\n";
}

std::string head_of(const std::string& title, const std::string& text, const std::vector<std::string>& columns) {
  std::string head;
  if (!title.empty()) head += fmt::format("### {}\n\n", title);
  if (!text.empty()) head += text + "\n" + (columns.empty() ? "" : "\n");
  if (columns.empty()) return head;
  head += line_of(columns) + "|";
  for (std::size_t i = 0; i < columns.size(); ++i) head += "---|";
  return head + "\n";
}

/// Cells that are numbers, as numbers.
Json value_of_cell(const std::string& cell) {
  std::size_t length = 0;
  double value = 0;
  try {
    value = std::stod(cell, &length);
  } catch (const std::exception&) {
    length = 0;  // words
  }
  return length > 0 && length == cell.size() && std::isfinite(value) ? Json(value) : Json(cell);
}

void print(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

std::string list_of(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fmt::format("- {}\n", fault);
  return text;
}

}  // namespace

bool Comparison::agrees_within(double most) const {
  return agrees() || (kind == Kind::factor && factor <= most && factor * most >= 1);
}

std::string Comparison::words() const {
  switch (kind) {
    case Kind::same_digits:
      return "same digits";
    case Kind::last_digit:
      return "last digit";
    case Kind::rounding:
      return "rounding";
    case Kind::both_blow_up:
      return "both blow up";
    case Kind::only_ours:
      return "only ours blows up";
    case Kind::only_theirs:
      return "only theirs blows up";
    case Kind::factor:
      break;
  }
  return factor >= 0.01 && factor < 100 ? fmt::format("factor {:.2g}", factor) : fmt::format("factor {:.0e}", factor);
}

Comparison compare(std::string_view text, double ours, double floor) {
  using Kind = Comparison::Kind;
  const Printed printed = read_printed(text);
  if (std::isnan(printed.value)) return {std::isfinite(ours) ? Kind::only_theirs : Kind::both_blow_up};
  if (!std::isfinite(ours)) return {Kind::only_ours};
  const double apart = std::abs(ours - printed.value);
  if (apart <= 0.5001 * printed.unit) return {Kind::same_digits};
  if (printed.value <= floor && ours <= floor) return {Kind::rounding};
  const double factor = ours / printed.value;
  if (apart <= 1.5 * printed.unit && printed.value >= 9.5 * printed.unit) return {Kind::last_digit, factor};
  return {Kind::factor, factor};
}

void Report::begin(std::string name, std::string title, std::string text, std::vector<std::string> columns) {
  if (!is_json_) print((is_first_ ? "" : "\n") + head_of(title, text, columns));
  is_first_ = false;
  parts_.push_back({std::move(name), std::move(title), std::move(text), std::move(columns), {}});
}

void Report::row(std::vector<std::string> cells) {
  if (!is_json_) print(line_of(cells));
  parts_.back().rows.push_back(std::move(cells));
}

void Report::note(std::string text) {
  if (!is_json_) print((is_first_ ? "" : "\n") + head_of({}, text, {}));
  is_first_ = false;
  parts_.push_back({{}, {}, std::move(text)});
}

void Report::expect(bool holds, const std::string& what) {
  ++expectations_;
  if (!holds) faults_.push_back(parts_.empty() ? what : fmt::format("{}: {}", parts_.back().title, what));
}

std::string Report::same(const std::string& what, std::string_view printed, double ours, double floor) {
  const Comparison comparison = compare(printed, ours, floor);
  expect(comparison.agrees(), fmt::format("{}: printed {}, ours {:.3e}, {}", what, printed, ours, comparison.words()));
  return comparison.words();
}

std::string Report::within(double factor, const std::string& what, std::string_view printed, double ours,
                           double floor) {
  const Comparison comparison = compare(printed, ours, floor);
  expect(comparison.agrees_within(factor), fmt::format("{}: printed {}, ours {:.3e}, {}; allowed is a factor {:g}",
                                                       what, printed, ours, comparison.words(), factor));
  return comparison.words();
}

void Report::finish() {
  if (!is_json_) {
    if (expectations_ > 0)
      print(fmt::format("\n{} of {} expectations hold.\n{}", expectations_ - static_cast<int>(faults_.size()),
                        expectations_, faults_.empty() ? "" : "\n" + list_of(faults_)));
    return;
  }
  Json all = Json::array();
  for (const Part& part : parts_) {
    if (part.columns.empty()) {
      all.push_back({{"note", part.text}});
      continue;
    }
    Json rows = Json::array();
    for (const auto& cells : part.rows) {
      Json row = Json::array();
      for (const std::string& cell : cells) row.push_back(value_of_cell(cell));
      rows.push_back(std::move(row));
    }
    all.push_back({{"table", part.name},
                   {"title", part.title},
                   {"text", part.text},
                   {"columns", part.columns},
                   {"rows", std::move(rows)},
                   {"cells", part.rows}});
  }
  print(Json{{"tables", std::move(all)}, {"expectations", expectations_}, {"faults", faults_}}.dump(2) + "\n");
}

std::string page_of(const Json& report) {
  std::string page;
  for (const Json& part : report.at("tables")) {
    if (!page.empty()) page += "\n";
    if (part.contains("note")) {
      page += head_of({}, part.at("note").get<std::string>(), {});
      continue;
    }
    page += head_of(part.at("title").get<std::string>(), part.at("text").get<std::string>(),
                    part.at("columns").get<std::vector<std::string>>());
    for (const Json& row : part.at("cells")) page += line_of(row.get<std::vector<std::string>>());
  }
  const auto faults = report.at("faults").get<std::vector<std::string>>();
  if (!faults.empty()) page += "\nFaults:\n\n" + list_of(faults);
  return page;
}

}  // namespace pawl::bench
