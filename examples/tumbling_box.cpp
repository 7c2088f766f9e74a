// A box falls on its corner, tumbles, and comes to rest on four corners: eight contacts with friction in space,
// declared in a loop.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "pawl/pawl.hpp"

using namespace pawl;

namespace {

/// Turns a vector from the axes of the body to those of the room.
template <class T, class V>
std::array<T, 3> turn(const std::array<T, 4>& q, const std::array<V, 3>& r) {
  const auto& [w, x, y, z] = q;
  return {(1 - 2 * (y * y + z * z)) * r[0] + 2 * (x * y - w * z) * r[1] + 2 * (x * z + w * y) * r[2],
          2 * (x * y + w * z) * r[0] + (1 - 2 * (x * x + z * z)) * r[1] + 2 * (y * z - w * x) * r[2],
          2 * (x * z - w * y) * r[0] + 2 * (y * z + w * x) * r[1] + (1 - 2 * (x * x + y * y)) * r[2]};
}

}  // namespace

int main() {
  Mechanics box("box");
  const auto x = box.coordinate("x", 0, 0.5), y = box.coordinate("y", 0), z = box.coordinate("z", 1.2);
  const double c = std::cos(0.3), s = std::sin(0.3);
  const auto q = box.attitude("q", {c, 0.6 * s, 0.64 * s, 0.48 * s}, {0.3, -0.2, 0.1});
  const std::array half{0.5, 0.3, 0.2};
  const std::array inertia{(sqr(half[1]) + sqr(half[2])) / 3, (sqr(half[0]) + sqr(half[2])) / 3,
                           (sqr(half[0]) + sqr(half[1])) / 3};
  for (const State position : {State(x), State(y), State(z)}) box.mass(position, 1.0);
  for (int i = 0; i < 3; ++i) box.mass(q.speed(i), inertia[static_cast<std::size_t>(i)]);
  box.potential([=](const auto& at) { return 9.81 * at[z]; });
  std::vector<Contact> corners;
  for (int k = 0; k < 8; ++k) {
    const std::array r{k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
    const auto attitude = [=](const auto& at) { return std::array{at[q[0]], at[q[1]], at[q[2]], at[q[3]]}; };
    const auto gap = [=](const auto& at) { return at[z] + turn(attitude(at), r)[2]; };
    const auto slip = [=](const auto& at) {
      const auto p0 = at[q.speed(0)], p1 = at[q.speed(1)], p2 = at[q.speed(2)];
      const std::array rate{p1 * r[2] - p2 * r[1], p2 * r[0] - p0 * r[2], p0 * r[1] - p1 * r[0]};
      const auto v = turn(attitude(at), rate);
      return std::array{at[dot(x)] + v[0], at[dot(y)] + v[1]};
    };
    corners.push_back(box.contact("corner " + std::to_string(k + 1), gap, slip, {.restitution = 0.3, .friction = 0.3}));
  }
  const Result run = simulate(box, {.end = 3, .tolerance = 1e-8});
  std::printf("%s, %zu events, at rest since t = %.6f, on corners", run.finished() ? "finished" : run.reason.c_str(),
              run.events.size(), run.events.back().t);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const double force = run.final()[corners[k].normal];
    if (force > 0) std::printf(" %zu (%.4f)", k + 1, force);
  }
  std::printf("\n");
}
