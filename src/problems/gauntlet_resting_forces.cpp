// Forces that rest at zero, or at what they carry, only to noise: of joints with nothing to hold, of a rope that just
// does not pull, of equal rods; and forces of contacts, which jump where something lands and vanish where it leaves.
#include <cmath>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

constexpr double g = 9.81, accuracy = 1e-7, of_solution = 2e-4;

/// As a guard or as a condition.
template <class F>
void watch(System& system, GuardForm form, bool is_condition, const std::string& name, const F& f) {
  if (!is_condition)
    guard(system, form, name, f);
  else if (form == GuardForm::generic)
    system.condition(name, f);
  else
    system.condition(name, black_box(f));
}

std::string name_of(const std::string& what, bool is_condition, const std::string& detail = {}) {
  return what + (is_condition ? ", a condition" : ", a guard") + (detail.empty() ? "" : ", " + detail);
}

GauntletCase case_of(const System& system, const std::string& why, double end,
                     const std::vector<ExpectedEvent>& expected) {
  return {.name = system.name(),
          .why = why,
          .system = system,
          .options = {.end = end, .tolerance = accuracy},
          .expected = expected,
          .lowest_order = 3,
          .keeps_tolerance = true,
          .reads_multipliers = true};
}

// Two bodies thrown together, with a rod between them that has nothing to hold.
GauntletCase idle_rod(GuardForm form, bool is_condition, double mass) {
  Mechanics bodies(name_of("the force in a rod that falls", is_condition, fmt::format("beside a mass of {:g}", mass)));
  const auto x = bodies.coordinate("x", 0, 1), y = bodies.coordinate("y", 0, 3), u = bodies.coordinate("u", 0.6, 1),
             v = bodies.coordinate("v", 0.8, 3);
  for (const auto q : {x, y}) bodies.mass(q, 1.0);
  for (const auto q : {u, v}) bodies.mass(q, mass);
  bodies.potential([=](const auto& at) { return g * (at[y] + mass * at[v]); });
  const auto rod =
      bodies.constraint("rod", [=](const auto& at) { return (sqr(at[u] - at[x]) + sqr(at[v] - at[y]) - 1) / 2; });
  watch(bodies, form, is_condition, "force", [=](const auto& at) { return at[rod]; });
  guard(bodies, form, "x", [=](const auto& at) { return at[x] - 0.5; });
  return case_of(bodies, "a multiplier that is what cancels of two weights", 1,
                 {{.t = 0.5, .guard = "x", .tolerance = of_solution, .to = 1}});
}

// x'' = -x on the line y = 0, without a weight.
GauntletCase idle_line(GuardForm form, bool is_condition) {
  Mechanics bead(name_of("the force of a line on a bead without weight", is_condition));
  const auto x = bead.coordinate("x", 0, 1), y = bead.coordinate("y", 0);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.potential([=](const auto& at) { return sqr(at[x]) / 2; });
  const auto line = bead.constraint("line", [=](const auto& at) { return at[y]; });
  watch(bead, form, is_condition, "force", [=](const auto& at) { return at[line]; });
  guard(bead, form, "half", [=](const auto& at) { return at[x] - 0.5; });
  return case_of(bead, "a multiplier without any scale", 5, alternating({pi / 6, 5 * pi / 6}, "half", 1, of_solution));
}

// A circle in a field that keeps it by itself: k r toward the centre, and the speed is sqrt(k).
GauntletCase slack_rope(GuardForm form, bool is_condition, double k) {
  Mechanics rope(name_of("a rope that just does not pull", is_condition, fmt::format("k = {:g}", k)));
  const double w = std::sqrt(k);
  const auto x = rope.coordinate("x", 1, 0), y = rope.coordinate("y", 0, w);
  for (const auto q : {x, y}) rope.mass(q, 2.0);
  rope.potential([=](const auto& at) { return k * (sqr(at[x]) + sqr(at[y])); });
  const auto length = rope.constraint("rope", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  watch(rope, form, is_condition, "force", [=](const auto& at) { return at[length]; });
  guard(rope, form, "half", [=](const auto& at) { return at[y] - 0.5; });
  return case_of(rope, "centrifugal force and attraction, equal but for the error of the integration", 5 / w,
                 alternating({pi / 6 / w, 5 * pi / 6 / w}, "half", 1, of_solution / w));
}

// A weight that hangs still, beside an oscillator that makes the steps.
GauntletCase hanging(GuardForm form, bool is_condition, double mass) {
  Mechanics weight(name_of("the load of a rod at rest", is_condition, fmt::format("of {:g}", mass)));
  const auto x = weight.coordinate("x", 0), y = weight.coordinate("y", -1), z = weight.coordinate("z", 0, 1);
  for (const auto q : {x, y}) weight.mass(q, mass);
  weight.mass(z, 1.0);
  weight.potential([=](const auto& at) { return mass * g * at[y] + sqr(at[z]) / 2; });
  const auto rod = weight.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  watch(weight, form, is_condition, "load", [=](const auto& at) { return at[rod] - mass * g; });
  guard(weight, form, "half", [=](const auto& at) { return at[z] - 0.5; });
  return case_of(weight, "what a rod carries equals what hangs on it", 5,
                 alternating({pi / 6, 5 * pi / 6}, "half", 1, of_solution));
}

// Two pendulums that do the same, one of three times the mass.
GauntletCase equal_rods(GuardForm form, bool is_condition) {
  Mechanics pair(name_of("the difference of two equal forces", is_condition));
  std::vector<Constraint> rods;
  std::vector<Coordinate> heights;
  for (const double mass : {1.0, 3.0}) {
    const std::string which = mass == 1 ? "light" : "heavy";
    const auto x = pair.coordinate("x of " + which, 1), y = pair.coordinate("y of " + which, 0);
    for (const auto q : {x, y}) pair.mass(q, mass);
    pair.potential([=](const auto& at) { return mass * g * at[y]; });
    rods.push_back(
        pair.constraint("rod of " + which, [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; }));
    heights.push_back(y);
  }
  const auto a = rods[0], b = rods[1];
  watch(pair, form, is_condition, "difference", [=](const auto& at) { return 3 * at[a] - at[b]; });
  return case_of(pair, "two multipliers that move, and are equal but for the error of the integration", 2, {});
}

// The same rod with a motor beside it that is written as equations: its force is one of the unknowns.
GauntletCase idle_rod_in_mixture(GuardForm form, bool is_condition) {
  Mechanics bodies(name_of("the force in a rod that falls beside equations", is_condition));
  const auto x = bodies.coordinate("x", 0, 1), y = bodies.coordinate("y", 0, 3), u = bodies.coordinate("u", 0.6, 1),
             v = bodies.coordinate("v", 0.8, 3);
  const auto a = bodies.state("a", 1), b = bodies.state("b", 1);
  for (const auto q : {x, y, u, v}) bodies.mass(q, 1.0);
  bodies.potential([=](const auto& at) { return g * (at[y] + at[v]); });
  bodies.rates([=](const auto& at, auto& d) { d[a] = -at[b]; });
  bodies.equation("b follows a", [=](const auto& at) { return at[b] * (1 + at[a]) - at[a] * (1 + at[a]); });
  const auto rod =
      bodies.constraint("rod", [=](const auto& at) { return (sqr(at[u] - at[x]) + sqr(at[v] - at[y]) - 1) / 2; });
  watch(bodies, form, is_condition, "force", [=](const auto& at) { return at[rod]; });
  guard(bodies, form, "half", [=](const auto& at) { return at[a] - 0.5; });
  return case_of(bodies, "a multiplier that is an algebraic unknown of index 3", 1,
                 {{.t = std::log(2.0), .guard = "half", .tolerance = of_solution, .to = -1}});
}

// Falls, lands without restitution, and lies: the force jumps from 0 to the weight.
GauntletCase landing(GuardForm form, bool is_condition, double height) {
  Mechanics ball(name_of("the force of a floor on a ball that lands", is_condition, fmt::format("from {:g}", height)));
  const auto y = ball.coordinate("y", height), z = ball.coordinate("z", 0, 1);
  ball.mass(y, 2.0);
  ball.mass(z, 1.0);
  ball.potential([=](const auto& at) { return 2 * g * at[y] + sqr(at[z]) / 2; });
  const auto floor = ball.contact("floor", [=](const auto& at) { return at[y]; });
  watch(ball, form, is_condition, "force", [=](const auto& at) { return at[floor.normal]; });
  const double there = std::sqrt(2 * height / g);
  std::vector<ExpectedEvent> expected{{.t = there, .guard = "floor", .tolerance = of_solution * there}};
  if (is_condition)
    expected.push_back({.t = there, .guard = "force", .tolerance = of_solution * there, .kind = EventKind::jump});
  return case_of(ball, "zero to nothing before, and the weight after", 3 * there, expected);
}

// Lies on a table that shakes, flies where that falls faster than the ball, and lands again without restitution.
GauntletCase shaken(GuardForm form, bool is_condition, double w) {
  Mechanics ball(name_of("the force of a shaken table", is_condition, fmt::format("w = {:g}", w)));
  const double amplitude = 2 * g / (w * w);  // leaves at sin w t = 1 / 2
  const auto y = ball.coordinate("y", 0, amplitude * w);
  ball.mass(y, 2.0);
  ball.potential([=](const auto& at) { return 2 * g * at[y]; });
  const auto table = ball.contact("table", [=](const auto& at) { return at[y] - amplitude * sin(w * at.t); });
  watch(ball, form, is_condition, "force", [=](const auto& at) { return at[table.normal]; });
  const double leaves = pi / 6 / w;
  // With s = w (t - leaves): sin(pi/6 + s) - sin(pi/6) - cos(pi/6) s + s^2 / 4 = 0.
  double s = 4;
  for (int i = 0; i < 50; ++i)
    s -= (std::sin(pi / 6 + s) - 0.5 - std::cos(pi / 6) * s + s * s / 4) /
         (std::cos(pi / 6 + s) - std::cos(pi / 6) + s / 2);
  const double lands = leaves + s / w;
  // A truth that is found to change within rounding of the release lets the contact decide there, and nothing is left
  // to be released; proved charts see both zeros.
  std::vector<ExpectedEvent> expected{
      {.t = leaves, .guard = "table releases", .tolerance = of_solution / w, .needs_proof = is_condition},
      {.t = leaves, .guard = "force", .tolerance = of_solution / w},
      {.t = lands, .guard = "table", .tolerance = of_solution / w}};
  if (is_condition)
    expected.push_back({.t = lands, .guard = "force", .tolerance = of_solution / w, .kind = EventKind::jump});
  return case_of(ball, "the guard and the contact vanish together", 6.5 / w, expected);
}

}  // namespace

void add_resting_forces(Cases& cases, GuardForm form) {
  for (const bool is_condition : {false, true}) {
    for (const double mass : {1.0, 3.0, 1e-3}) cases.push_back(idle_rod(form, is_condition, mass));
    cases.push_back(idle_line(form, is_condition));
    for (const double k : {1.0, 0.07, 100.0}) cases.push_back(slack_rope(form, is_condition, k));
    for (const double mass : {1.0, 0.3}) cases.push_back(hanging(form, is_condition, mass));
    cases.push_back(equal_rods(form, is_condition));
    cases.push_back(idle_rod_in_mixture(form, is_condition));
    for (const double height : {1.0, 1e-3}) cases.push_back(landing(form, is_condition, height));
    for (const double w : {1.0, 30.0}) cases.push_back(shaken(form, is_condition, w));
  }
}

}  // namespace pawl::gauntlet_parts
