// Conditions, decisions, relays and time events.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

template <class F>
Condition condition(System& system, GuardForm form, const std::string& name, F g) {
  return form == GuardForm::generic ? system.condition(name, g) : system.condition(name, black_box(g));
}
template <class F>
Relay relay(System& system, GuardForm form, const std::string& name, System::Levels levels, F g) {
  return form == GuardForm::generic ? system.relay(name, levels, g) : system.relay(name, levels, black_box(g));
}

GauntletCase condition_wave(GuardForm form) {
  System system("a condition that holds every other twentieth");
  const auto y = system.state("y", 0.0);
  const auto positive = condition(system, form, "positive", [](const auto& at) { return sin(20 * pi * at.t); });
  system.rates([=](const auto& at, auto& d) { d[y] = at[positive] ? 1.0 : -1.0; });
  return {.name = system.name(),
          .why = "starts at zero: true, because it leaves upward",
          .system = system,
          .options = {.end = 1.02},
          .expected = alternating(times_of(1, 20, [](int k) { return k / 20.0; }), "positive", -1, of_time),
          .final_state = {{y, 0.02}}};
}

GauntletCase decision(GuardForm form) {
  System system("a decision of two conditions");
  const auto x = system.state("x", 0.0), y = system.state("y", 0.0);
  const auto is_on = system.discrete("on", false);
  system.rates([=](const auto& at, auto& d) {
    d[x] = 1.0;
    d[y] = at[is_on] ? 1.0 : 0.0;
  });
  const auto begun = condition(system, form, "begun", [=](const auto& at) { return at[x] - 0.25; });
  const auto ended = condition(system, form, "ended", [=](const auto& at) { return at[x] - 0.75; });
  system.decide(is_on, begun && !ended);
  return {.name = system.name(),
          .why = "a mode that follows two truths",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.25, .guard = "begun", .to = 1}, {.t = 0.75, .guard = "ended", .to = 1}},
          .final_state = {{y, 0.5}}};
}

GauntletCase guard_that_jumps_in_time(GuardForm form) {
  System system("a guard that jumps at a time event, across");
  const auto x = system.state("x", 0.0);
  const auto offset = system.discrete("offset", 2.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  system.at(0.5, [=](Jump& jump) { jump[offset] = 0.25; });
  guard(system, form, "level", [=](const auto& at) { return at[x] - at[offset]; }).rising().then([=](Jump& jump) {
    jump[offset] = 0.75;
  });
  return {.name = system.name(),
          .why = "its zero is between two values at one instant",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "level", .kind = EventKind::jump}, {.t = 0.75, .guard = "level", .to = 1}}};
}

GauntletCase branch_that_would_cross(GuardForm form) {
  System system("a guard that jumps at a time event, not across");
  const auto y = system.state("y", 0.0);
  const auto phase = system.discrete("phase", 0);
  system.rates([=](const auto&, auto& d) { d[y] = 0.0; });
  system.at(0.5, [=](Jump& jump) { jump[phase] = 1; });
  guard(system, form, "branches", [=](const auto& at) { return at[phase] == 0 ? 0.6 - at.t : at.t - 0.4; });
  return {.name = system.name(),
          .why = "each branch has its root where the other is in force",
          .system = system,
          .options = {.end = 1},
          .expected = {}};
}

GauntletCase crossing_on_a_time_event(GuardForm form) {
  auto [system, x, mode] = clock("a crossing at the instant of a time event");
  const State state = x;
  const auto ticks = system.discrete("ticks", 0);
  system.at(0.5, [=](Jump& jump) { jump[ticks] = jump[ticks] + 1; });
  guard(system, form, "line", [=](const auto& at) { return at[state] - 0.5; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "both, once each",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "line", .to = 1}}};
}

GauntletCase periodic_reset(GuardForm form) {
  System system("a guard between periodic resets");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  system.every(0.25, [=](Jump& jump) { jump[x] = 0; });
  guard(system, form, "reached", [=](const auto& at) { return at[x] - 0.1875; }).rising();
  guard(system, form, "never reached", [=](const auto& at) { return at[x] - 0.2500001; }).rising();
  return {.name = system.name(),
          .why = "the reset comes a tenth of a microsecond before the second guard",
          .system = system,
          .options = {.end = 1.125},
          .expected = repeated({0.1875, 0.4375, 0.6875, 0.9375}, "reached", 1),
          .final_state = {{x, 0.125}}};
}

GauntletCase sliding(GuardForm form) {
  System system("a relay that slides");
  const auto x = system.state("x", 1.0);
  const auto u = relay(system, form, "u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = at[u] + 0.5; });
  return {.name = system.name(),
          .why = "without sliding it switches at every rounding",
          .system = system,
          .options = {.end = 5},
          .expected = {{.t = 2, .guard = "u", .kind = EventKind::slide}},
          .final_state = {{x, 0.0}},
          .has_black_box_form = false};
}

GauntletCase sliding_and_leaving(GuardForm form) {
  System system("a relay that slides and lets go");
  const auto x = system.state("x", 0.5);
  const auto u = relay(system, form, "u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = at[u] + 0.25 * at.t; });
  return {.name = system.name(),
          .why = "leaves where the equivalent control reaches its level, tangentially",
          .system = system,
          .options = {.end = 6},
          .expected = {{.t = 4 - std::sqrt(12.0), .guard = "u", .kind = EventKind::slide},
                       {.t = 4, .guard = "u", .tolerance = 1e-9, .kind = EventKind::leave}},
          .final_state = {{x, 0.5}},
          .has_black_box_form = false};
}

GauntletCase going_through(GuardForm form) {
  System system("a relay that does not slide");
  const auto x = system.state("x", -1.0);
  const auto u = relay(system, form, "u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = 1 + 0.5 * at[u]; });
  return {.name = system.name(),
          .why = "both fields point the same way",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 2.0 / 3, .guard = "u", .to = 1}},
          .final_state = {{x, 0.5 / 3}},
          .has_black_box_form = false};
}

GauntletCase hysteresis(GuardForm form) {
  System system("a relay with hysteresis");
  const auto x = system.state("x", -0.5);
  const auto u =
      relay(system, form, "u", {.below = 1, .above = -1, .hysteresis = 0.25}, [=](const auto& at) { return at[x]; });
  system.rates([=](const auto& at, auto& d) { d[x] = at[u]; });
  return {.name = system.name(),
          .why = "switches at +1/8 and -1/8, every quarter second",
          .system = system,
          .options = {.end = 5},
          .expected = repeated(times_of(0, 17, [](int k) { return 0.625 + k / 4.0; }), "u", 0),
          .final_state = {{x, 0.0}}};
}

GauntletCase chattering(GuardForm form) {
  System system("a switch that chatters");
  const auto x = system.state("x", 1.0);
  const auto m = system.discrete("m", -1.0);
  system.rates([=](const auto& at, auto& d) { d[x] = at[m]; });
  guard(system, form, "surface", [=](const auto& at) { return at[x]; }).then([=](Jump& jump) { jump[m] = -jump[m]; });
  return {.name = system.name(),
          .why = "declared as a guard, not as a relay: must end with advice, not hang",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "surface", .to = -1}},
          .outcome = Outcome::failed,
          .reason = "chatters",
          .may_chatter_on = true};
}

GauntletCase one_way(GuardForm form, int direction) {
  auto [system, y, mode] = still(direction > 0 ? "rising only" : "falling only");
  auto declared = guard(system, form, "wave", [](const auto& at) { return sin(20 * pi * at.t); });
  (direction > 0 ? declared.rising() : declared.falling()).then(toggling(mode));
  const auto root = [=](int k) { return (2 * k - (direction > 0 ? 0 : 1)) / 20.0; };
  return {.name = system.name(),
          .why = "every other root is none of its business",
          .system = system,
          .options = {.end = 1.02},
          .expected = repeated(times_of(1, 10, root), "wave", direction, of_time)};
}

}  // namespace

void add_switches(Cases& cases, GuardForm form) {
  cases.push_back(condition_wave(form));
  cases.push_back(decision(form));
  cases.push_back(guard_that_jumps_in_time(form));
  cases.push_back(branch_that_would_cross(form));
  cases.push_back(crossing_on_a_time_event(form));
  cases.push_back(periodic_reset(form));
  cases.push_back(sliding(form));
  cases.push_back(sliding_and_leaving(form));
  cases.push_back(going_through(form));
  cases.push_back(hysteresis(form));
  cases.push_back(chattering(form));
  cases.push_back(one_way(form, 1));
  cases.push_back(one_way(form, -1));
}

}  // namespace pawl::gauntlet_parts
