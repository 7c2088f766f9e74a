#include "numerics/call_words.hpp"

#include <cstdlib>

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

bool read_number(const std::string& word, double& out) {
  if (word.empty()) return false;
  char* end = nullptr;
  out = std::strtod(word.c_str(), &end);
  return end == word.c_str() + word.size();
}

}  // namespace pawl
