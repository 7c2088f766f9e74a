// Diagonally implicit methods: their tables against every order condition, their orders as observed, with and without
// stiffness, and for every kind of mass matrix.
#include "integrate/esdirk.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <utility>

#include "integrate/implicit_runs.hpp"
#include "integrate/turning_form.hpp"

namespace pawl {
namespace {

using namespace pawl::testing;

MakeStepper maker(const EsdirkTable& table) {
  return
      [&table](formulate::ImplicitForm& form, const StepControl& control) { return make_esdirk(table, form, control); };
}

/// Stage order: z_i = c_i^k exactly for polynomials up to this degree.
int stage_order(const EsdirkTable& table) {
  return table.has_explicit_start() ? 2 : 1;
}

struct Conditions {
  explicit Conditions(const EsdirkTable& of) : table(of), stages(of.stages), A(of.stages, of.stages) {
    for (int i = 0; i < stages; ++i) A.row(i) = row(table.a[static_cast<std::size_t>(i)]).transpose();
    b = A.row(stages - 1).transpose();
    embedded = b - row(table.e);
  }
  LongVector row(const EsdirkTable::Row& values) const {
    return Eigen::Map<const Vector>(values.data(), stages).cast<long double>();
  }
  LongVector stage_weights(double theta) const {
    LongVector weights = LongVector::Zero(stages);
    long double power = 1;
    for (int k = 0; k < table.degree; ++k) weights += (power *= theta) * row(table.dense[static_cast<std::size_t>(k)]);
    return weights;
  }
  /// Of the rates: z = h A k.
  LongVector dense(double theta) const { return A.transpose() * stage_weights(theta); }
  double worst() const {
    double worst = static_cast<double>((A * LongVector::Ones(stages) - row(table.c)).cwiseAbs().maxCoeff());
    for (int order = 1; order <= table.order; ++order) worst = std::max(worst, order_violation(A, A, b, order));
    for (int order = 1; order <= table.embedded_order; ++order)
      worst = std::max(worst, order_violation(A, A, embedded, order));
    return worst;
  }

  const EsdirkTable& table;
  int stages;
  LongMatrix A;
  LongVector b, embedded;
};

constexpr double rounding = 2e-15;

TEST(EsdirkTables, MeetEveryOrderConditionAndNoFurther) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Conditions of(table);
    for (int order = 1; order <= table.order; ++order)
      EXPECT_LT(order_violation(of.A, of.A, of.b, order), rounding) << "order " << order;
    EXPECT_GT(order_violation(of.A, of.A, of.b, table.order + 1), 1e-4);
    for (int order = 1; order <= table.embedded_order; ++order)
      EXPECT_LT(order_violation(of.A, of.A, of.embedded, order), rounding) << "embedded, order " << order;
    EXPECT_GT(order_violation(of.A, of.A, of.embedded, table.embedded_order + 1), 1e-4);
    EXPECT_LT((of.A * LongVector::Ones(table.stages) - of.row(table.c)).cwiseAbs().maxCoeff(), rounding);
  }
}

TEST(EsdirkTables, DenseOutputMeetsItsOrderEverywhereInTheStepAndNoFurther) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Conditions of(table);
    double scale = 1;  // the monomial form cancels
    for (const auto& row : table.dense)
      for (const double weight : row) scale = std::max(scale, std::abs(weight));
    for (const double theta : {0.1, 0.3, 0.5, 0.77, 0.95}) {
      for (int order = 1; order <= table.dense_order; ++order)
        EXPECT_LT(order_violation(of.A, of.A, of.dense(theta), order, theta), rounding * scale) << theta;
      EXPECT_GT(order_violation(of.A, of.A, of.dense(theta), table.dense_order + 1, theta), 1e-5) << theta;
    }
    LongVector end = LongVector::Zero(table.stages);
    end[table.stages - 1] = 1;
    EXPECT_LT((of.stage_weights(1) - end).cwiseAbs().maxCoeff(), rounding * scale);
  }
}

TEST(EsdirkTables, DenseOutputOfTheFamilyFollowsStiffUnknownsToOneOrderAboveTheirStages) {
  for (const EsdirkTable& table : esdirk_tables()) {
    if (!table.has_explicit_start()) continue;
    const Conditions of(table);
    const LongVector c = of.row(table.c);
    for (const double theta : {0.2, 0.5, 0.9}) {
      const long double sum = of.stage_weights(theta).dot(LongVector(c.array().cube()));
      EXPECT_NEAR(static_cast<double>(sum), theta * theta * theta, 1e-12) << table.name;
    }
  }
}

TEST(EsdirkTables, HaveTheirStageOrderAndOneDiagonalElement) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Conditions of(table);
    const LongVector c = of.row(table.c), square = c.array().square();
    const double second = static_cast<double>((of.A * c - square / 2).cwiseAbs().maxCoeff());
    EXPECT_EQ(second < rounding, stage_order(table) == 2);
    for (int i = table.has_explicit_start() ? 1 : 0; i < table.stages; ++i) EXPECT_EQ(of.A(i, i), table.gamma);
    EXPECT_GE(c.minCoeff(), 0);
    EXPECT_LE(c.maxCoeff(), 1);  // no stage looks beyond the end of the step
  }
}

// R(z) = 1 + z bᵀ (I - z A)^-1 1, on the imaginary axis and at infinity; |R| <= 1 there and no pole on the left is
// A-stability.
TEST(EsdirkTables, AreLStable) {
  using Complex = std::complex<double>;
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Conditions of(table);
    const int n = table.stages;
    const auto amplification = [&](Complex z) {
      const Eigen::MatrixXcd A = of.A.cast<double>().cast<Complex>();
      const Eigen::VectorXcd ones = Eigen::VectorXcd::Ones(n);
      const Eigen::VectorXcd stages = solution(Eigen::MatrixXcd::Identity(n, n) - z * A, ones);
      return std::abs(stages[n - 1]);  // the last stage is the end
    };
    for (double y = 1e-3; y < 1e4; y *= 1.02) EXPECT_LE(amplification({0, y}), 1 + 1e-12) << y;
    EXPECT_LT(amplification(-1e8), 1e-6);
  }
}

// y' = λ y: what the estimate, filtered as it is used, says of one step, against its error.
TEST(EsdirkTables, EstimatesAreNotBlindOnLinearEquations) {
  using Complex = std::complex<double>;
  for (const EsdirkTable& table : esdirk_tables()) {
    const Conditions of(table);
    const Eigen::MatrixXcd A = of.A.cast<double>().cast<Complex>();
    const Eigen::VectorXcd ones = Eigen::VectorXcd::Ones(table.stages);
    for (const double size : {0.02, 0.1, 0.5}) {
      for (const Complex direction : {Complex(0, 1), Complex(-1, 0)}) {
        const Complex z = size * direction;
        const Eigen::VectorXcd stages = solution(Eigen::MatrixXcd::Identity(table.stages, table.stages) - z * A, ones);
        const Eigen::VectorXcd b = of.b.cast<double>().cast<Complex>(),
                               e = (of.b - of.embedded).cast<double>().cast<Complex>();
        const double error = std::abs(1.0 + z * (b.transpose() * stages)(0) - std::exp(z)),
                     estimate = std::abs(z * (e.transpose() * stages)(0) / (1.0 - table.gamma * z));
        EXPECT_GE(estimate, error) << table.name << " at " << z;
      }
    }
  }
}

TEST(EsdirkTables, AWrongDigitIsFound) {
  for (const EsdirkTable& table : esdirk_tables()) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(table.stages); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        EsdirkTable wrong = table;
        wrong.a[i][j] += 1e-13;
        EXPECT_GT(Conditions(wrong).worst(), 3 * rounding) << table.name << " a " << i + 1 << ' ' << j + 1;
      }
      EsdirkTable wrong = table;
      wrong.e[i] += 1e-13;
      EXPECT_GT(Conditions(wrong).worst(), 3 * rounding) << table.name << " e " << i + 1;
    }
  }
}

TEST(Esdirk, ConvergesWithItsOrderWhereNotStiffWhateverTheMassMatrix) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    for (const ImplicitProblem& problem : {riccati(), forced_oscillator(), kaps(1), varying_mass()}) {
      SCOPED_TRACE(problem.name);
      const Orders orders = observed_orders(maker(table), problem, 20);
      ASSERT_GT(orders.end.size(), 0);
      Eigen::Index worst = 0;  // the other unknown may be better than its order by chance
      orders.errors.end.maxCoeff(&worst);
      EXPECT_NEAR(orders.end[worst], table.order, 0.35);
    }
  }
}

TEST(Esdirk, SolvesTheSameWithAVaryingMassMatrixAsWithout) {
  for (const EsdirkTable& table : esdirk_tables()) {
    const RunErrors plain = run_fixed(maker(table), forced_oscillator(), 20);
    const RunErrors varying = run_fixed(maker(table), varying_mass(), 20);
    ASSERT_TRUE(plain.is_complete && varying.is_complete);
    EXPECT_LT((plain.end - varying.end).norm(), 1e-11) << table.name;
    EXPECT_LT((plain.inside - varying.inside).norm(), 1e-11) << table.name;
  }
}

TEST(Esdirk, InterpolatesWithItsDenseOrder) {
  for (const EsdirkTable& table : esdirk_tables()) {
    for (const ImplicitProblem& problem : {forced_oscillator(), kaps(1)})
      EXPECT_NEAR(observed_dense_order(maker(table), problem, 0.1), table.dense_order + 1, 0.3)
          << table.name << ", " << problem.name;
  }
}

// Stage order q: errors h^q / λ at the ends of steps; inside steps h^(q+1) for the published polynomial of SDIRK4, and
// h^(q+2) for ours, until the error of the ends shows.
TEST(Esdirk, LosesTheKnownOrdersOnProtheroAndRobinson) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const int q = stage_order(table);
    const Orders fine = observed_orders(maker(table), prothero_robinson(1e6), 80);
    ASSERT_GT(fine.end.size(), 0);
    EXPECT_NEAR(fine.end[0], q, 0.1);
    EXPECT_LT(fine.errors.end[0], 1e-8);
    const Orders coarse = observed_orders(maker(table), prothero_robinson(1e6), 10);
    EXPECT_NEAR(coarse.inside[0], table.has_explicit_start() ? q + 2 : q + 1, 0.1);
  }
}

TEST(Esdirk, KeepsItsOrderInTheSlowUnknownsOfAStiffProblem) {
  for (const EsdirkTable& table : esdirk_tables())
    EXPECT_NEAR(observed_orders(maker(table), kaps(1e-7), 20).end[1], table.order, 0.15) << table.name;
}

TEST(Esdirk, ConvergesOnAnEquationOfIndexOne) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    const Orders orders = observed_orders(maker(table), index_1(), 40);
    ASSERT_GT(orders.end.size(), 0);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(orders.end[i], table.order, 0.3) << i;
    // Inside steps algebraic unknowns have O(h^4) with stage order 2, and O(h^2) with stage order 1.
    const double limit = table.has_explicit_start() ? 4 : 2;
    EXPECT_NEAR(orders.inside[2], std::min<double>(table.order, limit), 0.15);
    EXPECT_NEAR(orders.inside[0], std::min(table.order, table.dense_order + 1), 0.15);
  }
}

// y1(2000), y2(2000) for μ = 1000: Test Set for IVP Solvers (Mazzia, Magherini), from (2, 0).
TEST(Esdirk, KeepsToTheToleranceOnVanDerPol) {
  for (const EsdirkTable& table : esdirk_tables()) {
    SCOPED_TRACE(std::string(table.name));
    double before = 1;
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      const AdaptiveRun run = run_adaptive(maker(table), van_der_pol(1000), tolerance);
      ASSERT_EQ(run.last, Attempt::accepted);
      const double error =
          std::max(std::abs(run.end[0] - 1.706167732170469), std::abs(run.end[1] + 0.8928097010248125e-3));
      EXPECT_LT(error, 30 * tolerance);
      EXPECT_LT(error, before / 10);
      before = error;
      EXPECT_LT(run.work.jacobians, run.work.accepted);  // kept over steps
      EXPECT_EQ(run.work.solves, run.work.iterations + run.work.accepted + run.work.rejected);
      EXPECT_EQ(run.work.rhs,
                run.work.iterations + 1);  // no rate of its own for the first stage, but after the restart
    }
  }
}

TEST(Esdirk, RunsBackward) {
  for (const EsdirkTable& table : esdirk_tables()) {
    const ImplicitProblem problem = index_1();
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-8);
    const auto stepper = make_esdirk(table, form, control);
    const Vector start = problem.exact(2);
    stepper->restart(2, start.data(), -1, 0);
    Step step(3);
    do ASSERT_EQ(stepper->step(0, nullptr, step), Attempt::accepted);
    while (step.t1 > 0);
    EXPECT_LT((Eigen::Map<const Vector>(std::as_const(step).end(), 3) - problem.start).norm(), 1e-6) << table.name;
  }
}

TEST(Esdirk, RetakesAStepFromTheSameStart) {
  for (const EsdirkTable& table : esdirk_tables()) {
    for (const ImplicitProblem& problem : {index_1(), varying_mass(), kaps(1e-5)}) {
      SCOPED_TRACE(std::string(table.name) + ", " + problem.name);
      const int n = static_cast<int>(problem.start.size());
      ProblemForm form(problem);
      const StepControl control = control_for(problem, 1e-12, 0.1);
      const auto stepper = make_esdirk(table, form, control);
      Step step(n);
      stepper->restart(0, problem.start.data(), 1, 0);
      for (int i = 0; i < 2; ++i) ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      const Vector whole = Eigen::Map<const Vector>(std::as_const(step).end(), n);
      ASSERT_TRUE(stepper->redo(0.16, nullptr, step));
      EXPECT_EQ(step.t0, 0.1);
      EXPECT_EQ(step.t1, 0.16);
      ASSERT_TRUE(stepper->redo(0.2, nullptr, step));  // and back to where it was
      EXPECT_LT((Eigen::Map<const Vector>(std::as_const(step).end(), n) - whole).norm(), 1e-11);
      ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      EXPECT_NEAR(step.t0, 0.2, 1e-15);
      EXPECT_LT((Eigen::Map<const Vector>(std::as_const(step).end(), n) - problem.exact(step.t1)).norm(), 1e-3);
    }
  }
}

class Shift final : public Correction {
 public:
  double apply(double, double* x) override {
    x[0] += 1e-3;
    return 0.5;
  }
};

TEST(Esdirk, ItsPolynomialEndsAtTheCorrectedEnd) {
  for (const EsdirkTable& table : esdirk_tables()) {
    const ImplicitProblem problem = forced_oscillator();
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-8, 0.1);
    const auto stepper = make_esdirk(table, form, control);
    stepper->restart(0, problem.start.data(), 1, 0);
    Step step(2);
    Shift shift;
    ASSERT_EQ(stepper->step(2, &shift, step), Attempt::accepted);
    stepper->interpolate(step);
    double x[2];
    evaluate_polynomials(step.coefficients(), 2, step.degree(), 1, x);
    EXPECT_NEAR(x[0], step.end()[0], 1e-13) << table.name;
    EXPECT_NEAR(x[1], step.end()[1], 1e-13) << table.name;
    EXPECT_NEAR(x[0], problem.exact(step.t1)[0] + 1e-3, 1e-4) << table.name;
    EXPECT_EQ(step.coefficients()[0], 1);
  }
}

TEST(Esdirk, TakesAResidualThatIsNotFiniteForATooLongStep) {
  ImplicitProblem problem = riccati();  // y' = -√y, defined for y >= 0 alone; y = (1 - t/2)²
  problem.end = 1.9;
  problem.f = [](double, const Vector& y) { return Vector{{-std::sqrt(y[0])}}; };
  problem.J = [](double, const Vector& y, const Vector&) { return Matrix{{-0.5 / std::sqrt(y[0])}}; };
  problem.exact = [](double t) { return Vector{{(1 - t / 2) * (1 - t / 2)}}; };
  for (const EsdirkTable& table : esdirk_tables()) {
    ProblemForm form(problem);
    const StepControl control = control_for(problem, 1e-6);
    const auto stepper = make_esdirk(table, form, control);
    stepper->restart(0, problem.start.data(), 1, 1.9);  // far too long a first step
    Step step(1);
    do ASSERT_EQ(stepper->step(1.9, nullptr, step), Attempt::accepted) << table.name;
    while (step.t1 < 1.9);
    EXPECT_NEAR(step.end()[0], 0.0025, 1e-5) << table.name;
  }
}

TEST(Esdirk, NoticesAMassMatrixThatBeginsToVary) {
  const ImplicitProblem problem = forced_oscillator();
  for (const EsdirkTable& table : esdirk_tables()) {
    for (const bool at_restart : {true, false}) {
      SCOPED_TRACE(std::string(table.name) + (at_restart ? ", at a restart" : ", on the way"));
      TurningForm form(at_restart ? 1 : 0, at_restart);  // else at the first linearization
      const StepControl control = control_for(problem, 1e-8);
      const auto stepper = make_esdirk(table, form, control);
      Step step(2);
      stepper->restart(0, problem.start.data(), 1, 0);
      do ASSERT_EQ(stepper->step(1, nullptr, step), Attempt::accepted);
      while (step.t1 < 1);
      if (at_restart) stepper->restart(1, std::as_const(step).end(), 1, stepper->next_step_size());
      do ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
      while (step.t1 < 2);
      ASSERT_EQ(form.mass_kind(), formulate::MassKind::varying);
      EXPECT_LT((Eigen::Map<const Vector>(std::as_const(step).end(), 2) - problem.exact(2)).norm(), 1e-6);
    }
  }
}

TEST(Esdirk, KeepsToTheToleranceInAlgebraicUnknownsInsideSteps) {
  for (const EsdirkTable& table : esdirk_tables()) {
    for (const double tolerance : {1e-4, 1e-6}) {
      const double error = errors_inside(maker(table), fast_algebraic(), tolerance)[1];
      EXPECT_LT(error, 3 * tolerance) << table.name;
      EXPECT_GT(error, 0.05 * tolerance) << table.name;  // nor is the estimate far too large
    }
  }
}

TEST(Esdirk, SolvesEquationsThatAreNotLinearInTheRates) {
  for (const EsdirkTable& table : esdirk_tables()) {
    for (const double tolerance : {1e-4, 1e-7}) {
      for (const double first : {0.0, 1e-9}) {
        SCOPED_TRACE(std::string(table.name));
        NonlinearInRate form;
        StepControl control;
        control.relative = tolerance;
        control.absolute = {tolerance};
        const auto stepper = make_esdirk(table, form, control);
        Step step(1);
        const double start = 1.4;
        stepper->restart(0, &start, 1, first);
        do ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted);
        while (step.t1 < 2);
        EXPECT_NEAR(std::as_const(step).end()[0], 1.4 * std::exp(-2), 10 * tolerance);
        EXPECT_LE(stepper->work().divergences, 5);
      }
    }
  }
}

TEST(Esdirk, DoesNotTrustARateThatDoesNotSolveTheEquations) {
  for (const EsdirkTable& table : esdirk_tables()) {
    NonlinearInRate form;
    StepControl control;
    control.relative = 1e-7;
    control.absolute = {1e-7};
    const double start = 1.4, right = -1.4, wrong = -0.9;
    Step step(1);
    double end[2];
    for (const double* rate : {&right, &wrong}) {
      const auto stepper = make_esdirk(table, form, control);
      stepper->restart(0, &start, 1, 0.01, rate);
      ASSERT_EQ(stepper->step(2, nullptr, step), Attempt::accepted) << table.name;
      end[rate == &right ? 0 : 1] = std::as_const(step).end()[0];
    }
    EXPECT_EQ(end[0], end[1]) << table.name;
  }
}

}  // namespace
}  // namespace pawl
