#include <cstdio>

#include "pawl/pawl.hpp"
#include "pawl/report.hpp"
#include "pawl/tableaus.hpp"

int main() {
  using namespace pawl;
  System decay("decay");
  const auto amount = decay.state("amount", 1.0);
  const auto rate = decay.parameter("rate", 0.5);
  decay.rates([=](const auto& at, auto& d) { d[amount] = -at[rate] * at[amount]; });
  const Result run = simulate(decay, {.end = 4, .tolerance = 1e-11});
  std::printf("%.9f\n", run.final()[amount]);
  report(run, "decay.html");
  plot(run, "amount", "decay.svg");
  const auto inlined = [](const auto& at, auto& d) { d[State{0}] = -0.5 * at[State{0}]; };
  std::printf("%.9f\n", integrate<verner_7>(inlined, {1.0}, {.end = 4, .tolerance = 1e-11}).final()[State{0}]);
}
