// Work and precision: how long each stiff method takes to reach an error, beside CVODE and IDA used directly.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/bench_stiff.hpp"
#include "cli/stiff_peers.hpp"
#include "report/svg_plot.hpp"
#include "report/whole_file.hpp"

namespace pawl::cli {

namespace {

enum class Norm {
  componentwise,  ///< largest relative error of a component
  largest,        ///< largest error, relative to the largest component
  nominal,        ///< largest error, relative to the component or its nominal size (1 where it has none)
};

struct Case {
  const char* problem;
  Norm norm = Norm::componentwise;
  double wanted_loose = 0.35, wanted_tight = 0.25;  // of the best peer's time, at errors 1e-5 and 1e-8
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"hires"},
      {"orego"},
      {"vdpol"},
      {"pollu", Norm::largest, 0.45, 0.45},
      {"robertson"},
      {"robertson-dae"},
      {"transistor-amplifier"},
      {"chem-akzo"},
      {"ring-modulator", Norm::largest, 0.5, 0.5},
      {"andrews"},
      {"caraxis"},
      {"fekete", Norm::largest},
      {"charge-pump", Norm::nominal},
      {"pendulum-period2", Norm::largest},
      {"fast-slow"},
      {"algebraic-loop"},
  };
  return list;
}

/// One run.
struct Work {
  double tolerance, error = std::numeric_limits<double>::infinity(), seconds = 0;
  long long steps = 0, rejected = 0, rhs = 0, jacobians = 0, factorizations = 0;
  std::string failure = {};  // empty: it arrived
  bool was_cut = false;
};

struct Contestant {
  std::string name;
  bool is_peer;
  std::function<Work(double tolerance)> run;
  std::vector<Work> runs = {};  // from loose to tight
};

struct Effort {
  double seconds, longest;  // of repetitions in all; of one run
};

struct Field {
  const Case* which;
  const Problem* problem;
  Effort effort;
  std::vector<Contestant> contestants;
};

constexpr double loose = 1e-5, tight = 1e-8;
constexpr double targets[] = {1e-3, loose, tight, 1e-10};

std::vector<double> tolerances(bool is_quick) {
  if (is_quick) return {1e-4, 1e-6, 1e-8, 1e-10};
  std::vector<double> list;
  for (int half_decades = 4; half_decades <= 26; ++half_decades)
    list.push_back(half_decades % 2 == 0 ? std::stod(fmt::format("1e-{}", half_decades / 2))
                                         : std::pow(10, -half_decades / 2.0));
  return list;
}

/// Guards that only watch: the peers are not given them either.
class Unwatched : public System {
 public:
  explicit Unwatched(const System& system) : System(system) { edit().guards.clear(); }
};
System as_measured(const Problem& problem) {
  const bool only_watches = problem.name() == "robertson" || problem.name() == "robertson-dae";
  return only_watches ? Unwatched(problem.system) : problem.system;
}

double error_of(const Case& which, const Problem& problem, const std::vector<double>& state) {
  const std::vector<double> exact = problem.reference(Values(problem.system), problem.end).value();
  const std::vector<double>& nominals = problem.system.declarations().nominals;
  double largest = 0, error = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double nominal = i < nominals.size() && nominals[i] > 0 ? nominals[i] : 1;
    const double scale = which.norm == Norm::componentwise ? std::abs(exact[i])
                         : which.norm == Norm::largest     ? largest
                                                           : std::max(std::abs(exact[i]), nominal);
    error = std::max(error, std::abs(state[i] - exact[i]) / scale);
  }
  return std::isfinite(error) ? std::max(error, 1e-17) : std::numeric_limits<double>::infinity();
}

Contestant ours(const Case& which, const Problem& problem, const std::string& method, const std::string& formulation,
                const Effort& effort) {
  const auto system = std::make_shared<System>(as_measured(problem));
  const auto run = [&which, &problem, system, method, formulation, effort](double tolerance) {
    Work out{.tolerance = tolerance};
    Options options{.start = problem.start, .end = problem.end, .tolerance = tolerance, .method = method};
    options.constraints.formulation = formulation;
    try {
      const TimedRun timed = time_run(*system, Values(*system), options, effort.seconds, effort.longest);
      const Statistics& counted = timed.run.statistics;
      out.seconds = timed.seconds;
      out.steps = counted.steps_accepted;
      out.rejected = counted.steps_rejected;
      out.rhs = counted.rhs;
      if (counted.implicit) {
        out.jacobians = counted.implicit->jacobians;
        out.factorizations = counted.implicit->factorizations;
      }
      out.was_cut = timed.was_cut;
      if (timed.was_cut)
        out.failure = fmt::format("cut after {:g} s at t = {:.3g}", effort.longest, timed.run.t_end);
      else if (!timed.run.finished())
        out.failure = first_line(timed.run.reason);
      else
        out.error = error_of(which, problem, timed.run.final().states());
    } catch (const Misuse& misuse) {
      out.failure = first_line(misuse.what());
    }
    return out;
  };
  return {formulation == "auto" ? method : fmt::format("{}, {}", method, formulation), false, run};
}

using Solver = PeerRun (*)(PeerModel&, const PeerOptions&);

Contestant peer(const Case& which, const Problem& problem, std::string name, Solver solver, bool has_exact_jacobian,
                const std::string& formulation, const Effort& effort) {
  const auto system = std::make_shared<System>(as_measured(problem));
  std::shared_ptr<PeerModel> model;
  std::string why_not;
  try {
    model = std::make_shared<PeerModel>(*system, Values(*system), problem.start, formulation);
  } catch (const Misuse& misuse) {
    why_not = first_line(misuse.what());
  }
  const auto run = [&which, &problem, system, model, solver, has_exact_jacobian, effort, why_not](double tolerance) {
    Work out{.tolerance = tolerance};
    if (!model) {
      out.failure = why_not;
      return out;
    }
    const PeerOptions options{
        .end = problem.end, .relative = tolerance, .has_exact_jacobian = has_exact_jacobian, .longest = effort.longest};
    const PeerRun best = fastest(solver, *model, options, effort.seconds);
    out.seconds = best.seconds;
    out.steps = best.steps;
    out.rhs = best.rhs;
    out.jacobians = best.jacobians;
    out.factorizations = best.factorizations;
    out.failure = best.failure;
    out.was_cut = best.was_cut;
    if (best.finished()) out.error = error_of(which, problem, best.state);
    return out;
  };
  return {std::move(name), true, run};
}

std::vector<Contestant> contestants(const Case& which, const Problem& problem, const Effort& effort) {
  std::vector<Contestant> all;
  const auto add = [&](const char* method, const char* formulation = "auto") {
    all.push_back(ours(which, problem, method, formulation, effort));
  };
  const auto add_peer = [&](const char* name, Solver solver, bool is_exact, const char* formulation = "") {
    all.push_back(peer(which, problem, name, solver, is_exact, formulation, effort));
  };
  const System::Declarations& model = problem.system.declarations();
  if (model.has_manifold()) {
    for (const char* method : {"radau", "radau-5", "radau-9", "radau-13", "esdirk-4", "esdirk-5", "bdf"}) add(method);
    for (const char* formulation : {"index-3", "stabilized-index-2"}) add("radau", formulation);
    add("auto");
    add_peer("CVODE, accelerations", run_cvode, false, "acceleration");
    add_peer("IDA, stabilized index 2", run_ida, true, "stabilized-index-2");
    add_peer("IDA, index 1", run_ida, true, "index-1");
    return all;
  }
  for (const char* method : {"radau", "radau-5", "radau-9", "radau-13", "rodas5p", "rodas4", "esdirk-3", "esdirk-4",
                             "esdirk-5", "sdirk4", "bdf", "auto"})
    add(method);
  if (problem.name() == "charge-pump") return all;  // the peers would have to be given every kink
  if (!model.is_implicit()) {
    add_peer("CVODE", run_cvode, true);
    add_peer("CVODE, its differences", run_cvode, false);
  }
  add_peer("IDA", run_ida, true);
  add_peer("IDA, its differences", run_ida, false);
  return all;
}

/// The runs that no other one beats in both error and time, from loose to tight.
std::vector<Work> envelope(const std::vector<Work>& runs) {
  std::vector<Work> best;
  for (const Work& one : runs) {
    if (std::isfinite(one.error)) best.push_back(one);
  }
  std::sort(best.begin(), best.end(), [](const Work& a, const Work& b) { return a.seconds < b.seconds; });
  double error = std::numeric_limits<double>::infinity();
  std::erase_if(best, [&](const Work& one) {
    if (one.error >= error) return true;
    error = one.error;
    return false;
  });
  return best;
}

/// Seconds to reach this error: straight lines between the runs of the envelope, in logarithms. Nothing: not reached.
std::optional<double> seconds_to(double error, const std::vector<Work>& runs) {
  const std::vector<Work> best = envelope(runs);
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].error > error) continue;
    if (i == 0) return best[0].seconds;
    const Work &before = best[i - 1], &here = best[i];
    const double share = std::log(before.error / error) / std::log(before.error / here.error);
    return before.seconds * std::pow(here.seconds / before.seconds, share);
  }
  return std::nullopt;
}

struct Fastest {
  std::string name = "-";
  double seconds = std::numeric_limits<double>::infinity();
};
Fastest fastest_to(double error, const Field& field, bool is_peer) {
  Fastest best;
  for (const Contestant& one : field.contestants) {
    if (one.is_peer != is_peer) continue;
    const auto seconds = seconds_to(error, one.runs);
    if (seconds && *seconds < best.seconds) best = {one.name, *seconds};
  }
  return best;
}

Field measure(const Case& which, bool is_quick) {
  Field field{&which, &find_problem(which.problem), is_quick ? Effort{1e-3, 0.2} : Effort{0.02, longest_run}, {}};
  field.contestants = contestants(which, *field.problem, field.effort);
  for (Contestant& one : field.contestants) {
    for (const double tolerance : tolerances(is_quick)) {
      if (!one.runs.empty() && one.runs.back().was_cut) {  // tighter ones take longer still
        one.runs.push_back(one.runs.back());
        one.runs.back().tolerance = tolerance;
      } else {
        one.runs.push_back(one.run(tolerance));
      }
    }
  }
  return field;
}

/// What failed: the first reason, and for which tolerances.
std::string note_on(const std::vector<Work>& runs) {
  std::string at, why;
  for (const Work& one : runs) {
    if (one.failure.empty() || one.was_cut) continue;
    if (why.empty()) why = one.failure;
    at += fmt::format("{}{:.2g}", at.empty() ? "" : ", ", one.tolerance);
  }
  if (why.empty()) return {};
  const auto failed = std::count_if(runs.begin(), runs.end(), [](const Work& one) { return !one.failure.empty(); });
  return fmt::format("{}: {}", failed == static_cast<long>(runs.size()) ? "fails" : "fails at " + at, why);
}

std::string cell(double error, const std::vector<Work>& runs, double longest) {
  if (const auto seconds = seconds_to(error, runs)) return milliseconds(*seconds);
  return std::any_of(runs.begin(), runs.end(), [](const Work& one) { return one.was_cut; })
             ? fmt::format("> {:g} s", longest)
             : "-";
}

std::string_view describe(Norm norm) {
  switch (norm) {
    case Norm::componentwise:
      return "largest relative error of a component";
    case Norm::largest:
      return "largest error of a component, relative to the largest component";
    default:
      return "largest error of a component, relative to its size or its nominal size";
  }
}

void print_summary(const StiffOptions& options, const std::vector<Field>& fields) {
  options.report.begin("work-summary", "Stiff methods: the best of ours and the best SUNDIALS run at equal error",
                       fmt::format("ms to reach an error of {:g} and {:g}, read off the lower envelopes of the tables "
                                   "below: processor time of the whole run, set-up included, best of several. {}",
                                   loose, tight, peers_note()),
                       {"problem", "error", "ours", "ms", "SUNDIALS", "ms", "ratio", "wanted", ""});
  for (const Field& field : fields) {
    for (const double error : {loose, tight}) {
      const Fastest we = fastest_to(error, field, false), they = fastest_to(error, field, true);
      const double wanted = error == loose ? field.which->wanted_loose : field.which->wanted_tight;
      const bool has_us = std::isfinite(we.seconds), has_them = std::isfinite(they.seconds);
      const double ratio = we.seconds / they.seconds;
      options.report.row({field.problem->name(), fmt::format("{:g}", error), we.name,
                          has_us ? milliseconds(we.seconds) : "-", they.name,
                          has_them ? milliseconds(they.seconds) : "-",
                          has_us && has_them ? fmt::format("{:.2f}", ratio) : "-", fmt::format("{:g}", wanted),
                          !has_us                          ? "not reached"
                          : has_them && !(ratio <= wanted) ? "missed"
                                                           : ""});
    }
  }
}

void print_envelope(const StiffOptions& options, const Field& field) {
  const Problem& problem = *field.problem;
  std::vector<std::string> columns{"method"};
  for (const double error : targets) columns.push_back(fmt::format("ms to {:g}", error));
  columns.insert(columns.end(), {"least error", "note"});
  options.report.begin("work-" + problem.name(), fmt::format("Work and precision: {}", problem.name()),
                       fmt::format("{}, {} states, to t = {:g}. Error: {} at the end.", problem.kind,
                                   problem.system.size(), problem.end, describe(field.which->norm)),
                       columns);
  for (const Contestant& one : field.contestants) {
    std::vector<std::string> cells{one.name};
    for (const double error : targets) cells.push_back(cell(error, one.runs, field.effort.longest));
    double least = std::numeric_limits<double>::infinity();
    for (const Work& run : one.runs) least = std::min(least, run.error);
    cells.push_back(std::isfinite(least) ? number(least, 0) : "-");
    cells.push_back(note_on(one.runs));
    options.report.row(cells);
  }
}

void print_counts(const StiffOptions& options, const Field& field) {
  options.report.begin("counts-" + field.problem->name(), fmt::format("Counts: {}", field.problem->name()),
                       "Our methods; steps: accepted + rejected.",
                       {"method", "tolerance", "error", "steps", "f", "Jacobians", "LU", "ms"});
  for (const Contestant& one : field.contestants) {
    if (one.is_peer) continue;
    for (const Work& run : one.runs) {
      const double decade = -std::log10(run.tolerance);
      const bool is_shown = options.is_quick || (std::abs(decade - std::round(decade)) < 1e-9 && run.tolerance < 2e-4 &&
                                                 run.tolerance > 5e-13 && std::lround(decade) % 2 == 0);
      if (!is_shown) continue;
      std::vector<std::string> cells{one.name, fmt::format("{:.0e}", run.tolerance)};
      if (run.failure.empty()) {
        for (std::string text :
             {number(run.error, 1), fmt::format("{} + {}", run.steps, run.rejected), fmt::format("{}", run.rhs),
              fmt::format("{}", run.jacobians), fmt::format("{}", run.factorizations), milliseconds(run.seconds)})
          cells.push_back(std::move(text));
      } else {
        cells.insert(cells.end(),
                     {"-", "-", "-", "-", "-", run.was_cut ? fmt::format("> {:g} s", field.effort.longest) : "-"});
      }
      options.report.row(cells);
    }
  }
}

void write_plot(const std::string& folder, const Field& field) {
  LogLogPlot plot{.title = fmt::format("{}: {}", field.problem->name(), field.problem->kind),
                  .x_name = fmt::format("error ({})", describe(field.which->norm)),
                  .y_name = "time in ms",
                  .lines = {},
                  .is_x_reversed = true};
  for (const Contestant& one : field.contestants) {
    PlotLine line{.name = one.name, .x = {}, .y = {}, .is_dashed = one.is_peer};
    for (const Work& run : one.runs) {
      if (!(run.error < 1)) continue;  // no digit is right
      line.x.push_back(run.error);
      line.y.push_back(1e3 * run.seconds);
    }
    plot.lines.push_back(std::move(line));
  }
  write_whole_file(fmt::format("{}/{}.svg", folder, field.problem->name()), draw_svg(plot));
}

}  // namespace

void bench_work(const StiffOptions& options) {
  std::vector<Field> fields;
  for (const Case& one : cases()) {
    if (options.problem == "all" || options.problem == one.problem) fields.push_back(measure(one, options.is_quick));
  }
  if (fields.empty()) {
    std::string names;
    for (const Case& one : cases()) names += fmt::format(", {}", one.problem);
    throw Misuse(fmt::format("the table work has no problem '{}': there are all{}", options.problem, names));
  }
  print_summary(options, fields);
  for (const Field& field : fields) {
    print_envelope(options, field);
    print_counts(options, field);
    if (!options.plots.empty()) write_plot(options.plots, field);
  }
}

}  // namespace pawl::cli
