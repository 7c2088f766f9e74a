#include "report/csv.hpp"

#include "report/digits.hpp"

namespace pawl {

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns(); ++c) text += (c == 0 ? "" : ",") + table.names[c];
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
