// Sobol's sequence by index: coordinate j of point i is the sum modulo 2 of direction numbers over the bits of the Gray
// code of i, so any point can be had without those before it.
//   Sobol, USSR Comput. Math. Math. Phys. 7 (1967) 86; Antonov, Saleev, ibid. 19 (1980) 252
#pragma once

#include <cstdint>

namespace pawl::sweeping {

inline constexpr int sobol_dimensions = 161;

/// 64 bits whose first is worth 1/2: coordinate `dimension` (from 0) of point `index` (the first one is 0).
std::uint64_t sobol_bits(std::uint64_t index, int dimension);

}  // namespace pawl::sweeping
