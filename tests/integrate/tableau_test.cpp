// Every table against every order condition, and against the differential equations that make its error visible.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "integrate/rooted_trees.hpp"
#include "pawl/simulate.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {
namespace {

using namespace pawl::testing;

constexpr double thetas[] = {0.1, 0.3, 0.5, 0.77, 0.95};

template <class Check, const auto&... table>
void for_each_table(const Check& check, TableauList<table...>) {
  (
      [&] {
        SCOPED_TRACE(std::string(table.name));
        check(table);
      }(),
      ...);
}
template <class Check>
void for_each_table(const Check& check) {
  for_each_table(check, Tableaus());
}

template <class Table>
auto step_weights(const Table& table) {
  return [&table](int i) { return i < Table::stages ? table.b[static_cast<std::size_t>(i)] : 0.0; };
}
template <class Table>
auto dense_weights(const Table& table, double theta) {
  return [&table, theta](int i) {
    long double value = 0;
    for (auto k = static_cast<std::size_t>(Table::degree); k-- > 0;)
      value = (value + static_cast<long double>(table.dense[static_cast<std::size_t>(i)][k])) * theta;
    return value;
  };
}

/// The largest violation over all trees of one order, in units of the rounding of the coefficients.
template <class Table, class Weights>
double violation(const Table& table, int order, const Weights& weights, double theta = 1) {
  double worst = 0;
  for (const Tree& tree : trees_of_order(order)) {
    const Residual residual = order_residual(table, tree, weights, theta);
    worst = std::max(worst, residual.size / (1e-16 * (1 + residual.scale)));
  }
  return worst;
}

// Rounding of coefficients enters up to `order` times along a tree.
constexpr double rounding = 20;

TEST(RootedTrees, AreAsManyAsCayleyCounted) {
  const std::size_t counts[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
  for (int order = 1; order <= 10; ++order) EXPECT_EQ(trees_of_order(order).size(), counts[order - 1]);
  EXPECT_DOUBLE_EQ(density(Tree{-1, 0, 1, 2}), 24);  // the tall tree
  EXPECT_DOUBLE_EQ(density(Tree{-1, 0, 0, 0}), 4);   // the bush
}

TEST(Tableau, StepMeetsEveryConditionUpToItsOrderAndNoFurther) {
  for_each_table([](const auto& table) {
    for (int order = 1; order <= table.order; ++order)
      EXPECT_LT(violation(table, order, step_weights(table)), rounding) << "order " << order;
    EXPECT_GT(violation(table, table.order + 1, step_weights(table)), 1e6);
  });
}

TEST(Tableau, EmbeddedSolutionMeetsItsOrderAndNoFurther) {
  for_each_table([](const auto& table) {
    if (table.embedded_order == 0) return;
    const bool is_dop853 =
        table.name == "dop853";  // its two estimates have orders 5 and 3; their combination acts like 7
    const auto embedded = [&table](const auto& e) {
      return [&table, &e](int i) {
        const auto j = static_cast<std::size_t>(i);
        return i < static_cast<int>(e.size()) ? static_cast<long double>(table.b[j]) - e[j] : 0.0L;
      };
    };
    const int order = is_dop853 ? 5 : table.embedded_order;
    for (int r = 1; r <= order; ++r) EXPECT_LT(violation(table, r, embedded(table.e)), rounding) << "order " << r;
    EXPECT_GT(violation(table, order + 1, embedded(table.e)), 1e6);
    if (!is_dop853) return;
    for (int r = 1; r <= 3; ++r) EXPECT_LT(violation(table, r, embedded(table.e3)), rounding) << "order " << r;
    EXPECT_GT(violation(table, 4, embedded(table.e3)), 1e6);
  });
}

TEST(Tableau, EveryEstimateOfAnIntegralOverTimeIsOneOfItsRule) {
  for_each_table([](const auto& table) {
    if (table.embedded_order == 0) return;
    const auto moment = [&table](const auto& row, int power) {
      double sum = 0;
      for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * std::pow(table.c[i], power);
      return std::abs(sum);
    };
    double seen = 0;  // by e: the first power of time that it does not take for zero
    for (int power = 0; power <= table.order; ++power) seen = std::max(seen, moment(table.e, power));
    const bool has_opinion = table.quadrature != std::remove_cvref_t<decltype(table.quadrature)>{};
    EXPECT_EQ(seen < 1e-14, has_opinion);
    if (!has_opinion) return;
    for (int power = 0; power <= 5; ++power) EXPECT_LT(moment(table.quadrature, power), 1e-15) << power;  // Weddle
    EXPECT_NEAR(moment(table.quadrature, 6), 720 / std::pow(6, 6) / 840, 1e-15);  // the sixth difference over 840
    EXPECT_LT(moment(table.same_time, 0) + moment(table.same_time, 1), 1e-15);
    EXPECT_EQ(moment(table.same_time, 5), 0);
  });
}

TEST(Tableau, DenseOutputMeetsItsOrderEverywhereInTheStepAndNoFurther) {
  for_each_table([](const auto& table) {
    for (const double theta : thetas) {
      SCOPED_TRACE(theta);
      double dense_scale = 0;  // the monomial form cancels: rounding is that of its largest coefficients
      for (const auto& row : table.dense) {
        for (const double c : row) dense_scale = std::max(dense_scale, std::abs(c));
      }
      for (int order = 1; order <= table.dense_order; ++order)
        EXPECT_LT(violation(table, order, dense_weights(table, theta), theta), rounding * (1 + dense_scale))
            << "order " << order;
      EXPECT_GT(violation(table, table.dense_order + 1, dense_weights(table, theta), theta), 1e6);
    }
  });
}

TEST(Tableau, DenseOutputJoinsSmoothly) {
  for_each_table([](const auto& table) {
    for (int i = 0; i < table.total; ++i) {
      const auto& row = table.dense[static_cast<std::size_t>(i)];
      long double value = 0, slope = 0, scale = 1;
      for (std::size_t k = 0; k < row.size(); ++k) {
        value += row[k];
        slope += static_cast<long double>(k + 1) * row[k];
        scale += static_cast<long double>(k + 1) * std::abs(static_cast<long double>(row[k]));
      }
      EXPECT_NEAR(row[0], i == 0 ? 1 : 0, 1e-15);
      EXPECT_NEAR(static_cast<double>(value), i < table.stages ? table.b[static_cast<std::size_t>(i)] : 0,
                  static_cast<double>(1e-15L * scale));
      EXPECT_NEAR(static_cast<double>(slope), i == end_rate_row(table) ? 1 : 0, static_cast<double>(1e-15L * scale));
    }
  });
}

TEST(Tableau, FirstSameAsLastIsSeenInTheTable) {
  std::set<std::string> found;
  for_each_table([&found](const auto& table) {
    if (is_first_same_as_last(table)) found.insert(std::string(table.name));
  });
  EXPECT_EQ(found, (std::set<std::string>{"bogacki-shampine-3", "dormand-prince-5", "tsitouras-5", "verner-6"}));
}

TEST(Tableau, AMistypedDigitIsNotConsistent) {
  auto wrong = dormand_prince_5;
  wrong.a[3][1] += 1e-9;
  EXPECT_FALSE(is_consistent(wrong));
  wrong = dormand_prince_5;
  wrong.b[2] -= 1e-9;
  EXPECT_FALSE(is_consistent(wrong));
  wrong = dormand_prince_5;
  wrong.dense[4][1] += 1e-9;
  EXPECT_FALSE(is_consistent(wrong));
}

TEST(Tableau, StabilityReachesAsFarAsTheLiteratureSays) {
  // Hairer, Wanner, Solving ODE II, IV.2: Euler 2, order 2 two-stage 2, order 3 2.51, RK4 2.785, DOPRI5 3.31
  EXPECT_NEAR(real_stability_limit(euler), 2, 0.02);
  EXPECT_NEAR(real_stability_limit(heun_2), 2, 0.02);
  EXPECT_NEAR(real_stability_limit(kutta_3), 2.51, 0.02);
  EXPECT_NEAR(real_stability_limit(rk4), 2.785, 0.02);
  EXPECT_NEAR(real_stability_limit(dormand_prince_5), 3.31, 0.02);
}

TEST(Tableau, BeyondItsStabilityLimitADecayGrows) {
  System decay("decay");
  const auto x = decay.state("x", 1);
  decay.rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
  for_each_table([&](const auto& table) {
    const auto size_after_steps_of = [&](double step) {
      const Result run =
          simulate(decay, {.end = 500 * step, .method = std::string(table.name), .step = step, .keep = Keep::end});
      return std::abs(run.final()[x]);
    };
    const double limit = real_stability_limit(table);
    EXPECT_LT(size_after_steps_of(0.98 * limit), 1);
    EXPECT_GT(size_after_steps_of(1.02 * limit), 1);
  });
}

// ---- observed order ----
// For each tree there is an equation whose error is exactly that tree's (Butcher): one state per vertex,
//   y_v' = product of the y of its children,  y(0) = 0,  y_root(t) = t^|tree| / γ(tree).
// Taken for the most violated condition of the next order, it shows the order of a method with nothing in the way: the
// higher derivatives that hide a small leading error in ordinary problems do not exist.
System realize(const Tree& tree) {
  System system("tree");
  const Block<State> y = system.states("y", std::vector<double>(tree.size(), 0.0));
  system.rates([tree, y](const auto& at, auto& d) {
    for (const State v : y) d[v] = 1.0;
    for (std::size_t v = 1; v < tree.size(); ++v) d[y[tree[v]]] *= at[y[static_cast<int>(v)]];
  });
  return system;
}

double slope(double error, double half_step_error) {
  return std::log2(error / half_step_error);
}

TEST(ExplicitRungeKutta, ConvergesWithItsDeclaredOrder) {
  for_each_table([](const auto& table) {
    const Tree tree = worst_tree(table, table.order + 1, step_weights(table));
    const System system = realize(tree);
    const double end = 4;
    const auto error_with = [&](int steps) {
      const Result run =
          simulate(system, {.end = end, .method = std::string(table.name), .step = end / steps, .keep = Keep::end});
      return std::abs(run.final()[State{0}] * density(tree) / std::pow(end, tree.size()) - 1);
    };
    const int steps = table.order < 5 ? 256 : 4;
    EXPECT_NEAR(slope(error_with(steps), error_with(2 * steps)), table.order, 0.1)
        << error_with(steps) << " " << error_with(2 * steps);
  });
}

TEST(ExplicitRungeKutta, InterpolatesWithItsDeclaredOrder) {
  for_each_table([](const auto& table) {
    const Tree tree = worst_tree(table, table.dense_order + 1, dense_weights(table, 0.5), 0.5);
    const System system = realize(tree);
    const auto error_with = [&](double step) {  // over one step, where it is the error of the interpolant alone
      const Result run = simulate(system, {.end = step, .method = std::string(table.name), .step = step});
      double worst = 0;
      for (const double theta : thetas) {
        const double exact = std::pow(theta * step, tree.size()) / density(tree);
        worst = std::max(worst, std::abs(run.at(theta * step)[State{0}] - exact));
      }
      return worst;
    };
    EXPECT_NEAR(slope(error_with(2.0), error_with(1.0)), table.dense_order + 1, 0.25);
  });
}

}  // namespace
}  // namespace pawl
