// Random models: what build() makes of equations moves as the equations do where they are handed over as they stand.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pawl/model/model.hpp"
#include "pawl/pawl.hpp"

namespace pawl::model {
namespace {

// States that decay and drive each other, and variables that follow from them through aliases, sums, products, choices
// and loops that contract; every equation turned and scaled at random, in random order.
class RandomModel {
 public:
  explicit RandomModel(unsigned seed) : random_(seed), model(fmt::format("random {}", seed)) {
    const int states = 1 + below(3), variables = 1 + below(8);
    const Expr k = model.parameter("k", 0.7), is_on = model.discrete("on", below(2) == 1);
    for (int i = 0; i < states; ++i) known_.push_back(model.state(fmt::format("x{}", i), 0.5 + 0.3 * i));
    const std::vector<Expr> x = known_;
    for (int i = 0; i < variables; ++i) add_variable(i, k, is_on);
    for (int i = 0; i < states; ++i)
      say(der(x[static_cast<std::size_t>(i)]), -x[static_cast<std::size_t>(i)] + 0.3 * sin(any()) + 0.1 * any() * k);
    std::shuffle(rows_.begin(), rows_.end(), random_);
    for (const auto& [left, right] : rows_) model.equation(left, right);
  }

 private:
  std::mt19937 random_;

 public:
  Model model;

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  double number() { return 0.25 + 0.25 * below(7); }
  Expr any() { return known_[static_cast<std::size_t>(below(static_cast<int>(known_.size())))]; }

  void say(Expr left, Expr right) {
    if (below(3) == 0) {
      const double factor = number();
      left = factor * left;
      right = factor * right;
    }
    if (below(3) == 0) {
      const Expr other = any();
      left = left + other;
      right = right + other;
    }
    if (below(2) == 0) std::swap(left, right);
    if (below(4) == 0) {
      left = left - right;
      right = 0.0;
    }
    rows_.emplace_back(left, right);
  }

  void add_variable(int i, const Expr& k, const Expr& is_on) {
    const Expr z = model.variable(fmt::format("z{}", i));
    switch (below(8)) {
      case 0:
        say(z, any());
        break;
      case 1:
        say(z + any(), 0.0);
        break;
      case 2:
        say(z, k * number());
        break;
      case 3:
        say(z * (2.0 + sin(any())), any() + model.time());
        break;
      case 4:
        say(z, choose(is_on, any(), 0.5 * any() + 1.0));
        break;
      case 5:
        say(z, any() * any() - any() + number());
        break;
      case 6:  // a nonlinear equation
        say(z + 0.3 * sin(z), any());
        break;
      default: {  // a loop
        const Expr w = model.variable(fmt::format("w{}", i));
        say(z, 0.4 * cos(w) + any());
        say(w, 0.5 * z - 0.2 * any());
        known_.push_back(w);
        break;
      }
    }
    known_.push_back(z);
  }

  std::vector<Expr> known_;
  std::vector<std::pair<Expr, Expr>> rows_;
};

// All unknowns as states, all equations as they stand.
System as_it_stands(const Model& model) {
  const ModelData& data = model.data();
  System system(data.name);
  for (const auto& one : data.unknowns) system.state(one.name, data.graph->value_of(one.start));
  for (const auto& one : data.parameters) system.parameter(one.name, one.value);
  for (const auto& one : data.modes) system.discrete(one.name, one.start != 0);
  std::vector<int> rows;
  for (const auto& one : data.equations) rows.push_back(data.graph->binary(Op::sub, one.left, one.right));
  system.equations("rows", static_cast<int>(rows.size()), GraphFunction(data.graph, rows, Execution::interpreted));
  return system;
}

TEST(RandomModels, MoveAsTheirEquationsDo) {
  int reduced = 0, left = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    const RandomModel random(seed);
    BuildReport report;
    const System system = random.model.build({Execution::interpreted}, &report);
    ASSERT_EQ(report.aliases + report.constraints + report.solved + report.states + report.algebraic, report.equations);
    reduced += report.aliases + report.solved;
    left += report.algebraic;
    const Options options{.end = 1, .tolerance = 1e-9};
    const Result expected = simulate(as_it_stands(random.model), options), found = simulate(system, options);
    ASSERT_TRUE(expected.finished()) << "seed " << seed << ": " << expected.reason;
    ASSERT_TRUE(found.finished()) << "seed " << seed << ": " << found.reason;
    for (const std::string& name : expected.state_names()) {
      const double value = expected.final()[name];
      EXPECT_NEAR(found.final()[name], value, 1e-6 * std::max(1.0, std::abs(value))) << "seed " << seed << ", " << name;
    }
  }
  EXPECT_GT(reduced, 300);  // there was something to reduce, and something to leave
  EXPECT_GT(left, 50);
}

}  // namespace
}  // namespace pawl::model
