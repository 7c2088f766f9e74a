#include "simulate/advice.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "pawl/jacobian.hpp"

namespace pawl::detail {

std::string describe(Attempt attempt, const StepFailure& failure, const Setup& setup) {
  const std::vector<std::string>& names = setup.declarations->state_names;
  const auto component = static_cast<std::size_t>(failure.component < 0 ? 0 : failure.component);
  const std::string& name = names[std::min(component, names.size() - 1)];
  if (attempt == Attempt::no_convergence) {
    return fmt::format(
        "t = {:.10g}: the equations of a step cannot be solved: Newton's method does not converge, down to steps of "
        "{:.1e} ({} attempts); the last iterates moved '{}' most.\n"
        "  likely: the model jumps or has a kink here that no guard declares, or its derivatives are wrong\n"
        "  try:    declare the switch as a guard or condition; a tolerance above {:.0e}; for black boxes, generic "
        "functions (const auto& at)",
        failure.t, failure.step_size, failure.attempts, name, setup.options.tolerance.relative);
  }
  if (attempt == Attempt::singular) {
    return fmt::format(
        "t = {:.10g}: the matrix of a step is singular, down to steps of {:.1e} ({} attempts){}.\n"
        "  likely: an equation is missing or follows from others, or its index rises here\n"
        "  try:    check the equations of the unknowns named, and the start values",
        failure.t, failure.step_size, failure.attempts,
        failure.component < 0 ? std::string() : fmt::format("; no equation determines '{}'", name));
  }
  if (attempt == Attempt::not_finite && setup.options.step) {
    return fmt::format(
        "t = {:.10g}: after a fixed step of {:.3g} the state '{}' is not finite.\n"
        "  likely: the step is too large for stability, the solution grows without bound, or the model divides by zero "
        "here\n"
        "  try:    a smaller step, or an adaptive method",
        failure.t, failure.step_size, name);
  }
  if (attempt == Attempt::not_finite && failure.attempts == 0) {
    return fmt::format(
        "t = {:.10g}: the rate of '{}' is not finite.\n"
        "  likely: division by zero, a root or logarithm of a negative number, or d[{}] is never assigned\n"
        "  try:    check the start values, the parameters and the rate of '{}'",
        failure.t, name, name, name);
  }
  if (attempt == Attempt::not_finite) {
    return fmt::format(
        "t = {:.10g}: the rate of '{}' is not finite, here or just after; {} attempts with steps down to {:.1e} "
        "failed.\n"
        "  likely: division by zero, or a root or logarithm of a negative number, at this state\n"
        "  try:    check the rate of '{}' and the parameters it reads; a solution that ends here cannot be continued",
        failure.t, name, failure.attempts, failure.step_size, name);
  }
  return fmt::format(
      "t = {:.10g}: no step above {:.1e} passes the error test; {} attempts failed, worst in '{}'.\n"
      "  likely: the solution grows without bound or the model jumps here, or a tolerance is below rounding\n"
      "  try:    end the run before this time, smooth the jump, or loosen the tolerance, which is {:.0e}",
      failure.t, failure.step_size, failure.attempts, name, setup.options.tolerance.relative);
}

StiffnessReport describe(const Stiffness& stiffness, const Setup& setup, const double* x) {
  constexpr int largest_dense_problem = 100;  // beyond it the eigenvalues cost more than they tell
  std::string fastest = fmt::format("fastest rate about {:.2g} per unit of time", stiffness.rate);
  int evaluations = 0;
  if (setup.size() <= largest_dense_problem) {
    const std::vector<double> state(x, x + setup.size());
    const Jacobian J = jacobian(setup.declarations->rates, *setup.held, stiffness.t, state);
    evaluations = J.evaluations;
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(J.values.data(),
                                                                                                 J.size, J.size));
    Eigen::Index mode = 0, state_index = 0;
    const double direction = setup.options.end < setup.options.start ? -1 : 1;  // what decays fastest along the run
    (direction * solver.eigenvalues().real()).minCoeff(&mode);
    solver.eigenvectors().col(mode).cwiseAbs().maxCoeff(&state_index);
    fastest =
        fmt::format("fastest eigenvalue {:.3g} per unit of time, mostly in '{}'", solver.eigenvalues()[mode].real(),
                    setup.declarations->state_names[static_cast<std::size_t>(state_index)]);
  }
  return {
      fmt::format("t = {:.10g}: the problem looks stiff: stability, not accuracy, limits the step ({}). The result is "
                  "still accurate, only slow. Try the method auto, which switches to an implicit one here, or radau",
                  stiffness.t, fastest),
      evaluations};
}

}  // namespace pawl::detail
