#include "numerics/call_words.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace pawl {

bool read_call(std::string_view words, CallWords& out) {
  out = {};
  const auto open = words.find('(');
  out.name = std::string(words.substr(0, open));
  if (open == std::string_view::npos) return words.find(')') == std::string_view::npos;
  if (words.back() != ')') return false;
  std::string_view rest = words.substr(open + 1, words.size() - open - 2);
  if (rest.find_first_of("()") != std::string_view::npos) return false;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    out.arguments.emplace_back(word);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return true;
}

bool read_number(std::string_view word, double& out) {
  if (word.starts_with('+') && word.size() > 1 && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) return false;
  if (error == std::errc::result_out_of_range) {  // it leaves the number alone, above and below
    const auto exponent = word.find_first_of("eE");
    const bool is_tiny = exponent != std::string_view::npos ? word.substr(exponent + 1).starts_with('-')
                                                            : word.find_first_of("123456789") > word.find('.');
    out = std::copysign(is_tiny ? 0 : std::numeric_limits<double>::infinity(), word.front() == '-' ? -1.0 : 1.0);
  }
  return true;
}

}  // namespace pawl
