#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "problems/closed_form.hpp"
#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

// u' = 1 + u² v - 4 u + α u_xx, v' = 3 u - u² v + α v_xx on 0 < x < 1, with u = 1 and v = 3 at both ends and central
// differences on n / 2 inner points. u and v alternate, so that the Jacobian has two diagonals on either side.
System reactor_of(int n) {
  System reactor("brusselator-1d");
  const int points = n / 2;
  for (int i = 1; i <= points; ++i) {
    reactor.state(fmt::format("u{}", i), 1 + std::sin(2 * std::numbers::pi * i / (points + 1)));
    reactor.state(fmt::format("v{}", i), 3);
  }
  const auto number = reactor.parameter("n", n), alpha = reactor.parameter("alpha", 0.02);
  reactor.start([=](Start& at) {
    if (at[number] != n) {
      throw Misuse(fmt::format(
          "this brusselator-1d has {} unknowns, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})", n,
          at[number]));
    }
  });
  reactor.rates([=](const auto& at, auto& d) {
    using T = std::decay_t<decltype(at.t)>;
    const double diffusion = at[alpha] * (points + 1.0) * (points + 1.0);
    T u_left = 1, v_left = 3, u = at[State{0}], v = at[State{1}];
    for (int i = 0; i < points; ++i) {
      const bool is_last = i + 1 == points;
      const T u_right = is_last ? T(1) : at[State{2 * i + 2}], v_right = is_last ? T(3) : at[State{2 * i + 3}];
      const T reaction = sqr(u) * v;
      d[State{2 * i}] = 1 + reaction - 4 * u + diffusion * (u_left - 2 * u + u_right);
      d[State{2 * i + 1}] = 3 * u - reaction + diffusion * (v_left - 2 * v + v_right);
      u_left = u, v_left = v, u = u_right, v = v_right;
    }
  });
  return reactor;
}

// u' = α u_xx on 0 < x < 1, zero at both ends, with central differences on n inner points. sin k π x is an
// eigenvector of the differences too, with the eigenvalue -4 α (n + 1)² sin²(k π / (2 (n + 1))).
constexpr struct {
  int k;
  Real size;
} waves[] = {{1, 1}, {3, 0.5L}};

std::vector<double> profile(int n, Real alpha, Real t) {
  constexpr Real pi = std::numbers::pi_v<Real>;
  std::vector<double> u;
  const Real cells = Real(n) + 1;
  std::array<Real, std::size(waves)> sizes{};
  for (std::size_t w = 0; w < std::size(waves); ++w) {
    const Real s = 2 * cells * std::sin(static_cast<Real>(waves[w].k) * pi / (2 * cells));
    sizes[w] = waves[w].size * std::exp(-alpha * s * s * t);
  }
  for (int i = 1; i <= n; ++i) {
    Real sum = 0;
    for (std::size_t w = 0; w < std::size(waves); ++w)
      sum += sizes[w] * std::sin(static_cast<Real>(waves[w].k) * pi * static_cast<Real>(i) / cells);
    u.push_back(static_cast<double>(sum));
  }
  return u;
}

System rod_of(int n) {
  System rod("heat-1d");
  for (const double start : profile(n, 1, 0)) rod.state(fmt::format("u{}", rod.size() + 1), start);
  const Block<State> u{0, n};
  const auto number = rod.parameter("n", n), alpha = rod.parameter("alpha", 1);
  rod.start([=](Start& at) {
    if (at[number] != n) {
      throw Misuse(
          fmt::format("this heat-1d has {} unknowns, not n = {:g}: build it with system_of(problem, {{\"n\", ...}})", n,
                      at[number]));
    }
  });
  rod.rates([=](const auto& at, auto& d) {
    using T = std::decay_t<decltype(at.t)>;
    const double diffusion = at[alpha] * (n + 1.0) * (n + 1.0);
    T left = 0, here = at[u[0]];
    for (int i = 0; i < n; ++i) {
      const T right = i + 1 == n ? T(0) : at[u[i + 1]];
      d[u[i]] = diffusion * (left - 2 * here + right);
      left = here, here = right;
    }
  });
  return rod;
}

}  // namespace

Problem brusselator_1d() {
  constexpr int declared = 1000;
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("n");
    const double n = found == assignments.end() ? declared : found->second;
    if (!(n >= 4 && n <= 1e6 && n / 2 == std::floor(n / 2)))
      throw Misuse(fmt::format("brusselator-1d: n = {:g} must be an even number from 4 to 1000000", n));
    return reactor_of(static_cast<int>(n));
  };
  return {.summary = "Brusselator with diffusion on a line, n unknowns by the method of lines",
          .kind = "stiff ODE, sparse",
          .source = "Hairer, Wanner, Solving ODE II, 2nd ed. (1996), IV.10 (BRUSS)",
          .system = reactor_of(declared),
          .end = 10,
          .plot = "t,u1",
          .known_by = "not known: compare with a run of tighter tolerance",
          .reference = [](const Values&, double) -> std::optional<std::vector<double>> { return std::nullopt; },
          .build = build,
          .shaped_by = "n"};
}

Problem heat_1d() {
  constexpr int declared = 100;
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("n");
    const double n = found == assignments.end() ? declared : found->second;
    if (!(n >= 1 && n <= 1e6 && n == std::floor(n)))
      throw Misuse(fmt::format("heat-1d: n = {:g} must be a whole number from 1 to 1000000", n));
    return rod_of(static_cast<int>(n));
  };
  const auto reference = [](const Values& values, double t) -> std::optional<std::vector<double>> {
    const int n = static_cast<int>(values.parameters()[0]);
    if (values.start() != profile(n, 1, 0)) return std::nullopt;
    return profile(n, values.parameters()[1], t);
  };
  return {.summary = "heat in a rod that is cold at its ends, n unknowns by the method of lines",
          .kind = "stiff ODE, sparse, linear",
          .source = "Fourier (1822); differences as in Hairer, Wanner, Solving ODE II, 2nd ed. (1996), IV.1",
          .system = rod_of(declared),
          .end = 0.1,
          .plot = "t,u1",
          .known_by = "closed form of the differences, for every n and alpha",
          .reference = reference,
          .build = build,
          .shaped_by = "n"};
}

}  // namespace pawl::problems
