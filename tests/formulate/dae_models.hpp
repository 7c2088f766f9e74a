// Small differential-algebraic models, and a form of one outside a run.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "formulate/dae_form.hpp"

namespace pawl::testing {

/// A form with what it reads, at the declared start.
struct Formed {
  explicit Formed(const System& system) : Formed(system, Values(system)) {}
  Formed(const System& system, const Values& values)
      : held(values.held()), y(values.start()), dy(y.size(), 0.0), form(system.share(), field) {
    form.restart(0, y.data());
  }
  Formed(const System& system, const Values& values, const Formed& teacher)
      : held(values.held()), y(values.start()), dy(y.size(), 0.0), form(system.share(), field) {
    form.learn_from(teacher.form);
    form.restart(0, y.data());
  }
  const formulate::DaeStructure& structure() const { return form.structure(); }
  /// F, F' and F'' as far as they are wanted are all zero: the largest entry, with rows scaled.
  double residual(double t = 0) {
    std::vector<double> r(y.size());
    form.residual(t, y.data(), dy.data(), r.data());
    double largest = 0;
    for (const double one : r) largest = std::max(largest, std::abs(one));
    return largest;
  }

  Held held;
  detail::Surroundings<double> around{&held};
  ActiveField field{nullptr, nullptr, held.parameters.data(), &around};
  std::vector<double> y, dy;
  formulate::DaeForm form;
};

/// A point on a circle of radius 1: x' = u, y' = v, u' = -λ x, v' = -λ y - g, and the circle as it is (index 3), its
/// first derivative (2) or its second (1).
inline System circle_pendulum(int index, double u0 = 0, double lambda0 = 0) {
  System s("pendulum");
  const auto x = s.state("x", 0.6), y = s.state("y", -0.8), u = s.state("u", u0), v = s.state("v", 0.0),
             lambda = s.state("lambda", lambda0);
  const auto g = s.parameter("g", 9.81);
  s.rates([=](const auto& at, auto& d) {
    d[x] = at[u];
    d[y] = at[v];
    d[u] = -at[lambda] * at[x];
    d[v] = -at[lambda] * at[y] - at[g];
  });
  if (index == 3) s.equation("circle", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1.0; });
  if (index == 2) s.equation("circle", [=](const auto& at) { return at[x] * at[u] + at[y] * at[v]; });
  if (index == 1)
    s.equation("circle", [=](const auto& at) { return sqr(at[u]) + sqr(at[v]) - at[lambda] - at[g] * at[y]; });
  return s;
}

/// Two stages of an amplifier, M y' = f with M of rank 5 (Hairer, Lubich and Roche, Lecture Notes in Mathematics 1409,
/// 1989, p. 106). The start is consistent.
inline System transistor_amplifier() {
  System s("transistor amplifier");
  const auto y = s.states("y", {0, 3, 3, 6, 3, 3, 6, 0});
  const double capacity = 1e-6;
  s.mass([=](const auto&, auto& M) {
    const std::array<std::array<int, 2>, 3> pairs{{{0, 1}, {3, 4}, {6, 7}}};
    for (int k = 0; k < 3; ++k) {
      const State a = y[pairs[static_cast<std::size_t>(k)][0]], b = y[pairs[static_cast<std::size_t>(k)][1]];
      const double C = (2 * k + 1) * capacity;
      M(a, a) = -C, M(a, b) = C, M(b, a) = C, M(b, b) = -C;
    }
    M(y[2], y[2]) = -2 * capacity;
    M(y[5], y[5]) = -4 * capacity;
  });
  s.rates([=](const auto& at, auto& d) {
    const auto g = [](const auto& voltage) { return 1e-6 * (exp(voltage / 0.026) - 1.0); };
    const double R = 9000, R0 = 1000, supply = 6, alpha = 0.99;
    const auto source = 0.1 * sin(200 * std::numbers::pi * at.t);
    const auto first = g(at[y[1]] - at[y[2]]), second = g(at[y[4]] - at[y[5]]);
    d[y[0]] = (at[y[0]] - source) / R0;
    d[y[1]] = -supply / R + at[y[1]] * (2 / R) - (alpha - 1) * first;
    d[y[2]] = -first + at[y[2]] / R;
    d[y[3]] = -supply / R + at[y[3]] / R + alpha * first;
    d[y[4]] = -supply / R + at[y[4]] * (2 / R) - (alpha - 1) * second;
    d[y[5]] = -second + at[y[5]] / R;
    d[y[6]] = -supply / R + at[y[6]] / R + alpha * second;
    d[y[7]] = at[y[7]] / R;
  });
  return s;
}

/// Kinetics of Robertson with the sum of concentrations in the place of the last rate.
inline System robertson_dae() {
  System s("robertson");
  const auto a = s.state("a", 1.0), b = s.state("b", 0.0), c = s.state("c", 0.0);
  s.rates([=](const auto& at, auto& d) {
    d[a] = -0.04 * at[a] + 1e4 * at[b] * at[c];
    d[b] = 0.04 * at[a] - 1e4 * at[b] * at[c] - 3e7 * sqr(at[b]);
  });
  s.equation("sum", [=](const auto& at) { return at[a] + at[b] + at[c] - 1.0; });
  return s;
}

/// Cells in a line with a current through each, 2 n unknowns.
inline System cell_line(int cells) {
  System s("line");
  const auto u = s.states("u", std::vector<double>(static_cast<std::size_t>(cells), 0.5)),
             i = s.states("i", std::vector<double>(static_cast<std::size_t>(cells), 0.1));
  for (int k = 0; k < cells; ++k) {
    s.equation("charge " + std::to_string(k), [=](const auto& at) {
      return (1.0 + 0.1 * sqr(at[u[k]])) * at[dot(u[k])] - at[i[k]] + (k > 0 ? at[i[k - 1]] : at[i[k]] * 0.0);
    });
    s.equation("resistor " + std::to_string(k), [=](const auto& at) {
      return at[i[k]] + 0.2 * pow(at[i[k]], 3.0) - (k + 1 < cells ? at[u[k + 1]] : 0.0 * at[u[k]]) + at[u[k]];
    });
  }
  return s;
}

}  // namespace pawl::testing
