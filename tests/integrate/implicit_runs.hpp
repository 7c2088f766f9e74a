// Runs of an implicit method over the test problems, and the order conditions of methods given by matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "integrate/implicit_test_problems.hpp"
#include "integrate/rooted_trees.hpp"
#include "pawl/stepper.hpp"

namespace pawl::testing {

using MakeStepper = std::function<std::unique_ptr<Stepper>(formulate::ImplicitForm&, const StepControl&)>;

inline StepControl control_for(const ImplicitProblem& problem, double tolerance, double fixed_step = 0) {
  StepControl control;
  control.relative = tolerance;
  control.absolute.assign(static_cast<std::size_t>(problem.start.size()), tolerance);
  control.fixed_step = fixed_step;
  return control;
}

/// Largest errors, per unknown.
struct RunErrors {
  Vector end;     ///< at the end of the run
  Vector inside;  ///< of the dense output inside steps
  bool is_complete = false;
};

inline RunErrors run_fixed(const MakeStepper& make, const ImplicitProblem& problem, int steps) {
  ProblemForm form(problem);
  const StepControl control = control_for(problem, 1e-12, (problem.end - problem.begin) / steps);
  const auto stepper = make(form, control);
  const int n = form.size();
  Step step(n);
  stepper->restart(problem.begin, problem.start.data(), 1, 0);
  RunErrors errors{Vector::Zero(n), Vector::Zero(n)};
  Vector x(n);
  double t = problem.begin;
  while (t < problem.end) {
    if (stepper->step(problem.end, nullptr, step) != Attempt::accepted || !stepper->interpolate(step)) return errors;
    for (const double theta : {0.1, 0.3, 0.5, 0.77, 0.95}) {
      const double inside = step.t0 + theta * step.span;
      step.at(inside, x.data());
      errors.inside = errors.inside.cwiseMax((x - problem.exact(inside)).cwiseAbs());
    }
    t = step.t1;
  }
  step.at(t, x.data());
  errors.end = (x - problem.exact(t)).cwiseAbs();
  errors.is_complete = true;
  return errors;
}

/// Observed orders between a run with this many steps and one with twice as many.
struct Orders {
  Vector end, inside;
  RunErrors errors;  ///< of the finer run
};

inline Orders observed_orders(const MakeStepper& make, const ImplicitProblem& problem, int steps) {
  const RunErrors coarse = run_fixed(make, problem, steps), fine = run_fixed(make, problem, 2 * steps);
  if (!coarse.is_complete || !fine.is_complete) return {};
  const auto log2 = [](double x) { return std::log2(x); };
  return {(coarse.end.array() / fine.end.array()).unaryExpr(log2),
          (coarse.inside.array() / fine.inside.array()).unaryExpr(log2), fine};
}

/// Order of the polynomial's error inside the first step, whose start is exact: dense order + 1.
inline double observed_dense_order(const MakeStepper& make, ImplicitProblem problem, double h) {
  double errors[2];
  for (double& error : errors) {
    problem.end = problem.begin + h;
    error = run_fixed(make, problem, 1).inside.maxCoeff();
    h /= 2;
  }
  return std::log2(errors[0] / errors[1]);
}

struct AdaptiveRun {
  Vector end;
  Work work;
  Attempt last = Attempt::accepted;
};

inline AdaptiveRun run_adaptive(const MakeStepper& make, const ImplicitProblem& problem, double tolerance) {
  ProblemForm form(problem);
  const StepControl control = control_for(problem, tolerance);
  const auto stepper = make(form, control);
  Step step(form.size());
  stepper->restart(problem.begin, problem.start.data(), 1, 0);
  AdaptiveRun run{problem.start, {}};
  for (double t = problem.begin; t < problem.end && run.last == Attempt::accepted; t = step.t1)
    run.last = stepper->step(problem.end, nullptr, step);
  step.at(step.t1, run.end.data());
  run.work = stepper->work();
  return run;
}

// ---- order conditions, in extended precision ----

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The largest |Σ b_i Φ_i(tree) - θ^r / γ(tree)| over the trees of order r, where a vertex with one branch counts with
/// `single` and one with several with `several`: the same matrix A for Runge-Kutta methods; for Rosenbrock methods
/// (α_ij + γ_ij) and (α_ij) (Hairer, Wanner, Solving ODE II, IV.7).
inline double order_violation(const LongMatrix& several, const LongMatrix& single, const LongVector& b, int order,
                              double theta = 1) {
  double worst = 0;
  for (const Tree& tree : trees_of_order(order)) {
    std::vector<int> branches(tree.size(), 0);
    for (std::size_t v = 1; v < tree.size(); ++v) ++branches[static_cast<std::size_t>(tree[v])];
    std::vector<LongVector> phi(tree.size(), LongVector::Ones(b.size()));
    for (std::size_t v = tree.size(); v-- > 1;) {
      const auto parent = static_cast<std::size_t>(tree[v]);
      phi[parent] = phi[parent].cwiseProduct((branches[parent] == 1 ? single : several) * phi[v]);
    }
    const long double wanted = std::pow(static_cast<long double>(theta), static_cast<long double>(order)) /
                               static_cast<long double>(density(tree));
    worst = std::max(worst, static_cast<double>(std::abs(b.dot(phi[0]) - wanted)));
  }
  return worst;
}

}  // namespace pawl::testing
