// Single runs in the small: what one run costs where the model is cheap. Compiled twice by bench/beside_0.5, with the
// library of this tree and with that of version 0.5, from this one source; prints one line per row:
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

Row of_problem(const std::string& name, double tolerance, double end = 0) {
  const Problem& problem = find_problem(name);
  Options options{.start = problem.start, .end = end > 0 ? end : problem.end, .tolerance = tolerance};
  options.keep = Keep::end;
  char label[80];
  std::snprintf(label, sizeof label, "%s, %.1e", name.c_str(), tolerance);
  const auto error = [&problem, options](const Result& run) {
    const auto found = error_against_reference(problem, Values(problem.system), options.end, run.final().states());
    return found ? *found : std::nan("");
  };
  return {label, [&problem, options] { return simulate(problem.system, options); }, error};
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

double seconds_of(const Row& row, int repetitions) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) row.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / repetitions;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Row> rows{of_problem("andrews", 2.3e-7),
                              of_problem("andrews", 3e-9),
                              of_problem("andrews", 8e-11),
                              of_problem("cartesian-pendulum", 1e-6, 1000),
                              of_problem("vdpol", 1e-5),
                              of_problem("robertson", 1e-5),
                              of_problem("bouncing-ball", 1e-9),
                              sine(),
                              set_up("lorenz"),
                              set_up("squeezer")};
  const std::string only = argc > 1 ? argv[1] : "";
  for (const Row& row : rows) {
    if (row.name.find(only) == std::string::npos) continue;
    const Result result = row.run();
    const int repetitions = std::max(1, static_cast<int>(4e-3 / seconds_of(row, 1)));
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 25; ++round) best = std::min(best, seconds_of(row, repetitions));
    std::printf("%s\t%.4g\t%lld\t%zu\t%.2e\n", row.name.c_str(), best, result.statistics.rhs, result.events.size(),
                row.error ? row.error(result) : std::nan(""));
  }
}
