// Guards that read forces: proved on the polynomials of multipliers, at the cost of a joint (docs/contact.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

bool are_all_proved(const Result& run) {
  const auto& levels = run.statistics.events.guarantees;
  return std::all_of(levels.begin(), levels.end(), [](const auto& one) { return one.level == Assurance::proved; });
}

/// A block that turns about one corner, held there by a contact with friction or by a joint.
Result pivoting(bool by_joint) {
  Mechanics block("pivoting");
  const double w = 0.25, h = 1, tilt = 0.17;
  const auto x = block.coordinate("x", -w + w * std::cos(tilt) - h * std::sin(tilt)),
             y = block.coordinate("y", w * std::sin(tilt) + h * std::cos(tilt)), a = block.coordinate("angle", tilt);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.mass(a, (w * w + h * h) / 3);
  block.potential([=](const auto& at) { return 9.81 * at[y]; });
  const auto gap = [=](const auto& at) { return at[y] - w * sin(at[a]) - h * cos(at[a]); };
  const auto slip = [=](const auto& at) { return at[dot(x)] + (h * cos(at[a]) + w * sin(at[a])) * at[dot(a)]; };
  if (by_joint) {
    block.constraint("pin", [=](const auto& at) {
      return std::array{at[y] - w * sin(at[a]) - h * cos(at[a]), at[x] - w * cos(at[a]) + h * sin(at[a]) + w};
    });
  } else {
    block.contact("corner", gap, slip, {.friction = 0.8});
  }
  return simulate(block, {.end = 0.7, .tolerance = 1e-6});
}

TEST(ForceGuards, ACornerThatSticksCostsWhatAPinCosts) {
  const Result corner = pivoting(false), pin = pivoting(true);
  ASSERT_TRUE(corner.finished()) << corner.reason;
  EXPECT_TRUE(are_all_proved(corner));
  EXPECT_NEAR(corner.final_state[2], pin.final_state[2], 1e-6);
  EXPECT_LE(corner.statistics.rhs, 1.3 * static_cast<double>(pin.statistics.rhs));
}

/// A table of weight 10 on four feet with friction, pushed and tilted by given loads.
struct Table {
  Mechanics system{"table"};
  std::vector<Contact> feet;
  static double place(int k) { return -1 + 2.0 * k / 3; }

  template <class Push, class Tilt>
  Table(const Push& push, const Tilt& tilt) {
    const auto x = system.coordinate("x", 0), y = system.coordinate("y", 0), turn = system.coordinate("turn", 0);
    for (const auto one : {x, y, turn}) system.mass(one, 1.0);
    system.force([=](const auto& at, auto& f) {
      f[x] += push(at.t);
      f[y] -= 10.0;
      f[turn] += tilt(at.t);
    });
    for (int k = 0; k < 4; ++k) {
      const double s = place(k);
      feet.push_back(system.contact(
          "foot" + std::to_string(k + 1), [=](const auto& at) { return at[y] + s * sin(at[turn]); },
          [=](const auto& at) { return at[dot(x)] - s * sin(at[turn]) * at[dot(turn)]; }, {.friction = 0.5}));
    }
  }
};

// Of all forces that hold it those of least norm are 10/4 - s M / Σ s² and a fourth of the push. They are within the
// cones, and are proved to be.
TEST(ForceGuards, FeetThatShareALoadAreProvedToHold) {
  const Table table([](const auto& t) { return 3 * sin(3 * t); }, [](const auto& t) { return 2 * sin(5 * t); });
  const Result run = simulate(table.system, {.end = 4, .tolerance = 1e-8});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(table.feet[0], ContactEvent::release).size(), 0u);
  EXPECT_TRUE(are_all_proved(run));
  for (const double t : {0.3, 1.1, 2.7, 3.9}) {
    for (int k = 0; k < 4; ++k) {
      const Contact& foot = table.feet[static_cast<std::size_t>(k)];
      EXPECT_NEAR(run.at(t)[foot.normal], 2.5 - Table::place(k) * 2 * std::sin(5 * t) / (20.0 / 9), 1e-9);
      EXPECT_NEAR(run.at(t)[foot.slip], -0.75 * std::sin(3 * t), 1e-9);
    }
  }
}

// From M = 50/9 on those of least norm would have a foot pull. Others hold the table until it tips over its last foot,
// at M = 10: numbers tell, and the guards are not proved.
TEST(ForceGuards, FeetThatShareALoadHoldBeyondTheForcesOfLeastNorm) {
  const Table table([](const auto&) { return 0.0; }, [](const auto& t) { return 8 * t; });
  const Result run = simulate(table.system, {.end = 1.3, .tolerance = 1e-8});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_GE(run.events.size(), 1u);
  EXPECT_NEAR(run.events.back().t, 10.0 / 8, 1e-7);
  EXPECT_FALSE(are_all_proved(run));
  for (const Contact& foot : table.feet) EXPECT_GE(run.at(1.2)[foot.normal], -1e-12);
}

/// An oscillator beside a mass that rests on a stop, or is held by a joint.
Result beside(int form) {
  Mechanics m("m");
  const auto q1 = m.coordinate("q1", 0), q2 = m.coordinate("q2", 1e-3);
  for (const auto q : {q1, q2}) m.mass(q, 1e-3);
  m.potential([=](const auto& at) { return 50 * sqr(at[q2]) + 1e-3 * 9.81 * at[q1]; });
  const auto gap = [=](const auto& at) { return at[q1]; };
  if (form == 0) m.constraint("joint", gap);
  if (form == 1) m.contact("stop", gap, {.restitution = 0.9});
  if (form == 2) m.contact("stop", gap, [=](const auto& at) { return at[dot(q2)] - 5; }, {.friction = 0.1});
  return simulate(m, {.end = 1, .method = "dop853"});
}

TEST(ForceGuards, ARestingContactCostsWhatAJointCosts) {
  const auto per_step = [](const Result& run) {
    return static_cast<double>(run.statistics.rhs) / static_cast<double>(run.statistics.steps_accepted);
  };
  const Result joint = beside(0);
  for (const int form : {1, 2}) {
    const Result contact = beside(form);
    ASSERT_TRUE(contact.finished()) << contact.reason;
    EXPECT_TRUE(are_all_proved(contact));
    EXPECT_LE(per_step(contact), 1.05 * per_step(joint)) << "form " << form;
  }
}

// Thrown off where the table falls faster than the ball: A w² sin(w t) = g.
TEST(ForceGuards, ABallLeavesAShakenTableAtTheExactTime) {
  const double amplitude = 1.0, w = 4.0, g = 9.81;
  for (const char* method : {"dop853", "dormand-prince-5", "radau"}) {
    Mechanics ball("ball");
    const auto y = ball.coordinate("y", 0, amplitude * w);
    ball.mass(y, 2.0);
    ball.potential([=](const auto& at) { return 2 * g * at[y]; });
    const auto table = ball.contact("table", [=](const auto& at) { return at[y] - amplitude * sin(w * at.t); }, {});
    const Result run = simulate(ball, {.end = 0.3, .tolerance = 1e-9, .method = method});
    ASSERT_TRUE(run.finished()) << method << ": " << run.reason;
    EXPECT_TRUE(are_all_proved(run));
    const auto times = run.times_of(table);
    ASSERT_EQ(times.size(), 1u) << method;
    EXPECT_NEAR(times.front(), std::asin(g / (amplitude * w * w)) / w, 1e-12) << method;
  }
}

// A pendulum of length 1, released from the horizontal: its rod carries 3 g cos(angle) = -3 g y.
TEST(ForceGuards, AGuardMayReadAJointAndIsProved) {
  const double g = 9.81, most = 2 * g;
  for (const bool is_condition : {false, true}) {
    Mechanics pendulum("pendulum");
    const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
    for (const auto q : {x, y}) pendulum.mass(q, 1.0);
    pendulum.potential([=](const auto& at) { return g * at[y]; });
    const auto rod = pendulum.constraint("rod", [=](const auto& at) { return 0.5 * (sqr(at[x]) + sqr(at[y]) - 1); });
    const auto load = [=](const auto& at) { return at[rod] - most; };
    std::vector<double> times;
    Result run;
    if (is_condition) {
      const auto strained = pendulum.condition("strained", load);
      run = simulate(pendulum, {.end = 0.9, .tolerance = 1e-10});
      times = run.times_of(strained);
    } else {
      const auto strained = pendulum.guard("strained", load);
      run = simulate(pendulum, {.end = 0.9, .tolerance = 1e-10});
      times = run.times_of(strained);
    }
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.final_state.size(), 4u) << "a mechanism, no mixture";
    EXPECT_TRUE(are_all_proved(run));
    ASSERT_EQ(times.size(), 2u);  // on the way down, and up again
    for (const double t : times) EXPECT_NEAR(run.at(t)[y], -2.0 / 3, 1e-9);
  }
}

}  // namespace
}  // namespace pawl
