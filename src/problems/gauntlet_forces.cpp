// Guards that read multipliers, and a rest that infinitely many events of two guards lead to.
#include <cmath>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

constexpr double g = 9.81, accuracy = 1e-7, of_solution = 2e-4;

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

/// The time a pendulum of length 1 takes from the horizontal to this angle below it: the integral of 1 / sqrt(2 g sin),
/// with the root at its beginning taken out, by Simpson's rule.
double time_below_horizontal(double angle) {
  constexpr int parts = 2000;
  const double end = std::sqrt(angle);
  const auto f = [](double s) { return s == 0 ? 2 / std::sqrt(2 * g) : 2 * s / std::sqrt(2 * g * std::sin(s * s)); };
  double sum = f(0) + f(end);
  for (int k = 1; k < parts; ++k) sum += (k % 2 == 1 ? 4 : 2) * f(end * k / parts);
  return sum * end / (3 * parts);
}

// The force in the rod is 3 g sin of the angle.
GauntletCase loaded_rod(GuardForm form, double angle) {
  Mechanics rod(fmt::format("the force in a rod passes that at {:g}", angle));
  const auto x = rod.coordinate("x", 1), y = rod.coordinate("y", 0);
  for (const auto q : {x, y}) rod.mass(q, 1.0);
  rod.potential([=](const auto& at) { return g * at[y]; });
  const auto bar = rod.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const double level = 3 * g * std::sin(angle);
  guard(rod, form, "force", [=](const auto& at) { return sqr(at[bar]) / level - level; });
  const double there = time_below_horizontal(angle), quarter = time_below_horizontal(pi / 2);
  return case_of(rod, "a multiplier, which no step controls, says when", 2 * quarter,
                 alternating({there, 2 * quarter - there}, "force", 0, of_solution));
}

// Two floors of which every second bounce takes one: t_n as for one floor.
GauntletCase two_floors(GuardForm form, double e) {
  System system(fmt::format("a ball on two floors in turn, {:g}", e));
  const auto height = system.state("height", 1.0), speed = system.state("speed", 0.0);
  const auto is_second = system.discrete("second", false), resting = system.discrete("resting", false);
  system.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 : -g;
  });
  for (const bool second : {false, true}) {
    guard(system, form, second ? "second" : "first", [=](const auto& at) { return at[height]; })
        .falling()
        .unilateral()
        .only_when(second ? is_second && !resting : !is_second && !resting)
        .then([=](Jump& jump) {
          jump[speed] = -e * jump.pre(speed);
          jump[is_second] = !second;
        })
        .at_accumulation([=](Jump& jump) {
          jump[height] = jump[speed] = 0;
          jump[resting] = true;
        });
  }
  const double first = std::sqrt(2 / g), limit = first * (1 + e) / (1 - e);
  std::vector<ExpectedEvent> expected;
  for (int n = 1; n <= 60; ++n) {
    const double ahead = 2 * first * std::pow(e, n) / (1 - e);
    expected.push_back({.t = limit - ahead,
                        .guard = n % 2 == 1 ? "first" : "second",
                        .tolerance = of_state,
                        .to = -1,
                        .is_optional = ahead < 1e-5 * 2 * e * first});
  }
  for (const char* which : {"first", "second"})
    expected.push_back(
        {.t = limit, .guard = which, .tolerance = 1e-8, .kind = EventKind::accumulation, .is_optional = true});
  return {.name = system.name(),
          .why = "the bounces of neither guard alone tell where they end",
          .system = system,
          .options = {.end = 4, .tolerance = 1e-6},
          .expected = expected,
          .final_state = {{height, 0.0}, {speed, 0.0}},
          .final_tolerance = 0};
}

}  // namespace

void add_forces(Cases& cases, GuardForm form) {
  for (const double angle : {0.2, 0.5, 1.2}) cases.push_back(loaded_rod(form, angle));
  for (const double e : {0.3, 0.6}) cases.push_back(two_floors(form, e));
}

}  // namespace pawl::gauntlet_parts
