// How much dearer the choice of `auto` is than the best choice made by hand, knowing the outcome.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

struct Choice {
  std::string method, formulation = "auto";

  std::string name() const { return formulation == "auto" ? method : fmt::format("{}, {}", method, formulation); }
};

/// What a sensible person would try.
std::vector<Choice> by_hand(const System::Declarations& model) {
  if (model.is_implicit()) return {{"radau"}, {"rodas5p"}, {"bdf"}, {"esdirk-5"}};
  if (model.mechanics)
    return {{"tsitouras-5"},      {"dop853"}, {"tsitouras-papakostas-8"}, {"verner-9"}, {"radau"},
            {"radau", "index-3"}, {"bdf"},    {"bdf", "index-1"}};
  if (model.has_manifold())
    return {{"tsitouras-5"}, {"dop853"}, {"tsitouras-papakostas-8"}, {"verner-9"}, {"radau"}, {"bdf"}};
  return {{"tsitouras-5"}, {"dop853"}, {"verner-7"}, {"verner-9"}, {"radau"}, {"rodas5p"}, {"esdirk-5"}, {"bdf"}};
}

/// Seconds of this process: other work on the machine does not count.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Outcomes {
  double seconds = std::numeric_limits<double>::infinity();
  double rhs = std::numeric_limits<double>::infinity();
  double error = std::numeric_limits<double>::infinity();
};

struct Effort {
  double seconds;  // of repetitions per run
  int most;        // repetitions
  double longest;  // seconds, after which a run is cut
  std::vector<double> tolerances;
};

using State = std::vector<double>;

/// Largest error, each component relative to its size, or to a thousandth of the largest where it is small.
double error_of(const State& state, const State& exact, const std::vector<double>& nominals) {
  double largest = 0, worst = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double nominal = i < nominals.size() && nominals[i] > 0 ? nominals[i] : 1e-3 * largest;
    worst = std::max(worst, std::abs(state[i] - exact[i]) / std::max(std::abs(exact[i]) + nominal, 1e-300));
  }
  return std::isfinite(worst) ? std::max(worst, 1e-17) : std::numeric_limits<double>::infinity();
}

Result run_once(const Problem& problem, const Choice& one, double tolerance, double longest) {
  Options options{.start = problem.start, .end = problem.end, .tolerance = tolerance, .method = one.method};
  options.constraints.formulation = one.formulation;
  options.keep = Keep::end;
  const double began = processor_time();
  options.progress = [&, count = 0](const Progress&) mutable {
    return ++count % 64 != 0 || processor_time() - began < longest;
  };
  return simulate(problem.system, options);
}

Outcomes measure(const Problem& problem, const Choice& one, double tolerance, const Effort& effort,
                 const State& exact) {
  Outcomes out;
  double spent = 0;
  try {
    // The first of several short runs warms up; the least of the others counts.
    for (int k = 0; k < effort.most && (k == 0 || spent < effort.seconds); ++k) {
      const double began = processor_time();
      const Result run = run_once(problem, one, tolerance, effort.longest);
      const double seconds = processor_time() - began;
      if (run.outcome == Outcome::stopped || run.outcome == Outcome::failed) return {};
      spent += seconds;
      out.seconds = std::min(out.seconds, seconds);
      out.rhs = static_cast<double>(run.statistics.rhs);
      if (run.statistics.implicit) out.rhs += 3.0 * static_cast<double>(run.statistics.implicit->dual_rhs);
      out.error = error_of(run.final().states(), exact, problem.system.declarations().nominals);
    }
  } catch (const Misuse&) {
    return {};
  }
  return out;
}

/// Work at exactly this error, between two tolerances; infinite where it was not reached.
Outcomes at_error(const std::vector<Outcomes>& runs, double target) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!(runs[k].error <= target)) continue;
    if (k == 0 || !(runs[k - 1].error > target) || !std::isfinite(runs[k - 1].error)) return runs[k];
    const double share = std::log(runs[k - 1].error / target) / std::log(runs[k - 1].error / runs[k].error);
    const auto between = [share](double a, double b) { return a * std::pow(b / a, share); };
    return {between(runs[k - 1].seconds, runs[k].seconds), between(runs[k - 1].rhs, runs[k].rhs), target};
  }
  return {};
}

/// The state at the end: as published, or from a tight run. None where two tight runs do not agree: the motion is
/// chaotic, or too sensitive for an error of 1e-8 to mean anything; or where one of them takes too long.
std::optional<State> reference(const Problem& problem, double longest) {
  const std::vector<double>& nominals = problem.system.declarations().nominals;
  const bool is_implicit = problem.is_implicit();
  const Choice first{"auto"}, second{is_implicit ? "radau-9" : problem.is_stiff() ? "radau" : "dop853"};
  try {
    const Result one = run_once(problem, first, 1e-12, longest);
    if (one.outcome == Outcome::stopped || one.outcome == Outcome::failed) return std::nullopt;
    if (auto known = problem.reference(Values(problem.system), one.t_end)) {
      if (error_of(one.final().states(), *known, nominals) > 1e-9) return std::nullopt;
      return known;
    }
    const Result two = run_once(problem, second, 1e-12, longest);
    if (two.outcome != one.outcome || error_of(two.final().states(), one.final().states(), nominals) > 1e-9)
      return std::nullopt;
    return one.final().states();
  } catch (const Misuse&) {
    return std::nullopt;
  }
}

struct Ratios {
  std::vector<double> seconds, rhs;

  void write(Report& report, double target) {
    const auto middle_and_worst = [](std::vector<double>& all) {
      std::sort(all.begin(), all.end());
      return all.empty() ? std::pair<std::string, std::string>{"none", "none"}
                         : std::pair{fmt::format("{:.2f}", all[all.size() / 2]), fmt::format("{:.2f}", all.back())};
    };
    const auto [time_middle, time_worst] = middle_and_worst(seconds);
    const auto [rhs_middle, rhs_worst] = middle_and_worst(rhs);
    report.row({fmt::format("{:g}", target), fmt::format("{}", seconds.size()), time_middle, time_worst, rhs_middle,
                rhs_worst});
  }
};

}  // namespace

void bench_auto(Report& report, const Wanted& wanted) {
  Effort effort{0.03, 50, 2.0, {}};
  if (wanted.is_quick) effort = {0.005, 20, 0.25, {}};
  for (int digits = 2; digits <= 12; digits += wanted.is_quick ? 2 : 1)
    effort.tolerances.push_back(std::pow(10, -digits));
  const std::vector<double> targets{1e-5, 1e-8};
  report.begin("auto", {},
               "Processor time, and right-hand sides (with duals counted as three), at the error given; the ratio is "
               "that of auto to the best of the others.",
               {"problem", "error", "auto: ms", "rhs", "best: ms", "rhs", "best by time", "ratio of time", "of rhs"});
  std::vector<Ratios> ratios(targets.size());
  std::vector<std::string> skipped;
  bool is_known = wanted.problem == "all";
  for (const Problem& problem : catalogue()) {
    if (wanted.problem != "all" && wanted.problem != problem.name()) continue;
    is_known = true;
    const auto exact = reference(problem, effort.longest);
    if (!exact) {
      skipped.push_back(problem.name());
      continue;
    }
    std::vector<Choice> all = by_hand(problem.system.declarations());
    all.insert(all.begin(), Choice{"auto"});
    std::vector<std::vector<Outcomes>> runs;
    for (const Choice& one : all) {
      runs.emplace_back();
      for (const double tolerance : effort.tolerances) {
        const Outcomes last = runs.back().empty() ? Outcomes() : runs.back().back();
        if (std::isfinite(last.error) && last.error < 0.1 * targets.back()) break;
        runs.back().push_back(measure(problem, one, tolerance, effort, *exact));
      }
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const Outcomes chosen = at_error(runs[0], targets[k]);
      Outcomes best;
      std::string best_name = "none";
      for (std::size_t c = 1; c < all.size(); ++c) {
        const Outcomes one = at_error(runs[c], targets[k]);
        if (wanted.lists_all && std::isfinite(one.seconds))
          report.row({"  " + all[c].name(), fmt::format("{:g}", targets[k]), fmt::format("{:.3g}", 1e3 * one.seconds),
                      fmt::format("{:.0f}", one.rhs), "", "", "", "", ""});
        best.rhs = std::min(best.rhs, one.rhs);
        if (one.seconds < best.seconds) best.seconds = one.seconds, best_name = all[c].name();
      }
      if (!std::isfinite(best.seconds)) continue;
      report.row({problem.name(), fmt::format("{:g}", targets[k]), fmt::format("{:.3g}", 1e3 * chosen.seconds),
                  fmt::format("{:.0f}", chosen.rhs), fmt::format("{:.3g}", 1e3 * best.seconds),
                  fmt::format("{:.0f}", best.rhs), best_name, fmt::format("{:.2f}", chosen.seconds / best.seconds),
                  fmt::format("{:.2f}", chosen.rhs / best.rhs)});
      ratios[k].seconds.push_back(chosen.seconds / best.seconds);
      ratios[k].rhs.push_back(chosen.rhs / best.rhs);
    }
  }
  if (!is_known) find_problem(wanted.problem);  // says what there is
  report.begin("auto-ratios", {},
               "Ratios over all problems:", {"error", "problems", "time: median", "worst", "rhs: median", "worst"});
  for (std::size_t k = 0; k < targets.size(); ++k) ratios[k].write(report, targets[k]);
  std::string names;
  for (const std::string& name : skipped) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  if (!names.empty()) {
    report.note(
        fmt::format("Left out, because two runs with tolerance 1e-12 differ by more than 1e-9, or one takes more than "
                    "{:g} s: {}.",
                    effort.longest, names));
  }
}

}  // namespace pawl::bench
