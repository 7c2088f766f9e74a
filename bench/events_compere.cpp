// Chapter 5 of Compere (2001): what events cost, published and by our finders.
#include <cmath>

#include <fmt/format.h>

#include "events.hpp"
#include "numbers.hpp"
#include "suites.hpp"

namespace pawl::bench {

EventRun run_row(const EventRow& row, const std::string& finder, const std::string& method, double tolerance,
                 double max_step) {
  const Problem& problem = find_problem(row.problem);
  const System system = system_of(problem, row.assignments);
  Values values(system);
  for (const auto& [name, value] : row.assignments) values.set(name, value);
  Options options{.start = problem.start, .end = problem.end, .tolerance = {tolerance, tolerance}, .method = method};
  options.max_step = max_step;
  options.keep = Keep::end;
  options.events = finder;
  options.event_tolerance = finder == "certified" ? 0 : row.location;
  options.concurrency_window = row.window;
  options.concurrency_amplitude = row.amplitude;
  options.max_events = row.most_events;
  EventRun outcome{simulate(system, values, options), std::nullopt};
  outcome.error = error_against_reference(problem, values, outcome.run.t_end, outcome.run.final().states());
  return outcome;
}

namespace {

std::string in_words(const std::optional<double>& error) {
  return error ? fmt::format("{:.1e}", *error) : "-";
}

/// Compere's count: one evaluation at the start, six per trial step and per Newton iteration, two per event.
long long compere_rhs(const Statistics& s, const EventStatistics& e) {
  return 1 + 6 * (s.steps_accepted + s.steps_rejected + e.discarded + e.iterations) + 2 * e.events;
}

/// The cheapest certified run at least as accurate as the given error, over methods and tolerances.
EventRun best_at(const EventRow& row, double error, std::string& how) {
  EventRun best;
  for (const char* method : {"tsitouras-5", "dormand-prince-5", "verner-6", "verner-7", "dop853", "verner-9"}) {
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 0.5) {
      EventRun one = run_row(row, "certified", method, tolerance);
      if (!one.error || !(*one.error <= error)) continue;
      if (how.empty() || one.run.statistics.rhs < best.run.statistics.rhs) {
        how = fmt::format("{} at {:.0e}", method, tolerance);
        best = std::move(one);
      }
      break;
    }
  }
  return best;
}

}  // namespace

void bench_compere_events(Report& report, const Wanted&) {
  const std::vector<EventRow> rows{
      {"BOK 1, A = 0.35", "bok-1", {{"A", 0.35}}, 1e-5, 1e-10, {0.8554069, 3, 307, 42, 3, 5}},
      {"BOK 1, A = 0.40", "bok-1", {{"A", 0.40}}, 1e-5, 1e-10, {0.8000413, 3, 307, 41, 3, 6}},
      {"BOK 1, A = 0.41", "bok-1", {{"A", 0.41}}, 1e-5, 1e-10, {0.7819808, 1, 237, 35, 2, 2}},
      {"BOK 1, A = 0.45", "bok-1", {{"A", 0.45}}, 1e-5, 1e-10, {0.7432341, 1, 231, 35, 1, 2}},
      {"BOK 3, 20 events",
       "bok-3",
       {},
       1e-5,
       1e-10,
       {0.1653847, 20, 725, 58, 20, 36},
       0,
       std::numeric_limits<double>::infinity(),
       20},
      {"BOK 2 *", "bok-2", {}, 1e-5, 1e-10},
      {"Carver 1 *", "carver-1", {}, 1e-5, 1e-5},
      {"Carver 2 *", "carver-2", {}, 1e-5, 1e-5},
      {"Carver 3 *", "carver-3", {}, 1e-5, 1e-5},
      {"Carver 3 with ROC *", "carver-3", {}, 1e-5, 1e-5, {}, 1e-6, 0.01},
      {"100 balls *", "balls-spring", {}, 1e-3, 1e-10},
      {"100 balls with ROC *", "balls-spring", {}, 1e-3, 1e-10, {}, 1e-7, 1e-6},
  };
  report.begin(
      "5.3-5.5", "Tables 5.3 to 5.5 of Compere (2001)",
      "Published: his row. compere: our implementation of his algorithm with his settings (Dormand-Prince 5(4), h_max "
      "= "
      "0.1, tolerance and eps_d as printed), N_rhs counted his way, 1 + 6 (N_acc + N_rej + N_it) + 2 N_ev. daspke and "
      "certified: the same pair and tolerance, no h_max, every right-hand side counted. Best: the cheapest certified "
      "run "
      "at least as accurate as compere. Errors are of the final state. * The model or its data are a reconstruction: "
      "no "
      "published row to compare with.",
      {"problem", "published N_ev, N_rhs, N_acc, N_rej, N_it", "compere N_ev, N_rhs, N_acc, N_rej, N_it", "error",
       "daspke N_ev, rhs", "error", "certified N_ev, rhs", "error", "/ compere", "best", "rhs", "/ compere"});
  for (const EventRow& row : rows) {
    const EventRun theirs = run_row(row, "compere", "dormand-prince-5", row.tolerance, 0.1);
    const EventRun daspke = run_row(row, "daspke", "dormand-prince-5", row.tolerance);
    const EventRun ours = run_row(row, "certified", "dormand-prince-5", row.tolerance);
    const Statistics &t = theirs.run.statistics, &o = ours.run.statistics;
    const auto count = static_cast<double>(compere_rhs(t, t.events));
    std::string how;
    const EventRun best = theirs.error ? best_at(row, *theirs.error, how) : EventRun{};
    const PublishedCounts& p = row.published;
    const std::string published =
        p.events > 0 ? fmt::format("{}, {}, {}, {}, {}", p.events, p.rhs, p.accepted, p.rejected, p.iterations) : "-";
    report.row({row.label, published,
                fmt::format("{}, {:.0f}, {}, {}, {}", t.events.events, count, t.steps_accepted,
                            t.steps_rejected + t.events.discarded, t.events.iterations),
                in_words(theirs.error),
                fmt::format("{}, {}", daspke.run.statistics.events.events, daspke.run.statistics.rhs),
                in_words(daspke.error), fmt::format("{}, {}", o.events.events, o.rhs), in_words(ours.error),
                fmt::format("{:.2f}", static_cast<double>(o.rhs) / count), how.empty() ? "-" : how,
                how.empty() ? "-" : fmt::format("{}", best.run.statistics.rhs),
                how.empty() ? "-" : fmt::format("{:.2f}", static_cast<double>(best.run.statistics.rhs) / count)});
    if (p.events == 0) continue;
    report.expect(t.events.events == p.events && o.events.events == p.events,
                  fmt::format("{}: {} events by compere, {} certified, {} printed", row.label, t.events.events,
                              o.events.events, p.events));
    report.expect(count <= p.rhs,
                  fmt::format("{}: {:.0f} right-hand sides by compere, {} printed", row.label, count, p.rhs));
    report.expect(ours.error && *ours.error < 10 * row.tolerance,
                  fmt::format("{}: error {} at tolerance {:g}", row.label, in_words(ours.error), row.tolerance));
  }
}

namespace {

/// The cheapest certified run of the jar whose energy varies no more than that.
void best_marbles(Report& report, const EventRow& row, double variation, double rhs) {
  std::string how;
  EventRun best;
  for (const char* method : {"dormand-prince-5", "tsitouras-5", "verner-6", "verner-7", "dop853"}) {
    for (double tolerance = row.tolerance; tolerance > 1e-11; tolerance *= 0.6) {
      EventRun one = run_row(row, "certified", method, tolerance);
      if (!(one.run.range(Observable{0}).variation() <= variation)) continue;
      if (how.empty() || one.run.statistics.rhs < best.run.statistics.rhs) {
        how = fmt::format("{} at {:.0e}", method, tolerance);
        best = std::move(one);
      }
      break;
    }
  }
  const Statistics& s = best.run.statistics;
  report.row({fmt::format("undamped, {:.0e}", row.tolerance), "certified, " + how,
              fmt::format("{:.3e}", best.run.range(Observable{0}).variation()), fmt::format("{}", s.events.events),
              fmt::format("{} ({:.2f} of compere)", s.rhs, static_cast<double>(s.rhs) / rhs),
              fmt::format("{}", s.steps_accepted), fmt::format("{}", s.steps_rejected),
              fmt::format("{}", s.events.wrong_order), fmt::format("{}", s.events.false_roots),
              fmt::format("{:.2f}", s.wall_seconds)});
}

}  // namespace

void bench_marbles(Report& report, const Wanted& wanted) {
  if (wanted.is_quick) return;
  report.begin("5.6", "Table 5.6 of Compere: marble jar, 10 balls *",
               "Energy variation (undamped) or energy lost (damped) over 3.5 s; the motion is chaotic, so event counts "
               "scatter.",
               {"jar, tolerance", "finder", "energy variation", "N_ev", "rhs", "N_acc", "N_rej", "wrong order",
                "false roots", "seconds"});
  for (const double damping : {0.0, 0.3}) {
    for (const double tolerance : {1e-3, 1e-6}) {
      double variation = 0, rhs = 0;
      const EventRow row{"", "marble-jar", {{"n", 10}, {"c", damping}}, tolerance, 1e-10};
      for (const char* finder : {"compere", "certified"}) {
        const EventRun one =
            run_row(row, finder, "dormand-prince-5", tolerance,
                    finder == std::string_view("compere") ? 0.1 : std::numeric_limits<double>::infinity());
        const Statistics& s = one.run.statistics;
        report.row(
            {fmt::format("{}, {:.0e}", damping == 0 ? "undamped" : "damped", tolerance), finder,
             fmt::format("{:.3e}", one.run.range(Observable{0}).variation()), fmt::format("{}", s.events.events),
             fmt::format("{}", s.rhs), fmt::format("{}", s.steps_accepted),
             fmt::format("{}", s.steps_rejected + s.events.discarded), fmt::format("{}", s.events.wrong_order),
             fmt::format("{}", s.events.false_roots),
             fmt::format("{:.2f}", s.wall_seconds) + (one.run.finished() ? "" : " " + first_line(one.run.reason))});
        if (finder == std::string_view("certified")) continue;
        variation = one.run.range(Observable{0}).variation();
        rhs = static_cast<double>(s.rhs);
      }
      if (damping == 0) best_marbles(report, row, variation, rhs);
    }
  }
}

/// All-pairs guards: N (N - 1) / 2 + 2 N of them.
void bench_marble_scaling(Report& report, const Wanted& wanted) {
  if (wanted.is_quick) return;
  report.begin("scaling", "Scaling: marble jar from 10 to 400 balls, all-pairs guards",
               "dormand-prince-5, tolerance 1e-4, one second, c = 0.3. Evaluations per step show what sleeping saves.",
               {"balls", "guards", "steps", "events", "guard evaluations per step", "of all guards",
                "ms per simulated second and ball", "growth", "growth of guards"});
  double last_time = 0, last_guards = 0;
  for (const double n : {10.0, 25.0, 50.0, 100.0, 200.0, 400.0}) {
    const Problem& problem = find_problem("marble-jar");
    const Assignments assignments{{"n", n}, {"c", 0.3}};
    const System system = system_of(problem, assignments);
    Values values(system);
    for (const auto& [name, value] : assignments) values.set(name, value);
    Options options{.end = 1, .tolerance = {1e-4, 1e-4}, .method = "dormand-prince-5"};
    options.keep = Keep::end;
    const Result run = simulate(system, values, options);
    const Statistics& s = run.statistics;
    const auto guards = static_cast<double>(s.events.guards), steps = static_cast<double>(s.steps_accepted);
    const double per_step = static_cast<double>(s.events.guard_ranges + s.events.guard_points) / steps;
    const double time = 1e3 * s.wall_seconds / options.end / n;
    report.row({fmt::format("{:g}", n), fmt::format("{:g}", guards), fmt::format("{}", s.steps_accepted),
                fmt::format("{}", s.events.events), fmt::format("{:.0f}", per_step),
                fmt::format("{:.1f} %", 100 * per_step / guards), fmt::format("{:.3f}", time),
                last_time > 0 ? fmt::format("{:.2f}", time / last_time) : "-",
                (last_guards > 0 ? fmt::format("{:.2f}", guards / last_guards) : "-") +
                    (run.finished() ? "" : " " + first_line(run.reason))});
    last_time = time;
    last_guards = guards;
  }
}

}  // namespace pawl::bench
