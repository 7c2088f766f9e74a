// A run allocates while it is set up, not while it steps.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"
#include "problems/catalogue.hpp"
#include "stepper_of.hpp"

namespace {
std::atomic<long long> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace pawl {
namespace {

template <class Run>
long long allocations_of(const Run& run) {
  const long long before = allocations;
  run();
  return allocations - before;
}

TEST(Allocation, AThousandStepsAllocateAsOftenAsAHundred) {
  for (const char* name : {"lorenz", "pleiades"}) {
    const Problem& problem = find_problem(name);
    for (const Method& method : methods()) {
      if (!testing::takes_fixed_steps(method)) continue;
      SCOPED_TRACE(method.name);
      const auto run = [&](double end) {
        const Result result =
            simulate(problem.system, {.end = end, .method = method.name, .step = 1e-3, .keep = Keep::end});
        EXPECT_EQ(result.statistics.steps_accepted, static_cast<long long>(std::lround(end / 1e-3)));
      };
      run(0.1);
      EXPECT_EQ(allocations_of([&] { run(1); }), allocations_of([&] { run(0.1); }));
    }
  }
}

TEST(Allocation, AdaptiveStepsDoNotAllocateEither) {
  const Problem& problem = find_problem("lorenz");
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    SCOPED_TRACE(method.name);
    const auto run = [&](double end) {
      simulate(problem.system, {.end = end, .method = method.name, .keep = Keep::end});
    };
    run(0.1);
    EXPECT_EQ(allocations_of([&] { run(10); }), allocations_of([&] { run(0.1); }));
  }
}

void expect_no_allocation(const System& system, double step) {
  for (const char* method : {"dormand-prince-5", "tsitouras-papakostas-8", "rk4"}) {
    SCOPED_TRACE(system.name() + " " + method);
    const auto run = [&](int steps) {
      const Result result = simulate(system, {.end = steps * step, .method = method, .step = step, .keep = Keep::end});
      EXPECT_EQ(result.statistics.steps_accepted, steps) << result.reason;
    };
    run(10);
    EXPECT_EQ(allocations_of([&] { run(300); }), allocations_of([&] { run(10); }));
  }
}

TEST(Allocation, StepsOnAManifoldDoNotAllocate) {
  expect_no_allocation(find_problem("squeezer").system, 1e-5);
  expect_no_allocation(find_problem("rolling-spheres").system, 1e-3);
  expect_no_allocation(find_problem("chain").system, 1e-4);
  expect_no_allocation(find_problem("quaternion-top").system, 1e-4);
  expect_no_allocation(find_problem("flyball").system, 1e-3);
}

TEST(Allocation, StepsWithGuardsThatAreQuietDoNotAllocate) {
  System system("guarded");
  const auto x = system.state("x", 1.0), v = system.state("v", 0.0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x];
  });
  for (int i = 0; i < 8; ++i)  // few enough to stay awake: each is looked at in every step
    system.guard("guard " + std::to_string(i), [=](const auto& at) { return at[x] * at[v] - 2 - i; });
  for (const char* method : {"dormand-prince-5", "dop853"}) {
    const auto run = [&](double end) { simulate(system, {.end = end, .method = method, .keep = Keep::end}); };
    run(10);
    EXPECT_EQ(allocations_of([&] { run(1000); }), allocations_of([&] { run(10); })) << method;
  }
}

TEST(Allocation, TheInlinedRouteDoesNotAllocatePerStep) {
  constexpr State x{0}, v{1};
  const auto oscillator = [=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x];
  };
  const auto run = [&](double end) {
    integrate<verner_9>(oscillator, {1.0, 0.0}, {.end = end, .tolerance = 1e-9, .keep = Keep::end});
  };
  run(1);
  EXPECT_EQ(allocations_of([&] { run(1000); }), allocations_of([&] { run(1); }));
}

TEST(Allocation, RecordingGrowsItsArraysGeometrically) {
  const Problem& problem = find_problem("lorenz");
  const auto run = [&](double end) {
    simulate(problem.system, {.end = end, .method = "dormand-prince-5", .step = 1e-4});
  };
  run(0.01);
  const long long more =
      allocations_of([&] { run(1); }) - allocations_of([&] { run(0.01); });  // 10 000 steps instead of 100
  EXPECT_LE(more,
            10 * 8);  // ten arrays, a hundred times larger: seven doublings each, and one for luck in the start size
}

}  // namespace
}  // namespace pawl
