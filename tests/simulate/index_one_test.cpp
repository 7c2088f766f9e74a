// Smooth systems of index 1 whose algebraic unknown passes zero and has any size beside its nominal one: every
// implicit one-step method finishes at every tolerance, within it.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

class IndexOne : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Methods, IndexOne,
                         testing::Values("auto", "radau", "radau-5", "radau-9", "radau-13", "rodas4", "rodas5p",
                                         "esdirk-3", "esdirk-4", "esdirk-5"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

/// The real solution of z + c z³ = x.
double root(double c, double x) {
  double z = x;
  for (int k = 0; k < 60; ++k) z -= (z + c * z * z * z - x) / (1 + 3 * c * z * z);
  return z;
}

// x'' = -x, z + c z³ = x. What Newton's method leaves of z in one step is where the next one begins.
TEST_P(IndexOne, FinishesAtEveryTolerance) {
  for (const double nominal : {0.0, 1.0, 100.0}) {
    for (const double c : {0.1, 1.0, 10.0}) {
      for (int half_decade = 4; half_decade <= 24; half_decade += 2 - half_decade % 2) {
        const double tolerance = std::pow(10, -half_decade / 2.0);
        System s("index 1");
        const auto x = s.state("x", 0), v = s.state("v", 1), z = s.state("z", 0);
        s.rates([=](const auto& at, auto& d) {
          d[x] = at[v];
          d[v] = -at[x];
        });
        s.equation("diode", [=](const auto& at) { return at[z] + c * at[z] * sqr(at[z]) - at[x]; });
        if (nominal > 0) s.nominal(z, nominal);
        const Result run = simulate(s, {.end = 20, .tolerance = tolerance, .method = GetParam()});
        const std::string which =
            "nominal " + std::to_string(nominal) + ", c " + std::to_string(c) + ", " + std::to_string(half_decade);
        ASSERT_TRUE(run.finished()) << which << ": " << run.reason;
        EXPECT_NEAR(run.final()[x], std::sin(20.0), 10 * tolerance) << which;
        const double exact = root(c, run.final()[x]);
        EXPECT_NEAR(run.final()[z], exact, 0.02 * tolerance * (std::abs(exact) + std::max(nominal, 1e-3))) << which;
      }
    }
  }
}

// The same with a capacitor between two nodes, a - b = x: rates of a and b occur together alone, and b + c b³ = x is
// the sum of both rows. Where b passes zero its tolerance does nearly so, too.
TEST_P(IndexOne, FinishesAtEveryToleranceWhereACombinationIsAlgebraic) {
  for (const double unit : {1.0, 1e-9}) {
    for (const double c : {0.1, 1.0, 10.0}) {
      for (int half_decade = 4; half_decade <= 22; half_decade += 2 - half_decade % 2) {
        const double tolerance = std::pow(10, -half_decade / 2.0);
        System s("capacitor between nodes");
        const auto x = s.state("x", 0), v = s.state("v", 1), a = s.state("a", 0), b = s.state("b", 0);
        s.mass([=](const auto&, auto& M) {
          M(x, x) = M(v, v) = 1;
          M(a, a) = M(b, b) = unit;
          M(a, b) = M(b, a) = -unit;
        });
        s.rates([=](const auto& at, auto& d) {
          d[x] = at[v];
          d[v] = -at[x];
          d[a] = unit * at[v];
          d[b] = unit * (at[b] + c * at[b] * sqr(at[b]) - at[x] - at[v]);
        });
        const Result run = simulate(s, {.end = 20, .tolerance = tolerance, .method = GetParam()});
        SCOPED_TRACE(fmt::format("unit {}, c {}, tolerance {}", unit, c, tolerance));
        ASSERT_TRUE(run.finished()) << run.reason;
        const double exact = root(c, run.final()[x]);
        EXPECT_NEAR(run.final()[x], std::sin(20.0), 20 * tolerance);
        EXPECT_NEAR(run.final()[b], exact, 0.02 * tolerance * (std::abs(exact) + 1));
        EXPECT_NEAR(run.final()[a] - run.final()[b], std::sin(20.0), 20 * tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace pawl
