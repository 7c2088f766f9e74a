// Sine and cosine of one angle, together, and once per point: every function of a mechanism takes those of the same
// angles, with duals and with jets, and one evaluation of them costs as much as ten operations.
//
// What was computed last is kept per thread, by the bits of the angle. A value is a function of its angle alone, so
// that nothing depends on what is kept.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "pawl/number.hpp"

namespace pawl::detail {

template <class T>
struct SineCosine {
  T sine, cosine;
};

/// Those of numbers, kept.
struct KnownAngle {
  std::uint64_t bits = 0;
  SineCosine<double> of{0, 1};
};
inline thread_local constinit std::array<KnownAngle, 64> known_angles{};

template <class T>
SineCosine<T> sine_cosine(const T& angle) {
  return {sin(angle), cos(angle)};
}
inline const SineCosine<double>& sine_cosine(double angle) {
  const auto bits = std::bit_cast<std::uint64_t>(angle);
  KnownAngle& known = known_angles[bits * 0x9E3779B97F4A7C15U >> 58];
  if (known.bits != bits) {
    known.bits = bits;
    known.of = {sin(angle), cos(angle)};
  }
  return known.of;
}

}  // namespace pawl::detail
