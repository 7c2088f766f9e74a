// What one evaluation of DaeEquations with a scalar works on. For the files that implement them.
#pragma once

#include <tuple>
#include <vector>

#include "formulate/dae_equations.hpp"

namespace pawl::formulate {

/// Directions of one evaluation with duals.
inline constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

template <class T>
class GivenRates final : public detail::RateSource<T> {
 public:
  T rate(const Point<T>&, int index) const override { return values[index]; }
  const T* values = nullptr;
};

template <class T>
struct DaeEquations::Bench {
  explicit Bench(int size) : f(at(size), T(0.0)), y(at(size), T(0.0)), dy(at(size), T(0.0)), r(at(size), T(0.0)) {}
  GivenRates<T> rates;
  std::vector<T> f, mass, y, dy, r;
};

}  // namespace pawl::formulate
