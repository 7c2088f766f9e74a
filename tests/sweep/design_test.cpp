// Which values the runs of a sweep have.
#include "pawl/design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "misuse_of.hpp"
#include "pawl/system.hpp"
#include "sweep/normal.hpp"
#include "sweep/permutation.hpp"
#include "sweep/philox.hpp"
#include "sweep/sobol.hpp"

namespace pawl {
namespace {

using sweeping::philox;
using sweeping::PhiloxBlock;
using testing::misuse_of;

// Random123, kat_vectors: philox4x32 10.
TEST(Philox, GivesThePublishedBlocks) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

double sobol(std::uint64_t index, int dimension) {
  return static_cast<double>(sweeping::sobol_bits(index, dimension) >> 11U) * 0x1p-53;
}

// Joe and Kuo, "Notes on generating Sobol sequences" (2008): the first points in three dimensions.
TEST(SobolSequence, BeginsAsPublished) {
  const double points[8][3] = {{0, 0, 0},
                               {0.5, 0.5, 0.5},
                               {0.75, 0.25, 0.25},
                               {0.25, 0.75, 0.75},
                               {0.375, 0.375, 0.625},
                               {0.875, 0.875, 0.125},
                               {0.625, 0.125, 0.875},
                               {0.125, 0.625, 0.375}};
  for (std::uint64_t i = 0; i < 8; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(sobol(i, j), points[i][j]) << "point " << i << ", coordinate " << j;
}

TEST(SobolSequence, HasOnePointInEveryPartOfEveryCoordinate) {
  constexpr int parts = 1024;
  for (int j = 0; j < sweeping::sobol_dimensions; ++j) {
    std::set<int> seen;
    for (std::uint64_t i = 0; i < parts; ++i) seen.insert(static_cast<int>(sobol(i, j) * parts));
    EXPECT_EQ(seen.size(), std::size_t{parts}) << "coordinate " << j;
  }
}

TEST(SobolSequence, IsANetInItsFirstTwoCoordinates) {
  constexpr int m = 8;
  for (int k = 0; k <= m; ++k) {  // boxes of 2^-k by 2^-(m - k)
    std::set<std::pair<int, int>> boxes;
    for (std::uint64_t i = 0; i < 1U << m; ++i)
      boxes.emplace(static_cast<int>(sobol(i, 0) * (1 << k)), static_cast<int>(sobol(i, 1) * (1 << (m - k))));
    EXPECT_EQ(boxes.size(), std::size_t{1} << m) << "k = " << k;
  }
}

TEST(Permutation, IsOne) {
  for (std::uint64_t count = 1; count < 200; ++count) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t to = sweeping::permuted(i, count, 7, 3);
      EXPECT_LT(to, count);
      seen.insert(to);
    }
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(NormalQuantile, IsTheInverseOfTheProbability) {
  EXPECT_NEAR(sweeping::normal_quantile(0.975), 1.959963984540054, 1e-15);  // tables of the normal distribution
  EXPECT_NEAR(sweeping::normal_quantile(1e-10), -6.361340902404056, 1e-14);
  for (const double p : {1e-300, 1e-20, 1e-10, 1e-5, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.49, 0.5, 0.6, 0.9}) {
    // An error δ of the quantile changes the probability by δ φ(x): a relative change of about δ |x| in the tail.
    const double x = sweeping::normal_quantile(p);
    EXPECT_NEAR(sweeping::normal_probability(x) / p, 1, 4e-16 * (1 + x * x)) << "p = " << p;
  }
}

struct Moments {
  double mean, deviation;
};
// By the midpoint rule in the probability, for distributions without far tails.
Moments moments_of(const Distribution& distribution) {
  constexpr int n = 200'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) sum += distribution.quantile((i + 0.5) / n);
  for (int i = 0; i < n; ++i) squares += std::pow(distribution.quantile((i + 0.5) / n) - sum / n, 2);
  return {sum / n, std::sqrt(squares / n)};
}

TEST(Distribution, HasItsMeanAndDeviation) {
  const auto expect = [](const Distribution& distribution, double mean, double deviation) {
    const Moments found = moments_of(distribution);
    EXPECT_NEAR(found.mean, mean, 1e-4 * deviation) << distribution.text();
    EXPECT_NEAR(found.deviation, deviation, 1e-3 * deviation) << distribution.text();
  };
  expect(Distribution::uniform(900, 1100), 1000, 200 / std::sqrt(12));
  expect(Distribution::normal(2e4, 1e3), 2e4, 1e3);
  expect(Distribution::triangular(0, 1, 4), 5. / 3, std::sqrt((16. + 1 - 0 - 4 - 0) / 18));
  expect(Distribution::exponential(3), 3, 3);
  expect(Distribution::lognormal(0.5, 0.25), std::exp(0.5 + 0.03125),
         std::exp(0.5 + 0.03125) * std::sqrt(std::expm1(0.0625)));
  expect(Distribution::loguniform(1, std::exp(2)), std::expm1(2) / 2,
         std::sqrt(std::expm1(4) / 4 - std::pow(std::expm1(2) / 2, 2)));
  // Truncated symmetrically at one deviation: variance 1 - 2 φ(1) / (2 Φ(1) - 1).
  const double density = std::exp(-0.5) / std::sqrt(2 * std::numbers::pi);
  expect(Distribution::normal(5, 1, 4, 6), 5, std::sqrt(1 - 2 * density / std::erf(1 / std::numbers::sqrt2)));
}

TEST(Distribution, KeepsTheDigitsOfAFarTail) {
  // Beyond x = 10 a normal number is 10 + E / 10 with E nearly exponential: the mean excess is 0.0981 (Mills' ratio).
  const Moments tail = moments_of(Distribution::normal(0, 1, 10, 20));
  EXPECT_NEAR(tail.mean, 10.0981, 1e-3);
}

TEST(Distribution, ReadsWhatItWrites) {
  for (const char* words : {"uniform(-1,1)", "normal(20000,1000)", "normal(0,1,-2,2)", "lognormal(0,0.1)",
                            "triangular(0,1,4)", "exponential(3)", "loguniform(0.001,10)"})
    EXPECT_EQ(Distribution::read(words).text(), words);
}

TEST(Distribution, RefusesWhatIsNone) {
  const auto refusal = [](const char* words) { return misuse_of([=] { Distribution::read(words); }); };
  EXPECT_EQ(refusal("normal(2e4,-1)"), "normal(20000,-1): deviation -1 must be greater than 0");
  EXPECT_EQ(refusal("uniform(2,1)"), "uniform(2,1): high 1 must be greater than 2");
  EXPECT_EQ(refusal("uniform(1,nan)"), "uniform(1,nan): nan is not a finite number");
  EXPECT_EQ(refusal("normal(1)"), "normal(1): expected normal(mean,deviation) or normal(mean,deviation,low,high)");
  EXPECT_EQ(refusal("normal(1,x)"), "normal(1,x): 'x' is not a number");
  EXPECT_EQ(refusal("triangular(0,5,1)"), "triangular(0,5,1): mode 5 must lie between low 0 and high 1");
  EXPECT_EQ(refusal("normal(0,1,50,60)"), "normal(0,1,50,60): nothing of it lies between 50 and 60");
  EXPECT_EQ(refusal("norml(0,1)"),
            "norml(0,1): unknown distribution 'norml'; did you mean 'normal'? (there are uniform, loguniform, normal, "
            "lognormal, triangular, exponential)");
}

TEST(Levels, HaveTheirEndsExactly) {
  EXPECT_EQ(read_levels("0.5:0.9:5"), (std::vector<double>{0.5, 0.6, 0.7, 0.8, 0.9}));
  EXPECT_EQ(read_levels("9.7,9.81"), (std::vector<double>{9.7, 9.81}));
  const std::vector<double> decades = read_levels("1:1000:4:log");
  EXPECT_EQ(decades.front(), 1);
  EXPECT_EQ(decades.back(), 1000);
  EXPECT_NEAR(decades[2], 100, 1e-12);
}

TEST(Levels, AreRefusedWhereThereAreNone) {
  const auto refusal = [](const char* words) { return misuse_of([=] { read_levels(words); }); };
  EXPECT_EQ(refusal("0.5:0.9:0"), "0.5:0.9:0 is empty: one level or more");
  EXPECT_EQ(refusal("0.5:0.9:1"), "0.5:0.9:1 has two ends and one level: two or more");
  EXPECT_EQ(refusal("0.5:nan:3"), "0.5:nan has an end that is not a finite number");
  EXPECT_EQ(refusal("0.5:0.9"), "expected first:last:count, first:last:count:log or a list a,b,c");
  EXPECT_EQ(refusal("0.5:0.9:2.5"), "'2.5' is no number of levels");
  EXPECT_EQ(refusal("1,,2"), "'' is not a number");
  EXPECT_EQ(refusal("-1:1:3:log"), "-1:1:log: both ends must be positive");
}

std::vector<double> row(const Design& design, long long run) {
  std::vector<double> values(design.columns());
  design.values(run, values.data());
  return values;
}

TEST(Design, AGridHasEveryLevelWithEveryOther) {
  Design design;
  design.vary("a", {1, 2, 3}).vary("b", {10, 20});
  ASSERT_EQ(design.size(), 6);
  std::set<std::vector<double>> seen;
  for (long long run = 0; run < 6; ++run) seen.insert(row(design, run));
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(row(design, 1), (std::vector<double>{1, 20}));
}

TEST(Design, DrawsAreTheSameAtEveryPointOfTheGrid) {
  Design design;
  design.vary("a", {1, 2, 3}).random("k", Distribution::normal(0, 1));
  design.draws = 4;
  ASSERT_EQ(design.size(), 12);
  for (long long run = 0; run < 12; ++run) EXPECT_EQ(row(design, run)[1], row(design, run / 3 * 3)[1]);
  EXPECT_NE(row(design, 0)[1], row(design, 3)[1]);
}

TEST(Design, AnotherSeedDrawsOtherNumbers) {
  for (const Sampling sampling : {Sampling::random, Sampling::sobol, Sampling::latin}) {
    Design design;
    design.random("k", Distribution::uniform(0, 1));
    design.sampling = sampling;
    design.draws = 100;
    Design other = design;
    other.seed = 1;
    for (long long run = 0; run < 100; ++run) EXPECT_NE(row(design, run), row(other, run)) << to_string(sampling);
  }
}

TEST(Design, ALatinHypercubeHasOneDrawInEveryPart) {
  Design design;
  for (const char* name : {"a", "b", "c"}) design.random(name, Distribution::uniform(0, 1000));
  design.sampling = Sampling::latin;
  design.draws = 1000;
  for (std::size_t column = 0; column < 3; ++column) {
    std::set<int> seen;
    for (long long run = 0; run < 1000; ++run) seen.insert(static_cast<int>(row(design, run)[column]));
    EXPECT_EQ(seen.size(), 1000u);
  }
}

TEST(Design, ForIndicesHasColumnsOfBInA) {
  Design design;
  for (const char* name : {"a", "b", "c"}) design.random(name, Distribution::uniform(0, 1));
  design.draws = 8;
  design.for_indices = true;
  ASSERT_EQ(design.size(), 5 * 8);
  for (long long draw = 0; draw < 8; ++draw) {
    const std::vector<double> a = row(design, draw), b = row(design, 8 + draw);
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<double> mixed = a;
      mixed[i] = b[i];
      EXPECT_EQ(row(design, static_cast<long long>(i + 2) * 8 + draw), mixed);
    }
  }
}

// The mean of the ball's resting time sqrt(2/g) (1 + e)/(1 - e) with uniform g and e is known. Errors are averaged over
// seeds; slopes of the logarithm of the error over that of the number of draws.
TEST(Design, SobolAndLatinConvergeFasterThanRandom) {
  const double g0 = 9, g1 = 10.5, e0 = 0.5, e1 = 0.9;
  const double exact = 2 * std::sqrt(2.) * (std::sqrt(g1) - std::sqrt(g0)) / (g1 - g0) *
                       (-(e1 - e0) - 2 * (std::log(1 - e1) - std::log(1 - e0))) / (e1 - e0);
  const auto error = [&](Sampling sampling, long long draws) {
    double squares = 0;
    constexpr int seeds = 32;
    for (int seed = 0; seed < seeds; ++seed) {
      Design design;
      design.random("g", Distribution::uniform(g0, g1)).random("e", Distribution::uniform(e0, e1));
      design.sampling = sampling;
      design.draws = draws;
      design.seed = static_cast<std::uint64_t>(seed);
      double sum = 0;
      for (long long run = 0; run < draws; ++run) {
        const std::vector<double> v = row(design, run);
        sum += std::sqrt(2 / v[0]) * (1 + v[1]) / (1 - v[1]);
      }
      squares += std::pow(sum / static_cast<double>(draws) - exact, 2);
    }
    return std::sqrt(squares / seeds);
  };
  const auto slope = [&](Sampling sampling) { return std::log2(error(sampling, 4096) / error(sampling, 64)) / 6; };
  // Root-mean-square errors of 32 seeds scatter by 1/8 of themselves, slopes by 0.05.
  EXPECT_NEAR(slope(Sampling::random), -0.5, 0.1);
  EXPECT_LT(slope(Sampling::sobol), -0.9);
  // The product is nearly a sum: all but the small interaction of g and e converges as n^-3/2, the rest as n^-1/2.
  EXPECT_LT(error(Sampling::latin, 4096), error(Sampling::random, 4096) / 10);
  EXPECT_LT(error(Sampling::sobol, 4096), error(Sampling::random, 4096) / 10);
}

TEST(Design, RefusesWhatCannotBeMeant) {
  const auto refusal = [](const Design& design) { return misuse_of([&] { design.check(); }); };
  EXPECT_EQ(refusal({}), "a sweep varies something: no parameter is varied or drawn");
  EXPECT_EQ(refusal(Design().vary("a", {})), "'a' is varied over no level");
  EXPECT_EQ(refusal(Design().vary("a", {1, std::nan("")})), "a level of 'a' is nan, no finite number");
  EXPECT_EQ(refusal(Design().vary("a", {1}).vary("a", {2})), "'a' is varied or drawn twice");
  Design none;
  none.random("a", Distribution::uniform(0, 1)).draws = 0;
  EXPECT_EQ(refusal(none), "0 runs: a sweep has one or more");
  Design same;
  same.vary("a", {1}).draws = 5;
  EXPECT_EQ(refusal(same), "5 draws of nothing: no parameter is random, and every run of a point would be the same");
  Design mixed;
  mixed.vary("a", {1}).random("b", Distribution::uniform(0, 1)).for_indices = true;
  EXPECT_EQ(refusal(mixed), "Sobol indices are of random parameters alone: 'a' is varied over levels");
  Design wide;
  for (int i = 0; i < 200; ++i) wide.random("p" + std::to_string(i), Distribution::uniform(0, 1));
  wide.sampling = Sampling::sobol;
  EXPECT_EQ(refusal(wide), "200 dimensions: Sobol's sequence is known here for 161; random and latin have no limit");
  Design large;
  large.vary("a", std::vector<double>(10'000'000, 1.0)).vary("b", std::vector<double>(10'000'000, 1.0));
  EXPECT_EQ(refusal(large), "1e+14 runs are more than the 1e+12 that are possible");
}

}  // namespace
}  // namespace pawl
