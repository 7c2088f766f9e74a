// Three contact problems with known answers beside Siconos and MuJoCo, and the explicit beside the
// implicit route through the same contacts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "contact_peers.hpp"
#include "numbers.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "stiff.hpp"
#include "suites.hpp"
#include "verify/event_pairs.hpp"

namespace pawl::bench {

namespace {

constexpr double gravity = 9.81, infinity = std::numeric_limits<double>::infinity();
using Errors = std::vector<std::pair<std::string, double>>;

struct Touch {
  Contact contact;
  double friction;
  std::function<double(const Instant&)> gap;
};

/// A problem the peers solve too, under the same name.
struct ContactCase {
  std::string name, title, text;
  Mechanics system;
  double end;
  std::vector<Touch> touches;
  std::function<Errors(const Result&)> errors;
};

ContactCase ball_case() {
  constexpr double e = 0.5;
  Mechanics ball("ball");
  const auto y = ball.coordinate("y", 1);
  ball.mass(y, 1.0);
  ball.potential([=](const auto& at) { return gravity * at[y]; });
  const auto gap = [=](const auto& at) { return at[y]; };
  const Contact floor = ball.contact("floor", gap, {.restitution = e});
  const auto errors = [=](const Result& run) -> Errors {
    double rest = infinity;
    for (const Event& event : run.events) {
      if (event.kind == EventKind::accumulation) rest = event.t - std::sqrt(2 / gravity) * (1 + e) / (1 - e);
    }
    return {{"time of rest", rest}, {"height at rest", run.final()[y]}, {"speed at rest", run.final()[dot(y)]}};
  };
  return {.name = "ball",
          .title = "A ball comes to rest",
          .text =
              "Falls 1 m onto a floor, restitution 0.5, to t = 2 s: infinitely many bounces until "
              "sqrt(2/g) (1 + e)/(1 - e) = 1.3546 s. Flights are parabolas, which our methods integrate without error, "
              "whatever the tolerance. Errors in s, m and m/s.",
          .system = ball,
          .end = 2,
          .touches = {{floor, 0, gap}},
          .errors = errors};
}

struct Motion {
  double x, v;
};

/// Unit mass and spring on a belt: arcs around +μ (slower than the belt) and -μ (faster) until it sticks; it lets go at
/// x = μ and never reaches the speed of the belt again.
Motion exact_belt(double end, double mu, double belt) {
  constexpr double turn = 2 * std::numbers::pi;
  double t = 0, x = 2, v = 0;
  for (;;) {
    const double centre = v < belt || (v == belt && x > mu) ? mu : -mu;
    const double size = std::hypot(x - centre, v), phase = std::atan2(-v, x - centre);
    double next = infinity;  // when -size sin(phase + s) = belt
    if (size > belt) {
      const double root = std::asin(-belt / size);
      for (const double angle : {root, std::numbers::pi - root}) {
        const double s = angle - phase - turn * std::floor((angle - phase) / turn);
        if (s > 1e-9 && s < turn - 1e-9) next = std::min(next, s);
      }
    }
    const double s = std::min(next, end - t);
    x = centre + size * std::cos(phase + s), v = -size * std::sin(phase + s);
    if (next >= end - t) return {x, v};
    t += s, v = belt;
    if (std::abs(x) > mu) continue;
    const double free = end - t - (mu - x) / belt;
    if (free < 0) return {x + belt * (end - t), belt};
    return {mu + belt * std::sin(free), belt * std::cos(free)};
  }
}

ContactCase belt_case() {
  constexpr double mu = 0.3, speed = 0.5;
  Mechanics block("belt");
  const auto x = block.coordinate("x", 2), y = block.coordinate("y", 0);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.potential([=](const auto& at) { return sqr(at[x]) / 2 + at[y]; });
  const auto gap = [=](const auto& at) { return at[y]; };
  const Contact belt = block.contact("belt", gap, [=](const auto& at) { return at[dot(x)] - speed; }, {.friction = mu});
  const auto errors = [=](const Result& run) -> Errors {
    const Motion exact = exact_belt(run.t_end, mu, speed);
    return {{"position", run.final()[x] - exact.x}, {"velocity", run.final()[dot(x)] - exact.v}};
  };
  return {.name = "belt",
          .title = "Stick and slip on a belt",
          .text =
              "Mass, spring and weight 1 on a belt of speed 0.5, friction 0.3, from x = 2 at rest to t = 20: slips "
              "both ways, sticks once, then swings for ever. Errors of position and velocity at the end.",
          .system = block,
          .end = 20,
          .touches = {{belt, mu, gap}},
          .errors = errors};
}

ContactCase rocking_case() {
  constexpr double b = 0.125, h = 0.5, mu = 0.8;
  const double alpha = std::atan2(b, h), tilt = alpha / 2, radius = std::hypot(b, h);
  Mechanics block("rocking");
  const auto x = block.coordinate("x", -b + b * std::cos(tilt) - h * std::sin(tilt)),
             y = block.coordinate("y", b * std::sin(tilt) + h * std::cos(tilt)), a = block.coordinate("angle", tilt);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.mass(a, (b * b + h * h) / 3);
  block.potential([=](const auto& at) { return gravity * at[y]; });
  std::vector<Touch> touches;
  for (const double side : {-1.0, 1.0}) {
    const auto gap = [=](const auto& at) {
      using std::cos, std::sin;
      return at[y] + side * b * sin(at[a]) - h * cos(at[a]);
    };
    const auto slip = [=](const auto& at) {
      return at[dot(x)] + (h * cos(at[a]) - side * b * sin(at[a])) * at[dot(a)];
    };
    touches.push_back({block.contact(side < 0 ? "left corner" : "right corner", gap, slip, {.friction = mu}), mu, gap});
  }
  const Problem& rocking = find_problem("rocking-block");  // the same block with other numbers; knows its impacts
  Values values(rocking.system);
  values.set("half_width", b), values.set("half_height", h), values.set("friction", mu), values.set("tilt", tilt);
  const double first = rocking.event_times(values, 1).value().front();
  const double before = std::sqrt(1.5 * gravity / radius * (std::cos(alpha - tilt) - std::cos(alpha)));
  const double kept = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);
  const auto errors = [=](const Result& run) -> Errors {
    const auto impact =
        std::find_if(run.events.begin(), run.events.end(), [](const Event& e) { return fires(e.kind) && e.t > 0; });
    if (impact == run.events.end()) {
      return {{"time of impact", infinity},
              {"rate before", infinity},
              {"rate after", infinity},
              {"ratio of rates", infinity}};
    }
    const double t = impact->t, w0 = -run.before(t)[dot(a)], w1 = -run.at(t)[dot(a)];
    return {{"time of impact", t - first},
            {"rate before", w0 - before},
            {"rate after", w1 - kept * before},
            {"ratio of rates", w1 / w0 - kept}};
  };
  return {.name = "rocking",
          .title = "A rocking block",
          .text =
              "Height 1, width 0.25, friction 0.8, plastic impacts, let go at half its critical angle, to t = 1 s: "
              "the first impact and the rates of rotation around it (Housner 1963). Errors in s and 1/s.",
          .system = block,
          .end = 1,
          .touches = touches,
          .errors = errors};
}

ContactRun run_ours(const ContactCase& one, double tolerance, double seconds) {
  Options options{.end = one.end, .tolerance = tolerance};
  const TimedRun timed = time_run(one.system, Values(one.system), options, seconds);
  const Result run = simulate(one.system, options);  // the same again, everything kept
  if (!run.finished()) throw std::runtime_error(run.reason);
  ContactRun ours{.who = "pawl",
                  .setting = tolerance,
                  .seconds = timed.seconds,
                  .steps = trial_steps(run),
                  .errors = one.errors(run),
                  .penetration = 0,
                  .cone_violation = {}};
  const auto look = [&](const Instant& at) {
    for (const Touch& touch : one.touches) {
      ours.penetration = std::max(ours.penetration, -touch.gap(at));
      if (touch.friction == 0) continue;
      const double beyond = std::abs(at[touch.contact.slip]) - touch.friction * at[touch.contact.normal];
      ours.cone_violation = std::max(ours.cone_violation.value_or(0), beyond);
    }
  };
  constexpr int parts = 10;  // of every step
  for (int i = 1; i < run.sample_count(); ++i) {
    const double t0 = run.sample(i - 1).t, t1 = run.sample(i).t;
    for (int k = 1; k < parts; ++k) look(run.at(t0 + (t1 - t0) * k / parts));
    look(run.sample(i));
  }
  return ours;
}

std::string error_cell(double error) {
  return std::isfinite(error) ? number(std::abs(error), 1) : "never";
}

void case_row(Report& report, const ContactRun& run) {
  std::vector<std::string> cells{run.who, fmt::format("{:.0e}", run.setting), milliseconds(run.seconds),
                                 fmt::format("{}", run.steps)};
  for (const auto& [name, error] : run.errors) cells.push_back(error_cell(error));
  cells.push_back(number(run.penetration, 1));
  cells.push_back(run.cone_violation ? number(*run.cone_violation, 1) : "-");
  report.row(cells);
}

struct CaseRuns {
  std::vector<ContactRun> ours;
  std::map<std::string, std::vector<ContactRun>> peers;
};

CaseRuns case_table(Report& report, const ContactCase& one, const std::vector<ContactPeer>& peers, bool is_quick) {
  const std::vector<double> tolerances =
      is_quick ? std::vector{1e-4, 1e-7, 1e-10} : std::vector{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  const std::vector<double> steps = is_quick ? std::vector{1e-2, 1e-3, 1e-4} : std::vector{1e-2, 1e-3, 1e-4, 1e-5};
  CaseRuns runs;
  for (const double tolerance : tolerances) runs.ours.push_back(run_ours(one, tolerance, is_quick ? 0.02 : 0.1));
  std::vector<std::string> columns{"who", "tolerance or step", "ms", "steps"};
  for (const auto& [name, error] : runs.ours.front().errors) columns.push_back(name);
  columns.insert(columns.end(), {"penetration", "beyond the cone"});
  report.begin("contact-" + one.name, one.title, one.text, columns);
  for (const ContactRun& run : runs.ours) case_row(report, run);
  for (const ContactPeer& peer : peers) {
    std::vector<std::string> cells(columns.size(), "-");
    cells[0] = peer.name, cells[1] = peer.missing;
    if (!peer.missing.empty()) report.row(cells);
    for (const double step : steps) {
      if (!peer.missing.empty()) break;
      runs.peers[peer.name].push_back(peer.run(one.name, step, step > 5e-4 ? 3 : 1));
      case_row(report, runs.peers[peer.name].back());
    }
  }
  return runs;
}

/// Every run of a peer beside the cheapest of ours that is at least as accurate.
void equal_rows(Report& report, const ContactCase& one, const CaseRuns& runs) {
  double our_worst = 0;
  for (const ContactRun& run : runs.ours) our_worst = std::max(our_worst, run.largest_error());
  for (const auto& [name, theirs] : runs.peers) {
    double their_best = infinity;
    for (const ContactRun& run : theirs) their_best = std::min(their_best, run.largest_error());
    const std::string reached = their_best <= our_worst ? "yes" : fmt::format("no: {}", error_cell(their_best));
    for (const ContactRun& run : theirs) {
      const ContactRun* ours = nullptr;
      for (const ContactRun& candidate : runs.ours) {
        const bool is_as_good = candidate.largest_error() <= run.largest_error();
        if (is_as_good && (ours == nullptr || candidate.seconds < ours->seconds)) ours = &candidate;
      }
      std::vector<std::string> cells{one.name, name, fmt::format("{:.0e}", run.setting),
                                     error_cell(run.largest_error()), milliseconds(run.seconds)};
      if (ours == nullptr) {
        cells.insert(cells.end(), {"-", "-", "-", "-"});
      } else {
        cells.insert(cells.end(), {fmt::format("{:.0e}", ours->setting), error_cell(ours->largest_error()),
                                   milliseconds(ours->seconds), fmt::format("{:.3g}", run.seconds / ours->seconds)});
      }
      cells.push_back(number(our_worst, 1));
      cells.push_back(reached);
      report.row(cells);
    }
  }
}

void against_peers(Report& report, const std::string& folder, bool is_quick) {
  const std::vector<ContactPeer> peers = contact_peers(folder);
  const std::vector<ContactCase> cases{ball_case(), belt_case(), rocking_case()};
  std::vector<CaseRuns> runs;
  runs.reserve(cases.size());
  for (const ContactCase& one : cases) runs.push_back(case_table(report, one, peers, is_quick));
  report.begin(
      "contact-equal", "At equal accuracy",
      "Every run of a peer beside the cheapest run of pawl that is at least as accurate. Error: the largest of the "
      "quantities of the problem; never: one of them was not reached at all. Ratio: time of the peer over that of "
      "pawl. "
      "Times of pawl are the fastest of many runs in one process, those of the peers a first run each (the fastest of "
      "three processes with steps of 1e-2 and 1e-3), and with what they look at after each step. Last column: whether "
      "the peer, with any of its steps, comes down to the largest error of pawl with any of its tolerances.",
      {"problem", "peer", "step", "its error", "its ms", "tolerance of pawl", "error of pawl", "ms of pawl", "ratio",
       "worst error of pawl", "the peer reaches it"});
  for (std::size_t i = 0; i < cases.size(); ++i) equal_rows(report, cases[i], runs[i]);
}

/// Largest distance of a known event time from the nearest one of the run; NaN where none are known. Bounces within
/// 1e-4 of the run before an accumulation point are left out: a run takes them over together.
double error_of_times(const Problem& problem, const Result& run) {
  if (!problem.event_times) return std::numeric_limits<double>::quiet_NaN();
  const auto exact = problem.event_times(Values(problem.system), run.t_end);
  if (!exact) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  const auto is_taken_over = [&](double t) {
    return std::any_of(run.events.begin(), run.events.end(), [&](const Event& event) {
      const double ahead = (event.t - t) / (run.t_end - run.t_start);
      return event.kind == EventKind::accumulation && ahead > 1e-8 && ahead < 1e-4;
    });
  };
  for (const double t : *exact) {
    if (is_taken_over(t)) continue;
    double nearest = infinity;
    for (const Event& event : run.events) nearest = std::min(nearest, std::abs(event.t - t));
    largest = std::max(largest, nearest);
  }
  return largest;
}

void route_row(Report& report, const Problem& problem, double tolerance, const std::string& method,
               const Result& first) {
  const Options options{.end = problem.end, .tolerance = tolerance, .method = method};
  const TimedRun timed = time_run(problem.system, Values(problem.system), options);
  const Result& run = timed.run;
  std::vector<std::string> cells{problem.name(), fmt::format("{:.0e}", tolerance), method};
  if (!run.finished() && run.outcome != Outcome::terminated) {
    cells.insert(cells.end(), {"-", timed.was_cut ? "cut" : first_line(run.reason), "-", "-", "-", "-", "-"});
    report.row(cells);
    return;
  }
  double apart = 0;
  int alone = 0;
  for (const EventPair& pair : verification::pair_events(first, run, 0.01 * (first.t_end - first.t_start))) {
    apart = std::max(apart, std::abs(pair.difference()));
    alone += !pair.is_matched() && !pair.is_excused ? 1 : 0;
  }
  const double error = error_of_times(problem, run);
  cells.insert(cells.end(), {run.method, fmt::format("{}", run.statistics.events.events),
                             std::isnan(error) ? "-" : number(error, 1), method == "auto" ? "-" : number(apart, 1),
                             method == "auto" ? "-" : fmt::format("{}", alone), fmt::format("{}", trial_steps(run)),
                             fmt::format("{}", run.statistics.rhs), milliseconds(timed.seconds)});
  report.row(cells);
}

void routes(Report& report, bool is_quick) {
  report.begin(
      "contact-routes", "Explicit and implicit routes through the same contacts",
      "Each problem of the catalogue to its end time. auto chooses an explicit method here, with projection; radau, "
      "esdirk-5 and bdf use the implicit formulation of each mode, or accelerations while something slips. Events: "
      "that fired. Error: largest distance of a "
      "known event time from an event of the run. From auto: largest difference of the times of paired events; alone: "
      "events that only one of both runs has, those before an accumulation point left out, where their number is not "
      "defined.",
      {"problem", "tolerance", "method", "as it ran", "events", "error of times", "from auto", "alone", "steps", "f",
       "ms"});
  for (const char* name : {"pendulum-stop", "rocking-block", "belt-block", "sphere-top", "ball-table"}) {
    const Problem& problem = find_problem(name);
    for (const double tolerance : is_quick ? std::vector{1e-8} : std::vector{1e-6, 1e-9}) {
      const Result first = simulate(problem.system, {.end = problem.end, .tolerance = tolerance, .keep = Keep::end});
      for (const char* method : {"auto", "radau", "esdirk-5", "bdf"})
        route_row(report, problem, tolerance, method, first);
    }
  }
}

}  // namespace

void bench_contact_peers(Report& report, const Wanted& wanted) {
  against_peers(report, wanted.peers, wanted.is_quick);
}

void bench_contact_routes(Report& report, const Wanted& wanted) {
  routes(report, wanted.is_quick);
}

}  // namespace pawl::bench
