// Native code gives the bits of the interpreter. PAWL_FUZZ=1000000 compares that many random graphs instead of a few.
#include "pawl/model/native.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using testing::Files;
using testing::Instant;
using testing::interpreted;
using testing::moving_near;
using testing::numbers_of;
using testing::same_bits;

template <class T>
std::vector<T> natively(const Native<T>& native, const Program& program, const Instant<T>& at) {
  Files<T> files(program, at, native.moving_size());
  std::vector<T> out(static_cast<std::size_t>(program.rows()));
  native.run(files.m.data(), files.h.data(), at.states.data(), out.data());
  return out;
}

template <class T>
::testing::AssertionResult agrees(const Graph& graph, const std::vector<int>& outputs, const Native<T>* native,
                                  const Program& program, const Instant<T>& at) {
  if (native == nullptr) return ::testing::AssertionFailure() << "no native code";
  const auto expected = interpreted(program, at), found = natively(*native, program, at);
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    if (!same_bits(expected[row], found[row]))
      return ::testing::AssertionFailure() << "row " << row << ": " << graph.text(outputs[row]) << "\n  interpreted "
                                           << numbers_of(expected[row]) << "\n  native      " << numbers_of(found[row]);
  }
  return ::testing::AssertionSuccess();
}

// The outputs of a graph, interpreted and as native code, compared at instants with numbers and with duals.
class Compared {
 public:
  Compared(const Graph& graph, const std::vector<int>& outputs)
      : graph_(graph),
        outputs_(outputs),
        program_(graph, outputs),
        numbers_(Native<double>::make(graph, outputs)),
        duals_(Native<Gradient>::make(graph, outputs)) {}

  ::testing::AssertionResult at(const Instant<double>& at) const {
    return agrees(graph_, outputs_, numbers_.get(), program_, at);
  }
  ::testing::AssertionResult at(const Instant<Gradient>& at) const {
    return agrees(graph_, outputs_, duals_.get(), program_, at);
  }

 private:
  const Graph& graph_;
  const std::vector<int>& outputs_;
  Program program_;
  std::unique_ptr<const Native<double>> numbers_;
  std::unique_ptr<const Native<Gradient>> duals_;
};

bool processor_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

class NativeCode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!processor_has_avx2()) GTEST_SKIP() << "no native code on this processor";
    ASSERT_TRUE(native_is_possible());  // scripts/bootstrap installs what it needs
  }
};

template <class T>
Instant<T> some_instant() {
  Instant<T> at;
  at.time = moving_near<T>(0.4, 3);
  at.states = {moving_near<T>(0.6, 0), moving_near<T>(0.3, 1), moving_near<T>(-0.5, 2)};
  at.parameters = {0.8, -0.35};
  at.truths = {0, 1};
  return at;
}

TEST_F(NativeCode, DoesEveryOperationAsTheInterpreter) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), z = state(graph, 2), p = parameter(graph, 0);
  const std::vector<int> operands{x.node(), y.node(), (x * y).node(), (z + 1.25).node(), p.node(), (p - 0.5).node()};
  std::vector<int> outputs;
  for (int op = static_cast<int>(Op::neg); op <= static_cast<int>(Op::abs); ++op)
    for (const int a : operands) outputs.push_back(graph.unary(static_cast<Op>(op), a));
  for (int op = static_cast<int>(Op::add); op <= static_cast<int>(Op::max); ++op)
    for (const int a : operands)
      for (const int b : operands) outputs.push_back(graph.binary(static_cast<Op>(op), a, b));
  for (const int g : operands)
    for (const int a : operands)
      for (const int b : operands) outputs.push_back(graph.select(g, a, b));
  for (const int output : outputs) {  // alone, and all together, with more values than registers
    const std::vector<int> alone{output};
    const Compared compared(graph, alone);
    EXPECT_TRUE(compared.at(some_instant<double>()));
    EXPECT_TRUE(compared.at(some_instant<Gradient>()));
  }
  const Compared compared(graph, outputs);
  EXPECT_TRUE(compared.at(some_instant<double>()));
  EXPECT_TRUE(compared.at(some_instant<Gradient>()));
}

TEST_F(NativeCode, KeepsMoreValuesThanThereAreRegisters) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1);
  std::vector<Expr> values;
  for (int i = 0; i < 60; ++i) values.push_back(x * (0.1 * i + 0.01) + y / (i + 1));
  Expr forward = 0, backward = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forward = values[i] * forward + values[59 - i];
    backward = (backward - values[59 - i]) * 0.5 + sin(values[i]);
  }
  const std::vector<int> outputs{forward.node(), backward.node(), (forward / backward).node()};
  const Compared compared(graph, outputs);
  EXPECT_TRUE(compared.at(some_instant<double>()));
  EXPECT_TRUE(compared.at(some_instant<Gradient>()));
}

TEST_F(NativeCode, TakesTheSideThatHolds) {
  Graph graph;
  const Expr x = state(graph, 0), y = state(graph, 1), on = truth(graph, 0), other = truth(graph, 1);
  const Expr shared = exp(x) * y;
  const Expr first = choose(on, shared + x, choose(other, x * y, y - 2));
  const Expr second = first * y + choose(on, shared * first, x);
  const std::vector<int> outputs{first.node(), second.node(), choose(other, 1, x).node()};
  const Compared compared(graph, outputs);
  for (const double a : {0.0, 1.0, -1.0}) {
    for (const double b : {0.0, 1.0}) {
      auto at = some_instant<double>();
      auto duals = some_instant<Gradient>();
      at.truths = duals.truths = {a, b};
      EXPECT_TRUE(compared.at(at));
      EXPECT_TRUE(compared.at(duals));
    }
  }
}

TEST_F(NativeCode, OfASparseJacobianIsThatOfTheInterpreter) {
  Graph graph;
  const int cells = 40;
  std::vector<int> rates;
  for (int i = 0; i < cells; ++i) {
    const Expr left = state(graph, (i + cells - 1) % cells), here = state(graph, i),
               right = state(graph, (i + 1) % cells);
    rates.push_back(
        (exp(-sqr(here)) * (left - 2 * here + right) - parameter(graph, 0) * here / (1 + sqr(right))).node());
  }
  std::vector<int> nodes;
  for (const Entry& entry : graph.jacobian(rates, Op::state)) nodes.push_back(entry.node);
  EXPECT_EQ(nodes.size(), 3u * cells);
  Instant<double> at{.parameters = {0.3}};
  for (int i = 0; i < cells; ++i) at.states.push_back(std::cos(i));
  EXPECT_TRUE(Compared(graph, nodes).at(at));
}

TEST_F(NativeCode, OfRandomGraphsGivesTheBitsOfTheInterpreter) {
  const char* wanted = std::getenv("PAWL_FUZZ");
  const std::uint64_t count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20000;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    testing::RandomSource random(seed * 7919);
    const testing::RandomModel model = random.model(80);
    const Compared compared(model.graph, model.outputs);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(compared.at(random.instant<double>())) << "seed " << seed;
      ASSERT_TRUE(compared.at(random.instant<Gradient>())) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace pawl::model
