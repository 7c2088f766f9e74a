// Work and precision: how long each stiff method takes to reach an error, beside CVODE and IDA used directly.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "stiff_peers.hpp"
#include "stiff_work.hpp"

namespace pawl::bench {

namespace {

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

std::vector<double> tolerances(bool is_quick) {
  if (is_quick) return {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
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
      out.set_up = set_up_seconds(*system, Values(*system), options);
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
    out.set_up = best.creating;
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

std::vector<Contestant> contestants(const Case& which, const Problem& problem, const Effort& effort, bool is_quick) {
  std::vector<Contestant> all;
  const auto add = [&](const std::string& method, const char* formulation = "auto") {
    const bool is_main =
        method == "radau" || method == "rodas5p" || method == "esdirk-5" || method == "bdf" || method == "auto";
    if (is_quick && !is_main) return;
    all.push_back(ours(which, problem, method, formulation, effort));
  };
  const auto add_peer = [&](const char* name, Solver solver, bool is_exact, const std::string& formulation = "") {
    if (is_quick && !is_exact && formulation.empty()) return;
    all.push_back(peer(which, problem, name, solver, is_exact, formulation, effort));
  };
  const System::Declarations& model = problem.system.declarations();
  if (model.has_manifold()) {
    for (const char* method : {"radau", "radau-5", "radau-9", "radau-13", "esdirk-4", "esdirk-5", "bdf", "auto"})
      add(method);
    for (const char* formulation : {"index-3", "stabilized-index-2"}) add("radau", formulation);
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

/// Seconds of a run from which on whole decades of tolerances have to do.
constexpr double long_run = 0.2;

bool is_whole_decade(double tolerance) {
  const double decade = std::log10(tolerance);
  return std::abs(decade - std::round(decade)) < 1e-9;
}

Field measure(const Case& which, bool is_quick) {
  Field field{&which, &find_problem(which.problem), is_quick ? Effort{1e-3, 0.25} : Effort{0.02, longest_run}, {}};
  field.contestants = contestants(which, *field.problem, field.effort, is_quick);
  for (Contestant& one : field.contestants) {
    for (const double tolerance : tolerances(is_quick)) {
      const Work* const last = one.runs.empty() ? nullptr : &one.runs.back();
      if (last != nullptr && last->was_cut) {  // tighter ones take longer still
        one.runs.push_back(*last);
        one.runs.back().tolerance = tolerance;
      } else if (is_whole_decade(tolerance) || last == nullptr || last->seconds < long_run) {
        one.runs.push_back(one.run(tolerance));
      }
    }
    // The same work at every tolerance: the least of it is closest to the truth.
    double set_up = std::numeric_limits<double>::infinity();
    for (const Work& run : one.runs) set_up = std::min(set_up, run.set_up);
    for (Work& run : one.runs) run.set_up = set_up;
  }
  return field;
}

}  // namespace

void bench_work(Report& report, const Wanted& wanted) {
  std::vector<Field> fields;
  for (const Case& one : cases()) {
    if (wanted.problem == "all" || wanted.problem == one.problem) fields.push_back(measure(one, wanted.is_quick));
  }
  if (fields.empty()) {
    std::string names;
    for (const Case& one : cases()) names += fmt::format(", {}", one.problem);
    throw Misuse(fmt::format("the table work has no problem '{}': there are all{}", wanted.problem, names));
  }
  print_summary(report, fields);
  for (const Field& field : fields) {
    print_times(report, field);
    print_counts(report, wanted, field);
    if (!wanted.plots.empty()) write_plot(wanted.plots, field);
  }
}

}  // namespace pawl::bench
