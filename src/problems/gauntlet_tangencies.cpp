// Near tangency on both sides, touches, and roots of high multiplicity.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

// sin(pi t) = A t has three roots in (0, 3] for A below the tangency at t = 2.459024032956761379, one above it. Roots
// for these very doubles A, from 40-digit arithmetic.
struct Secant {
  std::string name;
  double slope;
  std::vector<double> roots;
};
const std::vector<Secant>& secants() {
  static const std::vector<Secant> all{
      {"A = 0.403", 0.403, {0.88404789131968774143, 2.4467548862479767971, 2.471334130824830506}},
      {"A = tangent (1 - 1e-6)",
       0.4033001509642802,
       {0.88396841278037928887, 2.4585739022312446969, 2.4594742186207210087}},
      {"A = tangent (1 - 1e-8)",
       0.40330055023182887,
       {0.88396830706132763275, 2.4589790174155824283, 2.4590690490473245996}},
      {"A = tangent (1 + 1e-6)", 0.4033009575653887, {0.88396819920655146531}},
  };
  return all;
}

std::vector<ExpectedEvent> secant_events(const Secant& secant, double first_tolerance, double pair_tolerance) {
  auto expected = alternating(secant.roots, "secant", -1, first_tolerance);
  for (std::size_t i = 1; i < expected.size(); ++i) {
    expected[i].tolerance = pair_tolerance;
    expected[i].needs_proof = secant.slope > 0.4031;
  }
  return expected;
}

GauntletCase secant_of_time(GuardForm form, const Secant& secant) {
  auto [system, y, mode] = still("sin(pi t) - A t, " + secant.name);
  const double slope = secant.slope;
  guard(system, form, "secant", [=](const auto& at) { return sin(pi * at.t) - slope * at.t; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "a guard of t alone, starting at zero; the trajectory gives no hint",
          .system = system,
          .options = {.end = 3},
          .expected = secant_events(secant, 1e-13, 1e-9)};
}

// The same as a differential equation (BOK 1): the guard knows sin(pi t) as well as it is integrated.
GauntletCase secant_of_states(GuardForm form, const Secant& secant, double tolerance, double first_tolerance,
                              double pair_tolerance) {
  System system("y1 - A t on a circle, " + secant.name);
  const auto y1 = system.state("y1", 0.0), y2 = system.state("y2", 1.0), y3 = system.state("y3", 0.0);
  const auto u = system.discrete("u", 1.0);
  system.rates([=](const auto& at, auto& d) {
    d[y1] = pi * at[y2];
    d[y2] = -pi * at[y1];
    d[y3] = at[u] * at[u] * at[u];
  });
  const double slope = secant.slope;
  guard(system, form, "secant", [=](const auto& at) { return at[y1] - slope * at.t; }).then([=](Jump& jump) {
    jump[u] = -jump[u] * jump[y1];
  });
  return {.name = system.name(),
          .why = "the pair is as deep as a few integration errors",
          .system = system,
          .options = {.end = 3, .tolerance = tolerance},
          .expected = secant_events(secant, first_tolerance, pair_tolerance),
          .lowest_order = 5};
}

System oscillator(const std::string& name) {
  System system(name);
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  const auto hits = system.discrete("hits", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x];
  });
  static_cast<void>(hits);
  return system;
}

GauntletCase almost_a_maximum(GuardForm form, const std::string& name, double distance, double tolerance,
                              int lowest_order) {
  System system = oscillator(name);
  const State x{0};
  const double level = 1 - distance;
  guard(system, form, "near the top", [=](const auto& at) { return at[x] - level; }).then([](Jump& jump) {
    jump[Discrete<int>{0}] = jump[Discrete<int>{0}] + 1;
  });
  std::vector<double> times;
  if (distance > 0) {
    const double half = 2 * std::asin(std::sqrt(distance / 2));  // acos(1 - distance)
    for (const double top : {0.5 * pi, 2.5 * pi, 4.5 * pi}) {
      times.push_back(top - half);
      times.push_back(top + half);
    }
  }
  const double width = distance > 0 ? 0.1 * std::sqrt(2 * distance) : 0;
  return {.name = name,
          .why = distance > 0 ? "six crossings around three maxima, narrow pairs" : "just above the maxima: nothing",
          .system = system,
          .options = {.end = 20, .tolerance = tolerance},
          .expected = alternating(times, "near the top", 1, width, /*needs_proof=*/true),
          .lowest_order = lowest_order};
}

GauntletCase touching_sine(GuardForm form, bool fires) {
  auto [system, y, mode] = still(fires ? "1 - sin t touches" : "1 - sin t touches, seen only");
  auto declared = guard(system, form, "graze", [](const auto& at) { return 1 - sin(at.t); });
  if (fires) declared.touching().then(toggling(mode));
  std::vector<ExpectedEvent> expected;
  for (int k = 0; k < 3; ++k) {
    expected.push_back({.t = pi / 2 + 2 * pi * k,
                        .guard = "graze",
                        .tolerance = 1e-7,
                        .kind = fires ? EventKind::crossing : EventKind::touch,
                        .needs_proof = true});
  }
  return {.name = system.name(),
          .why = "zero to within rounding on a stretch of 4e-8, never below",
          .system = system,
          .options = {.end = 20},
          .expected = expected};
}

GauntletCase touching_square(GuardForm form) {
  auto [system, x, mode] = clock("(x - 1/2)^2 touches");
  guard(system, form, "square", [x = x](const auto& at) { return sqr(at[x] - 0.5); }).touching().then(toggling(mode));
  return {.name = system.name(),
          .why = "a double root of a state; nothing changes sign",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "square", .tolerance = 1e-7, .needs_proof = true}}};
}

GauntletCase kink(GuardForm form) {
  auto [system, x, mode] = clock("abs(x - 1/2) touches");
  guard(system, form, "kink", [x = x](const auto& at) { return abs(at[x] - 0.5); }).touching().then(toggling(mode));
  return {.name = system.name(),
          .why = "a touch without a derivative",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "kink", .tolerance = of_state, .needs_proof = true}}};
}

template <int power>
GauntletCase multiple(GuardForm form) {
  auto [system, x, mode] = clock("root of multiplicity " + std::to_string(power));
  guard(system, form, "power", [x = x](const auto& at) {
    const auto s = at[x] - 0.3;
    auto value = s;
    for (int k = 1; k < power; ++k) value = value * s;
    return value;
  }).then(toggling(mode));
  const bool is_odd = power % 2 == 1;
  return {.name = system.name(),
          .why = "all derivatives below that one vanish there",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.3,
                        .guard = "power",
                        .tolerance = 1e-7,
                        .kind = is_odd ? EventKind::crossing : EventKind::touch,
                        .needs_proof = !is_odd}}};
}

GauntletCase expanded_cubic(GuardForm form) {
  auto [system, x, mode] = clock("triple root, expanded");
  guard(system, form, "cubic", [x = x](const auto& at) {
    return ((at[x] - 1.5) * at[x] + 0.75) * at[x] - 0.125;
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "zero to within rounding on a stretch of 1e-5: one crossing, not many",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "cubic", .tolerance = 1e-4}}};
}

GauntletCase double_then_single(GuardForm form) {
  auto [system, x, mode] = clock("double root, then a single one");
  guard(system, form, "roots", [x = x](const auto& at) {
    return sqr(at[x] - 0.25) * (at[x] - 0.75);
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "a touch that fires nothing before a crossing that does",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.25, .guard = "roots", .tolerance = 1e-7, .kind = EventKind::touch, .needs_proof = true},
                       {.t = 0.75, .guard = "roots", .to = 1}}};
}

GauntletCase almost_double(GuardForm form, const std::string& name, double height) {
  auto [system, x, mode] = clock(name);
  guard(system, form, "parabola", [=, x = x](const auto& at) {
    return sqr(at[x] - 0.5) + height;
  }).then(toggling(mode));
  std::vector<ExpectedEvent> expected;
  if (height < 0)
    expected = alternating({0.5 - std::sqrt(-height), 0.5 + std::sqrt(-height)}, "parabola", -1, 1e-9, true);
  return {.name = name,
          .why = height < 0 ? "a double root just split" : "a double root just lifted: nothing",
          .system = system,
          .options = {.end = 1},
          .expected = expected};
}

GauntletCase flat_stretch(GuardForm form) {
  auto [system, x, mode] = clock("zero on a whole stretch");
  guard(system, form, "plateau", [x = x](const auto& at) {
    return max(at[x] - 0.75, 0.0) - max(0.25 - at[x], 0.0);
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "-, then zero from 0.25 to 0.75, then +: one crossing, anywhere on it",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "plateau", .tolerance = 0.25 + 1e-9, .needs_proof = true}}};
}

}  // namespace

void add_tangencies(Cases& cases, GuardForm form) {
  for (const Secant& secant : secants()) cases.push_back(secant_of_time(form, secant));
  cases.push_back(secant_of_states(form, secants()[0], 1e-9, 1e-7, 1e-6));
  cases.push_back(secant_of_states(form, secants()[1], 1e-11, 1e-9, 1e-5));
  cases.push_back(secant_of_states(form, secants()[2], 1e-12, 1e-10, 1e-5));
  cases.push_back(secant_of_states(form, secants()[3], 1e-11, 1e-9, 1e-5));
  cases.push_back(almost_a_maximum(form, "x - 0.99 on a circle", 1e-2, 1e-6, 2));
  cases.push_back(almost_a_maximum(form, "x - 0.9999999 on a circle", 1e-7, 1e-10, 5));
  cases.push_back(almost_a_maximum(form, "x - 1.0000001 on a circle", -1e-7, 1e-10, 5));
  cases.push_back(touching_sine(form, true));
  cases.push_back(touching_sine(form, false));
  cases.push_back(touching_square(form));
  cases.push_back(kink(form));
  cases.push_back(multiple<2>(form));
  cases.push_back(multiple<3>(form));
  cases.push_back(multiple<4>(form));
  cases.push_back(multiple<5>(form));
  cases.push_back(multiple<7>(form));
  cases.push_back(expanded_cubic(form));
  cases.push_back(double_then_single(form));
  cases.push_back(almost_double(form, "(x - 1/2)^2 - 1e-12", -1e-12));
  cases.push_back(almost_double(form, "(x - 1/2)^2 + 1e-12", 1e-12));
  cases.push_back(flat_stretch(form));
}

}  // namespace pawl::gauntlet_parts
