#include <cmath>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

// Impact n = 1, 2, ...: its time and the speed after it, with speed_n = e speed_(n-1).
struct Impact {
  Real t, speed;
};
std::vector<Impact> impacts(Real height, Real gravity, Real e, Real end) {
  const Real first = std::sqrt(2 * height / gravity);
  std::vector<Impact> all{{first, e * gravity * first}};
  while (2 * all.back().speed / gravity > 1e-6L && all.back().t <= end)
    all.push_back({all.back().t + 2 * all.back().speed / gravity, e * all.back().speed});
  while (!all.empty() && static_cast<double>(all.back().t) > static_cast<double>(end)) all.pop_back();
  return all;
}
std::vector<double> flight(const std::vector<Impact>& all, Real height, Real gravity, Real t) {
  const Real s = all.empty() ? t : t - all.back().t, y = all.empty() ? height : 0,
             v = all.empty() ? 0 : all.back().speed;
  return {static_cast<double>(y + v * s - gravity * s * s / 2), static_cast<double>(v - gravity * s)};
}
std::vector<double> times_of(const std::vector<Impact>& all) {
  std::vector<double> times;
  for (const Impact& impact : all) times.push_back(static_cast<double>(impact.t));
  return times;
}

}  // namespace

// Impacts at t1 (1 + 2 e (1 - e^(n-1)) / (1 - e)) accumulate at t1 (1 + e) / (1 - e): there the ball comes to rest.
Problem bouncing_ball() {
  System ball("bouncing-ball");
  const auto height = ball.state("height", 1), speed = ball.state("speed", 0);
  const auto gravity = ball.parameter("gravity", 9.81), e = ball.parameter("e", 0.8);
  const auto resting = ball.discrete("resting", false);
  ball.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 : -at[gravity];
  });
  const Guard ground = ball.guard("ball hits the ground", [=](const auto& at) { return at[height]; })
                           .falling()
                           .unilateral()
                           .only_when(!resting)
                           .then([=](Jump& jump) { jump[speed] = -jump[e] * jump.pre(speed); })
                           .at_accumulation([=](Jump& jump) {
                             jump[height] = jump[speed] = 0;
                             jump[resting] = true;
                           });
  using namespace shapes;
  ball.picture({Disk{{0, [=](const auto& at) { return at[height] + 0.05; }}, 0.05}, Wall{{-0.5, 0}, {0.5, 0}},
                Touch{ground, {0, 0}}});
  const auto is_known = [=](const Values& values) {
    return values[height] > 0 && values[speed] == 0 && values[gravity] > 0 && values[e] > 0 && values[e] < 1 &&
           values.held().modes == Values(ball).held().modes;
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!is_known(values) || t < 0) return std::nullopt;
    const double first = std::sqrt(2 * values[height] / values[gravity]);
    const double last = first * (1 + values[e]) / (1 - values[e]);
    if (t >= last) return std::vector<double>{0, 0};
    if (t > last - 2e-6) return std::nullopt;
    return flight(impacts(values[height], values[gravity], values[e], t), values[height], values[gravity], t);
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!is_known(values)) return std::nullopt;
    return times_of(impacts(values[height], values[gravity], values[e], end));
  };
  return {.summary = "reconstruction: ball with restitution e, at rest where its impacts accumulate (t = 4.0637)",
          .kind = "hybrid ODE, unilateral",
          .source = "Taylor, lecture notes on hybrid simulation (2002)",
          .system = ball,
          .end = 5,
          .plot = "t,height",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

Problem bouncing_ball_fmi() {
  System ball("bouncing-ball-fmi");
  const auto height = ball.state("h", 1), speed = ball.state("v", 0);
  const auto gravity = ball.parameter("g", 9.81), e = ball.parameter("e", 0.7), slowest = ball.parameter("v_min", 0.1);
  const auto resting = ball.discrete("resting", false);
  ball.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 : -at[gravity];
  });
  const Guard ground = ball.guard("ball hits the ground", [=](const auto& at) { return at[height]; })
                           .falling()
                           .unilateral()
                           .only_when(!resting)
                           .then([=](Jump& jump) {
                             jump[height] = 0;
                             jump[speed] = -jump[e] * jump.pre(speed);
                             if (jump[speed] >= jump[slowest]) return;
                             jump[speed] = 0;
                             jump[resting] = true;
                           });
  using namespace shapes;
  ball.picture({Disk{{0, [=](const auto& at) { return at[height] + 0.05; }}, 0.05}, Wall{{-0.5, 0}, {0.5, 0}},
                Touch{ground, {0, 0}}});
  const auto until_rest = [=](const Values& values, double end) {
    std::vector<Impact> all = impacts(1, 9.81L, 0.7L, end);
    while (all.size() > 1 && all[all.size() - 2].speed < values[slowest]) all.pop_back();
    if (!all.empty() && all.back().speed < values[slowest]) all.back().speed = 0;
    return all;
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, ball) || t < 0) return std::nullopt;
    const std::vector<Impact> all = until_rest(values, t);
    if (!all.empty() && all.back().speed == 0) return std::vector<double>{0, 0};
    return flight(all, 1, 9.81L, t);
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, ball)) return std::nullopt;
    return times_of(until_rest(values, end));
  };
  return {.summary = "ball that rests once it rebounds slower than v_min: exactly 11 impacts",
          .kind = "hybrid ODE, unilateral",
          .source = "Modelica Association, Reference FMUs, BouncingBall",
          .system = ball,
          .end = 3,
          .plot = "t,h",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
