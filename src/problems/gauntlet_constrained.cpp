// Relations, conditions and guards on motions that constraints hold, as a joint, by equations of index 2 and 3, and as
// a mixture of both: consistent values after an event move what it watches by noise. And guards that watch again what
// was held at zero until then.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

constexpr double g = 9.81, of_solution = 2e-4;

enum class Watch { relation, condition, guard };
constexpr const char* words[] = {"relations", "conditions", "guards"};

template <class F>
void watch(System& system, GuardForm form, Watch what, const std::string& name, const F& f) {
  const bool is_generic = form == GuardForm::generic;
  if (what == Watch::guard)
    guard(system, form, name, f);
  else if (what == Watch::condition)
    is_generic ? system.condition(name, f) : system.condition(name, black_box(f));
  else
    is_generic ? system.relation(name, f) : system.relation(name, black_box(f));
}

// A pendulum of length 1 let go from the horizontal is at the height -depth whenever, with sn of the modulus k =
// sqrt(1/2),
//   sn(K - sqrt(g) t) = ±sqrt(1 - depth),
// and so twice in every swing of 2 K / sqrt(g). The force in its rod is 3 g depth.
std::vector<ExpectedEvent> passages(double depth, double end, const std::string& name) {
  const double k = std::sqrt(0.5), swing = 2 * std::comp_ellint_1(k) / std::sqrt(g),
               first = swing / 2 - std::ellint_1(k, std::asin(std::sqrt(1 - depth))) / std::sqrt(g);
  std::vector<double> times;
  for (double start = 0; start < end; start += swing) {
    for (const double t : {start + first, start + swing - first})
      if (t < end) times.push_back(t);
  }
  return alternating(times, name, 1, of_solution);
}

GauntletCase case_of(const System& system, const std::string& why, double accuracy, double end,
                     std::vector<ExpectedEvent> expected) {
  const auto is_earlier = [](const ExpectedEvent& a, const ExpectedEvent& b) { return a.t < b.t; };
  std::sort(expected.begin(), expected.end(), is_earlier);
  return {.name = system.name(),
          .why = why,
          .system = system,
          .options = {.end = end, .tolerance = accuracy},
          .expected = std::move(expected),
          .lowest_order = 3,
          .keeps_tolerance = true,
          .reads_multipliers = true};
}

constexpr double depths[] = {0.25, 0.4, 0.55, 0.7};

template <class Depth>
GauntletCase pendulum_case(System& system, GuardForm form, Watch what, const Depth& depth_at) {
  constexpr double end = 3;
  std::vector<ExpectedEvent> expected;
  for (const double depth : depths) {
    const std::string name = fmt::format("depth {:g}", depth);
    watch(system, form, what, name, [=](const auto& at) { return depth_at(at) - depth; });
    const std::vector<ExpectedEvent> own = passages(depth, end, name);
    expected.insert(expected.end(), own.begin(), own.end());
  }
  return case_of(system, "consistent values after an event take it back by noise", 1e-6, end, std::move(expected));
}

enum class Held { joint, mixture };

GauntletCase rod(GuardForm form, Watch what, Held held, bool of_force) {
  Mechanics rod(fmt::format("{} on {} of a pendulum{}", words[static_cast<int>(what)],
                            of_force ? "the force in the rod" : "the height",
                            held == Held::mixture ? " with an equation beside" : " with a joint"));
  const auto x = rod.coordinate("x", 1), y = rod.coordinate("y", 0);
  for (const auto q : {x, y}) rod.mass(q, 1.0);
  rod.potential([=](const auto& at) { return g * at[y]; });
  const auto force = rod.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  if (held == Held::mixture) {
    const auto z = rod.state("z", 0);
    rod.equation("beside", [=](const auto& at) { return at[z] - at[x]; });
  }
  if (of_force) return pendulum_case(rod, form, what, [=](const auto& at) { return at[force] / (3 * g); });
  return pendulum_case(rod, form, what, [=](const auto& at) { return -at[y]; });
}

GauntletCase index_3(GuardForm form, Watch what) {
  System dae(fmt::format("{} on the height of a pendulum of index 3", words[static_cast<int>(what)]));
  const auto x = dae.state("x", 1), y = dae.state("y", 0), u = dae.state("u", 0), v = dae.state("v", 0),
             force = dae.state("force", 0);
  dae.equation("x moves", [=](const auto& at) { return at[dot(x)] - at[u]; });
  dae.equation("y moves", [=](const auto& at) { return at[dot(y)] - at[v]; });
  dae.equation("u changes", [=](const auto& at) { return at[dot(u)] + at[x] * at[force]; });
  dae.equation("v changes", [=](const auto& at) { return at[dot(v)] + at[y] * at[force] + g; });
  dae.equation("rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  return pendulum_case(dae, form, what, [=](const auto& at) { return -at[y]; });
}

// A state of index 2 that follows sin t, and one that follows it.
GauntletCase index_2(GuardForm form, Watch what) {
  System dae(fmt::format("{} on a state that is led by index 2", words[static_cast<int>(what)]));
  const auto a = dae.state("a", 0), b = dae.state("b", 0), lead = dae.state("lead", 1);
  dae.equation("balance", [=](const auto& at) { return at[dot(a)] - at[lead] + at[a] * at[b]; });
  dae.equation("lag", [=](const auto& at) { return at[dot(b)] + at[b] - at[a]; });
  dae.equation("track", [=](const auto& at) { return at[a] - sin(at.t); });
  std::vector<ExpectedEvent> expected;
  for (const double level : depths) {
    const std::string name = fmt::format("level {:g}", level);
    watch(dae, form, what, name, [=](const auto& at) { return at[a] - level; });
    const double first = std::asin(level);
    for (const ExpectedEvent& one :
         alternating({first, pi - first, first + 2 * pi, 3 * pi - first}, name, 1, of_solution))
      expected.push_back(one);
  }
  return case_of(dae, "consistent values after an event move a differential unknown", 1e-6, 10, std::move(expected));
}

// x'' = -4 x - g + rise t from x = start, at rest, until x = 0, where it is caught: F = g - rise t holds it. It is let
// go where F falls below `least`, and then, with T since,
//   x = -least/4 (1 - cos 2T) + rise/8 (2 T - sin 2T),
// to one side of zero or the other. Where it hits again, it is caught again.
GauntletCase latch(GuardForm form, double start, double rise, double least) {
  System latch(fmt::format("a latch at zero, let go at {:g}, from {:g} with {:g}", least, start, rise));
  const auto x = latch.state("x", start), v = latch.state("v", 0), force = latch.state("force", 0);
  const auto held = latch.discrete("held", false);
  latch.equation("x moves", [=](const auto& at) { return at[dot(x)] - at[v]; });
  latch.equation("v changes", [=](const auto& at) { return at[dot(v)] + 4 * at[x] + g - rise * at.t - at[force]; });
  latch.equation("latch", [=](const auto& at) {
    using T = std::decay_t<decltype(at[x])>;
    return at[held] ? T(at[x]) : T(at[force]);
  });
  guard(latch, form, "hit", [=](const auto& at) { return at[x]; }).falling().only_when(!held).then([=](Jump& jump) {
    jump[held] = true;
    jump[v] = 0;
  });
  guard(latch, form, "release", [=](const auto& at) { return at[force] - least; })
      .falling()
      .only_when(held)
      .then([=](Jump& jump) { jump[held] = false; });
  const auto flight = [=](double t) {
    return (start + g / 4) * std::cos(2 * t) - rise / 8 * std::sin(2 * t) - g / 4 + rise / 4 * t;
  };
  const auto speed = [=](double t) {
    return -2 * (start + g / 4) * std::sin(2 * t) - rise / 4 * std::cos(2 * t) + rise / 4;
  };
  double hit = 0.5;
  for (int i = 0; i < 20; ++i) hit -= flight(hit) / speed(hit);
  constexpr double end = 4, accuracy = 1e-5;
  const double release = (g - least) / rise, T = end - release;
  GauntletCase one =
      case_of(latch, "what is watched again is at zero, with its slope, and the polynomials of first steps are off",
              accuracy, end,
              {{.t = hit, .guard = "hit", .tolerance = of_solution, .to = -1},
               {.t = release, .guard = "release", .tolerance = of_solution, .to = -1}});
  one.final_state = {{x, -least / 4 * (1 - std::cos(2 * T)) + rise / 8 * (2 * T - std::sin(2 * T))}};
  one.final_tolerance = 1e-3;
  return one;
}

}  // namespace

void add_constrained(Cases& cases, GuardForm form) {
  for (const Watch what : {Watch::relation, Watch::condition, Watch::guard}) {
    for (const Held held : {Held::joint, Held::mixture})
      for (const bool of_force : {false, true}) cases.push_back(rod(form, what, held, of_force));
    cases.push_back(index_2(form, what));
    cases.push_back(index_3(form, what));
  }
  for (const double least : {2.0, -2.0})
    for (const double start : {1.1, 2.1}) cases.push_back(latch(form, start, 3.55, least));
}

}  // namespace pawl::gauntlet_parts
