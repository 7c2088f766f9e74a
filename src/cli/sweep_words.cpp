#include "cli/sweep_words.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "cli/output_file.hpp"
#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"

namespace pawl::cli {

namespace {

struct Named {
  std::string name, words;
};

Named named(const std::string& option, const std::string& word, std::string_view expected) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Misuse(fmt::format("{} {}: expected {}", option, word, expected));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

/// What `read` makes of the words behind the name; what is wrong with them is said with the option before it.
template <class Read>
auto read_named(const std::string& option, const std::string& word, const std::string& words, const Read& read) {
  try {
    return read(words);
  } catch (const Misuse& error) {
    throw Misuse(fmt::format("{} {}: {}", option, word, error.what()));
  }
}

Part part_of(const std::string& words) {
  if (words.empty()) return {};
  const auto slash = words.find('/');
  double number = 0, of = 0;
  if (slash == std::string::npos || !read_number(words.substr(0, slash), number) ||
      !read_number(words.substr(slash + 1), of) || !(of >= 1 && of <= 1e6 && number >= 1 && number <= of) ||
      number != std::floor(number) || of != std::floor(of))
    throw Misuse(fmt::format("--part {}: expected K/N with 1 <= K <= N", words));
  return {static_cast<int>(number), static_cast<int>(of)};
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What a change of would be a change of the model, beside the values: files that it was read from.
std::string fingerprint_of(const SweepWords& words) {
  std::string text = contents(words.model);  // nothing for a name of the catalogue
  for (const std::string& input : words.input) {
    text += input;
    const auto equals = input.find('=');
    const auto colon = input.find(':', equals);
    text += contents(input.substr((colon == std::string::npos ? equals : colon) + 1));
  }
  return text;
}

/// `pawl run ...` with everything but what is varied.
std::string command_of(const SweepWords& words) {
  std::vector<std::string> all{words.model};
  const auto add = [&all](const std::string& option, const std::string& value) {
    all.push_back(option);
    all.push_back(value);
  };
  const SweepWords usual;
  if (words.rtol != usual.rtol) add("--rtol", fmt::format("{}", words.rtol));
  for (const std::string& word : words.atol) add("--atol", word);
  if (words.start) add("--start", fmt::format("{}", *words.start));
  if (words.stop) add("--stop", fmt::format("{}", *words.stop));
  if (words.step) add("--step", fmt::format("{}", *words.step));
  if (words.max_step != usual.max_step) add("--max-step", fmt::format("{}", words.max_step));
  if (words.method != usual.method) add("--method", words.method);
  if (words.events != usual.events) add("--events", words.events);
  if (words.formulation != usual.formulation) add("--formulation", words.formulation);
  if (words.stabilization != usual.stabilization) add("--stabilization", words.stabilization);
  if (words.linear_solver != usual.linear_solver) add("--linear-solver", words.linear_solver);
  if (words.max_events != usual.max_events) add("--max-events", fmt::format("{}", words.max_events));
  for (const std::string& word : words.input) add("--input", word);
  for (const std::string& word : words.set) add("--set", word);
  return command_line("run", all);
}

}  // namespace

void add_sweep_words(CLI::App& command, SweepWords& words) {
  const auto many = [&command](const char* name, std::vector<std::string>& into, const char* help) {
    command.add_option(name, into, help)->expected(1)->take_all();
  };
  command
      .add_option("NAME", words.model, "the model (pawl list), a model.graph file, or the folder of a sweep to read")
      ->required();
  many("--vary", words.vary, "name=first:last:count, name=first:last:count:log or name=a,b,c; may be repeated: a grid");
  many("--random", words.random,
       "name=normal(mean,deviation), normal(mean,deviation,low,high), uniform(low,high), loguniform, lognormal, "
       "triangular(low,mode,high) or exponential(mean); may be repeated");
  command.add_option("--design", words.design,
                     "grid (of --vary alone), or how --random draws: random, sobol or latin; default random");
  command.add_option("--runs", words.runs, "how many draws of --random, at every point of the grid");
  command.add_option("--seed", words.seed, "of the draws")->capture_default_str();
  command.add_flag("--indices", words.indices,
                   "plan the runs for Sobol indices: (number of --random + 2) times --runs of them");
  many("--keep", words.keep,
       "what is kept of a run, with commas between: final, final:NAME, events, range:NAME, time_of:EVENT, "
       "last_time_of:EVENT, count_of:EVENT, t_end, steps, rhs; default final");
  command.add_option("--out", words.out, "the folder of the sweep; the same command goes on where it was stopped");
  command.add_option("--jobs", words.jobs, "threads; 0: one per core")->capture_default_str();
  command.add_option("--part", words.part, "K/N: of N processes that share the folder, this is number K (job arrays)");
  command.add_option("--max-steps", words.max_steps, "a run is given up after so many steps");
  command.add_option("--max-seconds", words.max_seconds,
                     "a run is given up after so many seconds (which runs these are depends on the machine)");
  command.add_flag("--status", words.status, "of a folder: how far it is, and who is at it");
  command.add_flag("--failed", words.failed, "list the runs that failed, with the command that reproduces each");
  command.add_option("--csv", words.csv, "write a row per run to this .csv file");
  command.add_option("--hdf5", words.hdf5, "the same as .h5");
  command.add_option("--npz", words.npz, "the same as .npz, for numpy");
  command.add_option("--report", words.report, "write one HTML file that shows the sweep (docs/sweeps.md)");
  command.add_option("--method", words.method, "integration method (pawl methods)")->capture_default_str();
  command.add_option("--rtol", words.rtol, "relative tolerance of the local error")->capture_default_str();
  many("--atol", words.atol, "absolute tolerance, for all states or name=V for one; default rtol/1000");
  command.add_option("--step", words.step, "a fixed step size instead of error control");
  command.add_option("--max-step", words.max_step, "the largest step allowed");
  command.add_option("--start", words.start, "the time to start at; default: the model's own");
  command.add_option("--stop", words.stop, "the time to stop at; default: the model's own");
  many("--set", words.set, "name=value for all runs; may be repeated");
  many("--input", words.input, "name=file.csv: the course of an input, as in pawl run; may be repeated");
  command.add_option("--events", words.events, "how events are found")->capture_default_str();
  command.add_option("--formulation", words.formulation, "of constraints (pawl methods)")->capture_default_str();
  command.add_option("--stabilization", words.stabilization, "of constraints (pawl methods)")->capture_default_str();
  command.add_option("--linear-solver", words.linear_solver, "implicit methods: dense, band, sparse")
      ->capture_default_str();
  command.add_option("--max-events", words.max_events, "a run ends when so many have happened")->capture_default_str();
}

Design design_of(const SweepWords& words) {
  Design design;
  for (const std::string& word : words.vary) {
    const Named one = named("--vary", word, "name=first:last:count or name=a,b,c");
    design.vary(one.name, read_named("--vary", word, one.words, read_levels));
  }
  for (const std::string& word : words.random) {
    const Named one = named("--random", word, "name=normal(mean,deviation) or another distribution");
    design.random(one.name, read_named("--random", word, one.words, Distribution::read));
  }
  if (!words.design.empty()) {
    const std::vector<std::string> known{"grid", "random", "sobol", "latin"};
    if (std::find(known.begin(), known.end(), words.design) == known.end())
      throw Misuse(fmt::format("--design {}: expected grid, random, sobol or latin{}", words.design,
                               did_you_mean(words.design, known)));
    if (words.design == "grid" && !words.random.empty())
      throw Misuse("--design grid: a grid has levels, which --vary gives, and --random draws");
    if (words.design != "grid" && words.random.empty())
      throw Misuse(fmt::format("--design {}: this is how --random draws, and nothing is random", words.design));
    design.sampling = words.design == "sobol"   ? Sampling::sobol
                      : words.design == "latin" ? Sampling::latin
                                                : Sampling::random;
  }
  if (words.runs && words.random.empty())
    throw Misuse(fmt::format("--runs {}: the number of draws of --random, and nothing is random", *words.runs));
  if (!words.runs && !words.random.empty()) throw Misuse("--random: say with --runs how many draws are made");
  design.draws = words.runs.value_or(1);
  design.seed = words.seed;
  design.for_indices = words.indices;
  design.check();
  return design;
}

SweepModel sweep_model_of(const SweepWords& words) {
  const Problem& problem = problem_of(words);
  const auto make = [words, &problem](const Assignments& shape) {
    Assignments assignments = assignments_of(words);
    for (const auto& [name, value] : shape) assignments[name] = value;
    const System system = system_of(problem, assignments);
    const Values values = values_of(words, system, assignments);
    return SweepModel(CompiledModel(system, values, words.start.value_or(problem.start)), values);
  };
  SweepModel model = make({});
  if (problem.build) {
    model.shaped_by = {problem.shaped_by};
    model.build = make;
  }
  return model;
}

SweepOptions sweep_options_of(const SweepWords& words, const SweepModel& model) {
  const Problem& problem = problem_of(words);
  SweepOptions options;
  options.run.start = words.start.value_or(problem.start);
  options.run.end = words.stop.value_or(problem.end);
  if (std::isnan(options.run.end))
    throw Misuse(fmt::format("'{}' does not say where a run ends: give --stop", words.model));
  options.run.method = words.method;
  options.run.tolerance = tolerance_of(words, model.model.system());
  options.run.step = words.step;
  options.run.max_step = words.max_step;
  options.run.events = words.events;
  options.run.constraints.formulation = words.formulation;
  options.run.constraints.stabilization = words.stabilization;
  options.run.implicit.linear_solver = words.linear_solver;
  options.run.max_events = words.max_events;
  if (!words.keep.empty()) options.keep.clear();
  for (const std::string& list : words.keep) {
    std::stringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) options.keep.push_back(word);
  }
  options.jobs = words.jobs;
  options.part = part_of(words.part);
  options.max_steps = words.max_steps;
  options.max_seconds = words.max_seconds;
  options.folder = words.out;
  options.command = command_of(words);
  options.fingerprint = fingerprint_of(words);
  if (!words.part.empty() && words.out.empty())
    throw Misuse("--part: the parts of a sweep meet in a folder: give one with --out");
  return options;
}

}  // namespace pawl::cli
