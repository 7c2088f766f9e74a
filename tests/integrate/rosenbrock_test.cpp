// Rosenbrock methods: their tables against every order condition, their orders as observed, and what they say.
#include "integrate/rosenbrock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "integrate/implicit_runs.hpp"
#include "integrate/turning_form.hpp"
#include "misuse_of.hpp"

namespace pawl {
namespace {

using namespace pawl::testing;

MakeStepper maker(const RosenbrockTable& table) {
  return [&table](formulate::ImplicitForm& form, const StepControl& control) {
    return make_rosenbrock(table, form, control);
  };
}

const RosenbrockTable& find(std::string_view name) {
  for (const RosenbrockTable& table : rosenbrock_tables())
    if (table.name == name) return table;
  throw std::invalid_argument(std::string(name));
}

/// The table in the coefficients of the order conditions: Γ^-1 = I/γ - C, α = a Γ, b = m Γ.
struct Conditions {
  explicit Conditions(const RosenbrockTable& of) : table(of), stages(of.stages) {
    LongMatrix inverse = LongMatrix::Identity(stages, stages) / static_cast<long double>(table.gamma),
               a(stages, stages);
    for (int i = 0; i < stages; ++i) {
      a.row(i) = row(table.a[static_cast<std::size_t>(i)]).transpose();
      inverse.row(i) -= row(table.C[static_cast<std::size_t>(i)]).transpose();
    }
    gamma = inverse.triangularView<Eigen::Lower>().solve(LongMatrix::Identity(stages, stages));
    alpha = a * gamma;
    beta = alpha + gamma;
    embedded = gamma.transpose() * a.row(stages - 1).transpose();
    b = embedded + gamma.row(stages - 1).transpose();
  }
  LongVector row(const RosenbrockTable::Row& values) const {
    return Eigen::Map<const Vector>(values.data(), stages).cast<long double>();
  }
  LongVector dense(double theta) const {
    LongVector weights = row(table.a[static_cast<std::size_t>(stages - 1)]);
    weights[stages - 1] += 1;
    weights *= theta;
    double power = theta * (1 - theta);
    for (int k = 0; k < table.dense_rows; ++k, power *= theta)
      weights += power * row(table.dense[static_cast<std::size_t>(k)]);
    return gamma.transpose() * weights;
  }
  /// Everything that a wrong digit in a or C would disturb.
  double worst() const {
    double worst = 0;
    for (int order = 1; order <= table.order; ++order) worst = std::max(worst, order_violation(alpha, beta, b, order));
    for (int order = 1; order <= table.embedded_order; ++order)
      worst = std::max(worst, order_violation(alpha, beta, embedded, order));
    for (int order = 1; order <= table.dense_order; ++order)
      worst = std::max(worst, order_violation(alpha, beta, dense(0.4), order, 0.4));
    const LongVector ones = LongVector::Ones(stages);
    worst = std::max(worst, static_cast<double>((alpha * ones - row(table.c)).cwiseAbs().maxCoeff()));
    worst = std::max(worst, static_cast<double>((gamma * ones - row(table.d)).cwiseAbs().maxCoeff()));
    return worst;
  }

  const RosenbrockTable& table;
  int stages;
  LongMatrix alpha, gamma, beta;
  LongVector b, embedded;
};

// Sixteen digits of coefficients up to 170, combined with weights up to 80.
constexpr double rounding = 2e-14;

TEST(RosenbrockTables, MeetEveryOrderConditionAndNoFurther) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Conditions of(table);
    for (int order = 1; order <= table.order; ++order)
      EXPECT_LT(order_violation(of.alpha, of.beta, of.b, order), rounding) << "order " << order;
    EXPECT_GT(order_violation(of.alpha, of.beta, of.b, table.order + 1), 1e-4);
    for (int order = 1; order <= table.embedded_order; ++order)
      EXPECT_LT(order_violation(of.alpha, of.beta, of.embedded, order), rounding) << "embedded, order " << order;
    EXPECT_GT(order_violation(of.alpha, of.beta, of.embedded, table.embedded_order + 1), 1e-4);
    for (const double theta : {0.1, 0.3, 0.5, 0.77, 0.95}) {
      for (int order = 1; order <= table.dense_order; ++order)
        EXPECT_LT(order_violation(of.alpha, of.beta, of.dense(theta), order, theta), rounding) << "dense " << theta;
      EXPECT_GT(order_violation(of.alpha, of.beta, of.dense(theta), table.dense_order + 1, theta), 1e-5);
    }
  }
}

TEST(RosenbrockTables, SumsOfRowsAreTheirTimes) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    const Conditions of(table);
    const LongVector ones = LongVector::Ones(table.stages);
    EXPECT_LT((of.alpha * ones - of.row(table.c)).cwiseAbs().maxCoeff(), rounding) << table.name;
    EXPECT_LT((of.gamma * ones - of.row(table.d)).cwiseAbs().maxCoeff(), rounding) << table.name;
  }
}

TEST(RosenbrockTables, AreStifflyAccurate) {  // so R(∞) = 0, and algebraic equations hold at the ends of steps
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    const Conditions of(table);
    EXPECT_LT((of.beta.row(table.stages - 1).transpose() - of.b).cwiseAbs().maxCoeff(), rounding) << table.name;
    EXPECT_LT((of.beta.row(table.stages - 2).transpose() - of.embedded).cwiseAbs().maxCoeff(), rounding) << table.name;
  }
}

TEST(RosenbrockTables, AWrongDigitIsFound) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    for (std::size_t i = 1; i < static_cast<std::size_t>(table.stages); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        RosenbrockTable wrong = table;
        wrong.a[i][j] += 1e-11;
        EXPECT_GT(Conditions(wrong).worst(), 3 * rounding) << table.name << " a " << i + 1 << ' ' << j + 1;
        wrong = table;
        wrong.C[i][j] += 1e-10;
        EXPECT_GT(Conditions(wrong).worst(), 3 * rounding) << table.name << " C " << i + 1 << ' ' << j + 1;
      }
    }
  }
}

TEST(Rosenbrock, ConvergesWithItsOrderWhereNotStiff) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    SCOPED_TRACE(std::string(table.name));
    for (const ImplicitProblem& problem : {riccati(), forced_oscillator(), kaps(1)}) {
      SCOPED_TRACE(problem.name);
      const Orders orders = observed_orders(maker(table), problem, 40);
      ASSERT_GT(orders.end.size(), 0);
      EXPECT_NEAR(orders.end.maxCoeff(), table.order, 0.3);
      EXPECT_NEAR(orders.end.minCoeff(), table.order, 0.5);
    }
  }
}

TEST(Rosenbrock, InterpolatesWithItsDenseOrder) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    for (const ImplicitProblem& problem : {forced_oscillator(), kaps(1)})
      EXPECT_NEAR(observed_dense_order(maker(table), problem, 0.05), table.dense_order + 1, 0.25)
          << table.name << ", " << problem.name;
  }
}

// Where the stiffness dominates (h λ from 1e4 on) the ends have errors h/λ (RODAS4) and h³/λ (Rodas5P, built for this:
// Steinebach 2023), and the dense output has O(h³) and O(h⁴).
TEST(Rosenbrock, LosesTheKnownOrdersOnProtheroAndRobinson) {
  const Orders rodas4 = observed_orders(maker(find("rodas4")), prothero_robinson(1e6), 80);
  EXPECT_NEAR(rodas4.end[0], 1, 0.1);
  EXPECT_NEAR(rodas4.inside[0], 3, 0.1);
  EXPECT_LT(rodas4.errors.end[0], 1e-9);
  const Orders rodas5p = observed_orders(maker(find("rodas5p")), prothero_robinson(1e6), 20);
  EXPECT_NEAR(rodas5p.end[0], 3, 0.1);
  EXPECT_NEAR(rodas5p.inside[0], 4, 0.1);
  EXPECT_LT(rodas5p.errors.end[0], 1e-12);
}

TEST(Rosenbrock, KeepsItsOrderInTheSlowUnknownsOfAStiffProblem) {
  EXPECT_NEAR(observed_orders(maker(find("rodas4")), kaps(1e-7), 40).end[1], 4, 0.1);
  EXPECT_GT(observed_orders(maker(find("rodas5p")), kaps(1e-7), 10).end[1], 4.8);
}

TEST(Rosenbrock, ConvergesOnAnEquationOfIndexOne) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Orders orders = observed_orders(maker(table), index_1(), 80);
    ASSERT_GT(orders.end.size(), 0);
    EXPECT_GT(orders.end[0], table.order - 0.1);  // differential
    EXPECT_GT(orders.end[2], table.order - 0.1);  // algebraic
    EXPECT_NEAR(orders.inside[0], table.order, 0.2);
    EXPECT_NEAR(orders.inside[1], table.order, 0.2);
    EXPECT_NEAR(orders.inside[2], table.dense_order, 0.1);  // one less inside steps
  }
}

// y1(2000), y2(2000) for μ = 1000: Test Set for IVP Solvers (Mazzia, Magherini), from (2, 0).
TEST(Rosenbrock, KeepsToTheToleranceOnVanDerPol) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    double before = 1;
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      const AdaptiveRun run = run_adaptive(maker(table), van_der_pol(1000), tolerance);
      ASSERT_EQ(run.last, Attempt::accepted);
      const double error =
          std::max(std::abs(run.end[0] - 1.706167732170469), std::abs(run.end[1] + 0.8928097010248125e-3));
      EXPECT_LT(error, 20 * tolerance) << table.name;
      EXPECT_LT(error, before / 10) << table.name;
      before = error;
      // One Jacobian per accepted step, one factorization per trial, one solve per stage, nothing else.
      EXPECT_EQ(run.work.jacobians, run.work.accepted);
      EXPECT_EQ(run.work.factorizations, run.work.accepted + run.work.rejected + run.work.divergences);
      EXPECT_EQ(run.work.solves, table.stages * run.work.factorizations);
      EXPECT_EQ(run.work.iterations, 0);
    }
  }
}

TEST(Rosenbrock, RunsBackward) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    const ImplicitProblem problem = forced_oscillator();
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-8);
    const auto stepper = make_rosenbrock(table, form, control);
    const Vector start = problem.exact(2);
    stepper->restart(2, start.data(), -1, 0);
    Step step(2);
    do ASSERT_EQ(stepper->step(0, nullptr, step), Attempt::accepted);
    while (step.t1 > 0);
    EXPECT_NEAR(step.end()[0], 1, 1e-6);
    EXPECT_NEAR(step.end()[1], -1, 1e-6);
  }
}

TEST(Rosenbrock, RetakesAStepWithTheJacobianItHas) {
  const ImplicitProblem problem = index_1();
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    ProblemForm form(problem), other(problem);
    const StepControl control = control_for(problem, 1e-2);
    const auto stepper = make_rosenbrock(table, form, control), direct = make_rosenbrock(table, other, control);
    Step step(3), wanted(3);
    stepper->restart(0, problem.start.data(), 1, 0.1);
    ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
    ASSERT_EQ(step.t1, 0.1);
    const long long jacobians = stepper->work().jacobians;
    ASSERT_TRUE(stepper->redo(0.06, nullptr, step));
    EXPECT_EQ(stepper->work().jacobians, jacobians);
    direct->restart(0, problem.start.data(), 1, 0.06);
    ASSERT_EQ(direct->step(2, nullptr, wanted), Attempt::accepted);
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(step.end()[i], wanted.end()[i]);
    // and goes on from there, within what a tolerance of 1e-2 allows
    ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
    EXPECT_EQ(step.t0, 0.06);
    EXPECT_EQ(stepper->work().jacobians, jacobians + 1);
    EXPECT_LT((Eigen::Map<const Vector>(std::as_const(step).end(), 3) - problem.exact(step.t1)).norm(), 0.05);
  }
}

class Shift final : public Correction {
 public:
  double apply(double, double* x) override {
    x[0] += 1e-3;
    return 0.5;
  }
};

TEST(Rosenbrock, ItsPolynomialEndsAtTheCorrectedEnd) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    const ImplicitProblem problem = forced_oscillator();
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-8, 0.1);
    const auto stepper = make_rosenbrock(table, form, control);
    stepper->restart(0, problem.start.data(), 1, 0);
    Step step(2);
    Shift shift;
    ASSERT_EQ(stepper->step(2, &shift, step), Attempt::accepted);
    stepper->interpolate(step);
    double x[2];
    evaluate_polynomials(step.coefficients(), 2, step.degree(), 1, x);
    EXPECT_NEAR(x[0], step.end()[0], 1e-14);
    EXPECT_NEAR(x[1], step.end()[1], 1e-14);
    EXPECT_NEAR(x[0], problem.exact(step.t1)[0] + 1e-3, 1e-5);
    EXPECT_EQ(step.coefficients()[0], 1);
  }
}

TEST(Rosenbrock, RefusesAMassMatrixThatVaries) {
  ProblemForm form(varying_mass());
  const StepControl control = control_for(form.problem(), 1e-6);
  const std::string text = misuse_of([&] { make_rosenbrock(find("rodas5p"), form, control); });
  for (const char* part : {"method 'rodas5p'", "constant mass matrix", "F(t, y, y') = 0", "'radau'"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Rosenbrock, SaysOnceThatDifferencesLoseItsOrder) {
  ProblemForm form(forced_oscillator());
  form.pretend_differences();
  const StepControl control = control_for(form.problem(), 1e-6);
  const auto stepper = make_rosenbrock(find("rodas4"), form, control);
  for (int piece = 0; piece < 2; ++piece) stepper->restart(0, form.problem().start.data(), 1, 0);
  const auto notes = stepper->take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, MessageCode::inexact_jacobian);
  EXPECT_EQ(notes[0].level, Message::Level::warning);
  EXPECT_EQ(notes[0].text,
            "method 'rodas4' has its order only with an exact Jacobian, and this one is by differences: expect smaller "
            "steps or larger errors (try 'radau')");
}

TEST(Rosenbrock, StopsWhereTheMassMatrixBeginsToVary) {
  const ImplicitProblem problem = forced_oscillator();
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    for (const bool at_restart : {true, false}) {
      SCOPED_TRACE(std::string(table.name) + (at_restart ? ", at a restart" : ", on the way"));
      TurningForm form(1, at_restart);
      const StepControl control = control_for(problem, 1e-6);
      const auto stepper = make_rosenbrock(table, form, control);
      Step step(2);
      stepper->restart(0, problem.start.data(), 1, 0);
      do ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      while (step.t1 < 1);
      std::string text;
      try {
        if (at_restart)
          stepper->restart(1, std::as_const(step).end(), 1, 0);
        else
          stepper->step(2, nullptr, step);
      } catch (const Misuse& error) {
        text = error.what();
      }
      EXPECT_EQ(text, "method '" + std::string(table.name) +
                          "' needs a constant mass matrix, and it varies here: use 'radau'");
    }
  }
}

TEST(Rosenbrock, KeepsToTheToleranceInAlgebraicUnknownsInsideSteps) {
  for (const RosenbrockTable& table : rosenbrock_tables()) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const double error = errors_inside(maker(table), fast_algebraic(), tolerance)[1];
      EXPECT_LT(error, 3 * tolerance) << table.name;
      EXPECT_GT(error, 0.05 * tolerance) << table.name;  // nor is the estimate far too large
    }
  }
}

}  // namespace
}  // namespace pawl
