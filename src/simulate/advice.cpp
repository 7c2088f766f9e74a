#include "simulate/advice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/not_finite.hpp"
#include "numerics/eigenvalues.hpp"
#include "pawl/jacobian.hpp"
#include "pawl/step_size.hpp"
#include "system/dynamics.hpp"

namespace pawl::detail {

namespace {

/// Far from the end, steps are bounded below by the length that is left: of a run that is far too long, the first step
/// tried is already the shortest.
std::string hint_of_length(const StepFailure& failure, const Setup& setup) {
  const double end = setup.options.end, length = std::abs(end - failure.t);
  const double shortest = smallest_step(failure.t, end);
  const bool is_bounded_by_length = shortest > smallest_step(failure.t, failure.t);
  if (setup.options.step || failure.attempts != 1 || failure.step_size > shortest || !is_bounded_by_length) return {};
  return fmt::format("; or an end nearer to t = {:.10g}: with {:.2g} left to go, no step below {:.1e} is taken",
                     failure.t, length, shortest);
}

}  // namespace

Message describe(Attempt attempt, const StepFailure& failure, const Setup& setup, const std::string& operation) {
  using Code = MessageCode;
  const std::vector<std::string>& names = setup.declarations->state_names;
  const auto component = static_cast<std::size_t>(failure.component < 0 ? 0 : failure.component);
  const std::string& name = names[std::min(component, names.size() - 1)];
  const Code code = attempt == Attempt::no_convergence ? Code::no_convergence
                    : attempt == Attempt::singular     ? Code::singular_matrix
                    : attempt != Attempt::not_finite   ? Code::step_too_small
                    : setup.options.step               ? Code::state_not_finite
                    : failure.attempts == 0            ? Code::rate_not_finite_at_start
                                                       : Code::rate_not_finite;
  return make_message(
      code, failure.t,
      {{"step", failure.step_size},
       {"attempts", static_cast<long long>(failure.attempts)},
       {"state", name},
       {"undetermined", failure.component < 0 ? "" : fmt::format("; no equation determines '{}'", name)},
       {"tolerance", setup.options.tolerance.relative},
       {"hint", (setup.hint ? setup.hint() : std::string()) + hint_of_length(failure, setup) +
                    formulate::line_of_operation(operation)}});
}

StiffnessReport describe(const Stiffness& stiffness, const Setup& setup, const double* x) {
  constexpr int largest_dense_problem = 100;  // beyond it the eigenvalues cost more than they tell
  std::string fastest = fmt::format("fastest rate about {:.2g} per unit of time", stiffness.rate);
  int evaluations = 0;
  if (setup.size() <= largest_dense_problem) {
    const std::vector<double> state(x, x + setup.size());
    const Jacobian J = jacobian(setup.dynamics->rates(), *setup.held, stiffness.t, state);
    evaluations = J.evaluations;
    const Eigen::MatrixXd transposed = Eigen::Map<const Eigen::MatrixXd>(J.values.data(), J.size, J.size);
    const Eigen::MatrixXd matrix = transposed.transpose();
    const linear::Eigenpairs modes = linear::eigenpairs(matrix);
    Eigen::Index mode = 0, state_index = 0;
    const double direction = setup.options.end < setup.options.start ? -1 : 1;  // what decays fastest along the run
    (direction * modes.values.real()).minCoeff(&mode);
    modes.vectors.col(mode).cwiseAbs().maxCoeff(&state_index);
    fastest = fmt::format("fastest eigenvalue {:.3g} per unit of time, mostly in '{}'", modes.values[mode].real(),
                          setup.declarations->state_names[static_cast<std::size_t>(state_index)]);
  }
  return {std::move(fastest), evaluations};
}

}  // namespace pawl::detail
