// What many links cost, and what staying on the manifold costs.
#include <chrono>
#include <functional>

#include <fmt/format.h>

#include "formulate/make_form.hpp"
#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

/// Runs every one in turn, round after round; the fastest run of each counts, so that whatever else the machine does
/// hits all of them alike.
std::vector<double> fastest(const std::vector<std::function<Result()>>& runs, int rounds) {
  std::vector<double> best(runs.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) best[i] = std::min(best[i], runs[i]().statistics.wall_seconds);
  }
  return best;
}

/// Seconds of one evaluation of the accelerations at the start.
double seconds_per_rate(const System& system, int rounds) {
  constexpr int calls = 2000;
  const auto form = formulate::make_form(system.share(), formulate::parse_formulation("acceleration"));
  const Values values(system);
  const Held held = values.held();
  form->lock(held);
  std::vector<double> x = values.start(), rates(x.size());
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      x[0] += 1e-9;  // not twice at the same point
      form->rate(0, x.data(), rates.data());
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
    best = std::min(best, elapsed.count() / calls);
  }
  return best;
}

}  // namespace

void bench_chain(Report& report, const Wanted& wanted) {
  constexpr double steps = 50;
  report.begin(
      "chain", "Chain of N links: time per step",
      fmt::format("{:g} fixed steps of 0.04/N, dormand-prince-5, default constraints; best of several. Wanted: at most "
                  "6 us per link and step, and a ratio of 8 to 12 for ten times the links.",
                  steps),
      {"links", "us per step", "us per link and step", "of them not stabilized", "ratio to the line above",
       "rhs per step", "corrections: iterations per step", "position drift", "velocity drift"});
  const Problem& problem = find_problem("chain");
  std::vector<System> systems;
  std::vector<Values> values;
  std::vector<std::function<Result()>> runs;
  const std::vector<double> links{10, 100, 1000};
  for (const double n : links) {
    systems.push_back(system_of(problem, {{"n", n}}));
    values.emplace_back(systems.back());
    values.back().set("n", n);
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const char* stabilization : {"auto", "none"}) {
      Options options{.end = steps * 0.04 / links[i], .method = "dormand-prince-5", .step = 0.04 / links[i]};
      options.keep = Keep::end;
      options.constraints.stabilization = stabilization;
      runs.emplace_back([=, &systems, &values] { return simulate(systems[i], values[i], options); });
    }
  }
  const std::vector<double> seconds = fastest(runs, wanted.is_quick ? 8 : 30);
  double last = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Result run = runs[2 * i]();
    const auto taken = static_cast<double>(trial_steps(run));
    const ConstraintStatistics& s = *run.statistics.constraints;
    const double time = 1e6 * seconds[2 * i] / taken;
    report.row({fmt::format("{:g}", links[i]), fmt::format("{:.1f}", time), fmt::format("{:.2f}", time / links[i]),
                fmt::format("{:.2f}", 1e6 * seconds[2 * i + 1] / taken / links[i]),
                last > 0 ? fmt::format("{:.1f}", time / last) : "-",
                fmt::format("{:.2f}", static_cast<double>(run.statistics.rhs) / taken),
                fmt::format("{:.1f}", static_cast<double>(s.iterations) / taken), number(s.position_drift, 0),
                number(s.velocity_drift, 0)});
    last = time;
  }
}

void bench_share(Report& report, const Wanted& wanted) {
  report.begin(
      "share", "Squeezer: what projection costs, as a share of the step",
      "The same fixed step to 0.03 s with projection and with none; best of several. `none` measures the drift at each "
      "step, which projection knows already: two residuals are on its bill. At most: all that is not right-hand "
      "sides, that is, with the method's own sums. Wanted: at most 25 % of a "
      "Dormand-Prince step, 10 % of a step of order 8 or 9.",
      {"pair", "step", "us per step, projection", "none", "share", "at most", "wanted", "iterations per step",
       "refactored"});
  struct Line {
    const char* pair;
    double step;
    const char* wanted;
  };
  const double rate = seconds_per_rate(find_problem("squeezer").system, wanted.is_quick ? 5 : 20);
  for (const Line& line : {Line{"dormand-prince-5", 1e-4, "25 %"}, Line{"dormand-prince-5", 2e-5, "25 %"},
                           Line{"tsitouras-papakostas-8", 2e-4, "10 %"}, Line{"tsitouras-papakostas-8", 1e-4, "10 %"},
                           Line{"verner-9", 2e-4, "10 %"}, Line{"verner-9", 1e-4, "10 %"}}) {
    const Problem& problem = find_problem("squeezer");
    std::vector<std::function<Result()>> runs;
    for (const char* stabilization : {"projection", "none"}) {
      Options options{.end = 0.03, .method = line.pair, .step = line.step};
      options.keep = Keep::end;
      options.constraints.stabilization = stabilization;
      runs.emplace_back([=, &problem] { return simulate(problem.system, options); });
    }
    const std::vector<double> seconds = fastest(runs, wanted.is_quick ? 20 : 200);
    const Result run = runs[0]();
    const auto steps = static_cast<double>(trial_steps(run));
    report.row({line.pair, fmt::format("{:g}", line.step), fmt::format("{:.2f}", 1e6 * seconds[0] / steps),
                fmt::format("{:.2f}", 1e6 * seconds[1] / steps),
                fmt::format("{:.1f} %", 100 * (seconds[0] - seconds[1]) / seconds[0]),
                fmt::format("{:.1f} %", 100 * (1 - static_cast<double>(run.statistics.rhs) * rate / seconds[0])),
                line.wanted, fmt::format("{:.2f}", static_cast<double>(run.statistics.constraints->iterations) / steps),
                fmt::format("{}", run.statistics.constraints->refactored)});
  }
}

}  // namespace pawl::bench
