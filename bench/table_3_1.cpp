// Table 3.1 of Compere (2001): variation of the energy of the compound pendulum over five seconds, for three rules and
// four fixed steps. Published, and ours beside it.
#include <fmt/format.h>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

int main() {
  struct Row {
    double step;
    double printed[3];
  };
  constexpr Row rows[] = {{0.05, {1.8e-1, 1.4e-4, 5.3e-11}},
                          {0.01, {1.4e-3, 4.5e-8, 5.7e-14}},
                          {0.005, {1.8e-4, 1.4e-9, 5.7e-14}},
                          {0.001, {1.4e-6, 5.1e-13, 1.4e-13}}};
  constexpr const char* methods[] = {"kutta-3", "fehlberg-45", "fehlberg-78"};
  const pawl::Problem& problem = pawl::find_problem("compere-pendulum");
  fmt::print(
      "RK-3 is Kutta's rule, RK-5 the fifth-order weights of Fehlberg 4(5), RK-8 the eighth-order weights of Fehlberg "
      "7(8). "
      "Below about 1e-12 both columns show rounding, which depends on the order of summation.\n\n"
      "| step | RK-3 printed | kutta-3 | RK-5 printed | fehlberg-45 | RK-8 printed | fehlberg-78 "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    fmt::print("| {} |", row.step);
    for (int m = 0; m < 3; ++m) {
      const pawl::Result run = simulate(
          problem.system, {.end = problem.end, .method = methods[m], .step = row.step, .keep = pawl::Keep::end});
      fmt::print(" {:.1e} | {:.2e} |", row.printed[m], run.range(pawl::Observable{0}).variation());
    }
    fmt::print("\n");
  }
}
