// Constrained mechanics: pawl against CVODE with projection and IDA on the stabilized index-2 form, in one run.
//
// pawl gets the model of the catalogue: masses, forces, constraints. The peers get the same mechanism written by hand,
// with every derivative, on fixed sizes, a hand-written projection and consistent multipliers. Work at equal accuracy
// is read from a line fitted to the logarithms of work and error over half decades of tolerance, as for smooth
// problems.
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "constraint_peers_sundials.hpp"
#include "pawl/pawl.hpp"
#include "problems/constrained.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {
namespace {

struct Contestant {
  std::string name;
  bool is_peer;
  std::function<Solved(double tolerance, double end, bool watches_drift)> run;
};
struct Sample {
  double tolerance, error, seconds, rhs;
};

Solved run_pawl(const Problem& problem, const std::string& method, double tolerance, double end) {
  const Result run =
      simulate(problem.system, {.end = end, .tolerance = tolerance, .method = method, .keep = Keep::end});
  Solved out{{}, run.statistics.steps_accepted, run.statistics.rhs, 0, 0, run.t_end, run.reason};
  for (std::size_t i = 0; i < run.final_state.size(); i += 2) out.q.push_back(run.final_state[i]);
  out.position_drift = run.statistics.constraints->position_drift;
  out.velocity_drift = run.statistics.constraints->velocity_drift;
  return out;
}

/// Absolute tolerances of the peers equal the relative one; bench_constraint_peers says why.
template <class Model>
Solved run_sundials(Scheme scheme, double tolerance, double end, bool watches_drift) {
  const double of_multipliers = Model::multiplier_tolerance > 0 ? Model::multiplier_tolerance : tolerance;
  return SundialsRun<Model>(scheme, tolerance, tolerance, of_multipliers).go_to(end, watches_drift);
}

template <class Model>
std::vector<Contestant> contestants(const Problem& problem) {
  const auto own = [&problem](const std::string& method) {
    return [&problem, method](double tolerance, double end, bool) { return run_pawl(problem, method, tolerance, end); };
  };
  const auto peer = [](Scheme scheme) {
    return [scheme](double tolerance, double end, bool watches_drift) {
      return run_sundials<Model>(scheme, tolerance, end, watches_drift);
    };
  };
  return {{"pawl", false, own("auto")},
          {"pawl dormand-prince-5", false, own("dormand-prince-5")},
          {"CVODE BDF, projection", true, peer(Scheme::projected_bdf)},
          {"CVODE BDF, no projection", true, peer(Scheme::bdf)},
          {"CVODE Adams, no projection", true, peer(Scheme::adams)},
          {"IDA, GGL", true, peer(Scheme::ggl)}};
}

/// Largest error of a position.
double error_of(const Problem& problem, double end, const Solved& run) {
  if (!run.failure.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> exact = problem.reference(Values(problem.system), end).value();
  double worst = 0;
  for (std::size_t i = 0; i < run.q.size(); ++i) worst = std::max(worst, std::abs(run.q[i] - exact[2 * i]));
  return worst;
}

void write_row(Report& report, const Contestant& who, double tolerance, const Solved& run, double error,
               double seconds) {
  if (!run.failure.empty()) {
    report.row({who.name, fmt::format("{:.0e}", tolerance), fmt::format("{}", run.steps), fmt::format("{}", run.rhs),
                fmt::format("{} at t = {:.3g}", run.failure, run.t), "", "", ""});
    return;
  }
  report.row({who.name, fmt::format("{:.0e}", tolerance), fmt::format("{}", run.steps), fmt::format("{}", run.rhs),
              fmt::format("{:.1e}", error), fmt::format("{:.0e}", run.position_drift),
              fmt::format("{:.0e}", run.velocity_drift), fmt::format("{:.3f}", 1e3 * seconds)});
}

/// All contestants over these tolerances; rows at `shown` ones.
std::vector<std::vector<Sample>> measure(Report& report, const std::string& title, const Problem& problem,
                                         const std::vector<Contestant>& all, double end,
                                         const std::vector<double>& tolerances, int rounds,
                                         const std::function<bool(double)>& is_shown) {
  std::vector<std::vector<Sample>> curves(all.size());
  std::vector<std::vector<std::function<void()>>> rows(all.size());
  for (const double tolerance : tolerances) {
    std::vector<Job> jobs;
    for (const Contestant& who : all) jobs.push_back([&who, tolerance, end] { who.run(tolerance, end, false); });
    const std::vector<double> seconds = time_in_turn(jobs, rounds);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Solved run = all[i].run(tolerance, end, true);
      const double error = error_of(problem, end, run), ms = seconds[i];
      curves[i].push_back({tolerance, error, ms, static_cast<double>(run.rhs)});
      if (is_shown(tolerance))
        rows[i].push_back(
            [&report, &who = all[i], tolerance, run, error, ms] { write_row(report, who, tolerance, run, error, ms); });
    }
  }
  report.begin("constraint-peers", title, {}, {"", "tolerance", "steps", "rhs", "error", "drift of g", "of G v", "ms"});
  for (const auto& of_one : rows) {
    for (const auto& write : of_one) write();
  }
  return curves;
}

/// Regression of log work on log error, each point weighted by its distance from the wanted error in decades; nothing
/// where no run came within half a decade.
std::optional<double> work_at(const std::vector<Sample>& curve, double error, double Sample::*work) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Sample& s : curve) {
    if (!(s.error > 0)) continue;  // it failed
    least = std::min(least, s.error);
    most = std::max(most, s.error);
    const double x = std::log10(s.error / error), y = std::log(s.*work), weight = std::exp(-x * x / 2);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  if (!(least < 3 * error && most > error / 3)) return std::nullopt;
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return std::exp((wy - slope * wx) / w);
}

/// Time and right-hand sides at these errors, and pawl's over each peer's.
void compare(Report& report, const std::vector<Contestant>& all, const std::vector<std::vector<Sample>>& curves) {
  const std::vector<double> errors{1e-4, 1e-6, 1e-8, 1e-9};
  std::vector<std::string> columns{""};
  for (const double error : errors) columns.insert(columns.end(), {fmt::format("{:.0e}: ms", error), "rhs"});
  report.begin("constraint-peers-equal", {},
               "At equal error of the positions; in brackets pawl's default over the contestant (below 1: pawl needs "
               "less), `-`: not reached.",
               columns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> cells{all[i].name};
    for (const double error : errors) {
      for (const auto& [work, scale, digits] :
           {std::tuple{&Sample::seconds, 1e3, 3}, std::tuple{&Sample::rhs, 1.0, 0}}) {
        const auto own = work_at(curves[0], error, work), other = work_at(curves[i], error, work);
        cells.push_back(other ? fmt::format("{:.{}f}", scale * *other, digits) : "-");
        if (i > 0 && own && other) cells.back() += fmt::format(" ({:.2f})", *own / *other);
      }
    }
    report.row(cells);
  }
  std::string best_words;
  for (const double error : errors) {
    const auto own = work_at(curves[0], error, &Sample::seconds);
    std::string which;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_peer) continue;
      const auto other = work_at(curves[i], error, &Sample::seconds);
      if (other && *other < best) best = *other, which = all[i].name;
    }
    if (own && !which.empty())
      best_words += fmt::format("{}- Error {:.0e}: pawl {:.3f} ms, best peer {:.3f} ms ({}): ratio {:.2f}.",
                                best_words.empty() ? "" : "\n", error, 1e3 * *own, 1e3 * best, which, *own / best);
  }
  if (!best_words.empty()) report.note(best_words);
}

/// IDA on index 3 as it stands.
template <class Model>
void try_index_3(Report& report, const Problem& problem, double end) {
  std::string words = "IDA on index 3 as it stands (consistent start, multipliers out of the error test):";
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Solved run = run_sundials<Model>(Scheme::index_3, tolerance, end, false);
    words += fmt::format("{} {:.0e}: {}", tolerance == 1e-4 ? "" : ";", tolerance,
                         run.failure.empty()
                             ? fmt::format("arrives, {} steps, {} residuals, error {:.0e}", run.steps, run.rhs,
                                           error_of(problem, end, run))
                             : fmt::format("{} at t = {:.2g} after {} steps", run.failure, run.t, run.steps));
  }
  report.note(words + ".");
}

/// What one right-hand side costs: all of pawl's run by its evaluations, and the hand-written function alone.
template <class Model>
void write_cost(Report& report, const Problem& problem, double end) {
  std::array<double, 2 * Model::n> state{}, rate{};
  std::copy(Model::start.begin(), Model::start.end(), state.begin());
  constexpr int calls = 1000;
  void (*volatile rates)(const double*, double*) = Model::rates;  // called, not inlined, as SUNDIALS does
  const auto pawl_run = [&](const char* method) {
    return Job([&problem, method, end] { run_pawl(problem, method, 1e-8, end); });
  };
  const std::vector<double> seconds = time_in_turn({[&] {
                                                      for (int i = 0; i < calls; ++i) {
                                                        state[0] += 1e-9;  // so that nothing can be reused
                                                        rates(state.data(), rate.data());
                                                      }
                                                    },
                                                    pawl_run("auto"), pawl_run("dormand-prince-5"),
                                                    [&] { run_pawl(problem, "auto", 1e-8, 1e-9 * end); }});
  const auto rhs = [&](const char* method) { return static_cast<double>(run_pawl(problem, method, 1e-8, end).rhs); };
  report.note(fmt::format(
      "One right-hand side: {:.3f} us by hand, alone; pawl's whole run by its evaluations: {:.3f} us (default), "
      "{:.3f} us (dormand-prince-5), at tolerance 1e-8; a run of one step, which is what setting up costs: {:.1f} us.",
      1e6 * seconds[0] / calls, 1e6 * seconds[1] / rhs("auto"), 1e6 * seconds[2] / rhs("dormand-prince-5"),
      1e6 * seconds[3]));
}

template <class Model>
void compare_on(Report& report, const std::string& title, const Problem& problem, double end) {
  const std::vector<Contestant> all = contestants<Model>(problem);
  std::vector<double> tolerances;
  for (int k = 6; k <= 24; ++k) tolerances.push_back(std::pow(10.0, -k / 2.0));  // 1e-3 to 1e-12
  const auto is_shown = [](double tolerance) {
    const double digits = -std::log10(tolerance);
    return digits > 3.9 && digits < 10.1 && std::abs(digits / 2 - std::round(digits / 2)) < 1e-9;
  };
  compare(report, all, measure(report, title, problem, all, end, tolerances, 15, is_shown));
  try_index_3<Model>(report, problem, end);
  write_cost<Model>(report, problem, end);
}

}  // namespace

void bench_constraint_peers(Report& report, const Wanted&) {
  report.note(
      "pawl is given masses, forces and constraints; the peers (SUNDIALS, -O3) the hand-written index-1 ODE with its "
      "projection, or the hand-written stabilized index-2 residual (GGL) with consistent multipliers. `error` is the "
      "largest one of a position at the end, drift the largest over all steps; right-hand sides (residuals) include "
      "those of difference Jacobians. Tolerances of pawl are its defaults (absolute: a thousandth of the relative); "
      "the "
      "peers' absolute ones equal the relative one: with a thousandth CVODE needs about as much at equal error, and "
      "IDA "
      "fails more often. On the squeezing mechanism IDA's multipliers have an absolute tolerance of 1e6, without which "
      "it fails at t = 0 at tolerances of 1e-6 and below. Times are whole runs, setting up included.");
  const Problem pendulum = problems::cartesian_pendulum(), squeezer = problems::squeezer();
  compare_on<HandPendulum>(report, "Cartesian pendulum, T = 10", pendulum, 10);
  for (const double end : {100.0, 1000.0})
    measure(report, fmt::format("Cartesian pendulum, T = {}", end), pendulum, contestants<HandPendulum>(pendulum), end,
            {1e-9}, 3, [](double) { return true; });
  compare_on<HandSqueezer>(report, "Andrews' squeezing mechanism, T = 0.03", squeezer, squeezer.end);
}

}  // namespace pawl::bench
