// Differential-algebraic systems through simulate(): structure, consistent starts, events, results, and what is said
// where they cannot be solved.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;

// ---- the pendulum as equations ----

struct Pendulum {
  System system{"pendulum"};
  State x = system.state("x", 1), y = system.state("y", 0), u = system.state("u", 0), v = system.state("v", 0),
        force = system.state("force", 0);
  Observable length =
      system.observable("length", [x = x, y = y](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });

  /// The constraint as 0 = g (index 3), 0 = g' (2) or 0 = g'' (1).
  explicit Pendulum(int index) {
    const auto x_ = x, y_ = y, u_ = u, v_ = v, force_ = force;
    system.rates([=](const auto& at, auto& d) {
      d[x_] = at[u_];
      d[y_] = at[v_];
      d[u_] = -at[force_] * at[x_];
      d[v_] = -at[force_] * at[y_] - 9.81;
    });
    system.equation("rod", [=](const auto& at) {
      using T = std::decay_t<decltype(at.t)>;
      if (index == 3) return T((sqr(at[x_]) + sqr(at[y_]) - 1) / 2);
      if (index == 2) return T(at[x_] * at[u_] + at[y_] * at[v_]);
      return T(sqr(at[u_]) + sqr(at[v_]) - 9.81 * at[y_] - at[force_] * (sqr(at[x_]) + sqr(at[y_])));
    });
  }
};

std::vector<double> swing(double t) {
  const Problem& problem = find_problem("cartesian-pendulum");
  return *problem.reference(Values(problem.system), t);  // x, u, y, v
}

TEST(Dae, ThePendulumIsIntegratedAtEveryIndexAsItStands) {
  for (const int index : {3, 2, 1}) {
    SCOPED_TRACE(index);
    const Pendulum pendulum(index);
    for (const double tolerance : {1e-6, 1e-9}) {
      const Result run = simulate(pendulum.system, {.end = 5, .tolerance = tolerance});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.method, "radau");
      const std::vector<double> exact = swing(5);
      const double allowed = (index == 3 ? 1e4 : 1e3) * tolerance;
      EXPECT_NEAR(run.final()[pendulum.x], exact[0], allowed);
      EXPECT_NEAR(run.final()[pendulum.y], exact[2], allowed);
      EXPECT_NEAR(run.final()[pendulum.u], exact[1], 10 * allowed);
      EXPECT_NEAR(run.final()[pendulum.force], std::pow(exact[1], 2) + std::pow(exact[3], 2) - 9.81 * exact[2],
                  index == 1 ? 100 * allowed : 3e4 * std::sqrt(tolerance) * 1e-3);
      EXPECT_LT(run.range(pendulum.length).variation(), allowed);
      if (index == 3) {
        EXPECT_LT(run.range(pendulum.length).variation(), 1e-7);
      }
    }
  }
}

TEST(Dae, TheStructureIsFoundAndSaid) {
  const auto structure = [](const System& system) {
    const Result run = simulate(system, {.end = 0.01});
    EXPECT_TRUE(run.finished()) << run.reason;
    return run.statistics.implicit->structure;
  };
  EXPECT_EQ(structure(Pendulum(3).system),
            "index 3, 2 degrees of freedom; differential: 'x', 'y', 'u' (index 2), 'v' (index 2); algebraic: 'force' "
            "(index 3)");
  EXPECT_EQ(structure(Pendulum(2).system),
            "index 2, 3 degrees of freedom; differential: 'x', 'y', 'u', 'v'; algebraic: 'force' (index 2)");
  EXPECT_EQ(structure(Pendulum(1).system),
            "index 1, 4 degrees of freedom; differential: 'x', 'y', 'u', 'v'; algebraic: 'force'");
  EXPECT_TRUE(says(structure(find_problem("transistor-amplifier").system), {"index 1", "in 5 combinations"}));
}

TEST(Dae, HiddenConstraintsRestrictTheStart) {
  const Pendulum pendulum(3);
  Values values(pendulum.system);
  values[pendulum.x] = 1.1;
  values[pendulum.v] = -2;
  values[pendulum.u] = 0.5;  // off the circle, and not along it
  const Result run = simulate(pendulum.system, values, {.end = 0.1});
  ASSERT_TRUE(run.finished()) << run.reason;
  const Instant start = run.start();
  EXPECT_NEAR(std::hypot(start[pendulum.x], start[pendulum.y]), 1, 1e-12);
  EXPECT_NEAR(start[pendulum.x] * start[pendulum.u] + start[pendulum.y] * start[pendulum.v], 0, 1e-10);
  EXPECT_NEAR(start[pendulum.force],
              std::pow(start[pendulum.u], 2) + std::pow(start[pendulum.v], 2) - 9.81 * start[pendulum.y], 1e-8);
  ASSERT_FALSE(run.messages.empty());
  EXPECT_TRUE(says(run.messages.back().text, {"'x' from 1.1 to 1", "'u' from 0.5 to 0"}));
  EXPECT_EQ(run.messages.back().level, Message::Level::warning);

  const Result refused = simulate(pendulum.system, values, {.end = 0.1, .constraints = {.start = "refuse"}});
  EXPECT_EQ(refused.outcome, Outcome::failed);
  EXPECT_TRUE(says(refused.reason, {"the start is not consistent", "'x' from 1.1 to 1"}));
  EXPECT_EQ(refused.statistics.steps_accepted, 0);

  // The algebraic unknown is solved for in any case: its guess is no statement.
  Values guess(pendulum.system);
  guess[pendulum.force] = 77;
  const Result accepted = simulate(pendulum.system, guess, {.end = 0.1, .constraints = {.start = "refuse"}});
  EXPECT_TRUE(accepted.finished()) << accepted.reason;
  EXPECT_NEAR(accepted.start()[pendulum.force], 0, 1e-12);
}

TEST(Dae, FixedStatesAreNotMoved) {
  const Pendulum pendulum(3);
  Values values(pendulum.system);
  values[pendulum.x] = 0.6;
  values[pendulum.y] = -0.7;
  const Result run = simulate(pendulum.system, values, {.end = 0.1, .constraints = {.fixed = {"x"}}});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.start()[pendulum.x], 0.6);
  EXPECT_NEAR(run.start()[pendulum.y], -0.8, 1e-10);

  const Result torn = simulate(pendulum.system, values, {.end = 0.1, .constraints = {.fixed = {"x", "y"}}});
  EXPECT_EQ(torn.outcome, Outcome::failed);
  EXPECT_TRUE(says(torn.reason, {"consistent", "'rod'", "'x'", "'y'"}));
  EXPECT_TRUE(says(misuse_of([&] { simulate(pendulum.system, {.end = 1, .constraints = {.fixed = {"z"}}}); }),
                   {"'z' is to be fixed", "no such state"}));
}

TEST(Dae, AStartThatIsKeptStaysOffTheConstraint) {
  const Pendulum pendulum(2);  // g' = 0 alone: the length it starts with remains
  Values values(pendulum.system);
  values[pendulum.x] = 1.1;
  const Result run = simulate(pendulum.system, values, {.end = 1, .tolerance = 1e-9, .constraints = {.start = "keep"}});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.start()[pendulum.x], 1.1);
  EXPECT_NEAR(std::hypot(run.final()[pendulum.x], run.final()[pendulum.y]), 1.1, 1e-8);
}

TEST(Dae, BackwardInTimeItReturns) {
  const Pendulum pendulum(2);
  const Result there = simulate(pendulum.system, {.end = 1, .tolerance = 1e-9});
  Values values(pendulum.system);
  for (const State s : {pendulum.x, pendulum.y, pendulum.u, pendulum.v, pendulum.force}) values[s] = there.final()[s];
  const Result back = simulate(pendulum.system, values, {.start = 1, .end = 0, .tolerance = 1e-9});
  ASSERT_TRUE(back.finished()) << back.reason;
  EXPECT_EQ(back.t_end, 0);
  EXPECT_NEAR(back.final()[pendulum.x], 1, 1e-7);
  EXPECT_NEAR(back.final()[pendulum.v], 0, 1e-6);
}

TEST(Dae, TheCatalogueIsMetWithItsReferences) {
  for (const std::string name : {"transistor-amplifier", "chem-akzo", "robertson-dae", "fast-slow", "algebraic-loop"}) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-7});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(error_against_reference(problem, Values(problem.system), problem.end, run.final().states()).value_or(0),
              1e-4);
  }
}

// ---- declarations ----

TEST(Dae, AMassMatrixMayDependOnTheState) {
  // (1 + x²) x' + x y y' = ..., y' = x: multiplied from x' = -y, y' = x.
  System system("turned");
  const auto x = system.state("x", 1), y = system.state("y", 0);
  system.mass([=](const auto& at, auto& M) {
    M(x, x) = 1 + sqr(at[x]);
    M(x, y) = at[x] * at[y];
    M(y, y) = 2 + sin(at.t);
  });
  system.rates([=](const auto& at, auto& d) {
    d[x] = -(1 + sqr(at[x])) * at[y] + at[x] * at[y] * at[x];
    d[y] = (2 + sin(at.t)) * at[x];
  });
  for (const std::string method : {"auto", "radau-5", "radau-9", "esdirk-5", "bdf"}) {
    const Result run = simulate(system, {.end = 3, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(run.finished()) << method << run.reason;
    EXPECT_NEAR(run.final()[x], std::cos(3), 1e-5) << method;
    EXPECT_NEAR(run.final()[y], std::sin(3), 1e-5) << method;
  }
}

TEST(Dae, EquationsComeInBlocksAndReadRates) {
  System system("block");
  const auto x = system.state("x", 1), y = system.state("y", 0), sum = system.state("sum", 0);
  system.equation("motion", [=](const auto& at) {
    return std::array{at[dot(x)] + at[y], at[dot(y)] - at[x], at[sum] - at[x] - at[y]};
  });
  const auto speed = system.observable("speed", [=](const auto& at) { return hypot(at[dot(x)], at[dot(y)]); });
  const Result run = simulate(system, {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.final()[sum], std::cos(2) + std::sin(2), 1e-7);
  EXPECT_NEAR(run.final()[speed], 1, 1e-7);
  EXPECT_NEAR(run.at(0.7)[speed], 1, 1e-6);
  EXPECT_LT(run.range(speed).variation(), 1e-7);
  EXPECT_EQ(run.statistics.implicit->structure,
            "index 1, 2 degrees of freedom; differential: 'x', 'y'; algebraic: 'sum'");
}

TEST(Dae, ParametersAndStartsMayDiffer) {
  System system("divider");
  const auto u = system.state("u", 0), i = system.state("i", 0);
  const auto r = system.parameter("r", 2), c = system.parameter("c", 0.5);
  system.rates([=](const auto& at, auto& d) { d[u] = at[i] / at[c]; });
  system.equation("resistor", [=](const auto& at) { return 1 - at[u] - at[r] * at[i]; });
  for (const double resistance : {1.0, 3.0}) {
    Values values(system);
    values[r] = resistance;
    values[u] = 0.25;
    const Result run = simulate(system, values, {.end = 1, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.start()[i], 0.75 / resistance, 1e-12);
    EXPECT_NEAR(run.final()[u], 1 - 0.75 * std::exp(-1 / (resistance * 0.5)), 1e-8);
  }
}

TEST(Dae, DenseOutputSatisfiesTheEquationsToTheTolerance) {
  for (const double tolerance : {1e-5, 1e-8}) {
    const Problem& problem = find_problem("robertson-dae");
    const Result run = simulate(problem.system, {.end = 40, .tolerance = tolerance});
    ASSERT_TRUE(run.finished()) << run.reason;
    for (double t = 1e-6; t < 40; t *= 1.3) {
      const Instant now = run.at(t);
      EXPECT_NEAR(now["y1"] + now["y2"] + now["y3"], 1, 10 * tolerance) << t;
    }
  }
}

// ---- events ----

struct Circuit {  // a source behind a resistor, a capacitor, and a load that is switched on
  System system{"circuit"};
  State u = system.state("u", 0), i = system.state("i", 0), load = system.state("load", 0);
  Discrete<bool> on = system.discrete("on", false);
  Circuit() {
    const State u_ = u, i_ = i, load_ = load;
    const Discrete<bool> on_ = on;
    system.equation("capacitor", [=](const auto& at) { return at[dot(u_)] - at[i_] + at[load_]; });
    system.equation("source", [=](const auto& at) { return 1 - at[i_] - at[u_]; });
    system.equation("switch", [=](const auto& at) {
      using T = std::decay_t<decltype(at.t)>;
      return at[on_] ? T(at[load_] - 3 * at[u_]) : T(at[load_]);
    });
  }
};

TEST(Dae, AlgebraicUnknownsJumpAtAnEventAndDifferentialOnesDoNot) {
  Circuit circuit;
  const State u = circuit.u, load = circuit.load;
  const Discrete<bool> on = circuit.on;
  const Guard full =
      circuit.system.guard("half full", [=](const auto& at) { return at[u] - 0.5; }).rising().then([=](Jump& jump) {
        jump[on] = true;
      });
  const Result run = simulate(circuit.system, {.end = 3, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.times_of(full).size(), 1u);
  const double t = run.times_of(full)[0];
  EXPECT_NEAR(t, std::log(2.0), 1e-8);
  EXPECT_NEAR(run.before(t)[u], 0.5, 1e-12);
  EXPECT_EQ(run.before(t)[u], run.at(t)[u]);
  EXPECT_NEAR(run.before(t)[load], 0, 1e-12);
  EXPECT_NEAR(run.at(t)[load], 1.5, 1e-9);
  EXPECT_NEAR(run.final()[u], 0.25 + 0.25 * std::exp(-4 * (3 - t)), 1e-8);  // u' = 1 - 4 u
}

TEST(Dae, GuardsReadAlgebraicUnknownsAndRates) {
  for (const bool by_rate : {false, true}) {
    Circuit circuit;
    const State u = circuit.u, i = circuit.i;
    const Discrete<bool> on = circuit.on;
    const Guard low =
        (by_rate ? circuit.system.guard("slow", black_box([=](const Point<double>& at) { return at[dot(u)] - 0.25; }))
                 : circuit.system.guard("slow", [=](const auto& at) { return at[i] - 0.25; }))
            .falling()
            .then([=](Jump& jump) { jump[on] = true; });
    const Result run = simulate(circuit.system, {.end = 3, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_GE(run.times_of(low).size(), 1u);
    EXPECT_NEAR(run.times_of(low)[0], std::log(4.0), 1e-7) << by_rate;
  }
}

TEST(Dae, AJumpMayResetADifferentialUnknownAndTheRestFollows) {
  Circuit circuit;
  const State u = circuit.u, i = circuit.i;
  circuit.system.at(1.0, [=](Jump& jump) { jump[u] = 0.2; });
  const Result run = simulate(circuit.system, {.end = 2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.before(1)[u], 1 - std::exp(-1), 1e-8);
  EXPECT_NEAR(run.at(1)[u], 0.2, 1e-12);
  EXPECT_NEAR(run.at(1)[i], 0.8, 1e-9);
  EXPECT_NEAR(run.final()[u], 1 - 0.8 * std::exp(-1), 1e-8);
}

TEST(Dae, TimeEventsCutStepsAndSolveAgain) {
  Circuit circuit;
  const auto on = circuit.on;
  circuit.system.every(0.5, [=](Jump& jump) { jump[on] = !jump.pre(on); });
  const Result run = simulate(circuit.system, {.end = 2.2, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.events.size(), 4u);
  double u = 0, t = 0;
  bool is_on = false;
  for (const double end : {0.5, 1.0, 1.5, 2.0, 2.2}) {
    const double rate = is_on ? 4 : 1;
    u = 1 / rate + (u - 1 / rate) * std::exp(-rate * (end - t));
    t = end;
    is_on = !is_on;
  }
  EXPECT_NEAR(run.final()[circuit.u], u, 1e-7);
}

TEST(Dae, ChargesStayWhereCapacitorsAreConnected) {
  // Two capacitors, connected at t = 1: u1 = u2 from then on, and C1 u1 + C2 u2 stays.
  System system("capacitors");
  const auto u1 = system.state("u1", 3), u2 = system.state("u2", 0), i = system.state("i", 0);
  const auto on = system.discrete("on", false);
  system.equation("first", [=](const auto& at) { return 2 * at[dot(u1)] + at[i]; });
  system.equation("second", [=](const auto& at) { return 1 * at[dot(u2)] - at[i]; });
  system.equation("switch", [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    return at[on] ? T(at[u1] - at[u2]) : T(at[i]);
  });
  system.at(1.0, [=](Jump& jump) { jump[on] = true; });
  const Result run = simulate(system, {.end = 2});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.before(1)[u1], 3, 1e-12);
  EXPECT_NEAR(run.final()[u1], run.final()[u2], 1e-9);
  EXPECT_NEAR(2 * run.final()[u1] + run.final()[u2], 6, 1e-9);  // both are 2
}

System rectifier() {
  System system("rectifier");
  const auto i = system.state("i", 0), u_d = system.state("u_d", 0), u_c = system.state("u_c", 0);
  const auto on = system.discrete("on", false);
  system.equation("loop", [=](const auto& at) { return 10 * sin(314 * at.t - 0.5) - 0.5 * at[i] - at[u_d] - at[u_c]; });
  system.equation("capacitor", [=](const auto& at) { return 1e-3 * at[dot(u_c)] + at[u_c] / 100 - at[i]; });
  system.equation("diode", [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    return at[on] ? T(at[u_d]) : T(at[i]);
  });
  return system;
}

TEST(Dae, ADiodeConductsOnlyForwardAndBlocksOnlyBackward) {
  System system = rectifier();
  const State i{0}, u_d{1}, u_c{2};
  const Discrete<bool> on{0};
  const Guard opens = system.guard("diode opens", [=](const auto& at) { return at[u_d]; })
                          .rising()
                          .only_when(!on)
                          .then([=](Jump& jump) { jump[on] = true; });
  const Guard blocks =
      system.guard("diode blocks", [=](const auto& at) { return at[i]; }).falling().only_when(on).then([=](Jump& jump) {
        jump[on] = false;
      });
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    SCOPED_TRACE(tolerance);
    const Result run = simulate(system, {.end = 0.1, .tolerance = tolerance});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.times_of(opens).size(), 5u);  // in each of the five periods
    EXPECT_EQ(run.times_of(blocks).size(), 5u);
    double lowest = 0, highest = 0;
    for (int k = 0; k <= 1000; ++k) {
      const Instant now = run.at(0.1 * k / 1000);
      lowest = std::min(lowest, now[i]);
      highest = std::max(highest, now[u_d]);
    }
    EXPECT_GE(lowest, -100 * tolerance);
    EXPECT_LE(highest, 100 * tolerance);
    EXPECT_NEAR(run.times_of(opens)[0], 0.5 / 314, tolerance);
    EXPECT_NEAR(run.final()[u_c], 8.6544, std::max(100 * tolerance, 1e-4));
  }
}

// Between events only the algebraic unknown oscillates: steps that suit the slow one would not see it.
TEST(Dae, AlgebraicUnknownsAreAccurateInsideLongSteps) {
  System system("beacon");
  const auto slow = system.state("slow", 1), light = system.state("light", 0);
  system.rates([=](const auto& at, auto& d) { d[slow] = -at[slow]; });
  system.equation("lamp", [=](const auto& at) { return at[light] - sin(100 * at.t); });
  const Guard flash = system.guard("flash", [=](const auto& at) { return at[light] - 0.9; }).rising();
  for (const double tolerance : {1e-4, 1e-7}) {
    const Result run = simulate(system, {.end = 2, .tolerance = tolerance, .method = "radau"});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.times_of(flash).size(), 32u);
    for (double t = 0; t < 2; t += 0.00123) ASSERT_NEAR(run.at(t)[light], std::sin(100 * t), 100 * tolerance) << t;
  }
}

TEST(Dae, DecisionsFollowConditionsOnAlgebraicUnknowns) {
  System system("thermostat");
  const auto heat = system.state("heat", 0), wave = system.state("wave", 0);
  const auto on = system.discrete("on", false);
  const auto high = system.condition("high", [=](const auto& at) { return at[wave] - 0.5; });
  system.decide(on, high);
  system.equation("heating", [=](const auto& at) {
    using T = std::decay_t<decltype(at.t)>;
    return at[on] ? T(at[dot(heat)] - 1) : T(at[dot(heat)]);
  });
  system.equation("swing", [=](const auto& at) { return at[wave] - sin(at.t); });
  const Result run = simulate(system, {.end = 10, .tolerance = 1e-8});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.events.size(), 4u);
  EXPECT_NEAR(run.final()[heat], 2 * (2 * std::numbers::pi / 3), 1e-7);  // two thirds of each half period
}

TEST(Dae, TheDiodeCircuitMeetsItsEventTimesAtBothIndices) {
  const Problem& problem = find_problem("diode-circuit");
  for (const double index : {1.0, 2.0}) {
    Values values(problem.system);
    values.set("index", index);
    const Result run = simulate(problem.system, values, {.end = problem.end, .tolerance = 1e-8});
    ASSERT_TRUE(run.finished()) << run.reason;
    const auto times = problem.event_times(values, problem.end);
    ASSERT_TRUE(times);
    std::vector<double> found;
    for (const Event& event : run.events)
      if (event.t > 0) found.push_back(event.t);
    ASSERT_EQ(found.size(), times->size()) << index;
    for (std::size_t k = 0; k < times->size(); ++k) EXPECT_NEAR(found[k], (*times)[k], 1e-10);
    EXPECT_LT(error_against_reference(problem, values, problem.end, run.final().states()).value_or(1e300), 1e-7);
  }
}

// ---- what cannot be ----

System pair_of(const std::string& name) {
  System system(name);
  system.state("x", 1);
  system.state("y", 0);
  return system;
}
constexpr State x{0}, y{1};

TEST(Dae, ABlackBoxEquationDoesNotMoveTheStart) {
  System one("one");
  const auto fast = one.state("fast", 1), copy = one.state("copy", 0);
  one.equation("a", black_box([=](const auto& at) { return at[dot(fast)] + 1000 * at[fast]; }));
  one.equation("b", [=](const auto& at) { return at[copy] - at[fast]; });
  for (const char* method : {"radau", "bdf"}) {
    const Result run = simulate(one, {.end = 1e-3, .tolerance = 1e-7, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.start()[fast], 1);
    EXPECT_NEAR(run.start()[copy], 1, 1e-9);
    EXPECT_NEAR(run.final()[fast], std::exp(-1), 1e-5) << method;
  }
}

TEST(DaeBadInput, TooFewOrTooManyEquationsAreCounted) {
  System few = pair_of("few");
  few.equation("one", [=](const auto& at) { return at[dot(x)] + at[y]; });
  EXPECT_TRUE(says(misuse_of([&] { simulate(few, {.end = 1}); }), {"'few'", "1", "2"}));
  System many = pair_of("many");
  many.equation("three", [=](const auto& at) { return std::array{at[dot(x)] + at[y], at[y] - 1, at[x] + 0.0}; });
  EXPECT_TRUE(says(misuse_of([&] { simulate(many, {.end = 1}); }), {"'many'", "3", "2"}));
}

TEST(DaeBadInput, AStructurallySingularSystemNamesWhatIsTooManyAndWhatIsOpen) {
  System system = pair_of("singular");
  system.equation("first", [=](const auto& at) { return at[dot(x)] + at[x]; });
  system.equation("second", [=](const auto& at) { return at[x] - exp(-at.t); });
  const Result run = simulate(system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'singular'", "cannot be solved", "'first'", "'second'", "'y'", "try:"}));
}

TEST(DaeBadInput, NoConsistentStartNamesTheEquation) {
  System system = pair_of("imaginary");
  system.rates([=](const auto& at, auto& d) { d[x] = at[y]; });
  system.equation("square", [=](const auto& at) { return sqr(at[y]) + 1; });
  const Result run = simulate(system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"consistent", "'square'"}));
}

TEST(DaeBadInput, AMatrixThatTurnsSingularOnTheWayEndsTheRunThere) {
  // 0 = (1 - t) y - 1: y grows without bound, and at t = 1 nothing determines it.
  System system = pair_of("pole");
  system.rates([=](const auto& at, auto& d) { d[x] = at[y]; });
  system.equation("pole", [=](const auto& at) { return (1 - at.t) * at[y] - 1; });
  const Result run = simulate(system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NEAR(run.t_end, 1, 1e-3);
  EXPECT_TRUE(says(run.reason, {"t = ", "likely:", "try:"}));
  EXPECT_LT(run.statistics.steps_accepted, 20000);
  EXPECT_NEAR(run.at(0.5)[y], 2, 1e-4);
}

TEST(DaeBadInput, ASolutionThatEndsIsReported) {
  // 0 = y² - (1 - t): no real y after t = 1.
  System system = pair_of("fold");
  system.rates([=](const auto& at, auto& d) { d[x] = at[y]; });
  system.equation("parabola", [=](const auto& at) { return sqr(at[y]) - (1 - at.t); });
  Values values(system);
  values[y] = 1;
  const Result run = simulate(system, values, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NEAR(run.t_end, 1, 1e-3);
  EXPECT_TRUE(says(run.reason, {"t = ", "likely:", "try:"}));
  EXPECT_LT(run.statistics.steps_accepted + run.statistics.steps_rejected + run.statistics.implicit->divergences, 5000);
}

TEST(DaeBadInput, AJumpThatNoGuardDeclaresIsDiagnosedAndNotChasedForEver) {
  // The sign inside a black box: x slides onto zero, where no rate is right.
  System dae = pair_of("hidden switch");
  dae.rates([=](const Point<double>& at, Rates<double>& d) { d[x] = at[y]; });
  dae.equation("switch", [=](const Point<double>& at) { return at[y] + (at[x] > 0 ? 1.0 : -1.0); });
  const Result run = simulate(dae, {.end = 2, .method = "radau"});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_NEAR(run.t_end, 1, 1e-2);
  EXPECT_TRUE(says(run.reason, {"Newton's method does not converge", "no guard declares", "guard"}));
  EXPECT_LT(run.statistics.rhs, 100'000);
}

TEST(DaeBadInput, NotANumberAtTheStartAndLater) {
  System start = pair_of("start");
  start.rates([=](const auto& at, auto& d) { d[x] = log(at[x] - 2); });
  start.equation("copy", [=](const auto& at) { return at[y] - at[x]; });
  const Result first = simulate(start, {.end = 1});
  EXPECT_EQ(first.outcome, Outcome::failed);
  EXPECT_TRUE(says(first.reason, {"not finite", "'x'"}));
  EXPECT_EQ(first.statistics.steps_accepted, 0);

  System later = pair_of("later");  // x = 1 - t, y = sqrt(x) ends at t = 1
  later.rates([=](const auto&, auto& d) { d[x] = -1.0; });
  later.equation("root", [=](const auto& at) { return at[y] - sqrt(at[x]); });
  const Result second = simulate(later, {.end = 2});
  EXPECT_EQ(second.outcome, Outcome::failed);
  EXPECT_NEAR(second.t_end, 1, 1e-6);
  EXPECT_TRUE(says(second.reason, {"t = ", "not finite", "try:"}));
  EXPECT_NEAR(second.at(0.75)[y], 0.5, 1e-5);
}

TEST(DaeBadInput, WrongMethodsAndNamesAreMisuse) {
  const System pendulum = Pendulum(1).system;
  const auto misuse = [&](Options options) {
    options.end = 1;
    return misuse_of([&] { simulate(pendulum, options); });
  };
  EXPECT_TRUE(says(misuse({.method = "bdf", .step = 0.1}), {"bdf", "fixed step"}));
  EXPECT_TRUE(says(misuse({.implicit = {.linear_solver = "sparce"}}), {"unknown linear solver 'sparce'", "sparse"}));
  EXPECT_TRUE(says(misuse({.implicit = {.jacobian = "guess"}}), {"jacobian 'guess'", "auto or differences"}));
  EXPECT_TRUE(
      says(misuse({.method = "radau", .implicit = {.linear_solver = "krylov"}}), {"'krylov'", "bdf", "'radau'"}));
  EXPECT_TRUE(says(misuse({.constraints = {.formulation = "baumgarte(1,1)"}}), {"declared by equations"}));
}

// An invariant that the start does not meet is met from the start on.
TEST(Dae, InvariantsAreKeptBesideEquations) {
  System kept = pair_of("kept");
  kept.equation("motion", [=](const auto& at) { return std::array{at[dot(x)] + at[y], at[dot(y)] - at[x]}; });
  kept.invariant("circle", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const Result run = simulate(kept, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(std::hypot(run.final()[x], run.final()[y]), 1, 1e-15);
}

// The rates that follow are integrated, as by explicit methods.
TEST(Dae, AdamsMethodsIntegrateTheRates) {
  for (const int index : {1, 2, 3}) {
    SCOPED_TRACE(index);
    const System pendulum = Pendulum(index).system;
    const Result run = simulate(pendulum, {.end = 2, .tolerance = 1e-8, .method = "adams"}),
                 expected = simulate(pendulum, {.end = 2, .tolerance = 1e-10, .method = "dop853"});
    ASSERT_TRUE(run.finished()) << run.reason;
    for (std::size_t i = 0; i < expected.final().states().size(); ++i)
      EXPECT_NEAR(run.final().states()[i], expected.final().states()[i], 1e-5);
  }
}

// Where a pendulum with dry friction comes to rest its large forces balance: accelerations are nothing but rounding.
/// A pendulum by its equations, index 3, with a dry joint: the relay u on its angular momentum.
struct DryPendulum {
  System system{"pendulum"};
  State x, y, vx, vy, F;
  Relay u;
};
DryPendulum dry_pendulum(double c) {
  const double g = 9.81;
  DryPendulum made;
  System& s = made.system;
  const auto x1 = made.x = s.state("x", 1), y1 = made.y = s.state("y", 0), vx = made.vx = s.state("vx", 0),
             vy = made.vy = s.state("vy", 0), F = made.F = s.state("F", 0);
  const auto u = made.u =
      s.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[x1] * at[vy] - at[y1] * at[vx]; });
  s.equation("x'", [=](const auto& at) { return at[dot(x1)] - at[vx]; });
  s.equation("y'", [=](const auto& at) { return at[dot(y1)] - at[vy]; });
  s.equation("vx'", [=](const auto& at) { return at[dot(vx)] + at[x1] * at[F] - c * at[u] * at[y1]; });
  s.equation("vy'", [=](const auto& at) { return at[dot(vy)] + at[y1] * at[F] + g + c * at[u] * at[x1]; });
  s.equation("length", [=](const auto& at) { return sqr(at[x1]) + sqr(at[y1]) - 1; });
  return made;
}

TEST(Dae, AMotionOfIndexThreeIsStoppedByARelay) {
  const double g = 9.81;
  for (const double c : {2.37, 2.74, 3.11, 3.48, 3.85, 4.22}) {
    System turning("angle");
    const auto angle = turning.state("angle", 0), speed = turning.state("speed", 0);
    const auto friction = turning.relay("u", {.below = -1, .above = 1}, [=](const auto& at) { return at[speed]; });
    turning.rates([=](const auto& at, auto& d) {
      d[angle] = at[speed];
      d[speed] = -g * cos(at[angle]) - c * at[friction];
    });
    const Result expected = simulate(turning, {.end = 6, .tolerance = 1e-10});
    ASSERT_TRUE(expected.finished()) << expected.reason;

    const auto [s, x1, y1, vx, vy, F, u] = dry_pendulum(c);
    for (const char* method : {"auto", "dop853", "esdirk-3", "esdirk-4", "esdirk-5", "rodas4", "rodas5p", "bdf"}) {
      SCOPED_TRACE(fmt::format("{}, {}", c, method));
      const Result run = simulate(s, {.end = 6, .tolerance = 1e-6, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.events.size(), expected.events.size());
      EXPECT_EQ(run.events.back().kind, EventKind::slide);
      EXPECT_NEAR(run.final()[x1], std::cos(expected.final()[angle]), 1e-5);
      EXPECT_NEAR(std::hypot(run.final()[vx], run.final()[vy]), 0, 1e-14);
      EXPECT_NEAR(run.final()[F], -g * run.final()[y1], 1e-12);
      EXPECT_NEAR(run.final()[u], -g / c * run.final()[x1], 1e-12);
    }
  }
}

// At rest nothing is left of accelerations but what solving for the forces beside them rounds to.
TEST(Dae, WhatComesToRestAtARelayStaysThere) {
  for (const double c : {2.5904, 2.6517, 3.48, 4.0616, 4.1842, 4.2455, 4.3068, 4.3681}) {
    const auto [s, x1, y1, vx, vy, F, u] = dry_pendulum(c);
    for (const char* method : {"auto", "radau", "bdf", "rodas5p", "esdirk-4", "dop853"}) {
      for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8}) {
        const Result run = simulate(s, {.end = 6, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << c << ", " << method << ", " << tolerance << ": " << run.reason;
        ASSERT_NEAR(std::hypot(run.final()[vx], run.final()[vy]), 0, 1e-14) << c << ", " << method;
        ASSERT_NEAR(std::hypot(run.final()[x1], run.final()[y1]), 1, 1e-14) << c << ", " << method;
      }
    }
  }
}

TEST(Dae, ARelaySlides) {
  System slides = pair_of("slides");
  const auto u = slides.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  slides.equation("motion", [=](const auto& at) { return std::array{at[dot(x)] - at[u], at[y] - at[x]}; });
  const Result run = simulate(slides, {.end = 3});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events.front().kind, EventKind::slide);
  EXPECT_NEAR(run.events.front().t, 1, 1e-12);
  EXPECT_NEAR(run.final()[x], 0, 1e-15);
  EXPECT_NEAR(run.final()[u], 0, 1e-12);
}

}  // namespace
}  // namespace pawl
