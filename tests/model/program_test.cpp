#include "pawl/model/program.hpp"

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using testing::by_hand;
using testing::Instant;
using testing::interpreted;
using testing::moving_near;
using testing::NotANumber;
using testing::numbers_of;
using testing::same_bits;

template <class T>
class ProgramOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, Gradient, Interval, Jet<double>, Jet<Interval>, Curvature, Series>;
TYPED_TEST_SUITE(ProgramOf, Scalars);

template <class T>
Instant<T> some_instant() {
  Instant<T> at;
  at.time = moving_near<T>(0.4, 3);
  at.states = {moving_near<T>(0.6, 0), moving_near<T>(0.3, 1), moving_near<T>(-0.5, 2)};
  at.rates = {moving_near<T>(0.2, 4)};
  at.relays = {moving_near<T>(0.7, 5)};
  at.inputs = {moving_near<T>(-0.1, 6)};
  at.parameters = {0.8, -0.35};
  at.numbers = {2.5};
  at.modes = {1};
  at.truths = {0, 1};
  return at;
}

template <class T>
void expect_as_by_hand(const Graph& graph, const std::vector<int>& outputs, const Instant<T>& at) {
  const auto expected = by_hand(graph, outputs, at), found = interpreted(Program(graph, outputs), at);
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    EXPECT_TRUE(same_bits(expected[row], found[row], NotANumber::ignored))
        << graph.text(outputs[row]) << "\n  by hand     " << numbers_of(expected[row]) << "\n  interpreted "
        << numbers_of(found[row]);
  }
}

// Operands that are states, temporaries and held numbers, in every combination.
TYPED_TEST(ProgramOf, DoesEveryOperationAsTheScalarItself) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), z = state(graph, 2), p = parameter(graph, 0);
  const std::vector<int> operands{x.node(), y.node(), (x * y).node(), (z + 1.25).node(), p.node(), (p - 0.5).node()};
  std::vector<int> outputs;
  for (int op = static_cast<int>(Op::neg); op <= static_cast<int>(Op::abs); ++op) {
    for (const int a : operands) outputs.push_back(graph.unary(static_cast<Op>(op), a));
  }
  for (int op = static_cast<int>(Op::add); op <= static_cast<int>(Op::max); ++op) {
    for (const int a : operands)
      for (const int b : operands) outputs.push_back(graph.binary(static_cast<Op>(op), a, b));
  }
  for (const int g : operands)
    for (const int a : operands) outputs.push_back(graph.select(g, a, z.node()));
  expect_as_by_hand(graph, outputs, some_instant<TypeParam>());
}

TYPED_TEST(ProgramOf, RoundsTwiceWhereOneInstructionDoesTwoOperations) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), z = state(graph, 2), p = parameter(graph, 0),
             q = parameter(graph, 1), t = time(graph);
  std::vector<int> outputs;
  for (const Expr& a : {p, x, x + t}) {
    for (const Expr& b : {y, t, z - t}) {
      for (const Expr& c : {q, z, t, y + t}) {
        for (const Expr& made : {a * b + c, a * b - c, c - a * b, p * b + q * c, p * b - q * c, a + b + c, a + b - c,
                                 a - b + c, a - b - c, c - (a + b), c - (a - b)})
          outputs.push_back(made.node());
      }
    }
  }
  const Program all(graph, outputs);
  expect_as_by_hand(graph, outputs, some_instant<TypeParam>());
  for (const int output : outputs) expect_as_by_hand(graph, {output}, some_instant<TypeParam>());
}

TYPED_TEST(ProgramOf, ReadsEveryKindOfInput) {
  Graph graph;
  const Expr y = time(graph) * state(graph, 2) + rate(graph, 0) * parameter(graph, 1) -
                 relay(graph, 0) * number(graph, 0) + input(graph, 0) * mode(graph, 0) + truth(graph, 1);
  expect_as_by_hand(graph, {y.node(), parameter(graph, 0).node(), time(graph).node(), state(graph, 1).node()},
                    some_instant<TypeParam>());
}

TYPED_TEST(ProgramOf, TakesTheSideThatHolds) {
  Graph graph;
  const Expr x = state(graph, 0), p = parameter(graph, 0), on = truth(graph, 1), off = truth(graph, 0);
  const Expr inner = choose(off, sin(x), choose(on, cos(x) * p, x));
  const Expr y = choose(on, inner + x, exp(x)) * choose(on, inner - x, x) + choose(p > 0.5, 2 * p, p);
  const Expr held = choose(off, sqrt(p - 2), p + 1);
  expect_as_by_hand(graph, {y.node(), held.node(), (held * x).node(), inner.node()}, some_instant<TypeParam>());
}

TEST(Program, FuzzedAgreesWithTheEvaluationByHand) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::RandomSource random(seed);
    const testing::RandomModel model = random.model(60);
    const Program program(model.graph, model.outputs);
    const auto at = random.instant<double>();
    const auto duals = random.instant<Gradient>();
    const auto expected = by_hand(model.graph, model.outputs, at), found = interpreted(program, at);
    const auto expected_duals = by_hand(model.graph, model.outputs, duals), found_duals = interpreted(program, duals);
    for (std::size_t row = 0; row < model.outputs.size(); ++row) {
      ASSERT_TRUE(same_bits(expected[row], found[row]))
          << "seed " << seed << ": " << model.graph.text(model.outputs[row]);
      ASSERT_TRUE(same_bits(expected_duals[row], found_duals[row], NotANumber::ignored))
          << "seed " << seed << ": " << model.graph.text(model.outputs[row]);
    }
  }
}

// ---- what a choice leaves out ----

TEST(Program, APatternSeesTheSideTakenAlone) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), on = truth(graph, 0);
  const Program program(graph, {choose(on, 2 * x, y * x).node(), choose(on, y, sin(x)).node()});
  const auto reads = [&](double held) {
    PatternTape tape;
    Instant<Pattern> at;
    at.states = {tape.variable(0), tape.variable(1)};
    at.truths = {held};
    const auto out = interpreted(program, at);
    return std::vector<std::vector<int>>{tape.inputs_of(out[0]), tape.inputs_of(out[1])};
  };
  EXPECT_EQ(reads(1), (std::vector<std::vector<int>>{{0}, {1}}));
  EXPECT_EQ(reads(0), (std::vector<std::vector<int>>{{0, 1}, {0}}));
}

// has_left_domain is raised by a root that was computed.
TEST(Program, DoesNotComputeWhatTwoChoicesNeedOnTheSideNotTaken) {
  Graph graph;
  const Expr x = state(graph, 0), on = truth(graph, 0), root = sqrt(x);
  const Program program(graph, {choose(on, root, x).node(), (x + choose(on, 3 * root, 0)).node()});
  Instant<Interval> at;
  at.states = {Interval(-1, 1)};
  for (const double held : {0.0, 1.0}) {
    at.truths = {held};
    detail::has_left_domain = false;
    interpreted(program, at);
    EXPECT_EQ(detail::has_left_domain, held != 0);
  }
  detail::has_left_domain = false;
}

TEST(Program, ComputesHeldValuesOnTheSideTakenAlone) {
  Graph graph;
  const Expr x = state(graph, 0), on = truth(graph, 0), p = parameter(graph, 0);
  const Program program(graph, {choose(on, x * (p + 1), x * (p + 2)).node()});
  Instant<double> at{.states = {1}, .parameters = {10}, .truths = {1}};
  const testing::Files<double> files(program, at, program.moving_size());
  int computed = 0;
  for (const double held : files.h) computed += held == 11 ? 1 : held == 12 ? 100 : 0;
  EXPECT_EQ(computed, 1);
}

TEST(Program, NestsChoicesAsDeepAsTheyAreWritten) {
  Graph graph;
  const Expr x = state(graph, 0), m = mode(graph, 0);
  Expr chain = x;
  for (int i = 0; i < 20000; ++i) chain = choose(m == i, x * (i + 0.5), chain);
  const Program program(graph, {chain.node()});
  Instant<double> at{.states = {2}, .modes = {17}};
  EXPECT_EQ(interpreted(program, at)[0], 35);
}

// ---- size ----

TEST(Program, ReusesSlotsAndPutsOperationsTogether) {
  Graph graph;
  std::vector<int> outputs;
  const int cells = 50;
  const Expr c = parameter(graph, 0);
  for (int i = 0; i < cells; ++i) {
    const Expr left = state(graph, i), here = state(graph, i + 1), right = state(graph, i + 2);
    outputs.push_back((1 + sqr(here) * right - 4 * here + c * (left - 2 * here + right)).node());
  }
  const Program program(graph, outputs);
  EXPECT_LE(program.moving_size(), 3);
  // sqr, 1 + a b, - 4 x, left - 2 here, + right, c a + b, store: 7 for 9 operations and a store
  EXPECT_LE(program.instructions(), 7 * cells + 1);
}

TEST(Program, RefusesASecondDerivative) {
  Graph graph;
  state(graph, 0, "angle");
  const int second = graph.input(Op::rate, 0, 2);
  EXPECT_EQ(pawl::testing::misuse_of([&] { Program(graph, {second}); }),
            "'der(angle, 2)' cannot be read by a function: it is given rates of first order");
}

}  // namespace
}  // namespace pawl::model
