// Derivatives on the graph beside those of duals, jets and series.
#include <gtest/gtest.h>

#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using testing::by_hand;
using testing::Instant;

TEST(Derivative, OfEveryOperationIsThatOfADual) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), p = parameter(graph, 0), u = 0.5 + 0.25 * x * y;
  std::vector<int> outputs;
  for (int op = static_cast<int>(Op::neg); op <= static_cast<int>(Op::abs); ++op) {
    for (const Expr& a : {u, x, -u}) {
      const bool needs_positive = op == static_cast<int>(Op::sqrt) || op == static_cast<int>(Op::log);
      if (!needs_positive || a.node() != (-u).node()) outputs.push_back(graph.unary(static_cast<Op>(op), a.node()));
    }
  }
  for (int op = static_cast<int>(Op::add); op <= static_cast<int>(Op::max); ++op)
    for (const Expr& a : {u, x, p})
      for (const Expr& b : {y, sqr(x), p}) outputs.push_back(graph.binary(static_cast<Op>(op), a.node(), b.node()));
  outputs.push_back(select(x - y, x * y, y).node());
  outputs.push_back(choose(truth(graph, 0), x * y, sin(x)).node());

  const auto entries = graph.jacobian(outputs, Op::state);
  for (const double held : {0.0, 1.0}) {
    Instant<Gradient> duals;
    duals.states = {Gradient::variable(0.7, 0), Gradient::variable(0.4, 1)};
    duals.parameters = {1.3};
    duals.truths = {held};
    Instant<double> at{.states = {0.7, 0.4}, .parameters = {1.3}, .truths = {held}};
    const auto values = by_hand(graph, outputs, duals);
    std::vector<std::array<double, 2>> found(outputs.size());
    std::vector<int> nodes;
    for (const Entry& entry : entries) nodes.push_back(entry.node);
    const auto by_graph = by_hand(graph, nodes, at);
    for (std::size_t k = 0; k < entries.size(); ++k)
      found[static_cast<std::size_t>(entries[k].row)][static_cast<std::size_t>(entries[k].column)] = by_graph[k];
    for (std::size_t row = 0; row < outputs.size(); ++row) {
      for (std::size_t column = 0; column < 2; ++column)
        EXPECT_NEAR(found[row][column], values[row].slope[column], 1e-14 * (1 + std::abs(values[row].slope[column])))
            << graph.text(outputs[row]) << " by state " << column;
    }
  }
}

TEST(Derivative, HasNoEntryWhereNothingIsRead) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), z = state(graph, 2), t = time(graph);
  const std::vector<int> outputs{(x + 2 * z).node(), sqr(y).node(), parameter(graph, 0).node(), (t * x).node()};
  const auto entries = graph.jacobian(outputs, Op::state);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(graph.value_of(entries[0].node), 1);
  EXPECT_EQ(graph.value_of(entries[1].node), 2);
  EXPECT_EQ(entries[1].column, 2);
  EXPECT_EQ(entries[2].node, (2 * y).node());
  EXPECT_EQ(entries[3].node, t.node());
  EXPECT_EQ(graph.jacobian(outputs, Op::time).size(), 1u);
}

// d/dt along x' = f(x), as often as three times, beside the Taylor series of the motion.
TEST(Derivative, AlongTheMotionIsThatOfASeries) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), k = parameter(graph, 0), t = time(graph);
  const std::vector<int> rates{(y * cos(t)).node(), (-k * sin(x) + exp(-sqr(y)) / (1 + sqr(x))).node()};
  const std::vector<int> observed{(hypot(x, y) * atan2(y, x) + pow(1 + sqr(x), k)).node()};
  std::vector<std::vector<int>> derivatives{observed};
  for (int i = 0; i < 3; ++i) derivatives.push_back(graph.differentiated(derivatives.back(), rates));

  Instant<double> at{.time = 0.3, .states = {0.7, -0.4}, .parameters = {1.7}};
  Instant<Series> series;
  series.time = Series::variable(0.3, 4);
  series.parameters = at.parameters;
  Series of_x(0.7), of_y(-0.4);
  of_x.order = of_y.order = 4;
  for (std::size_t i = 0; i < 4; ++i) {  // x' = f: one more coefficient each time
    series.states = {of_x, of_y};
    const auto f = by_hand(graph, rates, series);
    of_x.c[i + 1] = f[0].c[i] / static_cast<double>(i + 1);
    of_y.c[i + 1] = f[1].c[i] / static_cast<double>(i + 1);
  }
  series.states = {of_x, of_y};
  const Series expected = by_hand(graph, observed, series)[0];
  double factorial = 1;
  for (std::size_t i = 0; i < derivatives.size(); ++i) {
    if (i > 0) factorial *= static_cast<double>(i);
    const double found = by_hand(graph, derivatives[i], at)[0];
    EXPECT_NEAR(found, factorial * expected.c[i], 1e-13 * (1 + std::abs(found))) << "derivative " << i;
  }
}

TEST(Derivative, OfARateIsTheNextOne) {
  Graph graph;
  const Expr x = state(graph, 0), v = rate(graph, 0);
  const auto first = graph.differentiated({(x * x).node()});
  EXPECT_EQ(first[0], (2 * x * v).node());
  const auto second = graph.differentiated({v.node()});
  EXPECT_EQ(graph[second[0]].b, 2);
}

// Random graphs: where both are finite, they agree as far as rounding lets them.
TEST(Derivative, OfRandomGraphsAreThoseOfDuals) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    testing::RandomSource random(seed);
    testing::RandomModel model = random.model(12);
    auto at = random.instant<double>();
    Instant<Gradient> duals{.time = at.time, .parameters = at.parameters, .truths = at.truths};
    duals.rates = {Gradient(at.rates[0])};
    for (int i = 0; i < 4; ++i) duals.states.push_back(Gradient::variable(at.states[static_cast<std::size_t>(i)], i));
    const auto expected = by_hand(model.graph, model.outputs, duals);
    const auto entries = model.graph.jacobian(model.outputs, Op::state);
    std::vector<int> nodes;
    for (const Entry& entry : entries) nodes.push_back(entry.node);
    const auto found = by_hand(model.graph, nodes, at);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const double slope =
          expected[static_cast<std::size_t>(entries[k].row)].slope[static_cast<std::size_t>(entries[k].column)];
      if (!std::isfinite(slope) || !std::isfinite(found[k]) || std::abs(slope) > 1e6) continue;
      EXPECT_NEAR(found[k], slope, 1e-9 * (1 + std::abs(slope))) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace pawl::model
