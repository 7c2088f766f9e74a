// Result::table: the numbers of single instants, row after row, with each function of the model called once per row.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "misuse_of.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"

namespace pawl {
namespace {

System bouncing() {
  System ball("ball");
  const auto height = ball.state("height", 1.0), speed = ball.state("speed", 0.0);
  const auto bounces = ball.discrete("bounces", 0.0);
  ball.parameter("gravity", 2.0);
  ball.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = -2.0;
  });
  ball.guard("floor", [=](const auto& at) { return at[height]; }).falling().then([=](Jump& jump) {
    jump[speed] = -jump.pre(speed);
    jump[bounces] = jump.pre(bounces) + 1;
  });
  ball.observable("energy", [=](const auto& at) { return at[speed] * at[speed] / 2 + 2 * at[height]; });
  return ball;
}

TEST(Table, HasTheNumbersOfEveryInstantRowByRow) {
  const Result run = simulate(bouncing(), {.end = 2.5});
  const std::vector<double> times{0, 0.3, 1, 2.5};
  const std::vector<std::string> names{"t", "speed", "energy", "gravity", "bounces", "height"};
  const Table table = run.table(times, names);
  EXPECT_EQ(table.names, names);
  ASSERT_EQ(table.rows(), 4u);
  ASSERT_EQ(table.columns(), 6u);
  ASSERT_EQ(table.values.size(), 24u);
  for (std::size_t r = 0; r < times.size(); ++r) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      EXPECT_EQ(table(r, c), run.at(times[r])[names[c]]) << names[c] << " at " << times[r];
      EXPECT_EQ(table.values[6 * r + c], table(r, c));
    }
  }
  EXPECT_NEAR(table(1, 1), -0.6, 1e-12);  // exact: height 1 - t^2 until it meets the floor at t = 1
  EXPECT_NEAR(table(2, 1), 2, 1e-12);     // after the event
  EXPECT_EQ(table(0, 4), 0);
  EXPECT_EQ(table(3, 4), 1);
}

TEST(Table, OfSamplesShowsAnEventBeforeAndAfterAndWhatWasAskedForAlone) {
  const Result every_step = simulate(bouncing(), {.end = 1.5});
  const Table steps = every_step.table_of_samples({"t", "speed"});
  EXPECT_EQ(steps.rows(), static_cast<std::size_t>(every_step.sample_count()));
  bool has_both_sides = false;
  for (std::size_t r = 1; r < steps.rows(); ++r) {
    if (steps(r, 0) != steps(r - 1, 0)) continue;
    has_both_sides = true;
    EXPECT_NEAR(steps(r - 1, 1), -2, 1e-12);
    EXPECT_NEAR(steps(r, 1), 2, 1e-12);
  }
  EXPECT_TRUE(has_both_sides);
  const Result asked = simulate(bouncing(), {.end = 1.5, .samples = 3});
  const Table samples = asked.table_of_samples({"t"});
  EXPECT_EQ(samples.values, (std::vector<double>{0, 0.5, 1, 1.5}));
  EXPECT_GT(asked.sample_count(), 4);
}

TEST(Table, OfNothingIsEmptyAndAWrongNameIsMisuse) {
  const Result run = simulate(bouncing(), {.end = 0.5});
  EXPECT_EQ(run.table({}, {"t"}).rows(), 0u);
  EXPECT_EQ(run.table({0.1}, {}).rows(), 0u);
  EXPECT_EQ(testing::misuse_of([&] {
              run.table({0.1}, {"t", "hight"});
            }),
            "system 'ball' has no quantity 'hight'; did you mean 'height'?");
  EXPECT_EQ(testing::misuse_of([&] { run.table({0.6}, {"t"}); }), "t = 0.6 is outside the run, which covers [0, 0.5]");
}

TEST(Table, SolvesForAllMultipliersOfARowAtOnce) {
  const auto calls = std::make_shared<long long>(0);
  constexpr int links = 5;
  Mechanics chain("chain");
  std::vector<Coordinate> x, y;
  for (int i = 0; i < links; ++i) {
    x.push_back(chain.coordinate("x" + std::to_string(i), i + 1.0));
    y.push_back(chain.coordinate("y" + std::to_string(i), 0));
    chain.mass(x.back(), 1.0);
    chain.mass(y.back(), 1.0);
  }
  chain.force([=](const auto& at, auto& f) {
    if constexpr (std::is_same_v<std::decay_t<decltype(at[x[0]])>, double>) ++*calls;
    for (const Coordinate height : y) f[height] -= 9.81;
  });
  std::vector<std::string> names{"t"};
  for (int i = 0; i < links; ++i) {
    const auto k = static_cast<std::size_t>(i);
    names.push_back("rod" + std::to_string(i));
    chain.constraint(names.back(), [=](const auto& at) {
      if (k == 0) return (sqr(at[x[0]]) + sqr(at[y[0]]) - 1) / 2;
      return (sqr(at[x[k]] - at[x[k - 1]]) + sqr(at[y[k]] - at[y[k - 1]]) - 1) / 2;
    });
  }
  const Result run = simulate(chain, {.end = 0.3});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> times{0.05, 0.1, 0.15, 0.2};
  const long long before = *calls;
  const Table table = run.table(times, names);
  EXPECT_LE(*calls - before, static_cast<long long>(times.size()) + 1);
  for (std::size_t r = 0; r < times.size(); ++r) {
    for (std::size_t c = 0; c < names.size(); ++c) EXPECT_EQ(table(r, c), run.at(times[r])[names[c]]);
  }
}

}  // namespace
}  // namespace pawl
