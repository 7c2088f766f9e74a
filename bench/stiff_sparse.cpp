// The Brusselator on a line with 1000 to 100 000 unknowns, against CVODE with KLU used
// directly and given the same exact Jacobian.
#ifdef __linux__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "stiff.hpp"
#include "stiff_peers.hpp"

namespace pawl::bench {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Resident memory of this process now and at its highest since the last reset, in bytes; NaN where the system does not
/// tell.
double memory_line(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == wanted && status >> kilobytes) return 1024 * kilobytes;
  }
  return nan;
}

/// What a piece of work adds to the memory of the process at its highest.
template <class Work>
double growth_of_memory(const Work& work) {
#ifdef __GLIBC__
  malloc_trim(0);  // what earlier runs have freed would be used again, unseen
#endif
  std::ofstream("/proc/self/clear_refs") << 5 << std::flush;  // the highest starts from here
  const double before = memory_line("VmRSS:");
  const bool was_reset = memory_line("VmHWM:") <= 1.05 * before;
  work();
  return was_reset ? memory_line("VmHWM:") - before : nan;
}

struct Run {
  double tolerance, error, seconds;
  long long steps, rhs, jacobians, factorizations;
};

/// Seconds at this error: a straight line in logarithms between the runs on either side of it, in the order of
/// tolerances; NaN where no run is so accurate.
double seconds_at(double error, const std::vector<Run>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i].error <= error)) continue;
    if (i == 0) return runs[0].seconds;
    const Run &loose = runs[i - 1], &tight = runs[i];
    const double share = std::log(loose.error / error) / std::log(loose.error / tight.error);
    return loose.seconds * std::pow(tight.seconds / loose.seconds, share);
  }
  return nan;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct Curve {
  std::string method, how;  // how: the method or solver that was used
  std::vector<Run> runs;
  double memory = nan;
};

constexpr double loose_error = 1e-5, tight_error = 1e-8;
constexpr double longest = 60;  // seconds of a run

/// From loose to tight tolerances until the error is small enough or a run fails.
template <class One>
std::vector<Run> ladder(std::size_t unknowns, const One& one) {
  const double factor = unknowns > 10'000 ? 0.1 : std::sqrt(0.1);
  std::vector<Run> runs;
  for (double tolerance = 1e-3; tolerance > 3e-12;) {
    runs.push_back(one(tolerance));
    if (!(runs.back().error > tight_error)) break;
    tolerance *= factor;
  }
  return runs;
}

Curve our_curve(const System& system, const Values& values, const std::vector<double>& reference,
                const std::string& method) {
  Curve curve{method, "", {}};
  const auto options_at = [&](double tolerance) {
    Options options{.end = 10, .tolerance = {tolerance, tolerance}, .method = method};
    options.keep = Keep::end;
    return options;
  };
  curve.runs = ladder(reference.size(), [&](double tolerance) {
    const TimedRun timed = time_run(system, values, options_at(tolerance), 0.1, longest);
    const Statistics& s = timed.run.statistics;
    const ImplicitStatistics i = s.implicit.value_or(ImplicitStatistics{});
    if (!timed.run.finished()) return Run{tolerance, nan, nan, 0, 0, 0, 0};
    curve.how = i.linear_solver;
    return Run{tolerance,       largest_difference(timed.run.final().states(), reference),
               timed.seconds,   trial_steps(timed.run),
               s.rhs,           i.jacobians,
               i.factorizations};
  });
  curve.memory = growth_of_memory([&] { simulate(system, values, options_at(1e-5)); });
  return curve;
}

Curve peer_curve(const System& system, const Values& values, const std::vector<double>& reference) {
  Curve curve{"CVODE + KLU", "KLU", {}};
  const auto options_at = [&](double tolerance) {
    return PeerOptions{.end = 10,
                       .relative = tolerance,
                       .absolute = std::vector<double>(reference.size(), tolerance),
                       .longest = longest};
  };
  PeerModel model(system, values);
  curve.runs = ladder(reference.size(), [&](double tolerance) {
    const PeerRun run = fastest(run_cvode_klu, model, options_at(tolerance), 0.1);
    if (!run.finished()) return Run{tolerance, nan, nan, 0, 0, 0, 0};
    return Run{
        tolerance,         largest_difference(run.state, reference), run.seconds, run.steps, run.rhs, run.jacobians,
        run.factorizations};
  });
  curve.memory = growth_of_memory([&] {
    PeerModel own(system, values);
    run_cvode_klu(own, options_at(1e-5));
  });
  return curve;
}

std::string ratio(double ours, double theirs) {
  return std::isfinite(ours / theirs) ? fmt::format("{:.2f}", ours / theirs) : "-";
}

std::string in_milliseconds(double seconds) {
  return std::isfinite(seconds) ? milliseconds(seconds) : "-";
}

bool is_one_step(const std::string& method) {
  return method != "auto" && method != "bdf" && method != "CVODE + KLU";
}

}  // namespace

void bench_sparse(Report& report, const Wanted& wanted) {
  const std::vector<int> sizes = wanted.is_quick ? std::vector{1000, 10'000} : std::vector{1000, 10'000, 100'000};
  std::map<int, std::vector<Curve>> curves;
  report.begin("sparse", "Brusselator with diffusion on a line, to t = 10: time for an error",
               fmt::format("Relative = absolute tolerance, half a decade apart, above 10 000 unknowns a decade; error: "
                           "largest of all unknowns at the "
                           "end, against radau-9 at 1e-12; times interpolated between runs, the best of several where "
                           "they are short; CVODE with KLU used directly, before and after ours, with the same exact "
                           "Jacobian. Counts: trial steps, right-hand sides, Jacobians, factorizations of the first "
                           "run below 1e-5. Memory: what a run adds at its highest, tolerance 1e-5. {}",
                           peers_note()),
               {"unknowns", "method", "ms at 1e-5", "/ CVODE + KLU", "ms at 1e-8", "/ CVODE + KLU",
                "steps, f, J, LU at 1e-5", "MB", "bytes per unknown", "linear solver"});
  for (const int n : sizes) {
    const Problem& problem = find_problem("brusselator-1d");
    const Assignments assignments{{"n", n}};
    const System system = system_of(problem, assignments);
    Values values(system);
    values.set("n", n);
    Options tight{.end = 10, .tolerance = {1e-12, 1e-12}, .method = "radau-9"};
    tight.keep = Keep::end;
    const std::vector<double> reference = simulate(system, values, tight).final().states();

    std::vector<Curve>& all = curves[n];
    all.push_back(peer_curve(system, values, reference));
    for (const char* method :
         {"auto", "bdf", "radau", "radau-5", "radau-9", "rodas5p", "rodas4", "esdirk-4", "esdirk-5"})
      all.push_back(our_curve(system, values, reference, method));
    const Curve again = peer_curve(system, values, reference);
    for (std::size_t i = 0; i < all[0].runs.size(); ++i)
      all[0].runs[i].seconds = std::min(all[0].runs[i].seconds, again.runs[i].seconds);

    const double loose = seconds_at(loose_error, all[0].runs), accurate = seconds_at(tight_error, all[0].runs);
    for (const Curve& curve : all) {
      const double here = seconds_at(loose_error, curve.runs), there = seconds_at(tight_error, curve.runs);
      const auto first =
          std::find_if(curve.runs.begin(), curve.runs.end(), [](const Run& run) { return run.error <= loose_error; });
      report.row({fmt::format("{}", n), curve.method, in_milliseconds(here), ratio(here, loose), in_milliseconds(there),
                  ratio(there, accurate),
                  first == curve.runs.end() ? "-"
                                            : fmt::format("{}, {}, {}, {}", first->steps, first->rhs, first->jacobians,
                                                          first->factorizations),
                  std::isfinite(curve.memory) ? fmt::format("{:.1f}", curve.memory / 1e6) : "-",
                  std::isfinite(curve.memory) ? fmt::format("{:.0f}", curve.memory / n) : "-", curve.how});
    }
  }

  std::vector<std::string> columns{"method"};
  for (const int n : sizes) columns.push_back(fmt::format("n = {}", n));
  columns.emplace_back("exponent of n");
  report.begin("sparse-growth", "The same: microseconds per unknown at an error of 1e-5",
               "Linear in n: exponent 1. The caches of the machine show too.", columns);
  for (std::size_t k = 0; k < curves[sizes[0]].size(); ++k) {
    std::vector<std::string> cells{curves[sizes[0]][k].method};
    std::vector<double> x, y;
    for (const int n : sizes) {
      const double seconds = seconds_at(loose_error, curves[n][k].runs);
      x.push_back(n);
      y.push_back(seconds);
      cells.push_back(std::isfinite(seconds) ? fmt::format("{:.2f}", 1e6 * seconds / n) : "-");
    }
    cells.push_back(fmt::format("{:.2f}", log_slope(x, y)));
    report.row(cells);
  }

  report.begin("sparse-wanted", "The same: what was wanted", "Times as multiples of those of CVODE + KLU.",
               {"unknowns", "auto at 1e-5", "wanted", "best one-step at 1e-5", "wanted", "best one-step at 1e-8",
                "wanted", "all met"});
  for (const int n : sizes) {
    const std::vector<Curve>& all = curves[n];
    const auto best = [&](double error) {
      const Curve* first = nullptr;
      for (const Curve& curve : all) {
        const double seconds = seconds_at(error, curve.runs);
        if (is_one_step(curve.method) && std::isfinite(seconds) && (!first || seconds < seconds_at(error, first->runs)))
          first = &curve;
      }
      return first;
    };
    const auto against_peer = [&](const Curve* curve, double error) {
      return curve ? seconds_at(error, curve->runs) / seconds_at(error, all[0].runs) : nan;
    };
    const Curve *loose = best(loose_error), *accurate = best(tight_error);
    const double first = against_peer(&all[1], loose_error), second = against_peer(loose, loose_error),
                 third = against_peer(accurate, tight_error);
    report.row({fmt::format("{}", n), fmt::format("{:.2f}", first), "1.1",
                loose ? fmt::format("{:.2f}, {}", second, loose->method) : "-", "1.6",
                accurate ? fmt::format("{:.2f}, {}", third, accurate->method) : "-", "0.8",
                first <= 1.1 && second <= 1.6 && third <= 0.8 ? "yes" : "no"});
  }
}

}  // namespace pawl::bench
