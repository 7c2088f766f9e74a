#include "integrate/order_ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

/// Pieces that nobody integrates: told of their length, with a cost per rung.
OrderLadder::Piece piece(double length, long long steps, long long evaluations) {
  return {length, steps, evaluations, false};
}

OrderLadder after_short_pieces(int pieces) {
  OrderLadder ladder({12, 6});
  ladder.end_piece(piece(1, 20, 240));  // from the start: no event began it
  for (int k = 0; k < pieces; ++k) ladder.end_piece(piece(0.1, 1, 12));
  return ladder;
}

TEST(OrderLadder, GoesDownAfterThreeShortPiecesAndNoEarlier) {
  EXPECT_EQ(after_short_pieces(2).rung(), 0);
  EXPECT_EQ(after_short_pieces(3).rung(), 1);
  OrderLadder ladder = after_short_pieces(2);
  ladder.end_piece(piece(1, 4, 48));  // long: the count begins again
  ladder.end_piece(piece(0.1, 1, 12));
  ladder.end_piece(piece(0.1, 1, 12));
  EXPECT_EQ(ladder.rung(), 0);
  ladder.end_piece(piece(0.1, 1, 12));
  EXPECT_EQ(ladder.rung(), 1);
}

TEST(OrderLadder, OneStepThatCouldHaveBeenMuchLongerSaysAsMuchAsThree) {
  const auto cut_short = [](double next_step) { return OrderLadder::Piece{0.1, 1, 12, false, next_step}; };
  OrderLadder ladder({12, 6});
  ladder.end_piece(cut_short(0.79));  // the first piece, and not evident
  EXPECT_EQ(ladder.rung(), 0);
  OrderLadder evident({12, 6});
  evident.end_piece(cut_short(0.81));
  EXPECT_EQ(evident.rung(), 1);
  evident.end_piece({0.1, 4, 24, false, 0.81});  // dearer than above: back, with twice the patience
  ASSERT_EQ(evident.rung(), 0);
  evident.end_piece(cut_short(0.81));
  EXPECT_EQ(evident.rung(), 0);
  evident.end_piece(cut_short(0.81));
  EXPECT_EQ(evident.rung(), 1);
}

TEST(OrderLadder, SwitchedByTheClockGrowthTakesAsFewRightHandSidesAsOrderFive) {
  // y' = y while sin(20 pi t) > 0, else 0: seventy events, which fifth order takes in a step of seven evaluations each.
  System growth("growth");
  const auto y = growth.state("y", 0.1);
  const auto is_on = growth.condition("on", [](const auto& at) { return sin(20 * M_PI * at.t); });
  growth.rates([=](const auto& at, auto& d) {
    if (at[is_on])
      d[y] = at[y];
    else
      d[y] = 0;
  });
  const Result run = simulate(growth, {.end = 3.5, .tolerance = 1e-6});
  EXPECT_EQ(std::count_if(run.events.begin(), run.events.end(),
                          [](const Event& one) { return one.kind == EventKind::crossing; }),
            70);
  EXPECT_NEAR(run.final().states()[0], 0.1 * std::exp(1.75), 1e-7);
  EXPECT_LE(run.statistics.rhs, 503);
}

TEST(OrderLadder, AStepTakenAgainCountsForBoth) {
  OrderLadder ladder({12, 6});
  ladder.end_piece(piece(1, 20, 240));
  for (int k = 0; k < 3; ++k) ladder.end_piece({0.1, 4, 60, true});
  EXPECT_EQ(ladder.rung(), 1);
}

TEST(OrderLadder, RestartsWithoutAStepSayNothing) {
  OrderLadder ladder = after_short_pieces(2);
  for (int k = 0; k < 10; ++k) ladder.end_piece(piece(0, 0, 1));
  EXPECT_EQ(ladder.rung(), 0);
}

TEST(OrderLadder, StaysWhilePiecesOfTheSameLengthCostLess) {
  OrderLadder ladder = after_short_pieces(3);
  for (int k = 0; k < 100; ++k) ladder.end_piece(piece(0.1, 1, 6));
  EXPECT_EQ(ladder.rung(), 1);
  ladder.end_piece(piece(0.1, 5, 30));  // gains of two steps above are remembered, and no more: -24 + 18
  EXPECT_EQ(ladder.rung(), 1);
  ladder.end_piece(piece(0.1, 5, 30));
  EXPECT_EQ(ladder.rung(), 0);
}

TEST(OrderLadder, ComparesPiecesWithThoseOfTheirLength) {
  OrderLadder ladder({12, 6});
  ladder.end_piece(piece(1, 20, 240));
  ladder.end_piece(piece(1.0, 3, 36));
  ladder.end_piece(piece(0.1, 1, 12));
  ladder.end_piece(piece(1.0, 3, 36));
  ASSERT_EQ(ladder.rung(), 1);
  ladder.end_piece(piece(0.1, 2, 12));
  ladder.end_piece(piece(1.0, 6, 36));  // as dear as its like, though dearer than the last
  EXPECT_EQ(ladder.rung(), 1);
  ladder.end_piece(piece(1.0, 7, 42));
  EXPECT_EQ(ladder.rung(), 0);
}

TEST(OrderLadder, EveryWayUpDoublesThePatience) {
  OrderLadder ladder = after_short_pieces(3);
  for (int patience = 6; patience <= 96; patience *= 2) {
    ladder.end_piece(piece(0.1, 4, 24));
    ASSERT_EQ(ladder.rung(), 0);
    for (int k = 1; k < patience; ++k) ladder.end_piece(piece(0.1, 1, 12));
    EXPECT_EQ(ladder.rung(), 0) << patience;
    ladder.end_piece(piece(0.1, 1, 12));
    EXPECT_EQ(ladder.rung(), 1) << patience;
  }
}

TEST(OrderLadder, APieceThatGrowsLongClimbsRungByRung) {
  OrderLadder ladder({16, 12, 6});
  ladder.end_piece(piece(1, 20, 320));
  for (int k = 0; k < 3; ++k) ladder.end_piece(piece(0.1, 1, 16));
  for (int k = 0; k < 3; ++k) ladder.end_piece(piece(0.1, 1, 12));
  ASSERT_EQ(ladder.rung(), 2);
  EXPECT_FALSE(ladder.has_grown_long(18));
  EXPECT_TRUE(ladder.has_grown_long(19));  // beyond 1.5 times 12
  ladder.climb_within_piece();
  EXPECT_EQ(ladder.rung(), 1);
  EXPECT_FALSE(ladder.has_grown_long(24));
  EXPECT_TRUE(ladder.has_grown_long(25));
  ladder.climb_within_piece();
  EXPECT_EQ(ladder.rung(), 0);
  EXPECT_FALSE(ladder.has_grown_long(1000000));
  ladder.end_piece(piece(10, 1, 12));  // only a part of a piece: not to be counted as a short one
  for (int k = 0; k < 11; ++k) ladder.end_piece(piece(0.1, 1, 16));
  EXPECT_EQ(ladder.rung(), 0);
  ladder.end_piece(piece(0.1, 1, 16));
  EXPECT_EQ(ladder.rung(), 1);
}

/// An oscillator that is pushed at every multiple of the period given, and not after the time given.
System pushed(double period, double last) {
  System system("pushed");
  const auto x = system.state("x", 1), v = system.state("v", 0);
  system.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = -at[x];
  });
  system.every(period, [=](Jump& jump) {
    if (jump.t < last) jump[v] = jump.pre(v) + 0.1;
  });
  return system;
}

/// By rotation from push to push.
double exact_end(double period, double last, double end) {
  double x = 1, v = 0, t = 0;
  const auto turn = [&](double h) {
    const double x0 = x;
    x = x0 * std::cos(h) + v * std::sin(h), v = v * std::cos(h) - x0 * std::sin(h), t += h;
  };
  for (int k = 1; k * period < end; ++k) {
    turn(k * period - t);
    if (t < last) v += 0.1;
  }
  turn(end - t);
  return x;
}

TEST(OrderLadder, FrequentEventsAreTakenWithFewerStagesAtTheSameTolerance) {
  constexpr double period = 0.03125;
  const System system = pushed(period, 1e9);
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    Options options{.end = 20, .tolerance = tolerance};
    const Result run = simulate(system, options);
    ASSERT_EQ(run.outcome, Outcome::finished);
    EXPECT_EQ(run.method, tolerance > 1e-8 ? "dop853, tsitouras-5" : "verner-9, dop853, tsitouras-5");
    EXPECT_NEAR(run.final().states()[0], exact_end(period, 1e9, 20), 100 * tolerance);
    EXPECT_EQ(std::count_if(run.messages.begin(), run.messages.end(),
                            [](const Message& one) { return one.code == MessageCode::method_changed; }),
              tolerance > 1e-8 ? 1 : 2);
    options.method = tolerance > 1e-8 ? "dop853" : "verner-9";
    EXPECT_LT(3 * run.statistics.rhs, 2 * simulate(system, options).statistics.rhs) << tolerance;
  }
}

TEST(OrderLadder, AMethodThatWasAskedForStays) {
  EXPECT_EQ(simulate(pushed(0.125, 1e9), {.end = 50, .method = "dop853"}).method, "dop853");
}

TEST(OrderLadder, ARunThatIsContinuedHasTheSameBits) {
  const CompiledModel model(pushed(0.125, 6));
  const Options options{.end = 20, .tolerance = 1e-8};
  const Result straight = simulate(model, options);
  ASSERT_EQ(straight.method, "verner-9, dop853, tsitouras-5");
  Simulation run(model, options);
  for (int stop = 1; stop < 40; ++stop) {
    run.advance_to(0.5 * stop);
    Simulation other(model, options);
    other.restore(run.snapshot());
    other.advance_to(20);
    const Result continued = other.finish();
    EXPECT_EQ(continued.final().states(), straight.final().states()) << stop;
    EXPECT_EQ(continued.statistics.rhs, straight.statistics.rhs) << stop;
    EXPECT_EQ(continued.method, straight.method) << stop;
  }
}

}  // namespace
}  // namespace pawl
