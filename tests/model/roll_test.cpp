// Repeated rows as loops, with the bits of the rows one by one.
#include "pawl/model/roll.hpp"

#include <gtest/gtest.h>

#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"
#include "pawl/model/native.hpp"
#include "pawl/model/rolled.hpp"

namespace pawl::model {
namespace {

using testing::Files;
using testing::Instant;
using testing::interpreted;

struct Cells {
  Graph graph;
  std::vector<int> outputs;
};

// u and v alternate; the ends have shapes of their own.
void write_brusselator(Cells& cells, int points) {
  const Expr alpha = parameter(cells.graph, 0), diffusion = alpha * (points + 1.0) * (points + 1.0);
  for (int i = 0; i < points; ++i) {
    const Expr u = state(cells.graph, 2 * i), v = state(cells.graph, 2 * i + 1);
    const Expr u_left = i > 0 ? state(cells.graph, 2 * i - 2) : Expr(1),
               v_left = i > 0 ? state(cells.graph, 2 * i - 1) : Expr(3);
    const bool is_last = i + 1 == points;
    const Expr u_right = is_last ? Expr(1) : state(cells.graph, 2 * i + 2),
               v_right = is_last ? Expr(3) : state(cells.graph, 2 * i + 3);
    const Expr reaction = sqr(u) * v;
    cells.outputs.push_back((1 + reaction - 4 * u + diffusion * (u_left - 2 * u + u_right)).node());
    cells.outputs.push_back((3 * u - reaction + diffusion * (v_left - 2 * v + v_right)).node());
  }
}

std::vector<double> in_loops(const Cells& cells, const Instant<double>& at, bool is_native) {
  std::vector<Loop> loops = roll(cells.graph, cells.outputs);
  const Program whole(cells.graph, cells.outputs), rest(cells.graph, cells.outputs, rest_of(loops, cells.outputs));
  const Rolled rolled(cells.graph, cells.outputs, std::move(loops), is_native);
  if (rolled.loops() > 0) {
    EXPECT_EQ(rolled.is_native(), is_native);
  }
  Files<double> files(whole, at, whole.moving_size());
  std::vector<double> out(cells.outputs.size());
  Rolled::Work work;
  rolled.prepare(files.h.data(), work);
  rolled.run(files.m.data(), at.states.data(), out.data(), work);
  rest.run(files.m.data(), files.h.data(), at.states.data(), out.data());
  return out;
}

void expect_same(const Cells& cells, const Instant<double>& at) {
  const auto expected = interpreted(Program(cells.graph, cells.outputs), at);
  EXPECT_EQ(in_loops(cells, at, false), expected) << "over lanes";
  if (Native::is_possible()) {
    EXPECT_EQ(in_loops(cells, at, true), expected) << "native";
  }
}

Instant<double> wavy(int states) {
  Instant<double> at{.time = 0.7, .rates = {0.4}, .parameters = {0.02, 0.3, 1.5}, .truths = {1, 0}};
  for (int i = 0; i < states; ++i) at.states.push_back(1 + 0.5 * std::sin(0.3 * i));
  return at;
}

TEST(Roll, FindsTheInnerCellsOfALine) {
  Cells cells;
  write_brusselator(cells, 250);
  const std::vector<Loop> loops = roll(cells.graph, cells.outputs);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count, 248);
  EXPECT_EQ(loops[0].rows.size(), 2u);
  EXPECT_EQ(loops[0].rows[1].base, 3);
  EXPECT_EQ(loops[0].rows[1].stride, 2);
  EXPECT_EQ(loops[0].leaves.size(), 6u);  // u and v, here, left and right
}

TEST(Roll, GivesTheBitsOfTheRowsOneByOne) {
  for (const int points : {10, 11, 13, 64, 65, 67, 130}) {
    Cells cells;
    write_brusselator(cells, points);
    expect_same(cells, wavy(2 * points));
  }
}

// Every cell with constants of its own, some of which happen to be equal, and functions of the library.
TEST(Roll, PutsHeldValuesThatDifferIntoArrays) {
  Cells cells;
  const int count = 37;
  const Expr gain = parameter(cells.graph, 1);
  for (int i = 0; i < count; ++i) {
    const Expr x = state(cells.graph, 3 * i % count), y = state(cells.graph, (7 * i + 2) % count);
    const Expr k = gain * (i % 5 + 1.0), c = 0.25 * (i % 3) + 0.6;
    cells.outputs.push_back((k * exp(-c * sqr(x)) + pow(abs(y), c) - atan2(x, y) * min(x, k) + max(c, y)).node());
  }
  const std::vector<Loop> loops = roll(cells.graph, cells.outputs);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count, count);
  expect_same(cells, wavy(count));
}

TEST(Roll, ReadsInputsAndTakesSides) {
  Cells cells;
  const int count = 40;
  const Expr t = time(cells.graph), on = truth(cells.graph, 0), off = truth(cells.graph, 1);
  for (int i = 0; i < count; ++i) {
    const Expr x = state(cells.graph, i), y = state(cells.graph, i + 1);
    cells.outputs.push_back((choose(on, sin(t) * x, sqrt(x - 9)) + choose(off, x, y / (1 + t))).node());
    cells.outputs.push_back((select(x - y, x * t, -y) * rate(cells.graph, 0)).node());
  }
  ASSERT_EQ(roll(cells.graph, cells.outputs).size(), 1u);
  expect_same(cells, wavy(count + 1));
}

TEST(Roll, LeavesRowsThatDifferAlone) {
  Cells cells;
  Expr sum = 0;
  for (int i = 0; i < 30; ++i) {
    sum = sum + sin(state(cells.graph, i));
    cells.outputs.push_back(sum.node());
  }
  EXPECT_TRUE(roll(cells.graph, cells.outputs).empty());
}

// Random bodies, repeated.
TEST(Roll, OfRandomBodiesGivesTheBitsOfTheRowsOneByOne) {
  int rolled = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::RandomSource random(seed);
    const testing::RandomModel body = random.model(25);
    Cells cells;
    const int count = 8 + random.below(80);
    for (int k = 0; k < count; ++k) {
      std::vector<int> copy(static_cast<std::size_t>(body.graph.size()), -1);
      for (const int node : body.graph.order(body.outputs)) {
        Node n = body.graph[node];
        const int operands = operand_count(n.op);
        const auto of = [&](int operand) { return copy[static_cast<std::size_t>(operand)]; };
        if (n.op == Op::state) n.a += 2 * k;
        if (n.op == Op::constant && random.below(2) == 0) {
          copy[static_cast<std::size_t>(node)] = cells.graph.constant(body.graph.value_of(node) + 0.125 * k);
          continue;
        }
        if (operands > 0) n = {n.op, of(n.a), operands > 1 ? of(n.b) : -1, operands > 2 ? of(n.c) : -1};
        copy[static_cast<std::size_t>(node)] = cells.graph.append(n);
      }
      for (const int output : body.outputs) cells.outputs.push_back(copy[static_cast<std::size_t>(output)]);
    }
    const std::vector<Loop> loops = roll(cells.graph, cells.outputs);
    for (const Loop& loop : loops) rolled += loop.count;
    Instant<double> at = random.instant<double>();
    for (int i = 4; i < 2 * count + 4; ++i) at.states.push_back(random.number());
    const auto expected = interpreted(Program(cells.graph, cells.outputs), at);
    for (const bool is_native : {false, true}) {
      if (is_native && !Native::is_possible()) continue;
      const auto found = in_loops(cells, at, is_native);
      for (std::size_t row = 0; row < expected.size(); ++row)
        ASSERT_TRUE(testing::same_bits(expected[row], found[row]))
            << "seed " << seed << " row " << row << (is_native ? " native: " : " lanes: ")
            << cells.graph.text(cells.outputs[row]);
    }
  }
  EXPECT_GT(rolled, 3000);
}

}  // namespace
}  // namespace pawl::model
