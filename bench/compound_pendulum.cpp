// Table 3.1 of Compere (2001): variation of the energy of the compound pendulum over five seconds, for three rules and
// four fixed steps.
#include <fmt/format.h>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "suites.hpp"

namespace pawl::bench {

void bench_compound_pendulum(Report& report, const Wanted&) {
  struct Row {
    double step;
    const char* printed[3];
  };
  constexpr Row rows[] = {{0.05, {"1.8e-1", "1.4e-4", "5.3e-11"}},
                          {0.01, {"1.4e-3", "4.5e-8", "5.7e-14"}},
                          {0.005, {"1.8e-4", "1.4e-9", "5.7e-14"}},
                          {0.001, {"1.4e-6", "5.1e-13", "1.4e-13"}}};
  constexpr const char* rules[] = {"kutta-3", "fehlberg-45", "fehlberg-78"};
  report.begin("3.1", "Table 3.1 of Compere (2001): energy variation of the compound pendulum",
               "RK-3 is Kutta's rule, RK-5 the fifth-order weights of Fehlberg 4(5), RK-8 the eighth-order weights of "
               "Fehlberg 7(8). Below about 1e-12 both columns show rounding, which depends on the order of summation.",
               {"step", "RK-3 printed", "kutta-3", "RK-5 printed", "fehlberg-45", "RK-8 printed", "fehlberg-78"});
  const Problem& problem = find_problem("compere-pendulum");
  for (const Row& row : rows) {
    std::vector<std::string> cells{fmt::format("{}", row.step)};
    for (std::size_t m = 0; m < 3; ++m) {
      const Result run =
          simulate(problem.system, {.end = problem.end, .method = rules[m], .step = row.step, .keep = Keep::end});
      const double ours = run.range(Observable{0}).variation();
      cells.insert(cells.end(), {row.printed[m], fmt::format("{:.2e}", ours)});
      report.same(fmt::format("step {}, {}", row.step, rules[m]), row.printed[m], ours, 1e-12);
    }
    report.row(cells);
  }
}

}  // namespace pawl::bench
