// Figs. 13 to 15 of Koenders (2002): the flyball governor by RK-8 with projection, and what each method pays for a
// violation of the rod's length.
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

Options flyball_options(const char* method, const char* formulation, const char* stabilization) {
  Options options{.end = 30, .method = method};
  options.constraints = {formulation, stabilization};
  return options;
}

/// How far the rod is from its length.
double violation(const Instant& at) {
  return std::abs(at["rod"]);
}

struct Way {
  const char *label, *method, *formulation, *stabilization;
};

/// Right-hand sides or residuals of the cheapest run to 30 s whose rod ends within a level; none: no step did.
std::optional<long long> calls_for(const Way& way, double level) {
  const bool is_fixed = way.method != std::string_view("bdf");
  for (double size = is_fixed ? 0.1 : 1e-2; size > (is_fixed ? 1e-3 : 1e-13); size *= is_fixed ? 0.85 : 0.4) {
    Options options = flyball_options(way.method, way.formulation, way.stabilization);
    options.keep = Keep::end;
    if (is_fixed)
      options.step = size;
    else
      options.tolerance = {size, size};
    const Result run = simulate(find_problem("flyball").system, options);
    if (run.finished() && violation(run.final()) <= level) return run.statistics.rhs;
  }
  return std::nullopt;
}

}  // namespace

void bench_flyball_figures(Report& report, const Wanted& wanted) {
  report.begin("fig-13-14", "Figs. 13 and 14 of Koenders (2002): flyball governor, RK-8, projected after each step",
               "dop853 with fixed steps, 0.041 (Fig. 13) and 0.01 (Fig. 14, his detail); error of the rod's length at "
               "times of the run. Nothing holds the length but its rate. His stabilized run equals the other, and he "
               "says that the projection acts on noise; ours takes away what RK-8 leaves, down to rounding.",
               {"step", "stabilization", "5 s", "10 s", "15 s", "20 s", "25 s", "30 s"});
  for (const double step : {0.041, 0.01}) {
    double alone = 0;
    for (const char* stabilization : {"none", "koenders", "koenders(momenta)"}) {
      Options options = flyball_options("dop853", "acceleration", stabilization);
      options.step = step;
      options.times = {5, 10, 15, 20, 25, 30};
      const Result run = simulate(find_problem("flyball").system, options);
      std::vector<std::string> cells{fmt::format("{}", step), stabilization};
      for (const double t : options.times) cells.push_back(number(violation(run.at(t)), 1));
      report.row(cells);
      const double last = violation(run.final());
      if (stabilization == std::string_view("none")) alone = last;
      report.expect(run.finished() && last <= 10 * alone,
                    fmt::format("step {}, {}: {:.1e} at the end, {:.1e} without", step, stabilization, last, alone));
    }
  }
  report.begin(
      "fig-15", "Fig. 15 of Koenders (2002): right-hand sides for a violation of the rod's length",
      "The cheapest run to 30 s whose rod ends within the level: fixed steps from 0.1 down, tolerances from "
      "1e-2 down. He reads: alike from 1e-2 to 1e-5; from 1e-6 on RK-4 stabilized and RK-8 need the fewest, at "
      "1e-9 BDF twice as many as RK-4 stabilized, RK-4 alone the most. -: no step down to 1e-3 does it.",
      {"violation", "BDF", "RK-4", "RK-4, stabilized", "RK-8"});
  const Way bdf{"BDF", "bdf", "index-2", "none"}, rk4{"RK-4", "rk4", "acceleration", "none"},
      stabilized{"RK-4, stabilized", "rk4", "acceleration", "koenders(momenta)"},
      rk8{"RK-8", "dop853", "acceleration", "none"};
  for (const double level : {1e-3, 1e-5, 1e-7, 1e-9}) {
    if (wanted.is_quick && level < 1e-6) continue;
    std::vector<std::string> cells{fmt::format("{:.0e}", level)};
    std::vector<std::optional<long long>> calls;
    for (const Way* way : {&bdf, &rk4, &stabilized, &rk8}) {
      calls.push_back(calls_for(*way, level));
      cells.push_back(calls.back() ? fmt::format("{}", *calls.back()) : "-");
    }
    report.row(cells);
    if (level > 1e-6) continue;
    constexpr long long none = 1'000'000'000;
    report.expect(
        calls[2].value_or(none) < calls[1].value_or(none) && calls[3].value_or(none) < calls[1].value_or(none),
        fmt::format("violation {:.0e}: RK-4 alone does not need the most", level));
  }
}

}  // namespace pawl::bench
