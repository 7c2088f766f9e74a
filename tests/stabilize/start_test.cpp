// Consistent initialization: from any start to one the constraints allow, said in words; or a reaching phase.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include "numerics/elimination.hpp"

#include "formulate/mechanics_form.hpp"
#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;

std::string warnings(const Result& run) {
  std::string all;
  for (const Message& message : run.messages) {
    if (message.level == Message::Level::warning) all += message.text + "\n";
  }
  return all;
}

Values inconsistent_spheres() {
  Values values(find_problem("rolling-spheres").system);
  values.set("consistent", 0);
  return values;
}

// ---- projection ----

TEST(Start, OfTheSpheresIsMovedAsLittleAsPossibleInTheMassMetric) {
  // By hand. Positions: only ρ reads the contact. Speeds, at ρ = 0.6, θ = ψ = π/2, with G as derived by hand:
  // dv = -M^-1 G^T (G M^-1 G^T)^-1 G v.
  const System& system = find_problem("rolling-spheres").system;
  const Values values = inconsistent_spheres();
  const auto given = values.start();
  const Result run = simulate(system, values, {.end = 1e-6, .keep = Keep::end});
  ASSERT_TRUE(run.finished()) << run.reason;
  const double r = 0.05, R = 0.55, I = 0.4 * r * r;
  Eigen::MatrixXd G(3, 6), M = Eigen::MatrixXd::Zero(6, 6);
  G << 1, 0, 0, 0, 0, 0,     //
      0, R + r, 0, 0, r, 0,  //
      0, 0, R + r, -r, 0, 0;
  M.diagonal() << 1, 0.36, 0.36, I, I, I;
  Eigen::VectorXd v(6);
  for (int i = 0; i < 6; ++i) v(i) = given[static_cast<std::size_t>(2 * i + 1)];
  const Eigen::MatrixXd Y = linear::Cholesky(M).solve_columns(G.transpose());
  const Eigen::VectorXd dv = -Y * linear::Cholesky(G * Y).solve(G * v);
  for (int i = 0; i < 6; ++i) {
    const auto q = static_cast<std::size_t>(2 * i);
    EXPECT_NEAR(run.start_state[q + 1], v(i) + dv(i), 1e-14) << i;
    EXPECT_NEAR(run.start_state[q], i == 0 ? 0.6 : given[q], 1e-15) << i;
  }
  const double printed[] = {0, -0.014, 0.0056, -0.168, -0.421, 0};  // on-the-manifold.md, section 9
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(dv(i), printed[i], 5e-4);
  // T at ρ = 0.6 before and after; what is lost is the energy of dv.
  const auto T = [&](const Eigen::VectorXd& speeds) { return speeds.dot(M * speeds) / 2; };
  EXPECT_NEAR(T(v), 6.030e-3, 5e-7);
  EXPECT_NEAR(T(v + dv), 5.887e-3, 5e-7);
  EXPECT_NEAR(T(v) - T(v + dv), T(dv), 1e-15);
  EXPECT_NEAR(run.start()["energy"], T(v + dv), 1e-15);
}

TEST(Start, SaysWhatWasWrongAndWhatWasChanged) {
  const Result run = simulate(find_problem("rolling-spheres").system, inconsistent_spheres(), {.end = 0.1});
  EXPECT_TRUE(says(warnings(run), {"the start was not consistent", "'rolling[0]'", "velocity", "rho 0.7 -> 0.6",
                                   "theta' 1.76715 -> 1.34", "phi' 1.41372 -> 1.24", "alpha' ", "beta' "}));
  const Result good = simulate(find_problem("rolling-spheres").system, {.end = 0.1});
  EXPECT_EQ(warnings(good), "");
}

// 1 and 1 + 1e-8 look alike with six digits.
TEST(Start, IsMovedWithTheDigitsThatDiffer) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1.00000001, 0), y = pendulum.coordinate("y", 0, 1);
  for (const auto q : {x, y}) pendulum.mass(q, 2.0);
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  EXPECT_TRUE(says(warnings(simulate(pendulum, {.end = 0.1})),
                   {"the start was not consistent: 'rod' is off by 1e-08 at the position level. Moved as little as "
                    "possible: x 1.00000001 -> 1"}));
}

TEST(Start, OfADrivenMechanismIsConsistentWithTheDrivesSpeed) {
  const System& arm = find_problem("arm-sine").system;  // y = sin² w t, starting in the middle of the motion
  const Result run = simulate(arm, {.start = 1, .end = 1.5, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant now = run.start();
  const double q1 = now["theta1"], q2 = now["theta2"], v1 = now["theta1'"], v2 = now["theta2'"];
  EXPECT_NEAR(std::sin(q1) + std::sin(q1 + q2), sqr(std::sin(0.5)), 1e-15);
  EXPECT_NEAR((std::cos(q1) + std::cos(q1 + q2)) * v1 + std::cos(q1 + q2) * v2, 0.5 * std::sin(1.0), 1e-15);
  EXPECT_TRUE(says(warnings(run), {"'height'", "theta1"}));
}

TEST(Start, MayBeFarAway) {
  // A point at (3, 4) comes to the circle, in the metric of equal masses along the radius.
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 3, 1), y = pendulum.coordinate("y", 4, 0);
  for (const auto q : {x, y}) pendulum.mass(q, 2.0);
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const Result run = simulate(pendulum, {.end = 0.1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.start()[x], 0.6, 1e-14);
  EXPECT_NEAR(run.start()[y], 0.8, 1e-14);
  EXPECT_NEAR(run.start()[dot(x)], 0.64, 1e-14);  // of (1, 0) what is along the tangent (0.8, -0.6)
  EXPECT_NEAR(run.start()[dot(y)], -0.48, 1e-14);
}

TEST(Start, LeavesWhatIsFixedBitForBit) {
  const System& bars = find_problem("four-bar").system;
  Values values(bars);
  values.set("coupler", 0.9);
  values.set("rocker", 2.2);
  values.set("rocker'", 1);
  Options options{.end = 0.01};
  options.constraints.fixed = {"crank", "crank'"};
  const Result run = simulate(bars, values, options);
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.start()["crank"], std::numbers::pi / 3);
  EXPECT_EQ(run.start()["crank'"], 5);
  // One degree of freedom: with the crank given, the rest is the catalogue's own start.
  const auto exact = Values(bars).start();
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(run.start_state[i], exact[i], 1e-14);
}

TEST(Start, WithTooMuchFixedIsAFailureThatNamesIt) {
  const System& bars = find_problem("four-bar").system;
  Values values(bars);
  values.set("rocker", 2.2);
  Options options{.end = 0.01};
  options.constraints.fixed = {"crank", "rocker"};
  const Result run = simulate(bars, values, options);
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'crank'", "'rocker'", "held fixed", "over-determine", "'loop[", "try:"}));
  EXPECT_EQ(run.start()["rocker"], 2.2);
}

TEST(Start, WithSomethingUnknownFixedIsMisuse) {
  Options options{.end = 0.01};
  options.constraints.fixed = {"rockr"};
  EXPECT_TRUE(says(misuse_of([&] { simulate(find_problem("four-bar").system, options); }),
                   {"'rockr'", "did you mean 'rocker'"}));
}

TEST(Start, IsRefusedOrKeptWhereAsked) {
  const System& system = find_problem("rolling-spheres").system;
  Options options{.end = 0.1};
  options.constraints.start = "refuse";
  const Result refused = simulate(system, inconsistent_spheres(), options);
  EXPECT_EQ(refused.outcome, Outcome::failed);
  EXPECT_TRUE(says(refused.reason, {"the start is not consistent", "'rolling[0]'", "0.0295"}));
  EXPECT_EQ(refused.final()["rho"], 0.7);
  EXPECT_TRUE(simulate(system, options).finished());  // a consistent one is welcome

  options.constraints = {.stabilization = "none", .start = "keep"};
  const Result kept = simulate(system, inconsistent_spheres(), options);
  ASSERT_TRUE(kept.finished()) << kept.reason;
  EXPECT_EQ(kept.start()["rho"], 0.7);
  EXPECT_TRUE(says(warnings(kept), {"kept as it is", "'rolling[0]'"}));
  EXPECT_NEAR(kept.final()["rho"], 0.7, 1e-12);  // ρ'' = 0: the acceleration level alone does not bring it back
}

TEST(Start, WithoutASolutionIsAFailureThatNamesTheConstraint) {
  Mechanics pendulum("impossible");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0.5);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.constraint("imaginary rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) + 1; });
  const Result run = simulate(pendulum, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"no consistent start", "'imaginary rod'", "try:"}));
  EXPECT_EQ(run.final()[x], 1);  // as it was given
  EXPECT_EQ(run.t_end, 0);
}

TEST(Start, OfAnInvariantIsProjectedToo) {
  System body("body");
  const auto q = body.states("q", {3, 0, 4, 0});
  body.rates([=](const auto&, auto& d) {
    for (int i = 0; i < 4; ++i) d[q[i]] = 0.0;
  });
  body.invariant("length",
                 [=](const auto& at) { return sqr(at[q[0]]) + sqr(at[q[1]]) + sqr(at[q[2]]) + sqr(at[q[3]]) - 1; });
  const Result run = simulate(body, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.start()[q[0]], 0.6, 1e-15);
  EXPECT_NEAR(run.start()[q[2]], 0.8, 1e-15);
  EXPECT_TRUE(says(warnings(run), {"'length'"}));
}

TEST(Start, AnAttitudeComesToLengthOne) {
  Mechanics body("body");
  const auto a = body.attitude("a", {3, 0, 4, 0}, {0, 0, 1});
  for (int i = 0; i < 3; ++i) body.mass(a.speed(i), 1.0);
  const Result run = simulate(body, {.end = 1, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant end = run.final();
  EXPECT_NEAR(sqr(end[a[0]]) + sqr(end[a[1]]) + sqr(end[a[2]]) + sqr(end[a[3]]), 1, 1e-14);
}

// ---- reaching ----

Options reaching(double end) {
  Options options{.end = end, .tolerance = 1e-12, .method = "verner-9"};
  options.constraints.start = "reach(0.5,0.03,0.02)";  // contact, then the two of rolling
  return options;
}

TEST(Reaching, TimesAreTheSizesOfTheSurfacesOverTheirRates) {  // s_i' = -η_i sgn s_i, exactly
  const System& system = find_problem("rolling-spheres").system;
  const Result run = simulate(system, inconsistent_spheres(), reaching(2.5));
  ASSERT_TRUE(run.finished()) << run.reason;
  const auto& reached = run.statistics.constraints->reached;
  ASSERT_EQ(reached.size(), 3u);
  const auto time_of = [&](const std::string& name) {
    for (const auto& one : reached) {
      if (one.constraint == name) return one.t;
    }
    return -1.0;
  };
  EXPECT_NEAR(time_of("rolling[1]"), 0.58904862254808623, 1e-9);
  EXPECT_NEAR(time_of("rolling[0]"), 0.98174770424681039, 1e-9);
  EXPECT_NEAR(time_of("contact"), 2.0, 1e-9);
  EXPECT_EQ(run.start()["rho"], 0.7);  // nothing was moved at the start
}

TEST(Reaching, IsAMotionWhoseEnergyIsKnown) {
  const System& system = find_problem("rolling-spheres").system;
  const Result run = simulate(system, inconsistent_spheres(), reaching(2.5));
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.start()["energy"], 7.2834596228664e-3, 1e-15);
  EXPECT_NEAR(run.at(0.58904862254808623)["energy"], 8.7912760667203e-3, 1e-11);
  EXPECT_NEAR(run.at(0.98174770424681039)["energy"], 9.1187048312442e-3, 1e-11);
  EXPECT_NEAR(run.at(2)["energy"], 1.0105069529157e-2, 1e-11);
  EXPECT_NEAR(run.at(2)["rho"] - 0.6, 0.005, 1e-10);  // the surface is reached, the position still decays
}

TEST(Reaching, AfterwardsTheConstraintDecaysWithTheRateOfTheSurface) {
  const System& system = find_problem("rolling-spheres").system;
  const Result run = simulate(system, inconsistent_spheres(), reaching(2.5));
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(2.4)["rho"] - 0.6, 0.005 * std::exp(-10 * 0.4), 1e-9);
}

TEST(Reaching, AConsistentStartReachesNothing) {
  const System& system = find_problem("rolling-spheres").system;
  const Result run = simulate(system, reaching(1));
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_TRUE(run.statistics.constraints->reached.empty());
  EXPECT_LE(*error_against_reference(find_problem("rolling-spheres"), Values(system), 1, run.final_state), 1e-9);
}

TEST(Reaching, BelongsToSlidingSurfaces) {
  const System& system = find_problem("rolling-spheres").system;
  const auto message_with = [&](const char* start, const char* formulation) {
    Options options{.end = 1};
    options.constraints.start = start;
    options.constraints.formulation = formulation;
    return misuse_of([&] { simulate(system, options); });
  };
  EXPECT_TRUE(says(message_with("reach(0.1)", "acceleration"), {"'reach(0.1)'", "sliding"}));
  EXPECT_TRUE(says(message_with("reach", "auto"), {"needs reaching rates"}));
  EXPECT_TRUE(says(message_with("reach(-1)", "auto"), {"'-1'", "above zero"}));
  EXPECT_TRUE(says(message_with("reach(x)", "auto"), {"'x'", "above zero"}));
  EXPECT_TRUE(says(message_with("guess", "auto"), {"'guess'", "project", "reach", "keep", "refuse"}));
}

}  // namespace
}  // namespace pawl
