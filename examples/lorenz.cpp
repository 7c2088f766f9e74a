// The inlined route: handles, size and method are known to the compiler, so nothing is called through a pointer.
#include <cstdio>

#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"

using namespace pawl;

constexpr State x{0}, y{1}, z{2};

int main() {
  const auto lorenz = [](const auto& at, auto& d) {
    d[x] = 10 * (at[y] - at[x]);
    d[y] = at[x] * (28 - at[z]) - at[y];
    d[z] = at[x] * at[y] - 8.0 / 3 * at[z];
  };
  const Result run = integrate<verner_9>(lorenz, {1.0, 1.0, 1.0}, {.end = 10, .tolerance = 1e-12});
  for (double t = 0; t <= 10; t += 2.5) std::printf("x(%4.1f) = %11.7f\n", t, run.at(t)[x]);
  std::printf("%lld steps, %lld right-hand sides\n", run.statistics.steps_accepted, run.statistics.rhs);
}
