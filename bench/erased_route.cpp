// What type erasure costs: the same problem and method through simulate() (erased, run-time handles and parameters) and
// through integrate() (inlined), n = 3 and n = 28. Wanted: at most 1.5 times at n = 3.
#include <fmt/format.h>

#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"
#include "problems/catalogue.hpp"
#include "smooth_problems.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {

namespace {

template <class Problem>
System as_system() {
  System system(Problem::name);
  for (int i = 0; i < Problem::size; ++i)
    system.state(fmt::format("x{}", i), Problem::start[static_cast<std::size_t>(i)]);
  system.rates(AsModel<Problem>());
  return system;
}

template <class Problem, const auto& table>
void compare(Report& report, const System& system, const char* label) {
  Options options{.end = Problem::end, .tolerance = 1e-9, .keep = Keep::end};
  Options erased_options = options;
  erased_options.method = table.name;
  long long steps = 0;
  const auto inlined = [&] {
    steps = integrate<table>(AsModel<Problem>(), Problem::start, options).statistics.steps_accepted;
  };
  const auto erased = [&] { simulate(system, erased_options); };
  const auto seconds = time_in_turn({inlined, erased}, 40);
  report.row({label, std::string(table.name), fmt::format("{:.1f}", 1e9 * seconds[0] / static_cast<double>(steps)),
              fmt::format("{:.1f}", 1e9 * seconds[1] / static_cast<double>(steps)),
              fmt::format("{:.2f}", seconds[1] / seconds[0])});
}

template <class Problem>
void compare_all(Report& report, const System& system, const char* label) {
  compare<Problem, bogacki_shampine_3>(report, system, label);
  compare<Problem, dormand_prince_5>(report, system, label);
  compare<Problem, tsitouras_5>(report, system, label);
  compare<Problem, dop853>(report, system, label);
  compare<Problem, verner_9>(report, system, label);
}

}  // namespace

void bench_erasure(Report& report, const Wanted&) {
  report.begin("erasure", {}, "Nanoseconds per accepted step, set-up of the run included, relative tolerance 1e-9.",
               {"problem", "method", "inlined", "erased", "ratio"});
  compare_all<Lorenz>(report, as_system<Lorenz>(), "lorenz");
  compare_all<Lorenz>(report, find_problem("lorenz").system, "lorenz, run-time handles and parameters");
  compare_all<Pleiades>(report, as_system<Pleiades>(), "pleiades");
}

}  // namespace pawl::bench
