// The smallest model: one state, one parameter, one equation.
#include <cstdio>

#include "pawl/pawl.hpp"

int main() {
  using namespace pawl;
  System decay("decay");
  const auto amount = decay.state("amount", 1.0);
  const auto rate = decay.parameter("rate", 0.5);
  decay.rates([=](const auto& at, auto& d) { d[amount] = -at[rate] * at[amount]; });

  for (const double value : {0.5, 1.0, 2.0}) {  // one model, several runs
    Values values(decay);
    values[rate] = value;
    const Result run = simulate(decay, values, {.end = 4, .tolerance = 1e-9});
    std::printf("rate %.1f: %.9f left at t = 4\n", value, run.final()[amount]);
  }
}
