// Does not compile, on purpose: each case is one mistake. The tests look for the advice in the compiler's output, and
// that it is short.
#include "pawl/pawl.hpp"

using namespace pawl;

int main() {
  System system("system");
  const auto x = system.state("x", 1);
  const auto p = system.parameter("p", 1);
  const auto n = system.discrete("n", 0);
  const Guard g = system.guard("g", [=](const auto& at) { return at[x]; });
  static_cast<void>(p), static_cast<void>(n), static_cast<void>(g);
#if CASE == 1
  system.rates([=](const auto& at, auto& d) { d[x] = std::sin(at[x]); });
#elif CASE == 2
  system.rates([=](const auto& at, auto& d) { d[x] = std::pow(at[x], 2) + std::atan2(at[x], 1.0); });
#elif CASE == 3
  system.rates([=](const auto& at, auto& d) { d[x] = at[g]; });
#elif CASE == 4
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[x];
    d[p] = 1;
  });
#elif CASE == 5
  system.at(1.0, [=](Jump& jump) { jump[g] = 1; });
#elif CASE == 6
  system.guard("h", [=](const auto& at) { return at[x]; }).then([=, count = 0](Jump& jump) mutable {
    jump[n] = ++count;
  });
#elif CASE == 7
  system.every(0.1, [=, count = 0](Jump& jump) mutable { jump[n] = ++count; });
#elif CASE == 8
  system.start([=, count = 0](Start& at) mutable { at[x] = ++count; });
#elif CASE == 9
  for (const std::string& name : simulate(system, {.end = 1}).state_names()) static_cast<void>(name);
#elif CASE == 10
  static_cast<void>(System("gone").declarations());
#elif CASE == 11
  const auto start = Simulation(system, {.end = 1})[x];
  static_cast<void>(start);
#endif
}
