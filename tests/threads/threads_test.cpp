// One model and one result used by many threads at once: the same bits as alone. make threads runs this under the
// thread sanitizer.
#include <gtest/gtest.h>

#include <thread>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

constexpr std::size_t count = 8;

/// What f(i) gives for i = 0 to 7, each in a thread of its own.
template <class F>
auto in_threads(const F& f) {
  std::vector<decltype(f(std::size_t{}))> results(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&, i] { results[i] = f(i); });
  for (std::thread& one : threads) one.join();
  return results;
}

struct Run {
  const char *problem, *method;
  double end;
};

class Threads : public ::testing::TestWithParam<Run> {};

TEST_P(Threads, RunOneSystemWithTheSameBits) {
  const auto [name, method, end] = GetParam();
  const System system = find_problem(name).system;
  const CompiledModel model(system);
  const Options options{.end = end, .method = method};
  const Result alone = simulate(system, options);
  ASSERT_TRUE(alone.finished()) << alone.reason;
  for (const Result& one :
       in_threads([&](std::size_t i) { return i % 2 == 0 ? simulate(model, options) : simulate(system, options); })) {
    EXPECT_EQ(one.final().states(), alone.final().states());
    EXPECT_EQ(one.statistics.rhs, alone.statistics.rhs);
    EXPECT_EQ(one.events.size(), alone.events.size());
  }
}

TEST_P(Threads, ReadOneResultWithTheSameBits) {
  const auto [name, method, end] = GetParam();
  const Result run = simulate(find_problem(name).system, {.end = end, .method = method});
  const std::vector<std::string> names = run.quantity_names();
  std::vector<double> times;
  for (int i = 0; i <= 20; ++i) times.push_back(run.t_end * i / 20);
  const std::vector<double> alone = run.table(times, names).values;
  for (const auto& values : in_threads([&](std::size_t) { return run.table(times, names).values; }))
    EXPECT_EQ(values, alone);
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Threads,
                         ::testing::Values(Run{"lorenz", "auto", 2}, Run{"bouncing-ball", "auto", 1},
                                           Run{"squeezer", "auto", 0.005}, Run{"squeezer", "radau", 0.001},
                                           Run{"robertson", "radau", 10}, Run{"transistor-amplifier", "auto", 0.01},
                                           Run{"belt-block", "auto", 1}, Run{"diode-bridge", "auto", 0.005},
                                           Run{"ph-pendulum", "auto", 0.5}),
                         [](const auto& one) {
                           std::string name = std::string(one.param.problem) + "_" + one.param.method;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pawl
