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
