// Numbers as files have them: 17 significant digits, which restore every bit.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace pawl {

/// As printf's %.17g writes it, in half of the time.
inline void append_digits(std::string& text, double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, 17);
  text.append(digits.data(), end.ptr);
}

}  // namespace pawl
