#include "report/signal_csv.hpp"

#include <cmath>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "pawl/system.hpp"

namespace pawl {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The fields of a line, as RFC 4180 quotes them.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_quote = line[i] == '"';
    const bool is_doubled = is_quote && is_quoted && i + 1 < line.size() && line[i + 1] == '"';
    if (is_doubled) ++i;
    if (is_quote && !is_doubled && (is_quoted || trimmed(fields.back()).empty()))
      is_quoted = !is_quoted;
    else if (line[i] == ',' && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

}  // namespace

Signal read_signal(const std::string& path, Course course) {
  std::ifstream file(path);
  if (!file) throw Misuse(fmt::format("{}: this file cannot be read", path));
  std::vector<Signal::Point> points;
  std::string line;
  bool may_be_heading = true;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // the mark of UTF-8
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const auto fault = [&](const std::string& what) {
      return Misuse(fmt::format("{}, line {}: {}", path, number, what));
    };
    const std::vector<std::string> fields = fields_of(text);
    Signal::Point point{};
    const bool has_two = fields.size() == 2;
    const bool is_point =
        has_two && read_number(trimmed(fields[0]), point.t) && read_number(trimmed(fields[1]), point.value);
    const bool is_heading = std::exchange(may_be_heading, false) && has_two && !is_point;
    if (is_heading) continue;
    if (!is_point) throw fault(fmt::format("'{}' is not a time and a value, separated by a comma", text));
    if (!std::isfinite(point.t) || !std::isfinite(point.value))
      throw fault(fmt::format("'{}': both numbers must be finite", text));
    if (!points.empty() && !(point.t > points.back().t))
      throw fault(fmt::format("the time {:.10g} is not after {:.10g}, the one before", point.t, points.back().t));
    points.push_back(point);
  }
  if (points.empty()) throw Misuse(fmt::format("{}: there is no point in this file", path));
  return course == Course::steps    ? Signal::steps(points)
         : course == Course::spline ? Signal::spline(points)
                                    : Signal::polyline(points);
}

}  // namespace pawl
