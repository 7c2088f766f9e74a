// What cannot be: each gets an outcome or a Misuse that names the body or the constraint, and the time.
#include <gtest/gtest.h>

#include <cmath>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;

/// A pendulum to spoil.
struct Pendulum {
  Mechanics mechanics{"pendulum"};
  Coordinate x = mechanics.coordinate("x", 1), y = mechanics.coordinate("y", 0);

  explicit Pendulum(double mass_x = 1, double mass_y = 1) {
    mechanics.mass(x, mass_x);
    if (mass_y != 0) mechanics.mass(y, mass_y);
    mechanics.force([y = y](const auto&, auto& f) { f[y] -= 9.81; });
  }
  void add_rod() {
    mechanics.constraint("rod", [x = x, y = y](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  }
};

// ---- matrices ----

TEST(BadInput, AMassThatIsMissingNamesItsCoordinate) {
  for (const double mass_y : {0.0, -1.0}) {
    Pendulum pendulum(1, mass_y);
    pendulum.add_rod();
    const Result run = simulate(pendulum.mechanics, {.end = 1});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"t = 0", "mass matrix", "'y'", "try:"}));
    EXPECT_EQ(run.t_end, 0);
  }
}

TEST(BadInput, AMassThatVanishesOnTheWayStopsTheRunThere) {
  Mechanics cart("cart");  // it leaks: m = 1 - t, gone at t = 1; what leaves takes its momentum along, m' v
  const auto x = cart.coordinate("x", 0, 1);
  cart.mass([=](const auto& at, auto& M) { M(x, x) = 1 - at.t; });
  cart.force([=](const auto& at, auto& f) { f[x] -= at[dot(x)]; });
  const Result run = simulate(cart, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"mass matrix", "'x'", "t = "}));
  EXPECT_NEAR(run.t_end, 1, 1e-3);
  EXPECT_NEAR(run.at(0.5)[x], 0.5, 1e-9);
}

TEST(BadInput, ASingularConfigurationStopsTheRunAndKeepsWhatWas) {
  // A bead slides into the cusp of x² = y³, where the derivative of the constraint vanishes.
  for (const char* method : {"auto", "dormand-prince-5", "verner-9"}) {
    SCOPED_TRACE(method);
    Mechanics bead("bead");
    const auto x = bead.coordinate("x", 1), y = bead.coordinate("y", 1);
    for (const auto q : {x, y}) bead.mass(q, 1.0);
    bead.potential([=](const auto& at) { return 9.81 * at[y]; });
    bead.constraint("cusp", [=](const auto& at) { return sqr(at[x]) - at[y] * sqr(at[y]); });
    bead.energy();
    const Result run = simulate(bead, {.end = 5, .tolerance = 1e-8, .method = method});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"t = ", "'cusp'"}));
    EXPECT_LT(run.t_end, 1.5);
    EXPECT_LT(run.final()[y], 0.05);
    EXPECT_NEAR(run.final()["energy"], 9.81, 1e-4);
    EXPECT_NEAR(run.at(0.3)["energy"], 9.81, 1e-6);  // everything before it is kept
  }
}

TEST(BadInput, ConstraintsThatContradictEachOtherOnTheWayAreNamed) {
  // A rope that is drawn in, x² + y² = (1 - t)³: singular at t = 1, impossible after it.
  Mechanics stone("stone");
  const auto x = stone.coordinate("x", 0.6, -0.9), y = stone.coordinate("y", 0.8, -1.2);
  for (const auto q : {x, y}) stone.mass(q, 1.0);
  stone.constraint("winch", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - sqr(1 - at.t) * (1 - at.t)) / 2; });
  const Result run = simulate(stone, {.end = 2, .tolerance = 1e-8});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"t = ", "'winch'"}));
  EXPECT_LE(run.t_end, 1);
  EXPECT_GT(run.t_end, 0.5);
}

// ---- functions of the model ----

TEST(BadInput, NotANumberFromAForceNamesTheSpeed) {
  Mechanics fall("fall");  // a table that ends at y = -1
  const auto y = fall.coordinate("y", 0);
  fall.mass(y, 1.0);
  fall.force([=](const auto& at, auto& f) { f[y] = -2.0 + 0 * sqrt(1 + at[y]); });
  const Result run = simulate(fall, {.end = 3});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"t = ", "'y'", "not finite"}));
  EXPECT_NEAR(run.t_end, 1, 1e-6);  // y = -t²
  EXPECT_NEAR(run.at(0.5)[y], -0.25, 1e-9);
}

TEST(BadInput, NotANumberFromAConstraintNamesIt) {
  Mechanics bead("bead");  // on y = -sqrt(1 - x), which ends at x = 1
  const auto x = bead.coordinate("x", 0, 1), y = bead.coordinate("y", -1, 0.5);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.constraint("curve", [=](const auto& at) { return at[y] + sqrt(1 - at[x]); });
  const Result run = simulate(bead, {.end = 5});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"t = ", "'curve'"}));
  EXPECT_LE(run.final()[x], 1);
  EXPECT_GT(run.final()[x], 0.9);
}

TEST(BadInput, NotANumberAtTheStartIsSeenAtOnce) {
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 2), y = bead.coordinate("y", 0);
  for (const auto q : {x, y}) bead.mass(q, 1.0);
  bead.constraint("curve", [=](const auto& at) { return at[y] + sqrt(1 - at[x]); });
  const Result run = simulate(bead, {.end = 5});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"'curve'"}));
  EXPECT_EQ(run.t_end, 0);
}

TEST(BadInput, NotANumberFromAMassNamesTheCoordinate) {
  Mechanics cart("cart");
  const auto x = cart.coordinate("x", 0, 1);
  cart.mass([=](const auto& at, auto& M) { M(x, x) = 1 + 0 * sqrt(1 - at[x]); });
  const Result run = simulate(cart, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_TRUE(says(run.reason, {"t = ", "'x'"}));
  EXPECT_NEAR(run.t_end, 1, 1e-6);
}

TEST(BadInput, AnExceptionFromAConstraintIsAnOutcome) {
  for (const double limit : {-1.0, 0.5}) {  // at the start, and on the way
    SCOPED_TRACE(limit);
    Pendulum pendulum;
    pendulum.mechanics.constraint("rod", [x = pendulum.x, y = pendulum.y, limit](const auto& at) {
      if constexpr (std::is_same_v<std::decay_t<decltype(at.t)>, double>) {
        if (at.t > limit) throw std::runtime_error("no such rod");
      }
      return (sqr(at[x]) + sqr(at[y]) - 1) / 2;
    });
    const Result run = simulate(pendulum.mechanics, {.end = 1, .max_step = 0.01});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"t = ", "a function of the model threw: no such rod"}));
    EXPECT_NEAR(run.t_end, std::max(limit, 0.0), 0.02);
  }
}

TEST(BadInput, AnExceptionFromAForceOrAMassIsAnOutcome) {
  for (const bool is_mass : {false, true}) {
    Mechanics cart("cart");
    const auto x = cart.coordinate("x", 0, 1);
    cart.mass([=](const Point<double>& at, auto& M) {
      if (is_mass && at.t > 0.5) throw std::runtime_error("table ends");
      M(x, x) = 1.0;
    });
    cart.force([=](const Point<double>& at, auto& f) {
      if (!is_mass && at.t > 0.5) throw std::runtime_error("table ends");
      f[x] = 0.0;
    });
    const Result run = simulate(cart, {.end = 1, .max_step = 0.01});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_TRUE(says(run.reason, {"a function of the model threw: table ends"}));
    EXPECT_NEAR(run.final()[x], run.t_end, 1e-12);
  }
}

// ---- misuse ----

TEST(BadInput, AConstraintThatReadsWhatItMayNotIsMisuse) {
  const auto message_with = [](auto read) {
    Mechanics model("model");
    const auto q = model.coordinate("q", 0);
    const auto tank = model.state("tank", 1);
    model.mass(q, 1.0);
    model.rates([=](const auto&, auto& d) { d[tank] = 0.0; });
    model.constraint("wall", [=](const auto& at) { return read(at, q, tank); });
    return misuse_of([&] { simulate(model, {.end = 1}); });
  };
  EXPECT_TRUE(says(message_with([](const auto& at, Coordinate q, State) { return at[q] + at[dot(q)]; }),
                   {"constraint 'wall' depends on 'q''", "velocity constraint"}));
  EXPECT_TRUE(says(message_with([](const auto& at, Coordinate q, State tank) { return at[q] - at[tank]; }),
                   {"constraint 'wall' depends on 'tank'"}));
}

TEST(BadInput, AVelocityConstraintMayReadSpeedsButNoOtherStates) {
  Mechanics model("model");
  const auto q = model.coordinate("q", 0);
  const auto tank = model.state("tank", 1);
  model.mass(q, 1.0);
  model.rates([=](const auto&, auto& d) { d[tank] = 0.0; });
  model.velocity_constraint("drive", [=](const auto& at) { return at[dot(q)] - at[tank]; });
  EXPECT_TRUE(says(misuse_of([&] { simulate(model, {.end = 1}); }), {"constraint 'drive' depends on 'tank'"}));
}

TEST(BadInput, AMassOrAForceOfWhatDoesNotMoveIsMisuse) {
  Mechanics model("model");
  const auto q = model.coordinate("q", 0);
  const auto tank = model.state("tank", 1);
  model.mass(q, 1.0);
  model.rates([=](const auto&, auto& d) { d[tank] = 0.0; });
  EXPECT_TRUE(says(misuse_of([&] { model.mass(tank, 2.0); }), {"no row", "coordinates of this mechanism"}));
  const auto outcome_of = [](const Mechanics& wrong) { return misuse_of([&] { simulate(wrong, {.end = 1}); }); };
  Mechanics heavy = model, pushed = model;
  heavy.mass([=](const auto&, auto& M) { M(q, tank) = 1.0; });
  EXPECT_TRUE(says(outcome_of(heavy), {"no row", "coordinates of this mechanism"}));
  pushed.force([=](const auto&, auto& f) { f[tank] += 1.0; });
  EXPECT_TRUE(says(outcome_of(pushed), {"no row", "coordinates of this mechanism"}));
}

TEST(BadInput, TwoConstraintsOfOneNameAreMisuse) {
  Pendulum pendulum;
  pendulum.add_rod();
  EXPECT_TRUE(says(misuse_of([&] { pendulum.add_rod(); }), {"'rod'"}));
}

TEST(BadInput, EnergyOfNothingIsMisuse) {
  Mechanics empty("empty");
  EXPECT_TRUE(says(misuse_of([&] { empty.energy(); }), {"'empty'"}));
}

std::string misuse_with(ConstraintOptions constraints, const System& system) {
  return misuse_of([&] { simulate(system, {.end = 0.1, .constraints = std::move(constraints)}); });
}
std::string misuse_with(ConstraintOptions constraints, const char* problem = "cartesian-pendulum") {
  return misuse_with(std::move(constraints), find_problem(problem).system);
}

TEST(BadInput, UnknownFormulationsSuggestTheNearest) {
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgart(12,70)"}),
                   {"unknown formulation 'baumgart(12,70)'", "did you mean 'baumgarte'", "pawl methods"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "state space"}), {"did you mean 'state-space'"}));
  EXPECT_TRUE(says(misuse_with({.formulation = ""}), {"formulation ''"}));
}

TEST(BadInput, UnknownStabilizationsSuggestTheNearest) {
  EXPECT_TRUE(
      says(misuse_with({.stabilization = "s-both3"}), {"unknown stabilization 's-both3'", "did you mean 's-both"}));
  EXPECT_TRUE(says(misuse_with({.stabilization = "projektion"}), {"did you mean 'projection'"}));
}

TEST(BadInput, WrongArgumentsSayWhichAreRight) {
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgarte(12)"}), {"'baumgarte(12)'", "baumgarte(a1,a0)"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgarte"}), {"baumgarte(a1,a0)"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgarte(a,b)"}), {"'a' is not a number"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgarte(12,inf)"}), {"'inf' is not a number"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "baumgarte(12,70"}), {"parentheses"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "penalty(1e5)"}), {"penalty(k,c)"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "sliding"}), {"one number"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "acceleration(3)"}), {"no arguments"}));
  EXPECT_TRUE(says(misuse_with({.stabilization = "s-both(mess)"}), {"'mess'", "mass", "euclidean", "last-stage"}));
  EXPECT_TRUE(says(misuse_with({.stabilization = "none(mass)"}), {"'mass'", "it has none"}));
  EXPECT_TRUE(says(misuse_with({.stabilization = "projection(position"}), {"parentheses"}));
  EXPECT_TRUE(says(misuse_with({.formulation = "penalty(1e5,1e2)", .stabilization = "projection"}),
                   {"'projection'", "penalty", "no manifold"}));
}

TEST(BadInput, ImplicitFormulationsAndExplicitMethodsDoNotMix) {
  const System& system = find_problem("rod-pendulum").system;
  for (const char* name : {"stabilized-index-2", "index-3", "index-2", "index-1", "overdetermined"}) {
    const auto run_with = [&](const char* method) {
      return misuse_of([&] {
        simulate(system, {.end = 0.1, .method = method, .keep = Keep::end, .constraints = {.formulation = name}});
      });
    };
    EXPECT_TRUE(says(run_with("dormand-prince-5"), {name, "implicit"}));
    EXPECT_EQ(run_with("radau"), "no misuse") << name;
    EXPECT_EQ(run_with("auto"), "no misuse") << name;  // chooses an implicit method
  }
  EXPECT_TRUE(says(misuse_with({.formulation = "projected-invariants"}), {"projected-invariants", "pawl methods"}));
}

TEST(BadInput, OptionsForConstraintsNeedConstraints) {
  EXPECT_TRUE(says(misuse_with({.formulation = "acceleration"}, "lorenz"), {"'lorenz'", "no constraints"}));
  EXPECT_TRUE(says(misuse_with({.stabilization = "projection"}, "lorenz"), {"'lorenz'", "no constraints"}));
  EXPECT_TRUE(says(misuse_with({.start = "refuse"}, "lorenz"), {"'lorenz'", "no constraints"}));
  EXPECT_TRUE(says(misuse_with({.fixed = {"x"}}, "lorenz"), {"'lorenz'", "no constraints"}));
}

TEST(BadInput, WhatIsForMechanismsDoesNotFitOtherSystems) {
  System body("body");
  const auto q = body.states("q", {1, 0});
  body.rates([=](const auto& at, auto& d) {
    d[q[0]] = -at[q[1]];
    d[q[1]] = at[q[0]];
  });
  body.invariant("length", [=](const auto& at) { return sqr(at[q[0]]) + sqr(at[q[1]]) - 1; });
  for (const char* formulation : {"baumgarte(12,70)", "penalty(1e5,1e3)", "state-space", "sliding(10)"})
    EXPECT_TRUE(says(misuse_with({.formulation = formulation}, body), {formulation})) << formulation;
  for (const char* stabilization : {"s-both2", "sweeps", "s-vel"})
    EXPECT_TRUE(says(misuse_with({.stabilization = stabilization}, body), {stabilization, "mechanics"}));
  EXPECT_TRUE(says(misuse_with({.start = "reach(0.1)"}, body), {"mechanics", "'body'"}));
  EXPECT_TRUE(says(misuse_with({.fixed = {"q1"}}, body), {"fixed", "mechanics"}));
  EXPECT_EQ(misuse_with({.stabilization = "s-full"}, body), "no misuse");  // it needs a derivative and nothing else
}

}  // namespace
}  // namespace pawl
