// A permutation of 0 .. n - 1 by index: a Feistel network on the next even number of bits, walked until it comes back
// into the range.
#pragma once

#include <bit>
#include <cstdint>

#include "sweep/philox.hpp"

namespace pawl::sweeping {

/// Where `index` goes; 0 <= index < count.
inline std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t column) {
  if (count < 2) return index;
  const unsigned half = (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = random_bits(seed, Stream::permutation, (round << 60U) | right, column);
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}

}  // namespace pawl::sweeping
