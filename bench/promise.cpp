// What a tolerance promises: every problem of the catalogue with every adaptive method and tolerance either ends within
// a thousand tolerances of its reference, or says why not.
#include "problems/catalogue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr double promised = 1000;    // tolerances
constexpr double most_seconds = 10;  // of one run, then it is cut

struct Tally {
  int runs = 0, kept = 0, unknown = 0, refused = 0, failed = 0, cut = 0, broken = 0;
};

std::vector<std::string> contestants(const Wanted& wanted) {
  if (!wanted.methods.empty()) return wanted.methods;
  std::vector<std::string> names{"auto"};
  for (const Method& method : methods())
    if (method.is_adaptive && (!wanted.is_quick || method.name == "radau" || method.name == "bdf"))
      names.push_back(method.name);
  return names;
}

std::vector<double> accuracies(const Wanted& wanted) {
  if (!wanted.tolerances.empty()) return wanted.tolerances;
  if (wanted.is_quick) return {1e-4, 1e-7};
  return {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
}

/// The error in units of the tolerance and of the largest state; nothing where there is no reference.
std::optional<double> error_of(const Problem& problem, const Values& values, const Result& run, double tolerance) {
  const std::vector<double> end = run.final().states();
  const auto error = error_against_reference(problem, values, run.t_end, end);
  if (!error) return std::nullopt;
  double size = 1;
  for (const double one : end) size = std::max(size, std::abs(one));
  return *error / (tolerance * size);
}

}  // namespace

void bench_promise(Report& report, const Wanted& wanted) {
  struct Broken {
    std::string problem, method, tolerance, how;
  };
  std::vector<Broken> broken;
  report.begin(
      "promise", "What a tolerance promises",
      fmt::format("Runs of the catalogue to their end times. Kept: finished within {:g} tolerances of the "
                  "reference, relative to the largest state. Failed and refused: with a reason. Cut: after {:g} s.",
                  promised, most_seconds),
      {"method", "runs", "kept", "without reference", "refused", "failed", "cut", "broken"});
  for (const std::string& method : contestants(wanted)) {
    Tally tally;
    for (const Problem& problem : catalogue()) {
      if (wanted.problem != "all" && wanted.problem != problem.name()) continue;
      const Values values(problem.system);
      for (const double tolerance : accuracies(wanted)) {
        ++tally.runs;
        const auto begin = std::chrono::steady_clock::now();
        bool was_cut = false;
        const auto note = [&](std::string how) {
          ++tally.broken;
          broken.push_back({problem.name(), method, fmt::format("{:g}", tolerance), std::move(how)});
        };
        try {
          const Result run = simulate(problem.system, values,
                                      {.start = problem.start,
                                       .end = problem.end,
                                       .tolerance = tolerance,
                                       .method = method,
                                       .progress = [&](const Progress&) {
                                         const std::chrono::duration<double> spent =
                                             std::chrono::steady_clock::now() - begin;
                                         was_cut = was_cut || spent.count() > most_seconds;
                                         return !was_cut;
                                       }});
          if (was_cut) {
            ++tally.cut;
          } else if (!run.finished()) {
            if (run.reason.empty())
              note("ends without a reason");
            else
              ++tally.failed;
          } else if (const auto error = error_of(problem, values, run, tolerance); !error) {
            ++tally.unknown;
          } else if (*error <= promised) {
            ++tally.kept;
          } else {
            note(fmt::format("off by {:.2g} tolerances", *error));
          }
        } catch (const Misuse&) {
          ++tally.refused;
        }
      }
    }
    report.row({method, fmt::format("{}", tally.runs), fmt::format("{}", tally.kept), fmt::format("{}", tally.unknown),
                fmt::format("{}", tally.refused), fmt::format("{}", tally.failed), fmt::format("{}", tally.cut),
                fmt::format("{}", tally.broken)});
    report.expect(tally.broken == 0, fmt::format("{}: {} promises broken", method, tally.broken));
  }
  if (broken.empty()) return;
  report.begin("promise-broken", "Promises that were broken", {}, {"problem", "method", "tolerance", "how"});
  for (const Broken& one : broken) report.row({one.problem, one.method, one.tolerance, one.how});
}

}  // namespace pawl::bench
