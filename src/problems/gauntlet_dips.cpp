// Dips: short excursions beyond zero inside a long step. A black box does not show them unless it says how short they
// are.
#include <cmath>

#include "problems/gauntlet_parts.hpp"

namespace pawl::gauntlet_parts {

namespace {

/// 1 outside, -1 at the centre, zero at centre -+ width / 2.
template <class T>
T gaussian_dip(const T& t, double centre, double width) {
  const double s = width / (2 * std::sqrt(std::log(2.0)));
  return 1 - 2 * exp(-sqr((t - centre) / s));
}
template <class T>
T rational_dip(const T& t, double centre, double width) {
  return 1 - 2 / (1 + sqr((t - centre) * (2 / width)));
}

GauntletCase dip_of_state(GuardForm form, const std::string& name, double width) {
  auto [system, x, mode] = clock(name, 0);
  constexpr double centre = 0.6180339887;
  guard(system, form, "dip", [=, x = x](const auto& at) {
    return rational_dip(at[x], centre, width);
  }).then(toggling(mode));
  return {.name = name,
          .why = "inside a step of one",
          .system = system,
          .options = {.end = 1.2},
          .expected =
              alternating({centre - width / 2, centre + width / 2}, "dip", -1, of_state, /*needs_proof=*/width < 0.2)};
}

GauntletCase dip_of_time(GuardForm form, const std::string& name, double width) {
  System system(name);
  const auto y = system.state("y", 1.0);
  const auto mode = system.discrete("mode", false);
  system.rates([=](const auto& at, auto& d) { d[y] = -at[y]; });
  constexpr double centre = 5.4321;
  guard(system, form, "dip", [=](const auto& at) { return gaussian_dip(at.t, centre, width); }).then(toggling(mode));
  return {.name = name,
          .why = "in a guard of t alone while y' = -y takes its own steps over [0, 10]",
          .system = system,
          .options = {.end = 10},
          .expected = alternating({centre - width / 2, centre + width / 2}, "dip", -1, 1e-13, true),
          .final_state = {{y, std::exp(-10.0)}},
          .final_tolerance = 1e-4};
}

GauntletCase declared_dip(GuardForm form) {
  auto [system, y, mode] = still("a dip 1e-2 wide whose width is declared");
  constexpr double centre = 0.6180339887, width = 1e-2;
  guard(system, form, "dip", [=](const auto& at) { return gaussian_dip(at.t, centre, width); })
      .min_width(width)
      .then(toggling(mode));
  return {.name = system.name(),
          .why = "a black box must find it too",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({centre - width / 2, centre + width / 2}, "dip", -1, 1e-12)};
}

GauntletCase bounded_dip(GuardForm form) {
  auto [system, y, mode] = still("a dip 1e-2 wide whose rate is bounded");
  constexpr double centre = 0.6180339887, width = 1e-2;
  const double s = width / (2 * std::sqrt(std::log(2.0)));
  guard(system, form, "dip", [=](const auto& at) { return gaussian_dip(at.t, centre, width); })
      .rate_bound(2 * std::sqrt(2.0) / s)
      .then(toggling(mode));
  return {.name = system.name(),
          .why = "a black box must find it too",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({centre - width / 2, centre + width / 2}, "dip", -1, 1e-12)};
}

GauntletCase dip_of_a_dip(GuardForm form) {
  auto [system, y, mode] = still("two dips, 0.1 and 1e-5 wide");
  guard(system, form, "dips", [](const auto& at) {
    return gaussian_dip(at.t, 0.7, 1e-5) + gaussian_dip(at.t, 0.2, 0.1) - 1;
  }).then(toggling(mode));
  return {.name = system.name(),
          .why = "the wide one must not hide the narrow one",
          .system = system,
          .options = {.end = 1},
          .expected = alternating({0.15, 0.25, 0.7 - 0.5e-5, 0.7 + 0.5e-5}, "dips", -1, 1e-13, true)};
}

GauntletCase dip_in_a_long_run(GuardForm form) {
  auto [system, y, mode] = still("a dip of one second in a million");
  guard(system, form, "dip", [](const auto& at) { return gaussian_dip(at.t, 654321.0, 1.0); }).then(toggling(mode));
  return {.name = system.name(),
          .why = "one step may be the whole run",
          .system = system,
          .options = {.end = 1e6},
          .expected = alternating({654320.5, 654321.5}, "dip", -1, 1e-8, true)};
}

}  // namespace

void add_dips(Cases& cases, GuardForm form) {
  cases.push_back(dip_of_state(form, "dip 1 wide", 1));
  cases.push_back(dip_of_state(form, "dip 1e-1 wide", 1e-1));
  cases.push_back(dip_of_state(form, "dip 1e-2 wide", 1e-2));
  cases.push_back(dip_of_state(form, "dip 1e-3 wide", 1e-3));
  cases.push_back(dip_of_state(form, "dip 1e-4 wide", 1e-4));
  cases.push_back(dip_of_state(form, "dip 1e-5 wide", 1e-5));
  cases.push_back(dip_of_state(form, "dip 1e-6 wide", 1e-6));
  cases.push_back(dip_of_time(form, "dip 1e-2 wide on [0, 10]", 1e-2));
  cases.push_back(dip_of_time(form, "dip 1e-3 wide on [0, 10]", 1e-3));
  cases.push_back(dip_of_time(form, "dip 1e-4 wide on [0, 10]", 1e-4));
  cases.push_back(declared_dip(form));
  cases.push_back(bounded_dip(form));
  cases.push_back(dip_of_a_dip(form));
  cases.push_back(dip_in_a_long_run(form));
}

}  // namespace pawl::gauntlet_parts
