// A handle of another System is refused wherever it is used: at once, or when the model is compiled for a run.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "misuse_of.hpp"
#include "pawl/compiled_model.hpp"
#include "pawl/pawl.hpp"
#include "pawl/picture.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

/// A system with plenty of everything, whose handles are used in `Mine` by mistake.
struct Other {
  System system{"other"};
  Block<State> x = system.states("x", std::vector<double>(40, 1.0));
  Parameter p = system.parameter("p", 1), q = system.parameter("q", 2);
  Discrete<int> count = system.discrete("count", 0), last_count = system.discrete("last count", 0);
  Discrete<double> number = system.discrete("number", 0.0);
  Discrete<bool> flag = system.discrete("flag", false);
  Condition above = system.condition("above", [x = x](const auto& at) { return at[x[0]]; });
  Relay relay = system.relay("relay", {-1, 1}, [x = x](const auto& at) { return at[x[0]]; });
  Guard guard = system.guard("guard", [x = x](const auto& at) { return at[x[0]]; });
  Relation sign = system.relation("sign", [x = x](const auto& at) { return at[x[0]]; });
  TimeEvent tick = system.time_event("tick", 0.5);
  Observable sum = system.observable("sum", [x = x](const auto& at) { return at[x[0]]; });
};

/// One of each kind, so that a foreign index is mostly in range: what is refused is the owner, not the number.
struct Mine {
  System system{"mine"};
  State x = system.state("x", 0);
  Parameter p = system.parameter("p", 1);
  Discrete<int> count = system.discrete("count", 0);
  Discrete<double> number = system.discrete("number", 0.0);

  explicit Mine(bool has_rates = true) {
    if (has_rates) system.rates([x = x](const auto& at, auto& d) { d[x] = 1.0 + 0 * at[x]; });
  }
  std::string refusal() const {
    return misuse_of([this] { simulate(system, {.end = 1}); });
  }
};

TEST(ForeignHandle, InAGenericFunctionIsRefusedBeforeTheRun) {
  const Other other;
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, other = other.x[0]](const auto& at, auto& d) { d[x] = -at[other]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', the rates: the handle of state number 0 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, other = other.x[39]](const auto& at, auto& d) {
      d[x] = -at[x];
      d[other] = 1.0;
    });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', the rates: the handle of state number 39 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine;
    mine.system.guard("g", [other = other.x[39]](const auto& at) { return at[other] - 0.5; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', guard 'g': the handle of state number 39 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, p = other.p](const auto& at, auto& d) { d[x] = at[p] + 0 * at[x]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', the rates: the handle of parameter number 0 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, n = other.last_count](const auto& at, auto& d) { d[x] = at[n] + 0 * at[x]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', the rates: the handle of discrete variable number 1 belongs to system 'other': use the "
              "one that 'mine' has given");
  }
  {
    Mine mine;
    mine.system.condition("c", [n = other.number, x = mine.x](const auto& at) { return at[x] - at[n]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', condition 'c': the handle of discrete number number 0 belongs to system 'other': use the "
              "one that 'mine' has given");
  }
  {
    Mine mine;
    mine.system.relay("r", {-1, 1}, [x = mine.x, c = other.above](const auto& at) { return at[x] - (at[c] ? 1 : 2); });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', relay 'r': the handle of condition number 0 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, r = other.relay](const auto& at, auto& d) { d[x] = at[r]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', the rates: the handle of relay number 0 belongs to system 'other': use the one that "
              "'mine' has given");
  }
  {
    Mine mine(false);
    mine.system.equation("balance", [x = mine.x, y = other.x[1]](const auto& at) { return at[dot(x)] + at[dot(y)]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', equation 'balance': the handle of state number 1 belongs to system 'other': use the one "
              "that 'mine' has given");
  }
  {
    Mine mine;
    mine.system.invariant("length", [x = other.x[2]](const auto& at) { return at[x]; });
    EXPECT_EQ(mine.refusal(),
              "system 'mine', invariant 'length': the handle of state number 2 belongs to system 'other': use the one "
              "that 'mine' has given");
  }
}

TEST(ForeignHandle, InABranchOfAnotherModeIsRefusedBeforeTheRun) {
  const Other other;
  Mine mine(false);
  const auto resting = mine.system.discrete("resting", false);
  mine.system.rates([x = mine.x, y = other.x[39], resting](const auto& at, auto& d) {
    if (at[resting])
      d[x] = at[y];
    else
      d[x] = 1.0 + 0 * at[x];
  });
  EXPECT_EQ(
      mine.refusal(),
      "system 'mine', the rates: the handle of state number 39 belongs to system 'other': use the one that 'mine' "
      "has given");
}

TEST(ForeignHandle, InABlackBoxAnObservableOrAPictureIsRefusedWhenTheModelIsCompiled) {
  const Other other;
  const auto refusal = [](std::string_view owner) {
    return "system 'mine', " + std::string(owner) +
           ": the handle of state number 39 belongs to system 'other': use the one that 'mine' has given";
  };
  const auto compiled = [](const System& system) { return misuse_of([&] { const CompiledModel model(system); }); };
  const auto y = other.x[39];
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, y](const Point<double>& at, Rates<double>& d) { d[x] = at[y]; });
    EXPECT_EQ(compiled(mine.system), refusal("the rates"));
  }
  {
    Mine mine(false);
    mine.system.rates([x = mine.x, y](const Point<double>& at, Rates<double>& d) { d[y] = at[x]; });
    EXPECT_EQ(compiled(mine.system), refusal("the rates"));
  }
  {
    Mine mine;
    mine.system.guard("g", black_box([y](const auto& at) { return at[y]; }));
    EXPECT_EQ(compiled(mine.system), refusal("guard 'g'"));
  }
  {
    Mine mine(false);
    mine.system.equation("e", black_box([y](const auto& at) { return at[y]; }));
    EXPECT_EQ(compiled(mine.system), refusal("equation 'e'"));
  }
  {
    Mine mine;
    mine.system.observable("o", [y](const auto& at) { return at[y]; });
    EXPECT_EQ(compiled(mine.system), refusal("observable 'o'"));
  }
  using namespace shapes;
  const std::vector<Shape> wrong{Rod{{0, y}, {1, 0}}, Disk{{0, 0}, [y](const auto& at) { return at[y]; }},
                                 Sphere{{0, 0}, 1, y}, Trace{{0, 0, y}}, Arrow{{0, 0}, {y, 0}}};
  for (const Shape& shape : wrong) {
    Mine mine;
    mine.system.picture({Rod{{0, 0}, {mine.x, 0}}, shape});
    EXPECT_EQ(compiled(mine.system), refusal("the picture"));
  }
  Mine mine;
  mine.system.picture({Touch{other.guard, {0, 0}}});
  EXPECT_EQ(compiled(mine.system),
            "system 'mine', the picture: the handle of guard number 2 belongs to system 'other': use the one that "
            "'mine' has given");
}

// What rates, multipliers and relays are is not known then: functions that read them are none the worse for it.
TEST(ForeignHandle, OwnBlackBoxesObservablesAndPicturesCompile) {
  Mechanics bob("bob");
  const auto x = bob.coordinate("x", 1), y = bob.coordinate("y", 0);
  for (const auto q : {x, y}) bob.mass(q, 1.0);
  bob.potential([=](const auto& at) { return at[y]; });
  const Constraint rod = bob.constraint("rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const auto pull = bob.observable("pull", [=](const auto& at) { return at[rod] + at[dot(dot(x))]; });
  bob.observable("refuses", [=](const auto& at) -> double {
    if (at.t == 0) throw std::runtime_error("not at the start");
    return at[x];
  });
  using namespace shapes;
  bob.picture({Rod{{0, 0}, {x, y}}, Arrow{{x, y}, {pull, rod}}});
  EXPECT_EQ(misuse_of([&] { const CompiledModel model(bob); }), "no misuse");
}

TEST(ForeignHandle, InAJumpIsRefusedWhenItIsMade) {
  const Other other;
  const auto refusal_of = [&](const auto& jump) {
    Mine mine;
    mine.system.guard("g", [x = mine.x](const auto& at) { return at[x] - 0.5; }).then(jump);
    return mine.refusal();
  };
  EXPECT_EQ(refusal_of([x = other.x[0]](Jump& jump) { jump[x] = 1; }),
            "system 'mine', the transition of 'g': the handle of state number 0 belongs to system 'other': use the one "
            "that 'mine' has given");
  EXPECT_EQ(refusal_of([n = other.count](Jump& jump) { jump[n] = 1; }),
            "system 'mine', the transition of 'g': the handle of discrete variable number 0 belongs to system 'other': "
            "use the one that 'mine' has given");
  EXPECT_EQ(refusal_of([p = other.q](Jump& jump) { jump[p] = jump.pre(p); }),
            "system 'mine', the transition of 'g': the handle of parameter number 1 belongs to system 'other': use the "
            "one that 'mine' has given");
  EXPECT_EQ(refusal_of([g = other.guard](Jump& jump) {
              if (jump.fired(g)) jump.terminate("never");
            }),
            "system 'mine', the transition of 'g': the handle of guard number 2 belongs to system 'other': use the one "
            "that 'mine' has given");
  const auto fired = [&](auto handle) {
    return refusal_of([handle](Jump& jump) {
      if (jump.fired(handle)) jump.terminate("never");
    });
  };
  const std::string where = "system 'mine', the transition of 'g': the handle of ",
                    whose = " belongs to system 'other': use the one that 'mine' has given";
  EXPECT_EQ(fired(other.above), where + "condition number 0" + whose);
  EXPECT_EQ(fired(other.sign), where + "relation number 1" + whose);
  EXPECT_EQ(fired(other.relay), where + "relay number 0" + whose);
  EXPECT_EQ(fired(other.tick), where + "time event number 0" + whose);
  EXPECT_EQ(refusal_of([tick = other.tick](Jump& jump) { jump.schedule(tick, 0.9); }),
            where + "time event number 0" + whose);
}

TEST(ForeignHandle, InADeclarationIsRefusedAtOnce) {
  const Other other;
  Mine mine;
  System& system = mine.system;
  const auto flag = system.discrete("flag", false);
  EXPECT_EQ(
      misuse_of([&] { system.decide(flag, Logic(other.above)); }),
      "system 'mine', decision of 'flag': the handle of condition number 0 belongs to system 'other': use the one "
      "that 'mine' has given");
  EXPECT_EQ(
      misuse_of([&] { system.decide(other.flag, Logic(flag)); }),
      "system 'mine': the handle of discrete variable number 2 belongs to system 'other': use the one that 'mine' "
      "has given");
  EXPECT_EQ(misuse_of([&] {
              system.guard("g", [x = mine.x](const auto& at) { return at[x]; }).only_when(!other.flag && flag);
            }),
            "system 'mine', guard 'g': the handle of discrete variable number 2 belongs to system 'other': use the one "
            "that 'mine' has given");
  EXPECT_EQ(misuse_of([&] { system.every(other.p, [](Jump&) {}); }),
            "system 'mine': the handle of parameter number 0 belongs to system 'other': use the one that 'mine' has "
            "given");
  EXPECT_EQ(misuse_of([&] { system.every(0.1, [](Jump&) {}).phase(other.p); }),
            "system 'mine': the handle of parameter number 0 belongs to system 'other': use the one that 'mine' has "
            "given");
  EXPECT_EQ(misuse_of([&] { system.decide(flag, other.sign > 0); }),
            "system 'mine', decision of 'flag': the handle of relation number 1 belongs to system 'other': use the one "
            "that 'mine' has given");
  EXPECT_EQ(
      misuse_of([&] { system.guard("h", [x = mine.x](const auto& at) { return at[x]; }).only_when(other.sign != 0); }),
      "system 'mine', guard 'h': the handle of relation number 1 belongs to system 'other': use the one that "
      "'mine' has given");
  EXPECT_EQ(misuse_of([&] { system.nominal(other.x[0], 1); }),
            "system 'mine': the handle of state number 0 belongs to system 'other': use the one that 'mine' has given");
}

TEST(ForeignHandle, InValuesAndResultsIsRefusedAtOnce) {
  const Other other;
  const Mine mine;
  Values values(mine.system);
  EXPECT_EQ(
      misuse_of([&] { values[other.count] = 3; }),
      "system 'mine': the handle of discrete variable number 0 belongs to system 'other': use the one that 'mine' "
      "has given");
  EXPECT_EQ(misuse_of([&] { values[other.number] = 3; }),
            "system 'mine': the handle of discrete number number 0 belongs to system 'other': use the one that 'mine' "
            "has given");
  EXPECT_EQ(misuse_of([&] { values[other.p] = 3; }),
            "system 'mine': the handle of parameter number 0 belongs to system 'other': use the one that 'mine' has "
            "given");
  EXPECT_EQ(misuse_of([&] { values[other.x[0]] = 3; }),
            "system 'mine': the handle of state number 0 belongs to system 'other': use the one that 'mine' has given");
  const Result run = simulate(mine.system, {.end = 1});
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.final()[other.x[0]]); }),
            "system 'mine': the handle of state number 0 belongs to system 'other': use the one that 'mine' has given");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.range(other.sum)); }),
            "system 'mine': the handle of observable number 0 belongs to system 'other': use the one that 'mine' has "
            "given");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.times_of(other.guard)); }),
            "system 'mine': the handle of guard number 2 belongs to system 'other': use the one that 'mine' has given");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.times_of(other.count)); }),
            "system 'mine': the handle of discrete variable number 0 belongs to system 'other': use the one that "
            "'mine' has given");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.times_of(other.number)); }),
            "system 'mine': the handle of discrete number number 0 belongs to system 'other': use the one that 'mine' "
            "has given");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(run.times_of(Guard{39})); }),
            "system 'mine' has 0 guards, no number 39: the handle belongs to another system");
}

TEST(ForeignHandle, InStartValuesIsRefused) {
  const Other other;
  Mine mine;
  mine.system.start([x = other.x[39]](Start& at) { at[x] = 1; });
  EXPECT_EQ(
      mine.refusal(),
      "system 'mine': the handle of state number 39 belongs to system 'other': use the one that 'mine' has given");
}

TEST(ForeignHandle, OfAContactIsRefusedByResults) {
  const auto falling = [](const char* name) {
    Mechanics system(name);
    const auto h = system.coordinate("h", 1);
    system.mass(h, 1.0);
    const Contact floor = system.contact("floor", [=](const auto& at) { return at[h]; }, {});
    return std::pair(system, floor);
  };
  const auto [mine, floor] = falling("mine");
  const auto [other, ceiling] = falling("other");
  const Result run = simulate(mine, {.end = 1});
  EXPECT_TRUE(run.times_of(floor).empty());
  EXPECT_EQ(misuse_of([&, contact = ceiling] { static_cast<void>(run.times_of(contact)); }),
            "system 'mine': the handle of contact number 0 belongs to system 'other': use the one that 'mine' has "
            "given");
}

TEST(ForeignHandle, InAMechanismIsRefused) {
  Mechanics other("other"), mine("mine");
  const auto y = other.coordinate("y", 1), z = other.coordinate("z", 1);
  const auto m = other.parameter("m", 1);
  const auto rod = other.constraint("rod", [=](const auto& at) { return at[y] - at[z]; });
  const auto x = mine.coordinate("x", 1);
  EXPECT_EQ(misuse_of([&] { mine.mass(y, 1.0); }),
            "system 'mine': the handle of state number 0 belongs to system 'other': use the one that 'mine' has given");
  EXPECT_EQ(misuse_of([&] { mine.mass(x, m); }),
            "system 'mine', mass of 'x': the handle of parameter number 0 belongs to system 'other': use the one that "
            "'mine' has given");
  EXPECT_EQ(
      misuse_of([&] { mine.joint_friction("f", rod, [=](const auto& at) { return at[dot(x)]; }, {.friction = 0.1}); }),
      "system 'mine': the handle of constraint number 0 belongs to system 'other': use the one that 'mine' has "
      "given");
  EXPECT_EQ(misuse_of([&] { mine.contact("c", [=](const auto& at) { return at[x]; }, {.restitution = m}); }),
            "system 'mine', contact 'c': the handle of parameter number 0 belongs to system 'other': use the one that "
            "'mine' has given");
  mine.mass(x, 1.0);
  {
    Mechanics pushed = mine;
    pushed.force([=](const auto& at, auto& f) { f[z] += at[x]; });
    EXPECT_EQ(misuse_of([&] { simulate(pushed, {.end = 1}); }),
              "system 'mine', the force function: the handle of state number 2 belongs to system 'other': use the one "
              "that 'mine' has given");
  }
  {
    Mechanics held = mine;
    held.constraint("joint", [=](const auto& at) { return at[x] - at[y]; });
    EXPECT_EQ(misuse_of([&] { simulate(held, {.end = 1}); }),
              "system 'mine', constraint 'joint': the handle of state number 0 belongs to system 'other': use the one "
              "that 'mine' has given");
  }
}

TEST(ForeignHandle, OfACopyIsNotForeign) {
  Mine mine;
  System copy = mine.system;
  copy.guard("half", [x = mine.x](const auto& at) { return at[x] - 0.5; });
  EXPECT_TRUE(simulate(copy, {.end = 1}).finished());
}

TEST(ForeignHandle, OfASystemThatIsGoneIsStillRefused) {
  Mine mine(false);
  {
    const Other other;
    mine.system.rates([x = mine.x, y = other.x[0]](const auto& at, auto& d) { d[x] = at[y]; });
  }
  EXPECT_EQ(mine.refusal(),
            "system 'mine', the rates: the handle of state number 0 belongs to another system: use the one that 'mine' "
            "has given");
}

TEST(SlicedCoordinate, IsExplainedBeforeTheRun) {
  Mechanics m("m");
  const auto x = m.coordinate("x", 1.0), y = m.coordinate("y", 0.0);
  const std::vector<State> all{x, y};
  for (const auto q : all) m.mass(q, 1.0);
  m.force([=](const auto& at, auto& f) {
    for (const auto q : all) f[q] += -0.1 * at[dot(q)] - at[q];
  });
  EXPECT_EQ(
      misuse_of([&] { simulate(m, {.end = 1}); }),
      "system 'm', the force function: at[dot(x)] asks for a rate that is not known there. The coordinate 'x' was "
      "stored as a State, which forgets its speed: keep it as a Coordinate, whose dot is the speed itself");
}

TEST(Instant, OfATemporaryHandsOverItsStates) {
  System s("s");
  const auto q = s.states("q", {1, 2, 3, 4, 5, 6, 7, 8});
  s.rates([=](const auto& at, auto& d) {
    for (const State x : q) d[x] = 0 * at[x];
  });
  const Result run = simulate(s, {.end = 1});
  double sum = 0;
  for (const double x : run.final().states()) sum += x;
  EXPECT_EQ(sum, 36);
}

}  // namespace
}  // namespace pawl
