// Relations, conditions and guards on motions that constraints hold, as a joint, by equations of index 2 and 3, and as
// a mixture of both: consistent values after an event move what it watches by noise.
#include <algorithm>
#include <cmath>

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

}  // namespace

void add_constrained(Cases& cases, GuardForm form) {
  for (const Watch what : {Watch::relation, Watch::condition, Watch::guard}) {
    for (const Held held : {Held::joint, Held::mixture})
      for (const bool of_force : {false, true}) cases.push_back(rod(form, what, held, of_force));
    cases.push_back(index_2(form, what));
    cases.push_back(index_3(form, what));
  }
}

}  // namespace pawl::gauntlet_parts
