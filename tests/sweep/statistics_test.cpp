// What is said of all runs together, against what is known exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "misuse_of.hpp"
#include "pawl/sweep.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

using std::numbers::pi;

TEST(Summary, OfNumbersThatAreKnown) {
  Sweep all("numbers", Design().vary("k", {1, 2, 3, 4, 5, 6}), {"x"});
  const double values[] = {4, 1, 3, 2, std::nan(""), 100};
  for (long long run = 0; run < 5; ++run) all.set(run, RunState::finished, values + run, "");
  all.set(5, RunState::failed, values + 5, "because");
  const Summary x = summarize(all, "x");
  EXPECT_EQ(x.count, 4);
  EXPECT_EQ(x.without, 1);
  EXPECT_DOUBLE_EQ(x.mean, 2.5);
  EXPECT_DOUBLE_EQ(x.deviation, std::sqrt(5. / 3));
  EXPECT_EQ(x.min, 1);
  EXPECT_EQ(x.min_run, 1);
  EXPECT_EQ(x.max, 4);
  EXPECT_EQ(x.max_run, 0);
  EXPECT_EQ(x.quantiles, (std::vector<double>{1 + 0.05 * 3, 1.75, 2.5, 3.25, 1 + 0.95 * 3}));
}

// Of f = sin x1 + a sin^2 x2 + b x3^4 sin x1 with uniform x in (-π, π), a = 7, b = 0.1 (Ishigami, Homma 1990):
//   V1 = (1 + b π^4/5)^2 / 2,  V2 = a^2/8,  V13 = 8 b^2 π^8/225,  V = V1 + V2 + V13
TEST(SobolIndices, OfTheIshigamiFunction) {
  System ishigami("ishigami");
  const auto y = ishigami.state("y", 0);
  const auto x1 = ishigami.parameter("x1", 0), x2 = ishigami.parameter("x2", 0), x3 = ishigami.parameter("x3", 0);
  ishigami.rates([=](const auto& at, auto& d) {
    const double s = std::sin(at[x2]);
    d[y] = std::sin(at[x1]) + 7 * s * s + 0.1 * std::pow(at[x3], 4) * std::sin(at[x1]);  // constant: y(1) = f
  });
  Design design;
  for (const char* name : {"x1", "x2", "x3"}) design.random(name, Distribution::uniform(-pi, pi));
  design.sampling = Sampling::sobol;
  design.draws = 1 << 14;
  design.for_indices = true;
  SweepOptions options;
  options.run.end = 1;
  const Sweep all = sweep(ishigami, design, options);
  ASSERT_EQ(all.failed(), 0);
  const double V1 = std::pow(1 + 0.1 * std::pow(pi, 4) / 5, 2) / 2, V2 = 49. / 8,
               V13 = 8 * 0.01 * std::pow(pi, 8) / 225, V = V1 + V2 + V13;
  const std::vector<SobolIndex> found = sobol_indices(all, "y");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].first, V1 / V, 1e-3);
  EXPECT_NEAR(found[1].first, V2 / V, 1e-3);
  EXPECT_NEAR(found[2].first, 0, 1e-3);
  EXPECT_NEAR(found[0].total, (V1 + V13) / V, 1e-3);
  EXPECT_NEAR(found[1].total, V2 / V, 1e-3);
  EXPECT_NEAR(found[2].total, V13 / V, 1e-3);
}

TEST(SobolIndices, NeedRunsThatWerePlannedForThem) {
  const Sweep all("numbers", Design().vary("k", {1, 2}), {"x"});
  EXPECT_EQ(testing::misuse_of([&] { sobol_indices(all, "x"); }),
            "Sobol indices need runs that were planned for them: --indices, or Design::for_indices");
}

// The ball rests at T = sqrt(2 h / g) (1 + e) / (1 - e); mean and variance with uniform g and e are integrals of
// powers:
//   E[2/g] = 2 ln(g1/g0)/(g1 - g0),   E[q^2] with q = (1 + e)/(1 - e): e + 4 ln(1 - e) + 4/(1 - e) between the ends
TEST(MonteCarlo, OfTheRestingTimeOfTheBall) {
  const double g0 = 9, g1 = 10.5, e0 = 0.5, e1 = 0.9;
  Design design;
  design.random("gravity", Distribution::uniform(g0, g1)).random("e", Distribution::uniform(e0, e1));
  design.draws = 4000;
  design.seed = 1;
  SweepOptions options;
  options.run.end = 20;
  options.run.tolerance = 1e-9;
  options.keep = {"last_time_of:ground"};
  const Sweep all = sweep(find_problem("bouncing-ball").system, design, options);
  ASSERT_EQ(all.failed(), 0);
  for (long long run = 0; run < 50; ++run) {
    const double e = all.value(run, "e"), T = std::sqrt(2 / all.value(run, "gravity")) * (1 + e) / (1 - e);
    EXPECT_NEAR(all.value(run, "last_time_of:ground"), T, 1e-6) << "run " << run;
  }
  const double root = 2 * std::sqrt(2.) * (std::sqrt(g1) - std::sqrt(g0)) / (g1 - g0),
               square = 2 * std::log(g1 / g0) / (g1 - g0);
  const auto first = [](double e) { return -e - 2 * std::log(1 - e); };
  const auto second = [](double e) { return e + 4 * std::log(1 - e) + 4 / (1 - e); };
  const double mean = root * (first(e1) - first(e0)) / (e1 - e0),
               variance = square * (second(e1) - second(e0)) / (e1 - e0) - mean * mean;
  const Summary rest = summarize(all, "last_time_of:ground");
  const auto n = static_cast<double>(rest.count);
  EXPECT_NEAR(rest.mean, mean, 3 * std::sqrt(variance / n));
  // The standard error of a deviation s is s sqrt((kurtosis - 1) / 4 n); that of this distribution is below 6.
  EXPECT_NEAR(rest.deviation, std::sqrt(variance), 3 * std::sqrt(variance * 5 / (4 * n)));
}

}  // namespace
}  // namespace pawl
