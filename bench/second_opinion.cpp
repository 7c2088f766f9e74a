// What verify() is worth: no alarm over the catalogue where a run is right, and every planted fault found.
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "pawl/verify.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr double most_seconds = 20;  // of a run with its second opinions, before they are given up

/// A run with a limit of time.
Options limited(Options options) {
  using Clock = std::chrono::steady_clock;
  const auto last =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most_seconds));
  options.progress = [last](const Progress&) { return Clock::now() < last; };
  return options;
}

Options options_for(const Problem& problem, double tolerance) {
  return limited({.start = problem.start, .end = problem.end, .tolerance = {tolerance}});
}

/// A ball that bounces on a floor at y = 0, for faults that are planted in the model.
System ball_with(double restitution) {
  System ball("ball");
  const auto y = ball.state("y", 1), v = ball.state("v", 0);
  ball.rates([=](const auto& at, auto& d) {
    d[y] = at[v];
    d[v] = -9.81;
  });
  ball.guard("floor", [=](const auto& at) { return at[y]; }).falling().unilateral().then([=](Jump& jump) {
    jump[v] = -restitution * jump.pre(v);
  });
  return ball;
}

/// A point mass; on a rod of length one, or with a spring that is as good as none in its place.
Mechanics pendulum_with(bool has_rod) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
  if (has_rod) pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  return pendulum;
}

void plant(Report& report, const char* fault, const Verification& verification) {
  report.row({fault, std::string(to_string(verification.verdict)), fmt::format("{:.1f}", verification.digits),
              verification.parting_event.empty() ? "-" : verification.parting_event, first_line(verification.summary)});
  report.expect(verification.verdict == Verdict::disagrees, fmt::format("{}: {}", fault, verification.summary));
}

}  // namespace

void bench_false_alarms(Report& report, const Wanted& wanted) {
  report.begin("verify", "Second opinions over the catalogue",
               "Every problem to its own end, `auto`. An alarm is false where the run is within 1000 tolerances of its "
               "reference, or where there is none and the motion is not said to be chaotic. What takes more than 20 s "
               "is given up.",
               {"problem", "tolerance", "verdict", "digits", "wanted", "error of the run", "chaotic", "seconds"});
  const std::vector<double> tolerances = wanted.tolerances.empty() ? std::vector{1e-4, 1e-6, 1e-8} : wanted.tolerances;
  for (const Problem& problem : catalogue()) {
    if (wanted.problem != "all" && wanted.problem != problem.name()) continue;
    if (problem.name() == "sphere-box") continue;  // nothing is integrated there
    for (const double tolerance : tolerances) {
      if (wanted.is_quick && tolerance != 1e-6) continue;
      const Options options = options_for(problem, tolerance);
      const Values values(problem.system);
      const Result run = simulate(problem.system, values, options);
      const Verification verification = verify(problem.system, values, options, run);
      const auto error = error_against_reference(problem, values, run.t_end, run.final().states());
      const bool is_right = !error || *error <= 1000 * tolerance;
      const bool is_false = verification.verdict == Verdict::disagrees && !verification.is_chaotic && is_right;
      report.row({problem.name(), fmt::format("{:.0e}", tolerance), std::string(to_string(verification.verdict)),
                  fmt::format("{:.1f}", verification.digits), fmt::format("{:.1f}", verification.wanted_digits),
                  error ? fmt::format("{:.1e}", *error) : "-", verification.is_chaotic ? "yes" : "",
                  fmt::format("{:.2f}", verification.wall_seconds)});
      report.expect(!is_false, fmt::format("{}, {:g}: {}", problem.name(), tolerance, verification.summary));
    }
  }
}

void bench_planted_faults(Report& report, const Wanted&) {
  report.begin("planted", "Faults planted in the first run",
               "The first run is made with the fault, the second opinions without it.",
               {"fault", "verdict", "digits", "first event that differs", "in words"});
  {
    const Problem& problem = find_problem("square-wave");
    Values values(problem.system);
    values.set("f", 10);
    const Options right{.end = problem.end, .tolerance = {1e-5}};
    Options missed = right;
    missed.events = "dasrt";
    missed.method = "dormand-prince-5";
    plant(report, "missed events (square-wave by dasrt)",
          verify(problem.system, values, right, simulate(problem.system, values, missed)));
  }
  {
    const Options options{.end = 1.5, .tolerance = {1e-6}};
    const System right = ball_with(0.7);
    plant(report, "restitution 0.69 for 0.7", verify(right, options, simulate(ball_with(0.69), options)));
  }
  {
    const Options options{.end = 1, .tolerance = {1e-6}};
    plant(report, "a dropped constraint (no rod)",
          verify(pendulum_with(true), options, simulate(pendulum_with(false), options)));
  }
  for (const char* name : {"kepler", "squeezer", "robertson", "transistor-amplifier"}) {
    const Problem& problem = find_problem(name);
    const Options asked{.start = problem.start, .end = problem.end, .tolerance = {1e-7}};
    Options loose = asked;
    loose.tolerance = {1e-3};
    const Values values(problem.system);
    plant(report, fmt::format("a tolerance 1e4 too loose ({})", name).c_str(),
          verify(problem.system, values, asked, simulate(problem.system, values, loose)));
  }
}

}  // namespace pawl::bench
