#include "model/line_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl::model {

void LineReader::refuse(const std::string& why) const {
  throw Misuse(fmt::format("line {}: {}", line_, why));
}

void LineReader::next() {
  ++line_;
  if (!std::getline(in_, text_)) refuse("the file ends here, before its 'end'");
  rest_ = text_;
}

std::string_view LineReader::word() {
  const auto begin = std::min(rest_.find_first_not_of(' '), rest_.size());
  const auto end = std::min(rest_.find(' ', begin), rest_.size());
  const std::string_view found = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return found;
}

int LineReader::integer() {
  const std::string_view digits = word();
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    refuse(fmt::format("expected a whole number, found '{}'", digits));
  return value;
}

double LineReader::number() {
  std::string_view digits = word(), all = digits;
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.remove_prefix(1);
  const bool is_hexadecimal = digits.starts_with("0x");
  if (is_hexadecimal) digits.remove_prefix(2);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('-'))
    refuse(fmt::format("expected a number, found '{}'", all));
  return is_negative ? -value : value;
}

void LineReader::close() const {
  if (rest_.find_first_not_of(' ') != std::string_view::npos)
    refuse(fmt::format("'{}' is one word too many", rest_.substr(rest_.find_first_not_of(' '))));
}

std::string LineReader::rest(const char* what) {
  if (rest_.size() < 2) refuse(fmt::format("{} is missing", what));
  return std::string(rest_.substr(1));
}

int LineReader::section(std::string_view name) {
  next();
  if (word() != name) refuse(fmt::format("expected '{} <count>'", name));
  const int count = integer();
  if (count < 0) refuse(fmt::format("{} {}: a count is 0 or more", name, count));
  close();
  return count;
}

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:a}", value) : fmt::format("{}", value);
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace pawl::model
