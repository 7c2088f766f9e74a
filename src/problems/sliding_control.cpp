#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl::problems {

namespace {

constexpr double sigma = 2, eta = 0.5, gust = 0.3, friction = 0.2;

// A pendulum y'' = -sin y - c y' + d(t) + u shall follow sin t. With the error e = sin t - y, the surface is
// s = e' + σ e. The controller knows the pendulum, not the disturbance d = 0.3 cos 3t:
//
//   u = -sin t + σ e' + sin y + c y' + η sgn s,   so that   s' = -d(t) - η sgn s.
//
// The surface is reached in finite time; on it the relay's equivalent value is -d / η, and e' = -σ e.
System controlled(bool is_discontinuous) {
  System plant("sliding-control");
  const auto y = plant.state("y", 1), v = plant.state("y'", is_discontinuous ? 0 : 1 - sigma);
  const auto shaping = plant.parameter("discontinuous", is_discontinuous ? 1 : 0);
  plant.start([=](Start& at) {
    if (at[shaping] != (is_discontinuous ? 1 : 0)) {
      throw Misuse(
          fmt::format("this sliding-control was built with discontinuous = {}, not {:g}: build it with "
                      "system_of(problem, {{\"discontinuous\", ...}})",
                      is_discontinuous ? 1 : 0, at[shaping]));
    }
  });
  const auto surface = [=](const auto& at) { return cos(at.t) - at[v] + sigma * (sin(at.t) - at[y]); };
  const auto motion = [=](const auto& at, auto& d, const auto& push) {
    const auto disturbance = gust * cos(3 * at.t);
    const auto u = -sin(at.t) + sigma * (cos(at.t) - at[v]) + sin(at[y]) + friction * at[v] + push;
    d[y] = at[v];
    d[v] = -sin(at[y]) - friction * at[v] + disturbance + u;
  };
  if (is_discontinuous) {
    const auto sign = plant.relay("sgn s", {.below = -1, .above = 1}, surface);
    plant.rates([=](const auto& at, auto& d) { motion(at, d, eta * at[sign]); });
  } else {
    plant.rates([=](const auto& at, auto& d) { motion(at, d, -gust * cos(3 * at.t)); });
    plant.invariant("surface", surface);
  }
  using namespace shapes;
  const auto at_angle = [](const auto& angle) {
    return Place{[=](const auto& at) { return sin(angle(at)); }, [=](const auto& at) { return -cos(angle(at)); }};
  };
  const auto bob = at_angle([=](const auto& at) { return at[y]; });
  plant.picture({Rod{{0, 0}, bob}, Disk{bob, 0.06}, Ring{at_angle([](const auto& at) { return sin(at.t); }), 0.08}});
  plant.observable("s", surface);
  plant.observable("error", [=](const auto& at) { return sin(at.t) - at[y]; });
  return plant;
}

// Below the surface, from e(0) = -1, e'(0) = 1: s = s(0) + η t - d0 / 3 sin 3t, and e' = s - σ e.
constexpr Real s0 = 1 - sigma, e0 = -1, swing = Real(3) / 10 / 3;

Real surface_before(Real t) {
  return s0 + eta * t - swing * std::sin(3 * t);
}
Real error_before(Real t) {
  const auto forced = [](Real at) {
    return s0 / sigma + eta * (at / sigma - Real(1) / (sigma * sigma)) -
           swing * (sigma * std::sin(3 * at) - 3 * std::cos(3 * at)) / (sigma * sigma + 9);
  };
  return forced(t) + (e0 - forced(0)) * std::exp(-sigma * t);
}
Real reached_at() {
  static const Real t = zero_between(surface_before, 1, 3);
  return t;
}

}  // namespace

Problem sliding_control() {
  // States are compared with the declared ones by value, so that the numbers of both variants may be given.
  const auto start_is_declared = [](const Values& values) {
    const bool is_discontinuous = values.parameters()[0] != 0;
    return values.start() == Values(controlled(is_discontinuous)).start();
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!start_is_declared(values) || t < 0) return std::nullopt;
    const Real begin = values.parameters()[0] != 0 ? reached_at() : 0;
    const Real s = t < begin ? surface_before(t) : 0;
    const Real e =
        t < begin ? error_before(t) : (begin > 0 ? error_before(begin) : e0) * std::exp(-sigma * (t - begin));
    return std::vector{static_cast<double>(std::sin(Real(t)) - e),
                       static_cast<double>(std::cos(Real(t)) - (s - sigma * e))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!start_is_declared(values)) return std::nullopt;
    const auto reached = static_cast<double>(reached_at());
    if (values.parameters()[0] == 0 || reached > end) return std::vector<double>{};
    return std::vector{reached};
  };
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("discontinuous");
    const double number = found == assignments.end() ? 1 : found->second;
    if (number != 0 && number != 1) {
      throw Misuse(
          fmt::format("sliding-control: discontinuous = {:g} is unknown: 1 is the relay, 0 the equivalent "
                      "control on the surface",
                      number));
    }
    return controlled(number == 1);
  };
  return {.summary =
              "a pendulum follows sin t under sliding-mode control: reaching, then sliding; discontinuous = 0: the "
              "equivalent control",
          .kind = "hybrid ODE, sliding",
          .source = "Compere, dissertation, UT Austin (2001), sections 3.2 and 3.3; plant and numbers are ours",
          .system = controlled(true),
          .end = 5,
          .plot = "t,y",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times,
          .build = build,
          .shaped_by = "discontinuous"};
}

}  // namespace pawl::problems
