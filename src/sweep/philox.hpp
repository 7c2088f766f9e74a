// Philox 4x32-10: random numbers by counter. Block (c0, c1, c2, c3) under a key is a function of nothing else.
//   Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011).
#pragma once

#include <array>
#include <cstdint>

namespace pawl::sweeping {

using PhiloxBlock = std::array<std::uint32_t, 4>;

inline PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t first = 0xD2511F53U, second = 0xCD9E8D57U;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = first * counter[0], b = second * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// What numbers are drawn for: streams of the same seed that have nothing to do with each other.
enum class Stream : std::uint32_t { draws, shift, permutation, jitter };

/// 64 random bits for this place of this stream.
inline std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t column) {
  const PhiloxBlock block = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U), column,
                                    static_cast<std::uint32_t>(stream)},
                                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  return (std::uint64_t{block[1]} << 32U) | block[0];
}

/// The middle of one of 2^52 equal parts of (0, 1): never an end.
inline double unit_number(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace pawl::sweeping
