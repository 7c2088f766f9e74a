// pawl run: simulate one model of the catalogue.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/model_words.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_bar.hpp"
#include "event/finder.hpp"
#include "integrate/methods.hpp"
#include "pawl/advise.hpp"
#include "pawl/contact_family.hpp"
#include "pawl/report.hpp"
#include "pawl/simulate.hpp"
#include "pawl/verify.hpp"
#include "problems/sources.hpp"
#include "report/csv.hpp"
#include "report/curve_plot.hpp"
#include "report/hdf5.hpp"
#include "report/json.hpp"
#include "report/mat.hpp"
#include "report/plot.hpp"
#include "report/whole_file.hpp"

namespace pawl::cli {

namespace {

/// Beside the exit codes of all commands: the run came to its end, and other runs do not confirm it.
constexpr int not_verified = 3;

struct RunWords : ModelWords {
  std::string method = "auto", out, plot, events = "certified", at_accumulation = "stop", formulation = "auto",
              stabilization = "auto", manifold_start = "project", linear_solver = "auto", jacobian = "auto";
  std::vector<std::string> fixed;
  bool pull_samples = false;
  std::optional<double> step, stop;
  std::optional<double> start;
  double max_step = std::numeric_limits<double>::infinity();
  double event_tolerance = 0, window = 0, amplitude = std::numeric_limits<double>::infinity();
  long long max_events = 1'000'000;
  int samples = 0;
  bool json = false, explain = false;
  std::string report, plot_to;
  bool is_report_exact = false;
  std::vector<std::string> all;  // as they were given
  std::string verify;            // empty: no; all or quick
  std::optional<double> verify_digits, verify_tighten;
};

std::string names_of_finders() {
  std::vector<std::string_view> names;
  for (const event::FinderInfo& finder : event::finders()) names.push_back(finder.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string draw_plot(const Result& run, const PlotNames& names) {
  const CurvePlot plot = plot_of(run, names);
  return draw({plot.x_name, plot.x}, {plot.y_name, plot.y});
}

/// What contacts did, by kind, in the place of their guards; and whatever else fired.
std::vector<std::string> what_happened(const Result& run, const Event& event) {
  std::vector<std::string> all = run.contact_events(event);
  if (all.empty()) return run.names(event);
  for (const EventSource& source : event.sources) {
    const bool is_of_contact = source.kind == EventSource::Kind::guard &&
                               run.declarations->guards[static_cast<std::size_t>(source.index)].contact_end;
    if (!is_of_contact) all.push_back(name_of(source, *run.declarations));
  }
  return all;
}

/// One line per event, as many as fit a screen unless --explain asks for all of them and how they were found.
std::string events_in_words(const Result& run, bool explain) {
  std::string text;
  constexpr std::size_t most = 12;
  std::size_t shown = 0;
  for (const Event& event : run.events) {
    if (!explain && ++shown > most) break;
    const std::vector<std::string> names = what_happened(run, event);
    std::string list = fmt::format(
        "{}", fmt::join(names.begin(),
                        names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 4)), ", "));
    if (names.size() > 4) list += fmt::format(" and {} more", names.size() - 4);
    text += fmt::format("  {:>22.16g}  {:<12} {}", event.t, to_string(event.kind), list);
    const std::string mode = run.mode(*event.held_after);
    if (!event.notes.empty())
      text += fmt::format("  {}", fmt::join(event.notes, "; "));
    else if (event.held_before != event.held_after && !mode.empty())
      text += fmt::format("  -> {}", mode);
    text += "\n";
    if (!explain || !fires(event.kind) || event.zeros.empty()) continue;
    text += fmt::format("    located to {:.1e}: {} iterations, {} right-hand sides", event.uncertainty,
                        event.iterations, event.extra_evaluations);
    if (event.is_clamped) text += "; at the end of the run, its far side cannot be shown";
    if (event.is_within_tolerance) text += "; the integration error could move or remove it";
    text += "\n";
  }
  if (!explain && run.events.size() > most)
    text += fmt::format("  ... and {} more (--explain lists all of them, --json too)\n", run.events.size() - most);
  return text;
}

/// What was decided before the first step, and why.
std::string plan_in_words(const Recommendation& plan) {
  std::string text = "plan\n";
  const auto line = [&text](std::string_view label, const Choice& choice) {
    if (choice.value.empty()) return;
    text += fmt::format("  {:<14} {} ({})\n", label, choice.value, choice.why.empty() ? "as you wish" : choice.why);
  };
  line("method", plan.method);
  line("when stiff", plan.when_stiff);
  line("many events", plan.when_frequent);
  line("rates", plan.field);
  line("linear solver", plan.solver);
  line("formulation", plan.formulation);
  line("stabilization", plan.stabilization);
  line("tolerance", plan.tolerance);
  line("events", plan.events);
  for (const Rejection& one : plan.rejected) text += fmt::format("  {:<14} {}: {}\n", "not", one.what, one.why);
  return text;
}

/// Of a run without steps: what its family of contacts did.
std::string family_in_words(const FamilyState& done) {
  const ContactFamilyInfo& family = *done.family;
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& words) {
    text += fmt::format("  {:<10} {}\n", label, words);
  };
  line("contacts",
       fmt::format("family '{}': {} impacts, {} of them within the contact time of {:.3g}; they took {:.6g}",
                   family.name, done.impacts, done.elastic, family.contact_time, done.lost));
  line("rest", fmt::format("{} of {} spheres asleep; {} fell asleep and {} woke, which took {:.3g}", done.asleep,
                           family.spheres.size(), done.slept, done.woken, done.lost_at_rest));
  line("foreseen", fmt::format("{} times of contact, of pairs near each other; listed anew {} times, with {} distances",
                               done.foreseen, done.listed, done.distances));
  return text;
}

std::string summary(const Problem& problem, const Result& run, const Options& options, std::optional<double> error) {
  const Statistics& s = run.statistics;
  std::string text = fmt::format("{}: {}\n", problem.name(), problem.summary);
  const auto line = [&text](std::string_view label, const std::string& words) {
    text += fmt::format("  {:<10} {}\n", label, words);
  };
  const std::string control = options.step ? fmt::format("fixed step {:g}", *options.step)
                                           : fmt::format("relative tolerance {:g}", options.tolerance.relative);
  const bool is_one = run.method.find(',') == std::string::npos;
  const int family = family_of(*run.declarations);
  if (family >= 0) {
    line("method", fmt::format("{} ({}), {:.3g} ms", run.method, "closed forms from one contact to the next",
                               1e3 * s.wall_seconds));
  } else {
    line("method", is_one ? fmt::format("{} ({}), {}", run.method, find_method(run.method).title, control)
                          : fmt::format("{}; {}", run.method, control));
  }
  line("outcome", fmt::format("{} at t = {:.10g}", to_string(run.outcome), run.t_end));
  if (family >= 0) {
    text += family_in_words(run.final()[ContactFamily{family}]);
  } else {
    line("steps", fmt::format("{} accepted, {} rejected, sizes {:.3g} to {:.3g}", s.steps_accepted, s.steps_rejected,
                              s.min_step, s.max_step));
    line("work", fmt::format("{} right-hand sides in {:.3g} ms", s.rhs, 1e3 * s.wall_seconds));
  }
  if (s.implicit) {
    const ImplicitStatistics& i = *s.implicit;
    line("implicit", fmt::format("{} Jacobians ({}), {} factorizations, {} solves ({})", i.jacobians, i.jacobian,
                                 i.factorizations, i.solves, i.linear_solver));
    line("Newton", fmt::format("{} iterations, {} steps given up", i.iterations, i.divergences));
    std::string shares;
    for (const auto& [method, steps] : i.steps)
      shares += fmt::format("{}{} with {}", shares.empty() ? "" : ", ", steps, method);
    if (!shares.empty()) line("of these", shares);
    if (!i.structure.empty()) line("structure", i.structure);
  }
  if (family < 0 && (s.events.guards > 0 || !run.events.empty())) {
    line("events", fmt::format("{} fired, found by {}; {} guard{}, {} + {} evaluations (ranges + instants)",
                               s.events.events, options.events, s.events.guards, s.events.guards == 1 ? "" : "s",
                               s.events.guard_ranges, s.events.guard_points));
    std::map<std::string_view, int> levels;
    for (const Guarantee& one : s.events.guarantees) ++levels[to_string(one.level)];
    std::string promised;
    for (const auto& [level, count] : levels)
      promised += fmt::format("{}{} {}", promised.empty() ? "" : ", ", count, level);
    line("promised", fmt::format("{} (docs/events.md)", promised));
  }
  if (s.constraints) {
    const ConstraintStatistics& c = *s.constraints;
    line("manifold", fmt::format("{}, {}: drift {:.1e} (positions) {:.1e} (speeds){}, largest adjustment {:.1e}",
                                 c.formulation, c.stabilization, c.position_drift, c.velocity_drift,
                                 c.invariant_drift > 0 ? fmt::format(" {:.1e} (invariants)", c.invariant_drift) : "",
                                 c.max_adjustment));
    for (const auto& [constraint, t] : c.reached)
      line("reached", fmt::format("the surface of '{}' at t = {:.16g}", constraint, t));
  }
  std::string final;
  const std::size_t shown = std::min<std::size_t>(run.state_names().size(), 6);
  for (std::size_t i = 0; i < shown; ++i)
    final += fmt::format("{}{} = {:.12g}", i == 0 ? "" : ", ", run.state_names()[i], run.final().states()[i]);
  if (shown < run.state_names().size()) final += fmt::format(", and {} more", run.state_names().size() - shown);
  line("final", final);
  if (error) line("accuracy", fmt::format("error {:.2e} at the end, against: {}", *error, problem.known_by));
  for (std::size_t i = 0; i < run.observable_names().size(); ++i) {
    const Range range = run.range(Observable{static_cast<int>(i)});
    line(run.observable_names()[i],
         fmt::format("{:.10g} to {:.10g}, variation {:.2e}", range.min, range.max, range.variation()));
  }
  for (const Message& message : run.messages) line(to_string(message.level), message.text);
  return text;
}

VerifyOptions verify_options(const RunWords& words) {
  VerifyOptions how = words.verify == "quick" ? VerifyOptions::quick() : VerifyOptions();
  how.digits = words.verify_digits;
  how.tighten = words.verify_tighten.value_or(how.tighten);
  check(how);
  return how;
}

/// The second runs, each with a bar of its own.
Verification verify_with_bar(const System& system, const Values& values, Options options, const Result& first,
                             VerifyOptions how) {
  std::optional<ProgressBar> bar;
  how.begins = [&bar](std::string_view, int, int) {
    begin_steps();
    bar.emplace();
  };
  options.progress = [&bar](const Progress& progress) {
    bar->show(progress);
    return goes_on();
  };
  return verify(system, values, options, first, how);
}

/// What the advisor says of this model; a reason where it cannot.
std::string advice_on(const System& system, const Values& values, Options options) {
  options.progress = [](const Progress&) { return goes_on(); };
  try {
    return analyze::to_text(analyze::advise(system, values, options));
  } catch (const std::exception& error) {
    return fmt::format("the advisor cannot look at this model: {}", error.what());
  }
}

/// Where a model comes from.
std::string origin(const Problem& problem) {
  std::string text = fmt::format("{} ({})\nsource: {}\n", problem.summary, problem.kind, problem.source);
  if (!problem.known_by.empty()) text += fmt::format("reference: {}\n", problem.known_by);
  return text;
}

/// A model file as it was written.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_report(const RunWords& words, const Problem& problem, const System& system, const Values& values,
                  const Options& options, const Result& result, const std::optional<Verification>& verification) {
  ReportOptions how;
  how.exact = words.is_report_exact;
  how.title = problem.name();
  how.summary = problem.summary;
  how.command = command_line("run", words.all);
  how.plots = {words.plot.empty() ? problem.plot : words.plot};
  how.run_options = &options;
  how.verification = verification ? &*verification : nullptr;
  how.texts.emplace_back("What the advisor says", advice_on(system, values, options));
  how.texts.emplace_back("Model", origin(problem));
  if (std::filesystem::path(words.model).extension() == ".graph")
    how.texts.emplace_back("The model file " + words.model, text_of(words.model));
  else if (const SourceText source = source_of(problem); !source.name.empty())
    how.texts.emplace_back(fmt::format("The model as it is written, src/problems/{}", source.name), source.text);
  if (verification) how.texts.emplace_back("Second runs", describe(*verification, result, false));
  report(result, words.report, how);
}

int exit_code_of(const Result& result, const std::optional<Verification>& verification) {
  if (!result.finished() && result.outcome != Outcome::terminated) return failed;
  if (!verification || verification->is_verified())
    return verification && verification->was_stopped ? failed : finished;
  return verification->was_stopped && verification->verdict == Verdict::unknown ? failed : not_verified;
}

int run(const RunWords& words) {
  catch_interrupts();
  const Problem& problem = problem_of(words);
  if (words.verify.empty() && (words.verify_digits || words.verify_tighten))
    throw Misuse("--verify-digits and --verify-tighten belong to --verify");
  if (!words.verify.empty() && words.verify != "all" && words.verify != "quick")
    throw Misuse(fmt::format("--verify={}: expected all or quick", words.verify));
  const VerifyOptions how = verify_options(words);
  if (words.samples != 0 && words.out.empty()) throw Misuse("--samples says what --out writes: give a file with --out");
  if (words.json && !words.plot.empty() && words.plot_to.empty())
    throw Misuse("--plot draws below the summary, which --json replaces: give one of them");
  const Assignments assignments = assignments_of(words);
  const System system = system_of(problem, assignments);
  const Values values = values_of(words, system, assignments);
  const PlotNames axes = plot_names(words.plot);
  check_output_file("--out", words.out, {".csv", ".json", ".mat", ".h5"});
  check_output_file("--plot-to", words.plot_to, {".svg", ".png"});
  check_output_file("--report", words.report, {".html"});
  if (words.is_report_exact && words.report.empty())
    throw Misuse("--report-exact says how --report writes: give a file with --report");

  Options options;
  options.start = words.start.value_or(problem.start);
  options.end = words.stop.value_or(problem.end);
  options.method = words.method;
  options.tolerance = tolerance_of(words, system);
  options.step = words.step;
  options.max_step = words.max_step;
  options.samples = words.samples;
  options.events = words.events;
  options.constraints = {words.formulation, words.stabilization, words.manifold_start, words.fixed, words.pull_samples};
  options.implicit = {words.linear_solver, words.jacobian};
  options.event_tolerance = words.event_tolerance;
  options.concurrency_window = words.window;
  options.concurrency_amplitude = words.amplitude;
  options.max_events = words.max_events;
  options.at_accumulation = words.at_accumulation == "fail" ? AtAccumulation::fail : AtAccumulation::stop;
  options.keeps_history = !words.report.empty();
  const bool needs_polynomials = !words.plot.empty() || !words.verify.empty() || !words.report.empty();
  options.keep = needs_polynomials ? Keep::everything : !words.out.empty() ? Keep::samples : Keep::end;
  if (!words.plot.empty()) {  // a wrong name is better known before the run
    const Result probe = simulate(system, values, {.start = options.start, .end = options.start});
    static_cast<void>(probe.start()[axes.horizontal] + probe.start()[axes.vertical]);
  }

  const Result result = [&] {
    ProgressBar bar;
    options.progress = [&bar](const Progress& progress) {
      bar.show(progress);
      return goes_on();
    };
    return simulate(system, values, options);
  }();

  const auto error = result.t_start == problem.start
                         ? error_against_reference(problem, values, result.t_end, result.final().states())
                         : std::nullopt;
  if (!words.json) {  // before the other runs: they may take long
    fmt::print("{}", summary(problem, result, options, error));
    if (words.explain) fmt::print("\n{}", plan_in_words(result.plan));
    if (!result.events.empty()) fmt::print("\n{}", events_in_words(result, words.explain));
    if (!words.plot.empty() && words.plot_to.empty()) fmt::print("\n{}", draw_plot(result, axes));
    std::fflush(stdout);
  }
  std::optional<Verification> verification;
  if (!words.verify.empty() && result.outcome != Outcome::stopped)
    verification = verify_with_bar(system, values, options, result, how);
  const auto in_json = [&](const Table* samples) {
    nlohmann::ordered_json object = to_json(result);
    object["reference_error"] = error ? nlohmann::ordered_json(*error) : nlohmann::ordered_json();
    if (verification) object["verification"] = to_json(*verification);
    return samples != nullptr ? print(object, *samples) : print(object);
  };
  if (words.json)
    fmt::print("{}", in_json(nullptr));
  else if (verification)
    fmt::print("\n{}", describe(*verification, result, words.explain));
  std::fflush(stdout);
  if (!result.finished()) fmt::print(stderr, "pawl: {}: {}\n", to_string(result.outcome), result.reason);
  if (!words.out.empty()) {
    const Table samples = result.table_of_samples(result.quantity_names());
    const auto kind = std::filesystem::path(words.out).extension();
    if (kind == ".mat")
      write_mat(samples, words.out);
    else {
      write_whole_file(words.out, kind == ".json" ? in_json(&samples)
                                  : kind == ".h5"
                                      ? to_hdf5(samples, {{"model", result.model},
                                                          {"method", result.method},
                                                          {"outcome", std::string(to_string(result.outcome))},
                                                          {"command", command_line("run", words.all)}})
                                      : to_csv(samples));
    }
    if (!words.json) fmt::print("\nwrote {} ({} samples)\n", words.out, samples.rows());
  }
  if (!words.plot_to.empty()) {
    plot(result, words.plot, words.plot_to);
    if (!words.json) fmt::print("\nwrote {}\n", words.plot_to);
  }
  if (!words.report.empty()) {
    write_report(words, problem, system, values, options, result, verification);
    if (!words.json) fmt::print("\nwrote {}\n", words.report);
  }
  return exit_code_of(result, verification);
}

}  // namespace

void add_run(CLI::App& app, std::vector<std::string> given, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "simulates a model and reports what happened");
  static RunWords words;
  words.all = std::move(given);
  command->add_option("NAME", words.model, "the model (pawl list)")->required();
  command->add_option("--method", words.method, "integration method (pawl methods); auto chooses by tolerance")
      ->capture_default_str();
  command->add_option("--rtol", words.rtol, "relative tolerance of the local error")->capture_default_str();
  command->add_option("--atol", words.atol, "absolute tolerance, for all states or name=V for one; default rtol/1000")
      ->expected(1)
      ->take_all();
  command->add_option("--step", words.step, "a fixed step size instead of error control");
  command->add_option("--max-step", words.max_step, "the largest step allowed");
  command->add_option("--start", words.start, "the time to start at; default: the model's own");
  command->add_option("--stop", words.stop, "the time to stop at; default: the model's own");
  command->add_option("--set", words.set, "name=value of a parameter, constant input or start value; may be repeated")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--input", words.input,
                   "name=file.csv: the course of an input, a time and a value per line, joined by straight lines; "
                   "name=steps:file.csv or name=spline:file.csv join them otherwise; may be repeated")
      ->expected(1)
      ->take_all();
  command->add_option("--events", words.events, "how events are found: " + names_of_finders())->capture_default_str();
  command->add_option("--event-tolerance", words.event_tolerance, "of event times; 0: to rounding")
      ->capture_default_str();
  command
      ->add_option("--formulation", words.formulation,
                   "constraints: acceleration, baumgarte(a1,a0), penalty(k,c), sliding(s), state-space; with implicit "
                   "methods index-2, stabilized-index-2, index-3, index-1, overdetermined (pawl methods)")
      ->capture_default_str();
  command
      ->add_option("--stabilization", words.stabilization,
                   "constraints: projection, none, s-full, s-both, s-both2, s-vel, s-pos, sweeps, koenders")
      ->capture_default_str();
  command
      ->add_option("--inconsistent", words.manifold_start,
                   "a start off the constraints or equations: project it, reach(η,...) them, keep it, or refuse")
      ->capture_default_str();
  command->add_option("--fix", words.fixed, "a state that projecting the start must not change; may be repeated")
      ->expected(1)
      ->take_all();
  command->add_flag("--pull-samples", words.pull_samples,
                    "sampled states are pulled onto the constraints to rounding; without it, the dense output");
  command
      ->add_option("--linear-solver", words.linear_solver,
                   "implicit methods: dense, band, sparse; krylov with bdf and adams; auto chooses by size and fill")
      ->capture_default_str();
  command
      ->add_option("--jacobian", words.jacobian, "implicit methods: auto (exact where the model allows) or differences")
      ->capture_default_str();
  command->add_option("--window", words.window, "events this close in time are one event");
  command->add_option("--amplitude", words.amplitude, "with --window: how far guards may be beyond zero then");
  command->add_option("--max-events", words.max_events, "the run ends when so many have happened")
      ->capture_default_str();
  command->add_option("--at-accumulation", words.at_accumulation, "stop or fail, where the model does not say")
      ->check(CLI::IsMember({"stop", "fail"}));
  command->add_flag("--explain", words.explain,
                    "print what was decided and why, and list every event and how it was found");
  command->add_option("--samples", words.samples, "sample this many equal intervals for --out, instead of every step");
  const CLI::Option* out =
      command->add_option("--out", words.out, "write the trajectory to this .csv, .json, .mat or .h5 file");
  command->add_flag("--verify{all}", words.verify,
                    "run the model again with other algorithms and compare (docs/verify.md); --verify=quick: once");
  command->add_option("--verify-digits", words.verify_digits,
                      "digits that count as agreement; default: a third of those --rtol asks for, 3 with --step");
  command->add_option("--verify-tighten", words.verify_tighten,
                      "tolerances of the other runs are divided by this; default 100");
  command->add_flag("--json", words.json, "print one JSON object (docs/json.md) instead of a summary");
  const CLI::Option* plot =
      command
          ->add_option("--plot", words.plot,
                       "draw in the terminal: x over time, x,y for y over x; without names: what shows the model best")
          ->expected(0, 1);
  const CLI::Option* plot_to =
      command->add_option("--plot-to", words.plot_to, "draw what --plot says into a file instead, .svg or .png");
  const CLI::Option* report =
      command->add_option("--report", words.report, "write one HTML file that shows the run (docs/report.md)")
          ->expected(0, 1);
  command->add_flag("--report-exact", words.is_report_exact,
                    "with --report: all digits, instead of 1e-6 of the range of each variable");
  command->footer(
      "Exit code: 0 finished or terminated by the model, and verified where asked; 1 the run failed or was stopped, 2 "
      "misuse,\n3 with --verify: the runs disagree, or no other run came to its end.\n"
      "Examples:\n"
      "  pawl run lorenz\n"
      "  pawl run compere-pendulum --method kutta-3 --step 0.01\n"
      "  pawl run kepler --set e=0.9 --rtol 1e-10 --plot\n"
      "  pawl run compere-pendulum --plot theta,omega\n"
      "  pawl run bouncing-ball --explain\n"
      "  pawl run robertson --method radau --rtol 1e-9\n"
      "  pawl run marble-jar --set n=16 --set c=0 --stop 1\n"
      "  pawl run driven-rc --input u=measured.csv\n"
      "  pawl run lorenz --stop 40 --verify\n"
      "  pawl run brusselator --out cycle.csv --samples 400");
  command->callback([&exit_code, plot, plot_to, out, report] {
    if (report->count() > 0 && words.report.empty()) throw Misuse("--report needs the name of a file");
    if (out->count() > 0 && words.out.empty()) throw Misuse("--out needs the name of a file");
    if (words.plot.empty() && (plot->count() > 0 || plot_to->count() > 0)) words.plot = problem_of(words).plot;
    exit_code = run(words);
  });
}

}  // namespace pawl::cli
