// Compliant spheres: what is conserved, what is lost, who touches whom, and that piles come to rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <thread>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "problems/granular.hpp"
#include "says.hpp"

namespace pawl::granular {
namespace {

using Numbers = std::vector<double>;

constexpr double radius = 0.01, gravity = 9.81;

/// A sphere-box whose spheres are far from its walls and without weight.
struct FreeSpheres {
  SphereBox box;
  Values values;

  explicit FreeSpheres(int n) : box(sphere_box_of(n)), values(box.system) {
    values.set("gravity", 0);
    values.set("half_width", 1e3);
  }
  void place(int i, std::array<double, 3> position, std::array<double, 3> velocity) {
    for (int k = 0; k < 3; ++k) {
      values[box.position[3 * i + k]] = position[static_cast<std::size_t>(k)];
      values[box.velocity[3 * i + k]] = velocity[static_cast<std::size_t>(k)];
    }
  }
  Result run(double end, double tolerance) const {
    return simulate(box.system, values, {.end = end, .tolerance = tolerance, .method = "dop853", .keep = Keep::end});
  }
};

std::array<double, 3> cross(const double* a, const double* b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// ---- collisions ----

TEST(SphereBox, CollisionsOfFreeSpheresKeepMomentumAndAngularMomentum) {
  FreeSpheres free(8);
  for (int i = 0; i < 8; ++i) {  // from the corners of a cube, not quite to its centre
    const double x = i & 1 ? 1 : -1, y = i & 2 ? 1 : -1, z = i & 4 ? 1 : -1;
    free.place(i, {0.02 * x, 0.02 * y + 0.001 * i, 1 + 0.02 * z}, {-0.5 * x, -0.4 * y, -0.6 * z + 0.05 * i});
  }
  const auto momenta = [&](const Instant& at) {
    std::array<double, 6> sum{};
    const Grains grains = free.box.grains(at.held().parameters.data());
    const Motion motion = free.box.motion(at.states().data());
    for (int i = 0; i < 8; ++i) {
      const auto orbital = cross(motion.position + 3 * i, motion.velocity + 3 * i);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at_k = 3 * static_cast<std::size_t>(i) + k;
        sum[k] += grains.mass * motion.velocity[at_k];
        sum[k + 3] += grains.mass * orbital[k] + grains.inertia() * motion.spin[at_k];
      }
    }
    return sum;
  };
  const double tolerance = 1e-9;
  const Result run = free.run(0.2, tolerance);
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_GT(run.final()[free.box.dissipated], 1e-3);  // of 0.03 J
  const auto before = momenta(run.start()), after = momenta(run.final());
  const double steps = static_cast<double>(run.statistics.steps_accepted);
  for (std::size_t k = 0; k < 3; ++k)  // linear: kept by every Runge-Kutta method, up to the rounding of a step
    EXPECT_NEAR(after[k], before[k], steps * 0.04 * 1e-16);
  for (std::size_t k = 3; k < 6; ++k)  // products of positions and momenta: to the error of the steps
    EXPECT_NEAR(after[k], before[k], steps * tolerance * 0.04);
}

/// Speed after over speed before, for two equal spheres that meet head-on: m/2 δ'' = -N, by the classical Runge-Kutta
/// method in extended precision. Time is s², in which the onset √δ is smooth.
double restitution(double speed, double stiffness, double dissipation_time, double mass) {
  using Real = long double;
  const auto force = [=](Real overlap, Real rate) -> Real {
    if (!(overlap > 0)) return 0;
    const Real n = stiffness * std::sqrt(overlap) * (overlap + 1.5L * dissipation_time * rate);
    return n > 0 ? n : 0;
  };
  Real s = 0, overlap = 0, rate = speed;
  const Real h = 1e-6L;
  const auto slope = [&](Real at, Real d, Real v) {
    return std::array<Real, 2>{2 * at * v, -2 * at * 2 * force(d, v) / mass};
  };
  while (s == 0 || overlap > 0) {
    const auto k1 = slope(s, overlap, rate);
    const auto k2 = slope(s + h / 2, overlap + h / 2 * k1[0], rate + h / 2 * k1[1]);
    const auto k3 = slope(s + h / 2, overlap + h / 2 * k2[0], rate + h / 2 * k2[1]);
    const auto k4 = slope(s + h, overlap + h * k3[0], rate + h * k3[1]);
    overlap += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
    rate += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
    s += h;
  }
  return static_cast<double>(-rate / speed);
}

double restitution_of_run(double speed, double dissipation_time) {
  FreeSpheres free(2);
  free.values.set("dissipation_time", dissipation_time);
  free.place(0, {-0.0105, 0, 1}, {speed / 2, 0, 0});
  free.place(1, {0.0105, 0, 1}, {-speed / 2, 0, 0});
  const Result run = free.run(0.003 / speed + 0.01, 1e-11);
  return (run.final()["vx2"] - run.final()["vx1"]) / speed;
}

TEST(SphereBox, TwoSpheresRestituteAsTheOneDimensionalEquationSays) {
  for (const double speed : {0.1, 1.0}) {
    SCOPED_TRACE(speed);
    EXPECT_NEAR(restitution_of_run(speed, 1e-4), restitution(speed, 1e7, 1e-4, 0.01), 1e-8);
  }
  EXPECT_NEAR(restitution_of_run(0.5, 0), 1, 1e-9);
}

// Brilliantov et al.: 1 - e grows with v^(1/5) where it is small; 32^(1/5) = 2.
TEST(SphereBox, RestitutionFollowsTheFifthRootOfTheSpeed) {
  const double slow = 1 - restitution_of_run(0.01, 1e-6), fast = 1 - restitution_of_run(0.32, 1e-6);
  EXPECT_LT(fast, 0.01);
  EXPECT_NEAR(fast / slow, 2, 2 * 2 * fast);  // the next term is of the order of (1 - e)²
}

// ---- energy, friction ----

TEST(SphereBox, TheLedgerBalancesToTheErrorOfTheSteps) {
  const SphereBox box = sphere_box_of(8);
  for (const double tolerance : {1e-5, 1e-7}) {
    SCOPED_TRACE(tolerance);
    const Result run =
        simulate(box.system, {.end = 0.4, .tolerance = tolerance, .method = "dop853", .keep = Keep::end});
    ASSERT_TRUE(run.finished()) << run.reason;
    const double steps = static_cast<double>(run.statistics.steps_accepted);
    EXPECT_LT(run.range(box.ledger).variation(), steps * tolerance * run.start()[box.ledger]);
    EXPECT_GT(run.final()[box.dissipated], 0.3 * run.start()[box.ledger]);
  }
}

// Friction changes sliding into rolling; the moment of momentum about the contact stays: v m h + I ω.
TEST(SphereBox, ASlidingSphereEndsUpRolling) {
  const SphereBox box = sphere_box_of(1);
  Values values(box.system);
  values.set("half_width", 10);
  values.set("rolling_friction", 0);
  values.set("x1", 0);
  values.set("y1", 0);
  values.set("z1", radius);
  values.set("vx1", 0.5);
  const double mu = 0.3, rolls = 2 * 0.5 / (7 * mu * gravity);
  const Result run = simulate(box.system, values, {.end = 2 * rolls, .tolerance = 1e-9, .method = "dop853"});
  const double height = run.final()["z1"], inertia = 0.4 * radius * radius;  // per mass
  EXPECT_NEAR(run.final()["vx1"], 0.5 * height * height / (height * height + inertia), 1e-5);
  EXPECT_NEAR(run.final()["wy1"] * height, run.final()["vx1"], 1e-5);
  // While it slides it is slowed by μ g; the bounce into its own weight averages out.
  EXPECT_NEAR(run.at(rolls / 2)["vx1"], 0.5 - mu * gravity * rolls / 2, 0.005);
}

// ---- pairs ----

/// What is held by spheres that all are at this stage, without springs.
struct Grip {
  Numbers stage, position, keys, springs;
  explicit Grip(int n, double all = 0)
      : stage(static_cast<std::size_t>(n), all),
        position(3 * stage.size()),
        keys(static_cast<std::size_t>(HeldGrips::springs_of(n))),
        springs(6 * keys.size()) {}
  HeldGrips view() const { return {{stage.data(), position.data(), keys.data(), springs.data()}}; }
};

constexpr Grains standard{.radius = radius,
                          .mass = 0.01,
                          .stiffness = 1e7,
                          .dissipation_time = 1e-4,
                          .friction = 0.3,
                          .grip_stiffness = 2e4,
                          .grip_damping = 10,
                          .rolling_friction = 0.05,
                          .roll_stiffness = 0.2,
                          .roll_damping = 5e-4,
                          .gravity = gravity,
                          .half_width = 0.08};

/// Spheres at random places of a box that is full of them, overlaps included.
struct Crowd {
  Numbers position, velocity, spin, turn;
  std::mt19937 random{7};

  explicit Crowd(int n) : velocity(3 * static_cast<std::size_t>(n)), spin(velocity.size()), turn(velocity.size()) {
    std::uniform_real_distribution<double> across(-0.08, 0.08), any(-1, 1);
    for (int i = 0; i < n; ++i)
      position.insert(position.end(), {across(random), across(random), 0.08 + across(random)});
    for (double& x : velocity) x = any(random);
    for (double& x : spin) x = 10 * any(random);
  }
  void disturb(double distance) {
    std::uniform_real_distribution<double> by(-distance, distance);
    for (double& x : position) x += by(random);
  }
  Motion motion() const { return {position.data(), velocity.data(), spin.data(), turn.data()}; }
};

Numbers accelerations(const Forces& forces, const Crowd& crowd) {
  Numbers out(2 * crowd.velocity.size() + 1);
  const Grip grip(forces.count());
  out.back() =
      forces.accelerations(standard, crowd.motion(), grip.view(), out.data(), out.data() + crowd.velocity.size());
  return out;
}

TEST(SphereBox, ForcesFromTheListAreThoseOfAllPairsBitByBit) {
  constexpr int n = 400;
  const Forces listed(n), thick(n, 1.0), all(n, Forces::all_pairs);
  Crowd crowd(n);
  for (const double distance : {0.0, 0.0005, 0.0005, 0.0005, 0.002, 0.0005, 0.1}) {  // skin / 2 is 0.0015
    crowd.disturb(distance);
    const Numbers expected = accelerations(all, crowd);
    EXPECT_EQ(accelerations(listed, crowd), expected);
    EXPECT_EQ(accelerations(thick, crowd), expected);
  }
  EXPECT_LT(listed.work().lists, 7);  // short moves need no new one
  EXPECT_GT(listed.work().lists, 2);
}

TEST(SphereBox, ForcesDoNotDependOnWhoAskedBefore) {
  constexpr int n = 200;
  const Forces shared(n);
  std::array<Crowd, 4> crowds{Crowd(n), Crowd(n), Crowd(n), Crowd(n)};
  std::array<Numbers, 4> expected;
  for (std::size_t k = 0; k < 4; ++k) {
    crowds[k].disturb(0.01 * static_cast<double>(k));
    expected[k] = accelerations(Forces(n, Forces::all_pairs), crowds[k]);
  }
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int repeat = 0; repeat < 50; ++repeat) wrong[k] += accelerations(shared, crowds[k]) != expected[k] ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(SphereBox, PositionsThatAreNotNumbersGiveNoForces) {
  Crowd crowd(20);
  crowd.position[7] = std::nan("");
  EXPECT_TRUE(std::isnan(accelerations(Forces(20), crowd)[0]));
  crowd.position[7] = 1e300;
  EXPECT_TRUE(std::isnan(accelerations(Forces(20), crowd)[0]));
}

// m³ spheres side by side have 3 m² (m - 1) neighbours, and nobody else is nearer than the skin allows.
TEST(SphereBox, PairsTestedGrowLinearlyWithTheSpheres) {
  for (const int m : {5, 8, 10, 13}) {
    SCOPED_TRACE(m);
    const int n = m * m * m;
    Crowd crowd(n);
    for (int i = 0; i < n; ++i) {
      const std::array<int, 3> place{i % m, i / m % m, i / m / m};
      for (std::size_t k = 0; k < 3; ++k) crowd.position[3 * static_cast<std::size_t>(i) + k] = 2 * radius * place[k];
    }
    const Forces forces(n);
    accelerations(forces, crowd);
    EXPECT_EQ(forces.work().pair_tests, 3LL * m * m * (m - 1));
    // 27 cells of 2.3 radii hold less than (3.45 + 1)³ spheres, each pair once.
    EXPECT_LT(forces.work().list_tests, 45LL * n);
  }
}

TEST(SphereBox, PairsTestedPerStepStayBoundedInARun) {
  for (const int n : {27, 125, 343}) {
    SCOPED_TRACE(n);
    const SphereBox box = sphere_box_of(n);
    simulate(box.system, {.end = 0.1, .step = 5e-5, .keep = Keep::end});
    const ForceWork work = box.forces->work();
    // Spheres within 2.3 radii of one lie inside 3.3 radii: at most 3.3³ × 0.74 of them, each pair once.
    EXPECT_LT(static_cast<double>(work.pair_tests) / static_cast<double>(work.evaluations), 13.3 * n);
    EXPECT_LT(10 * work.lists, work.evaluations);
  }
}

// ---- rest ----

TEST(SphereBox, APileComesToRestAndStaysThere) {
  const SphereBox box = sphere_box_of(27);
  for (const Options& options :
       {Options{.end = 1.5, .method = "rk4", .step = 5e-5, .keep = Keep::samples, .samples = 40},
        Options{.end = 1.5, .tolerance = 1e-5, .method = "tsitouras-5", .keep = Keep::samples, .samples = 40}}) {
    SCOPED_TRACE(options.method);
    const Result run = simulate(box.system, options);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.final()[box.kinetic], 0);
    EXPECT_EQ(run.final()[box.awake], 0);
    const Instant middle = run.sample(run.sample_count() - 10);
    ASSERT_LT(middle.t, 1.3);
    EXPECT_EQ(middle.states(), run.final().states());
    // Awake, it would stay as well: a hundredth of g that is not balanced makes 0.01 m/s in ten instants, and the rule
    // of rest bounds the speed of one of 27 by √(2 × 27 × 1e-6 g r) = 0.0023 m/s.
    Numbers numbers = run.final().held().numbers;
    std::fill_n(numbers.begin() + box.held.first, 27, HeldGrips::slow);
    Numbers velocity_rate(81), spin_rate(81);
    const HeldGrips held{box.parts(27, static_cast<const double*>(numbers.data()))};
    box.forces->accelerations(box.grains(run.final().held().parameters.data()), box.motion(run.final().states().data()),
                              held, velocity_rate.data(), spin_rate.data());
    for (const double a : velocity_rate) EXPECT_LT(std::abs(a), 0.01 * gravity);
    // All are inside the box, and nobody is inside another by more than the weight of all presses.
    const double deepest = std::pow(27 * 0.01 * gravity / 1e7, 2.0 / 3);
    for (int i = 0; i < 27; ++i) {
      EXPECT_GT(run.final()[box.position[3 * i + 2]], radius - deepest);
      for (int j = 0; j < i; ++j) {
        double squared = 0;
        for (int k = 0; k < 3; ++k)
          squared += std::pow(run.final()[box.position[3 * i + k]] - run.final()[box.position[3 * j + k]], 2);
        EXPECT_GT(std::sqrt(squared), 2 * radius - deepest);
      }
    }
  }
}

TEST(SphereBox, SleepersWakeWhenTheyAreHit) {
  const SphereBox box = sphere_box_of(2);
  Values values(box.system);
  for (const auto& [name, value] :
       Assignments{{"half_width", 1}, {"x1", 0}, {"y1", 0}, {"z1", radius}, {"x2", 0.005}, {"y2", 0}, {"z2", 0.8}})
    values.set(name, value);
  const Result run = simulate(box.system, values, {.end = 3, .tolerance = 1e-6, .method = "tsitouras-5"});
  const double impact = std::sqrt(2 * (0.8 - 3 * radius) / gravity);
  EXPECT_EQ(run.at(impact - 0.05)[box.awake], 1);
  EXPECT_EQ(run.at(impact - 0.05)["vz1"], 0);
  EXPECT_EQ(run.at(impact + 0.02)[box.awake], 2);
  EXPECT_LT(run.at(impact + 0.02)["vx1"], -0.1);  // pushed aside
  EXPECT_EQ(run.final()[box.awake], 0);
  EXPECT_EQ(run.final()[box.kinetic], 0);
}

TEST(SphereBox, AnIslandIsWhoeverTouches) {
  const Numbers position{0, 0, 0.5, 1, 0, 0.5, 0.0199, 0, 0.5, 1, 0.0199, 0.5, 0.0398, 0, 0.5};
  EXPECT_EQ(Forces(5).islands(standard, position.data()), (std::vector<int>{0, 1, 0, 1, 0}));
}

TEST(SphereBox, TheNumberOfSpheresShapesTheModel) {
  const Problem problem = problems::sphere_box();
  EXPECT_EQ(system_of(problem, {{"n", 5}}).size(), 12 * 5 + 1);
  EXPECT_TRUE(testing::says(testing::misuse_of([&] {
                              system_of(problem, {{"n", 2.5}});
                            }),
                            {"sphere-box", "2.5", "whole"}));
  Values values(problem.system);
  values.set("n", 5);
  EXPECT_TRUE(testing::says(testing::misuse_of([&] { simulate(problem.system, values, {.end = 1}); }),
                            {"27 spheres", "n = 5"}));
}

}  // namespace
}  // namespace pawl::granular
