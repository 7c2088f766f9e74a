#include "contact/friction_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "says.hpp"

namespace pawl::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::says;

VectorXd numbers(std::initializer_list<double> values) {
  VectorXd v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

FrictionContact contact(int tangents, double friction) {
  FrictionContact c;
  c.tangents = tangents;
  c.friction = c.stick_friction = friction;
  return c;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double normal() { return normal_(random_); }
  MatrixXd matrix(Index rows, Index columns) {
    MatrixXd A(rows, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) A(i, j) = normal();
    }
    return A;
  }

  // Forces on `coordinates` unit masses; below the number of rows W has a null space.
  FrictionProblem problem(int k, int tangents, Index coordinates, double most_friction) {
    FrictionProblem p;
    const MatrixXd J = matrix(k * (1 + tangents), coordinates);
    p.W = J * J.transpose();
    p.b = J * matrix(coordinates, 1);
    for (int i = 0; i < k; ++i) p.contacts.push_back(contact(tangents, most_friction * uniform()));
    return p;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

// A block of half width 1 and half height 1 standing on the points x, pulled by a force and a moment.
FrictionProblem block(const std::vector<double>& x, double friction, const Eigen::Vector3d& force) {
  FrictionProblem p;
  MatrixXd J(2 * static_cast<Index>(x.size()), 3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    J.row(2 * static_cast<Index>(i)) << 0, 1, x[i];
    J.row(2 * static_cast<Index>(i) + 1) << 1, 0, 1;
    p.contacts.push_back(contact(1, friction));
  }
  const Eigen::Vector3d inverse_mass(1, 1, 1.5);
  p.W = J * inverse_mass.asDiagonal() * J.transpose();
  p.b = J * inverse_mass.cwiseProduct(force);
  return p;
}

// Blocks on each other, two points each.
FrictionProblem tower(int blocks, double friction, Generator& generator) {
  const Index n = 3 * blocks;
  MatrixXd J = MatrixXd::Zero(4 * blocks, n);
  VectorXd inverse_mass(n), force(n);
  FrictionProblem p;
  for (Index b = 0; b < blocks; ++b) {
    inverse_mass.segment(3 * b, 3) << 1, 1, 2.4;
    force.segment(3 * b, 3) << 2 * generator.normal(), -9.81, 2 * generator.normal();
    for (Index side = 0; side < 2; ++side) {
      const Index row = 4 * b + 2 * side;
      const double x = side == 0 ? -1 : 1;
      J.row(row).segment(3 * b, 3) << 0, 1, x;
      J.row(row + 1).segment(3 * b, 3) << 1, 0, 0.5;
      if (b > 0) {
        J.row(row).segment(3 * (b - 1), 3) << 0, -1, -x;
        J.row(row + 1).segment(3 * (b - 1), 3) << -1, 0, 0.5;
      }
      p.contacts.push_back(contact(1, friction));
    }
  }
  p.W = J * inverse_mass.asDiagonal() * J.transpose();
  p.b = J * inverse_mass.cwiseProduct(force);
  return p;
}

// The conditions, written down a second time: one coefficient, no given direction, no given force.
void expect_solution(const FrictionProblem& p, const FrictionSolution& s) {
  ASSERT_TRUE(s.is_found) << s.failure;
  ASSERT_LE(s.violation, 1e-10);
  ASSERT_LE(violation(p, s.force), 1e-10);
  const VectorXd a = p.W * s.force + p.b;
  ASSERT_LE((a - s.acceleration).cwiseAbs().maxCoeff(), 1e-12 * (1 + a.cwiseAbs().maxCoeff()));
  const double force = 1e-8 * (1e-3 + s.force.cwiseAbs().maxCoeff()),
               zero = 1e-8 * (p.b.cwiseAbs().maxCoeff() + p.W.norm());
  Index row = 0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const FrictionContact& c = p.contacts[i];
    const double normal = s.force[row];
    const VectorXd t = s.force.segment(row + 1, c.tangents), slip = a.segment(row + 1, c.tangents);
    ASSERT_GE(normal, -force);
    ASSERT_GE(a[row], -zero);
    ASSERT_TRUE(normal < force || a[row] < zero);
    ASSERT_LE(t.norm(), c.friction * normal + force);
    if (slip.norm() > zero) {
      ASSERT_LE((t + c.friction * normal * slip.normalized()).norm(), 100 * force);
    }
    switch (s.standing[i]) {
      case Standing::open:
        ASSERT_LT(normal, force);
        break;
      case Standing::stick:
        ASSERT_LT(slip.norm(), zero);
        [[fallthrough]];
      case Standing::slip:
        ASSERT_LT(a[row], zero);
        break;
    }
    row += 1 + c.tangents;
  }
}

TEST(FrictionProblem, RandomOnesAreAllSolvedInThePlaneAndInSpace) {
  Generator generator(1);
  for (int k = 1; k <= 8; ++k) {
    for (int i = 0; i < 250; ++i) {
      for (const int tangents : {0, 1, 2}) {
        // In space more coordinates than rows, or the six of one body.
        const Index coordinates = tangents < 2 ? std::max<Index>(2, k + i % (k + 2)) : i % 2 == 0 ? 3 * k + 1 : 6;
        const FrictionProblem p = generator.problem(k, tangents, coordinates, 1.5);
        ASSERT_NO_FATAL_FAILURE(expect_solution(p, solve(p))) << k << " contacts, " << tangents << ", run " << i;
      }
    }
  }
}

TEST(FrictionProblem, HasTheAccelerationsThatEnumerationFinds) {
  Generator generator(2);
  int ambiguous = 0;
  for (int k = 1; k <= 4; ++k) {
    for (int i = 0; i < 300; ++i) {
      const FrictionProblem p = generator.problem(k, 1, std::max(2, k + i % (k + 2)), 1.5);
      const FrictionSolution s = solve(p);
      const std::vector<VectorXd> all = enumerate(p, 1000);
      ASSERT_FALSE(all.empty());
      int same = 0;
      for (const VectorXd& force : all) {
        ASSERT_LE(violation(p, force), 1e-10);
        same += (p.W * force + p.b - s.acceleration).cwiseAbs().maxCoeff() < 1e-7 * p.b.cwiseAbs().maxCoeff();
      }
      ASSERT_GE(same, 1);
      ASSERT_EQ(s.is_ambiguous, same < static_cast<int>(all.size())) << k << " contacts, run " << i;
      ambiguous += s.is_ambiguous;
    }
  }
  EXPECT_GT(ambiguous, 0);
}

TEST(FrictionProblem, EachLinkOfTheChainFindsTheSameMotion) {
  Generator generator(3);
  for (int i = 0; i < 200; ++i) {
    const FrictionProblem p = generator.problem(1 + i % 6, 1, 14, 0.3);
    VectorXd newton, lemke;
    ASSERT_TRUE(solve_by_newton(p, newton));
    ASSERT_TRUE(solve_by_lemke(p, lemke));
    ASSERT_LE((newton - lemke).cwiseAbs().maxCoeff(), 1e-9 * (1 + newton.cwiseAbs().maxCoeff()));
  }
}

TEST(FrictionProblem, OfABlockOnManyPointsHasTheMotionOfItsTwoOuterOnes) {
  Generator generator(4);
  for (int i = 0; i < 200; ++i) {
    const int k = 3 + i % 10;
    std::vector<double> x = {-1, 1};
    const double friction = 0.1 + 0.8 * generator.uniform();
    const Eigen::Vector3d force(5 * generator.normal(), -9.81, 4 * generator.normal());
    const FrictionSolution two = solve(block(x, friction, force));
    for (int j = 2; j < k; ++j) x.push_back(2 * generator.uniform() - 1);
    const FrictionProblem p = block(x, friction, force);
    const FrictionSolution many = solve(p);
    ASSERT_NO_FATAL_FAILURE(expect_solution(p, many));
    ASSERT_FALSE(many.is_ambiguous);
    ASSERT_LE((many.acceleration.head(4) - two.acceleration).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE(many.force.norm(), two.force.norm() + 1e-9);
  }
}

TEST(FrictionProblem, OfABlockAtRestOnEqualPointsSharesItsWeight) {
  const FrictionSolution s = solve(block({-1, -0.5, 0, 0.5, 1}, 0.5, {0, -10, 0}));
  ASSERT_TRUE(s.is_found);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(s.force[2 * i], 2, 1e-13);
    EXPECT_NEAR(s.force[2 * i + 1], 0, 1e-13);
  }
  for (const Standing standing : s.standing) EXPECT_EQ(standing, Standing::stick);
}

TEST(FrictionProblem, OfTowersIsSolvedWhereSweepsAloneAreSlow) {
  Generator generator(5);
  for (const int blocks : {1, 2, 4, 8}) {
    for (int i = 0; i < 40; ++i) {
      const FrictionProblem p = tower(blocks, 0.1 + 0.8 * generator.uniform(), generator);
      ASSERT_NO_FATAL_FAILURE(expect_solution(p, solve(p))) << blocks << " blocks, run " << i;
    }
  }
}

// ---- symmetries ----

FrictionProblem reordered(const FrictionProblem& p, const std::vector<int>& order, std::vector<Index>& rows) {
  FrictionProblem q = p;
  const Index per = p.b.size() / static_cast<Index>(p.contacts.size());
  rows.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    q.contacts[i] = p.contacts[static_cast<std::size_t>(order[i])];
    for (Index j = 0; j < per; ++j) rows.push_back(per * order[i] + j);
  }
  q.W = p.W(rows, rows);
  q.b = p.b(rows);
  return q;
}

TEST(FrictionProblem, DoesNotDependOnTheOrderOfItsContacts) {
  Generator generator(6);
  std::mt19937 shuffling(6);
  for (int i = 0; i < 300; ++i) {
    const int k = 2 + i % 6, tangents = 1 + i % 2;
    const FrictionProblem p = generator.problem(k, tangents, k * (1 + tangents) + 6, 0.3);
    std::vector<int> order(static_cast<std::size_t>(k));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), shuffling);
    std::vector<Index> rows;
    const FrictionSolution s = solve(p), other = solve(reordered(p, order, rows));
    ASSERT_TRUE(s.is_found && other.is_found);
    ASSERT_LE((other.acceleration - s.acceleration(rows)).cwiseAbs().maxCoeff(), 1e-12 * p.b.cwiseAbs().maxCoeff());
    for (std::size_t j = 0; j < order.size(); ++j)
      ASSERT_EQ(other.standing[j], s.standing[static_cast<std::size_t>(order[j])]);
  }
}

TEST(FrictionProblem, ReflectedGivesTheReflectedAnswer) {
  Generator generator(7);
  for (int i = 0; i < 300; ++i) {
    const int k = 1 + i % 6;
    const FrictionProblem p = generator.problem(k, 1, 2 * k + 4, 0.3);
    VectorXd mirror = VectorXd::Ones(2 * k);
    for (Index j = 0; j < k; ++j) mirror[2 * j + 1] = -1;
    FrictionProblem q = p;
    q.W = mirror.asDiagonal() * p.W * mirror.asDiagonal();
    q.b = mirror.cwiseProduct(p.b);
    const FrictionSolution s = solve(p), reflected = solve(q);
    ASSERT_LE((reflected.force - mirror.cwiseProduct(s.force)).cwiseAbs().maxCoeff(),
              1e-12 * (1 + s.force.cwiseAbs().maxCoeff()));
    ASSERT_EQ(reflected.standing, s.standing);
  }
}

TEST(FrictionProblem, KeepsItsDecisionsInOtherUnits) {
  Generator generator(8);
  for (int i = 0; i < 300; ++i) {
    const int k = 1 + i % 6, tangents = 1 + i % 2;
    const FrictionProblem p = generator.problem(k, tangents, std::max(2, k + i % 5), 1.2);
    const FrictionSolution s = solve(p);
    for (const auto& [mass, length] : {std::pair(1e6, 1.0), std::pair(1.0, 1e-3), std::pair(1e-9, 1e4)}) {
      FrictionProblem q = p;
      q.W = p.W / mass;
      q.b = p.b * length;
      const FrictionSolution scaled = solve(q);
      ASSERT_EQ(scaled.is_found, s.is_found);
      ASSERT_EQ(scaled.is_ambiguous, s.is_ambiguous);
      ASSERT_EQ(scaled.standing, s.standing);
      ASSERT_EQ(scaled.is_degenerate, s.is_degenerate);
      ASSERT_EQ(scaled.solver, s.solver);
    }
    // Each contact in units of its own.
    FrictionProblem q = p;
    VectorXd unit(p.b.size());
    for (Index j = 0; j < unit.size(); ++j)
      unit[j] = std::pow(2.0, static_cast<double>(7 * (j / (1 + tangents)) % 31) - 15);
    q.W = unit.asDiagonal() * p.W * unit.asDiagonal();
    q.b = unit.cwiseProduct(p.b);
    ASSERT_EQ(solve(q).standing, s.standing);
  }
}

TEST(FrictionProblem, WithAContactDeclaredTwiceHasTheSameMotionAndHalfTheForces) {
  Generator generator(9);
  for (int i = 0; i < 200; ++i) {
    const int k = 1 + i % 4, tangents = i % 3;
    const FrictionProblem p = generator.problem(k, tangents, k * (1 + tangents) + 5, 0.3);
    std::vector<Index> rows(static_cast<std::size_t>(p.b.size()));
    std::iota(rows.begin(), rows.end(), 0);
    for (Index j = 0; j <= tangents; ++j) rows.push_back(j);
    FrictionProblem q = p;
    q.contacts.push_back(p.contacts[0]);
    q.W = p.W(rows, rows);
    q.b = p.b(rows);
    const FrictionSolution once = solve(p), twice = solve(q);
    ASSERT_TRUE(once.is_found && twice.is_found);
    VectorXd expected = once.force(rows);
    expected.head(1 + tangents) *= 0.5;
    expected.tail(1 + tangents) *= 0.5;
    ASSERT_LE((twice.force - expected).cwiseAbs().maxCoeff(), 1e-10 * (1 + expected.cwiseAbs().maxCoeff())) << i;
    ASSERT_LE((twice.acceleration - once.acceleration(rows)).cwiseAbs().maxCoeff(), 1e-11 * p.b.cwiseAbs().maxCoeff());
  }
}

// ---- single laws, with numbers by hand ----

// One contact of a body of mass 2 under its weight 20 and a pull along the floor.
FrictionProblem pulled(double pull, double friction, double stick_friction) {
  FrictionProblem p;
  p.contacts = {contact(1, friction)};
  p.contacts[0].stick_friction = stick_friction;
  p.W = 0.5 * MatrixXd::Identity(2, 2);
  p.b = numbers({-10, pull / 2});
  return p;
}

TEST(FrictionProblem, HoldsUpToTheStaticCoefficientAndSlipsWithTheOther) {
  const FrictionSolution held = solve(pulled(9, 0.3, 0.5));
  EXPECT_EQ(held.standing[0], Standing::stick);
  EXPECT_FALSE(held.is_ambiguous);
  EXPECT_FALSE(held.is_degenerate[0]);
  EXPECT_NEAR(held.force[0], 20, 1e-13);
  EXPECT_NEAR(held.force[1], -9, 1e-13);

  const FrictionSolution slips = solve(pulled(-11, 0.3, 0.5));
  EXPECT_EQ(slips.standing[0], Standing::slip);
  EXPECT_NEAR(slips.force[1], 6, 1e-13);
  EXPECT_NEAR(slips.acceleration[1], -2.5, 1e-13);

  const FrictionSolution edge = solve(pulled(10, 0.3, 0.5));
  EXPECT_EQ(edge.standing[0], Standing::stick);
  EXPECT_TRUE(edge.is_degenerate[0]);
}

TEST(FrictionProblem, WithStaticFrictionIsSolvedForManyContacts) {
  Generator generator(10);
  for (int i = 0; i < 500; ++i) {
    FrictionProblem p = generator.problem(1 + i % 6, 1 + i % 2, 20, 0.5);
    for (FrictionContact& c : p.contacts) c.stick_friction = 1.4 * c.friction;
    const FrictionSolution s = solve(p);
    ASSERT_TRUE(s.is_found) << s.failure;
    ASSERT_LE(violation(p, s.force), 1e-10);
  }
}

TEST(FrictionProblem, InSpaceSlipsAgainstThePullNotAlongAnAxis) {
  FrictionProblem p;
  p.contacts = {contact(2, 0.25)};
  p.W = MatrixXd::Identity(3, 3);
  p.b = numbers({-10, 3, 4});
  const FrictionSolution s = solve(p);
  EXPECT_EQ(s.standing[0], Standing::slip);
  EXPECT_LE((s.force - numbers({10, -1.5, -2})).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((s.acceleration - numbers({0, 1.5, 2})).cwiseAbs().maxCoeff(), 1e-14);
  p.contacts[0].friction = p.contacts[0].stick_friction = 0.51;
  EXPECT_EQ(solve(p).standing[0], Standing::stick);
}

TEST(FrictionProblem, OfAClutchKnowsItsNormalForce) {
  FrictionProblem p;
  p.contacts = {contact(1, 0.5)};
  p.contacts[0].has_fixed_normal = true;
  p.contacts[0].normal_force = 8;
  p.W = MatrixXd::Constant(1, 1, 2.0);
  p.b = numbers({6});
  EXPECT_EQ(solve(p).standing[0], Standing::stick);
  EXPECT_NEAR(solve(p).force[0], -3, 1e-15);
  p.b = numbers({-20});
  EXPECT_EQ(solve(p).standing[0], Standing::slip);
  EXPECT_NEAR(solve(p).force[0], 4, 1e-15);
  EXPECT_NEAR(solve(p).acceleration[0], -12, 1e-14);
  VectorXd force;
  ASSERT_TRUE(solve_by_lemke(p, force));
  EXPECT_NEAR(force[0], 4, 1e-15);
  ASSERT_EQ(enumerate(p, 9).size(), 1u);
}

TEST(FrictionProblem, ALeastForceActsAlsoWhereTheContactOpens) {
  FrictionProblem p;
  p.contacts = {contact(1, 0.5)};
  p.contacts[0].least_normal = 4;
  p.W = MatrixXd::Identity(2, 2);
  p.b = numbers({-1, 5});
  const FrictionSolution opens = solve(p);
  EXPECT_LE((opens.force - numbers({4, -2})).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE((opens.acceleration - numbers({3, 3})).cwiseAbs().maxCoeff(), 1e-15);
  p.b = numbers({-7, 5});
  const FrictionSolution stays = solve(p);
  EXPECT_LE((stays.force - numbers({7, -3.5})).cwiseAbs().maxCoeff(), 1e-15);
  for (const double b : {-1.0, -7.0}) {
    p.b[0] = b;
    ASSERT_EQ(enumerate(p, 9).size(), 1u);
    VectorXd force;
    ASSERT_TRUE(solve_by_lemke(p, force));
    EXPECT_LE((force - solve(p).force).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(FrictionProblem, DegenerateContactsStayClosed) {
  FrictionProblem p;
  p.contacts = {contact(1, 0.5), contact(1, 0.5)};
  p.W = MatrixXd::Identity(4, 4);
  p.b = numbers({-1, 0, 1e-12, 0});
  const FrictionSolution s = solve(p);
  ASSERT_TRUE(s.is_found);
  EXPECT_FALSE(s.is_degenerate[0]);
  p.W(0, 2) = p.W(2, 0) = 1e-13;  // one group, so that the first contact sets the scale
  const FrictionSolution coupled = solve(p);
  EXPECT_TRUE(coupled.is_degenerate[1]);
  EXPECT_EQ(coupled.standing[1], Standing::stick);

  p.b.setZero();
  const FrictionSolution weightless = solve(p);
  ASSERT_TRUE(weightless.is_found);
  EXPECT_EQ(weightless.force.norm(), 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(weightless.is_degenerate[i]);
    EXPECT_EQ(weightless.standing[i], Standing::stick);
  }
}

// A rod of length 2 and mass 1 slides on its lower end at the angle th: W and the free acceleration by hand.
// Painlevé; the four cells as in Champneys and Várkonyi, IMA Journal of Applied Mathematics 81 (2016) 538.
FrictionProblem sliding_rod(double angle, double spin, double friction, double direction) {
  const double c = std::cos(angle), s = std::sin(angle);
  FrictionProblem p;
  p.contacts = {contact(1, friction)};
  p.contacts[0].is_slipping = true;
  p.contacts[0].direction[0] = direction;
  p.W.resize(2, 2);
  p.W << 1 + 3 * c * c, 3 * s * c, 3 * s * c, 1 + 3 * s * s;
  p.b = numbers({spin * spin * s - 9.81, spin * spin * c});
  return p;
}

TEST(FrictionProblem, OfASlidingRodNamesEveryCellOfPainleve) {
  const double friction = 1.5, angle = 1;
  const double p_slip = 1 + 3 * std::cos(angle) * (std::cos(angle) - friction * std::sin(angle));
  ASSERT_NEAR(p_slip, -0.170, 5e-4);

  const FrictionSolution inconsistent = solve(sliding_rod(angle, 0, friction, 1));
  EXPECT_FALSE(inconsistent.is_found);
  EXPECT_TRUE(says(inconsistent.failure, {"newton:", "lemke:", "enumeration:"}));
  EXPECT_TRUE(enumerate(sliding_rod(angle, 0, friction, 1), 9).empty());

  const FrictionProblem fast = sliding_rod(angle, 4, friction, 1);
  const FrictionSolution indeterminate = solve(fast);
  ASSERT_TRUE(indeterminate.is_found);
  EXPECT_TRUE(indeterminate.is_ambiguous);
  EXPECT_EQ(indeterminate.standing[0], Standing::slip);  // of two answers the closed one
  EXPECT_NEAR(indeterminate.force[0], -fast.b[0] / p_slip, 1e-12 * indeterminate.force[0]);
  EXPECT_EQ(enumerate(fast, 9).size(), 2u);

  const FrictionProblem slow = sliding_rod(angle, 1, friction, -1);  // the other way p is positive
  const double p_back = 1 + 3 * std::cos(angle) * (std::cos(angle) + friction * std::sin(angle));
  const FrictionSolution slides = solve(slow);
  ASSERT_TRUE(slides.is_found);
  EXPECT_FALSE(slides.is_ambiguous);
  EXPECT_EQ(slides.standing[0], Standing::slip);
  EXPECT_NEAR(slides.force[0], -slow.b[0] / p_back, 1e-14);
  EXPECT_NEAR(slides.force[1], friction * slides.force[0], 1e-14);

  const FrictionSolution separates = solve(sliding_rod(angle, 4, friction, -1));
  ASSERT_TRUE(separates.is_found);
  EXPECT_FALSE(separates.is_ambiguous);
  EXPECT_EQ(separates.standing[0], Standing::open);
  EXPECT_EQ(separates.force.norm(), 0);
}

TEST(FrictionProblem, GivenDirectionsOfSlipNeedNoPlane) {
  Generator generator(11);
  for (int i = 0; i < 300; ++i) {
    FrictionProblem p = generator.problem(1 + i % 4, 2, 20, 0.2);
    for (FrictionContact& c : p.contacts) {
      c.is_slipping = true;
      const double angle = 6 * generator.uniform();
      c.direction = {std::cos(angle), std::sin(angle)};
    }
    const FrictionSolution s = solve(p);
    ASSERT_TRUE(s.is_found);
    ASSERT_LE(violation(p, s.force), 1e-10);
    for (Index j = 0; j < static_cast<Index>(p.contacts.size()); ++j) {
      const FrictionContact& c = p.contacts[static_cast<std::size_t>(j)];
      ASSERT_LE((s.force.segment(3 * j + 1, 2) + c.friction * s.force[3 * j] * c.direction).norm(),
                1e-12 * (1 + s.force.norm()));
      ASSERT_NE(s.standing[static_cast<std::size_t>(j)], Standing::stick);
    }
    ASSERT_FALSE(enumerate(p, 1).empty());
  }
}

TEST(FrictionProblem, AViolationSaysWhichConditionAndWhere) {
  const FrictionProblem p = pulled(9, 0.5, 0.5);
  std::string what;
  EXPECT_LE(violation(p, numbers({20, -9}), &what), 1e-15);
  EXPECT_GT(violation(p, numbers({0, 0}), &what), 0.1);
  EXPECT_TRUE(says(what, {"contact 0", "penetrated"}));
  EXPECT_GT(violation(p, numbers({20, 9}), &what), 0.1);
  EXPECT_TRUE(says(what, {"contact 0", "neither sticks", "nor slips"}));
  EXPECT_GT(violation(p, numbers({NAN, 0}), &what), 1);
}

}  // namespace
}  // namespace pawl::contact
