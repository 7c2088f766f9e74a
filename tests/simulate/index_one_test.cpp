// Smooth systems of index 1 whose algebraic unknown passes zero and has any size beside its nominal one: every
// implicit one-step method finishes at every tolerance, within it.
#include <cmath>
#include <string>

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

}  // namespace
}  // namespace pawl
