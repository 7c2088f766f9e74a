// Single runs in the small: what one run costs where the model is cheap. Compiled twice by scripts/beside_0.5, with the
// library of this tree and with that of version 0.5, from this one source. Runs that have a reference are compared at
// an error they achieve, not at a tolerance: the fastest over a ladder of tolerances. Prints one line per row:
//   name <tab> seconds <tab> right-hand sides <tab> events <tab> largest error at the end
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"

namespace {

using namespace pawl;

struct Row {
  std::string name;
  std::function<Result()> run;
  std::function<double(const Result&)> error = {};
};

Row at_tolerance(const std::string& name, double tolerance) {
  const Problem& problem = find_problem(name);
  Options options{.start = problem.start, .end = problem.end, .tolerance = tolerance};
  options.keep = Keep::end;
  char label[80];
  std::snprintf(label, sizeof label, "%s, tolerance %.0e", name.c_str(), tolerance);
  const auto error = [&problem, options](const Result& run) {
    const auto found = error_against_reference(problem, Values(problem.system), options.end, run.final().states());
    return found ? *found : std::nan("");
  };
  return {label, [&problem, options] { return simulate(problem.system, options); }, error};
}

double seconds_of(const Row& row, int repetitions) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) row.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / repetitions;
}

/// The fastest run whose states all end within this relative error.
Row at_error(const std::string& name, double most, double end = 0) {
  const Problem& problem = find_problem(name);
  if (end == 0) end = problem.end;
  const std::vector<double> exact = problem.reference(Values(problem.system), end).value();
  const auto error = [exact](const Result& run) {
    double largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
      largest = std::max(largest, std::abs(run.final().states()[i] - exact[i]) / std::abs(exact[i]));
    return largest;
  };
  Row best;
  double least = std::numeric_limits<double>::infinity();
  for (int quarter_decades = 8; quarter_decades <= 48; ++quarter_decades) {
    Options options{.start = problem.start, .end = end, .tolerance = std::pow(10, -quarter_decades / 4.0)};
    options.keep = Keep::end;
    char label[80];
    std::snprintf(label, sizeof label, "%s, error %.1e", name.c_str(), most);
    const Row row{label, [&problem, options] { return simulate(problem.system, options); }, error};
    const Result run = row.run();
    if (!run.finished() || !(error(run) <= most)) continue;
    double seconds = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 5; ++round) seconds = std::min(seconds, seconds_of(row, 1));
    if (seconds > 3 * least) break;  // tighter ones take longer still
    if (seconds >= least) continue;
    least = seconds;
    best = row;
  }
  return best;
}

// sin(20 pi t) as a state, its seventy zeros as events.
Row sine() {
  static const System wave = [] {
    System system("sine");
    const auto x = system.state("x", 0), y = system.state("y", 1);
    const double w = 20 * M_PI;
    system.rates([=](const auto& at, auto& d) { d[x] = w * at[y], d[y] = -w * at[x]; });
    system.guard("zero", [=](const auto& at) { return at[x]; });
    return system;
  }();
  return {"sine with events, 1.0e-06", [] { return simulate(wave, {.end = 3.5, .tolerance = 1e-6}); }};
}

// What a run costs before its first step: an end that one step reaches.
Row set_up(const std::string& name) {
  const Problem& problem = find_problem(name);
  Options options{.start = problem.start, .end = problem.start + 1e-9};
  options.keep = Keep::end;
  return {"set-up of " + name, [&problem, options] { return simulate(problem.system, options); }};
}

}  // namespace

int main() {
  const std::vector<std::function<Row()>> rows{[] { return at_error("andrews", 2.3e-7); },
                                               [] { return at_error("andrews", 3e-9); },
                                               [] { return at_error("andrews", 8e-11); },
                                               [] { return at_error("cartesian-pendulum", 2.7e-6, 1000); },
                                               [] { return at_error("vdpol", 1e-5); },
                                               [] { return at_error("robertson", 1e-5); },
                                               [] { return at_tolerance("bouncing-ball", 1e-9); },
                                               sine,
                                               [] { return set_up("lorenz"); },
                                               [] { return set_up("squeezer"); }};
  for (const auto& make : rows) {
    const Row row = make();
    if (!row.run) continue;  // none is that exact
    const Result result = row.run();
    const int repetitions = std::max(1, static_cast<int>(4e-3 / seconds_of(row, 1)));
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 25; ++round) best = std::min(best, seconds_of(row, repetitions));
    std::printf("%s\t%.4g\t%lld\t%zu\t%.2e\n", row.name.c_str(), best, result.statistics.rhs, result.events.size(),
                row.error ? row.error(result) : std::nan(""));
  }
}
