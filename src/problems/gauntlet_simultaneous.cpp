// Several guards: at the same bit, almost at the same time, and a thousand of which one matters. Guards that read
// rates.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

GauntletCase same_bit(GuardForm form) {
  auto [system, x, mode] = clock("four guards at the same bit");
  const State state = x;
  const auto fired = system.discrete("fired", 0);
  for (const char* name : {"a", "b", "c", "d"}) {
    guard(system, form, name, [=](const auto& at) { return at[state] - 0.5; }).then([=](Jump& jump) {
      jump[fired] = jump[fired] + 1;
    });
  }
  std::vector<ExpectedEvent> expected;
  for (const char* name : {"a", "b", "c", "d"}) expected.push_back({.t = 0.5, .guard = name, .to = 1});
  return {.name = system.name(),
          .why = "none may be lost when the first is handled, none fire twice",
          .system = system,
          .options = {.end = 1},
          .expected = expected};
}

GauntletCase same_time_other_function(GuardForm form) {
  auto [system, x, mode] = clock("two functions with a common root");
  const State state = x;
  guard(system, form, "line", [=](const auto& at) { return at[state] - 0.5; }).then(toggling(mode));
  guard(system, form, "wave", [=](const auto& at) { return cos(pi * at.t); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "equal in mathematics, a few bits apart in floating point",
          .system = system,
          .options = {.end = 1.2},
          .expected = {{.t = 0.5, .guard = "line", .to = 1}, {.t = 0.5, .guard = "wave", .to = -1}}};
}

GauntletCase neighbours(GuardForm form, const std::string& name, double gap) {
  auto [system, x, mode] = clock(name);
  const State state = x;
  guard(system, form, "second", [=](const auto& at) { return at[state] - (0.5 + gap); }).then(toggling(mode));
  guard(system, form, "first", [=](const auto& at) { return at[state] - 0.5; }).then(toggling(mode));
  return {.name = name,
          .why = "in the order of time, not of declaration",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "first", .tolerance = of_state, .to = 1},
                       {.t = 0.5 + gap, .guard = "second", .tolerance = of_state, .to = 1}}};
}

GauntletCase staircase(GuardForm form) {
  auto [system, x, mode] = clock("ten guards 1e-10 apart");
  const State state = x;
  std::vector<ExpectedEvent> expected;
  for (int k = 9; k >= 0; --k) {
    const double level = 0.5 + k * 1e-10;
    guard(system, form, "level " + std::to_string(k), [=](const auto& at) {
      return at[state] - level;
    }).then(toggling(mode));
  }
  for (int k = 0; k < 10; ++k)
    expected.push_back({.t = 0.5 + k * 1e-10, .guard = "level " + std::to_string(k), .tolerance = of_state, .to = 1});
  return {.name = system.name(),
          .why = "declared in reverse; each restarts the integration",
          .system = system,
          .options = {.end = 1},
          .expected = expected};
}

GauntletCase one_of_a_thousand(GuardForm form) {
  auto [system, x, mode] = clock("a thousand guards, one relevant");
  const State state = x;
  for (int k = 0; k < 1000; ++k) {
    const double level = k == 567 ? 0.5 : 2.0 + k;
    guard(system, form, "guard " + std::to_string(k), [=](const auto& at) {
      return at[state] - level;
    }).then(toggling(mode));
  }
  return {.name = system.name(),
          .why = "999 never matter",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "guard 567", .to = 1}}};
}

GauntletCase member_of_a_family(GuardForm form) {
  auto [system, x, mode] = clock("a family of a thousand, three relevant");
  const State state = x;
  std::vector<Pair> members;
  for (int k = 0; k < 1000; ++k) members.push_back({k, k + 1});
  const auto g = [=](const auto& at, int i, int) { return at[state] - (0.25 + 0.3 * i); };
  if (form == GuardForm::generic)
    system.guard_family("rung", members, g).then(toggling(mode));
  else
    system.guard_family("rung", members, black_box(g)).then(toggling(mode));
  return {.name = system.name(),
          .why = "one functor, named on demand",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.25, .guard = "rung(0,1)", .to = 1},
                       {.t = 0.55, .guard = "rung(1,2)", .to = 1},
                       {.t = 0.85, .guard = "rung(2,3)", .to = 1}}};
}

GauntletCase asleep_then_awake(GuardForm form) {
  System system("fifty guards asleep, one wakes late");
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = 0.0;
  });
  for (int k = 0; k < 50; ++k) {
    const double level = 100.0 + k;
    guard(system, form, "far " + std::to_string(k), [=](const auto& at) { return at[x] - level; }).then(toggling(mode));
  }
  guard(system, form, "launch", [=](const auto& at) { return at[x] - 5; }).rising().then([=](Jump& jump) {
    jump[v] = 1000;  // 100 at 5.095, then one every thousandth
  });
  std::vector<ExpectedEvent> expected{{.t = 5, .guard = "launch", .to = 1}};
  for (int k = 0; k < 50; ++k)
    expected.push_back({.t = 5 + (95 + k) / 1000.0, .guard = "far " + std::to_string(k), .to = 1});
  return {.name = system.name(),
          .why = "the speed jumps a thousandfold under sleeping guards",
          .system = system,
          .options = {.end = 5.2},
          .expected = expected};
}

GauntletCase rate_of_a_state(GuardForm form) {
  System system("a guard that is a rate");
  const auto x = system.state("x", 0.0);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto& at, auto& d) { d[x] = (at.t - 0.25) * (at.t - 0.5) * (at.t - 0.875); });
  guard(system, form, "turning point", [=](const auto& at) { return at[dot(x)]; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "calls the field inside the guard",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({0.25, 0.5, 0.875}, "turning point", 1)};
}

GauntletCase rate_of_an_oscillator(GuardForm form) {
  System system("maximal acceleration of an oscillator");
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  const auto turns = system.discrete("turns", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x];
  });
  guard(system, form, "top", [=](const auto& at) { return at[dot(x)]; }).falling().then([=](Jump& jump) {
    jump[turns] = jump[turns] + 1;
  });
  guard(system, form, "middle", [=](const auto& at) { return at[dot(v)]; });
  std::vector<ExpectedEvent> expected;
  for (int k = 1; k <= 12; ++k) {
    if (k % 2 == 0)
      expected.push_back({.t = k * pi / 2, .guard = "middle", .tolerance = 1e-6, .to = k % 4 == 0 ? -1 : 1});
    if (k % 4 == 1) expected.push_back({.t = k * pi / 2, .guard = "top", .tolerance = 1e-6, .to = -1});
  }
  return {.name = system.name(),
          .why = "guards equal to the derivatives of states",
          .system = system,
          .options = {.end = 19, .tolerance = 1e-7},
          .expected = expected};
}

GauntletCase crossing_kinks(GuardForm form) {
  auto [system, x, mode] = clock("the lesser of two lines");
  const State state = x;
  guard(system, form, "least", [=](const auto& at) {
    return min(at[state] - 0.25, 0.75 - at[state]);
  }).then(toggling(mode));
  guard(system, form, "distance", [=](const auto& at) { return abs(at[state] - 0.5) - 0.125; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "guards with kinks between their roots",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.25, .guard = "least", .to = 1},
                       {.t = 0.375, .guard = "distance", .to = -1},
                       {.t = 0.625, .guard = "distance", .to = 1},
                       {.t = 0.75, .guard = "least", .to = -1}}};
}

GauntletCase product_of_states(GuardForm form) {
  System system("product of two states");
  const auto x = system.state("x", -0.3), y = system.state("y", 0.6);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto&, auto& d) {
    d[x] = 1.0;
    d[y] = -1.0;
  });
  guard(system, form, "product", [=](const auto& at) { return at[x] * at[y]; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "same sign at both ends of a step",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({0.3, 0.6}, "product", 1)};
}

GauntletCase exponential_levels(GuardForm form) {
  System system("levels of a growing exponential");
  const auto x = system.state("x", 1.0);
  const auto level = system.discrete("level", std::exp(1.0));
  system.rates([=](const auto& at, auto& d) { d[x] = at[x]; });
  guard(system, form, "level", [=](const auto& at) { return at[x] - at[level]; }).rising().then([=](Jump& jump) {
    jump[level] = jump[level] * std::exp(1.0);
  });
  return {.name = system.name(),
          .why = "the guard moves away at every event",
          .system = system,
          .options = {.end = 5.5, .tolerance = 1e-7},
          .expected = repeated({1, 2, 3, 4, 5}, "level", 1, 1e-5)};
}

}  // namespace

void add_simultaneous(Cases& cases, GuardForm form) {
  cases.push_back(same_bit(form));
  cases.push_back(same_time_other_function(form));
  cases.push_back(neighbours(form, "two guards 1e-9 apart", 1e-9));
  cases.push_back(neighbours(form, "two guards 1e-12 apart", 1e-12));
  cases.push_back(staircase(form));
  cases.push_back(one_of_a_thousand(form));
  cases.push_back(member_of_a_family(form));
  cases.push_back(asleep_then_awake(form));
  cases.push_back(rate_of_a_state(form));
  cases.push_back(rate_of_an_oscillator(form));
  cases.push_back(crossing_kinks(form));
  cases.push_back(product_of_states(form));
  cases.push_back(exponential_levels(form));
}

}  // namespace pawl::gauntlet_parts
