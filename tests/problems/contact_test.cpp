// The problems with contacts and dry friction against closed forms, quadratures and each other: what happens, when, in
// which order, and that energy and losses balance.
#include "problems/contact.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::says;
using Times = std::vector<double>;

Values values_of(const System& system, const Assignments& assignments) {
  Values values(system);
  for (const auto& [name, value] : assignments) values.set(name, value);
  return values;
}
Result run_of(const Problem& problem, double tolerance, const std::string& method, const Assignments& assignments = {},
              std::optional<double> end = {}) {
  return simulate(problem.system, values_of(problem.system, assignments),
                  {.end = end.value_or(problem.end), .tolerance = tolerance, .method = method});
}
Times fired(const Result& run) {
  Times times;
  for (const Event& event : run.events) {
    if (fires(event.kind)) times.push_back(event.t);
  }
  return times;
}
double worst_difference(const Times& x, const Times& y) {
  double worst = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}
Times exact_times(const Problem& problem, const Assignments& assignments = {}, std::optional<double> end = {}) {
  return *problem.event_times(values_of(problem.system, assignments), end.value_or(problem.end));
}
double error_of(const Problem& problem, const Result& run, const Assignments& assignments = {}) {
  return *error_against_reference(problem, values_of(problem.system, assignments), run.t_end, run.final().states());
}
/// Energy, what friction took and what impacts took, against the energy at the start.
double imbalance(const Result& run) {
  const auto total = [&](const Instant& at) {
    double sum = at["energy"];
    for (std::size_t i = 0; i < run.state_names().size(); ++i) {
      if (run.state_names()[i] == "friction work") sum += at.states()[i];
    }
    const std::vector<std::string>& numbers = run.declarations->number_names;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == "impact loss") sum += at.held().numbers[i];
    }
    return sum;
  };
  return std::abs(total(run.final()) - total(run.start()));
}
void expect_no_drift(const Result& run) {
  ASSERT_TRUE(run.statistics.constraints);
  EXPECT_LT(run.statistics.constraints->position_drift, 1e-13);
  EXPECT_LT(run.statistics.constraints->velocity_drift, 1e-12);
}
ContactMode mode_of(const Instant& at, const Contact& contact) {
  return at[contact.mode];
}
/// The first contact of a problem: its constraints are the first ones but for the joints declared before it.
Contact contact_of(const Problem& problem, int number = 0) {
  const MechanicsInfo& info = *problem.system.declarations().mechanics;
  const ContactInfo& one = info.contacts[static_cast<std::size_t>(number)];
  const auto row = [&](int constraint) {
    return Constraint{constraint < 0 ? -1 : info.constraints[static_cast<std::size_t>(constraint)].first_row};
  };
  return {row(one.normal), row(one.slip), {one.mode}, number};
}

// ---- all of them ----

// At the end of motions that are not chaotic. Multistep methods begin every piece with order 1, and IDA is corrected
// between steps, not inside them: a hundred tolerances of the size of the states.
TEST(Contact, ExplicitAndImplicitMethodsAgreeWithTheClosedForms) {
  constexpr double tolerance = 1e-8;
  struct Case {
    std::string problem;
    Assignments assignments;
    double size;  // of the states, and of what switches make of their errors
  };
  for (const Case& one :
       {Case{"sphere-top", {}, 10}, Case{"sphere-top", {{"friction", 0}}, 10}, Case{"belt-block", {}, 60},
        Case{"oscillating-belt", {}, 100}, Case{"oscillating-belt", {{"friction", 0.5}}, 100},
        Case{"pendulum-stop", {}, 1}, Case{"ball-table", {}, 1}}) {
    const Problem& problem = find_problem(one.problem);
    for (const std::string method : {"auto", "dop853", "radau", "sdirk4", "esdirk-5", "bdf"}) {
      SCOPED_TRACE(one.problem + " by " + method);
      const Result run = run_of(problem, tolerance, method, one.assignments);
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_LT(error_of(problem, run, one.assignments), (method == "bdf" ? 100 : 10) * tolerance * one.size);
      expect_no_drift(run);
    }
  }
}

// ---- sphere-top ----

TEST(SphereTop, TheParticleLeavesAtTheAngleOfTheClosedForm) {
  const Problem& problem = find_problem("sphere-top");
  for (const double mu : {0.0, 0.2}) {
    const double w0 = 1 / 9.81, a = (4 * mu * mu - 2) / (1 + 4 * mu * mu), b = -6 * mu / (1 + 4 * mu * mu);
    for (const std::string method : {"dop853", "verner-9", "radau"}) {
      SCOPED_TRACE(method + ", friction " + std::to_string(mu));
      const Assignments assignments{{"friction", mu}};
      const Result run = run_of(problem, 1e-12, method, assignments);
      ASSERT_EQ(fired(run).size(), 1u);
      EXPECT_NEAR(fired(run)[0], exact_times(problem, assignments)[0], 1e-12);
      const Instant there = run.at(fired(run)[0]);
      const double angle = std::atan2(there["x"], there["y"]);
      EXPECT_NEAR((w0 - a) * std::exp(2 * mu * angle) + (a - 1) * std::cos(angle) + b * std::sin(angle), 0, 1e-12);
      if (mu == 0) {
        EXPECT_NEAR(std::cos(angle), 2. / 3 + w0 / 3, 1e-12);
      }
      EXPECT_LT(error_of(problem, run, assignments), 1e-11);
      EXPECT_LT(imbalance(run), 1e-10);
      expect_no_drift(run);
    }
  }
}

TEST(SphereTop, TheForceFallsToZeroAndTheParticleStaysOutside) {
  const Problem& problem = find_problem("sphere-top");
  const Contact sphere = contact_of(problem);
  const Result run = run_of(problem, 1e-10, "dop853");
  const double release = fired(run)[0];
  EXPECT_NEAR(run.start()[sphere.normal], 9.81 - 1, 1e-12);  // weight less centrifugal force
  EXPECT_NEAR(run.before(release)[sphere.normal], 0, 1e-8);
  EXPECT_EQ(mode_of(run.final(), sphere), ContactMode::open);
  for (double t = 0; t <= 1; t += 1. / 64) {
    const Instant at = run.on_manifold(t);
    EXPECT_GT(std::hypot(at["x"], at["y"]), 1 - 1e-12) << t;
    EXPECT_GE(at[sphere.normal], -1e-12) << t;
    EXPECT_NEAR(std::abs(at[sphere.slip]), 0.2 * at[sphere.normal], 1e-12) << t;
  }
}

// ---- belts ----

TEST(BeltBlock, StickAndSlipTakeTheTimesOfTheLimitCycle) {
  const Problem& problem = find_problem("belt-block");
  const double slip = 2 * (std::numbers::pi - std::atan(0.2 / 0.5)), stick = 2 * 0.2 / 0.5;
  for (const std::string method : {"dop853", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-13, method);
    const Times times = fired(run);
    ASSERT_EQ(times.size(), 63u);
    EXPECT_NEAR(times[0], 1, 1e-12);
    for (std::size_t i = 1; i < times.size(); ++i)
      EXPECT_NEAR(times[i] - times[i - 1], i % 2 == 1 ? slip : stick, 1e-12) << i;
    EXPECT_LT(worst_difference(times, exact_times(problem)), 1e-11);
    EXPECT_LT(error_of(problem, run), 1e-11);
    expect_no_drift(run);
  }
}

TEST(BeltBlock, FrictionStaysInItsCone) {
  const Problem& problem = find_problem("belt-block");
  const Contact belt = contact_of(problem);
  const Result run = run_of(problem, 1e-10, "dop853", {}, 20);
  for (double t = 0.01; t < 20; t += 0.1) {
    const Instant at = run.at(t);
    EXPECT_NEAR(at[belt.normal], 1, 1e-14) << t;
    if (mode_of(at, belt) == ContactMode::stick) {
      EXPECT_LE(std::abs(at[belt.slip]), 0.5 + 1e-12) << t;
      EXPECT_NEAR(at["x'"], 0.5, 1e-14) << t;
    } else {
      EXPECT_EQ(mode_of(at, belt), ContactMode::slip_back) << t;
      EXPECT_NEAR(std::abs(at[belt.slip]), 0.3, 1e-14) << t;
      EXPECT_LT(at["x'"], 0.5) << t;
    }
  }
}

TEST(OscillatingBelt, ReversesAndSticksAtTheTimesOfTheClosedForm) {
  const Problem& problem = find_problem("oscillating-belt");
  for (const double mu : {0.1, 0.3, 0.5}) {
    const Assignments assignments{{"friction", mu}};
    const Times expected = exact_times(problem, assignments);
    for (const std::string method : {"dop853", "verner-9", "radau"}) {
      SCOPED_TRACE(method + ", friction " + std::to_string(mu));
      const Result run = run_of(problem, 1e-12, method, assignments);
      ASSERT_EQ(fired(run).size(), expected.size());
      EXPECT_LT(worst_difference(fired(run), expected), 1e-12);
      EXPECT_LT(error_of(problem, run, assignments), 1e-10);
    }
  }
}

// Smoothed friction is another model: its motion differs by a multiple of the slip speed, whatever the tolerance.
TEST(OscillatingBelt, SmoothedFrictionIsWrongInProportionToItsSlipSpeed) {
  const Problem& problem = find_problem("oscillating-belt");
  const double exact = (*problem.reference(Values(problem.system), 5))[0];
  const auto error_with = [&](double slip_speed) {
    Mechanics block("smoothed");
    const auto x = block.coordinate("x", 0), y = block.coordinate("y", 0);
    for (const auto q : {x, y}) block.mass(q, 1.0);
    block.potential([=](const auto& at) { return 9.81 * at[y]; });
    block.contact(
        "table", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[dot(x)] - 3 * sin(2 * at.t); },
        {.friction = 0.3, .slip_speed = slip_speed});
    const Result run = simulate(block, {.end = 5, .tolerance = 1e-10, .method = "radau", .keep = Keep::end});
    EXPECT_TRUE(run.finished()) << run.reason;
    EXPECT_TRUE(fired(run).empty());
    return std::abs(run.final()[x] - exact);
  };
  const double coarse = error_with(1e-4), fine = error_with(1e-5);
  EXPECT_GT(fine, 1e-7);
  EXPECT_NEAR(std::log10(coarse / fine), 1, 0.1);
}

// ---- pendulum-stop ----

TEST(PendulumStop, ImpactsAndRestComeWhenEllipticIntegralsSay) {
  const Problem& problem = find_problem("pendulum-stop");
  const Contact stop = contact_of(problem);
  const Times expected = exact_times(problem);
  for (const std::string method : {"dop853", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-13, method);
    ASSERT_TRUE(run.finished()) << run.reason;
    const Times times = fired(run);
    ASSERT_GT(times.size(), 20u);
    // A gap is known to rounding, and the time of an impact to that over its speed: 1e-16 / 0.6^n.
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(times[i], expected[i], i < 12 ? 1e-12 : 1e-11) << i;
    ASSERT_EQ(run.events.back().kind, EventKind::accumulation);
    EXPECT_NEAR(run.events.back().t, expected.back(), 1e-11);
    EXPECT_LT(error_of(problem, run), 1e-15);
    EXPECT_EQ(mode_of(run.final(), stop), ContactMode::closed);
    EXPECT_NEAR(run.final()[stop.normal], 9.81 / std::sqrt(3.0), 1e-13);  // g tan 30°
    EXPECT_LT(imbalance(run), 1e-10);
    expect_no_drift(run);
    for (int i = 0; i < run.sample_count(); ++i) EXPECT_GE(run.sample(i)["x"], 0.5 - 1e-15);
  }
}

TEST(PendulumStop, EveryImpactKeepsTheShareOfTheSpeed) {
  const Result run = run_of(find_problem("pendulum-stop"), 1e-11, "dop853");
  for (std::size_t i = 0; i < 10; ++i) {
    const double t = fired(run)[i];
    EXPECT_NEAR(run.at(t)["x'"] / run.before(t)["x'"], -0.6, 1e-13) << i;
    EXPECT_TRUE(says(run.events[i].notes.at(0), {"impact of 'stop' at speed", "energy lost"}));
  }
}

// ---- rocking-block ----

TEST(RockingBlock, RocksAsHousnerSays) {
  const Problem& problem = find_problem("rocking-block");
  const Times expected = exact_times(problem);
  ASSERT_EQ(expected.size(), 11u);
  for (const std::string method : {"dop853", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-13, method);
    ASSERT_TRUE(run.finished()) << run.reason;
    const Times times = fired(run);
    ASSERT_EQ(times.size(), 11u);
    EXPECT_LT(worst_difference(times, expected), 1e-11);
    for (const double t : times)
      EXPECT_NEAR(run.at(t)["angle'"] / run.before(t)["angle'"], 1 - 1.5 / 17, 1e-12) << t;  // sin² α = 1/17
    EXPECT_LT(imbalance(run), 1e-12);
    expect_no_drift(run);
  }
}

TEST(RockingBlock, CornersTakeTurns) {
  const Problem& problem = find_problem("rocking-block");
  for (const std::string method : {"auto", "radau", "esdirk-5", "bdf"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-9, method);
    ASSERT_EQ(fired(run).size(), 11u) << run.reason;
    EXPECT_LT(worst_difference(fired(run), exact_times(problem)), 1e-9 * (method == "bdf" ? 1000 : 10));
    ContactMode left = ContactMode::stick, right = ContactMode::open;
    for (const double t : fired(run)) {
      std::swap(left, right);
      EXPECT_EQ(mode_of(run.at(t), contact_of(problem, 0)), left) << t;
      EXPECT_EQ(mode_of(run.at(t), contact_of(problem, 1)), right) << t;
    }
  }
}

TEST(RockingBlock, ComesToRestOnBothCorners) {
  const Problem& problem = find_problem("rocking-block");
  const Result run = run_of(problem, 1e-10, "dop853", {}, 12);
  ASSERT_TRUE(run.finished()) << run.reason;
  for (const int corner : {0, 1}) {
    EXPECT_EQ(mode_of(run.final(), contact_of(problem, corner)), ContactMode::stick);
    EXPECT_NEAR(run.final()[contact_of(problem, corner).normal], 9.81 / 2, 1e-9);
  }
  EXPECT_NEAR(run.final()["angle"], 0, 1e-14);
  EXPECT_NEAR(run.final()["angle'"], 0, 1e-16);
  EXPECT_LT(imbalance(run), 1e-9);
}

// Rocks below 1e-6 s, which the list leaves out, shrink like the speeds, to 1e-6 of themselves.
TEST(RockingBlock, ComesToRestWhereItsRocksAccumulate) {
  const Problem& problem = find_problem("rocking-block");
  const Times impacts = exact_times(problem, {}, 12);
  ASSERT_GT(impacts.size(), 100u);
  const double kept = 1 - 1.5 / 17, last = impacts.back() - impacts[impacts.size() - 2];
  const double rest = impacts.back() + last * kept / (1 - kept);
  for (const std::string method : {"auto", "dop853", "radau"}) {
    const Result run = run_of(problem, 1e-12, method, {}, 12);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.events.back().kind, EventKind::accumulation) << method;
    EXPECT_NEAR(run.events.back().t / rest, 1, 1e-10) << method;
    EXPECT_NEAR(run.final()["angle"], 0, 1e-14) << method;
    EXPECT_NEAR(run.final()["y"], 1, 1e-14) << method;
    EXPECT_LT(imbalance(run), 1e-11) << method;
  }
}

// Below h/b = 1/√2 the corner on which it turned would be pushed into the floor by a plastic impact of the other.
TEST(RockingBlock, ASquatBlockStopsAtItsFirstImpact) {
  const Problem& problem = find_problem("rocking-block");
  const Assignments squat{{"half_width", 1}, {"half_height", 0.6}, {"tilt", 0.3}, {"friction", 5}};
  const Result run = run_of(problem, 1e-10, "dop853", squat, 3);
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(fired(run).size(), 1u);
  for (const int corner : {0, 1}) EXPECT_EQ(mode_of(run.final(), contact_of(problem, corner)), ContactMode::stick);
  EXPECT_NEAR(run.final()["energy"], 9.81 * 0.6, 1e-12);
  EXPECT_LT(imbalance(run), 1e-9);
}

// ---- ball-table ----

TEST(BallTable, RestsAndIsThrownOffAtTheExactTimes) {
  const Problem& problem = find_problem("ball-table");
  const double release = (std::asin(9.81 / 12) + 4 * std::numbers::pi) / 20;
  Times expected = exact_times(problem);
  const auto rest =
      std::find_if(expected.begin(), expected.end(), [&](double t) { return std::abs(t - release) < 1e-9; }) - 1;
  for (const std::string method : {"dop853", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-12, method);
    ASSERT_TRUE(run.finished()) << run.reason;
    Times rests, releases, impacts;
    for (const Event& event : run.events) {
      if (event.kind == EventKind::accumulation)
        rests.push_back(event.t);
      else if (run.names(event)[0] == "table releases")
        releases.push_back(event.t);
      else
        impacts.push_back(event.t);
    }
    ASSERT_EQ(rests.size(), 2u);
    ASSERT_EQ(releases.size(), 1u);
    EXPECT_NEAR(rests[0], *rest, 1e-11);
    EXPECT_NEAR(rests[1], expected.back(), 1e-11);
    EXPECT_NEAR(releases[0], release, 1e-14);  // shown to be beyond, by some ulp
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(impacts[i], expected[i], 1e-12) << i;
    const double before = (rests[0] + releases[0]) / 2;
    EXPECT_NEAR(run.at(before)["y"], 0.03 * std::sin(20 * before), 1e-15);
    EXPECT_NEAR(run.at(before)[contact_of(problem).normal], 9.81 - 12 * std::sin(20 * before), 1e-12);
    EXPECT_LT(error_of(problem, run), 1e-13);
    for (int i = 0; i < run.sample_count(); ++i)
      EXPECT_GE(run.sample(i)["y"], 0.03 * std::sin(20 * run.sample(i).t) - 1e-12);
  }
}

// ---- rolling-sphere-slip ----

TEST(RollingSphere, SlidesStraightUntilItRolls) {
  const Problem& problem = find_problem("rolling-sphere-slip");
  const Contact plane = contact_of(problem);
  for (const std::string method : {"dop853", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-11, method);
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_EQ(fired(run).size(), 1u);
    const double rolls = 2 * std::hypot(3.5, 2) / (7 * 0.2 * 9.81);
    EXPECT_NEAR(fired(run)[0], rolls, 1e-9);  // where the slip is below 1e-9
    EXPECT_EQ(mode_of(run.final(), plane), ContactMode::stick);
    EXPECT_LT(error_of(problem, run), 1e-9);
    const Instant sliding = run.at(rolls / 2);
    EXPECT_NEAR(sliding[plane.slip[0]] / sliding[plane.slip[1]], 3.5 / 2, 1e-9);
    EXPECT_NEAR(std::hypot(sliding[plane.slip[0]], sliding[plane.slip[1]]), 0.2 * 9.81, 1e-12);
    EXPECT_NEAR(run.final()["x'"] - 0.5 * run.final()["turn_y'"], 0, 1e-14);
    EXPECT_NEAR(run.final()["y'"] + 0.5 * run.final()["turn_x'"], 0, 1e-14);
  }
}

// Rolling, the sphere needs 2/7 of the push as friction. From where that is μ g on, the slip grows with the square of
// the time: its direction is that of the push, and of nothing else.
TEST(RollingSphere, SlipsWhereThePushNeedsMoreThanFrictionGives) {
  const Problem& problem = find_problem("rolling-sphere-slip");
  const Contact plane = contact_of(problem);
  const Assignments pushed{{"push_rate", 10}, {"turn_x'", -2}, {"turn_y'", 6}};
  const double slips = 3.5 * 0.2 * 9.81 / 10;
  for (const std::string method : {"auto", "dop853", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = run_of(problem, 1e-9, method, pushed, 1.5);
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_GE(fired(run).size(), 1u);
    EXPECT_NEAR(fired(run)[0], slips, 1e-12);
    EXPECT_EQ(mode_of(run.at(slips - 0.1), plane), ContactMode::stick);
    EXPECT_EQ(mode_of(run.final(), plane), ContactMode::slip);
    EXPECT_LT(error_of(problem, run, pushed), 1e-6);
    EXPECT_LT(run.statistics.steps_accepted, 1000);
  }
}

// ---- painleve-rod ----

// p = 1 + 3 cos θ (cos θ - μ sin θ) and b = ω² sin θ - g: four cells, and the way into the singular one.
TEST(PainleveRod, EveryCellNamesItself) {
  const Problem& problem = find_problem("painleve-rod");
  const Contact floor = contact_of(problem);
  const auto p = [](double angle) { return 1 + 3 * std::cos(angle) * (std::cos(angle) - 1.5 * std::sin(angle)); };
  const auto b = [](double angle, double spin) { return spin * spin * std::sin(angle) - 9.81; };
  for (const std::string method : {"dop853", "radau"}) {
    SCOPED_TRACE(method);
    const Result slides = run_of(problem, 1e-10, method, {{"tilt", 0.5}, {"spin", 0}}, 0.1);
    EXPECT_TRUE(slides.finished()) << slides.reason;
    EXPECT_EQ(mode_of(slides.start(), floor), ContactMode::slip_back);
    EXPECT_NEAR(slides.start()[floor.normal], -b(0.5, 0) / p(0.5), 1e-12);

    const Result separates = run_of(problem, 1e-10, method, {{"tilt", 0.5}, {"spin", 6}}, 0.1);
    EXPECT_TRUE(separates.finished()) << separates.reason;
    EXPECT_EQ(mode_of(separates.start(), floor), ContactMode::open);

    ASSERT_LT(p(1), 0);
    const Result inconsistent = run_of(problem, 1e-10, method, {{"tilt", 1}, {"spin", 0}});
    EXPECT_EQ(inconsistent.outcome, Outcome::failed);
    EXPECT_TRUE(says(inconsistent.reason, {"t = 0", "no motion is possible", "'floor'", "inconsistent", "Painlevé"}));

    ASSERT_GT(b(1, 4), 0);
    const Result indeterminate = run_of(problem, 1e-10, method, {{"tilt", 1}, {"spin", 4}});
    EXPECT_EQ(indeterminate.outcome, Outcome::failed);
    EXPECT_TRUE(says(indeterminate.reason,
                     {"t = 0", "more than one motion", "'floor'", "indeterminate", "lift off", "Painlevé"}));

    const Result singular = run_of(problem, 1e-10, method);
    EXPECT_EQ(singular.outcome, Outcome::failed);
    EXPECT_TRUE(says(singular.reason, {"'floor'", "about to lock", "Painlevé, singular", "grows without bound"}));
    const double angle = singular.final()["angle"];  // a thousandth of what a stick would have
    EXPECT_NEAR(p(angle) / (1 + 3 * std::cos(angle) * std::cos(angle)), 1e-3, 1e-9);
    EXPECT_LT(imbalance(singular), 1e-9);
  }
}

TEST(PainleveRod, IsHarmlessBelowFourThirds) {
  const Problem& problem = find_problem("painleve-rod");
  for (const double spin : {0.0, 2.0, 4.0}) {
    for (const double tilt : {0.7, 1.0, 1.2}) {
      const Result run = run_of(problem, 1e-9, "dop853", {{"friction", 1.3}, {"tilt", tilt}, {"spin", spin}}, 0.5);
      EXPECT_TRUE(run.finished()) << run.reason;
      EXPECT_LT(imbalance(run), 1e-6);
    }
  }
}

// ---- flail ----

TEST(Flail, ComesToRestWhereItTouchesTheFloorAndTheBalanceOfEnergyCloses) {
  const Problem flail = problems::flail();
  const MechanicsInfo& mechanism = *flail.system.declarations().mechanics;
  for (const auto& [method, tolerance] :
       {std::pair{"auto", 1e-4}, {"auto", 1e-5}, {"auto", 1e-6}, {"auto", 1e-8}, {"verner-9", 1e-8}, {"radau", 1e-6}}) {
    SCOPED_TRACE(fmt::format("{} at {}", method, tolerance));
    const Result run = run_of(flail, tolerance, method);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(imbalance(run), 13 * tolerance);  // the energy at the start
    EXPECT_LT(run.statistics.constraints->position_drift, 1e-12);
    // At rest: nothing moves, and floor and weight balance.
    const Instant last = run.final();
    double speed = 0, force = 0;
    for (std::size_t i = 0; i < run.state_names().size(); ++i) {
      if (run.state_names()[i].ends_with("'")) speed = std::max(speed, std::abs(last.states()[i]));
    }
    for (const ContactInfo& contact : mechanism.contacts)
      force += last[Constraint{mechanism.constraints[static_cast<std::size_t>(contact.normal)].first_row}];
    EXPECT_LT(speed, 1e-9);
    EXPECT_NEAR(force, 1.3 * 9.81, 1e-6);
  }
}

// ---- rigid-marble-jar ----

// Each impact multiplies errors by the distance over the radius, some tenfold.
TEST(RigidMarbleJar, FirstImpactsAreThoseOfTheParabolas) {
  const Problem& problem = find_problem("rigid-marble-jar");
  for (const double e : {1.0, 0.9}) {
    const double end = e == 1 ? 0.4 : 0.3;
    const Assignments assignments{{"restitution", e}};
    const Times expected = exact_times(problem, assignments, end);
    EXPECT_EQ(expected.size(), e == 1 ? 20u : 17u);
    for (const std::string method : {"auto", "dop853", "radau", "esdirk-5"}) {
      SCOPED_TRACE(method + ", e = " + std::to_string(e));
      const Result run = run_of(problem, 1e-12, method, assignments, end);
      ASSERT_TRUE(run.finished()) << run.reason;
      const Times times = fired(run);
      ASSERT_EQ(times.size(), expected.size());
      for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], i < 10 ? 1e-12 : 1e-10) << i;
      EXPECT_LT(imbalance(run), 1e-14);
    }
  }
}

TEST(RigidMarbleJar, MarblesKeepTheirMomentumUntilTheyMeetAWall) {
  const Problem& problem = find_problem("rigid-marble-jar");
  const Result run = run_of(problem, 1e-11, "dop853", {{"restitution", 1}}, 0.4);
  double momentum = 0;
  int pairs = 0;
  for (const Event& event : run.events) {
    if (!fires(event.kind)) continue;
    const std::string name = run.names(event)[0];
    pairs += name.starts_with("balls") ? 1 : 0;
    if (name.find("wall") == std::string::npos) {
      EXPECT_NEAR(run.at(event.t)["horizontal momentum"], momentum, 1e-15) << name;
    }
    momentum = run.at(event.t)["horizontal momentum"];
  }
  EXPECT_GT(pairs, 5);
}

}  // namespace
}  // namespace pawl
