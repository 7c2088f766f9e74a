#include "pawl/model/graph.hpp"

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "model/hand.hpp"
#include "pawl/model/check.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

TEST(Graph, MakesEqualNodesOnce) {
  Graph graph;
  const Expr x = state(graph, 0), p = parameter(graph, 0);
  const Expr once = sin(p * x) + 1, again = 1 + sin(x * p);
  EXPECT_EQ(once.node(), again.node());
  const int before = graph.size();
  static_cast<void>(sin(p * x) + 1);
  EXPECT_EQ(graph.size(), before);
}

TEST(Graph, SimplifiesWhatNeedsNoOperation) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), zero = x - x;  // NOLINT(misc-redundant-expression): it is folded
  const auto same = [](const Expr& a, const Expr& b) { return a.node() == b.node(); };
  EXPECT_TRUE(same(x + 0, x));
  EXPECT_TRUE(same(0 + x, x));
  EXPECT_TRUE(same(x - 0, x));
  EXPECT_TRUE(same(0 - x, -x));
  EXPECT_TRUE(same(x * 1, x));
  EXPECT_TRUE(same(x / 1, x));
  EXPECT_TRUE(same(-(-x), x));
  EXPECT_TRUE(same(x + -y, x - y));
  EXPECT_TRUE(same(-x + y, y - x));
  EXPECT_TRUE(same(x - -y, y + x));
  EXPECT_TRUE(same(-(x - y), y - x));
  EXPECT_TRUE(same(-x * y, -(x * y)));
  EXPECT_TRUE(same(-x / y, -(x / y)));
  EXPECT_TRUE(same(x * x, sqr(x)));
  EXPECT_TRUE(same(pow(x, 2), sqr(x)));
  EXPECT_TRUE(same(pow(x, 1), x));
  EXPECT_EQ(graph.value_of(zero.node()), 0);
  EXPECT_EQ(graph.value_of((0 * x).node()), 0);
  EXPECT_EQ(graph.value_of(pow(x, 0).node()), 1);
  EXPECT_EQ(graph[(x / 3).node()].op, Op::div);  // not x (1/3)
  EXPECT_EQ(graph.value_of(sin(Expr(graph, graph.constant(0.3))).node()), std::sin(0.3));
}

TEST(Graph, HasOneZeroAndOneNaN) {
  Graph graph;
  EXPECT_EQ(graph.constant(0.0), graph.constant(-0.0));
  EXPECT_EQ(graph.constant(std::nan("1")), graph.constant(-std::nan("2")));
}

TEST(Graph, KnowsWhatMoves) {
  Graph graph;
  const Expr p = parameter(graph, 0), x = state(graph, 0), held = sqrt(p) + number(graph, 0);
  EXPECT_FALSE(graph.is_moving(held.node()));
  EXPECT_TRUE(graph.is_moving((held * x).node()));
  EXPECT_TRUE(graph.is_moving(time(graph).node()));
  EXPECT_TRUE(graph.is_moving(relay(graph, 0).node()));
  EXPECT_FALSE(graph.is_moving(choose(mode(graph, 0) == 2, p, 2 * p).node()));
  EXPECT_TRUE(graph.is_moving(choose(mode(graph, 0) == 2, p, x).node()));
}

TEST(Graph, PutsHeldOperandsFirstThenByAge) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), p = parameter(graph, 0);
  EXPECT_EQ(graph[(x * p).node()].a, p.node());
  EXPECT_EQ(graph[(y + x).node()].a, x.node());
  EXPECT_EQ(graph[min(y, x).node()].a, y.node());  // does not commute for duals that tie
}

TEST(Graph, ListsWhatOutputsRead) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 7), p = parameter(graph, 0);
  const auto reads = graph.reads({(x * y).node(), sin(p * y).node(), p.node()}, Op::state);
  EXPECT_EQ(reads, (std::vector<std::vector<int>>{{0, 7}, {7}, {}}));
}

TEST(Graph, WritesExpressionsAsTheyAreRead) {
  Graph graph;
  const Expr a = state(graph, 0, "a"), b = state(graph, 1, "b"), p = parameter(graph, 0, "p");
  EXPECT_EQ(graph.text((a - (b - p)).node()), "a - (b - p)");
  EXPECT_EQ(graph.text(((a + b) * sqrt(p)).node()), "sqrt(p) * (a + b)");
  EXPECT_EQ(graph.text((-a / (b * 2)).node()), "-(a / (2 * b))");
  EXPECT_EQ(graph.text(choose(p > 1 && !(p == 3), a, atan2(b, time(graph))).node()),
            "choose(1 < p and not (p == 3), a, atan2(b, time))");
  EXPECT_EQ(graph.text(rate(graph, 1).node()), "der(b)");
}

TEST(Graph, RefusesWhatCannotMeanAnything) {
  Graph graph, other;
  const Expr x = state(graph, 0, "level"), p = parameter(graph, 0);
  EXPECT_EQ(misuse_of([&] { static_cast<void>(x > p); }),
            "'<' in 'level' compares something that moves: its truth would change where no event can see it. Declare a "
            "condition and read its truth, or take one of two values with select(g, where_positive, otherwise)");
  EXPECT_EQ(
      misuse_of([&] { choose(x, p, x); }),
      "choose(...) takes a held truth, and 'level' moves. Declare a condition and read its truth, or take one of two "
      "values with select(g, where_positive, otherwise)");
  EXPECT_EQ(misuse_of([&] { static_cast<void>(x + state(other, 0)); }),
            "an operation joins expressions of two graphs: both have to be made in one");
  EXPECT_EQ(misuse_of([&] { graph.unary(Op::sin, 99); }), "node 99 is not of this graph, which has 2 nodes");
  EXPECT_EQ(misuse_of([&] { graph.unary(Op::add, 0); }), "'+' is no function of one operand");
  EXPECT_EQ(misuse_of([&] { graph.input(Op::state, -1); }), "state -1: an index is 0 or more");
  EXPECT_EQ(misuse_of([&] { graph.differentiated({relay(graph, 0, "valve").node()}); }),
            "the rate of 'valve' is not known: a relay cannot be differentiated along the motion");
}

// ---- checked runs ----

TEST(CheckedRun, NamesTheFirstOperationThatIsNotFinite) {
  Graph graph;
  graph.from({"tank.mo", 14});
  const Expr level = state(graph, 0, "level"), flow = 0.3 * sqrt(level - 0.2);
  graph.from({"tank.mo", 15});
  const Expr later = 1 / (flow - flow * 1.0000001);
  const auto bad = first_not_finite(graph, {later.node(), flow.node()}, [](Op, int) { return 0.1; });
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->text, "sqrt(level - 0.2) at tank.mo:14 with level = 0.1");
  EXPECT_TRUE(std::isnan(bad->value));
  EXPECT_FALSE(first_not_finite(graph, {flow.node()}, [](Op, int) { return 0.3; }));
}

TEST(CheckedRun, NamesAnInputThatIsNotFinite) {
  Graph graph;
  const Expr y = state(graph, 0) * parameter(graph, 2, "gain");
  const auto bad =
      first_not_finite(graph, {y.node()}, [](Op kind, int) { return kind == Op::parameter ? 1 / 0.0 : 1; });
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->text, "gain with gain = inf");
}

TEST(CheckedRun, DoesNotLookAtTheSideThatIsNotTaken) {
  Graph graph;
  const Expr x = state(graph, 0, "x"), on = truth(graph, 0);
  const Expr y = choose(on, sqrt(x), x) + choose(on, 2 * sqrt(x), log(-x) + x);
  const auto value = [](double held) { return [=](Op kind, int) { return kind == Op::truth ? held : -1; }; };
  EXPECT_EQ(first_not_finite(graph, {y.node()}, value(1))->text, "sqrt(x) with x = -1");
  EXPECT_FALSE(first_not_finite(graph, {y.node()}, value(0)));
}

}  // namespace
}  // namespace pawl::model
