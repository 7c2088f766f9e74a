// "name(first,second)": a name and its arguments, as options are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Whether the choice is left to the program.
inline bool is_auto(std::string_view words) {
  return words == "auto";
}

struct CallWords {
  std::string name;
  std::vector<std::string> arguments;
};

/// False where the parentheses do not match.
bool read_call(std::string_view words, CallWords& out);

/// False where the word is not a number, or not all of it is. The decimal sign is a point, whatever the locale of the
/// program; what is too large is infinite, what is too small is zero.
bool read_number(std::string_view word, double& out);

}  // namespace pawl
