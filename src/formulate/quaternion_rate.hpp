// The rate of a unit quaternion that turns with an angular velocity in body axes: half their product.
#pragma once

#include <array>

namespace pawl::formulate {

template <class Q, class V>
auto quaternion_rate(const Q& w, const Q& x, const Q& y, const Q& z, const V* v) {
  using T = decltype(w * v[0]);
  return std::array<T, 4>{-0.5 * (x * v[0] + y * v[1] + z * v[2]), 0.5 * (w * v[0] + y * v[2] - z * v[1]),
                          0.5 * (w * v[1] + z * v[0] - x * v[2]), 0.5 * (w * v[2] + x * v[1] - y * v[0])};
}

}  // namespace pawl::formulate
