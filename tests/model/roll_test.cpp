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

Rolled::Work prepared(const Rolled& rolled, const std::vector<double>& held) {
  Rolled::Work work;
  rolled.prepare(held.data(), work);
  return work;
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
  Rolled::Work work = prepared(rolled, files.h);
  rolled.run(files.m.data(), at.states.data(), out.data(), work);
  rest.run(files.m.data(), files.h.data(), at.states.data(), out.data());
  return out;
}
// Empty where the loops cannot be done with duals.
std::vector<Gradient> duals_in_loops(const Cells& cells, const Instant<Gradient>& at) {
  std::vector<Loop> loops = roll(cells.graph, cells.outputs);
  const Program whole(cells.graph, cells.outputs), rest(cells.graph, cells.outputs, rest_of(loops, cells.outputs));
  const Rolled rolled(cells.graph, cells.outputs, std::move(loops), /*is_native=*/true);
  if (!rolled.has_duals()) return {};
  Files<Gradient> files(whole, at, whole.moving_size());
  std::vector<Gradient> out(cells.outputs.size());
  Rolled::Work work = prepared(rolled, files.h);
  rolled.run(files.m.data(), at.states.data(), out.data(), work);
  rest.run(files.m.data(), files.h.data(), at.states.data(), out.data());
  return out;
}
Instant<Gradient> with_slopes(const Instant<double>& at) {
  Instant<Gradient> duals{
      .time = at.time, .parameters = at.parameters, .numbers = at.numbers, .modes = at.modes, .truths = at.truths};
  int axis = 0;
  for (const double rate : at.rates) duals.rates.emplace_back(rate);
  for (const double x : at.states) duals.states.push_back(Gradient::variable(x, axis++ % 8));
  return duals;
}
// Whether there are loops with duals, which then give the bits of the interpreter.
bool agrees_with_duals(const Cells& cells, const Instant<double>& at) {
  const Instant<Gradient> duals = with_slopes(at);
  const auto expected = interpreted(Program(cells.graph, cells.outputs), duals), found = duals_in_loops(cells, duals);
  for (std::size_t row = 0; row < found.size(); ++row)
    EXPECT_TRUE(testing::same_bits(expected[row], found[row])) << row << ": " << cells.graph.text(cells.outputs[row]);
  return !found.empty();
}

void expect_same(const Cells& cells, const Instant<double>& at) {
  const auto expected = interpreted(Program(cells.graph, cells.outputs), at);
  EXPECT_EQ(in_loops(cells, at, false), expected) << "over lanes";
  if (native_is_possible()) {
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
    EXPECT_EQ(agrees_with_duals(cells, wavy(2 * points)), native_is_possible()) << points;
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
  EXPECT_EQ(agrees_with_duals(cells, wavy(count + 1)), native_is_possible());
}

// Duals walk along: constants of every cell have no slopes, and what all cells read is read once.
TEST(Roll, DoesDualsWhereIterationsAreAtOneDistance) {
  Cells cells;
  const int count = 30;
  const Expr first = state(cells.graph, 0), gain = parameter(cells.graph, 1);
  for (int i = 0; i < count; ++i) {
    const Expr x = state(cells.graph, 2 * i + 1), y = state(cells.graph, 2 * i + 2), k = gain * (0.3 * i + 1);
    cells.outputs.push_back((k * exp(-first * x) / (1 + sqr(y)) - x / k).node());
    cells.outputs.push_back((pow(abs(y), k) + atan2(first, x)).node());
  }
  ASSERT_EQ(roll(cells.graph, cells.outputs).size(), 1u);
  expect_same(cells, wavy(2 * count + 1));
  EXPECT_EQ(agrees_with_duals(cells, wavy(2 * count + 1)), native_is_possible());

  Cells ring;  // the last one reads the first: no one distance
  for (int i = 0; i < count; ++i)
    ring.outputs.push_back((state(ring.graph, i) * sin(state(ring.graph, (i + 1) % count))).node());
  expect_same(ring, wavy(count));
  EXPECT_FALSE(agrees_with_duals(ring, wavy(count)));
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
  int rolled = 0, with_duals = 0;
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
      if (is_native && !native_is_possible()) continue;
      const auto found = in_loops(cells, at, is_native);
      for (std::size_t row = 0; row < expected.size(); ++row) {
        ASSERT_TRUE(testing::same_bits(expected[row], found[row]))
            << "seed " << seed << " row " << row << (is_native ? " native: " : " lanes: ")
            << cells.graph.text(cells.outputs[row]);
      }
    }
    if (native_is_possible()) with_duals += agrees_with_duals(cells, at) && !loops.empty() ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(rolled, 3000);
  if (native_is_possible()) {
    EXPECT_GT(with_duals, 50);
  }
}

}  // namespace
}  // namespace pawl::model
