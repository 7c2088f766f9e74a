// Guards and conditions that rest at zero: noise is no event, whatever the method; what truly leaves is found.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "integrate/methods.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"

namespace pawl {
namespace {

int fired(const Result& run) {
  int count = 0;
  for (const Event& event : run.events) count += fires(event.kind) ? 1 : 0;
  return count;
}

class AtRest : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names{"auto"};
  for (const Method& method : methods()) {
    if (method.is_adaptive) names.push_back(method.name);
  }
  return names;
}

// Between the ends of steps the polynomial is on the manifold to the tolerance, at the ends to rounding.
TEST_P(AtRest, AConstraintWatchedOnItsManifoldIsQuiet) {
  for (const double tolerance : {1e-3, 1e-6, 1e-8}) {
    for (const bool is_black_box : {false, true}) {
      if (GetParam() == "heun-2" && tolerance < 1e-6) continue;  // a million steps
      SCOPED_TRACE(testing::Message() << tolerance << (is_black_box ? " black box" : ""));
      Mechanics rod("rod");
      const auto x = rod.coordinate("x", 1), y = rod.coordinate("y", 0);
      for (const auto q : {x, y}) rod.mass(q, 1.0);
      rod.potential([=](const auto& at) { return 9.81 * at[y]; });
      rod.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
      const auto taut = [=](const auto& at) { return 1e3 * (sqr(at[x]) + sqr(at[y]) - 1); };
      if (is_black_box) {
        rod.guard("taut", black_box(taut));
        rod.condition("longer", black_box(taut));
      } else {
        rod.guard("taut", taut);
        rod.condition("longer", taut);
      }
      const Result run = simulate(rod, {.end = 2, .tolerance = tolerance, .method = GetParam()});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(fired(run), 0);
    }
  }
}

// x, x' and x'' are zero at the start, and x = -t³/6: a guard that must never be seen below zero ends its rest there,
// where it is beyond what is meant by zero: for unknowns that are solved for, their tolerance, 1e-9 at zero.
TEST_P(AtRest, AUnilateralGuardFiresWhereTheMotionTakesItBeyondZero) {
  System line("line");
  const auto x = line.state("x", 0), v = line.state("v", 0);
  line.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at.t;
  });
  line.guard("wall", [=](const auto& at) { return at[x]; }).falling().unilateral().then([](Jump& jump) {
    jump.terminate("met");
  });
  const Result run = simulate(line, {.end = 1, .method = GetParam()});
  EXPECT_EQ(run.outcome, Outcome::terminated) << run.reason;
  EXPECT_EQ(fired(run), 1);
  for (int k = 0; k < run.sample_count(); ++k) EXPECT_GE(run.sample(k)[x], -1.01e-9);
}

// x² + v² - 1 is kept by the motion, and by integration to the tolerance: nothing happens until something else moves
// it.
TEST(Rest, WhatTheMotionKeepsIsQuietUntilItIsMoved) {
  for (const char* method : {"auto", "dop853", "dormand-prince-5", "tsitouras-5", "verner-9", "radau", "esdirk-5"}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9, 1e-12}) {
      for (const bool is_black_box : {false, true}) {
        SCOPED_TRACE(testing::Message() << method << ", " << tolerance << (is_black_box ? ", black box" : ""));
        System s("oscillator");
        const auto x = s.state("x", 0), v = s.state("v", 1);
        s.rates([=](const auto& at, auto& d) {
          d[x] = at[v];
          d[v] = -at[x];
        });
        const auto energy = [=](const auto& at) { return sqr(at[x]) + sqr(at[v]) - 1; };
        const Guard kept = is_black_box ? s.guard("kept", black_box(energy)) : s.guard("kept", energy);
        s.time_event("faster", 5.0).then([=](Jump& jump) { jump[v] = 1.1 * jump.pre(v); });
        s.time_event("slower", 6.0).then([=](Jump& jump) { jump[v] = 0.8 * jump.pre(v); });
        const Result run = simulate(s, {.end = 10, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_EQ(run.times_of(kept), std::vector<double>{6.0});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, AtRest, ::testing::ValuesIn(adaptive_methods()), [](const auto& one) {
  std::string name = one.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// Two wheels locked together, their speeds large: what is left of the difference is the rounding of many steps.
TEST(Rest, ALockedSpeedHasNoSign) {
  for (const char* method : {"auto", "dop853", "dormand-prince-5", "radau", "bdf", "adams"}) {
    System s("locked");
    const auto a = s.state("a", 1e3), b = s.state("b", 1e3), c = s.state("c", 1e-3);
    s.rates([=](const auto& at, auto& d) {
      d[c] = cos(7 * at.t);
      d[a] = (30 * sin(at.t) + at[c]) / 3;
      d[b] = 10 * sin(at.t) + at[c] / 3;
    });
    s.condition("a > b", [=](const auto& at) { return at[a] - at[b]; });
    s.condition("b > a", [=](const auto& at) { return at[b] - at[a]; });
    s.guard("a = b", [=](const auto& at) { return at[a] - at[b]; });
    const Result run = simulate(s, {.end = 100, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(fired(run), 0) << method;
  }
}

// z = t^n leaves zero with its first n - 1 derivatives zero: a truth changes as soon as that can be told, once.
TEST(Rest, WhatLeavesSlowlyIsFoundOnce) {
  for (const int n : {2, 3, 4, 5}) {
    for (const char* method : {"dop853", "dormand-prince-5", "radau", "esdirk-5"}) {
      for (const bool is_black_box : {false, true}) {
        SCOPED_TRACE(testing::Message() << "t^" << n << " by " << method << (is_black_box ? ", black box" : ""));
        System s("slow");
        const auto z = s.state("z", 0);
        s.rates([=](const auto& at, auto& d) { d[z] = n * pow(at.t, n - 1) + 0 * at[z]; });
        const auto above = [=](const auto& at) { return at[z]; };
        const Condition rises = is_black_box ? s.condition("z > 0", black_box(above)) : s.condition("z > 0", above);
        const auto falls = [=](const auto& at) { return at[z] * (0.5 - at[z]); };  // leaves, and crosses later
        const Guard back = is_black_box ? s.guard("back", black_box(falls)) : s.guard("back", falls);
        const Result run = simulate(s, {.end = 1, .tolerance = 1e-6, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_TRUE(run.final()[rises]);
        ASSERT_LE(run.times_of(rises).size(), 1U);
        // Where it has left the tolerance of z, at the latest one step of at most this length before that.
        for (const double t : run.times_of(rises)) EXPECT_LT(t, 2 * std::pow(1e-9, 1.0 / n));
        ASSERT_EQ(run.times_of(back).size(), 1U);
        EXPECT_NEAR(run.times_of(back)[0], std::pow(0.5, 1.0 / n), 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace pawl
