// The default: every accepted step ends on the manifold, to rounding, at every level, and the method stays what it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formulate/mechanics_form.hpp"
#include "integrate/methods.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "stepper_of.hpp"

namespace pawl {
namespace {

/// What rounding alone does to the residuals of a mechanism: eps times the largest Σ_j |G_ij q_j| and Σ_j |G_ij v_j|
/// over the ends of all steps.
struct Rounding {
  double position = 0, velocity = 0;
};

Rounding rounding_of(const System& system, const Result& run) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  Rounding all;
  const Held held = Values(system).held();
  formulate::MechanicsForm form(system.share(), {});
  form.lock(held);
  const auto& info = *system.declarations().mechanics;
  for (int i = 0; i < run.sample_count(); ++i) {
    const Instant now = run.sample(i);
    const Eigen::MatrixXd G = form.dense_jacobian(now.t, now.states().data()).cwiseAbs();
    Eigen::VectorXd q = Eigen::VectorXd::Ones(G.cols()), v(G.cols());
    for (std::size_t k = 0; k < info.positions.size(); ++k) {
      if (info.speed_of[k] >= 0)
        q(info.speed_of[k]) = std::max(1.0, std::abs(now.states()[static_cast<std::size_t>(info.positions[k])]));
    }
    for (std::size_t k = 0; k < info.speeds.size(); ++k)
      v(static_cast<Eigen::Index>(k)) = std::abs(now.states()[static_cast<std::size_t>(info.speeds[k])]);
    v = v.cwiseMax(0.01 * v.maxCoeff());
    all.position = std::max(all.position, eps * (G * q).maxCoeff());
    all.velocity = std::max(all.velocity, eps * (G * v).maxCoeff());
  }
  return all;
}

struct Case {
  const char* problem;
  double end;
};
const Case mechanisms[] = {
    {"rod-pendulum", 5}, {"cartesian-pendulum", 10}, {"pendulum-period2", 4}, {"arm-parabola", 5},
    {"arm-sine", 2},     {"rolling-spheres", 8},     {"squeezer", 0.03},      {"quaternion-top", 1},
    {"four-bar", 5},     {"slider-crank", 5},        {"rolling-disk", 20},    {"caraxis", 3},
    {"chain", 0.5}};

TEST(Projection, KeepsEveryLevelAtRoundingWithEveryMethod) {
  for (const auto& [name, end] : mechanisms) {
    const Problem& problem = find_problem(name);
    for (const char* method : {"auto", "dormand-prince-5", "tsitouras-papakostas-8", "verner-9"}) {
      for (const double tolerance : {1e-6, 1e-9}) {
        SCOPED_TRACE(std::string(name) + " " + method + " " + std::to_string(-std::log10(tolerance)));
        const Result run =
            simulate(problem.system, {.end = end, .tolerance = tolerance, .method = method, .keep = Keep::samples});
        ASSERT_TRUE(run.finished()) << run.reason;
        const ConstraintStatistics& kept = *run.statistics.constraints;
        EXPECT_EQ(kept.stabilization, "projection");
        const Rounding rounding = rounding_of(problem.system, run);
        // Where an attitude is normalized on the way, the last digits of a residual are not all removed.
        const bool has_attitude = !problem.system.declarations().mechanics->attitudes.empty();
        EXPECT_LE(kept.position_drift, (has_attitude ? 64 : 16) * rounding.position);
        EXPECT_LE(kept.velocity_drift, 16 * rounding.velocity);
        EXPECT_LE(kept.position_drift, 1e-13);
        EXPECT_LE(kept.velocity_drift, 1e-12 * std::max(1.0, rounding.velocity / 2.2e-16));
        EXPECT_LE(kept.max_adjustment_in_tolerance, 1);
        EXPECT_GE(kept.corrections, run.statistics.steps_accepted);
      }
    }
  }
}

TEST(Projection, AnswersWithinTheSumOfItsLocalErrors) {
  // Every step adds at most the tolerance; the motions here amplify it at most thirtyfold.
  for (const auto& [name, end] : mechanisms) {
    const Problem& problem = find_problem(name);
    const auto exact = problem.reference(Values(problem.system), end);
    if (!exact) continue;
    double size = 1;
    for (const double x : *exact) size = std::max(size, std::abs(x));
    for (const char* method : {"auto", "dormand-prince-5", "tsitouras-papakostas-8", "verner-9"}) {
      for (const double tolerance : {1e-6, 1e-9}) {
        SCOPED_TRACE(std::string(name) + " " + method);
        const Result run =
            simulate(problem.system, {.end = end, .tolerance = tolerance, .method = method, .keep = Keep::end});
        const double error = *error_against_reference(problem, Values(problem.system), end, run.final_state);
        EXPECT_LE(error, 30 * size * tolerance * static_cast<double>(run.statistics.steps_accepted));
      }
    }
  }
}

TEST(Projection, HoldsInvariantsOfPortHamiltonianSystemsToo) {
  for (const char* name : {"ph-pendulum", "flyball"}) {
    const Problem& problem = find_problem(name);
    const Result run = simulate(problem.system, {.end = 10, .tolerance = 1e-8, .keep = Keep::samples});
    ASSERT_TRUE(run.finished()) << run.reason;
    double size = 1;
    for (const double x : run.trajectory.sample_states) size = std::max(size, std::abs(x));
    const ConstraintStatistics& kept = *run.statistics.constraints;
    EXPECT_LE(std::max({kept.position_drift, kept.velocity_drift, kept.invariant_drift}), 1e-13 * size) << name;
    EXPECT_LE(kept.max_adjustment_in_tolerance, 1) << name;
  }
}

TEST(Projection, LeavesALevelFreeWhereAsked) {
  const auto drift_with = [](const char* stabilization) {
    const Result run =
        simulate(find_problem("pendulum-period2").system, {.end = 40,
                                                           .tolerance = 1e-6,
                                                           .method = "dormand-prince-5",
                                                           .keep = Keep::end,
                                                           .constraints = {.stabilization = stabilization}});
    return *run.statistics.constraints;
  };
  const auto positions = drift_with("projection(position)"), speeds = drift_with("projection(velocity)"),
             both = drift_with("projection(both)"), none = drift_with("none");
  EXPECT_LE(positions.position_drift, 1e-15);
  EXPECT_GT(positions.velocity_drift, 1e-7);
  EXPECT_LE(speeds.velocity_drift, 1e-14);
  EXPECT_GT(speeds.position_drift, 1e-7);
  EXPECT_LE(both.position_drift, 1e-15);
  EXPECT_LE(both.velocity_drift, 1e-14);
  EXPECT_GT(none.position_drift, 1e-6);
  EXPECT_EQ(none.max_adjustment, 0);
}

TEST(Projection, CostsNoEvaluationOfTheRightHandSide) {
  // First same as last: six evaluations per trial step, whether the end is moved or not.
  for (const char* name : {"squeezer", "cartesian-pendulum", "arm-parabola"}) {
    const Problem& problem = find_problem(name);
    const auto expect_six_with = [&](const char* stabilization) {
      const Result run = simulate(problem.system, {.end = name == std::string("arm-parabola") ? 5 : problem.end,
                                                   .tolerance = 1e-7,
                                                   .method = "dormand-prince-5",
                                                   .keep = Keep::end,
                                                   .constraints = {.stabilization = stabilization}});
      EXPECT_TRUE(run.finished());
      const Statistics& work = run.statistics;
      const long long rest = work.rhs - 6 * (work.steps_accepted + work.steps_rejected);
      EXPECT_GE(rest, 1) << name << " " << stabilization;
      // The first, one for the size of the first step, and now and then one that looks for stiffness.
      EXPECT_LE(rest, 2 + work.steps_accepted / 40) << name << " " << stabilization;
    };
    for (const char* stabilization : {"none", "projection", "s-both2", "s-full", "sweeps"})
      expect_six_with(stabilization);
  }
}

TEST(Projection, RejectsAStepItWouldHaveToMoveTooFar) {
  // At loose tolerances the estimate alone would accept steps that end far off.
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    for (const Method& method : methods()) {
      // A mass matrix that varies is not for Rosenbrock methods, multipliers are not for adams, and IDA takes no pull
      // inside its error test.
      if (!method.is_adaptive || method.family == Family::rosenbrock || !testing::takes_fixed_steps(method)) continue;
      const Result run = simulate(find_problem("squeezer").system,
                                  {.end = 0.03, .tolerance = tolerance, .method = method.name, .keep = Keep::end});
      ASSERT_TRUE(run.finished()) << method.name << " " << tolerance << " " << run.reason;
      EXPECT_LE(run.statistics.constraints->max_adjustment_in_tolerance, 1) << method.name << " " << tolerance;
    }
  }
}

TEST(Projection, ReturnsWhereItCameFrom) {
  const Problem& problem = find_problem("four-bar");
  const Result there = simulate(problem.system, {.end = 1, .tolerance = 1e-11, .keep = Keep::end});
  Values values(problem.system);
  for (std::size_t i = 0; i < there.final_state.size(); ++i) values[State{static_cast<int>(i)}] = there.final_state[i];
  const Result back = simulate(problem.system, values, {.start = 1, .end = 0, .tolerance = 1e-11, .keep = Keep::end});
  ASSERT_TRUE(back.finished()) << back.reason;
  for (std::size_t i = 0; i < back.final_state.size(); ++i)
    EXPECT_NEAR(back.final_state[i], there.start_state[i], 1e-7);
}

// ---- energy and other invariants ----

Mechanics pendulum_of_period_2(bool keeps_energy) {
  Mechanics pendulum("pendulum");
  const double g = 13.750371636040745654980191559621;
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return g * (at[y] + 1); });  // g at the start
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  pendulum.energy("energy", keeps_energy);
  return pendulum;
}

TEST(KeptEnergy, HoldsToRoundingOverAHundredPeriods) {
  const Mechanics pendulum = pendulum_of_period_2(true);
  for (const char* method : {"dormand-prince-5", "auto"}) {
    SCOPED_TRACE(method);
    const Result run = simulate(pendulum, {.end = 200, .tolerance = 1e-8, .method = method, .keep = Keep::end});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(run.range(Observable{0}).variation() / 13.75, 1e-14);
    EXPECT_LE(run.statistics.constraints->position_drift, 1e-15);
    EXPECT_LE(run.statistics.constraints->velocity_drift, 1e-14);
    EXPECT_LE(run.statistics.constraints->max_adjustment_in_tolerance, 1);
  }
}

TEST(KeptEnergy, TurnsAQuadraticPhaseErrorIntoALinearOne) {
  // After whole periods the pendulum is at rest at (1, 0), where its angle is that of a time shift dt: y = -g dt²/2.
  // Take a quarter later, at the bottom: x = v dt.
  const auto shift = [](bool keeps_energy, int periods) {
    const Result run =
        simulate(pendulum_of_period_2(keeps_energy),
                 {.end = 2.0 * periods + 0.5, .method = "dormand-prince-5", .step = 0.02, .keep = Keep::end});
    EXPECT_TRUE(run.finished());
    return std::abs(run.final()["x"] / run.final()["x'"]);
  };
  EXPECT_NEAR(shift(false, 160) / shift(false, 40), 16, 2.5);
  EXPECT_NEAR(shift(true, 160) / shift(true, 40), 4, 0.6);
  EXPECT_LT(shift(true, 160), shift(false, 160) / 10);
}

struct Orbit {
  System system{"orbit"};
  State x = system.state("x", 0.4), y = system.state("y", 0), u = system.state("u", 0), v = system.state("v", 2);

  explicit Orbit(bool keeps) {  // eccentricity 0.6, period 2 π, energy -1/2, momentum 0.8
    system.rates([x = x, y = y, u = u, v = v](const auto& at, auto& d) {
      const auto r3 = pow(sqr(at[x]) + sqr(at[y]), 1.5);
      d[x] = at[u];
      d[y] = at[v];
      d[u] = -at[x] / r3;
      d[v] = -at[y] / r3;
    });
    const auto energy = [x = x, y = y, u = u, v = v](const auto& at) {
      return (sqr(at[u]) + sqr(at[v])) / 2 - 1 / sqrt(sqr(at[x]) + sqr(at[y]));
    };
    const auto momentum = [x = x, y = y, u = u, v = v](const auto& at) { return at[x] * at[v] - at[y] * at[u]; };
    system.observable("energy", energy);
    system.observable("momentum", momentum);
    if (keeps) system.conserved("integrals", [=](const auto& at) { return std::array{energy(at), momentum(at)}; });
  }
};

TEST(Invariants, OfAnOrbitAreKeptAndItsPhaseErrorGrowsSlower) {
  const double end = 40 * std::numbers::pi;
  const auto run_of = [&](bool keeps) {
    return simulate(Orbit(keeps).system,
                    {.end = end, .tolerance = 1e-7, .method = "dormand-prince-5", .keep = Keep::end});
  };
  const Result plain = run_of(false), kept = run_of(true);
  ASSERT_TRUE(kept.finished()) << kept.reason;
  EXPECT_LE(kept.range(Observable{0}).variation(), 5e-14);
  EXPECT_LE(kept.range(Observable{1}).variation(), 5e-15);
  EXPECT_GT(plain.range(Observable{0}).variation(), 1e-6);
  EXPECT_LE(kept.statistics.constraints->max_adjustment_in_tolerance, 1);
  EXPECT_FALSE(plain.statistics.constraints.has_value());
  const auto distance = [](const Result& run) { return std::hypot(run.final()["x"] - 0.4, run.final()["y"]); };
  EXPECT_LT(distance(kept), distance(plain) / 3);
}

TEST(Invariants, AQuaternionKeepsItsLength) {
  // Turning with constant angular velocity w in body axes: q(t) = q(0) (cos |w| t / 2, sin |w| t / 2 w / |w|).
  System body("body");
  const auto q = body.states("q", {1, 0, 0, 0});
  const double w[] = {1, -2, 2};
  body.rates([=](const auto& at, auto& d) {
    d[q[0]] = -(at[q[1]] * w[0] + at[q[2]] * w[1] + at[q[3]] * w[2]) / 2;
    d[q[1]] = (at[q[0]] * w[0] + at[q[2]] * w[2] - at[q[3]] * w[1]) / 2;
    d[q[2]] = (at[q[0]] * w[1] + at[q[3]] * w[0] - at[q[1]] * w[2]) / 2;
    d[q[3]] = (at[q[0]] * w[2] + at[q[1]] * w[1] - at[q[2]] * w[0]) / 2;
  });
  body.invariant("length",
                 [=](const auto& at) { return sqr(at[q[0]]) + sqr(at[q[1]]) + sqr(at[q[2]]) + sqr(at[q[3]]) - 1; });
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Options options{.end = 20, .tolerance = 1e-6, .method = method.name, .keep = Keep::end};
    if (!method.is_adaptive) options.step = 0.01;
    const Result run = simulate(body, options);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(run.statistics.constraints->invariant_drift, 8 * 2.2204460492503131e-16);  // 4 eps Σ |2 q_i q_i|
    const double length =
        std::sqrt(sqr(run.final()[q[0]]) + sqr(run.final()[q[1]]) + sqr(run.final()[q[2]]) + sqr(run.final()[q[3]]));
    EXPECT_NEAR(length, 1, 1e-15);
    if (method.order >= 4) {
      EXPECT_NEAR(run.final()[q[0]], std::cos(30), 2e-4);
    }
  }
}

TEST(Invariants, ThatAreConservedTakeTheirNewValueAfterAJump) {
  Orbit orbit(true);
  orbit.system.at(1.0, [u = orbit.u](Jump& jump) { jump[u] = jump.pre(u) + 0.1; });  // a burst
  const Result run = simulate(orbit.system, {.end = 3, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double before = run.before(1)["energy"], after = run.at(1)["energy"];
  EXPECT_NEAR(before, -0.5, 1e-14);
  EXPECT_NEAR(after - before, 0.1 * run.before(1)[orbit.u] + 0.005, 1e-14);
  EXPECT_NEAR(run.final()["energy"], after, 1e-14);
}

TEST(Invariants, AFreeBodysAttitudeKeepsItsLengthAsWell) {
  Mechanics body("body");
  const auto a = body.attitude("a", {1, 0, 0, 0}, {1, -2, 2});
  for (int i = 0; i < 3; ++i) body.mass(a.speed(i), 1.0);  // a sphere: its angular velocity stays
  for (const char* method : {"dormand-prince-5", "tsitouras-papakostas-8"}) {
    const Result run = simulate(body, {.end = 200, .tolerance = 1e-5, .method = method, .keep = Keep::end});
    ASSERT_TRUE(run.finished()) << run.reason;
    const Instant end = run.final();
    EXPECT_NEAR(sqr(end[a[0]]) + sqr(end[a[1]]) + sqr(end[a[2]]) + sqr(end[a[3]]), 1, 1e-14) << method;
  }
}

TEST(Invariants, TheTopsAttitudeKeepsItsLengthUnderEveryStabilization) {
  for (const char* stabilization : {"projection", "s-both", "s-both2", "s-full", "sweeps", "s-pos"}) {
    const Result run =
        simulate(find_problem("quaternion-top").system,
                 {.end = 0.5, .tolerance = 1e-6, .keep = Keep::end, .constraints = {.stabilization = stabilization}});
    ASSERT_TRUE(run.finished()) << stabilization << ": " << run.reason;
    const Instant end = run.final();
    EXPECT_NEAR(sqr(end["a_w"]) + sqr(end["a_x"]) + sqr(end["a_y"]) + sqr(end["a_z"]), 1, 1e-14) << stabilization;
  }
}

// ---- the mass metric ----

double kinetic_energy(const System& system, const std::vector<double>& x) {
  const Held held = Values(system).held();
  formulate::MechanicsForm form(system.share(), {});
  form.lock(held);
  const auto& info = *system.declarations().mechanics;
  Eigen::VectorXd v(static_cast<Eigen::Index>(info.speeds.size()));
  for (std::size_t i = 0; i < info.speeds.size(); ++i)
    v(static_cast<Eigen::Index>(i)) = x[static_cast<std::size_t>(info.speeds[i])];
  return v.dot(form.dense_mass(0, x.data()) * v) / 2;
}

TEST(Projection, NeverRaisesTheKineticEnergyOfAStart) {
  // With speeds off the manifold alone: what is taken away is orthogonal to what stays, so T falls by its energy.
  for (const char* name : {"four-bar", "slider-crank", "squeezer", "arm-parabola", "rolling-disk", "quaternion-top"}) {
    const System& system = find_problem(name).system;
    const auto& info = *system.declarations().mechanics;
    for (int trial = 0; trial < 5; ++trial) {
      Values values(system);
      for (std::size_t i = 0; i < info.speeds.size(); ++i)
        values[State{info.speeds[i]}] += std::sin(1.3 * (trial + 1) * static_cast<double>(i + 1));
      const Result run = simulate(system, values, {.end = 1e-9, .keep = Keep::end});
      std::vector<double> change = values.start();
      for (std::size_t i = 0; i < change.size(); ++i) change[i] -= run.start_state[i];
      const double given = kinetic_energy(system, values.start()), now = kinetic_energy(system, run.start_state);
      for (const int state : info.positions) ASSERT_NEAR(change[static_cast<std::size_t>(state)], 0, 1e-12) << name;
      std::vector<double> difference = run.start_state;
      for (const int state : info.speeds)
        difference[static_cast<std::size_t>(state)] = change[static_cast<std::size_t>(state)];
      EXPECT_LT(now, given) << name;
      EXPECT_NEAR(now + kinetic_energy(system, difference), given, 1e-12 * given) << name;
    }
  }
}

}  // namespace
}  // namespace pawl
