// Transitions that move guards: across zero, onto it, back, and again at the same instant.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

GauntletCase across_a_second_guard(GuardForm form) {
  System system("a reset that jumps across a second guard");
  const auto x = system.state("x", 0.0);
  const auto count = system.discrete("count", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "first", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[x] = 3;
  });
  guard(system, form, "second", [=](const auto& at) { return at[x] - 2; }).rising().then([=](Jump& jump) {
    jump[count] = jump[count] + 1;
  });
  return {.name = system.name(),
          .why = "no step shows the second guard changing sign",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "first", .to = 1}, {.t = 1, .guard = "second", .kind = EventKind::jump}},
          .final_state = {{x, 4.0}}};
}

GauntletCase against_its_direction(GuardForm form) {
  System system("a reset across a guard against its direction");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "first", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[x] = 3;
  });
  guard(system, form, "second", [=](const auto& at) { return at[x] - 2; }).falling();
  guard(system, form, "third", [=](const auto& at) { return at[x] - 3.5; }).rising().then([=](Jump& jump) {
    jump[x] = 0;
  });
  return {.name = system.name(),
          .why = "re-armed without an event, then crossed the right way by another reset",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "first", .to = 1},
                       {.t = 1.5, .guard = "third", .to = 1},
                       {.t = 1.5, .guard = "second", .kind = EventKind::jump}},
          .final_state = {{x, 0.5}}};
}

enum class Landing { beyond, back };
GauntletCase onto_a_zero(GuardForm form, Landing landing) {
  const bool goes_on = landing == Landing::beyond;
  System system(goes_on ? "a reset onto a zero, leaving beyond" : "a reset onto a zero, coming back");
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = 0.0;
  });
  guard(system, form, "first", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    if (jump.pre(v) < 0) return;
    jump[x] = 2;
    jump[v] = goes_on ? 1 : -0.5;
  });
  guard(system, form, "second", [=](const auto& at) { return at[x] - 2; }).rising();
  std::vector<ExpectedEvent> expected{{.t = 1, .guard = "first", .to = 1}};
  if (goes_on)
    expected.push_back({.t = 1, .guard = "second", .kind = EventKind::jump});
  else
    expected.push_back({.t = 1, .guard = "second", .kind = EventKind::touch, .is_optional = true});
  return {.name = system.name(),
          .why = goes_on ? "it ends on the other side: an event at the same instant" : "it never was on the other side",
          .system = system,
          .options = {.end = 2},
          .expected = expected,
          .final_state = {{x, goes_on ? 3.0 : 1.5}}};
}

GauntletCase onto_a_zero_at_rest(GuardForm form) {
  System system("a reset onto a zero, resting there");
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = 0.0;
  });
  guard(system, form, "first", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[x] = 2;
    jump[v] = 0;
  });
  guard(system, form, "second", [=](const auto& at) { return at[x] - 2; });
  system.at(1.5, [=](Jump& jump) { jump[v] = 1; });
  return {.name = system.name(),
          .why = "zero for half a second, then leaves: never beyond by itself",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "first", .to = 1}},
          .final_state = {{x, 2.5}}};
}

GauntletCase retrigger(GuardForm form) {
  System system("retriggered at the same instant");
  const auto x = system.state("x", 0.0);
  const auto passes = system.discrete("passes", 0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "high", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[passes] = jump[passes] + 1;
    jump[x] = jump[passes] < 3 ? -1 : 0.5;
  });
  guard(system, form, "low", [=](const auto& at) { return at[x] + 0.5; }).falling().then([=](Jump& jump) {
    jump[x] = 2;
  });
  return {.name = system.name(),
          .why = "high, low, high, low, high, all at t = 1, then a sawtooth",
          .system = system,
          .options = {.end = 2.25},
          .expected = {{.t = 1, .guard = "high", .to = 1},
                       {.t = 1, .guard = "low", .kind = EventKind::jump},
                       {.t = 1, .guard = "high", .kind = EventKind::jump},
                       {.t = 1, .guard = "low", .kind = EventKind::jump},
                       {.t = 1, .guard = "high", .kind = EventKind::jump},
                       {.t = 1.5, .guard = "high", .to = 1},
                       {.t = 2, .guard = "high", .to = 1}},
          .final_state = {{x, 0.75}}};
}

GauntletCase endless_cycle(GuardForm form) {
  System system("two resets that undo each other");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "high", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[x] = -1;
  });
  guard(system, form, "low", [=](const auto& at) { return at[x] + 0.5; }).falling().then([=](Jump& jump) {
    jump[x] = 2;
  });
  return {.name = system.name(),
          .why = "must end with an explanation, not hang",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "high", .to = 1}, {.t = 1, .guard = "low", .kind = EventKind::jump}},
          .outcome = Outcome::failed,
          .reason = "break the cycle",
          .may_chatter_on = true};
}

GauntletCase sawtooth(GuardForm form) {
  System system("sawtooth");
  const auto x = system.state("x", 0.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "full", [=](const auto& at) { return at[x] - 0.125; }).rising().then([=](Jump& jump) {
    jump[x] = 0;
  });
  return {.name = system.name(),
          .why = "every event sends the guard back to its near side",
          .system = system,
          .options = {.end = 5.0625},
          .expected = repeated(times_of(1, 40, [](int k) { return k / 8.0; }), "full", 1),
          .final_state = {{x, 0.0625}}};
}

GauntletCase bilateral_bounce(GuardForm form) {
  System system("turned back by a bilateral guard");
  const auto x = system.state("x", 0.0), v = system.state("v", 1.0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = 0.0;
  });
  guard(system, form, "wall", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[v] = -1;
  });
  guard(system, form, "other wall", [=](const auto& at) { return at[x] + 1; }).falling().then([=](Jump& jump) {
    jump[v] = 1;
  });
  std::vector<ExpectedEvent> expected;
  for (int k = 1; k <= 8; ++k)
    expected.push_back({.t = 2.0 * k - 1, .guard = k % 2 == 1 ? "wall" : "other wall", .to = k % 2 == 1 ? 1 : -1});
  return {.name = system.name(),
          .why = "a hair beyond zero and moving back: once, not twice",
          .system = system,
          .options = {.end = 16},
          .expected = expected,
          .final_state = {{x, 0.0}}};
}

GauntletCase moved_threshold(GuardForm form) {
  System system("a parameter moved across the state");
  const auto x = system.state("x", 0.0);
  const auto limit = system.parameter("limit", 5.0);
  system.rates([=](const auto&, auto& d) { d[x] = 1.0; });
  guard(system, form, "alarm", [=](const auto& at) { return at[x] - 1; }).rising().then([=](Jump& jump) {
    jump[limit] = 0.5;
  });
  guard(system, form, "limit", [=](const auto& at) { return at[x] - at[limit]; }).rising();
  return {.name = system.name(),
          .why = "no state jumps, the guard does",
          .system = system,
          .options = {.end = 2},
          .expected = {{.t = 1, .guard = "alarm", .to = 1}, {.t = 1, .guard = "limit", .kind = EventKind::jump}}};
}

GauntletCase switched_on_late(GuardForm form) {
  auto [system, x, mode] = clock("watched only in one mode");
  const State state = x;
  const Discrete<bool> watching = mode;
  guard(system, form, "early", [=](const auto& at) { return at[state] - 0.25; }).only_when(watching);
  guard(system, form, "switch", [=](const auto& at) { return at[state] - 0.5; }).rising().then([=](Jump& jump) {
    jump[watching] = true;
  });
  guard(system, form, "late", [=](const auto& at) { return at[state] - 0.75; }).only_when(watching);
  guard(system, form, "never", [=](const auto& at) { return at[state] - 0.875; }).only_when(!watching);
  return {.name = system.name(),
          .why = "a guard that was crossed while not watched fires nothing when it is",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "switch", .to = 1}, {.t = 0.75, .guard = "late", .to = 1}}};
}

GauntletCase terminating(GuardForm form) {
  auto [system, x, mode] = clock("ends at an event");
  const State state = x;
  guard(system, form, "end", [=](const auto& at) { return at[state] - 0.5; }).then([](Jump& jump) {
    jump.terminate("enough");
  });
  guard(system, form, "later", [=](const auto& at) { return at[state] - (0.5 + 1e-9); });
  return {.name = system.name(),
          .why = "nothing after it happens",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 0.5, .guard = "end", .to = 1}},
          .outcome = Outcome::terminated,
          .reason = "enough",
          .final_state = {{state, 0.5}}};
}

}  // namespace

void add_resets(Cases& cases, GuardForm form) {
  cases.push_back(across_a_second_guard(form));
  cases.push_back(against_its_direction(form));
  cases.push_back(onto_a_zero(form, Landing::beyond));
  cases.push_back(onto_a_zero(form, Landing::back));
  cases.push_back(onto_a_zero_at_rest(form));
  cases.push_back(retrigger(form));
  cases.push_back(endless_cycle(form));
  cases.push_back(sawtooth(form));
  cases.push_back(bilateral_bounce(form));
  cases.push_back(moved_threshold(form));
  cases.push_back(switched_on_late(form));
  cases.push_back(terminating(form));
}

}  // namespace pawl::gauntlet_parts
