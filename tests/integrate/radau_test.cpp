// Radau IIA with 3, 5 and 7 stages: its tables against their defining conditions, its orders as observed and as
// published for every index, what predicts, estimates and retakes a step, and how it behaves at its limits.
#include "integrate/radau.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "integrate/implicit_runs.hpp"
#include "integrate/radau_table.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using namespace pawl::testing;

MakeStepper radau_with(int stages) {
  return [=](formulate::ImplicitForm& form, const StepControl& control) { return make_radau(stages, form, control); };
}

// ---- tables ----

template <class Rows>
Matrix matrix_of(const Rows& rows) {
  const auto s = static_cast<Eigen::Index>(rows.size());
  Matrix out(s, s);
  for (Eigen::Index i = 0; i < s; ++i)
    for (Eigen::Index j = 0; j < s; ++j) out(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return out;
}

template <class Table>
class RadauTables : public ::testing::Test {
 protected:
  const Table& known = radau_table<Table::stages>();
  const Matrix weights = matrix_of(known.A);
  const Vector c = Eigen::Map<const Vector>(known.c.data(), Table::stages), b = weights.row(Table::stages - 1);
  Vector power(int k) const { return c.array().pow(k); }
};
using Sizes = ::testing::Types<RadauTable<3>, RadauTable<5>, RadauTable<7>>;
TYPED_TEST_SUITE(RadauTables, Sizes);

// The conditions B, C and D of Butcher, Math. Comp. 18 (1964) 50.
TYPED_TEST(RadauTables, MeetTheSimplifyingConditionsAndNoFurther) {
  constexpr int s = TypeParam::stages;
  const auto quadrature = [&](int k) { return std::abs(this->b.dot(this->power(k - 1)) - 1.0 / k); };
  for (int k = 1; k <= 2 * s - 1; ++k) EXPECT_LT(quadrature(k), 1e-14) << "B " << k;
  EXPECT_GT(quadrature(2 * s), 1e-9);
  for (int k = 1; k <= s; ++k)
    EXPECT_LT((this->weights * this->power(k - 1) - this->power(k) / k).cwiseAbs().maxCoeff(), 1e-14) << "C " << k;
  EXPECT_GT((this->weights * this->power(s) - this->power(s + 1) / (s + 1)).cwiseAbs().maxCoeff(), 1e-6);
  for (int k = 1; k < s; ++k) {
    const Vector left = this->weights.transpose() * this->b.cwiseProduct(this->power(k - 1)),
                 right = this->b.cwiseProduct(Vector::Ones(s) - this->power(k)) / k;
    EXPECT_LT((left - right).cwiseAbs().maxCoeff(), 1e-14) << "D " << k;
  }
  EXPECT_EQ(this->c[s - 1], 1);
}

TYPED_TEST(RadauTables, TransformTheInverseToItsEigenvalues) {
  constexpr int s = TypeParam::stages;
  const auto& table = this->known;
  const Matrix T = matrix_of(table.T), inverse_T = matrix_of(table.inverse_T), inverse_A = matrix_of(table.inverse_A);
  Matrix lambda = Matrix::Zero(s, s), U(s, s);
  lambda(0, 0) = table.gamma;
  for (int p = 0; p < TypeParam::pairs; ++p) {
    const auto pair = static_cast<std::size_t>(p);
    lambda.block<2, 2>(1 + 2 * p, 1 + 2 * p) << table.alpha[pair], table.beta[pair], -table.beta[pair],
        table.alpha[pair];
  }
  for (int k = 0; k < s; ++k) U.col(k) = this->power(k + 1);
  const Matrix one = Matrix::Identity(s, s);
  const auto largest = [](const Matrix& m) { return m.cwiseAbs().maxCoeff(); };
  EXPECT_LT(largest(T * inverse_T - one), 1e-15 * s * largest(T) * largest(inverse_T));
  EXPECT_LT(largest(this->weights * inverse_A - one), 1e-15 * s * largest(inverse_A));
  EXPECT_LT(largest(inverse_A * T - T * lambda), 2e-15 * s * largest(inverse_A) * largest(T));
  EXPECT_LT(largest(U * matrix_of(table.inverse_U) - one), 1e-15 * s * largest(matrix_of(table.inverse_U)));
}

TYPED_TEST(RadauTables, AreAStable) {
  constexpr int s = TypeParam::stages;
  using Complex = std::complex<double>;
  const Eigen::MatrixXcd A = this->weights.template cast<Complex>();
  const auto amplification = [&](Complex z) {
    const Eigen::VectorXcd ones = Eigen::VectorXcd::Ones(s);
    return std::abs(solution(Eigen::MatrixXcd::Identity(s, s) - z * A, ones)[s - 1]);
  };
  for (double y = 1e-3; y < 1e4; y *= 1.03) EXPECT_LE(amplification({0, y}), 1 + 1e-12) << y;
  EXPECT_LT(amplification(-1e8), 1e-6);
}

// Hairer, Wanner, Solving ODE II, table IV.5.6 and IV.8.
TEST(RadauTable, OfThreeStagesHasItsClosedForm) {
  const auto& table = radau_table<3>();
  const double r = std::sqrt(6.0), third = std::cbrt(3.0);
  const Matrix A{{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                 {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                 {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
  EXPECT_LT((matrix_of(table.A) - A).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_NEAR(table.c[0], (4 - r) / 10, 1e-16);
  EXPECT_NEAR(table.c[1], (4 + r) / 10, 2e-16);
  EXPECT_NEAR(table.gamma, 3 - third + third * third, 1e-15);
  EXPECT_NEAR(table.alpha[0], 3 + (third - third * third) / 2, 1e-15);
  EXPECT_NEAR(table.beta[0], std::sqrt(3.0) * (third + third * third) / 2, 1e-15);
}

// ---- what predicts and estimates ----

/// y' = p'(t) with y = Σ t^k, k = 0 ... degree.
ImplicitProblem polynomial(int degree) {
  const auto slope = [=](double t) {
    double sum = 0;
    for (int k = degree; k > 0; --k) sum = sum * t + k;
    return sum;
  };
  return {.name = "polynomial",
          .start = Vector{{1.0}},
          .exact =
              [=](double t) {
                double sum = 0;
                for (int k = degree; k >= 0; --k) sum = sum * t + 1;
                return Vector{{sum}};
              },
          .f = [=](double t, const Vector&) { return Vector{{slope(t)}}; },
          .J = [](double, const Vector&, const Vector&) { return Matrix{{0.0}}; },
          .f_t = {}};
}

/// Newton's method needs one iteration to see that its start is right already.
TEST(Radau, ContinuesPolynomialsOfItsDegreeExactly) {
  for (const int s : {3, 5, 7}) {
    SCOPED_TRACE(s);
    for (const int extra : {0, 1}) {
      const ImplicitProblem problem = polynomial(s + extra);
      ProblemForm form(problem);
      const StepControl control = control_for(problem, extra == 0 ? 1e-7 : 1e-10, 0.25);
      const auto stepper = make_radau(s, form, control);
      Step step(1);
      stepper->restart(0, problem.start.data(), 1, 0);
      for (int i = 0; i < 4; ++i) ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      EXPECT_NEAR(step.end()[0], problem.exact(1)[0], 1e-13);
      if (extra == 0)
        EXPECT_EQ(stepper->work().iterations, 2 + 3);
      else
        EXPECT_EQ(stepper->work().iterations, 2 * 4);
    }
  }
}

TEST(Radau, ContinuesAPolynomialAcrossAChangeOfOrder) {
  for (const int degree : {5, 6}) {
    const ImplicitProblem problem = polynomial(degree);
    ProblemForm form(problem);
    StepControl control = control_for(problem, 1e-7);
    control.max_step = 0.01;
    const auto stepper = make_radau(0, form, control);
    Step step(1);
    stepper->restart(0, problem.start.data(), 1, 0.01);
    for (double t = 0; t < 1; t = step.t1) ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
    const auto shares = stepper->steps_by_method();
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].first, "radau order 9");
    EXPECT_EQ(shares[1].first, "radau order 13");
    EXPECT_EQ(shares[0].second + shares[1].second, stepper->work().accepted);
    EXPECT_NEAR(step.end()[0], problem.exact(1)[0], 1e-12);
    EXPECT_EQ(stepper->work().iterations, stepper->work().accepted + 1) << degree;  // its fifth degree misses by 1e-12
  }
}

TEST(Radau, ItsErrorEstimateIsZeroUpToItsDegreeAndOnlyThere) {
  for (const int s : {3, 5, 7}) {
    SCOPED_TRACE(s);
    const auto estimate = [&](int degree) {
      const ImplicitProblem problem = polynomial(degree);
      ProblemForm form(problem);
      const StepControl control = control_for(problem, 1e-8, 0.5);
      const auto stepper = make_radau(s, form, control);
      Step step(1);
      stepper->restart(0, problem.start.data(), 1, 0);
      EXPECT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      return step.error;
    };
    for (int degree = 1; degree <= s; ++degree) EXPECT_LT(estimate(degree), 1e-5) << degree;
    EXPECT_GT(estimate(s + 1), 100);
  }
}

// e = (γ/h M - J)^-1 r(P') is of order h^(s+1) where nothing is stiff.
TEST(Radau, ItsErrorEstimateHasItsOrder) {
  for (const int s : {3, 5, 7}) {
    const auto estimate = [&](double h) {
      const ImplicitProblem problem = forced_oscillator();
      ProblemForm form(problem);
      const StepControl control = control_for(problem, 1e-9, h);
      const auto stepper = make_radau(s, form, control);
      Step step(2);
      stepper->restart(0, problem.start.data(), 1, 0);
      EXPECT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
      return step.error;
    };
    const double h = s == 7 ? 0.2 : 0.1;
    EXPECT_NEAR(std::log2(estimate(h) / estimate(h / 2)), s + 1, 0.15) << s;
  }
}

// ---- orders ----

/// Index 3: a point on a circle, driven along it with the speed φ'(t) = 1 + sin(t)/2;
///   q' = v,  v' = φ'' (-q2, q1) - λ q,  0 = (q·q - 1)/2;  q = (cos φ, sin φ), λ = φ'².
ImplicitProblem index_3() {
  static constexpr auto phase = [](double t) { return t + 0.5 * (1 - std::cos(t)); };
  static constexpr auto speed = [](double t) { return 1 + 0.5 * std::sin(t); };
  static constexpr auto gain = [](double t) { return 0.5 * std::cos(t); };
  Matrix M = Matrix::Identity(5, 5);
  M(4, 4) = 0;
  return {.name = "index 3",
          .end = 2,
          .start = Vector{{1.0, 0.0, 0.0, 1.0, 1.0}},
          .exact =
              [](double t) {
                const double p = phase(t), w = speed(t);
                return Vector{{std::cos(p), std::sin(p), -w * std::sin(p), w * std::cos(p), w * w}};
              },
          .f =
              [](double t, const Vector& y) {
                return Vector{{y[2], y[3], -gain(t) * y[1] - y[4] * y[0], gain(t) * y[0] - y[4] * y[1],
                               (y[0] * y[0] + y[1] * y[1] - 1) / 2}};
              },
          .J =
              [](double t, const Vector& y, const Vector&) {
                return Matrix{{0.0, 0.0, 1.0, 0.0, 0.0},
                              {0.0, 0.0, 0.0, 1.0, 0.0},
                              {-y[4], -gain(t), 0.0, 0.0, -y[0]},
                              {gain(t), -y[4], 0.0, 0.0, -y[1]},
                              {y[0], y[1], 0.0, 0.0, 0.0}};
              },
          .f_t = {},
          .M = M,
          .mass = {},
          .roles = {{true, 1}, {true, 1}, {true, 2}, {true, 2}, {false, 3}}};
}

TEST(Radau, HasOrderTwiceItsStagesLessOneWhereNothingIsStiff) {
  const auto expect_order = [](int s, const ImplicitProblem& problem, int steps) {
    SCOPED_TRACE(problem.name + ", stages " + std::to_string(s));
    const Orders orders = observed_orders(radau_with(s), problem, steps);
    ASSERT_EQ(orders.end.size(), problem.start.size());
    EXPECT_NEAR(orders.end.minCoeff(), 2 * s - 1, s == 7 ? 1 : 0.25);
  };
  expect_order(3, kaps(1), 16);
  expect_order(3, riccati(), 16);
  expect_order(5, kaps(1), 2);
  expect_order(5, forced_oscillator(), 2);
  expect_order(7, kaps(1), 1);
  expect_order(7, forced_oscillator(), 1);
}

// The error is O(h^(s+1) / z), z = h λ (Hairer, Wanner, Solving ODE II, table IV.15.1): order s + 1 where h λ stays.
TEST(Radau, HasOneOrderAboveItsStagesInTheStiffLimit) {
  for (const int s : {3, 5, 7}) {
    const int steps = s == 7 ? 1 : 4;
    const auto error = [&](int count, double lambda) {
      const RunErrors errors = run_fixed(radau_with(s), prothero_robinson(lambda), count);
      EXPECT_TRUE(errors.is_complete);
      return errors.end[0];
    };
    EXPECT_NEAR(std::log2(error(steps, 1e3 * steps) / error(2 * steps, 2e3 * steps)), s + 1, 0.3) << s;
    EXPECT_NEAR(std::log2(error(steps, 1e3) / error(2 * steps, 1e3)), s, 0.35) << s;  // the same λ
  }
}

TEST(Radau, KeepsItsOrderInBothKindsOfUnknownsOfIndexOne) {
  for (const auto& [s, steps] : {std::pair{3, 16}, {5, 6}}) {
    const Orders orders = observed_orders(radau_with(s), index_1(), steps);
    ASSERT_EQ(orders.end.size(), 3);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(orders.end[i], 2 * s - 1, 0.2) << s << ", unknown " << i + 1;
  }
  EXPECT_LT(run_fixed(radau_with(7), index_1(), 8).end.maxCoeff(), 1e-12);
}

TEST(Radau, TakesMassMatricesThatDependOnTheState) {
  for (const auto& [s, steps] : {std::pair{3, 16}, {5, 4}}) {
    const Orders orders = observed_orders(radau_with(s), varying_mass(), steps);
    ASSERT_EQ(orders.end.size(), 2);
    EXPECT_NEAR(orders.end[1], 2 * s - 1, 0.2) << s;
    EXPECT_LT(orders.errors.end[0], 1e-9);
  }
}

// Newton's method finds the first step of this problem at once, by chance: the next one must be iterated all the same.
TEST(Radau, AFastFirstStepDoesNotExcuseTheNextFromIterating) {
  const RunErrors varying = run_fixed(radau_with(5), varying_mass(), 4),
                  plain = run_fixed(radau_with(5), forced_oscillator(), 4);
  ASSERT_TRUE(varying.is_complete && plain.is_complete);
  EXPECT_LT((varying.end - plain.end).cwiseAbs().maxCoeff(), 1e-13);  // the same collocation solution
}

// Hairer, Lubich, Roche, Lecture Notes in Mathematics 1409 (1989): 2s - 1 and s.
TEST(Radau, HasThePublishedOrdersForIndexTwo) {
  const Orders three = observed_orders(radau_with(3), index_2(), 32);
  ASSERT_EQ(three.end.size(), 3);
  EXPECT_NEAR(three.end[0], 5, 0.15);
  EXPECT_NEAR(three.end[1], 5, 0.15);
  EXPECT_NEAR(three.end[2], 3, 0.2);
  const Orders five = observed_orders(radau_with(5), index_2(), 16);
  ASSERT_EQ(five.end.size(), 3);
  EXPECT_NEAR(five.end[2], 5, 0.3);
  EXPECT_LT(five.errors.end.head(2).maxCoeff(), 1e-11);
}

// The same and Jay, BIT 33 (1993) 137: positions 2s - 1, speeds s, multipliers s - 1.
TEST(Radau, HasThePublishedOrdersForIndexThree) {
  for (const auto& [s, steps] : {std::pair{3, 24}, {5, 6}, {7, 8}}) {
    SCOPED_TRACE(s);
    const Orders orders = observed_orders(radau_with(s), index_3(), steps);
    ASSERT_EQ(orders.end.size(), 5);
    if (s == 3) {
      EXPECT_NEAR(orders.end[0], 5, 0.25);
      EXPECT_NEAR(orders.end[1], 5, 0.25);
    } else {
      EXPECT_LT(orders.errors.end.head(2).maxCoeff(), 1e-12);
    }
    EXPECT_NEAR(orders.end[2], s, 0.25);
    EXPECT_NEAR(orders.end[3], s, 0.25);
    EXPECT_NEAR(orders.end[4], s - 1, 0.25);
  }
}

TEST(Radau, DenseOutputHasTheOrderOfItsStages) {
  for (const auto& [s, h] : {std::pair{3, 0.1}, {5, 0.2}, {7, 0.4}}) {
    EXPECT_NEAR(observed_dense_order(radau_with(s), forced_oscillator(), h), s + 1, 0.15) << s;
    EXPECT_NEAR(observed_dense_order(radau_with(s), index_1(), h), s + 1, 0.3) << s;
  }
}

// ---- steps ----

TEST(Radau, AStepTakenAgainIsMuchBetterAtItsNewEndThanThePolynomialThere) {
  for (const int s : {3, 5, 7}) {
    SCOPED_TRACE(s);
    const ImplicitProblem problem = forced_oscillator();
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-3);
    const auto stepper = make_radau(s, form, control);
    Step step(2);
    stepper->restart(0, problem.start.data(), 1, s == 7 ? 0.8 : 0.4);
    ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
    ASSERT_TRUE(stepper->interpolate(step));
    const double middle = step.t0 + 0.55 * step.span;
    Vector inside(2), end(2);
    step.at(middle, inside.data());
    const long long before = stepper->work().rhs;
    ASSERT_TRUE(stepper->redo(middle, nullptr, step));
    EXPECT_LE(stepper->work().rhs - before, 2 * s + 1);
    EXPECT_EQ(step.t1, middle);
    end = Eigen::Map<const Vector>(step.end(), 2);
    const Vector exact = problem.exact(middle);
    EXPECT_GT((inside - exact).norm(), 10 * (end - exact).norm());
    EXPECT_EQ(stepper->work().accepted, 1);
    const auto shares = stepper->steps_by_method();
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].second, 1);  // the same step
  }
}

TEST(Radau, GoesBackToWhereItCameFrom) {
  const ImplicitProblem problem = forced_oscillator();
  for (const int s : {0, 3, 5, 7}) {
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-9);
    const auto stepper = make_radau(s, form, control);
    Step step(2);
    const Vector end = problem.exact(2);
    stepper->restart(2, end.data(), -1, 0);
    for (double t = 2; t > 0; t = step.t1) ASSERT_EQ(stepper->step(0, nullptr, step), Attempt::accepted);
    EXPECT_EQ(step.t1, 0);
    EXPECT_LT((Eigen::Map<const Vector>(step.end(), 2) - problem.start).norm(), 1e-7) << s;
  }
}

TEST(Radau, AFixedStepHasPatience) {
  // Newton's method contracts by a third only in these steps; there is no shorter one to fall back on.
  const Orders orders = observed_orders(radau_with(3), riccati(), 4);
  ASSERT_EQ(orders.end.size(), 1);
  EXPECT_NEAR(orders.end[0], 5, 0.2);
}

TEST(Radau, RespectsTheLargestStep) {
  const Problem& problem = find_problem("hires");
  const Result run = simulate(problem.system, {.end = 20, .method = "radau", .max_step = 0.25});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LE(run.statistics.max_step, 0.25 * (1 + 1e-12));
  EXPECT_GE(run.statistics.steps_accepted, 80);
}

Result run_problem(const std::string& name, const std::string& method, double tolerance, double end = 0) {
  const Problem& problem = find_problem(name);
  return simulate(problem.system,
                  {.end = end > 0 ? end : problem.end, .tolerance = tolerance, .method = method, .keep = Keep::end});
}

double error_of(const std::string& name, const Result& run) {
  const Problem& problem = find_problem(name);
  return error_against_reference(problem, Values(problem.system), run.t_end, run.final().states()).value_or(1e300);
}

TEST(Radau, CountsWhatItDoes) {
  for (const std::string method : {"radau", "radau-5", "radau-9", "radau-13"}) {
    SCOPED_TRACE(method);
    for (const std::string name : {"vdpol", "robertson", "transistor-amplifier"}) {  // robertson: with events
      SCOPED_TRACE(name);
      const Result run = run_problem(name, method, 1e-6);
      ASSERT_TRUE(run.finished()) << run.reason;
      const ImplicitStatistics& work = run.statistics.implicit.value();
      EXPECT_GT(work.jacobians, 0);
      EXPECT_GE(work.dual_rhs, work.jacobians);
      EXPECT_GE(work.factorizations, work.jacobians);
      EXPECT_GT(work.solves, work.iterations);
      EXPECT_GE(work.iterations, run.statistics.steps_accepted);
      EXPECT_GT(run.statistics.rhs, 3 * work.iterations);
      const long long steps =
          std::accumulate(work.steps.begin(), work.steps.end(), 0LL,
                          [](long long sum, const ImplicitStatistics::Share& share) { return sum + share.steps; });
      EXPECT_EQ(steps, run.statistics.steps_accepted);
      EXPECT_NE(work.linear_solver.find("dense"), std::string::npos) << work.linear_solver;
      EXPECT_NE(work.jacobian.find("exact"), std::string::npos) << work.jacobian;
    }
  }
}

TEST(Radau, GivesTheSameBitsTwice) {
  for (const std::string name : {"vdpol", "robertson", "chem-akzo"}) {
    const Result one = run_problem(name, "radau", 1e-7), two = run_problem(name, "radau", 1e-7);
    EXPECT_EQ(one.final().states(), two.final().states());
    EXPECT_EQ(one.statistics.rhs, two.statistics.rhs);
    ASSERT_EQ(one.events.size(), two.events.size());
    for (std::size_t i = 0; i < one.events.size(); ++i) EXPECT_EQ(one.events[i].t, two.events[i].t);
  }
}

// ---- difficulties ----

TEST(Radau, ANumberThatDoesNotExistInsideTheIterationOnlyShortensTheStep) {
  // The square root of a concentration, which loose iterates make negative.
  for (const std::string method : {"radau-5", "radau-9", "radau-13"}) {
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      const Result run = run_problem("chem-akzo", method, tolerance);
      ASSERT_TRUE(run.finished()) << method << ' ' << tolerance << ' ' << run.reason;
      EXPECT_LT(error_of("chem-akzo", run), tolerance);
    }
  }
  // y' = -10³ (√y - cos t): from 1e-4 the first iterates of a long step lie below zero.
  System root("root");
  const auto y = root.state("y", 1e-4);
  root.rates([=](const auto& at, auto& d) { d[y] = -1e3 * (sqrt(at[y]) - cos(at.t)); });
  for (const std::string method : {"radau-5", "radau-9", "radau-13"}) {
    const Result run = simulate(root, {.end = 1, .tolerance = 1e-6, .method = method, .first_step = 0.1});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_GT(run.statistics.implicit->divergences, 0) << method;
    EXPECT_NEAR(run.final()[y], std::pow(std::cos(1.0) + 2e-3 * std::cos(1.0) * std::sin(1.0), 2), 1e-4);
  }
}

TEST(Radau, TheOrderFollowsTheToleranceWhereNewtonAllowsIt) {
  const auto most_used = [](double tolerance) {
    const Result run = run_problem("hires", "radau", tolerance);
    EXPECT_TRUE(run.finished());
    const auto& shares = run.statistics.implicit->steps;
    return std::max_element(shares.begin(), shares.end(),
                            [](const auto& a, const auto& b) { return a.steps < b.steps; })
        ->method;
  };
  EXPECT_EQ(most_used(1e-3), "radau order 5");
  EXPECT_EQ(most_used(1e-6), "radau order 9");
  EXPECT_EQ(most_used(1e-11), "radau order 13");
}

TEST(Radau, WhereHigherOrdersDoNotConvergeTheChoiceStaysWithTheLowest) {
  // The ring modulator at a loose tolerance: Newton's radius of convergence, not the error, limits orders 9 and 13.
  const Result five = run_problem("ring-modulator", "radau-5", 1e-3, 1e-4),
               chosen = run_problem("ring-modulator", "radau", 1e-3, 1e-4);
  ASSERT_TRUE(five.finished() && chosen.finished());
  EXPECT_LT(static_cast<double>(chosen.statistics.steps_accepted),
            1.3 * static_cast<double>(five.statistics.steps_accepted));
}

TEST(Radau, ReachesTheRoundingOfTheModelAndGoesNoFurther) {
  for (const double tolerance : {1e-9, 1e-10}) {
    const Result run = run_problem("transistor-amplifier", "radau", tolerance);
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(error_of("transistor-amplifier", run), 100 * tolerance);
  }
  const Result run = run_problem("transistor-amplifier", "radau", 1e-12);
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(error_of("transistor-amplifier", run), 1e-8);
  ASSERT_FALSE(run.messages.empty());
  EXPECT_TRUE(says(run.messages.back().text, {"the tolerance 1e-12 is below what rounding in the model allows"}));
}

TEST(Radau, RestartsCheaplyAfterEvents) {
  // A relay on a slow state that a fast one follows, switched 10 times, ln 3 apart.
  System plant("plant");
  const auto slow = plant.state("slow", 0), fast = plant.state("fast", 0);
  const auto u = plant.relay("u", {.below = 1, .above = -1, .hysteresis = 1}, [=](const auto& at) { return at[slow]; });
  plant.rates([=](const auto& at, auto& d) {
    d[slow] = at[u] - at[slow];
    d[fast] = 1e5 * (at[slow] - at[fast]);
  });
  const double last = std::log(2.0) + 9 * std::log(3.0);
  const Result run = simulate(plant, {.end = last + 0.5, .tolerance = 1e-6, .method = "radau-9"});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_EQ(run.events.size(), 10u);
  EXPECT_NEAR(run.events.back().t, last, 1e-8);
  EXPECT_LE(run.statistics.rhs, 65 * 10);
}

}  // namespace
}  // namespace pawl
