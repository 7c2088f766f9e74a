// Scatter: numbers that look random and are the same in every run, from a state of one word (SplitMix64: Steele, Lea
// and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace pawl::formulate {

class Scatter {
 public:
  explicit Scatter(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double part() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace pawl::formulate
