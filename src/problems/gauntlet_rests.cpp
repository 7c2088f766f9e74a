// What rests at zero only to noise: constraints on their manifold, unknowns of index 1 to 3, speeds locked together;
// and what leaves such a rest late or slowly. Beside each of them a guard with known zeros.
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

constexpr double accuracy = 1e-7, of_solution = 2e-4;  // tolerance of the runs; of times that hang on the whole motion

/// As a guard or as a condition, which has no event either.
template <class F>
void watch(System& system, GuardForm form, bool is_condition, const F& g) {
  if (!is_condition)
    guard(system, form, "rests", g);
  else if (form == GuardForm::generic)
    system.condition("rests", g);
  else
    system.condition("rests", black_box(g));
}

std::string name_of(const std::string& what, bool is_condition, const std::string& detail = {}) {
  return what + (is_condition ? ", a condition" : ", a guard") + (detail.empty() ? "" : ", " + detail);
}

GauntletCase case_of(const System& system, const std::string& why, double end,
                     const std::vector<ExpectedEvent>& expected, int lowest_order = 3) {
  return {.name = system.name(),
          .why = why,
          .system = system,
          .options = {.end = end, .tolerance = accuracy},
          .expected = expected,
          .lowest_order = lowest_order,
          .keeps_tolerance = true};
}

// A pendulum from the horizontal.
GauntletCase rod(GuardForm form, bool is_condition, double scale) {
  Mechanics rod(name_of("the length of a rod", is_condition, fmt::format("in units of {:g}", scale)));
  const auto x = rod.coordinate("x", 1), y = rod.coordinate("y", 0);
  for (const auto q : {x, y}) rod.mass(q, 1.0);
  rod.potential([=](const auto& at) { return 9.81 * at[y]; });
  rod.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  watch(rod, form, is_condition, [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / scale; });
  return case_of(rod, "its own constraint: zero to rounding at the ends of steps, to the tolerance between", 2, {});
}

// x'' = -x on the line y = 0, pressed onto it by a weight.
GauntletCase line(GuardForm form, bool is_condition) {
  Mechanics bead(name_of("the height of a bead on a line", is_condition));
  const auto x = bead.coordinate("x", 0, 1), y = bead.coordinate("y", 0);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.potential([=](const auto& at) { return sqr(at[x]) / 2 + 9.81 * at[y]; });
  bead.constraint("line", [=](const auto& at) { return at[y]; });
  watch(bead, form, is_condition, [=](const auto& at) { return at[y]; });
  guard(bead, form, "half", [=](const auto& at) { return at[x] - 0.5; });
  return case_of(bead, "a coordinate that is zero has no scale of its own", 5,
                 alternating({pi / 6, 5 * pi / 6}, "half", 1, of_solution));
}

// a' = -a; z = a sin w a, and b is what is left of z when that is taken away.
GauntletCase index_1(GuardForm form, bool is_condition, double w) {
  System dae(name_of("an algebraic unknown that is zero", is_condition, fmt::format("w = {:g}", w)));
  const auto a = dae.state("a", 1), b = dae.state("b", 0), z = dae.state("z", 0);
  dae.rates([=](const auto& at, auto& d) { d[a] = -at[a]; });
  dae.equation("z follows", [=](const auto& at) { return at[z] - at[a] * sin(w * at[a]); });
  dae.equation("what is left", [=](const auto& at) { return at[b] * (1 + at[a]) - (at[z] - at[a] * sin(w * at[a])); });
  watch(dae, form, is_condition, [=](const auto& at) { return at[b]; });
  guard(dae, form, "half", [=](const auto& at) { return at[a] - 0.5; });
  return case_of(dae, "index 1: known to what the iteration leaves", 3,
                 {{.t = std::log(2.0), .guard = "half", .tolerance = of_solution, .to = -1}});
}

// b is held at zero by z, of index 2: z = a, so that a' = c.
GauntletCase index_2(GuardForm form, bool is_condition, double c) {
  System dae(name_of("a state held at zero by index 2", is_condition, fmt::format("c = {:g}", c)));
  const auto a = dae.state("a", 1), b = dae.state("b", 0), z = dae.state("z", 0);
  dae.rates([=](const auto& at, auto& d) {
    d[a] = c - at[a] + at[z];
    d[b] = at[a] - at[z];
  });
  dae.equation("hold", [=](const auto& at) { return at[b]; });
  watch(dae, form, is_condition, [=](const auto& at) { return at[b]; });
  guard(dae, form, "three", [=](const auto& at) { return at[a] - 3; });
  return case_of(dae, "index 2: a differential unknown that a multiplier keeps where it is", 5 / c,
                 {{.t = 2 / c, .guard = "three", .tolerance = of_solution / c, .to = 1}});
}

// x follows sin w t, of index 3: the force is what that takes.
GauntletCase index_3(GuardForm form, bool is_condition, double w) {
  System dae(name_of("a prescribed motion", is_condition, fmt::format("w = {:g}", w)));
  const auto x = dae.state("x", 0), v = dae.state("v", w), force = dae.state("force", 0);
  dae.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = at[force];
  });
  dae.equation("follow", [=](const auto& at) { return at[x] - sin(w * at.t); });
  watch(dae, form, is_condition, [=](const auto& at) { return at[x] - sin(w * at.t); });
  guard(dae, form, "half", [=](const auto& at) { return at[x] - 0.5; });
  return case_of(dae, "index 3: its own constraint, which depends on time", 3 / w,
                 alternating({pi / 6 / w, 5 * pi / 6 / w}, "half", 1, of_solution / w));
}

// Two wheels driven by the same torque, written in two ways.
GauntletCase locked(GuardForm form, bool is_condition, double size) {
  System wheels(name_of("the difference of two locked speeds", is_condition, fmt::format("near {:g}", size)));
  const auto a = wheels.state("a", size), b = wheels.state("b", size), c = wheels.state("c", 0);
  wheels.rates([=](const auto& at, auto& d) {
    d[c] = cos(7 * at.t);
    d[a] = size * (3 * sin(at.t) + at[c]) / 3;
    d[b] = size * (sin(at.t) + at[c] / 3);
  });
  watch(wheels, form, is_condition, [=](const auto& at) { return at[a] - at[b]; });
  guard(wheels, form, "c = 0", [=](const auto& at) { return at[c] - 0.1; });
  const double first = std::asin(0.7) / 7;
  return case_of(wheels, "differs by the rounding of all steps", 0.9,
                 alternating({first, pi / 7 - first}, "c = 0", 1, of_solution));
}

// z = t^n, whose first n - 1 derivatives are zero: leaves, and comes to a half later.
GauntletCase slow(GuardForm form, int n) {
  System system(fmt::format("leaves zero as t^{}", n));
  const auto z = system.state("z", 0);
  system.rates([=](const auto& at, auto& d) {
    using T = std::decay_t<decltype(at.t)>;
    T power = T(1.0) + 0 * at[z];
    for (int k = 1; k < n; ++k) power = power * at.t;
    d[z] = n * power;
  });
  watch(system, form, true, [=](const auto& at) { return at[z]; });
  guard(system, form, "half", [=](const auto& at) { return at[z] * (at[z] - 0.5); });
  const double left = 2 * std::pow(1e-10, 1.0 / n);  // absolute tolerance of z
  return case_of(system, "neither slope nor curvature tells: the truth changes once it is beyond noise", 1,
                 {{.t = 0, .guard = "rests", .tolerance = left},
                  {.t = std::pow(0.5, 1.0 / n), .guard = "half", .tolerance = of_solution, .to = 1}},
                 n);  // polynomials of methods of lower order have zeros of their own there
}

// Rests until t = 1, in the middle of a step, and leaves from there as (t - 1)^n.
GauntletCase late(GuardForm form, bool is_condition, int n) {
  System system(name_of("rests until t = 1", is_condition, fmt::format("then leaves as (t - 1)^{}", n)));
  const auto x = system.state("x", 0), y = system.state("y", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = cos(at.t);
    d[y] = cos(at.t) + 0 * at[y];
  });
  watch(system, form, is_condition, [=](const auto& at) {
    const auto after = max(at.t - 1, 0 * at.t);
    return at[x] - at[y] + (n == 1 ? after : n == 2 ? sqr(after) : after * sqr(after));
  });
  guard(system, form, "half", [=](const auto& at) { return at[x] - 0.5; });
  std::vector<ExpectedEvent> expected{{.t = pi / 6, .guard = "half", .tolerance = of_solution, .to = 1}};
  if (is_condition) expected.push_back({.t = 1, .guard = "rests", .tolerance = std::pow(2 * accuracy, 1.0 / n)});
  expected.push_back({.t = 5 * pi / 6, .guard = "half", .tolerance = of_solution, .to = -1});
  return case_of(system, "nothing happens until something does", 3, expected);
}

}  // namespace

void add_rests(Cases& cases, GuardForm form) {
  for (const bool is_condition : {false, true}) {
    for (const double scale : {1e-6, 1.0, 1e6}) cases.push_back(rod(form, is_condition, scale));
    cases.push_back(line(form, is_condition));
    for (const double w : {1.0, 3.0, 10.0}) cases.push_back(index_1(form, is_condition, w));
    for (const double c : {0.1, 1.0, 10.0}) cases.push_back(index_2(form, is_condition, c));
    for (const double w : {1.0, 100.0, 1e4}) cases.push_back(index_3(form, is_condition, w));
    for (const double size : {1e-3, 1.0, 1e3, 1e6}) cases.push_back(locked(form, is_condition, size));
    for (const int n : {1, 2, 3}) cases.push_back(late(form, is_condition, n));
  }
  for (const int n : {3, 4, 5}) cases.push_back(slow(form, n));
}

}  // namespace pawl::gauntlet_parts
