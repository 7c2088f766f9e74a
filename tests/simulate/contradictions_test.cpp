// Declarations that cannot be meant are refused before the run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/compiled_model.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/pawl.hpp"
#include "pawl/port_hamiltonian.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

std::string refusal_of(const System& system) {
  return misuse_of([&] { simulate(system, {.end = 1}); });
}

TEST(Contradiction, AnEntryOfAMassMatrixIsWrittenOnBothSides) {
  for (const bool both : {false, true}) {
    Mechanics m("m");
    const auto a = m.coordinate("a", 1), b = m.coordinate("b", 0);
    m.mass([=](const auto& at, auto& M) {
      M(a, a) += 2.0 + 0 * at[a];
      M(b, b) += 3.0;
      M(a, b) += 0.5;
      if (both) M(b, a) += 0.5;
    });
    m.potential([=](const auto& at) { return (sqr(at[a]) + sqr(at[b])) / 2; });
    EXPECT_EQ(refusal_of(m), both ? "system 'm': the mass matrix is written at (a, b) and at (b, a), which are one "
                                    "entry: write it once, the symmetric partner follows"
                                  : "no misuse");
  }
}

TEST(Contradiction, AForceIsAssignedOverAnother) {
  const auto pushed = [](bool adds) {
    Mechanics m("m");
    const auto a = m.coordinate("a", 0);
    m.mass(a, 1.0);
    m.force([=](const auto& at, auto& f) { f[a] = 1.0 + 0 * at[a]; });
    m.force([=](const auto& at, auto& f) {
      if (adds)
        f[a] += 2.0 + 0 * at[a];
      else
        f[a] = 2.0 + 0 * at[a];
    });
    return m;
  };
  EXPECT_EQ(refusal_of(pushed(false)),
            "system 'm': force function number 2 assigns f[a], which another one has written before: several add up by "
            "+=");
  const Mechanics sum = pushed(true);
  EXPECT_NEAR(simulate(sum, {.end = 1, .tolerance = 1e-9}).final()["a"], 1.5, 1e-8);
}

TEST(Contradiction, AMassIsAssignedOverAnother) {
  Mechanics m("m");
  const auto a = m.coordinate("a", 1);
  m.mass([=](const auto& at, auto& M) { M(a, a) = 1.0 + sqr(at[a]); });
  m.mass([=](const auto& at, auto& M) { M(a, a) = 2.0 + 0 * at[a]; });
  EXPECT_EQ(refusal_of(m),
            "system 'm': mass function number 2 assigns M(a, a), which another one has written before: several add up "
            "by +=");
}

TEST(Contradiction, AFunctionAssignsAnEntryTwice) {
  const auto body = [](bool of_mass, bool adds) {
    Mechanics m("m");
    const auto a = m.coordinate("a", 0);
    m.mass([=](const auto& at, auto& M) {
      M(a, a) = 1.0 + 0 * at[a];
      if (!of_mass) return;
      if (adds)
        M(a, a) += 1.0;
      else
        M(a, a) = 2.0;
    });
    m.force([=](const auto& at, auto& f) {
      f[a] = 1.0 + 0 * at[a];
      if (of_mass) return;
      if (adds)
        f[a] += 1.0;
      else
        f[a] = 2.0;
    });
    return m;
  };
  EXPECT_EQ(refusal_of(body(true, false)),
            "system 'm': the mass function assigns M(a, a) twice: the first value is lost");
  EXPECT_EQ(refusal_of(body(false, false)),
            "system 'm': the force function assigns f[a] twice: the first value is lost");
  EXPECT_NEAR(simulate(body(true, true), {.end = 1}).final()["a"], 0.25, 1e-12);
  EXPECT_NEAR(simulate(body(false, true), {.end = 1}).final()["a"], 1, 1e-12);
}

TEST(Contradiction, PartnersOfAStructureDoNotFit) {
  const auto circuit = [](double second, double own, double loss) {
    PortHamiltonian p("lc");
    const auto q = p.state("q", 1), f = p.state("f", 0);
    p.hamiltonian([=](const auto& at) { return (sqr(at[q]) + sqr(at[f])) / 2; });
    p.structure([=](const auto&, auto& J) {
      J(q, f) = 1.0;
      J(f, q) = second;
      if (own != 0) J(q, q) = own;
    });
    p.dissipation([=](const auto&, auto& R) {
      R(q, f) = 0.1;
      R(f, q) = loss;
      R(q, q) = R(f, f) = 0.5;
    });
    return p;
  };
  EXPECT_EQ(refusal_of(circuit(-1.1, 0, 0.1)),
            "system 'lc': J(q, f) = 1 and J(f, q) = -1.1: the second has to be minus the first");
  EXPECT_EQ(refusal_of(circuit(-1, 0, 0.2)),
            "system 'lc': R(q, f) = 0.1 and R(f, q) = 0.2: the second has to be the same number");
  EXPECT_EQ(refusal_of(circuit(-1, 0.3, 0.1)),
            "system 'lc': J(q, q) = 0.3, where a structure has zeros: what loses or gains energy is dissipation or an "
            "input");
  EXPECT_EQ(refusal_of(circuit(-1, 0, 0.1)), "no misuse");
}

TEST(Contradiction, OneFunctionIsDeclaredTwice) {
  System system("decay");
  const auto x = system.state("x", 1);
  system.jacobian([=](const auto&, auto& J) { J(x, x) = -1.0; });
  system.start([=](Start& at) { at[x] = 2; });
  EXPECT_EQ(misuse_of([&] { system.jacobian([=](const auto&, auto& J) { J(x, x) = 5.0; }); }),
            "system 'decay': the Jacobian is declared twice");
  EXPECT_EQ(misuse_of([&] { system.start([=](Start& at) { at[x] = 3; }); }),
            "system 'decay': start values are declared twice; one function sets all of them");
}

TEST(Contradiction, ABlockDoesNotAssignItsRows) {
  const auto model = [](bool of_guards, int rows, int assigned) {
    System system("s");
    const auto x = system.state("x", 0), y = system.state("y", 0);
    const auto block = [=](const auto& at, auto out) {
      for (int row = 0; row < assigned; ++row) out[static_cast<std::size_t>(row)] = at[x] - at[y] - row;
    };
    system.rates([=](const auto& at, auto& d) {
      d[x] = 1.0 + 0 * at[x];
      if (of_guards) d[y] = 0.0;
    });
    if (of_guards)
      system.guards("g", rows, block);
    else
      system.equations("e", rows, block);
    return system;
  };
  EXPECT_EQ(refusal_of(model(false, 1, 2)),
            "system 's', equation 'e': out[1] is assigned by a function of 1 row, which are numbered from 0");
  EXPECT_EQ(refusal_of(model(true, 2, 3)),
            "system 's', guard 'g1': out[2] is assigned by a function of 2 rows, which are numbered from 0");
  EXPECT_EQ(refusal_of(model(true, 2, 1)), "system 's', guard 'g1': out[1] is not assigned");
  EXPECT_EQ(refusal_of(model(false, 2, 1)), "system 's', equation 'e': out[1] is not assigned");
  EXPECT_EQ(refusal_of(model(true, 2, 2)), "no misuse");
  EXPECT_EQ(refusal_of(model(false, 1, 1)), "no misuse");
}

TEST(Contradiction, AStructureIsWrittenOnOneSide) {
  const auto circuit = [](bool both, bool has_loss) {
    PortHamiltonian p("lc");
    const auto q = p.state("q", 1), f = p.state("f", 0);
    p.hamiltonian([=](const auto& at) { return (sqr(at[q]) + sqr(at[f])) / 2; });
    p.structure([=](const auto&, auto& J) {
      J(q, f) = 1.0;
      if (both) J(f, q) = -1.0;
    });
    if (has_loss) p.dissipation([=](const auto&, auto& R) { R(f, q) = 0.1; });
    return p;
  };
  EXPECT_EQ(
      refusal_of(circuit(false, false)),
      "system 'lc': J(q, f) is written and its partner J(f, q) is not: write both, the second is minus the first");
  EXPECT_EQ(
      refusal_of(circuit(true, true)),
      "system 'lc': R(f, q) is written and its partner R(q, f) is not: write both, the second is the same number");
  EXPECT_NEAR(simulate(circuit(true, false), {.end = 1, .tolerance = 1e-9}).final()["q"], std::cos(1.0), 1e-8);
}

/// A tank circuit whose structure, loss and start may be had in several ways.
struct Tank {
  PortHamiltonian system{"tank"};
  State q = system.state("q", 1), f = system.state("f", 0);
  Discrete<bool> on = system.discrete("on", false);
  Discrete<int> gear = system.discrete("gear", 0);

  explicit Tank(double at_event = 0.5) {
    system.hamiltonian([q = q, f = f](const auto& at) { return (sqr(at[q]) + sqr(at[f])) / 2; });
    if (at_event > 0) system.at(at_event, [gear = gear](Jump& jump) { jump[gear] = 1; });
  }
};

TEST(Contradiction, AStructureThatIsOneSidedInAnotherModeIsRefusedAtOnce) {
  Tank tank;
  tank.system.structure([q = tank.q, f = tank.f, on = tank.on](const auto& at, auto& J) {
    J(q, f) = 1.0;
    J(f, q) = at[on] ? 1.0 : -1.0;
  });
  EXPECT_EQ(refusal_of(tank.system),
            "system 'tank': J(q, f) = 1 and J(f, q) = 1: the second has to be minus the first");
}

// Modes of integers cannot all be tried, nor all states.
TEST(Contradiction, AStructureThatTurnsOneSidedEndsTheRunAtTheEvent) {
  const std::string advice =
      ".\n  likely: an entry depends on states or modes and its partner does not, or not in the same way\n"
      "  try:    write both from one expression, J(y, x) = -J(x, y) and R(y, x) = R(x, y)";
  const auto reason_of = [](const Tank& tank) {
    const Result run = simulate(tank.system, {.end = 1});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_EQ(run.t_end, 0.5);
    EXPECT_EQ(run.ending->code, MessageCode::structure_is_one_sided);
    return run.reason;
  };
  {
    Tank tank;
    tank.system.structure([q = tank.q, f = tank.f, gear = tank.gear](const auto& at, auto& J) {
      J(q, f) = 1.0 + at[gear];
      J(f, q) = -1.0;
    });
    EXPECT_EQ(reason_of(tank), "t = 0.5: J(q, f) = 2 and J(f, q) = -1: the second has to be minus the first" + advice);
  }
  {
    Tank tank(0);
    tank.system.at(0.5, [f = tank.f](Jump& jump) { jump[f] = 3; });
    tank.system.structure([q = tank.q, f = tank.f](const auto& at, auto& J) {
      J(q, f) = max(at[f], 1.0);
      J(f, q) = -1.0;
    });
    EXPECT_EQ(reason_of(tank), "t = 0.5: J(q, f) = 3 and J(f, q) = -1: the second has to be minus the first" + advice);
  }
  {
    Tank tank;
    tank.system.dissipation([q = tank.q, f = tank.f, gear = tank.gear](const auto& at, auto& R) {
      R(q, q) = R(f, f) = 1.0;
      R(q, f) = 0.1;
      R(f, q) = at[gear] == 0 ? 0.1 : 0.2;
    });
    EXPECT_EQ(reason_of(tank),
              "t = 0.5: R(q, f) = 0.1 and R(f, q) = 0.2: the second has to be the same number" + advice);
  }
  Tank sound;
  sound.system.structure([q = sound.q, f = sound.f, gear = sound.gear](const auto& at, auto& J) {
    J(q, f) = 1.0 + at[gear];
    J(f, q) = -1.0 - at[gear];
  });
  EXPECT_TRUE(simulate(sound.system, {.end = 1}).finished());
}

// An equation beside it makes a mixture of the tank; what is declared stays what it is.
TEST(Contradiction, AStructureThatTurnsOneSidedInAMixtureEndsTheRun) {
  Tank tank;
  const auto z = tank.system.state("z", 1);
  tank.system.equation("copy", [q = tank.q, z](const auto& at) { return at[z] - at[q]; });
  tank.system.structure([q = tank.q, f = tank.f, gear = tank.gear](const auto& at, auto& J) {
    J(q, f) = 1.0 + at[gear];
    J(f, q) = -1.0;
  });
  EXPECT_EQ(simulate(tank.system, {.end = 1}).ending->code, MessageCode::structure_is_one_sided);
}

std::vector<std::string> texts_of(const Result& run, MessageCode code) {
  std::vector<std::string> texts;
  for (const Message& message : run.messages)
    if (message.code == code) texts.push_back(message.text);
  return texts;
}

TEST(Contradiction, NegativeDissipationIsAWarningWithItsDirection) {
  const auto told = [](double cross, double after) {
    Tank tank;
    tank.system.structure([q = tank.q, f = tank.f](const auto&, auto& J) {
      J(q, f) = 1.0;
      J(f, q) = -1.0;
    });
    tank.system.dissipation([=, q = tank.q, f = tank.f, gear = tank.gear](const auto& at, auto& R) {
      R(q, q) = R(f, f) = at[gear] == 0 ? 1.0 : after;
      R(q, f) = R(f, q) = cross;
    });
    const Result run = simulate(tank.system, {.end = 1});
    EXPECT_TRUE(run.finished()) << run.reason;
    return texts_of(run, MessageCode::dissipation_is_negative);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(told(0.5, 1), Texts());
  EXPECT_EQ(told(1, 1), Texts());  // semidefinite: a loss along one direction
  EXPECT_EQ(told(1.5, 1),
            Texts{"t = 0: the dissipation gives energy: R has the eigenvalue -0.5 along 0.707 q - 0.707 f"});
  EXPECT_EQ(told(0.5, 0.25),
            Texts{"t = 0.5: the dissipation gives energy: R has the eigenvalue -0.25 along 0.707 q - 0.707 f"});
  EXPECT_EQ(told(0, -2), Texts{"t = 0.5: the dissipation gives energy: R has the eigenvalue -2 along 1 q"});
}

/// A block on a floor, in whose slip something is not linear: from the start, or once a gear is shifted.
Mechanics block_on(int kind, bool from_start) {
  Mechanics block("block");
  const auto x = block.coordinate("x", 0, 1), y = block.coordinate("y", 0);
  const auto gear = block.discrete("gear", from_start ? 1 : 0);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.potential([=](const auto& at) { return 9.81 * at[y]; });
  block.contact(
      "floor", [=](const auto& at) { return at[y]; },
      [=](const auto& at) {
        const auto v = at[dot(x)];
        const double shifted = at[gear];
        if (kind == 0) return v - 0.5 * sin(at.t);  // a belt: moved, and linear
        if (kind == 1) return v + shifted * v * v * v;
        if (kind == 2) return v + shifted * (sqrt(v * v + 1e-12) - v);
        return v + shifted * v * at[dot(y)];
      },
      {.friction = 0.1});
  block.at(0.25, [=](Jump& jump) { jump[gear] = 1; });
  return block;
}

/// What is said of it: its values where the speeds, v and 0 here, change in equal steps of the size of v.
std::string slip_text(int kind, double v) {
  const double golden = 0.618033988749895, along = 0.5 + golden, across = -(0.5 + 4 * golden - 2);
  double value[3];
  for (const int step : {-1, 0, 1}) {
    const double vx = v + step * v * along, vy = step * v * across;
    value[step + 1] = kind == 1 ? vx + vx * vx * vx : kind == 2 ? std::sqrt(vx * vx + 1e-12) : vx + vx * vy;
  }
  char text[200];
  std::snprintf(text, sizeof text,
                "the slip speed of 'floor' is not linear in the speeds: where these change in equal steps it is %.6g, "
                "%.6g and %.6g",
                value[0], value[1], value[2]);
  return text;
}

TEST(Contradiction, ASlipThatIsNotLinearInTheSpeedsIsRefused) {
  EXPECT_EQ(refusal_of(block_on(0, true)), "no misuse");
  for (const int kind : {1, 2, 3}) EXPECT_EQ(refusal_of(block_on(kind, true)), "system 'block': " + slip_text(kind, 1));
}

TEST(Contradiction, ASlipThatTurnsOutNotToBeLinearEndsTheRunAtTheEvent) {
  EXPECT_TRUE(simulate(block_on(0, false), {.end = 0.5}).finished());
  for (const int kind : {1, 2, 3}) {
    const Result run = simulate(block_on(kind, false), {.end = 0.5});
    EXPECT_EQ(run.outcome, Outcome::failed);
    EXPECT_EQ(run.t_end, 0.25);
    EXPECT_EQ(run.ending->code, MessageCode::slip_is_not_linear);
    EXPECT_EQ(run.reason, "t = 0.25: " + slip_text(kind, 1 - 0.1 * 9.81 * 0.25) +
                              ".\n  likely: the slip is a length, a power or a sign of speeds\n"
                              "  try:    the speed of one surface along the other; in space, its two components");
  }
}

/// x' = y, y' = -100 x - y (1 + gear), as a black box with its Jacobian, of which one entry may be wrong.
System sprung(bool is_black_box, double stiffness, bool forgets_gear) {
  System system("sprung");
  const auto x = system.state("x", 1), y = system.state("y", 0);
  const auto gear = system.discrete("gear", 0);
  const auto rates = [=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -100 * at[x] - (1 + at[gear]) * at[y];
  };
  if (is_black_box)
    system.rates(black_box(rates));
  else
    system.rates(rates);
  system.jacobian([=](const auto& at, auto& J) {
    J(x, y) = 1.0;
    J(y, x) = stiffness;
    J(y, y) = -1.0 - (forgets_gear ? 0 : at[gear]);
  });
  system.at(0.5, [=](Jump& jump) { jump[gear] = 1; });
  return system;
}

TEST(Contradiction, AWrongJacobianIsAWarningThatNamesTheEntry) {
  using Texts = std::vector<std::string>;
  for (const bool is_black_box : {true, false}) {
    const auto run = [&](double stiffness, bool forgets_gear) {
      return simulate(sprung(is_black_box, stiffness, forgets_gear), {.end = 1, .method = "radau"});
    };
    const std::string how = is_black_box ? "differences" : "derivatives";
    EXPECT_EQ(texts_of(run(-100, false), MessageCode::jacobian_is_wrong), Texts());
    EXPECT_EQ(texts_of(run(100, false), MessageCode::jacobian_is_wrong),
              Texts{"t = 0: the declared Jacobian has J(y, x) = 100, and " + how + " of the rates give -100"});
    EXPECT_EQ(texts_of(run(-100, true), MessageCode::jacobian_is_wrong),
              Texts{"t = 0.5: the declared Jacobian has J(y, y) = -1, and " + how + " of the rates give -2"});
  }
}

// A look at a Jacobian costs two evaluations of black boxes, and what follows an event number 3 is not looked at.
TEST(Contradiction, LooksAtAJacobianSeldomAndCountsThem) {
  static long long calls = 0;
  const auto rhs = [](bool has_jacobian) {
    System system("decay");
    const auto x = system.state("x", 1);
    system.rates(black_box([=](const auto& at, auto& d) {
      ++calls;
      d[x] = -at[x];
    }));
    if (has_jacobian) system.jacobian([=](const auto&, auto& J) { J(x, x) = -1.0; });
    system.every(0.1, [=](Jump& jump) { jump[x] = jump[x] + 1; });
    const CompiledModel model(system);
    calls = 0;
    const Result run = simulate(model, {.end = 2.05, .method = "dop853"});
    EXPECT_EQ(run.statistics.rhs, calls);
    return run.statistics.rhs;
  };
  EXPECT_EQ(rhs(true), rhs(false) + 2 * 6);  // the start, and events number 1, 2, 4, 8 and 16
}

}  // namespace
}  // namespace pawl
