// One model and one result used by many threads at once, and a sweep: the same bits as alone. make threads runs this
// under the thread sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "pawl/model/model.hpp"
#include "pawl/simulate.hpp"
#include "pawl/simulation.hpp"
#include "pawl/sweep.hpp"
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

TEST_P(Threads, ContinueSimulationsOfOneModelWithTheSameBits) {
  const auto [name, method, end] = GetParam();
  const CompiledModel model(find_problem(name).system);
  const Options options{.end = end, .method = method};
  const auto in_two_pieces = [&](std::size_t) {
    Simulation run(model, options);
    run.advance_to(options.end / 2);
    return run.finish();
  };
  const Result alone = in_two_pieces(0);
  ASSERT_TRUE(alone.finished()) << alone.reason;
  for (const Result& one : in_threads(in_two_pieces)) {
    EXPECT_EQ(one.final().states(), alone.final().states());
    EXPECT_EQ(one.statistics.rhs, alone.statistics.rhs);
    EXPECT_EQ(one.events.size(), alone.events.size());
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Threads,
                         ::testing::Values(Run{"lorenz", "auto", 2}, Run{"bouncing-ball", "auto", 1},
                                           Run{"squeezer", "auto", 0.005}, Run{"squeezer", "radau", 0.001},
                                           Run{"robertson", "radau", 10}, Run{"transistor-amplifier", "auto", 0.01},
                                           Run{"belt-block", "auto", 1}, Run{"diode-bridge", "auto", 0.005},
                                           Run{"ph-pendulum", "auto", 0.5}, Run{"vdpol", "bdf", 0.1},
                                           Run{"flail", "auto", 0.6}, Run{"buck-converter", "auto", 0.0003},
                                           Run{"servo", "auto", 0.01}, Run{"coil-pendulum", "auto", 0.02}),
                         [](const auto& one) {
                           std::string name = std::string(one.param.problem) + "_" + one.param.method;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ThreadsOfAFamily, RunOneModelWithTheSameBits) {
  const CompiledModel model(find_problem("sphere-box").system);
  const Options options{.end = 0.1};
  const Result alone = simulate(model, options);
  ASSERT_TRUE(alone.finished()) << alone.reason;
  for (const Result& one : in_threads([&](std::size_t) { return simulate(model, options); }))
    EXPECT_EQ(one.final().states(), alone.final().states());
}

// A tank that is filled whenever it is low, beside a stiff pair: numbers and duals are evaluated, as native code where
// there is any, whose part for duals is made when the first thread asks for it.
TEST(ThreadsOfAModelAsData, BuildItAndRunItWithTheSameBits) {
  using model::Expr;
  model::Model tank("tank");
  const Expr level = tank.state("level", 1.0), flow = tank.variable("flow");
  const Expr u = tank.state("u", 1.0), v = tank.state("v", 0.0), fills = tank.discrete("fills", 0);
  tank.equation(flow, 0.4 * sqrt(level));
  tank.equation(der(level), -flow);
  tank.equation(der(u), v);
  tank.equation(der(v), -1e3 * sin(u) - 1e3 * v);
  const Expr low = tank.relation("low", 0.25 - level);
  tank.when(low, [&](model::When& when) {
    when.reinit(level, 1.0);
    when.assign(fills, pre(fills) + 1);
  });
  for (const char* method : {"auto", "radau"}) {
    const Options options{.end = 10, .method = method};
    const Result alone = simulate(tank.build(), options);
    ASSERT_TRUE(alone.finished()) << alone.reason;
    EXPECT_GE(alone.final()["fills"], 2);
    const CompiledModel model(tank.build());  // nobody has asked it for duals yet
    for (const Result& one : in_threads(
             [&](std::size_t i) { return i % 2 == 0 ? simulate(model, options) : simulate(tank.build(), options); })) {
      EXPECT_EQ(one.final().states(), alone.final().states()) << method;
      EXPECT_EQ(one.events.size(), alone.events.size()) << method;
    }
  }
}

TEST(ThreadsOfASweep, GiveTheSameBits) {
  const System& ball = find_problem("bouncing-ball").system;
  Design design;
  design.random("gravity", Distribution::uniform(9, 10.5)).random("e", Distribution::uniform(0.5, 0.9));
  design.draws = 100;
  const auto with_jobs = [&](int jobs) {
    SweepOptions options;
    options.run.end = 5;
    options.keep = {"final", "events", "range:height"};
    options.jobs = jobs;
    return sweep(ball, design, options);
  };
  const Sweep alone = with_jobs(1), together = with_jobs(static_cast<int>(count));
  ASSERT_EQ(together.size(), 100);
  for (long long run = 0; run < alone.size(); ++run) {
    for (std::size_t column = 0; column < alone.columns().size(); ++column)
      EXPECT_EQ(together.values(run)[column], alone.values(run)[column]) << "run " << run;
  }
}

}  // namespace
}  // namespace pawl
