// Balls on a spring and damper: the model and its exact event times.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl {

namespace {
constexpr double gravity = 9.81, stiffness = 1e4, damping = 14;
}

System spring_balls(int count, GuardForm form) {
  System system(std::to_string(count) + " balls on springs");
  std::vector<double> heights;
  for (int j = 0; j < count; ++j) heights.push_back(1 + 1e-9 * j);
  const auto y = system.states("y", heights);
  const auto v = system.states("v", std::vector<double>(heights.size(), 0.0));
  std::vector<Discrete<bool>> touching;
  for (int j = 0; j < count; ++j) touching.push_back(system.discrete("touching" + std::to_string(j + 1), false));
  const int first = touching.front().index;
  system.rates([=](const auto& at, auto& d) {
    for (int j = 0; j < count; ++j) {
      d[y[j]] = at[v[j]];
      if (at[Discrete<bool>{first + j}])
        d[v[j]] = -gravity - stiffness * at[y[j]] - damping * at[v[j]];
      else
        d[v[j]] = -gravity;
    }
  });
  for (int j = 0; j < count; ++j) {
    const State height = y[j];
    const Discrete<bool> is_touching = touching[static_cast<std::size_t>(j)];
    gauntlet_parts::guard(system, form, "ball" + std::to_string(j + 1), [=](const auto& at) {
      return at[height];
    }).then(gauntlet_parts::toggling(is_touching));
  }
  return system;
}

// In contact y = s + exp(-a t) (A cos w t + B sin w t) with s = -g/k, a = c/2, w^2 = k - a^2; in flight a parabola.
std::vector<double> spring_ball_events(double height, double end) {
  const long double g = gravity, k = stiffness, a = static_cast<long double>(damping) / 2, w = std::sqrt(k - a * a);
  const long double rest = -g / k;
  std::vector<double> times;
  long double t = std::sqrt(2 * static_cast<long double>(height) / g), v = -g * t;
  while (t <= end) {
    times.push_back(static_cast<double>(t));
    const long double A = -rest, B = (v + a * A) / w;
    const auto y = [&](long double s) { return rest + std::exp(-a * s) * (A * std::cos(w * s) + B * std::sin(w * s)); };
    const auto speed = [&](long double s) {
      return std::exp(-a * s) * ((w * B - a * A) * std::cos(w * s) - (w * A + a * B) * std::sin(w * s));
    };
    // The release lies between the lowest point, near a quarter period, and the end of the half period that follows.
    long double s = std::numbers::pi_v<long double> / w;
    for (int i = 0; i < 40; ++i) s -= y(s) / speed(s);
    t += s;
    v = speed(s);
    if (t > end) break;
    times.push_back(static_cast<double>(t));
    t += 2 * v / g;
    v = -v;
  }
  return times;
}

}  // namespace pawl
