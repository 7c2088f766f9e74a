// A mechanism as a differential equation: accelerations, multipliers, redundancy, modes, and the other formulations.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formulate/mechanics_form.hpp"
#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using formulate::MechanicsForm;
using testing::misuse_of;
using testing::says;

std::string all_messages(const Result& run) {
  std::string all;
  for (const Message& message : run.messages) all += message.text + "\n";
  return all;
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = x.size() == y.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

// ---- accelerations and multipliers ----

TEST(MechanicsForm, AcceleratesTheSqueezerAsPublished) {
  const System& squeezer = find_problem("squeezer").system;
  const Held held = Values(squeezer).held();
  const auto x = Values(squeezer).start();
  MechanicsForm form(squeezer.share(), {});
  form.lock(held);
  std::vector<double> rates(x.size());
  form.rate(0, x.data(), rates.data());
  EXPECT_NEAR(rates[1], 14222.4439199541, 1e-9);
  EXPECT_NEAR(rates[3], -10666.8329399656, 1e-9);
  for (std::size_t i = 5; i < 14; i += 2) EXPECT_NEAR(rates[i], 0, 1e-9);
  EXPECT_NEAR(form.multiplier(0, x.data(), 0), 98.56687039624109, 1e-12);
  EXPECT_NEAR(form.multiplier(0, x.data(), 1), -6.122688344255663, 1e-12);
  for (int row = 2; row < 6; ++row) EXPECT_NEAR(form.multiplier(0, x.data(), row), 0, 1e-12);
}

TEST(MechanicsForm, AMassThatIsAParameterIsTakenAnewWhereTheParameterChanges) {  // v' = f / m, factored once per mode
  Mechanics cart("cart");
  const auto x = cart.coordinate("x", 0, 0);
  const auto m = cart.parameter("m", 2);
  cart.mass(x, m);
  cart.force([=](const auto&, auto& f) { f[x] = 6; });
  MechanicsForm form(cart.share(), {});
  Held held = Values(cart).held();
  const std::vector<double> state{0, 0};
  std::vector<double> rates(2);
  for (const double mass : {2.0, 2.0, 3.0, 12.0}) {
    held.parameters[0] = mass;
    form.lock(held);
    for (int again = 0; again < 2; ++again) {
      form.rate(0, state.data(), rates.data());
      EXPECT_DOUBLE_EQ(rates[1], 6 / mass);
    }
  }
}

TEST(MechanicsForm, TheMultiplierOfARodIsItsForce) {
  const Problem& problem = find_problem("cartesian-pendulum");
  Values values(problem.system);
  values.set("mass", 2.5);
  values.set("length", 0.8);
  const Result run = simulate(problem.system, values, {.end = 4, .tolerance = 1e-12});
  ASSERT_TRUE(run.finished());
  const double m = 2.5, l = 0.8, g = 9.81;
  for (const double t : {0.0, 0.3, 0.77, 1.9, 3.2, 4.0}) {
    const Instant now = run.at(t);
    const double cosine = -now["y"] / l, speed2 = sqr(now["x'"]) + sqr(now["y'"]);
    EXPECT_NEAR(now["rod"] * l, m * (speed2 / l + g * cosine), 1e-9) << t;
    // Released horizontally v² = 2 g l cos: three times the weight at the bottom, along the exact motion.
    const auto exact = *problem.reference(values, t);
    EXPECT_NEAR(now["rod"] * l, 3 * m * g * -exact[2] / l, 1e-9) << t;
  }
}

TEST(MechanicsForm, ReactionForcesActAgainstTheirGradient) {  // M v' = f - G^T λ
  Mechanics block("block on a table");
  const auto y = block.coordinate("y", 0);
  const auto m = block.parameter("mass", 3);
  block.mass(y, m);
  block.force([=](const auto& at, auto& f) { f[y] -= at[m] * 9.81; });
  const auto table = block.constraint("table", [=](const auto& at) { return at[y]; });
  const Result run = simulate(block, {.end = 1});
  EXPECT_NEAR(run.final()[table], -3 * 9.81, 1e-13);  // the table pushes up
  EXPECT_NEAR(run.final()[y], 0, 1e-15);
}

TEST(MechanicsForm, MultipliersMayBeReadByFunctionsOfTheMotion) {
  // From the bottom with v0² = 4 g the rod goes slack at y = (v0² - 2 g) / (3 g) = 2/3.
  Mechanics pendulum("slack");
  const double g = 9.81;
  const auto x = pendulum.coordinate("x", 0, std::sqrt(4 * g)), y = pendulum.coordinate("y", -1);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return g * at[y]; });
  const Constraint rod = pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const auto force = pendulum.observable("force", black_box([=](const auto& at) { return at[rod]; }));
  const Guard slack = pendulum.guard("rod goes slack", black_box([=](const auto& at) { return at[rod]; }))
                          .falling()
                          .then([](Jump& jump) { jump.terminate("slack"); });
  const Result run = simulate(pendulum, {.end = 5, .tolerance = 1e-11});
  EXPECT_EQ(run.outcome, Outcome::terminated) << run.reason;
  ASSERT_EQ(run.times_of(slack).size(), 1u);
  EXPECT_NEAR(run.final()[y], 2. / 3, 1e-9);
  EXPECT_NEAR(run.final()[force], 0, 1e-9);
  EXPECT_NEAR(run.range(force).max, 4 * g + g, 1e-9);  // at the bottom
}

// ---- redundancy ----

struct Rods {
  Mechanics mechanics{"rods"};
  Coordinate x = mechanics.coordinate("x", 1), y = mechanics.coordinate("y", 0);

  explicit Rods() {
    for (const auto q : {x, y}) mechanics.mass(q, 1.0);
    mechanics.potential([y = y](const auto& at) { return 9.81 * at[y]; });
  }
  Constraint rod(const char* name, double factor, double length) {
    return mechanics.constraint(name, [x = x, y = y, factor, length](const auto& at) {
      return factor * (sqr(at[x]) + sqr(at[y]) - sqr(length)) / 2;
    });
  }
};

TEST(Redundancy, ADuplicateChangesNothingAndIsNamed) {
  Rods one, two;
  const Constraint alone = one.rod("rod", 1, 1), first = two.rod("rod", 1, 1), second = two.rod("rod again", 1, 1);
  const Options options{.end = 3, .tolerance = 1e-10};
  const Result single = simulate(one.mechanics, options), twice = simulate(two.mechanics, options);
  ASSERT_TRUE(twice.finished()) << twice.reason;
  EXPECT_TRUE(says(all_messages(twice), {"'rod again'", "redundant", "'rod'"}));
  EXPECT_EQ(all_messages(single).find("redundant"), std::string::npos);
  EXPECT_EQ(twice.statistics.constraints->redundant, std::vector<std::string>{"rod again"});
  for (const double t : {0.5, 1.3, 2.2, 3.0}) {
    EXPECT_LE(largest_difference(single.at(t).states(), twice.at(t).states()), 1e-12);
    EXPECT_NEAR(twice.at(t)[first], single.at(t)[alone] / 2, 1e-11);  // least norm: half each
    EXPECT_NEAR(twice.at(t)[second], single.at(t)[alone] / 2, 1e-11);
  }
}

TEST(Redundancy, MultipliersAreThoseOfLeastNorm) {
  Rods one, two;
  const Constraint alone = one.rod("rod", 1, 1), first = two.rod("rod", 1, 1), second = two.rod("doubled", 2, 1);
  const Options options{.end = 1, .tolerance = 1e-10};
  const Result single = simulate(one.mechanics, options), twice = simulate(two.mechanics, options);
  ASSERT_TRUE(twice.finished()) << twice.reason;
  const double force = single.final()[alone];  // λ1 + 2 λ2 = force, λ1² + λ2² least: λ = force (1, 2) / 5
  EXPECT_NEAR(twice.final()[first], force / 5, 1e-11);
  EXPECT_NEAR(twice.final()[second], force * 2 / 5, 1e-11);
}

TEST(Redundancy, AContradictionIsAFailureThatNamesIt) {
  Rods two;
  two.rod("rod", 1, 1);
  two.rod("longer rod", 1, 1.1);
  const Result run = simulate(two.mechanics, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'longer rod'", "contradicts", "try:"}));
  EXPECT_EQ(run.t_end, 0);
}

TEST(Redundancy, AMechanismWithOneJointTooManyMovesAsWithout) {
  // A parallelogram whose coupler cannot tilt: the constraint on its angle follows from the two pins.
  const auto parallelogram = [](bool has_guide) {
    Mechanics bars("parallelogram");
    const double pi = std::numbers::pi;
    const auto a = bars.coordinate("left", pi / 3, 1), b = bars.coordinate("right", pi / 3, 1),
               c = bars.coordinate("coupler", 0);
    for (const auto q : {a, b, c}) bars.mass(q, 1.0);
    bars.potential([=](const auto& at) { return 9.81 * (sin(at[a]) + sin(at[b]) / 2); });
    bars.constraint("loop", [=](const auto& at) {
      return std::array{cos(at[a]) + 2 * cos(at[c]) - cos(at[b]) - 2, sin(at[a]) + 2 * sin(at[c]) - sin(at[b])};
    });
    if (has_guide) bars.constraint("guide", [=](const auto& at) { return at[a] - at[b]; });
    return bars;
  };
  const Options options{.end = 0.5, .tolerance = 1e-10};
  const Result free = simulate(parallelogram(false), options), guided = simulate(parallelogram(true), options);
  ASSERT_TRUE(free.finished()) << free.reason;
  ASSERT_TRUE(guided.finished()) << guided.reason;
  EXPECT_EQ(guided.statistics.constraints->redundant, std::vector<std::string>{"guide"});
  EXPECT_LE(largest_difference(free.final_state, guided.final_state), 1e-12);
}

TEST(Redundancy, WhatDependsAtTheStartAloneIsNotForgotten) {
  // A circle and an ellipse touch at (1, 0): dependent there at the levels of positions and speeds, but a bead that
  // moves along one leaves the other: the accelerations they ask for differ.
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 1), y = bead.coordinate("y", 0, 1);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.constraint("circle", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  bead.constraint("ellipse", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) / 4 - 1; });
  const Result run = simulate(bead, {.end = 1, .tolerance = 1e-8});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'ellipse'"}));
}

// ---- constraints that hold in some modes only ----

TEST(Modes, ACouplingThatClosesConservesMomentum) {
  // Two wagons; the first catches up, couples, and is let go again.
  Mechanics train("train");
  const auto x1 = train.coordinate("x1", 0, 3), x2 = train.coordinate("x2", 1.5, 0);
  train.mass(x1, 2.0);
  train.mass(x2, 5.0);
  const auto coupled = train.discrete<bool>("coupled", false);
  train.force([=](const auto& at, auto& f) {
    if (at[coupled]) f[x1] += 7.0;  // the engine pulls while they are coupled
  });
  const Constraint coupling =
      train.constraint("coupling", [=](const auto& at) { return at[x2] - at[x1]; }).only_when(coupled);
  const Guard meet = train.guard("they meet", [=](const auto& at) { return at[x2] - at[x1]; })
                         .falling()
                         .only_when(!coupled)
                         .then([=](Jump& jump) { jump[coupled] = true; });
  train.at(1.5, [=](Jump& jump) { jump[coupled] = false; });
  const Result run = simulate(train, {.end = 2, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.times_of(meet).size(), 1u);
  EXPECT_NEAR(run.times_of(meet)[0], 0.5, 1e-14);
  const double common = 2. * 3 / 7;  // the projection in the mass metric: momentum stays, energy does not
  const double then = run.times_of(meet)[0];
  EXPECT_NEAR(run.at(then)[dot(x1)], common, 1e-14);
  EXPECT_NEAR(run.at(then)[dot(x2)], common, 1e-14);
  EXPECT_NEAR(run.before(then)[dot(x1)], 3, 1e-14);
  EXPECT_NEAR(run.at(1)[dot(x1)], common + 0.5, 1e-13);
  EXPECT_NEAR(run.at(1)[dot(x2)], common + 0.5, 1e-13);
  EXPECT_NEAR(run.at(1)[coupling], -5, 1e-12);  // 5 x2'' = -λ, x2'' = 1
  EXPECT_EQ(run.at(0.2)[coupling], 0);
  EXPECT_EQ(run.at(1.8)[coupling], 0);
  EXPECT_NEAR(run.final()[dot(x1)], common + 1, 1e-13);  // both keep what they had
  EXPECT_NEAR(run.final()[dot(x2)], common + 1, 1e-13);
}

TEST(Modes, ARodThatTightensKeepsTheSpeedAcrossItAlone) {
  Mechanics stone("stone on a string");
  const auto x = stone.coordinate("x", 0, 2), y = stone.coordinate("y", 0.6, 0);
  for (const auto q : {x, y}) stone.mass(q, 1.7);
  const auto tight = stone.discrete<bool>("tight", false);
  stone.constraint("string", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; }).only_when(tight);
  stone.guard("string tightens", [=](const auto& at) { return 1 - sqr(at[x]) - sqr(at[y]); })
      .falling()
      .only_when(!tight)
      .then([=](Jump& jump) { jump[tight] = true; });
  const Result run = simulate(stone, {.end = 3, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].t, 0.4, 1e-14);  // at (0.8, 0.6); along the tangent (0.6, -0.8) the speed is 1.2
  EXPECT_NEAR(run.at(run.events[0].t)[dot(x)], 1.2 * 0.6, 1e-13);
  EXPECT_NEAR(run.at(run.events[0].t)[dot(y)], 1.2 * -0.8, 1e-13);
  const double angle = std::atan2(0.6, 0.8) - 1.2 * 2.6;  // a circle at constant speed
  EXPECT_NEAR(run.final()[x], std::cos(angle), 1e-8);
  EXPECT_NEAR(run.final()[y], std::sin(angle), 1e-8);
  EXPECT_LE(run.statistics.constraints->position_drift, 1e-15);
}

TEST(Modes, ARedundantCouplingIsFoundWhenItCloses) {
  Mechanics train("train");
  const auto x1 = train.coordinate("x1", 0, 3), x2 = train.coordinate("x2", 1.5, 0);
  train.mass(x1, 2.0);
  train.mass(x2, 5.0);
  const auto coupled = train.discrete<bool>("coupled", false);
  train.force([=](const auto&, auto& f) { f[x2] += 7.0; });
  const Constraint one =
                       train.constraint("coupling", [=](const auto&at) { return at[x2] - at[x1]; }).only_when(coupled),
                   two = train.constraint("chain", [=](const auto&at) { return at[x2] - at[x1]; }).only_when(coupled);
  train.guard("they meet", [=](const auto& at) { return at[x2] - at[x1]; })
      .falling()
      .only_when(!coupled)
      .then([=](Jump& jump) { jump[coupled] = true; });
  const Result run = simulate(train, {.end = 2, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_TRUE(says(all_messages(run), {"'chain'", "redundant"}));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.final()[one], 1, 1e-12);  // 2 x1'' = 2 λ, x1'' = 1
  EXPECT_NEAR(run.final()[two], 1, 1e-12);
}

TEST(Modes, ALongTrainThatUncouplesMovesAsTwo) {  // many coordinates: sparse matrices, whose pattern changes
  Mechanics train("long train");
  const int wagons = 40, last_in_front = 15;
  std::vector<Coordinate> x;
  for (int i = 0; i < wagons; ++i) {
    x.push_back(train.coordinate("x" + std::to_string(i), -i, 1));
    train.mass(x.back(), 1.0);
  }
  const auto whole = train.discrete<bool>("whole", true);
  std::vector<Constraint> couplings;
  for (int i = 0; i + 1 < wagons; ++i) {
    auto coupling = train.constraint("coupling" + std::to_string(i),
                                     [a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(i + 1)]](
                                         const auto& at) { return at[a] - at[b] - 1; });
    if (i == last_in_front) coupling.only_when(whole);
    couplings.push_back(coupling);
  }
  train.force([=](const auto&, auto& f) { f[x[0]] += 80.0; });
  train.at(1.0, [=](Jump& jump) { jump[whole] = false; });
  const Result run = simulate(train, {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.at(0.5)[couplings[0]], 80 - 2, 1e-10);  // pulls the other 39 at 2
  EXPECT_NEAR(run.at(0.5)[couplings[last_in_front]], 2 * 24, 1e-10);
  EXPECT_EQ(run.final()[couplings[last_in_front]], 0);
  EXPECT_NEAR(run.final()[couplings[0]], 80 - 5, 1e-10);  // 16 wagons at 5
  EXPECT_NEAR(run.final()[dot(x[0])], 1 + 2 + 5, 1e-11);
  EXPECT_NEAR(run.final()[dot(x[wagons - 1])], 1 + 2, 1e-11);
}

// ---- Baumgarte's feedback: Example 1 of Ascher, Chin, Petzold, Reich 1995 ----

struct Linear {
  Mechanics mechanics{"linear"};
  Coordinate q1 = mechanics.coordinate("q1", 0.3, -0.2), q2 = mechanics.coordinate("q2", 0.1, 0.9);

  Linear() {  // constant M and G: g = q1 + 2 q2
    mechanics.mass(q1, 1.0);
    mechanics.mass(q2, 3.0);
    mechanics.force([q1 = q1](const auto& at, auto& f) { f[q1] += 1 + at[q1]; });
    mechanics.constraint("c", [q1 = q1, q2 = q2](const auto& at) { return at[q1] + 2 * at[q2]; });
  }
  double g(const Instant& now) const { return now[q1] + 2 * now[q2]; }
  double speed(const Instant& now) const { return now[dot(q1)] + 2 * now[dot(q2)]; }
  Result run(const char* formulation, const char* stabilization, double h) const {
    return simulate(mechanics,
                    {.end = 8 * h,
                     .method = "euler",
                     .step = h,
                     .constraints = {.formulation = formulation, .stabilization = stabilization, .start = "keep"}});
  }
};

TEST(Baumgarte, MultipliesTheDriftByItsMatrixInEveryEulerStep) {
  const Linear linear;
  struct Row {
    const char* formulation;
    double a1, a0;
  };
  const double h = 0.125;
  for (const auto& [formulation, a1, a0] :
       {Row{"acceleration", 0, 0}, Row{"baumgarte(0,0)", 0, 0}, Row{"baumgarte(12,70)", 12, 70},
        Row{"baumgarte(3,2)", 3, 2}, Row{"baumgarte(1/h)", 2 / h, 1 / (h * h)}}) {
    SCOPED_TRACE(formulation);
    const Result run = linear.run(formulation, "none", h);
    ASSERT_EQ(run.sample_count(), 9);
    for (int i = 0; i < 8; ++i) {  // B = [[1, h], [-α0 h, 1 - α1 h]]
      const double g = linear.g(run.sample(i)), v = linear.speed(run.sample(i));
      const double scale = 1e-14 * (1 + (std::abs(g) + std::abs(v)) / (h * h));
      EXPECT_NEAR(linear.g(run.sample(i + 1)), g + h * v, scale);
      EXPECT_NEAR(linear.speed(run.sample(i + 1)), v - h * (a0 * g + a1 * v), scale);
    }
  }
}

TEST(Baumgarte, WithTheStepsOwnRateForgetsTheDriftInTwoSteps) {
  const Linear linear;
  for (const double h : {0.25, 0.01}) {
    const Result run = linear.run("baumgarte(1/h)", "none", h);  // B² = 0, but B itself is not small
    EXPECT_GT(std::abs(linear.speed(run.sample(1))), 1);
    for (int i = 2; i <= 8; ++i) {
      EXPECT_NEAR(linear.g(run.sample(i)), 0, 1e-14);
      EXPECT_NEAR(linear.speed(run.sample(i)), 0, 1e-12);
    }
  }
}

TEST(Baumgarte, PostStabilizationForgetsItInOne) {
  const Linear linear;
  for (const char* stabilization : {"s-full", "s-both", "s-both(mass)", "s-both2", "projection", "sweeps"}) {
    SCOPED_TRACE(stabilization);
    const Result run = linear.run("acceleration", stabilization, 0.1);
    for (int i = 1; i <= 8; ++i) {
      EXPECT_NEAR(linear.g(run.sample(i)), 0, 1e-15);
      EXPECT_NEAR(linear.speed(run.sample(i)), 0, 2e-15);
    }
  }
}

TEST(Baumgarte, WithTheStepsOwnRateNeedsAFixedStep) {
  const Problem& problem = find_problem("cartesian-pendulum");
  EXPECT_THROW(simulate(problem.system, {.end = 2, .constraints = {.formulation = "baumgarte(1/h)"}}), Misuse);
  const auto drift_to = [&](double end) {
    const Result run = simulate(
        problem.system, {.end = end, .method = "rk4", .step = 1e-3, .constraints = {.formulation = "baumgarte(1/h)"}});
    EXPECT_TRUE(run.finished()) << run.reason;
    return run.statistics.constraints->position_drift;
  };
  EXPECT_NEAR(drift_to(-2), drift_to(2), 1e-9);  // a motion that looks the same both ways, and feedback that acts so
}

// ---- springs instead of joints ----

TEST(Penalty, TendsToTheConstrainedMotionAsTheSpringStiffens) {
  const Problem& pendulum = find_problem("cartesian-pendulum");
  const auto exact = *pendulum.reference(Values(pendulum.system), 1);
  const auto error_with = [&](const char* formulation) {
    const Result run =
        simulate(pendulum.system,
                 {.end = 1, .tolerance = 1e-10, .keep = Keep::end, .constraints = {.formulation = formulation}});
    EXPECT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.statistics.constraints->stabilization, "none");
    return largest_difference(run.final_state, exact);
  };
  const double soft = error_with("penalty(1e3,20)"), stiff = error_with("penalty(1e4,60)"),
               stiffer = error_with("penalty(1e5,200)");
  EXPECT_NEAR(soft / stiff, 10, 3);  // the spring gives way by λ / k
  EXPECT_NEAR(stiff / stiffer, 10, 3);
  EXPECT_LT(stiffer, 1e-2);
}

TEST(Penalty, TheMultiplierIsTheForceOfTheSpring) {
  const Result run = simulate(find_problem("cartesian-pendulum").system,
                              {.end = 0.7, .tolerance = 1e-10, .constraints = {.formulation = "penalty(1e4,50)"}});
  const Instant now = run.final();
  const double g = (sqr(now["x"]) + sqr(now["y"]) - 1) / 2, slope = now["x"] * now["x'"] + now["y"] * now["y'"];
  EXPECT_NEAR(now["rod"], 1e4 * g + 50 * slope, 1e-9);
}

// ---- coordinate partitioning ----

TEST(StateSpace, MovesAsTheConstrainedMechanismDoes) {
  Mechanics pendulum("looping");  // goes round: every choice of a dependent coordinate becomes singular in turn
  const auto x = pendulum.coordinate("x", 0, 8), y = pendulum.coordinate("y", -1);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  for (const double tolerance : {1e-7, 1e-10}) {
    Options options{.end = 3, .tolerance = tolerance};
    const Result reference = simulate(pendulum, {.end = 3, .tolerance = 1e-13});
    options.constraints.formulation = "state-space";
    const Result run = simulate(pendulum, options);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LE(largest_difference(run.final_state, reference.final_state), 1e3 * tolerance);
    EXPECT_LE(run.statistics.constraints->position_drift, 1e-15);
    EXPECT_LE(run.statistics.constraints->velocity_drift, 1e-14);
  }
}

TEST(StateSpace, ChangesItsPartitionOnTheWay) {
  const System& pendulum = find_problem("cartesian-pendulum").system;
  const Held held = Values(pendulum).held();
  formulate::Formulation how = formulate::parse_formulation("state-space");
  MechanicsForm form(pendulum.share(), how);
  form.lock(held);
  std::vector<double> rates(4);
  for (int i = 0; i <= 100; ++i) {
    const double angle = 2 * std::numbers::pi * i / 100, c = std::cos(angle), s = std::sin(angle);
    const double x[] = {c, -3 * s, s, 3 * c};
    form.begin_step(0, x, 0.01);
    form.rate(0, x, rates.data());
    EXPECT_NEAR(c * rates[1] + s * rates[3] + 9, 0, 1e-12);  // G a = -γ, wherever the partition stands
  }
  EXPECT_GE(form.partition_changes(), 4);  // one per quadrant, and not many more
  EXPECT_LE(form.partition_changes(), 5);
}

TEST(StateSpace, AgreesOnAMechanismWithLoops) {
  const Problem& bars = find_problem("four-bar");
  const Result run =
      simulate(bars.system, {.end = 1, .tolerance = 1e-9, .constraints = {.formulation = "state-space"}});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LE(*error_against_reference(bars, Values(bars.system), 1, run.final_state), 1e-6);
  EXPECT_LE(run.statistics.constraints->position_drift, 1e-14);
}

// ---- further states, guards, observables of a Mechanics ----

TEST(MechanicsForm, AControllerMayHaveStatesOfItsOwn) {
  // A bead on the line y = 2 x, pushed along x by a controller state u. By hand: 5 x'' = u - 9.81 * 2.
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 1), y = bead.coordinate("y", 2);
  const auto u = bead.state("u", 15);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.force([=](const auto& at, auto& f) {
    f[x] += at[u];
    f[y] -= 9.81;
  });
  bead.constraint("line", [=](const auto& at) { return at[y] - 2 * at[x]; });
  bead.rates([=](const auto& at, auto& d) { d[u] = -4 * at[x] - 20 * at[dot(x)] - at[u]; });

  System reduced("reduced");
  const auto X = reduced.state("x", 1), V = reduced.state("v", 0), U = reduced.state("u", 15);
  reduced.rates([=](const auto& at, auto& d) {
    d[X] = at[V];
    d[V] = (at[U] - 2 * 9.81) / 5;
    d[U] = -4 * at[X] - 20 * at[V] - at[U];
  });
  const Options options{.end = 5, .tolerance = 1e-11};
  const Result one = simulate(bead, options), two = simulate(reduced, options);
  ASSERT_TRUE(one.finished()) << one.reason;
  EXPECT_NEAR(one.final()[x], two.final()[X], 1e-8);
  EXPECT_NEAR(one.final()[dot(x)], two.final()[V], 1e-8);
  EXPECT_NEAR(one.final()[u], two.final()[U], 1e-8);
  EXPECT_LE(one.statistics.constraints->position_drift, 1e-14);
}

TEST(MechanicsForm, ARateThatIsMissingIsNamed) {
  Mechanics model("model");
  const auto q = model.coordinate("q", 0);
  model.mass(q, 1.0);
  model.state("tank", 1);
  EXPECT_TRUE(says(misuse_of([&] { simulate(model, {.end = 1}); }), {"'tank'", "rates"}));
}

TEST(MechanicsForm, GuardsAreFoundOnTheMovingMechanism) {
  Mechanics pendulum("period 2");  // released horizontally: at the bottom at 1/2, 3/2, ..., at rest at 1, 2, ...
  const double g = 13.750371636040745654980191559621;
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return g * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const Guard bottom = pendulum.guard("bottom", [=](const auto&at) { return at[x]; }),
              turns = pendulum.guard("turns", [=](const auto&at) { return at[x] * at[dot(y)] - at[y] * at[dot(x)]; });
  for (const char* method : {"tsitouras-5", "dormand-prince-5", "dop853", "tsitouras-papakostas-8", "verner-9"}) {
    for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(-std::log10(tolerance)));
      const Result run = simulate(pendulum, {.end = 5.7, .tolerance = tolerance, .method = method});
      EXPECT_TRUE(run.finished()) << run.reason;
      const auto down = run.times_of(bottom), still = run.times_of(turns);
      EXPECT_EQ(down.size(), 6u);
      EXPECT_EQ(still.size(), 5u);
      for (std::size_t i = 0; i < down.size(); ++i) EXPECT_NEAR(down[i], 0.5 + static_cast<double>(i), 1e3 * tolerance);
      for (std::size_t i = 0; i < still.size(); ++i) EXPECT_NEAR(still[i], 1 + static_cast<double>(i), 1e3 * tolerance);
      EXPECT_LE(run.statistics.constraints->position_drift, 1e-15);
    }
  }
}

TEST(MechanicsForm, EventsLieOnTheManifoldWhetherOrNotSomethingJumps) {
  for (const bool jumps : {false, true}) {
    for (const char* method : {"tsitouras-5", "dormand-prince-5", "tsitouras-papakostas-8", "verner-9"}) {
      for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
        SCOPED_TRACE((jumps ? "jumps " : "no jump ") + std::string(method));
        Rods one;
        one.rod("rod", 1, 1);
        const auto count = one.mechanics.discrete<int>("count", 0);
        auto guard = one.mechanics.guard("bottom", [x = one.x](const auto& at) { return at[x]; });
        if (jumps) guard.then([=](Jump& jump) { jump[count] = jump.pre(count) + 1; });
        const Result run = simulate(one.mechanics, {.end = 3, .tolerance = tolerance, .method = method});
        EXPECT_GE(run.events.size(), 1u);
        for (const Event& event : run.events) {
          const Instant now = run.at(event.t);
          EXPECT_NEAR(sqr(now[one.x]) + sqr(now[one.y]), 1, 1e-14);
          EXPECT_NEAR(now[one.x] * now[dot(one.x)] + now[one.y] * now[dot(one.y)], 0, 1e-14);
        }
      }
    }
  }
}

TEST(MechanicsForm, AnObservableReadsAccelerations) {
  Mechanics fall("fall");
  const auto y = fall.coordinate("y", 0);
  fall.mass(y, 2.0);
  fall.force([=](const auto&, auto& f) { f[y] -= 6.0; });
  const auto a = fall.observable("a", black_box([=](const auto& at) { return at[dot(dot(y))]; }));
  const Result run = simulate(fall, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_DOUBLE_EQ(run.final()[a], -3);
}

TEST(MechanicsForm, AVelocityConstraintMovesAsItsIntegralDoes) {
  // x y' - y x' = 0 keeps the direction: the bead stays on its ray, as with the holonomic y - x tan.
  const auto bead = [](bool is_on_speeds) {
    Mechanics model("bead");
    const auto x = model.coordinate("x", 3, 1), y = model.coordinate("y", 4, 4. / 3);
    for (const auto q : {x, y}) model.mass(q, 1.0);
    model.force([=](const auto& at, auto& f) {
      f[x] += cos(at.t);
      f[y] -= 2.0;
    });
    if (is_on_speeds)
      model.velocity_constraint("ray", [=](const auto& at) { return at[x] * at[dot(y)] - at[y] * at[dot(x)]; });
    else
      model.constraint("ray", [=](const auto& at) { return 3 * at[y] - 4 * at[x]; });
    return model;
  };
  const Options options{.end = 1, .tolerance = 1e-11};
  const Result one = simulate(bead(true), options), two = simulate(bead(false), options);
  ASSERT_TRUE(one.finished() && two.finished()) << one.reason << two.reason;
  EXPECT_LE(largest_difference(one.final_state, two.final_state), 1e-9);
  EXPECT_LE(one.statistics.constraints->velocity_drift, 1e-14);
}

}  // namespace
}  // namespace pawl
