// Events that accumulate, cluster and bounce.
#include <algorithm>
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

struct Ball {
  System system;
  State height, speed;
  Discrete<bool> resting;
};
Ball ball(GuardForm form, const std::string& name, double restitution, bool comes_to_rest) {
  System system(name);
  const auto height = system.state("height", 1.0), speed = system.state("speed", 0.0);
  const auto resting = system.discrete("resting", false);
  system.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 : -9.81;
  });
  auto ground = guard(system, form, "ground", [=](const auto& at) { return at[height]; });
  ground.falling().unilateral().only_when(!resting).then(
      [=](Jump& jump) { jump[speed] = -restitution * jump.pre(speed); });
  if (comes_to_rest) {
    ground.at_accumulation([=](Jump& jump) {
      jump[height] = jump[speed] = 0;
      jump[resting] = true;
    });
  }
  return {system, height, speed, resting};
}

// t_n = t_1 (1 + 2 e (1 - e^(n-1)) / (1 - e)); the last bounces before the limit may be passed over.
std::vector<ExpectedEvent> bounces(double e, bool comes_to_rest) {
  const double first = std::sqrt(2 / 9.81), limit = first * (1 + e) / (1 - e);
  std::vector<ExpectedEvent> expected;
  for (int n = 1; n <= 120; ++n) {
    const double ahead = 2 * first * std::pow(e, n) / (1 - e);
    expected.push_back({.t = limit - ahead,
                        .guard = "ground",
                        .tolerance = of_state,
                        .to = -1,
                        .is_optional = ahead < 1e-5 * 2 * e * first});
  }
  if (comes_to_rest)
    expected.push_back({.t = limit, .guard = "ground", .tolerance = 1e-8, .kind = EventKind::accumulation});
  return expected;
}

GauntletCase ball_to_rest(GuardForm form, const std::string& name, double e) {
  const Ball b = ball(form, name, e, true);
  return {.name = name,
          .why = "infinitely many bounces, then rest; others fall through the floor",
          .system = b.system,
          .options = {.end = 5, .tolerance = 1e-6},
          .expected = bounces(e, true),
          .final_state = {{b.height, 0.0}, {b.speed, 0.0}},
          .final_tolerance = 0};
}

GauntletCase ball_without_rest(GuardForm form) {
  const Ball b = ball(form, "a ball without a resting mode", 0.7, false);
  return {.name = b.system.name(),
          .why = "past the accumulation the model has no solution: must stop there",
          .system = b.system,
          .options = {.end = 5, .tolerance = 1e-6},
          .expected = bounces(0.7, false),
          .outcome = Outcome::terminated,
          .reason = "accumulate",
          .final_tolerance = 1e-5};
}

GauntletCase kicked_from_rest(GuardForm form) {
  Ball b = ball(form, "a ball kicked from rest", 0.5, true);
  b.system.at(4.0, [=](Jump& jump) {
    jump[b.resting] = false;
    jump[b.speed] = 9.81 / 2;
  });
  auto expected = bounces(0.5, true);
  expected.push_back({.t = 5, .guard = "ground", .tolerance = of_state, .to = -1});
  expected.push_back({.t = 5.5, .guard = "ground", .tolerance = of_state, .to = -1});
  return {.name = b.system.name(),
          .why = "after an accumulation the guard is watched again",
          .system = b.system,
          .options = {.end = 5.625, .tolerance = 1e-6},
          .expected = expected,
          .final_state = {{b.height, 9.81 / 2 * 0.125 * 0.125}}};
}

GauntletCase elastic(GuardForm form) {
  const Ball b = ball(form, "elastic ball", 1, true);
  std::vector<ExpectedEvent> expected;
  const double first = std::sqrt(2 / 9.81);
  return {.name = b.system.name(),
          .why = "equal gaps must not be taken for an accumulation",
          .system = b.system,
          .options = {.end = 24 * first, .tolerance = 1e-6},
          .expected = repeated(times_of(1, 12, [=](int n) { return (2 * n - 1) * first; }), "ground", -1, 1e-8),
          .final_state = {{b.height, 1.0}},
          .final_tolerance = 1e-8};
}

GauntletCase between_walls(GuardForm form) {
  System system("between two unilateral walls");
  const auto x = system.state("x", 0.5), v = system.state("v", 1.0);
  const auto hits = system.discrete("hits", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = 0.0;
  });
  const auto back = [=](Jump& jump) {
    jump[v] = -jump.pre(v);
    jump[hits] = jump[hits] + 1;
  };
  guard(system, form, "right", [=](const auto& at) { return at[x] - 1; }).rising().unilateral().then(back);
  guard(system, form, "left", [=](const auto& at) { return at[x]; }).falling().unilateral().then(back);
  std::vector<ExpectedEvent> expected;
  for (int k = 0; k < 20; ++k) expected.push_back({.t = k + 0.5, .guard = k % 2 == 0 ? "right" : "left"});
  return {.name = system.name(),
          .why = "never seen beyond either",
          .system = system,
          .options = {.end = 20},
          .expected = expected,
          .final_state = {{x, 0.5}}};
}

GauntletCase marked_ball(GuardForm form) {
  System system("a unilateral and a bilateral guard at the same bit");
  const auto height = system.state("height", 1.0), speed = system.state("speed", 0.0);
  const auto hits = system.discrete("hits", 0);
  system.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = -2.0;
  });
  guard(system, form, "ground", [=](const auto& at) { return at[height]; })
      .falling()
      .unilateral()
      .then([=](Jump& jump) { jump[speed] = -jump.pre(speed); });
  guard(system, form, "count", [=](const auto& at) { return at[height]; }).falling().then([=](Jump& jump) {
    jump[hits] = jump[hits] + 1;
  });
  std::vector<ExpectedEvent> expected;
  for (const double t : {1.0, 3.0, 5.0}) {
    expected.push_back({.t = t, .guard = "ground"});
    expected.push_back({.t = t, .guard = "count"});
  }
  return {.name = system.name(),
          .why = "the one must not hide that the other was reached",
          .system = system,
          .options = {.end = 6},
          .expected = expected,
          .final_state = {{height, 1.0}}};
}

// BOK 3: the rates swap at each event; gaps 3/4 ln 2, 3/8 ln 2, ... up to 2 ln 2.
GauntletCase swapping_rates(GuardForm form) {
  System system("rates that swap, to 2 ln 2");
  const auto y1 = system.state("y1", 0.5), y2 = system.state("y2", -0.5);
  const auto a1 = system.discrete("a1", 2.0), a2 = system.discrete("a2", -1.0);
  system.rates([=](const auto& at, auto& d) {
    d[y1] = at[a1] * at[y1];
    d[y2] = at[a2] * at[y2];
  });
  const auto swap = [=](Jump& jump) {
    jump[a1] = jump.pre(a2);
    jump[a2] = jump.pre(a1);
  };
  guard(system, form, "first", [=](const auto& at) { return 1 - at[y1]; }).falling().unilateral().then(swap);
  guard(system, form, "second", [=](const auto& at) { return 1 + at[y2]; }).falling().unilateral().then(swap);
  std::vector<ExpectedEvent> expected;
  const double ln2 = std::log(2.0);
  for (int n = 1; n <= 60; ++n) {
    const double ahead = 1.5 * ln2 * std::pow(0.5, n - 1);
    expected.push_back({.t = 2 * ln2 - ahead,
                        .guard = n % 2 == 1 ? "first" : "second",
                        .tolerance = 1e-6,
                        .is_optional = ahead < 1e-4});
  }
  return {.name = system.name(),
          .why = "two guards accumulate together; events must stop, not pile up",
          .system = system,
          .options = {.end = 1.5, .tolerance = 1e-9},
          .expected = expected,
          .outcome = Outcome::terminated,
          .reason = "accumulate"};
}

GauntletCase halving_levels(GuardForm form) {
  System system("levels 1/2, 3/4, 7/8, ...");
  const auto x = system.state("x", 0.0);
  const auto level = system.discrete("level", 0.5);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "level", [=](const auto& at) { return at[x] - at[level]; })
      .rising()
      .then([=](Jump& jump) { jump[level] = 0.5 * (1 + jump[level]); })
      .at_accumulation([=](Jump& jump) { jump[level] = 1.5; });
  std::vector<ExpectedEvent> expected;
  for (int n = 1; n <= 50; ++n)
    expected.push_back({.t = 1 - std::pow(0.5, n), .guard = "level", .to = 1, .is_optional = n > 16});
  expected.push_back({.t = 1, .guard = "level", .tolerance = 1e-8, .kind = EventKind::accumulation});
  expected.push_back({.t = 1.5, .guard = "level", .to = 1});
  return {.name = system.name(),
          .why = "accumulates without any force; goes on behind the limit",
          .system = system,
          .options = {.end = 1.6},
          .expected = expected};
}

GauntletCase rearmed_closely(GuardForm form) {
  System system("a level that moves on by 1e-12");
  const auto x = system.state("x", 0.0);
  const auto level = system.discrete("level", 0.5);
  const auto count = system.discrete("count", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "level", [=](const auto& at) { return at[x] - at[level]; }).rising().then([=](Jump& jump) {
    jump[count] = jump[count] + 1;
    jump[level] = jump[count] < 6 ? 0.5 + jump[count] * 1e-12 : 10.0;
  });
  return {.name = system.name(),
          .why = "six events within 5e-12, each a restart",
          .system = system,
          .options = {.end = 1},
          .expected = repeated(times_of(0, 5, [](int k) { return 0.5 + k * 1e-12; }), "level", 1, of_state)};
}

GauntletCase cluster_of_balls(GuardForm form, const std::string& name, int count, double end, double tolerance,
                              double location, int lowest_order) {
  std::vector<ExpectedEvent> expected;
  for (int j = 0; j < count; ++j) {
    const auto events =
        alternating(spring_ball_events(1 + 1e-9 * j, end), "ball" + std::to_string(j + 1), -1, location);
    expected.insert(expected.end(), events.begin(), events.end());
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return {.name = name,
          .why = "contacts 2e-10 apart; the spring is stiff, the flight is not",
          .system = spring_balls(count, form),
          .options = {.end = end, .tolerance = tolerance},
          .expected = expected,
          .lowest_order = lowest_order};
}

}  // namespace

void add_accumulations(Cases& cases, GuardForm form) {
  cases.push_back(ball_to_rest(form, "ball, restitution 0.7, past its accumulation", 0.7));
  cases.push_back(ball_to_rest(form, "ball, restitution 0.5, past its accumulation", 0.5));
  cases.push_back(ball_without_rest(form));
  cases.push_back(kicked_from_rest(form));
  cases.push_back(elastic(form));
  cases.push_back(between_walls(form));
  cases.push_back(marked_ball(form));
  cases.push_back(swapping_rates(form));
  cases.push_back(halving_levels(form));
  cases.push_back(rearmed_closely(form));
  cases.push_back(cluster_of_balls(form, "a ball on a spring", 1, 3.1, 1e-8, 1e-4, 3));
  cases.push_back(cluster_of_balls(form, "ten balls on springs, 1e-9 apart", 10, 2.0, 1e-11, 2e-9, 5));
}

}  // namespace pawl::gauntlet_parts
