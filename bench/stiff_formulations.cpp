// The same mechanism written with index 3, 2 and 1, and what that costs and gives.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "problems/gear_wheels.hpp"
#include "stiff.hpp"

namespace pawl::bench {

namespace {

using problems::GearWheels;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Form {
  std::string label, formulation, stabilization;
  double wanted = nan;  // error of positions in units of the tolerance
};

/// Positions and speeds take turns among the states of a mechanism.
double largest_error(const Problem& problem, const Values& values, const Result& run, std::size_t stride) {
  const auto exact = problem.reference(values, run.t_end);
  if (!exact || !run.finished()) return nan;
  const std::vector<double> states = run.final().states();
  double largest = 0;
  for (std::size_t k = 0; k < exact->size(); k += stride)
    largest = std::max(largest, std::abs(states[k] - (*exact)[k]));
  return largest;
}

struct Line {
  Result run;
  std::string trouble = {};
  double seconds = nan;
};

Line run_line(const System& system, const Values& values, double end, const std::string& method, double tolerance,
              const Form& form) {
  Options options{.end = end, .tolerance = {tolerance, tolerance}, .method = method};
  options.keep = Keep::end;
  options.constraints.formulation = form.formulation;
  options.constraints.stabilization = form.stabilization;
  try {
    TimedRun timed = time_run(system, values, options);
    Line line{std::move(timed.run), {}, timed.seconds};
    if (!line.run.finished())
      line.trouble = fmt::format("{} at t = {:.3g}", timed.was_cut ? "cut" : "stops", line.run.t_end);
    return line;
  } catch (const Misuse& misuse) {
    return {{}, first_line(misuse.what())};
  }
}

/// Trial steps, right-hand sides, factorizations, time.
std::vector<std::string> work_cells(const Line& line) {
  if (!line.trouble.empty()) return {line.trouble, "-", "-", "-"};
  const Statistics& s = line.run.statistics;
  const ImplicitStatistics i = s.implicit.value_or(ImplicitStatistics{});
  return {fmt::format("{}", trial_steps(line.run)), fmt::format("{}", s.rhs), fmt::format("{}", i.factorizations),
          milliseconds(line.seconds)};
}

void append(std::string& list, const std::string& word) {
  list += (list.empty() ? "" : ", ") + word;
}

/// One line: a formulation under a method, its cells lists over the tolerances.
void mechanism_row(Report& report, const Problem& problem, const std::string& method, const Form& form,
                   const std::vector<double>& tolerances) {
  const Values values(problem.system);
  std::vector<std::string> work(4);
  std::string errors, units, positions, speeds;
  bool is_met = true;
  for (const double tolerance : tolerances) {
    const Line line = run_line(problem.system, values, problem.end, method, tolerance, form);
    const std::vector<std::string> cells = work_cells(line);
    for (std::size_t i = 0; i < work.size(); ++i) append(work[i], cells[i]);
    const bool is_there = line.trouble.empty() && line.run.statistics.constraints;
    const double error = is_there ? largest_error(problem, values, line.run, 2) : nan;
    append(errors, is_there ? number(error, 1) : "-");
    append(units, is_there ? fmt::format("{:.2g}", error / tolerance) : "-");
    append(positions, is_there ? number(line.run.statistics.constraints->position_drift, 0) : "-");
    append(speeds, is_there ? number(line.run.statistics.constraints->velocity_drift, 0) : "-");
    is_met = is_met && error <= form.wanted * tolerance;
  }
  const bool has_aim = std::isfinite(form.wanted) && method != "bdf";
  report.row({problem.name(), method, form.label, work[0], work[1], work[2], work[3], errors, units, positions, speeds,
              has_aim ? fmt::format("{:g}", form.wanted) : "-", has_aim ? (is_met ? "yes" : "no") : "-"});
}

void mechanisms(Report& report, const Wanted& wanted) {
  const std::vector<double> tolerances =
      wanted.is_quick ? std::vector{1e-4, 1e-8} : std::vector{1e-4, 1e-6, 1e-8, 1e-10};
  std::string list;
  for (const double tolerance : tolerances) append(list, fmt::format("{:.0e}", tolerance));
  report.begin(
      "mechanisms", "Formulations of constrained mechanisms under implicit methods",
      fmt::format("Pendulum to 10 s, Andrews' mechanism to 0.03 s, car axis to 3 s; relative = absolute tolerance {}, "
                  "and so the numbers of each cell. Steps: trial steps; error: largest of a position at the end; g and "
                  "G v: largest at the ends of steps. Wanted: an error of at most 10 tolerances with the automatic "
                  "formulation (index 2, projected), 500 with index 3, with radau.",
                  list),
      {"problem", "method", "formulation", "steps", "f", "LU", "ms", "error of q", "/ tolerance", "g", "G v", "wanted",
       "met"});
  const std::vector<Form> forms{{"auto", "auto", "auto", 10},
                                {"index 3", "index-3", "auto", 500},
                                {"index 2, not projected", "index-2", "none"},
                                {"stabilized index 2", "stabilized-index-2", "auto"},
                                {"index 1, projected", "index-1", "auto"},
                                {"overdetermined", "overdetermined", "auto"}};
  for (const char* name : {"cartesian-pendulum", "andrews", "caraxis"}) {
    for (const char* method : {"radau-5", "radau", "bdf"}) {
      for (const Form& form : forms) mechanism_row(report, find_problem(name), method, form, tolerances);
    }
  }
}

/// How far the cable is from holding, |n p1/M1 - p2/M2| with the declared numbers; NaN where one momentum stands for
/// both.
double slip_of(const Result& run) {
  const std::vector<std::string>& names = run.state_names();
  if (std::find(names.begin(), names.end(), "p2") == names.end()) return nan;
  constexpr double mass = 5;
  return std::abs(run.final()["p1"] - run.final()["p2"]) / mass;
}

void wheels(Report& report) {
  report.begin(
      "gear-wheels", "Formulations of the gear wheels of Koenders (2002), 10 s",
      "Stiffness ratio: max |Re| / min |Re| of the eigenvalues. Relative = absolute tolerance 1e-6; error: largest of "
      "the states at the end, against the exact motion of the formulation; cable: |n p1/M1 - p2/M2| there; from the "
      "rigid cable: of x, against the motion with the constraint, which shows what a spring changes. dormand-prince-5 "
      "where a formulation leaves nothing implicit.",
      {"formulation", "stiffness ratio", "method", "steps", "f", "LU", "ms", "error", "cable", "from the rigid cable"});
  struct Wheels {
    const char* label;
    GearWheels formulation;
    Form form;
  };
  const Problem& problem = find_problem("gear-wheels");
  for (const Wheels& wheel : {Wheels{"index 2, projected", GearWheels::index_2, {"", "index-2", "auto"}},
                              Wheels{"index 2, not projected", GearWheels::index_2, {"", "index-2", "none"}},
                              Wheels{"index 1, projected", GearWheels::index_2, {"", "index-1", "auto"}},
                              Wheels{"summed rows", GearWheels::index_1, {"", "auto", "auto"}},
                              Wheels{"spring and damper", GearWheels::spring_damper, {"", "auto", "auto"}},
                              Wheels{"reduced", GearWheels::reduced, {"", "auto", "auto"}}}) {
    const auto chosen = static_cast<double>(wheel.formulation);
    const System system = system_of(problem, {{"formulation", chosen}});
    Values values(system);
    values.set("formulation", chosen);
    const double ratio = problems::spectrum_of(wheel.formulation).stiffness_ratio;
    for (const char* method : {"radau", "bdf", "dormand-prince-5"}) {
      if (method == std::string("dormand-prince-5") && wheel.form.formulation != "auto") continue;
      const Line line = run_line(system, values, 10, method, 1e-6, wheel.form);
      std::vector<std::string> cells{wheel.label, std::isinf(ratio) ? "infinite" : fmt::format("{:.6g}", ratio),
                                     method};
      for (std::string& cell : work_cells(line)) cells.push_back(std::move(cell));
      constexpr double x_of_rigid_cable = 0.724231545150322;
      const bool is_there = line.trouble.empty();
      const double slip = is_there ? slip_of(line.run) : nan;
      cells.push_back(is_there ? number(largest_error(problem, values, line.run, 1), 1) : "-");
      cells.push_back(std::isfinite(slip) ? number(slip, 0) : "-");
      cells.push_back(is_there ? number(std::abs(line.run.final()["x"] - x_of_rigid_cable), 1) : "-");
      report.row(cells);
    }
  }
}

}  // namespace

void bench_formulations(Report& report, const Wanted& wanted) {
  wheels(report);
  mechanisms(report, wanted);
}

}  // namespace pawl::bench
