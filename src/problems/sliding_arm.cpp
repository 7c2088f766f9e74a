#include <algorithm>
#include <array>
#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

// Joint i shall follow w_i(t) = size_i sin(frequency_i t). With the error e = q - w and the surface s = e' + σ e, the
// torques of a controller that knows the arm, M (w'' - σ e' - k sgn s) and what forces need, give
//   s' = -k sgn s + gust(t),   gust = size cos(3 t), which the controller does not know,
// joint by joint: each surface is reached when s has run down, and then e' = -σ e.
struct Joint {
  Real sigma, gain, gust, size, frequency, start;  // start: the angle

  Real path(Real t) const { return size * std::sin(frequency * t); }
  Real path_speed(Real t) const { return size * frequency * std::cos(frequency * t); }
  Real error_at_start() const { return start; }
  Real surface_at_start() const { return sigma * start - size * frequency; }
  Real surface(Real t) const {
    return surface_at_start() + (surface_at_start() > 0 ? -gain : gain) * t + gust / 3 * std::sin(3 * t);
  }
  Real reached_at() const {
    const Real sign = surface_at_start() > 0 ? 1 : -1;
    return zero_between([&](Real t) { return sign * surface(t); }, 0, sign * surface_at_start() / (gain - gust));
  }
  // Before: e' = s - σ e.
  Real error(Real t) const {
    const Real reached = reached_at();
    if (t > reached) return error(reached) * std::exp(-sigma * (t - reached));
    const Real slope = surface_at_start() > 0 ? -gain : gain;
    const auto forced = [&](Real at) {
      return surface_at_start() / sigma + slope * (at / sigma - 1 / (sigma * sigma)) +
             gust / 3 * (sigma * std::sin(3 * at) - 3 * std::cos(3 * at)) / (sigma * sigma + 9);
    };
    return forced(t) + (error_at_start() - forced(0)) * std::exp(-sigma * t);
  }
  Real error_speed(Real t) const { return (t < reached_at() ? surface(t) : 0) - sigma * error(t); }
};
constexpr std::array<Joint, 2> joints{{{3, 4, 1, 1, 1, 1.5L}, {4, 3, 0.5L, 0.5L, 2, -1}}};

}  // namespace

// Two uniform links of mass m and length 1, gravity along -y; θ1 from the horizontal, θ2 from the first link.
Problem sliding_arm() {
  Mechanics arm("sliding-arm");
  const auto q1 = arm.coordinate("theta1", static_cast<double>(joints[0].start)),
             q2 = arm.coordinate("theta2", static_cast<double>(joints[1].start));
  const auto m = arm.parameter("mass", 3), g = arm.parameter("gravity", 9.81);
  const std::array q{q1, q2};
  const auto error = [=](const auto& at, std::size_t i) {
    const auto size = static_cast<double>(joints[i].size), frequency = static_cast<double>(joints[i].frequency);
    return at[q[i]] - size * sin(frequency * at.t);
  };
  const auto error_speed = [=](const auto& at, std::size_t i) {
    const auto size = static_cast<double>(joints[i].size), frequency = static_cast<double>(joints[i].frequency);
    return at[dot(q[i])] - size * frequency * cos(frequency * at.t);
  };
  const auto surface = [=](const auto& at, std::size_t i) {
    return error_speed(at, i) + static_cast<double>(joints[i].sigma) * error(at, i);
  };
  const std::array sign{arm.relay("sgn s1", {.below = -1, .above = 1}, [=](const auto& at) { return surface(at, 0); }),
                        arm.relay("sgn s2", {.below = -1, .above = 1}, [=](const auto& at) { return surface(at, 1); })};
  arm.mass([=](const auto& at, auto& M) {
    M(q1, q1) = at[m] * (5. / 3 + cos(at[q2]));
    M(q1, q2) = at[m] * (1. / 3 + cos(at[q2]) / 2);
    M(q2, q2) = at[m] / 3;
  });
  arm.potential([=](const auto& at) { return at[m] * at[g] * (1.5 * sin(at[q1]) + sin(at[q1] + at[q2]) / 2); });
  arm.force([=](const auto& at, auto& f) {
    const auto wanted = [&](std::size_t i) {
      const Joint& joint = joints[i];
      const auto size = static_cast<double>(joint.size), frequency = static_cast<double>(joint.frequency);
      return -size * frequency * frequency * sin(frequency * at.t) -
             static_cast<double>(joint.sigma) * error_speed(at, i) - static_cast<double>(joint.gain) * at[sign[i]] +
             static_cast<double>(joint.gust) * cos(3 * at.t);
    };
    const auto a1 = wanted(0), a2 = wanted(1), coupling = 1. / 3 + cos(at[q2]) / 2;
    // Weight is taken up, and so is what the moving links pull at each other.
    const auto pull = sin(at[q2]) / 2, v1 = at[dot(q1)], v2 = at[dot(q2)];
    f[q1] += at[m] * ((5. / 3 + cos(at[q2])) * a1 + coupling * a2 - pull * (2 * v1 * v2 + sqr(v2)) +
                      at[g] * (1.5 * cos(at[q1]) + cos(at[q1] + at[q2]) / 2));
    f[q2] += at[m] * (coupling * a1 + a2 / 3. + pull * sqr(v1) + at[g] * cos(at[q1] + at[q2]) / 2);
  });
  for (const std::size_t i : {0u, 1u}) {
    arm.observable(i == 0 ? "s1" : "s2", [=](const auto& at) { return surface(at, i); });
    arm.observable(i == 0 ? "error1" : "error2", [=](const auto& at) { return error(at, i); });
  }
  using namespace shapes;
  const Place elbow{[=](const auto& at) { return cos(at[q1]); }, [=](const auto& at) { return sin(at[q1]); }};
  const Place tip{[=](const auto& at) { return cos(at[q1]) + cos(at[q1] + at[q2]); },
                  [=](const auto& at) { return sin(at[q1]) + sin(at[q1] + at[q2]); }};
  arm.picture({Rod{{0, 0}, elbow, 0.06}, Rod{elbow, tip, 0.06}, Disk{{0, 0}, 0.06}, Disk{elbow, 0.05}, Trace{tip, 1}});
  const auto start_is_declared = [=](const Values& values) { return values.start() == Values(arm).start(); };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!start_is_declared(values) || t < 0) return std::nullopt;
    std::vector<double> state;
    for (const Joint& joint : joints) {
      state.push_back(static_cast<double>(joint.path(t) + joint.error(t)));
      state.push_back(static_cast<double>(joint.path_speed(t) + joint.error_speed(t)));
    }
    return state;
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!start_is_declared(values)) return std::nullopt;
    std::vector<double> times;
    for (const Joint& joint : joints) {
      if (const auto t = static_cast<double>(joint.reached_at()); t <= end) times.push_back(t);
    }
    std::sort(times.begin(), times.end());
    return times;
  };
  return {.summary = "two-link arm that follows its path under sliding-mode control: two surfaces are reached and kept",
          .kind = "hybrid mechanics, sliding",
          .source = "Slotine, Li, Applied Nonlinear Control (1991), chapter 7; data of pawl",
          .system = arm,
          .end = 4,
          .plot = "t,theta1",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
