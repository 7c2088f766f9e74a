#include "pawl/system.hpp"

#include <gtest/gtest.h>

#include "misuse_of.hpp"

namespace pawl {
namespace {

using pawl::testing::misuse_of;

TEST(System, RefusesNamesThatCannotBeToldApart) {
  System ball("ball");
  ball.state("height", 1);
  EXPECT_EQ(misuse_of([&] { ball.parameter("height", 2); }), "system 'ball': the name 'height' is declared twice");
  EXPECT_EQ(misuse_of([&] { ball.state("t", 2); }), "system 'ball': the name 't' is taken by the time");
  EXPECT_EQ(misuse_of([&] { ball.state("", 2); }), "system 'ball': a name must not be empty");
}

TEST(System, RefusesASecondSetOfRates) {
  System ball("ball");
  const auto height = ball.state("height", 1);
  ball.rates([=](const auto&, auto& d) { d[height] = 0.0; });
  EXPECT_EQ(misuse_of([&] { ball.rates([=](const auto&, auto& d) { d[height] = 1.0; }); }),
            "system 'ball': rates are declared twice; one function assigns them all");
}

TEST(System, ABlockOfStatesIsNumberedFromOne) {
  System chain("chain");
  chain.state("first", 0);
  const Block<State> x = chain.states("x", {1, 2, 3});
  EXPECT_EQ(x.size(), 3);
  EXPECT_EQ(x[2].index, 3);
  EXPECT_EQ(chain.declarations().state_names, (std::vector<std::string>{"first", "x1", "x2", "x3"}));
}

TEST(System, ACopyIsIndependent) {
  System one("one");
  one.state("x", 1);
  System other = one;
  other.state("y", 2);
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(other.size(), 2);
}

TEST(Values, AreSetByHandleOrByName) {
  System planet("planet");
  const auto x = planet.state("x", 1), y = planet.state("y", 2);
  const auto e = planet.parameter("e", 0.5);
  planet.start([=](Start& at) { at[x] = 1 - at[e]; });
  Values values(planet);
  EXPECT_EQ(values.start(), (std::vector<double>{0.5, 2}));
  values.set("e", 0.25);
  EXPECT_EQ(values.start(), (std::vector<double>{0.75, 2}));  // the start follows the parameter
  EXPECT_EQ(values[x], 0.75);                                 // reading does not pin it
  values.set("e", 0.5);
  EXPECT_EQ(values[x], 0.5);
  values[y] = 7;
  values.set("x", 3);
  EXPECT_EQ(values.start(), (std::vector<double>{3, 7}));  // what is set wins
  EXPECT_EQ(misuse_of([&] { values[State{9}] = 1; }),
            "system 'planet' has 2 states, no number 9: the handle belongs to another system");
  EXPECT_EQ(misuse_of([&] { values[Parameter{-1}] = 1; }),
            "system 'planet' has 1 parameter, no number -1: the handle belongs to another system");
  EXPECT_EQ(misuse_of([&] { values.set("ee", 1); }),
            "system 'planet' has no parameter or state 'ee'; did you mean 'e'?");
}

TEST(Function, AnObservableMayBranch) {
  System ball("ball");
  const auto height = ball.state("height", 1);
  ball.observable("is up", [=](const auto& at) { return at[height] > 0 ? 1.0 : 0.0; });
  EXPECT_FALSE(ball.declarations().observables[0].supports<Gradient>());
}

TEST(Function, GenericIsProvableBlackBoxIsNot) {
  constexpr State x{0};
  const auto generic = Function::rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
  EXPECT_TRUE(generic.supports<Gradient>() && generic.supports<Pattern>());
  const auto black = Function::rates([=](const Point<double>& at, Rates<double>& d) { d[x] = at[x] > 0 ? -1 : 1; });
  EXPECT_FALSE(black.supports<Gradient>() || black.supports<Pattern>());
  const auto branching = [=](const auto& at, auto& d) { d[x] = at[x] > 0 ? 1.0 * at[x] : 2.0 * at[x]; };
  const auto wrapped = Function::rates(black_box(branching));
  EXPECT_FALSE(wrapped.supports<Gradient>());
  const auto half = Function::rates(differentiable(branching));
  EXPECT_TRUE(half.supports<Gradient>());
  EXPECT_FALSE(half.supports<Pattern>());
}

}  // namespace
}  // namespace pawl
