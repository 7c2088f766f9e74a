// Compere (2001), Tables 5.5 and 5.6, Figs. 5.11 and 5.12: what a solver for smooth equations does with a model that
// has discontinuities, beside one that finds events.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "events.hpp"
#include "numbers.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Compere's finder has his largest step, a solver for smooth equations none.
EventRun run_with(const EventRow& row, const std::string& finder) {
  return run_row(row, finder, "dormand-prince-5", row.tolerance, finder == "compere" ? 0.1 : unlimited);
}

double variation_of_energy(const Result& run) {
  return run.range(Observable{0}).variation();
}

std::string trouble(const Result& run) {
  return run.finished() ? "" : " " + first_line(run.reason);
}

std::string counts(const Statistics& s, bool has_events) {
  return fmt::format("{}, {}, {}, {}", has_events ? fmt::format("{}", s.events.events) : "-", s.rhs, s.steps_accepted,
                     s.steps_rejected + s.events.discarded);
}

}  // namespace

void bench_smooth_balls(Report& report, const Wanted&) {
  report.begin(
      "5.5-smooth", "Table 5.5 of Compere (2001): 100 bouncing balls, with and without events *",
      "Dormand-Prince 5(4), tolerance 1e-3. Smooth: conditions follow the state at every evaluation (events "
      "none), so that the error control alone finds where they change. N_ev, N_rhs, N_acc, N_rej; error of the "
      "final state against the closed form. * His stiffness and damping are not printed: ours is a "
      "reconstruction, so counts cannot be compared one by one.",
      {"solver", "printed", "ours", "error"});
  const EventRow plain{"", "balls-spring", {}, 1e-3, 1e-10};
  EventRow concurrent = plain;
  concurrent.window = 1e-7;
  concurrent.amplitude = 1e-6;
  struct Line {
    const char *label, *printed, *finder;
    const EventRow& row;
  };
  std::vector<double> errors;
  for (const Line& line : {Line{"smooth", "-, 4963, 401, 426", "none", plain},
                           Line{"compere", "1200, 31423, 1239, 1200", "compere", plain},
                           Line{"compere with ROC", "18, 685, 57, 18", "compere", concurrent},
                           Line{"certified", "-", "certified", plain}}) {
    const EventRun one = run_with(line.row, line.finder);
    report.row({line.label, line.printed, counts(one.run.statistics, line.finder != std::string_view("none")),
                (one.error ? fmt::format("{:.1e}", *one.error) : "-") + trouble(one.run)});
    errors.push_back(one.error.value_or(unlimited));
  }
  report.expect(errors.front() > errors.back(),
                fmt::format("certified ({:.1e}) is not more accurate than the smooth solver ({:.1e})", errors.back(),
                            errors.front()));
}

void bench_smooth_marbles(Report& report, const Wanted& wanted) {
  if (wanted.is_quick) return;
  report.begin(
      "5.6-smooth", "Table 5.6 of Compere (2001): marble jar, 10 balls, with and without events *",
      "Variation of the energy (without damping: all of it is error) and N_ev, N_rhs, N_acc, N_rej over 3.5 s, "
      "Dormand-Prince 5(4). The motion is chaotic and the jar a reconstruction: sizes can be compared, counts "
      "cannot.",
      {"jar, tolerance", "solver", "energy, printed", "ours", "counts, printed", "ours"});
  struct Line {
    double damping, tolerance;
    const char *finder, *energy, *counts;
  };
  double smooth = 0;
  for (const Line& line :
       {Line{0, 1e-3, "none", "2.81e-2", "-, 414025, 36326, 32679"},
        Line{0, 1e-3, "compere", "3.55e-3", "2272, 98385, 7653, 3334"}, Line{0, 1e-3, "certified", "-", "-"},
        Line{0, 1e-6, "none", "3.01e-4", "-, 439147, 40324, 32868"},
        Line{0, 1e-6, "compere", "3.34e-5", "2088, 132283, 15189, 2237"}, Line{0, 1e-6, "certified", "-", "-"},
        Line{0.3, 1e-3, "none", "failed", "-"}, Line{0.3, 1e-3, "compere", "0.2937", "13404, 471259, 32225, 17876"},
        Line{0.3, 1e-3, "certified", "-", "-"}, Line{0.3, 1e-6, "none", "0.2939", "-, 624367, 68810, 35252"},
        Line{0.3, 1e-6, "compere", "0.2939", "5663, 438329, 50733, 10593"}, Line{0.3, 1e-6, "certified", "-", "-"}}) {
    const EventRow row{"", "marble-jar", {{"n", 10}, {"c", line.damping}}, line.tolerance, 1e-10};
    const EventRun one = run_with(row, line.finder);
    const bool is_smooth = line.finder == std::string_view("none");
    const double variation = variation_of_energy(one.run);
    report.row({fmt::format("{}, {:.0e}", line.damping == 0 ? "undamped" : "damped", line.tolerance),
                is_smooth ? "smooth" : line.finder, line.energy, fmt::format("{:.2e}", variation) + trouble(one.run),
                line.counts, counts(one.run.statistics, !is_smooth)});
    if (line.damping > 0) continue;
    if (is_smooth)
      smooth = variation;
    else {
      report.expect(variation < smooth,
                    fmt::format("tolerance {:g}: the energy varies by {:.1e} with {}, {:.1e} without "
                                "events",
                                line.tolerance, variation, line.finder, smooth));
    }
  }
}

void bench_energy_of_marbles(Report& report, const Wanted& wanted) {
  if (wanted.is_quick) return;
  report.begin("fig-5.11", "Fig. 5.11 of Compere (2001): energy of the undamped marble jar over time *",
               "Largest deviation of the energy from its start, up to each time: what his four curves show. Printed is "
               "the figure alone.",
               {"solver, tolerance", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s", "3 s", "3.5 s"});
  for (const double tolerance : {1e-3, 1e-6}) {
    for (const char* finder : {"none", "compere", "certified"}) {
      const Problem& problem = find_problem("marble-jar");
      const Assignments assignments{{"n", 10}, {"c", 0.0}};
      const System system = system_of(problem, assignments);
      Values values(system);
      for (const auto& [name, value] : assignments) values.set(name, value);
      Options options{.end = problem.end, .tolerance = {tolerance, tolerance}, .method = "dormand-prince-5"};
      options.events = finder;
      if (finder == std::string_view("compere")) {
        options.max_step = 0.1;
        options.event_tolerance = 1e-10;
      }
      const Result run = simulate(system, values, options);
      std::vector<std::string> cells{
          fmt::format("{}, {:.0e}", finder == std::string_view("none") ? "smooth" : finder, tolerance)};
      const Observable energy{0};
      const double start = run.at(0)[energy];
      double largest = 0, next = 0.5;
      constexpr int samples = 3500;
      for (int i = 1; i <= samples; ++i) {
        const double t = problem.end * i / samples;
        if (t > run.t_end) break;
        largest = std::max(largest, std::abs(run.at(t)[energy] - start));
        if (t < next - 1e-9) continue;
        cells.push_back(fmt::format("{:.1e}", largest));
        next += 0.5;
      }
      cells.resize(8, "-");
      report.row(cells);
    }
  }
}

void bench_number_of_marbles(Report& report, const Wanted& wanted) {
  if (wanted.is_quick) return;
  report.begin(
      "fig-5.12", "Fig. 5.12 of Compere (2001): marble jar, right-hand sides by the number of balls *",
      "Undamped, 3.5 s, Dormand-Prince 5(4); his tolerance is not printed. He reads a factor of 4.6 between the "
      "smooth solver and his for 2 balls and of 2.8 for 16 off his figure. Ours is less: our smooth runs need a "
      "tenth of the steps he reports in Table 5.6, and at 1e-3 they are wrong where they are cheap (Table 5.6). "
      "What remains of the figure: with few balls events pay, and the more of them meet, the less.",
      {"tolerance", "balls", "guards", "smooth rhs", "compere rhs", "certified rhs", "smooth / compere",
       "smooth / certified"});
  for (const double tolerance : {1e-3, 1e-6}) {
    for (const double n : {2.0, 4.0, 8.0, 16.0}) {
      const EventRow row{"", "marble-jar", {{"n", n}, {"c", 0.0}}, tolerance, 1e-10};
      std::vector<Statistics> all;
      for (const char* finder : {"none", "compere", "certified"}) all.push_back(run_with(row, finder).run.statistics);
      const auto ratio = [&](std::size_t i) {
        return static_cast<double>(all[0].rhs) / static_cast<double>(all[i].rhs);
      };
      report.row({fmt::format("{:.0e}", tolerance), fmt::format("{:g}", n), fmt::format("{}", all[2].events.guards),
                  fmt::format("{}", all[0].rhs), fmt::format("{}", all[1].rhs), fmt::format("{}", all[2].rhs),
                  fmt::format("{:.2f}", ratio(1)), fmt::format("{:.2f}", ratio(2))});
      if (n == 2) report.expect(ratio(2) > 1, fmt::format("2 balls, {:g}: events do not pay", tolerance));
    }
  }
}

}  // namespace pawl::bench
