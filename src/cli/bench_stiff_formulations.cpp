// pawl bench stiff, formulations: the same mechanism written with index 3, 2 and 1, and what that costs and gives.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cli/bench_stiff.hpp"
#include "problems/gear_wheels.hpp"

namespace pawl::cli {

namespace {

using problems::GearWheels;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Form {
  std::string label, formulation, stabilization;
  double wanted = nan;  // error of positions in units of the tolerance
};

std::string in_units(double error, double tolerance) {
  return std::isfinite(error) ? fmt::format("{:.2g}", error / tolerance) : "-";
}

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
    TimedRun timed = time_run(system, values, options, 0);
    Line line{std::move(timed.run), {}, timed.seconds};
    if (!line.run.finished())
      line.trouble = fmt::format("{} at t = {:.3g}", timed.was_cut ? "cut" : "stops", line.run.t_end);
    return line;
  } catch (const Misuse& misuse) {
    return {{}, first_line(misuse.what())};
  }
}

/// Trial steps, right-hand sides, factorizations; drifts.
std::vector<std::string> work_cells(const Line& line) {
  if (!line.trouble.empty()) return {line.trouble, "-", "-", "-", "-"};
  const Statistics& s = line.run.statistics;
  const ImplicitStatistics i = s.implicit.value_or(ImplicitStatistics{});
  std::string drift = "-";
  if (s.constraints)
    drift = number(s.constraints->position_drift, 0) + " / " + number(s.constraints->velocity_drift, 0);
  return {fmt::format("{}", trial_steps(line.run)), fmt::format("{}", s.rhs), fmt::format("{}", i.factorizations),
          drift, milliseconds(line.seconds)};
}

void mechanisms(const StiffOptions& options) {
  TableReport& report = options.report;
  report.begin(
      "mechanisms", "Formulations of constrained mechanisms under implicit methods",
      "Pendulum to 10 s, Andrews' mechanism to 0.03 s, car axis to 3 s; relative = absolute tolerance. Steps: trial "
      "steps; "
      "error: largest of a position at the end; drift: largest |g| and |G v| at the ends of steps. Wanted: an error of "
      "at most 10 tolerances with the automatic formulation (index 2, projected), 500 with index 3.",
      {"problem", "method", "formulation", "tolerance", "steps", "f", "LU", "drift g / Gv", "ms", "error of q",
       "/ tolerance", "wanted", "met"});
  const std::vector<Form> forms{{"auto", "auto", "auto", 10},
                                {"index 3", "index-3", "auto", 500},
                                {"index 2, not projected", "index-2", "none"},
                                {"stabilized index 2", "stabilized-index-2", "auto"},
                                {"index 1, projected", "index-1", "auto"},
                                {"overdetermined", "overdetermined", "auto"}};
  for (const char* name : {"cartesian-pendulum", "andrews", "caraxis"}) {
    const Problem& problem = find_problem(name);
    const Values values(problem.system);
    for (const char* method : {"radau-5", "radau", "bdf"}) {
      for (const Form& form : forms) {
        for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
          if (options.is_quick && tolerance != 1e-6) continue;
          const Line line = run_line(problem.system, values, problem.end, method, tolerance, form);
          const double error = line.trouble.empty() ? largest_error(problem, values, line.run, 2) : nan;
          std::vector<std::string> cells{name, method, form.label, fmt::format("{:.0e}", tolerance)};
          for (std::string& cell : work_cells(line)) cells.push_back(std::move(cell));
          const bool has_aim = std::isfinite(form.wanted) && method != std::string("bdf");
          for (const std::string& cell : {std::isfinite(error) ? number(error, 1) : "-", in_units(error, tolerance),
                                          has_aim ? fmt::format("{:g}", form.wanted) : std::string("-"),
                                          std::string(!has_aim                           ? "-"
                                                      : error <= form.wanted * tolerance ? "yes"
                                                                                         : "no")})
            cells.push_back(cell);
          report.row(cells);
        }
      }
    }
  }
}

void wheels(const StiffOptions& options) {
  TableReport& report = options.report;
  report.begin(
      "gear-wheels", "Formulations of the gear wheels of Koenders (2002), 10 s",
      "Stiffness ratio: max |Re| / min |Re| of the eigenvalues. A tolerance of 1e-6; error: largest of p1, x and "
      "p2 at the end, against the exact motion of the formulation; from the rigid cable: of x, against that of "
      "the constraint, so that what a stiff spring changes is seen. Explicit: dormand-prince-5, where there is "
      "nothing implicit.",
      {"formulation", "stiffness ratio", "method", "steps", "f", "LU", "drift g / Gv", "ms", "error",
       "from the rigid cable"});
  struct Wheels {
    const char* label;
    GearWheels formulation;
    Form form;
  };
  const Problem& problem = find_problem("gear-wheels");
  for (const Wheels& wheel : {Wheels{"index 2", GearWheels::index_2, {"", "index-2", "auto"}},
                              Wheels{"index 2, not projected", GearWheels::index_2, {"", "index-2", "none"}},
                              Wheels{"index 1: multiplier from g''", GearWheels::index_2, {"", "index-1", "auto"}},
                              Wheels{"index 1: summed rows", GearWheels::index_1, {"", "auto", "auto"}},
                              Wheels{"spring and damper", GearWheels::spring_damper, {"", "auto", "auto"}},
                              Wheels{"reduced", GearWheels::reduced, {"", "auto", "auto"}}}) {
    const Assignments assignments{{"formulation", static_cast<double>(wheel.formulation)}};
    const System system = system_of(problem, assignments);
    Values values(system);
    values.set("formulation", static_cast<double>(wheel.formulation));
    const double ratio = problems::spectrum_of(wheel.formulation).stiffness_ratio;
    for (const char* method : {"radau", "bdf", "dormand-prince-5"}) {
      if (method == std::string("dormand-prince-5") && wheel.form.formulation != "auto") continue;
      const Line line = run_line(system, values, 10, method, 1e-6, wheel.form);
      std::vector<std::string> cells{wheel.label, std::isinf(ratio) ? "infinite" : fmt::format("{:.6g}", ratio),
                                     method};
      for (std::string& cell : work_cells(line)) cells.push_back(std::move(cell));
      constexpr double x_of_rigid_cable = 0.724231545150322;
      cells.push_back(line.trouble.empty() ? number(largest_error(problem, values, line.run, 1), 1) : "-");
      cells.push_back(line.trouble.empty() ? number(std::abs(line.run.final()["x"] - x_of_rigid_cable), 1) : "-");
      report.row(cells);
    }
  }
}

}  // namespace

void bench_formulations(const StiffOptions& options) {
  wheels(options);
  mechanisms(options);
}

}  // namespace pawl::cli
