// Indices are int here, as handles have them; containers of the standard library count with std::size_t.
#pragma once

#include <cstddef>

namespace pawl {

/// v[at(i)]
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace pawl
