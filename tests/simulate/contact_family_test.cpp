// Families of contacts: what is never violated, closed forms, the same motion by single contacts, rest, cost.
#include "pawl/contact_family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "pawl/pawl.hpp"
#include "problems/sphere_box.hpp"
#include "simulate/spheres_on_a_floor.hpp"

namespace pawl {
namespace {

using problems::sphere_box_of;
using problems::SphereBox;
using testing::g;
using testing::ground;
using testing::Place;
using Model = testing::SpheresOnAFloor;

Place cross(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The smallest gap between spheres of one radius, and between them and the walls of a box.
double smallest_gap(const Instant& at, const Spheres& spheres, double half_width) {
  std::vector<Place> p;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < spheres.size(); ++i) {
    const auto centre = spheres.centre(i);
    p.push_back({at[centre[0]], at[centre[1]], at[centre[2]]});
    const double r = spheres.radii[static_cast<std::size_t>(i)];
    smallest = std::min(
        {smallest, p.back()[2] - r, half_width - std::abs(p.back()[0]) - r, half_width - std::abs(p.back()[1]) - r});
    for (int j = 0; j < i; ++j) {
      const Place& q = p[static_cast<std::size_t>(j)];
      const double dx = p.back()[0] - q[0], dy = p.back()[1] - q[1], dz = p.back()[2] - q[2];
      smallest =
          std::min(smallest, std::sqrt(dx * dx + dy * dy + dz * dz) - r - spheres.radii[static_cast<std::size_t>(j)]);
    }
  }
  return smallest;
}

// ---- promises ----

// Rounding of a gap: a few units of the last place of coordinates below 1, that is 1e-16 each.
constexpr double rounding = 1e-15;

TEST(ContactFamily, AThousandSpheresNeverPassEachOtherOrAWallAndNeverGainEnergy) {
  const SphereBox box = sphere_box_of(1000);
  const Result run = simulate(box.system, {.end = 0.35, .samples = 70});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.sample_count(), 71);
  double energy = run.start()[box.energy];
  const double first = run.start()[box.ledger];
  for (int k = 0; k < run.sample_count(); ++k) {
    const Instant at = run.sample(k);
    EXPECT_GT(smallest_gap(at, box.spheres, box.half_width), -rounding) << at.t;
    EXPECT_LE(at[box.energy], energy * (1 + 1e-13)) << at.t;
    // What is not there any more is what impacts, friction and rest have taken.
    EXPECT_NEAR(at[box.ledger], first, 1e-11 * first) << at.t;
    energy = at[box.energy];
  }
  EXPECT_GT(run.final()[box.contacts].impacts, 100'000);
  EXPECT_LT(energy, 0.6 * first);
}

TEST(ContactFamily, AGasKeepsItsMomentaAndLosesWhatRestitutionTakes) {
  constexpr int side = 10;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Place> centres, velocities;
  for (int i = 0; i < side * side * side; ++i) {
    const int row = i / side % side, layer = i / side / side;
    centres.push_back({0.03 * (i % side), 0.03 * row, 0.03 * layer});
    velocities.push_back({any(random), any(random), any(random)});
  }
  const Model gas(centres, {.restitution = 0.9, .friction = 0.3}, velocities, {0, 0, 0});
  const Result run = simulate(gas.system, {.end = 0.3, .samples = 30});
  ASSERT_TRUE(run.finished()) << run.reason;
  const auto momenta = [&](const Instant& at) {
    std::array<double, 6> sum{};
    for (int i = 0; i < gas.spheres.size(); ++i) {
      const Place p = gas.centre(at, i), v = gas.velocity(at, i), w = gas.spin(at, i), orbital = cross(p, v);
      for (std::size_t k = 0; k < 3; ++k) {
        sum[k] += 0.01 * v[k];
        sum[k + 3] += 0.01 * (orbital[k] + 0.4 * 1e-4 * w[k]);
      }
    }
    return sum;
  };
  const auto energy = [&](const Instant& at) {
    double sum = 0;
    for (int i = 0; i < gas.spheres.size(); ++i) {
      const Place v = gas.velocity(at, i), w = gas.spin(at, i);
      for (std::size_t k = 0; k < 3; ++k) sum += 0.005 * (v[k] * v[k] + 0.4 * 1e-4 * w[k] * w[k]);
    }
    return sum;
  };
  const auto before = momenta(run.start());
  double last = energy(run.start());
  const double first = last;
  for (int k = 0; k < run.sample_count(); ++k) {
    const Instant at = run.sample(k);
    const auto now = momenta(at);
    for (std::size_t m = 0; m < 6; ++m) EXPECT_NEAR(now[m], before[m], 1e-12) << m;  // of 10 together
    EXPECT_LE(energy(at), last * (1 + 1e-14));
    last = energy(at);
    EXPECT_NEAR(last + at[gas.contacts].lost, first, 1e-12 * first);
    EXPECT_GT(smallest_gap(at, gas.spheres, 1e9), -1e9);
  }
  EXPECT_GT(run.final()[gas.contacts].impacts, 1000);
  EXPECT_EQ(run.final()[gas.contacts].elastic, 0);
  EXPECT_LT(last, 0.95 * first);
}

/// A crowd of a seed: radii, masses, laws and walls of all kinds, tilted ones too, exact columns among the starts.
class RandomCrowd {
 public:
  explicit RandomCrowd(unsigned seed) : random_(seed) {
    const int side = 2 + static_cast<int>(seed % 4);
    SpheresOptions options;
    std::vector<Place> centres;
    for (int i = 0; i < side * side * side; ++i) {
      options.radii.push_back(seed % 3 == 0 ? 0.01 : 0.004 + 0.006 * share());
      options.masses.push_back(seed % 5 == 0 ? std::exp(6 * share()) : 0.01);
      const int row = i / side % side, layer = i / side / side;
      Place p{0.025 * (i % side), 0.025 * row, 0.0101 + 0.025 * layer};
      if (seed % 4 != 0)  // else columns, exactly
        for (double& x : p) x += 0.002 * (share() - 0.5);
      centres.push_back(p);
      if (seed % 2 == 0) options.velocities.push_back({share() - 0.5, share() - 0.5, share() - 0.5});
    }
    options.gravity = seed % 7 == 0 ? Place{0, 0, 0} : Place{0, 0, -g};
    const double w = 0.025 * side, tilt = seed % 3 == 1 ? 0.4 * share() : 0;
    ContactFamilyOptions laws{.restitution = seed % 6 == 0 ? 0.0 : share(),
                              .friction = seed % 2 == 0 ? share() : 0.0,
                              .rolling_friction = seed % 4 == 1 ? 0.1 * share() : 0.0,
                              .walls = {{"floor", {-0.02, 0, -0.001}, {tilt, 0, 1}},
                                        {"left", {-0.02, 0, 0}, {1, 0, tilt}},
                                        {"right", {w + 0.01, 0, 0}, {-1, 0, 0}},
                                        {"front", {0, -0.02, 0}, {0, 1, 0}},
                                        {"back", {0, w, 0}, {0, -1, 0}}}};
    if (seed % 7 == 0) laws.contact_time = 1e-5;
    spheres = system.spheres("ball", centres, options);
    contacts = system.contacts("contacts", spheres, laws);
    energy = system.energy();
  }

  double smallest_gap(const Instant& at) const {
    double smallest = std::numeric_limits<double>::infinity();
    const auto place = [&](int i) {
      const auto c = spheres.centre(i);
      return Place{at[c[0]], at[c[1]], at[c[2]]};
    };
    const auto radius = [&](int i) { return spheres.radii[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < spheres.size(); ++i) {
      const Place p = place(i);
      for (int j = 0; j < i; ++j) {
        const Place q = place(j);
        smallest = std::min(smallest, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) - radius(i) - radius(j));
      }
      for (const auto& wall : at[contacts].family->walls)
        smallest = std::min(
            smallest, wall.inward[0] * p[0] + wall.inward[1] * p[1] + wall.inward[2] * p[2] - wall.offset - radius(i));
    }
    return smallest;
  }

  SphereMechanics system{"crowd"};
  Spheres spheres;
  ContactFamily contacts{};
  Observable energy{};

 private:
  double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::mt19937 random_;
};

TEST(ContactFamily, RandomCrowdsKeepTheirGapsAndNeverGainEnergy) {
  const char *wanted = std::getenv("PAWL_RANDOM_CROWDS"), *from = std::getenv("PAWL_FIRST_CROWD");
  const unsigned first = from == nullptr ? 1 : static_cast<unsigned>(std::atoi(from));
  const unsigned last = first + (wanted == nullptr ? 40 : static_cast<unsigned>(std::atoi(wanted)));
  for (unsigned seed = first; seed < last; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomCrowd crowd(seed);
    const Result run = simulate(crowd.system, {.end = 0.6, .samples = 30});
    EXPECT_TRUE(run.finished()) << run.reason;
    double energy = std::numeric_limits<double>::infinity(), scale = 0;
    for (int k = 0; k < run.sample_count(); ++k) {
      const Instant at = run.sample(k);
      scale = std::max(scale, std::abs(at[crowd.energy]));
      EXPECT_GT(crowd.smallest_gap(at), -rounding) << at.t;
      EXPECT_LE(at[crowd.energy], energy + 1e-12 * scale) << at.t;
      energy = at[crowd.energy];
    }
  }
}

// ---- closed forms ----

// Impacts at t1 = √(2h/g) and t1 (1 + 2e), (1 + 2e + 2e²), ...; at any instant between, a parabola.
TEST(ContactFamily, ABouncingBallIsWhereTheClosedFormHasIt) {
  const double e = 0.7, h = 1.3, t1 = std::sqrt(2 * h / g);
  const Model ball({{0, 0, h + 0.01}}, {.restitution = e, .walls = {ground}});
  std::vector<double> times;
  for (double t = 0.05; t < 2; t += 0.0371) times.push_back(t);
  const Result run = simulate(ball.system, {.end = 2, .times = times});
  for (int k = 0; k < run.sample_count(); ++k) {
    const Instant at = run.sample(k);
    double from = -t1, speed = g * t1;  // of the hop in force: begins at -t1, thrown up to h
    long long impacts = 0;
    while (from + 2 * speed / g <= at.t) {
      from += 2 * speed / g;
      speed *= e;
      ++impacts;
    }
    const double tau = at.t - from;
    EXPECT_NEAR(ball.centre(at, 0)[2], 0.01 + tau * (speed - g / 2 * tau), 1e-14);
    EXPECT_EQ(at[ball.contacts].impacts, impacts);
  }
}

// Where bounces end: t1 (1 + e) / (1 - e). From there on the ball hops by no more than g tc²/8.
TEST(ContactFamily, BouncesEndWhereTheyAccumulateAndTheBallFallsAsleep) {
  const double e = 0.5, h = 0.2, t1 = std::sqrt(2 * h / g), limit = t1 * (1 + e) / (1 - e), tc = 1e-4;
  const Model ball({{0, 0, h + 0.01}}, {.restitution = e, .walls = {ground}, .contact_time = tc});
  const Result run = simulate(ball.system, {.end = 2, .times = {limit + tc, limit + 0.05, 1.5}});
  for (int k = 0; k < 3; ++k) {
    const double height = ball.centre(run.sample(k), 0)[2] - 0.01;
    EXPECT_GE(height, 0);
    EXPECT_LE(height, g * tc * tc / 8 * (1 + 1e-6));
  }
  EXPECT_EQ(run.sample(0)[ball.contacts].asleep, 0);
  EXPECT_EQ(run.sample(2)[ball.contacts].asleep, 1);
  EXPECT_EQ(run.final()["ball1_z'"], 0);
}

TEST(ContactFamily, ACradlePassesTheSpeedOnToTheLast) {
  std::vector<Place> centres, velocities(5, Place{0, 0, 0});
  for (int i = 0; i < 5; ++i) centres.push_back({0.02 * i - (i == 0 ? 0.01 : 0), 0, 0});
  velocities[0] = {1, 0, 0};
  const Model cradle(centres, {.restitution = 1.0}, velocities, {0, 0, 0});
  const Result run = simulate(cradle.system, {.end = 0.1});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(cradle.velocity(run.final(), i)[0], 0, 1e-15);
  EXPECT_NEAR(cradle.velocity(run.final(), 4)[0], 1, 1e-15);
  EXPECT_EQ(run.final()[cradle.contacts].impacts, 4);
}

// What slides on a plane is slowed by μ g and rolls at 5/7 of its speed, from 2 v / (7 μ g) on; hops make of it what
// they are in size: slowed within the contact time, in steps of it.
TEST(ContactFamily, ASlidingSphereEndsUpRolling) {
  const double mu = 0.3, v = 0.5, tc = 1e-5, rolls = 2 * v / (7 * mu * g);
  const Model ball({{0, 0, 0.01}}, {.friction = mu, .walls = {ground}, .contact_time = tc, .still = 0},
                   {{v, 0, -1e-3}});
  const Result run = simulate(ball.system, {.end = 2 * rolls, .times = {rolls / 2}});
  const double step = 2 * mu * g * tc;
  EXPECT_NEAR(ball.velocity(run.sample(0), 0)[0], v - mu * g * rolls / 2, 20 * step);
  EXPECT_NEAR(ball.velocity(run.final(), 0)[0], 5.0 / 7 * v, 20 * step);
  EXPECT_NEAR(ball.spin(run.final(), 0)[1] * 0.01, ball.velocity(run.final(), 0)[0], 20 * step);
}

/// Two spheres and a floor in the plane y = 0, by single contacts of a mechanism.
struct ByHand {
  Mechanics system{"by hand"};
  std::array<Coordinate, 2> x, z, turn;

  ByHand(const std::vector<Place>& centres, const std::vector<Place>& velocities, double e, double mu) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = fmt::format("{}", i + 1);
      x[i] = system.coordinate("x" + name, centres[i][0], velocities[i][0]);
      z[i] = system.coordinate("z" + name, centres[i][2], velocities[i][2]);
      turn[i] = system.coordinate("turn" + name, 0);
      system.mass(x[i], 0.01), system.mass(z[i], 0.01), system.mass(turn[i], 0.4 * 0.01 * 1e-4);
    }
    system.potential([this_z = z](const auto& at) { return 0.01 * g * (at[this_z[0]] + at[this_z[1]]); });
    const ContactOptions laws{.restitution = e, .friction = mu, .sequential = true};
    for (std::size_t i = 0; i < 2; ++i) {
      // The point of contact of what turns about y with w moves against x by w r.
      system.contact(
          "floor" + fmt::format("{}", i), [q = z[i]](const auto& at) { return at[q] - 0.01; },
          [q = x[i], w = turn[i]](const auto& at) { return at[dot(q)] - 0.01 * at[dot(w)]; }, laws);
    }
    system.contact(
        "pair",
        [a = x[0], b = x[1], c = z[0], d = z[1]](const auto& at) {
          return sqrt(sqr(at[a] - at[b]) + sqr(at[c] - at[d])) - 0.02;
        },
        [=, q = x, h = z, w = turn](const auto& at) {
          const auto dx = at[q[0]] - at[q[1]], dz = at[h[0]] - at[h[1]], size = sqrt(sqr(dx) + sqr(dz));
          const auto nx = dx / size, nz = dz / size;
          // Along (nz, -nx), less what the spins add: (r w1 + r w2) y × n is (nz, -nx) times that.
          return (at[dot(q[0])] - at[dot(q[1])]) * nz - (at[dot(h[0])] - at[dot(h[1])]) * nx -
                 0.01 * (at[dot(w[0])] + at[dot(w[1])]);
        },
        laws);
  }
};

TEST(ContactFamily, MovesAsTheSameModelBySingleContacts) {
  const std::vector<Place> centres{{0, 0, 0.05}, {0.025, 0, 0.09}}, velocities{{0.3, 0, 0.2}, {-0.4, 0, -0.5}};
  const double e = 0.8, mu = 0.2, end = 0.25;
  const Model family(centres, {.restitution = e, .friction = mu, .walls = {ground}}, velocities);
  const ByHand single(centres, velocities, e, mu);
  const Result run = simulate(family.system, {.end = end, .samples = 25});
  const Result reference = simulate(single.system, {.end = end, .tolerance = 1e-12});
  ASSERT_TRUE(run.finished() && reference.finished()) << reference.reason;
  EXPECT_GE(run.final()[family.contacts].impacts, 3);
  for (int k = 0; k < run.sample_count(); ++k) {
    const Instant at = run.sample(k), expected = reference.at(at.t);
    for (int i = 0; i < 2; ++i) {
      const auto j = static_cast<std::size_t>(i);
      EXPECT_NEAR(family.centre(at, i)[0], expected[single.x[j]], 1e-10) << at.t;
      EXPECT_NEAR(family.centre(at, i)[2], expected[single.z[j]], 1e-10) << at.t;
      EXPECT_NEAR(at[family.spheres.turn(i)[1]], expected[single.turn[j]], 1e-8) << at.t;
    }
  }
}

// ---- rest ----

TEST(ContactFamily, APileComesToRestAndStaysThere) {
  const SphereBox box = sphere_box_of(27);
  const Result run = simulate(box.system, {.end = 3, .samples = 60});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant end = run.final(), before = run.sample(run.sample_count() - 6);
  EXPECT_EQ(end[box.awake], 0);
  EXPECT_EQ(end.states(), before.states());
  for (int i = 0; i < 27; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(end[dot(box.spheres.centre(i)[static_cast<std::size_t>(k)])], 0);
  EXPECT_GT(smallest_gap(end, box.spheres, box.half_width), -rounding);
  // What fell asleep stood still but for hops and creeping: of the whole energy, next to nothing.
  EXPECT_LT(end[box.contacts].lost_at_rest, 1e-4 * run.start()[box.energy]);
}

TEST(ContactFamily, SleepersWakeWhenTheyAreHit) {
  const Model two({{0, 0, 0.01}, {0.005, 0, 0.8}},
                  {.restitution = 0.5, .friction = 0.3, .rolling_friction = 0.05, .walls = {ground}});
  const double impact = std::sqrt(2 * (0.8 - 0.01 - std::sqrt(4e-4 - 25e-6)) / g);
  const Result run = simulate(two.system, {.end = 4, .times = {impact - 1e-6, impact + 1e-6, 3.9}});
  EXPECT_EQ(run.sample(0)[two.contacts].asleep, 1);  // from the start: it lies on the floor
  EXPECT_EQ(run.sample(0)["ball1_z"], 0.01);
  EXPECT_EQ(run.sample(1)[two.contacts].asleep, 0);
  EXPECT_LT(run.sample(1)["ball1_x'"], 0);  // pushed aside
  EXPECT_EQ(run.sample(2)[two.contacts].asleep, 2);
}

// A column of three with a gap below the lowest when a fourth shoots it out: who lay on it falls.
TEST(ContactFamily, SleepersFallWhenWhatCarriesThemHasLeft) {
  std::vector<Place> centres{{0, 0, 0.01}, {0, 0, 0.03}, {0, 0, 0.05}, {-0.3, 0, 0.01}};
  const Model column(centres, {.restitution = 0.5, .walls = {ground}}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {3, 0, 0}});
  const Result run = simulate(column.system, {.end = 1, .times = {0.08, 0.4}});
  EXPECT_EQ(run.sample(0)[column.contacts].asleep, 3);
  EXPECT_LT(run.sample(1)["ball2_z"], 0.03 - 0.005);
  EXPECT_LT(run.sample(1)["ball3_z"], 0.05 - 0.005);
}

// ---- cost ----

// An impact costs those near it: as many foreseen contacts per impact in a large gas as in a small one.
TEST(ContactFamily, AnImpactCostsWhatItTouches) {
  std::vector<double> per_impact;
  for (const int side : {6, 12}) {
    std::mt19937 random(23);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<Place> centres, velocities;
    for (int i = 0; i < side * side * side; ++i) {
      const int row = i / side % side, layer = i / side / side;
      centres.push_back({0.025 * (i % side), 0.025 * row, 0.025 * layer});
      velocities.push_back({any(random), any(random), any(random)});
    }
    const double w = 0.025 * side;
    const Model gas(centres,
                    {.restitution = 1.0,
                     .walls = {{"left", {-0.0125, 0, 0}, {1, 0, 0}},
                               {"right", {w, 0, 0}, {-1, 0, 0}},
                               {"front", {0, -0.0125, 0}, {0, 1, 0}},
                               {"back", {0, w, 0}, {0, -1, 0}},
                               {"below", {0, 0, -0.0125}, {0, 0, 1}},
                               {"above", {0, 0, w}, {0, 0, -1}}}},
                    velocities, {0, 0, 0});
    const Result run = simulate(gas.system, {.end = 0.2, .keep = Keep::end});
    const FamilyState& done = run.final()[gas.contacts];
    ASSERT_GT(done.impacts, 1000);
    per_impact.push_back(static_cast<double>(done.foreseen) / static_cast<double>(done.impacts));
    EXPECT_LT(static_cast<double>(done.distances), 60 * static_cast<double>(done.listed));
  }
  EXPECT_LT(per_impact[1], 1.5 * per_impact[0]);
}

TEST(ContactFamily, WhatSleepsCostsNothing) {
  const Model ball({{0, 0, 0.01}}, {.walls = {ground}});
  const Result run = simulate(ball.system, {.end = 100, .keep = Keep::end});
  EXPECT_EQ(run.final()[ball.contacts].impacts, 0);
  EXPECT_EQ(run.final()[ball.contacts].foreseen, 0);
}

}  // namespace
}  // namespace pawl
