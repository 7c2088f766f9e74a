// Mechanisms that collide, rub and are switched, against closed forms and against reduced equations that are integrated
// here, without pawl.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "problems/reduced.hpp"

namespace pawl {
namespace {

using testing::Real;
using testing::Reduced;

// ---- runs ----

struct Method {
  const char* name;
  double tolerance, bound;  // of event times; those of bdf have ends of steps that are corrected afterwards
};
const Method methods_swept[] = {
    {"auto", 1e-12, 1e-10}, {"radau", 1e-12, 1e-10}, {"esdirk-5", 1e-10, 1e-8}, {"bdf", 1e-9, 1e-7}};

std::vector<double> firing_times(const Result& run) {
  std::vector<double> times;
  for (const Event& event : run.events) {
    if (fires(event.kind)) times.push_back(event.t);
  }
  return times;
}
double loss(const Instant& at) {
  return at.held().numbers.empty() ? 0 : at.held().numbers[0];
}
/// The largest change of energy plus losses less what drives have put in, at many instants.
double imbalance(const Result& run) {
  const auto& names = run.state_names();
  const auto total = [&](const Instant& at) {
    double sum = at["energy"] + loss(at);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "friction work") sum += at.states()[i];
      if (names[i] == "drive work") sum -= at.states()[i];
    }
    return sum;
  };
  const double start = total(run.start());
  double worst = 0;
  for (int k = 0; k <= 400; ++k)
    worst = std::max(worst, std::abs(total(run.at(run.t_start + k / 400.0 * (run.t_end - run.t_start))) - start));
  return worst;
}
double drift(const Result& run) {
  return std::max(run.statistics.constraints->position_drift, run.statistics.constraints->velocity_drift);
}
void expect_known(const Problem& problem, const System& system, const Values& values, const Method& method,
                  double end) {
  SCOPED_TRACE(problem.name() + " by " + method.name);
  const Result run = simulate(system, values, {.end = end, .tolerance = method.tolerance, .method = method.name});
  ASSERT_TRUE(run.finished()) << run.reason;
  const auto expected = *problem.event_times(values, end), found = firing_times(run);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], method.bound) << i;
  for (const double t : {0.3 * end, 0.7 * end, end})
    EXPECT_LT(*error_against_reference(problem, values, t, run.at(t).states()), 10 * method.bound) << t;
  EXPECT_LT(drift(run), 1e-13);
}

void expect_reference(const Problem& problem, const Result& run, std::initializer_list<double> times, double bound) {
  for (const double t : times)
    EXPECT_LT(*error_against_reference(problem, Values(problem.system), t, run.at(t).states()), bound) << t;
}

// ---- Newton's cradle ----

Result cradle(double sequential, double moving, double restitution, double end, const Method& method) {
  const System system = system_of(find_problem("newton-cradle"), {{"sequential", sequential}});
  Values values(system);
  values.set("sequential", sequential);
  values.set("moving", moving);
  values.set("restitution", restitution);
  return simulate(system, values, {.end = end, .tolerance = method.tolerance, .method = method.name});
}
std::array<double, 5> speeds_after_first_impact(const Result& run) {
  const Instant after = run.at(firing_times(run).at(0));
  std::array<double, 5> v{};
  for (std::size_t i = 0; i < 5; ++i) v[i] = after.states()[2 * i + 1];
  return v;
}

TEST(NewtonCradle, TheImpactLawDecidesWhatLeaves) {
  struct Known {
    double sequential, moving;
    std::array<double, 5> speeds;
  };
  for (const Known& known : {Known{0, 1, {-0.6, 0.4, 0.4, 0.4, 0.4}}, Known{1, 1, {0, 0, 0, 0, 1}},
                             Known{0, 2, {-0.2, -0.2, 0.8, 0.8, 0.8}}, Known{1, 2, {0, 0, 0, 1, 1}}}) {
    const Result run = cradle(known.sequential, known.moving, 1, 1, {"auto", 1e-12, 0});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto v = speeds_after_first_impact(run);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(v[i], known.speeds[i], 1e-11) << i;
  }
}

TEST(NewtonCradle, WithRestitutionEveryBallMovesOn) {
  // Pair by pair, the fastest approach first, in exact momentum.
  std::array<Real, 5> v{1, 0, 0, 0, 0};
  const Real e = 0.9L;
  for (;;) {
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < 4; ++i) {
      if (v[i] - v[i + 1] > v[fastest] - v[fastest + 1]) fastest = i;
    }
    const Real approach = v[fastest] - v[fastest + 1];
    if (approach < 1e-15L) break;
    v[fastest] -= (1 + e) / 2 * approach;
    v[fastest + 1] += (1 + e) / 2 * approach;
  }
  const Result one_by_one = cradle(1, 1, 0.9, 1, {"auto", 1e-12, 0}),
               at_once = cradle(0, 1, 0.9, 1, {"auto", 1e-12, 0});
  const auto speeds = speeds_after_first_impact(one_by_one), together = speeds_after_first_impact(at_once);
  const std::array<double, 5> published{0.0435, 0.0454, 0.0473, 0.0493, 0.8145};
  double energy = 0, energy_together = 0, momentum = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(speeds[i], static_cast<double>(v[i]), 1e-11) << i;
    EXPECT_NEAR(speeds[i], published[i], 5e-5) << i;
    energy += speeds[i] * speeds[i];
    energy_together += together[i] * together[i];
    momentum += speeds[i];
  }
  EXPECT_NEAR(energy, 0.672, 5e-4);
  EXPECT_NEAR(energy_together, 0.848, 5e-4);
  EXPECT_NEAR(momentum, 1, 1e-11);
}

TEST(NewtonCradle, SwingsWithoutEndAndWithoutLoss) {
  const Problem& problem = find_problem("newton-cradle");
  for (const Method& method : methods_swept) {
    for (const double sequential : {1.0, 0.0}) {
      for (const double moving : {1.0, 2.0}) {
        const System system = system_of(problem, {{"sequential", sequential}});
        Values values(system);
        values.set("sequential", sequential);
        values.set("moving", moving);
        expect_known(problem, system, values, method, 10);
      }
    }
  }
  EXPECT_LT(imbalance(cradle(1, 2, 1, 10, methods_swept[0])), 1e-10);
  EXPECT_LT(imbalance(cradle(1, 1, 0.9, 2.3, methods_swept[0])), 1e-10);
}

// ---- clutches ----

TEST(ClutchPair, SlipsAndSticksWhenItsClosedFormSays) {
  const Problem& problem = find_problem("clutch-pair");
  for (const Method& method : methods_swept) {
    for (const double static_friction : {0.3, 0.4}) {
      Values values(problem.system);
      values.set("static_friction", static_friction);
      EXPECT_EQ(problem.event_times(values, 40)->size(), static_friction == 0.4 ? 35u : 39u);
      expect_known(problem, problem.system, values, method, 40);
    }
  }
  const Result run = simulate(problem.system, {.end = 40, .tolerance = 1e-12});
  EXPECT_LT(imbalance(run), 1e-10);
  for (int k = 0; k <= 1000; ++k) {  // no clutch carries more than it can
    const double t = 0.04 * k;
    const Instant at = run.at(t);
    EXPECT_LE(std::abs(at[Constraint{0}]), 0.4 * (2 + std::sin(2.3 * t)) + 1e-9);
    EXPECT_LE(std::abs(at[Constraint{1}]), 0.4 * (1.5 + std::sin(1.7 * t)) + 1e-9);
  }
}

// The same oscillator with dry friction as coulomb-oscillator has as a relay: its reference serves both.
TEST(CoulombBlock, IsTheOscillatorWithARelay) {
  Mechanics block("coulomb-block");
  const auto x = block.coordinate("x", 12, 6);
  block.mass(x, 1.0);
  block.potential([=](const auto& at) { return sqr(at[x]) / 2; });
  const auto rub = block.dry_friction(
      "rub", [=](const auto& at) { return at[dot(x)]; }, [](const auto&) { return 1.0; }, {.friction = 1.0});
  block.energy();
  block.friction_work();
  const Problem& relay = find_problem("coulomb-oscillator");
  const auto expected = *relay.event_times(Values(relay.system), 100);
  ASSERT_EQ(expected.size(), 8u);
  for (const Method& method : methods_swept) {
    SCOPED_TRACE(method.name);
    const Result run = simulate(block, {.end = 100, .tolerance = method.tolerance, .method = method.name});
    const auto found = firing_times(run);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], method.bound) << i;
    EXPECT_NEAR(found.back(), 22.423556350699090509, method.bound);
    EXPECT_NEAR(run.final()[x], 0.68217893672364684556, 13 * method.bound) << "the amplitude is 13";
    EXPECT_EQ(run.final()[rub.mode], ContactMode::stick);
    EXPECT_NEAR(run.final()[rub.slip], 0.68217893672364684556, 13 * method.bound) << "friction holds the spring";
  }
  EXPECT_LT(imbalance(simulate(block, {.end = 100, .tolerance = 1e-12})), 1e-10);
}

// ---- impacts in mechanisms ----

TEST(DoublePendulumStop, CartesianAndJointsStrikeWhenTheAnglesDo) {
  constexpr Real l1 = 1, l2 = 0.8L, m1 = 1, m2 = 0.5L, g = 9.81L, e = 0.5L, k = m2 * l1 * l2;
  using State = std::array<Real, 4>;  // angles from the vertical and their rates
  const auto solve = [](const State& x, Real f1, Real f2) {
    const Real a = (m1 + m2) * l1 * l1, b = k * std::cos(x[1] - x[0]), c = m2 * l2 * l2, det = a * c - b * b;
    return std::array<Real, 2>{(c * f1 - b * f2) / det, (a * f2 - b * f1) / det};
  };
  Reduced<4> angles{[&](const State& x) -> State {
                      const Real s = k * std::sin(x[1] - x[0]);
                      const auto a = solve(x, s * x[3] * x[3] - (m1 + m2) * g * l1 * std::sin(x[0]),
                                           -s * x[2] * x[2] - m2 * g * l2 * std::sin(x[1]));
                      return {x[2], x[3], a[0], a[1]};
                    },
                    [](const State& x) { return x[1] - x[0]; }, 0.01L};
  State x{1, 1.5L, 0, 0};
  std::vector<double> impacts;
  for (Real t = 0; impacts.size() < 8;) {
    t += angles.run_to_zero(x);
    impacts.push_back(static_cast<double>(t));
    const auto per_impulse = solve(x, -1, 1);
    const Real impulse = -(1 + e) * (x[3] - x[2]) / (per_impulse[1] - per_impulse[0]);
    x[2] += per_impulse[0] * impulse;
    x[3] += per_impulse[1] * impulse;
  }
  const Problem& problem = find_problem("double-pendulum-stop");
  for (const Method& method : methods_swept) {
    SCOPED_TRACE(method.name);
    const Result run = simulate(problem.system, {.end = 3, .tolerance = method.tolerance, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto found = firing_times(run);
    ASSERT_GE(found.size(), impacts.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) EXPECT_NEAR(found[i], impacts[i], method.bound) << i;
    expect_reference(problem, run, {0.5, 0.9}, 10 * method.bound);
    EXPECT_LT(drift(run), 1e-12);
    EXPECT_LT(imbalance(run), 100 * method.bound);
    for (int i = 0; i <= 1000; ++i) {
      const auto q = run.on_manifold(0.003 * i).states();
      EXPECT_GE(q[0] * (q[6] - q[2]) - q[2] * (q[4] - q[0]), -1e-12);
    }
  }
}

TEST(GearBacklash, HammersRestsAndChangesFlanksAsItsClosedFormSays) {
  const Problem& problem = find_problem("gear-backlash");
  const Values values(problem.system);
  const auto expected = *problem.event_times(values, 10);
  for (const Method& method : methods_swept) {
    SCOPED_TRACE(method.name);
    const Result run = simulate(problem.system, {.end = 10, .tolerance = method.tolerance, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto found = firing_times(run);
    for (const double t : expected) {  // and more, where they come close
      const auto next = std::lower_bound(found.begin(), found.end(), t);
      const double after = next == found.end() ? 1 : *next - t,
                   before = next == found.begin() ? 1 : t - *std::prev(next);
      EXPECT_LT(std::min(after, before), 10 * method.bound) << t;
    }
    for (const double t : {0.2, 0.6, 1.1, 2.0, 3.5, 4.6, 10.0})
      EXPECT_LT(*error_against_reference(problem, values, t, run.at(t).states()), 100 * method.bound) << t;
    EXPECT_LT(drift(run), 1e-12);
    for (int i = 0; i <= 1000; ++i) {
      const auto q = run.at(0.01 * i).states();
      EXPECT_LE(std::abs(q[0] - 2 * q[2]), 0.05 + 1e-12);
    }
  }
}

// Adams starts again at order 1 after every impact, and its flights come down to rounding before they are passed over.
TEST(GearBacklash, IsBetterTheTighterWithAdams) {
  const Problem& problem = find_problem("gear-backlash");
  const Values values(problem.system);
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    const Result run = simulate(problem.system, {.end = 10, .tolerance = tolerance, .method = "adams"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(*error_against_reference(problem, values, 10, run.final().states()), 1000 * tolerance) << tolerance;
  }
}

TEST(GearBacklash, ExchangesMomentumAndRepeatsWithTheDrive) {
  const Problem& problem = find_problem("gear-backlash");
  const Result run = simulate(problem.system, {.end = 10, .tolerance = 1e-12});
  EXPECT_LT(imbalance(run), 1e-10);
  std::vector<double> rests, releases;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::accumulation) rests.push_back(event.t);
    if (run.names(event)[0].ends_with("releases")) releases.push_back(event.t);
  }
  ASSERT_EQ(rests.size(), 7u);  // in turn on both flanks
  for (std::size_t i = 3; i < rests.size(); ++i) EXPECT_NEAR(rests[i] - rests[i - 2], std::numbers::pi, 1e-9) << i;
  ASSERT_EQ(releases.size(), 6u);
  for (std::size_t i = 0; i < releases.size(); ++i) {  // where the force of the drive turns over: cos 2t = -1/3
    const double first = std::acos(-1.0 / 3) / 2;
    const std::size_t turns = i / 2;
    EXPECT_NEAR(releases[i],
                (i % 2 == 0 ? first : std::numbers::pi - first) + std::numbers::pi * static_cast<double>(turns), 1e-11);
  }
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    const double t = firing_times(run)[i];
    const auto before = run.before(t).states(), after = run.at(t).states();
    EXPECT_NEAR(2 * before[1] + 4 * before[3], 2 * after[1] + 4 * after[3], 1e-13);
    EXPECT_NEAR(after[1] - 2 * after[3], -0.5 * (before[1] - 2 * before[3]), 1e-13);
  }
}

TEST(SliderCrankClearance, TheJournalStrikesWhenTheReducedEquationsSay) {
  constexpr Real crank = 0.05L, rod = 0.12L, room = 0.0005L, speed = 100, gain = 0.01L, e = 0.5L;
  constexpr Real a = 0.0001L + 0.05L * crank * crank, c = 0.00006L + 0.05L * rod * rod / 4, slider = 0.14L,
                 k = 0.05L * crank * rod / 2;
  using State = std::array<Real, 6>;  // crank, rod, slider and their rates
  const auto solve = [](const State& x, Real f1, Real f2, Real f3) {
    const Real b = k * std::cos(x[0] - x[1]), det = a * c - b * b;
    return std::array<Real, 3>{(c * f1 - b * f2) / det, (a * f2 - b * f1) / det, f3 / slider};
  };
  const auto offset = [](const State& x) {
    return std::array<Real, 2>{crank * std::cos(x[0]) + rod * std::cos(x[1]) - x[2],
                               crank * std::sin(x[0]) + rod * std::sin(x[1])};
  };
  Reduced<6> engine{[&](const State& x) -> State {
                      const Real s = k * std::sin(x[0] - x[1]);
                      const auto v = solve(x, gain * (speed - x[3]) - s * x[4] * x[4], s * x[3] * x[3], 0);
                      return {x[3], x[4], x[5], v[0], v[1], v[2]};
                    },
                    [&](const State& x) {
                      const auto r = offset(x);
                      return room * room - r[0] * r[0] - r[1] * r[1];
                    },
                    1e-4L};
  State x{0, 0, crank + rod, speed, -speed * crank / rod, 0};
  std::vector<double> impacts;
  for (Real t = 0; impacts.size() < 8;) {
    t += engine.run_to_zero(x);
    impacts.push_back(static_cast<double>(t));
    const auto r = offset(x);
    const std::array<Real, 3> J{-(-r[0] * crank * std::sin(x[0]) + r[1] * crank * std::cos(x[0])) / room,
                                -(-r[0] * rod * std::sin(x[1]) + r[1] * rod * std::cos(x[1])) / room, r[0] / room};
    const auto per_impulse = solve(x, J[0], J[1], J[2]);
    Real approach = 0, w = 0;
    for (std::size_t i = 0; i < 3; ++i) approach += J[i] * x[3 + i], w += J[i] * per_impulse[i];
    for (std::size_t i = 0; i < 3; ++i) x[3 + i] -= (1 + e) * approach / w * per_impulse[i];
  }
  const Problem& problem = find_problem("slider-crank-clearance");
  for (const Method& method : methods_swept) {
    SCOPED_TRACE(method.name);
    // The direction of the force is a difference of lengths of 0.17 over one of 0.0005: 1e-13.
    const double tolerance = std::max(method.tolerance, 1e-11);
    const Result run = simulate(problem.system, {.end = problem.end, .tolerance = tolerance, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto found = firing_times(run);
    ASSERT_GE(found.size(), impacts.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) EXPECT_NEAR(found[i], impacts[i], method.bound) << i;
    expect_reference(problem, run, {0.0005, 0.0013}, 1e3 * method.bound);  // speeds are of size 100
    EXPECT_LT(drift(run), 1e-12);
    EXPECT_LT(imbalance(run), 100 * method.bound);
    for (int i = 0; i <= 1000; ++i) {
      const auto q = run.on_manifold(problem.end / 1000 * i).states();
      const double across = q[2] + 0.06 * std::cos(q[6]) - q[8], up = q[4] + 0.06 * std::sin(q[6]);
      EXPECT_LE(std::hypot(across, up), 0.0005 + 1e-13);
    }
  }
}

// ---- friction of a joint, control of an arm ----

TEST(BeadHoop, ReversesAndSticksAsTheReducedEquationSays) {
  constexpr Real g = 9.81L, mu = 0.2L;
  using State = std::array<Real, 2>;  // angle from below and its rate
  Real slip = -1, side = -1;
  const auto pressing = [&](const State& x) { return x[1] * x[1] + g * std::cos(x[0]); };
  const Reduced<2> bead{[&](const State& x) -> State {
                          return {x[1], -g * std::sin(x[0]) - slip * mu * side * pressing(x)};
                        },
                        [&](const State& x) { return std::min(slip * x[1], side * pressing(x)); }, 0.01L};
  State x{2.5L, 0};
  std::vector<double> times;
  for (Real t = 0;;) {
    t += bead.run_to_zero(x);
    times.push_back(static_cast<double>(t));
    if (std::abs(pressing(x)) < 1e-12L) {
      side = -side;
      continue;
    }
    x[1] = 0;
    if (std::abs(std::sin(x[0])) <= mu * std::cos(x[0])) break;
    slip = -slip;
  }
  ASSERT_EQ(times.size(), 4u);  // it lets go of one side, reverses twice, and stays
  const Problem& problem = find_problem("bead-hoop");
  for (const Method& method : methods_swept) {
    SCOPED_TRACE(method.name);
    const Result run = simulate(problem.system, {.end = 5, .tolerance = method.tolerance, .method = method.name});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto found = firing_times(run);
    ASSERT_EQ(found.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[i], times[i], method.bound) << i;
    EXPECT_NEAR(run.final()["x"], static_cast<double>(std::sin(x[0])), method.bound);
    expect_reference(problem, run, {1, 5}, 100 * method.bound);
    EXPECT_LT(drift(run), 1e-12);
    EXPECT_LT(imbalance(run), 100 * method.bound);
  }
}

// At the instant at which a force vanishes its sign is rounding: what its guard has found counts, at every tolerance.
TEST(BeadHoop, ChangesSideOnceHoweverTheForceIsRounded) {
  const Problem& problem = find_problem("bead-hoop");
  for (const char* method : {"radau", "radau-9"}) {
    for (const double tolerance : {1e-12, 1.1e-12, 1.2e-12, 2e-12, 3e-12, 5e-12}) {
      SCOPED_TRACE(::testing::Message() << method << " " << tolerance);
      const Result run = simulate(problem.system, {.end = 5, .tolerance = tolerance, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(firing_times(run).size(), 4u);
    }
  }
}

// Straight, it swings as one body, and the moment at the elbow is a multiple of the sine of its angle: it lets go where
// it hangs vertically.
TEST(DoublePendulumStop, LetsGoWhereNothingPressesItAtEveryTolerance) {
  const Problem& problem = find_problem("double-pendulum-stop");
  const Result exact = simulate(problem.system, {.end = 3, .tolerance = 1e-11});
  for (const double tolerance : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8}) {
    SCOPED_TRACE(tolerance);
    const Result run = simulate(problem.system, {.end = 3, .tolerance = tolerance});
    ASSERT_TRUE(run.finished()) << run.reason;
    const Event& release = run.events.back();
    EXPECT_EQ(release.notes, std::vector<std::string>{"'elbow' opens"});
    EXPECT_NEAR(run.at(release.t)["x1"], 0, 10 * tolerance);
    EXPECT_NEAR(run.final()["x2"], exact.final()["x2"], 10 * tolerance);
  }
}

TEST(SlidingArm, ReachesBothSurfacesAndItsErrorsDecayExponentially) {
  const Problem& problem = find_problem("sliding-arm");
  const auto reached = *problem.event_times(Values(problem.system), 4);
  ASSERT_EQ(reached.size(), 2u);
  for (const Method& method : methods_swept) {
    expect_known(problem, problem.system, Values(problem.system), method, 4);
    const Result run = simulate(problem.system, {.end = 4, .tolerance = method.tolerance, .method = method.name});
    for (const Event& event : run.events) EXPECT_EQ(event.kind, EventKind::slide);
    // The first surface has sigma = 3 and gain 4 against gusts of cos 3t, the second 4 and 3 against 0.5 cos 3t.
    const Instant early = run.at(2), late = run.at(3.5);
    EXPECT_NEAR(late["error1"] / early["error1"], std::exp(-3 * 1.5), 100 * method.bound);
    EXPECT_NEAR(late["error2"] / early["error2"], std::exp(-4 * 1.5), 100 * method.bound);
    EXPECT_NEAR(late[Relay{0}], std::cos(10.5) / 4, 1e3 * method.bound) << "the equivalent control meets the gust";
    EXPECT_NEAR(late[Relay{1}], std::cos(10.5) / 6, 1e3 * method.bound);
    for (const char* surface : {"s1", "s2"}) EXPECT_NEAR(late[surface], 0, method.bound);
  }
}

}  // namespace
}  // namespace pawl
