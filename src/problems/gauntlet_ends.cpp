// Events at the start, at the end, on output times, in the first step, and backward in time.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

template <class F>
GauntletCase of_clock(GuardForm form, const std::string& name, const std::string& why, double end, F g,
                      const std::vector<ExpectedEvent>& expected) {
  auto [system, x, mode] = clock(name);
  guard(system, form, "root", [g, x = x](const auto& at) { return g(at[x]); }).then(toggling(mode));
  return {.name = name, .why = why, .system = system, .options = {.end = end}, .expected = expected};
}

void add_starts(Cases& cases, GuardForm form) {
  cases.push_back(of_clock(form, "zero at the start, root later",
                           "its zero at t0 is no event and must not hide the next one", 1,
                           [](const auto& s) { return s * (s - 0.7); }, {{.t = 0.7, .guard = "root", .to = 1}}));
  cases.push_back(of_clock(form, "triple zero at the start", "leaves by its third derivative", 1,
                           [](const auto& s) { return s * s * s; }, {}));
  cases.push_back(of_clock(form, "double zero at the start, root later", "leaves by its second derivative", 1,
                           [](const auto& s) { return sqr(s) * (s - 0.5); }, {{.t = 0.5, .guard = "root", .to = 1}}));
  cases.push_back(of_clock(form, "fourth-order zero at the start, root later", "first chart decides", 1,
                           [](const auto& s) { return sqr(sqr(s)) * (s - 0.5); },
                           {{.t = 0.5, .guard = "root", .to = 1}}));
  cases.push_back(of_clock(form, "back across 1e-9 after a zero start", "leaves and crosses back at once", 1,
                           [](const auto& s) { return s * (s - 1e-9); },
                           {{.t = 1e-9, .guard = "root", .tolerance = 1e-14, .to = 1}}));
  cases.push_back(of_clock(form, "root at 1e-9, in the first step", "before the first step has a size", 1,
                           [](const auto& s) { return s - 1e-9; },
                           {{.t = 1e-9, .guard = "root", .tolerance = 1e-14, .to = 1}}));
  cases.push_back(of_clock(form, "root at 1e-14, in the first step", "a few units of rounding of t = 1", 1,
                           [](const auto& s) { return s - 1e-14; },
                           {{.t = 1e-14, .guard = "root", .tolerance = 1e-16, .to = 1}}));
  cases.push_back(of_clock(
      form, "zero at the start and a wave", "s sin 7 s: zero of second order, then single ones", 3,
      [](const auto& s) { return s * sin(7 * s); },
      alternating(times_of(1, 6, [](int k) { return k * pi / 7; }), "root", -1)));
  cases.push_back(
      of_clock(form, "identically zero", "rests at zero: no event ever", 1, [](const auto& s) { return 0 * s; }, {}));
}

GauntletCase at_the_end(GuardForm form, bool reads_state) {
  auto [system, x, mode] = clock(reads_state ? "root exactly at the end, of a state" : "root exactly at the end, of t");
  const State state = x;
  if (reads_state)
    guard(system, form, "end", [=](const auto& at) { return at[state] - 1; }).then(toggling(mode));
  else
    guard(system, form, "end", [](const auto& at) { return at.t - 1; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "there is nothing beyond to show its far side",
          .system = system,
          .options = {.end = 1},
          .expected = {{.t = 1, .guard = "end", .tolerance = of_time, .to = 1, .may_fall_short = reads_state}}};
}

GauntletCase near_the_end(GuardForm form, bool is_before) {
  auto [system, y, mode] = still(is_before ? "root just before the end" : "root just beyond the end");
  const double root = is_before ? 1 - 1e-14 : 1 + 1e-14;
  guard(system, form, "end", [=](const auto& at) { return at.t - root; }).then(toggling(mode));
  std::vector<ExpectedEvent> expected;
  if (is_before) expected.push_back({.t = root, .guard = "end", .tolerance = 1e-14, .to = 1});
  return {
      .name = system.name(),
      .why = is_before ? "1e-14 before: an event, and a restart with no room" : "1e-14 later: not an event of this run",
      .system = system,
      .options = {.end = 1},
      .expected = expected};
}

GauntletCase on_an_output_time(GuardForm form) {
  auto [system, x, mode] = clock("roots on requested output times");
  const State state = x;
  guard(system, form, "of state", [=](const auto& at) { return at[state] - 0.5; }).then(toggling(mode));
  guard(system, form, "of time", [=](const auto& at) { return at.t - 0.25; }).then(toggling(mode));
  return {.name = system.name(),
          .why = "the output must neither eat nor double the event",
          .system = system,
          .options = {.end = 1, .times = {0.25, 0.5, 0.75, 1.0}},
          .expected = {{.t = 0.25, .guard = "of time", .to = 1}, {.t = 0.5, .guard = "of state", .to = 1}}};
}

void add_backward(Cases& cases, GuardForm form) {
  {
    auto [system, y, mode] = still("sin(20 pi t) backward");
    guard(system, form, "wave", [](const auto& at) { return sin(20 * pi * at.t); }).then(toggling(mode));
    cases.push_back(
        {.name = system.name(),
         .why = "rising and falling are along the integration",
         .system = system,
         .options = {.start = 3.52, .end = 0.01},
         .expected = alternating(times_of(1, 70, [](int k) { return (71 - k) / 20.0; }), "wave", -1, of_time)});
  }
  {
    auto [system, y, mode] = still("sin(20 pi t) backward, rising only");
    guard(system, form, "wave", [](const auto& at) { return sin(20 * pi * at.t); }).rising().then(toggling(mode));
    cases.push_back(
        {.name = system.name(),
         .why = "from - to + as the run sees it",
         .system = system,
         .options = {.start = 1.02, .end = 0.01},
         .expected = repeated(times_of(1, 10, [](int k) { return (21 - 2 * k) / 20.0; }), "wave", 1, of_time)});
  }
  {
    System system("a ball backward");
    const auto height = system.state("height", 1.0), speed = system.state("speed", 0.0);
    const auto hits = system.discrete("hits", 0);
    system.rates([=](const auto& at, auto& d) {
      d[height] = at[speed];
      d[speed] = -2.0;
    });
    guard(system, form, "ground", [=](const auto& at) { return at[height]; })
        .falling()
        .unilateral()
        .then([=](Jump& jump) {
          jump[speed] = -jump.pre(speed);
          jump[hits] = jump[hits] + 1;
        });
    cases.push_back({.name = system.name(),
                     .why = "falls to the past, bounces, never below ground",
                     .system = system,
                     .options = {.start = 0, .end = -6},
                     .expected = repeated({-1, -3, -5}, "ground", -1, of_state),
                     .final_state = {{height, 1.0}}});
  }
  {
    auto [system, x, mode] = clock("root exactly at the end, backward", 1);
    const State state = x;
    guard(system, form, "end", [=](const auto& at) { return at[state] - 0.5; }).then(toggling(mode));
    cases.push_back({.name = system.name(),
                     .why = "there is nothing beyond, the other way",
                     .system = system,
                     .options = {.start = 1, .end = 0.5},
                     .expected = {{.t = 0.5, .guard = "end", .tolerance = of_time, .to = -1, .may_fall_short = true}}});
  }
}

}  // namespace

void add_ends(Cases& cases, GuardForm form) {
  add_starts(cases, form);
  cases.push_back(at_the_end(form, true));
  cases.push_back(at_the_end(form, false));
  cases.push_back(near_the_end(form, true));
  cases.push_back(near_the_end(form, false));
  cases.push_back(on_an_output_time(form));
  add_backward(cases, form);
}

}  // namespace pawl::gauntlet_parts
