// Many roots: fast waves under large steps, pairs of roots, chirps, products.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

constexpr auto twentieth = [](int k) { return k / 20.0; };

GauntletCase seventy_roots(GuardForm form) {
  auto [system, y, mode] = still("sin(20 pi t), y' = 0");
  guard(system, form, "wave", [](const auto& at) { return sin(20 * pi * at.t); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "nothing limits the step: 70 roots inside one",
          .system = system,
          .options = {.end = 3.5},
          .expected = alternating(times_of(1, 70, twentieth), "wave", -1, of_time)};
}

GauntletCase latched_growth(GuardForm form) {
  System system("y' = m y, m latched by sin(20 pi t)");
  const auto y = system.state("y", 1.0);
  const auto m = system.discrete("m", 1.0);
  system.rates([=](const auto& at, auto& d) { d[y] = at[m] * at[y]; });
  guard(system, form, "latch", [](const auto& at) { return sin(20 * pi * at.t); }).then([=](Jump& jump) {
    jump[m] = -jump[m];
  });
  return {.name = system.name(),
          .why = "the published case in which codes skip 16 to 68 events",
          .system = system,
          .options = {.end = 3.5, .tolerance = 1e-6},
          .expected = alternating(times_of(1, 70, twentieth), "latch", -1),
          .final_state = {{y, 1.0}},
          .final_tolerance = 1e-4};
}

GauntletCase square_wave(GuardForm form) {
  System system("y' = y while sin(20 pi t) >= 0");
  const auto y = system.state("y", 0.1);
  const auto is_up = system.discrete("up", true);
  system.rates([=](const auto& at, auto& d) { d[y] = (at[is_up] ? 1.0 : 0.0) * at[y]; });
  guard(system, form, "to plateau", [](const auto& at) { return sin(20 * pi * at.t); }).falling().then([=](Jump& jump) {
    jump[is_up] = false;
  });
  guard(system, form, "to growth", [](const auto& at) { return sin(20 * pi * at.t); }).rising().then([=](Jump& jump) {
    jump[is_up] = true;
  });
  std::vector<ExpectedEvent> expected;
  for (int k = 1; k <= 70; ++k)
    expected.push_back(
        {.t = twentieth(k), .guard = k % 2 == 1 ? "to plateau" : "to growth", .to = k % 2 == 1 ? -1 : 1});
  return {.name = system.name(),
          .why = "two guards share one function, one direction each",
          .system = system,
          .options = {.end = 3.5, .tolerance = 1e-9},
          .expected = expected,
          .final_state = {{y, 0.1 * std::exp(1.75)}},
          .final_tolerance = 1e-7};
}

GauntletCase interleaved(GuardForm form) {
  auto [system, y, mode] = still("sine and cosine in turn");
  guard(system, form, "sine", [](const auto& at) { return sin(20 * pi * at.t); }).then(toggling(mode));
  guard(system, form, "cosine", [](const auto& at) { return cos(20 * pi * at.t); }).then(toggling(mode));
  std::vector<ExpectedEvent> expected;
  for (int k = 1; k <= 39; ++k) {
    const int to = k / 2 % 2 == 0 ? -1 : 1;
    expected.push_back({.t = k / 40.0, .guard = k % 2 == 0 ? "sine" : "cosine", .to = k % 2 == 0 ? -to : to});
  }
  return {.name = system.name(),
          .why = "two guards alternate inside one step: order",
          .system = system,
          .options = {.end = 0.99},
          .expected = expected};
}

GauntletCase thousand_roots(GuardForm form) {
  auto [system, y, mode] = still("sin(1000 pi t)");
  guard(system, form, "wave", [](const auto& at) { return sin(1000 * pi * at.t); });
  return {.name = system.name(),
          .why = "a thousand roots, no transition to restart after",
          .system = system,
          .options = {.end = 1.0005},
          .expected = alternating(times_of(1, 1000, [](int k) { return k / 1000.0; }), "wave", -1, of_time)};
}

GauntletCase modulated(GuardForm form) {
  auto [system, x, mode] = clock("x sin(50 t)");
  guard(system, form, "wave", [x = x](const auto& at) { return (1 + at[x]) * sin(50 * at.t); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "a product of a moving state and a wave the step does not see",
          .system = system,
          .options = {.end = 2},
          .expected = alternating(times_of(1, 31, [](int k) { return k * pi / 50; }), "wave", -1)};
}

template <class Factor>
GauntletCase scaled(GuardForm form, const std::string& name, const std::string& why, Factor factor) {
  auto [system, y, mode] = still(name);
  guard(system, form, "wave", [factor](const auto& at) { return factor * sin(20 * pi * at.t); }).then(toggling(mode));
  return {.name = name,
          .why = why,
          .system = system,
          .options = {.end = 0.52},
          .expected = alternating(times_of(1, 10, twentieth), "wave", -1, of_time)};
}

GauntletCase late(GuardForm form) {
  auto [system, y, mode] = still("the same wave after a million seconds");
  guard(system, form, "wave", [](const auto& at) { return sin(20 * pi * (at.t - 1e6)); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "t has 10 digits less to offer",
          .system = system,
          .options = {.start = 1e6 + 0.01, .end = 1e6 + 0.52},
          .expected = alternating(times_of(1, 10, [](int k) { return 1e6 + k / 20.0; }), "wave", -1, 5e-9)};
}

GauntletCase tiny_run(GuardForm form) {
  auto [system, y, mode] = still("a whole run within a nanosecond");
  guard(system, form, "wave", [](const auto& at) { return sin(2e10 * pi * at.t); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "no absolute time scale may be built in",
          .system = system,
          .options = {.end = 1.02e-9},
          .expected = alternating(times_of(1, 20, [](int k) { return k / 2e10; }), "wave", -1, 1e-21)};
}

GauntletCase chirp(GuardForm form) {
  auto [system, y, mode] = still("chirp sin(40 t^2)");
  guard(system, form, "chirp", [](const auto& at) { return sin(40 * sqr(at.t)); }).then(toggling(mode));
  const auto root = [](int k) { return std::sqrt(k * pi / 40); };
  return {.name = system.name(),
          .why = "starts with a double zero; roots crowd as it goes on",
          .system = system,
          .options = {.end = 2},
          .expected = alternating(times_of(1, 50, root), "chirp", -1, of_time)};
}

GauntletCase crowding(GuardForm form) {
  auto [system, y, mode] = still("sin(1/(t + 0.01))");
  guard(system, form, "crowd", [](const auto& at) { return sin(1 / (at.t + 0.01)); }).then(toggling(mode));
  return {
      .name = system.name(),
      .why = "31 roots, most of them in the first hundredth of the step",
      .system = system,
      .options = {.end = 1},
      .expected = alternating(times_of(1, 31, [](int k) { return 1 / ((32 - k) * pi) - 0.01; }), "crowd", 1, of_time)};
}

GauntletCase product(GuardForm form) {
  auto [system, x, mode] = clock("ten roots of a polynomial");
  guard(system, form, "product", [x = x](const auto& at) {
    auto value = at[x] - 0.1;
    for (int k = 2; k <= 10; ++k) value = value * (at[x] - k / 10.0);
    return value;
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "values down to 1e-7 of the largest between the roots",
          .system = system,
          .options = {.end = 1.1},
          .expected = alternating(times_of(1, 10, [](int k) { return k / 10.0; }), "product", -1)};
}

GauntletCase chebyshev(GuardForm form) {
  auto [system, x, mode] = clock("Chebyshev polynomial of degree 12", -1);
  guard(system, form, "T12", [x = x](const auto& at) {
    auto before = 0 * at[x] + 1, now = 1 * at[x];
    for (int k = 2; k <= 12; ++k) {
      const auto next = 2 * at[x] * now - before;
      before = now;
      now = next;
    }
    return now;
  }).then(toggling(mode));
  return {
      .name = system.name(),
      .why = "ranges by recurrence are useless until the pieces are small",
      .system = system,
      .options = {.end = 2},
      .expected = alternating(times_of(1, 12, [](int k) { return 1 - std::cos((2 * k - 1) * pi / 24); }), "T12", -1)};
}

GauntletCase pair(GuardForm form, const std::string& name, double gap, double tolerance) {
  auto [system, x, mode] = clock(name);
  const double second = 0.5 + gap;
  guard(system, form, "pair", [=, x = x](const auto& at) {
    return (at[x] - 0.5) * (at[x] - second);
  }).then(toggling(mode));
  return {.name = name,
          .why = "both inside one long step; no sign change at its ends",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({0.5, second}, "pair", -1, tolerance, /*needs_proof=*/true)};
}

GauntletCase pair_of_time(GuardForm form) {
  auto [system, y, mode] = still("two roots 1e-9 apart in a guard of t alone");
  const double first = 0.3, second = first + 1e-9;
  guard(system, form, "pair", [=](const auto& at) { return (at.t - first) * (at.t - second); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "the trajectory says nothing about them",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({first, second}, "pair", -1, 1e-13, true)};
}

GauntletCase expanded_pair(GuardForm form) {
  auto [system, x, mode] = clock("two roots 1e-6 apart, expanded");
  guard(system, form, "pair", [x = x](const auto& at) {
    return sqr(at[x]) - at[x] + (0.25 - 0.25e-12);
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "the dip is 2.5e-13 deep, a thousand roundings of the guard",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({0.5 - 0.5e-6, 0.5 + 0.5e-6}, "pair", -1, 3e-8, true)};
}

GauntletCase five_in_a_row(GuardForm form) {
  auto [system, x, mode] = clock("five roots 1e-6 apart");
  guard(system, form, "cluster", [x = x](const auto& at) {
    auto value = at[x] - 0.5;
    for (int k = 1; k <= 4; ++k) value = value * (at[x] - (0.5 + k * 1e-6));
    return value;
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "values of 1e-30 between them",
          .system = system,
          .options = {.end = 1},
          .expected = alternating(times_of(0, 4, [](int k) { return 0.5 + k * 1e-6; }), "cluster", 1)};
}

}  // namespace

void add_waves(Cases& cases, GuardForm form) {
  cases.push_back(seventy_roots(form));
  cases.push_back(latched_growth(form));
  cases.push_back(square_wave(form));
  cases.push_back(interleaved(form));
  cases.push_back(thousand_roots(form));
  cases.push_back(modulated(form));
  cases.push_back(scaled(form, "1e-12 sin(20 pi t)", "a guard in tiny units", 1e-12));
  cases.push_back(scaled(form, "1e12 sin(20 pi t)", "a guard in huge units", 1e12));
  cases.push_back(late(form));
  cases.push_back(tiny_run(form));
  cases.push_back(chirp(form));
  cases.push_back(crowding(form));
  cases.push_back(product(form));
  cases.push_back(chebyshev(form));
  cases.push_back(pair(form, "two roots 1e-3 apart", 1e-3, of_state));
  cases.push_back(pair(form, "two roots 1e-6 apart", 1e-6, of_state));
  cases.push_back(pair(form, "two roots 1e-9 apart", 1e-9, of_state));
  cases.push_back(pair(form, "two roots 1e-12 apart", 1e-12, of_state));
  cases.push_back(pair_of_time(form));
  cases.push_back(expanded_pair(form));
  cases.push_back(five_in_a_row(form));
}

}  // namespace pawl::gauntlet_parts
