// Declarations that cannot be meant are refused before the run.
#include <gtest/gtest.h>

#include <cmath>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

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

}  // namespace
}  // namespace pawl
