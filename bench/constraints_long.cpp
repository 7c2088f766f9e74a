// Constrained mechanics against what other solvers need, and the long runs that Compere (2001) leaves as
// future work: does the adjustment grow?
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "problems/constrained.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

/// Largest error of a coordinate at the end; infinite if the run did not get there. Positions and speeds take turns.
double error_of_positions(const Problem& problem, const Result& run) {
  const std::vector<double> exact = problem.reference(Values(problem.system), run.t_end).value();
  double error = run.finished() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < exact.size(); k += 2)
    error = std::max(error, std::abs(run.final().states()[k] - exact[k]));
  return error;
}

struct WorkError {
  double tolerance, rhs, error;
};

/// Runs from loose to tight: the least work from which on every tighter run has at most this error.
double safe_work(const std::vector<WorkError>& runs, double error) {
  double work = std::numeric_limits<double>::quiet_NaN();
  for (auto run = runs.rbegin(); run != runs.rend() && run->error <= error; ++run) work = run->rhs;
  return work;
}

double least_work(const std::vector<WorkError>& runs, double error) {
  double work = std::numeric_limits<double>::infinity();
  for (const WorkError& run : runs) {
    if (run.error <= error) work = std::min(work, run.rhs);
  }
  return work;
}

/// log work as a straight line in log error, through the runs within a factor 30 of it.
double fitted_work(const std::vector<WorkError>& runs, double error) {
  std::vector<double> errors, works;
  double middle_error = 0, middle_work = 0;
  for (const WorkError& run : runs) {
    if (!(run.error > error / 30 && run.error < error * 30)) continue;
    errors.push_back(run.error);
    works.push_back(run.rhs);
    middle_error += std::log(run.error);
    middle_work += std::log(run.rhs);
  }
  if (errors.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(errors.size());
  return std::exp(middle_work / n + log_slope(errors, works) * (std::log(error) - middle_error / n));
}

}  // namespace

void bench_andrews(Report& report, const Wanted& wanted) {
  const int per_decade = wanted.is_quick ? 4 : 8;
  report.begin(
      "andrews", "Andrews' squeezing mechanism to 0.03 s: right-hand sides for an error",
      fmt::format("{} runs per decade of tolerance, relative = absolute, 1e-3 to 1e-12, default constraints. Error: "
                  "largest of the seven angles. Safe: from there on all tighter runs stay below; fit: regression; "
                  "least: cheapest run below. Peer: half-explicit order 5 with projection.",
                  per_decade),
      {"error", "wanted", "peer", "pair", "safe", "fit", "least", "safe / wanted", "tolerance there", "ms there"});
  const Problem& problem = find_problem("squeezer");
  struct Target {
    double error, wanted, peer;
  };
  for (const char* pair : {"tsitouras-papakostas-8", "verner-9", "dop853", "dormand-prince-5"}) {
    std::vector<WorkError> runs;
    std::vector<double> seconds;
    for (int i = 3 * per_decade; i <= 12 * per_decade; ++i) {
      const double tolerance = std::pow(10, -static_cast<double>(i) / per_decade);
      Options options{.end = 0.03, .tolerance = {tolerance, tolerance}, .method = pair};
      options.keep = Keep::end;
      const Result run = simulate(problem.system, options);
      runs.push_back({tolerance, static_cast<double>(run.statistics.rhs), error_of_positions(problem, run)});
      seconds.push_back(run.statistics.wall_seconds);
    }
    for (const Target& target : {Target{2.3e-7, 700, 805}, Target{3e-9, 1200, 2061}, Target{8.3e-11, 1700, 4675}}) {
      const double safe = safe_work(runs, target.error);
      std::size_t there = 0;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].rhs == safe) there = i;
      }
      report.row({number(target.error, 1), fmt::format("{:g}", target.wanted), fmt::format("{:g}", target.peer), pair,
                  fmt::format("{:.0f}", safe), fmt::format("{:.0f}", fitted_work(runs, target.error)),
                  fmt::format("{:.0f}", least_work(runs, target.error)), fmt::format("{:.2f}", safe / target.wanted),
                  number(runs[there].tolerance, 1), fmt::format("{:.2f}", 1e3 * seconds[there])});
    }
  }
}

void bench_long_pendulum(Report& report, const Wanted& wanted) {
  report.begin(
      "pendulum", "Cartesian pendulum, 1000 s, tolerance 1e-9",
      "Wanted: |x^2+y^2-1|/2 at most 4e-16, |x.v| at most 2e-15, error at most 2.7e-6 in 300 000 right-hand sides; "
      "the peer (half-explicit order 5 with projection) needs 2.07 million and 595 ms.",
      {"pair", "relative / absolute", "rhs", "steps", "position drift", "velocity drift", "error of x, y",
       "of speeds too", "ms", "all met"});
  const Problem& problem = find_problem("cartesian-pendulum");
  struct Line {
    const char* method;
    Tolerance tolerance;
  };
  std::vector<Line> lines{{"auto", 1e-9}, {"auto", {1e-9, 1e-9}}};
  if (!wanted.is_quick) {
    for (const char* pair : {"tsitouras-papakostas-8", "verner-9", "dop853", "dormand-prince-5"})
      lines.push_back({pair, {1e-9, 1e-9}});
    lines.push_back({"tsitouras-papakostas-8", {3e-9, 3e-9}});
    lines.push_back({"verner-9", {1e-10, 1e-10}});
  }
  for (const Line& line : lines) {
    Options options{.end = 1000, .tolerance = line.tolerance, .method = line.method};
    options.keep = Keep::end;
    const Result run = simulate(problem.system, options);
    const ConstraintStatistics& s = *run.statistics.constraints;
    const double error = error_of_positions(problem, run),
                 of_all = error_against_reference(problem, Values(problem.system), 1000, run.final().states())
                              .value_or(std::nan(""));
    const bool is_met =
        s.position_drift <= 4e-16 && s.velocity_drift <= 2e-15 && error <= 2.7e-6 && run.statistics.rhs <= 300'000;
    report.row({line.method == std::string("auto") ? "auto: " + run.method : run.method,
                fmt::format("{:g} / {:g}", line.tolerance.relative,
                            line.tolerance.absolute.value_or(line.tolerance.relative / 1000)),
                fmt::format("{}", run.statistics.rhs), fmt::format("{}", trial_steps(run)), number(s.position_drift, 1),
                number(s.velocity_drift, 1), number(error, 1), number(of_all, 1),
                fmt::format("{:.0f}", 1e3 * run.statistics.wall_seconds), is_met ? "yes" : "no"});
  }
}

namespace {

/// The pendulum of period 2 again, its energy kept on its level.
System pendulum_that_keeps_its_energy() {
  constexpr double g = 13.750371636040745655;
  Mechanics pendulum("pendulum-period2, energy kept");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return g * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  pendulum.energy("energy", true);
  return pendulum;
}

/// How late the pendulum is, from the speed along its circle: exact motion passes the release with θ'(dt). NaN where it
/// is more than an eighth of a period off: the phase is lost.
double time_shift(const Instant& at) {
  const double x = at["x"], y = at["y"], rate = x * at["y'"] - y * at["x'"];
  const problems::Real frequency = std::sqrt(13.750371636040745655L);
  problems::Real low = -0.5L, high = 0.5L;  // the rate falls from its largest to its smallest value
  for (int i = 0; i < 100; ++i) {
    const problems::Real middle = (low + high) / 2;
    (problems::released_horizontally(frequency, middle).rate > rate ? low : high) = middle;
  }
  const auto shift = static_cast<double>(std::abs(low));
  return x < 0 || shift > 0.25 ? std::numeric_limits<double>::quiet_NaN() : shift;
}

/// A phase is seen modulo the period: once lost it stays lost, and it is about to be where another decade like the last
/// one would lose it.
bool still_known(const std::vector<double>& shifts) {
  if (shifts.empty()) return true;
  const double growth = shifts.size() > 1 ? shifts.back() / shifts[shifts.size() - 2] : 10;
  return shifts.back() * growth < 0.25;
}

}  // namespace

void bench_period2(Report& report, const Wanted& wanted) {
  report.begin(
      "period2", "Pendulum of period 2: drift, adjustment, energy and phase after up to 10 000 periods",
      "Each cell: after 10, 100, 1000 and 10 000 periods, by separate runs. Adjustment: largest change of a state by "
      "a correction so far. Energy: largest error so far. dt: phase error as a time; lost: more than an eighth of a "
      "period. The exponent of time follows by regression.",
      {"pair", "how", "energy kept", "drift, position / velocity", "largest adjustment", "energy error", "exponent",
       "dt", "exponent", "steps", "s"});
  struct Line {
    const char* pair;
    std::optional<double> step;
    const char* stabilization;
    bool keeps_energy;
  };
  const System plain = find_problem("pendulum-period2").system, kept = pendulum_that_keeps_its_energy();
  for (const Line& line :
       {Line{"dormand-prince-5", {}, "none", false}, Line{"dormand-prince-5", {}, "auto", false},
        Line{"tsitouras-papakostas-8", {}, "auto", false}, Line{"verner-9", {}, "auto", false},
        Line{"dormand-prince-5", {}, "auto", true}, Line{"tsitouras-papakostas-8", {}, "auto", true},
        Line{"verner-9", {}, "auto", true}, Line{"dormand-prince-5", 0.0203, "auto", false},
        Line{"dormand-prince-5", 0.0203, "auto", true}, Line{"tsitouras-papakostas-8", 0.0203, "auto", false},
        Line{"tsitouras-papakostas-8", 0.0203, "auto", true}}) {
    std::vector<double> periods{10, 100, 1000}, energies, shifts;
    if (!wanted.is_quick) periods.push_back(10'000);
    std::string adjustments, energy_words, shift_words, drift, steps;
    double seconds = 0;
    for (const double count : periods) {
      Options options{.end = 2 * count, .tolerance = {1e-8, 1e-8}, .method = line.pair, .step = line.step};
      options.keep = Keep::end;
      options.constraints.stabilization = line.stabilization;
      const Result run = simulate(line.keeps_energy ? kept : plain, options);
      const char* comma = energy_words.empty() ? "" : ", ";
      if (!run.finished()) {
        energy_words += fmt::format("{}failed at {:g}", comma, run.t_end);
        continue;
      }
      const ConstraintStatistics& s = *run.statistics.constraints;
      const Range energy = run.range(Observable{0});
      energies.push_back(std::max(std::abs(energy.min), std::abs(energy.max)));  // it is zero at the start
      shifts.push_back(still_known(shifts) ? time_shift(run.final()) : std::nan(""));
      adjustments += comma + number(s.max_adjustment, 1);
      energy_words += comma + number(energies.back(), 1);
      shift_words += comma + (std::isnan(shifts.back()) ? "lost" : number(shifts.back(), 1));
      drift = number(s.position_drift, 0) + " / " + number(s.velocity_drift, 0);
      steps = fmt::format("{}", trial_steps(run));
      seconds += run.statistics.wall_seconds;
    }
    const bool is_rounding = !energies.empty() && *std::max_element(energies.begin(), energies.end()) < 1e-13;
    periods.resize(shifts.size());
    report.row({line.pair,
                (line.step ? fmt::format("step {:g}", *line.step) : "tolerance 1e-8") +
                    (line.stabilization == std::string("none") ? ", not stabilized" : ""),
                line.keeps_energy ? "yes" : "no", drift, adjustments, energy_words,
                is_rounding ? "rounding" : fmt::format("{:.2f}", log_slope(periods, energies)), shift_words,
                fmt::format("{:.2f}", log_slope(periods, shifts)), steps, fmt::format("{:.1f}", seconds)});
  }
}

}  // namespace pawl::bench
