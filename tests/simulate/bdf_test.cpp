// Method bdf on differential-algebraic systems and mechanisms: unknowns of index 2 and 3 within the tolerance, however
// tight, in every mode; and every adaptive method where trial steps overflow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

/// The largest of error(t) over the run, between steps too.
template <class Error>
double worst(const Result& run, const Error& error) {
  double largest = 0;
  for (int k = 0; k <= 400; ++k) largest = std::max(largest, error(run.t_end * k / 400));
  return largest;
}

// A sine source with a capacitor and a resistor across it: the current, of index 2, is what the derivative says.
TEST(Bdf, CurrentIntoACapacitorAcrossASourceIsWithinTheTolerance) {
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
    System circuit("source, capacitor, resistor");
    const auto v = circuit.state("v", 0), i = circuit.state("i", 0);
    circuit.equation("node", [=](const auto& at) { return at[dot(v)] + at[v] - at[i]; });
    circuit.equation("source", [=](const auto& at) { return at[v] - sin(5 * at.t); });
    const Result run = simulate(circuit, {.end = 3, .tolerance = tolerance, .method = "bdf"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(worst(run, [&](double t) { return std::abs(run.at(t)[i] - 5 * std::cos(5 * t) - std::sin(5 * t)); }),
              100 * tolerance)
        << tolerance;
  }
}

// Two diodes that share an inductive load, the second blocked: i1 and the voltages are found at index 2, and a
// condition reads the current that is held at zero. Closed form of an inductor of 11 mH and a resistor of 1 Ohm.
TEST(Bdf, AConditionOnABlockedCurrentOfIndex2IsQuietAndTheOtherCurrentExact) {
  const double w = 100 * std::numbers::pi, L = 0.011, end = 0.01;
  const double exact =
      100 / (1 + w * w * L * L) * (std::sin(w * end) - w * L * std::cos(w * end) + w * L * std::exp(-end / L));
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
    SCOPED_TRACE(tolerance);
    System circuit("diodes");
    const auto i1 = circuit.state("i1", 0), i2 = circuit.state("i2", 0), v3 = circuit.state("v3", 0),
               vd1 = circuit.state("vd1", 0), vd2 = circuit.state("vd2", 0);
    circuit.rates([=](const auto& at, auto& d) {
      const auto v1 = 100 * sin(w * at.t);
      d[i1] = (v1 - at[v3] - at[vd1]) / 1e-3;
      d[i2] = (-v1 - at[v3] - at[vd2]) / 1e-3;
    });
    circuit.equation("load",
                     [=](const auto& at) { return at[i1] + at[i2] + 1e-2 * (at[dot(i1)] + at[dot(i2)]) - at[v3]; });
    circuit.equation("diode 1", [=](const auto& at) { return at[vd1]; });
    circuit.equation("diode 2", [=](const auto& at) { return at[i2]; });
    circuit.condition("i2 < 0", [=](const auto& at) { return -at[i2]; });
    const Result run = simulate(circuit, {.end = end, .tolerance = {tolerance, tolerance}, .method = "bdf"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[i1], exact, 100 * tolerance * exact);
    EXPECT_NEAR(run.final()[i2], 0, tolerance);
    for (const Event& event : run.events) EXPECT_FALSE(fires(event.kind) && event.t > 0) << event.t;
  }
}

// v = 1 - exp(-t) all the time: through a resistor until t = 1 (index 1), then as a source says (index 2), with the
// same current.
TEST(Bdf, FollowsAnIndexThatChangesWithTheMode) {
  System circuit("charge, then hold");
  const auto v = circuit.state("v", 0), i = circuit.state("i", 1);
  const auto is_late = circuit.condition("late", [](const auto& at) { return at.t - 1; });
  circuit.equation("capacitor", [=](const auto& at) { return at[dot(v)] - at[i]; });
  circuit.equation("supply", [=](const auto& at) { return at[is_late] ? at[v] - 1 + exp(-at.t) : at[i] - 1 + at[v]; });
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Result run = simulate(circuit, {.end = 3, .tolerance = tolerance, .method = "bdf"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.events.size(), 1u);
    EXPECT_LE(worst(run, [&](double t) { return std::abs(run.at(t)[i] - std::exp(-t)); }), 100 * tolerance)
        << tolerance;
    EXPECT_LE(worst(run, [&](double t) { return std::abs(run.at(t)[v] - 1 + std::exp(-t)); }), 100 * tolerance)
        << tolerance;
  }
}

/// A pendulum by its equations: index 3 as declared.
struct Pendulum {
  System system{"pendulum"};
  State x, y, u, v, force;
  Pendulum()
      : x(system.state("x", 1)),
        y(system.state("y", 0)),
        u(system.state("u", 0)),
        v(system.state("v", 0)),
        force(system.state("force", 0)) {
    system.rates([x = x, y = y, u = u, v = v, force = force](const auto& at, auto& d) {
      d[x] = at[u];
      d[y] = at[v];
      d[u] = -at[force] * at[x];
      d[v] = -at[force] * at[y] - 9.81;
    });
    system.equation("rod", [x = x, y = y](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  }
};

// From the horizontal: (u² + v²) / 2 + g y = 0, so the force in the rod is u² + v² - g y = -3 g y. Steps grow as the
// tolerance to about -1/5: a hundred times the tolerance does not take a hundred times the steps.
TEST(Bdf, APendulumOfIndex3KeepsItsForceAndItsStepsAtTightTolerances) {
  long long steps = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(tolerance);
    const Pendulum pendulum;
    const Result run = simulate(pendulum.system, {.end = 2, .tolerance = tolerance, .method = "bdf"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(worst(run,
                    [&](double t) {
                      const Instant now = run.at(t);
                      return std::abs(now[pendulum.force] + 3 * 9.81 * now[pendulum.y]);
                    }),
              1000 * 30 * tolerance);
    if (steps > 0) {
      EXPECT_LE(run.statistics.steps_accepted, 10 * steps);
    }
    steps = run.statistics.steps_accepted;
  }
}

// The same as a mechanism, with a stop that it strikes and comes to rest at.
TEST(Bdf, AContactAtATightToleranceTakesAFewTimesTheSteps) {
  long long steps = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(tolerance);
    Mechanics pendulum("pendulum with a stop");
    const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
    for (const auto q : {x, y}) pendulum.mass(q, 1.0);
    pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
    pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
    pendulum.contact("stop", [=](const auto& at) { return at[x] - 0.5; }, {.restitution = 0.0});
    const Result run = simulate(pendulum, {.end = 2, .tolerance = tolerance, .method = "bdf"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[x], 0.5, 100 * tolerance);
    EXPECT_NEAR(run.final()[y], -std::sqrt(0.75), 100 * tolerance);
    if (steps > 0) {
      EXPECT_LE(run.statistics.steps_accepted, 10 * steps);
    }
    steps = run.statistics.steps_accepted;
  }
}

// x' = -x³ from 1e8 and y' = -exp(y) from 40: a trial step that is too long overflows, and is taken again.
TEST(Overflow, OfATrialStepIsARejectedStepWithEveryMethodAndTolerance) {
  System cubic("cubic"), fast("fast");
  const auto x = cubic.state("x", 1e8), y = fast.state("y", 40);
  cubic.rates([=](const auto& at, auto& d) { d[x] = -at[x] * sqr(at[x]); });
  fast.rates([=](const auto& at, auto& d) { d[y] = -exp(at[y]); });
  for (const Method& method : methods()) {
    if (!method.is_adaptive) continue;
    for (const double tolerance : {1e-2, 1e-5, 1e-8}) {
      if (method.order < 3 && tolerance < 1e-5) continue;  // more steps than a run may take without headway
      SCOPED_TRACE(::testing::Message() << method.name << ", " << tolerance);
      const Result a = simulate(cubic, {.end = 1, .tolerance = tolerance, .method = method.name});
      ASSERT_TRUE(a.finished()) << a.reason;
      EXPECT_NEAR(a.final()[x], std::sqrt(0.5), 1000 * tolerance);
      const Result b = simulate(fast, {.end = 1, .tolerance = tolerance, .method = method.name});
      ASSERT_TRUE(b.finished()) << b.reason;
      EXPECT_NEAR(b.final()[y], 0, 1000 * tolerance);
    }
  }
}

}  // namespace
}  // namespace pawl
