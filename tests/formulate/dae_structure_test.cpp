#include "formulate/dae_structure.hpp"

#include <gtest/gtest.h>

#include "formulate/dae_models.hpp"
#include "misuse_of.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::Formed;
using testing::misuse_of;
using testing::says;

std::vector<int> indices(const formulate::DaeStructure& structure) {
  std::vector<int> result;
  for (const formulate::Role& role : structure.roles) result.push_back(role.index);
  return result;
}
std::vector<bool> differential(const formulate::DaeStructure& structure) {
  std::vector<bool> result;
  for (const formulate::Role& role : structure.roles) result.push_back(role.is_differential);
  return result;
}

TEST(DaeStructure, AnOdeWrittenAsEquationsHasIndexZero) {
  System s("oscillator");
  const auto x = s.state("x", 1.0), v = s.state("v", 0.0);
  s.equation("speed", [=](const auto& at) { return at[dot(x)] - at[v]; });
  s.equation("force", [=](const auto& at) { return 2.0 * at[dot(v)] + at[x]; });
  Formed f(s);
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 0);
  EXPECT_EQ(f.structure().degrees_of_freedom, 2);
  EXPECT_EQ(differential(f.structure()), (std::vector{true, true}));
  EXPECT_EQ(f.form.mass_kind(), formulate::MassKind::constant);
}

TEST(DaeStructure, AnAlgebraicEquationThatDeterminesItsUnknownGivesIndexOne) {
  Formed f(testing::robertson_dae());
  EXPECT_EQ(f.structure().index, 1);
  EXPECT_EQ(f.structure().degrees_of_freedom, 2);
  EXPECT_EQ(differential(f.structure()), (std::vector{true, true, false}));
  EXPECT_EQ(indices(f.structure()), (std::vector{0, 0, 1}));
  EXPECT_TRUE(says(f.structure().describe(), {"index 1", "2 degrees", "differential: 'a', 'b'", "algebraic: 'c'"}));
}

// The last equation of the Chemical Akzo Nobel problem (Test Set for IVP Solvers 2.4): y6 = Ks y1 y4.
TEST(DaeStructure, AnEquilibriumIsAlgebraic) {
  System s("akzo");
  const auto y = s.states("y", {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007});
  s.rates([=](const auto& at, auto& d) {
    const auto r1 = 18.7 * pow(at[y[0]], 4.0) * sqrt(at[y[1]]), r2 = 0.58 * at[y[2]] * at[y[3]];
    const auto r4 = 0.09 * at[y[0]] * sqr(at[y[3]]), r5 = 0.42 * sqr(at[y[5]]) * sqrt(at[y[1]]);
    d[y[0]] = -2.0 * r1 + r2 - r4;
    d[y[1]] = -0.5 * r1 - r4 - 0.5 * r5;
    d[y[2]] = r1 - r2;
    d[y[3]] = -r2 - 2.0 * r4;
    d[y[4]] = r2 + r5;
  });
  s.equation("equilibrium", [=](const auto& at) { return 115.83 * at[y[0]] * at[y[3]] - at[y[5]]; });
  Formed f(s);
  EXPECT_EQ(f.structure().index, 1);
  EXPECT_EQ(f.structure().degrees_of_freedom, 5);
  EXPECT_EQ(indices(f.structure()), (std::vector{0, 0, 0, 0, 0, 1}));
}

TEST(DaeStructure, APendulumHasTheIndexOfTheLevelItsConstraintIsWrittenOn) {
  const std::vector<std::vector<int>> expected{{0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}, {1, 1, 2, 2, 3}};
  for (const int index : {1, 2, 3}) {
    Formed f(testing::circle_pendulum(index));
    EXPECT_EQ(f.structure().failure, "");
    EXPECT_EQ(f.structure().index, index);
    EXPECT_EQ(f.structure().degrees_of_freedom, 5 - index);
    EXPECT_EQ(indices(f.structure()), expected[static_cast<std::size_t>(index - 1)]) << f.structure().describe();
    EXPECT_EQ(differential(f.structure()), (std::vector{true, true, true, true, false}));
    EXPECT_FALSE(f.structure().has_combinations());
  }
}

TEST(DaeStructure, RankSeesWhatStructureCannot) {
  Formed f(testing::transistor_amplifier());
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 1);
  EXPECT_EQ(f.structure().differential_combinations, 5);
  EXPECT_EQ(f.structure().degrees_of_freedom, 5);
  EXPECT_TRUE(f.structure().has_combinations());
  EXPECT_TRUE(says(f.structure().describe(), {"index 1", "5 degrees", "(in 5 combinations)"}));
  // The currents through a capacitor cancel in the sum of the rows of its two ends.
  int sums = 0;
  for (const auto& row : f.structure().rows) {
    if (row.size() == 1) continue;
    ASSERT_EQ(row.size(), 2u);
    EXPECT_EQ(row[0].factor, 1.0);
    EXPECT_EQ(row[1].factor, 1.0);
    ++sums;
  }
  EXPECT_EQ(sums, 3);
}

TEST(DaeStructure, ACapacitorAcrossASourceHasIndexTwo) {
  System s("loop");
  const auto u1 = s.state("u1", 0.0), u2 = s.state("u2", 0.0), i1 = s.state("i1", 0.0), i2 = s.state("i2", 0.0);
  s.equation("first capacitor", [=](const auto& at) { return 1e-6 * at[dot(u1)] - at[i1]; });
  s.equation("second capacitor", [=](const auto& at) { return 2e-6 * at[dot(u2)] - at[i2]; });
  s.equation("loop", [=](const auto& at) { return at[u1] + at[u2] - sin(at.t); });
  s.equation("node", [=](const auto& at) { return at[i1] - at[i2] - 1e-3 * at[u2]; });
  Formed f(s);
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 2);
  EXPECT_EQ(f.structure().degrees_of_freedom, 1);
  EXPECT_EQ(indices(f.structure()), (std::vector{1, 1, 2, 2}));
}

TEST(DaeStructure, TheIndexOfAPartStaysInIt) {
  System s("parts");
  const auto x = s.state("x", 0.0), u = s.state("u", 0.0), z = s.state("z", 1.0), w = s.state("w", 0.0);
  s.equation("drive", [=](const auto& at) { return at[dot(x)] - at[u]; });
  s.equation("path", [=](const auto& at) { return at[x] - sin(at.t); });
  s.equation("follower", [=](const auto& at) { return at[dot(z)] + at[z] - at[x]; });
  s.equation("driven by the rate", [=](const auto& at) { return at[dot(w)] - at[u]; });
  Formed f(s);
  EXPECT_EQ(f.structure().index, 2);
  EXPECT_EQ(indices(f.structure()), (std::vector{1, 2, 0, 1}));
}

TEST(DaeStructure, AChainOfAnyLengthHasItsIndex) {
  for (const int length : {4, 7, 12}) {
    System s("chain");
    const auto x = s.states("x", std::vector<double>(static_cast<std::size_t>(length), 0.0));
    for (int i = 0; i + 1 < length; ++i)
      s.equation("link " + std::to_string(i + 1), [=](const auto& at) { return at[dot(x[i])] - at[x[i + 1]]; });
    s.equation("path", [=](const auto& at) { return at[x[0]] - sin(at.t); });
    Formed f(s);
    EXPECT_EQ(f.structure().failure, "");
    EXPECT_EQ(f.structure().index, length);
    EXPECT_EQ(f.structure().degrees_of_freedom, 0);
    EXPECT_FALSE(f.structure().has_combinations());
    std::vector<double> dy(static_cast<std::size_t>(length));
    EXPECT_EQ(f.form.complete(0, f.y.data(), dy.data()), "");
  }
}

// x = sin t, y = x', z = y', rows added up: a combination of equations with the derivatives of others.
TEST(DaeStructure, CombinationsMayContainDerivatives) {
  System s("hidden");
  const auto x = s.state("x", 0.0), y = s.state("y", 1.0), z = s.state("z", 0.0);
  const auto path = [=](const auto& at) { return at[x] - sin(at.t); };
  const auto first = [=](const auto& at) { return at[y] - at[dot(x)]; };
  const auto second = [=](const auto& at) { return at[z] - at[dot(y)]; };
  s.equation("a", [=](const auto& at) { return path(at) + 2.0 * first(at) - second(at); });
  s.equation("b", [=](const auto& at) { return 3.0 * path(at) - first(at) + second(at); });
  s.equation("c", [=](const auto& at) { return path(at) + first(at) + 5.0 * second(at); });
  Formed f(s);
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 3);
  EXPECT_EQ(f.structure().degrees_of_freedom, 0);
  EXPECT_TRUE(f.structure().has_combinations());
}

TEST(DaeStructure, EquationsThatCannotDetermineTheUnknownsAreNamed) {
  System s("wrong");
  const auto x = s.state("x", 1.0), y = s.state("y", 0.0), z = s.state("z", 0.0);
  s.equation("a", [=](const auto& at) { return at[x] - 1.0; });
  s.equation("b", [=](const auto& at) { return at[dot(x)] + at[x]; });
  s.equation("c", [=](const auto& at) { return at[dot(z)] + at[x]; });
  static_cast<void>(y);
  Formed f(s);
  EXPECT_TRUE(says(f.structure().failure,
                   {"system 'wrong'", "determine only 'x': one too many", "'a'", "'b'", "nothing determines 'y'"}));
}

TEST(DaeStructure, EquationsThatSayTheSameAreNamed) {
  System s("twice");
  const auto x = s.state("x", 1.0), y = s.state("y", 0.0), z = s.state("z", 0.0);
  s.rates([=](const auto& at, auto& d) { d[x] = -at[y] - at[z]; });
  s.equation("first", [=](const auto& at) { return at[x] + at[y] + at[z]; });
  s.equation("again", [=](const auto& at) { return 2.0 * at[x] + 2.0 * at[y] + 2.0 * at[z]; });
  Formed f(s);
  EXPECT_TRUE(says(f.structure().failure, {"depend on each other", "'first'", "'again'"}));
}

// x + y is bound twice, once through z: the structure looks regular and is index 1, the numbers say index 2.
TEST(DaeStructure, ACombinationOfAlgebraicEquationsMayHideTheIndex) {
  System s("hidden");
  const auto x = s.state("x", 1.0), y = s.state("y", 0.0), z = s.state("z", 1.0);
  s.rates([=](const auto& at, auto& d) { d[x] = -at[x] + at[y]; });
  s.equation("first", [=](const auto& at) { return at[y] + at[z] - sin(at.t); });
  s.equation("second", [=](const auto& at) { return at[y] + at[z] - at[x]; });
  Formed f(s);
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 2) << f.structure().describe();
  EXPECT_EQ(f.structure().degrees_of_freedom, 0);
  EXPECT_TRUE(f.structure().has_combinations());
}

TEST(DaeStructure, EntriesThatAreWrittenButZeroDoNotCount) {
  System s("switched off");
  const auto x = s.state("x", 1.0), y = s.state("y", 0.0);
  const auto small = s.parameter("small", 0.0);
  s.mass([=](const auto& at, auto& M) {
    M(x, x) = 1.0;
    M(y, y) = at[small];
  });
  s.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[x] - at[y];
  });
  Formed off(s);
  EXPECT_EQ(off.structure().index, 1);
  EXPECT_EQ(differential(off.structure()), (std::vector{true, false}));
  Values values(s);
  values[small] = 1e-9;
  Formed on(s, values);
  EXPECT_EQ(on.structure().index, 0);
}

TEST(DaeStructure, CountsAreCheckedByName) {
  System few("few");
  const auto x = few.state("x", 1.0), y = few.state("y", 0.0), z = few.state("z", 0.0);
  few.rates([=](const auto& at, auto& d) { d[x] = -at[y]; });
  few.equation("only", [=](const auto& at) { return at[y] - at[z]; });
  EXPECT_TRUE(says(misuse_of([&] { Formed f(few); }),
                   {"system 'few' has 3 unknowns but 2 equations", "'y', 'z'", "'only'", "one equation(...) more"}));
  System many("many");
  const auto a = many.state("a", 1.0);
  many.rates([=](const auto& at, auto& d) { d[a] = -at[a]; });
  many.equation("more", [=](const auto& at) { return std::array{at[a], 2.0 * at[a]}; });
  EXPECT_TRUE(says(misuse_of([&] { Formed f(many); }), {"1 unknowns but 3 equations", "'more[1..2]'", "repeat"}));
}

TEST(DaeStructure, RatesOfABlackBoxAreFoundByLooking) {
  System s("box");
  const auto x = s.state("x", 1.0), y = s.state("y", 2.0);
  s.rates(black_box([=](const auto& at, auto& d) { d[x] = -at[y]; }));
  s.equation("second", black_box([=](const auto& at) { return at[y] - 2 * at[x]; }));
  Formed f(s);
  EXPECT_EQ(f.structure().index, 1);
  EXPECT_EQ(differential(f.structure()), (std::vector{true, false}));
  EXPECT_FALSE(f.form.has_exact_jacobian());
  EXPECT_EQ(f.form.jacobian_kind(), "differences");
}

TEST(DaeStructure, AMassRowWithoutARateIsRefused) {
  System s("row");
  const auto x = s.state("x", 1.0), y = s.state("y", 2.0);
  s.mass([=](const auto&, auto& M) { M(y, y) = 1.0; });
  s.rates([=](const auto& at, auto& d) { d[x] = -at[y]; });
  s.equation("second", [=](const auto& at) { return at[y] - at[x]; });
  EXPECT_TRUE(says(misuse_of([&] { Formed f(s); }), {"row of 'y'", "do not assign d[y]"}));
}

// A long chain of cells, each with an algebraic unknown: the assignment must stay near linear.
TEST(DaeStructure, ThousandsOfUnknownsAreAnalyzedToo) {
  System s("line");
  constexpr int cells = 1500;
  const auto u = s.states("u", std::vector<double>(cells, 1.0)), i = s.states("i", std::vector<double>(cells, 0.0));
  s.rates([=](const auto& at, auto& d) {
    for (int k = 0; k < cells; ++k) d[u[k]] = at[i[k]];
    for (int k = 0; k < cells; ++k) d[i[k]] = at[i[k]] - (k == 0 ? 0.0 : 1.0) * at[u[k == 0 ? 0 : k - 1]] + at[u[k]];
  });
  s.mass([=](const auto&, auto& M) {
    for (int k = 0; k < cells; ++k) M(u[k], u[k]) = 1.0;
  });
  Formed f(s);
  EXPECT_EQ(f.structure().failure, "");
  EXPECT_EQ(f.structure().index, 1);
  EXPECT_EQ(f.structure().degrees_of_freedom, cells);
  EXPECT_EQ(f.structure().differential_combinations, cells);
}

}  // namespace
}  // namespace pawl
