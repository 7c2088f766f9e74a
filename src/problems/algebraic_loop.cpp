#include <cmath>

#include <fmt/format.h>

#include "problems/closed_form.hpp"
#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

// A plant x' = -x + u under feedback u = r - y of its output y = x + d u, which contains u itself. Without a lag that
// is an algebraic loop for u; with one, the sensor reads yf, tau yf' = y - yf, and u = r - yf.
System loop_with(double lag) {
  System loop("algebraic-loop");
  const auto x = loop.state("x", 0);
  const auto other = loop.state(lag > 0 ? "yf" : "u", 0);
  const auto d = loop.parameter("d", 2), r = loop.parameter("r", 1), tau = loop.parameter("tau", lag);
  const bool has_lag = lag > 0;
  loop.start([=](Start& at) {
    if ((at[tau] > 0) != has_lag) {
      throw Misuse(
          fmt::format("this algebraic-loop was built {} a lag, not for tau = {:g}: build it with system_of(problem, "
                      "{{\"tau\", ...}})",
                      has_lag ? "with" : "without", at[tau]));
    }
    if (!has_lag) at[other] = (at[r] - at[x]) / (1 + at[d]);
  });
  if (has_lag) {
    loop.rates([=](const auto& at, auto& rate) {
      const auto u = at[r] - at[other];
      rate[x] = -at[x] + u;
      rate[other] = (at[x] + at[d] * u - at[other]) / at[tau];
    });
    loop.observable("u", [=](const auto& at) { return at[r] - at[other]; });
  } else {
    loop.rates([=](const auto& at, auto& rate) { rate[x] = -at[x] + at[other]; });
    loop.equation("loop", [=](const auto& at) { return at[r] - at[other] - (at[x] + at[d] * at[other]); });
  }
  return loop;
}

std::optional<std::vector<double>> motion(Real d, Real r, Real tau, Real x0, Real yf0, Real t) {
  if (!(d > -1)) return std::nullopt;
  const Real rest = r / (2 + d), dx = x0 - rest;
  if (!(tau > 0)) {
    const Real x = rest + dx * std::exp(-(2 + d) / (1 + d) * t);
    return std::vector{static_cast<double>(x), static_cast<double>((r - x) / (1 + d))};
  }
  // (x, yf)' = A (x - rest, yf - r + rest): by the two eigenvalues of A
  const Real dy = yf0 - (r - rest), b = -(1 + d) / tau, trace = b - 1, determinant = (2 + d) / tau;
  const Real root = std::sqrt(trace * trace - 4 * determinant);
  if (!(root > 0)) return std::nullopt;
  const Real fast = (trace - root) / 2, slow = determinant / fast;
  const Real fast_part = std::exp(fast * t) / (fast - slow), slow_part = std::exp(slow * t) / (slow - fast);
  const Real ax = -dx - dy, ay = dx / tau + b * dy;  // A (dx, dy)
  const Real x = rest + fast_part * (ax - slow * dx) + slow_part * (ax - fast * dx),
             yf = r - rest + fast_part * (ay - slow * dy) + slow_part * (ay - fast * dy);
  return std::vector{static_cast<double>(x), static_cast<double>(yf)};
}

}  // namespace

Problem algebraic_loop() {
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("tau");
    const double tau = found == assignments.end() ? 0 : found->second;
    if (!(tau >= 0) || !std::isfinite(tau))
      throw Misuse(fmt::format("algebraic-loop: tau = {:g} must be a time, or 0 for no lag", tau));
    return loop_with(tau);
  };
  const auto reference = [](const Values& values, double t) {
    const std::vector<double>&k = values.parameters(), start = values.start();
    return motion(k[0], k[1], k[2], start[0], start[1], t);
  };
  return {.summary = "reconstruction: feedback through an algebraic loop; tau > 0 breaks it by a lag",
          .kind = "DAE, index 1",
          .source = "Taylor, lecture notes on hybrid simulation (2002); numbers are ours",
          .system = loop_with(0),
          .end = 5,
          .plot = "t,x",
          .known_by = "closed form, with and without the lag",
          .reference = reference,
          .build = build,
          .shaped_by = "tau"};
}

}  // namespace pawl::problems
