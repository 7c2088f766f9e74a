#include "report/csv.hpp"

#include "report/digits.hpp"

namespace pawl {

void append_csv_field(std::string& text, std::string_view name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) {
    text += name;
    return;
  }
  text += '"';
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    if (c > 0) text += ',';
    append_csv_field(text, table.names[c]);
  }
  text += "\n";
  text.reserve(text.size() + 24 * table.values.size());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t c = 0; c < table.columns(); ++c) {
      if (c > 0) text += ',';
      append_digits(text, table(r, c));
    }
    text += '\n';
  }
  return text;
}

}  // namespace pawl
