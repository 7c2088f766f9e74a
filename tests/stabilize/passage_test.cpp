// Positions in which constraints lose rank, and are passed on the branch that goes on smoothly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81;

bool tells_of_passage(const Message& message) {
  return message.code == MessageCode::constraint_nearly_redundant && std::get<double>(message.data.at(1).value) == 0;
}

long long passages(const Result& run) {
  return std::count_if(run.messages.begin(), run.messages.end(), tells_of_passage);
}

/// N parallelograms side by side, N + 1 cranks of length 1 and N couplers, each crank at angle a. In line, at a = 0 and
/// at pi, N rows depend on the others, and every loop could go on as a parallelogram or crossed.
struct FourBars {
  Mechanics bars{"four-bars"};
  struct Rod {
    Coordinate x, y, a;
  };
  std::vector<Rod> cranks, couplers;
  double inertia, weight;  // of the motion with one angle: inertia a'' = -weight cos a

  /// extra: mass and torque of the first crank beside the others, so that joints must carry a load where all is in
  /// line.
  explicit FourBars(int loops, double extra = 0) {
    const double pi = std::acos(-1.0);
    const auto rod = [&](const std::string& name, double x, double y, double a, double vx, double va, double mass) {
      const Rod one{bars.coordinate(name + ".x", x, vx), bars.coordinate(name + ".y", y, 0),
                    bars.coordinate(name + ".a", a, va)};
      bars.mass(one.x, mass), bars.mass(one.y, mass), bars.mass(one.a, mass / 12);
      bars.potential([=](const auto& at) { return mass * g * at[one.y]; });
      return one;
    };
    for (int k = 0; k <= loops; ++k)
      cranks.push_back(rod("crank" + std::to_string(k), k, 0.5, pi / 2, 0.5, -1, k == 0 ? 1 + extra : 1));
    for (int k = 0; k < loops; ++k) couplers.push_back(rod("coupler" + std::to_string(k), k + 0.5, 1, 0, 1, 0, 1));
    const auto end = [](const auto& at, const Rod& r, double s) {
      return std::array{at[r.x] + s * cos(at[r.a]), at[r.y] + s * sin(at[r.a])};
    };
    for (int k = 0; k <= loops; ++k) {
      const Rod crank = cranks[static_cast<std::size_t>(k)];
      bars.constraint("ground" + std::to_string(k), [=](const auto& at) {
        const auto e = end(at, crank, -0.5);
        return std::array{e[0] - k, e[1]};
      });
    }
    for (int k = 0; k < loops; ++k) {
      const Rod bar = couplers[static_cast<std::size_t>(k)];
      for (const int side : {0, 1}) {
        const Rod crank = cranks[static_cast<std::size_t>(k + side)];
        bars.constraint((side == 0 ? "left" : "right") + std::to_string(k), [=](const auto& at) {
          const auto p = end(at, crank, 0.5), q = end(at, bar, side - 0.5);
          return std::array{p[0] - q[0], p[1] - q[1]};
        });
      }
    }
    inertia = (loops + 1 + extra) / 3 + loops;
    weight = g * ((loops + 1 + extra) / 2 + loops);
  }

  double energy(const Instant& at) const {
    const double speed = at[dot(cranks[0].a)];
    return 0.5 * inertia * speed * speed + weight * std::sin(at[cranks[0].a]);
  }

  /// The one angle, by itself.
  Result alone(double end) const {
    System pendulum("pendulum");
    const auto a = pendulum.state("a", std::acos(-1.0) / 2), w = pendulum.state("w", -1);
    pendulum.rates([=, ratio = weight / inertia](const auto& at, auto& d) {
      d[a] = at[w];
      d[w] = -ratio * cos(at[a]);
    });
    return simulate(pendulum, {.end = end, .tolerance = 1e-13, .method = "dop853"});
  }
};

TEST(Passage, FourBarsPassTheirChangePointsOnTheSmoothBranch) {
  const double end = 4;
  for (const int loops : {1, 2, 3, 5, 10}) {
    const FourBars model(loops);
    const Result reference = model.alone(end);
    const double angle = reference.final()["a"];
    const auto expected = static_cast<long long>(std::floor(-angle / std::acos(-1.0)) + 1);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
      // Couplers do not turn: a thousandth of 1e-12 for their angle, the default, would be below rounding.
      const Result run = simulate(model.bars, {.end = end, .tolerance = {tolerance, tolerance}});
      ASSERT_TRUE(run.finished()) << loops << ", " << tolerance << ": " << run.reason;
      EXPECT_EQ(passages(run), expected) << loops << ", " << tolerance;
      for (const auto& crank : model.cranks)
        EXPECT_NEAR(run.final()[crank.a], angle, 500 * tolerance) << loops << ", " << tolerance;
      const double start = model.energy(run.start());
      EXPECT_NEAR(model.energy(run.final()), start, 500 * tolerance * std::abs(start)) << loops << ", " << tolerance;
    }
  }
}

class PassageWith : public ::testing::TestWithParam<const char*> {};

TEST_P(PassageWith, EveryMethodTwoLoopsAtATimeAndLoadsThatGrowWithoutBound) {
  const double end = 3;
  for (const double extra : {0.0, 2.0}) {
    const FourBars model(2, extra);
    const double angle = model.alone(end).final()["a"];
    for (const double tolerance : {1e-4, 1e-7}) {
      const Result run = simulate(model.bars, {.end = end, .tolerance = tolerance, .method = GetParam()});
      ASSERT_TRUE(run.finished()) << extra << ", " << tolerance << ": " << run.reason;
      EXPECT_GE(passages(run), 2) << extra << ", " << tolerance;
      for (const auto& crank : model.cranks)
        EXPECT_NEAR(run.final()[crank.a], angle, 1000 * tolerance) << extra << ", " << tolerance;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, PassageWith,
                         ::testing::Values("dop853", "tsitouras-5", "verner-9", "radau", "esdirk-5", "bdf"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// A parallelogram by three angles: where it goes flat, its two loop equations depend on each other.
Mechanics parallelogram(double gravity) {
  Mechanics bars("parallelogram");
  const auto a = bars.coordinate("left", std::numbers::pi / 3, -1),
             b = bars.coordinate("right", std::numbers::pi / 3, -1), c = bars.coordinate("coupler", 0);
  for (const auto q : {a, b, c}) bars.mass(q, 1.0);
  bars.potential([=](const auto& at) { return gravity * (sin(at[a]) + sin(at[b]) / 2); });
  bars.constraint("loop", [=](const auto& at) {
    return std::array{cos(at[a]) + 2 * cos(at[c]) - cos(at[b]) - 2, sin(at[a]) + 2 * sin(at[c]) - sin(at[b])};
  });
  bars.energy();
  return bars;
}

TEST(Passage, AParallelogramTurnsOnAtConstantSpeedWhereNothingPulls) {
  for (const char* method : {"auto", "dormand-prince-5", "verner-9", "radau"}) {
    SCOPED_TRACE(method);
    const Result run = simulate(parallelogram(0), {.end = 2, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(passages(run), 1);
    for (const char* crank : {"left", "right"}) EXPECT_NEAR(run.final()[crank], std::numbers::pi / 3 - 2, 1e-7);
  }
}

TEST(Passage, KeepsTheEnergyOfAParallelogramWithUnequalWeights) {
  for (const char* method : {"auto", "dormand-prince-5", "verner-9"}) {
    SCOPED_TRACE(method);
    const Result run = simulate(parallelogram(9.81), {.end = 2, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_GE(passages(run), 1);
    EXPECT_NEAR(run.final()["left"], run.final()["right"], 1e-7);
    EXPECT_LT(run.range(Observable{0}).variation(), 1e-5);
  }
}

// Without a pull of positions and speeds there is no branch to go on.
TEST(Passage, IsRefusedWhereStepsDoNotEndOnTheManifold) {
  const Result run =
      simulate(parallelogram(0), {.end = 2, .tolerance = 1e-8, .constraints = {.stabilization = "none"}});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NE(run.reason.find("depends on the others: branches of the motion meet there"), std::string::npos)
      << run.reason;
  EXPECT_LT(run.t_end, std::numbers::pi / 3);
}

/// On a wire in the shape of a figure eight nothing but the wire pushes: it runs at constant speed, straight through
/// the crossing, and is back after the length of the curve, 2 x 2.62205755429212 (Gauss's constant times pi).
TEST(Passage, ABeadOnALemniscateRunsStraightThroughTheCrossing) {
  Mechanics wire("lemniscate");
  const auto x = wire.coordinate("x", 1, 0), y = wire.coordinate("y", 0, 1);
  wire.mass(x, 1.0), wire.mass(y, 1.0);
  wire.constraint("curve", [=](const auto& at) {
    const auto r = at[x] * at[x] + at[y] * at[y];
    return r * r - at[x] * at[x] + at[y] * at[y];
  });
  const double length = 2 * 2.622057554292119810;
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    const Result run = simulate(wire, {.end = length, .tolerance = tolerance});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(passages(run), 2);
    EXPECT_NEAR(run.final()[x], 1, 100 * tolerance);
    EXPECT_NEAR(run.final()[y], 0, 100 * tolerance);
    EXPECT_NEAR(run.final()[dot(y)], 1, 100 * tolerance);
    // Half way it is at the other end: a branch that turns off at the crossing would bring it back to this one.
    EXPECT_NEAR(run.at(length / 2)[x], -1, 100 * tolerance);
  }
}

// A parallelogram that goes flat stays one or crosses. 2 c' = b' - a' in both, by its second loop equation; the first,
// one derivative higher, wants b'² = a'² + 2 c'², which is b' = a' or b' = -3 a'. Of length one: (1, 1, 0) / √2 and
// (-1, 3, 2) / √14.
TEST(Passage, IsRefusedWithTheChoiceOfBranches) {
  const Result run =
      simulate(parallelogram(0), {.end = 2, .tolerance = 1e-8, .constraints = {.stabilization = "none"}});
  ASSERT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason.substr(run.reason.find(" the motion")),
            " the motion comes to a configuration in which constraint 'loop[0]' depends on the others: branches of the "
            "motion meet there, and none goes on more smoothly than the others.\n"
            "  choice: 'left', 'right', 'coupler' along (0.707, 0.707, 0.000) or (-0.267, 0.802, 0.535)\n"
            "  try:    a start behind it, from there along the branch that is meant, another start, one constraint "
            "less, or an event that ends the run before it");
}

// A start a little behind the change point, along one of the two, goes on there.
TEST(Passage, AStartBehindItOnABranchChoosesThatBranch) {
  for (const std::array<double, 3> branch : {std::array{0.707, 0.707, 0.0}, std::array{-0.267, 0.802, 0.535}}) {
    const Mechanics bars = parallelogram(0);
    Values values(bars);
    for (std::size_t k = 0; k < 3; ++k) {
      const char* names[] = {"left", "right", "coupler"};
      values.set(names[k], 0.05 * branch[k]);
      values.set(std::string(names[k]) + "'", branch[k]);
    }
    const Result chosen = simulate(bars, values, {.end = 0.3, .tolerance = 1e-9});
    ASSERT_TRUE(chosen.finished()) << chosen.reason;
    const double left = chosen.final()["left"], right = chosen.final()["right"];
    EXPECT_NEAR(right / left, branch[1] / branch[0], 0.2);
    EXPECT_GT(std::abs(right), 0.2);
  }
}

TEST(Passage, IsToldWithItsTimeAndTheConstraint) {
  Mechanics lines("two lines");
  const auto x = lines.coordinate("x", -1, 2), y = lines.coordinate("y", 0, 0);
  lines.mass(x, 1.0), lines.mass(y, 1.0);
  lines.constraint("cross", [=](const auto& at) { return at[x] * at[y]; });
  lines.force([=](const auto&, auto& f) { f[y] = 1.0; });  // carried by the line, by a multiplier that passes infinity
  const Result run = simulate(lines, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(passages(run), 1);
  const auto told = std::find_if(run.messages.begin(), run.messages.end(), tells_of_passage);
  EXPECT_NEAR(told->t, 0.5, 1e-9);
  EXPECT_EQ(std::get<std::string>(told->data.front().value), "cross");
  EXPECT_NEAR(run.final()[x], 1, 1e-9);
  EXPECT_NEAR(run.final()[y], 0, 1e-12);
}

TEST(Passage, MayBeCutByAnEventOrTheEndOfTheRun) {
  for (const double where : {0.45, 0.4999, 0.5001, 0.55}) {
    Mechanics lines("two lines");
    const auto x = lines.coordinate("x", -1, 2), y = lines.coordinate("y", 0, 0);
    const auto passed = lines.discrete("passed", false);
    lines.mass(x, 1.0), lines.mass(y, 1.0);
    lines.constraint("cross", [=](const auto& at) { return at[x] * at[y]; });
    const auto mark =
        lines.guard("mark", [=](const auto& at) { return at[x] - (2 * where - 1); }).then([=](Jump& jump) {
          jump[passed] = true;
        });
    const Result run = simulate(lines, {.end = 1});
    ASSERT_TRUE(run.finished()) << where << ": " << run.reason;
    ASSERT_EQ(run.times_of(mark).size(), 1u) << where;
    EXPECT_NEAR(run.times_of(mark).front(), where, 1e-6);
    EXPECT_NEAR(run.final()[x], 1, 1e-6);
    const Result shorter = simulate(lines, {.end = where});
    ASSERT_TRUE(shorter.finished()) << where << ": " << shorter.reason;
    EXPECT_NEAR(shorter.final()[x], 2 * where - 1, 1e-6);
  }
}

}  // namespace
}  // namespace pawl
