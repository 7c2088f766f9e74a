// CVODE and IDA (SUNDIALS) used directly: their own vectors and linear solvers, the model's right-hand side and the
// same exact Jacobian that our methods have. Nothing of pawl runs but these two.
//
//   PeerModel model(system, Values(system));
//   const PeerRun run = run_cvode(model, {.end = 10, .relative = 1e-6});
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formulate/form.hpp"
#include "formulate/implicit_form.hpp"
#include "pawl/system.hpp"
#include "system/vector_field.hpp"

namespace pawl::bench {

/// Processor time of this thread: other work on the machine does not count.
double processor_seconds();

/// A model without events as the peers are given it: equations, Jacobian, consistent start.
class PeerModel {
 public:
  /// formulation: of mechanisms, index-3, index-2, stabilized-index-2 or index-1. Throws Misuse where there is no
  /// consistent start.
  PeerModel(const System& system, const Values& values, double start = 0, const std::string& formulation = "index-2");
  PeerModel(const PeerModel&) = delete;
  PeerModel& operator=(const PeerModel&) = delete;

  formulate::ImplicitForm& form() { return *form_; }
  bool is_dae() const { return form_->mass_kind() != formulate::MassKind::identity; }
  int states() const { return form_->states(); }
  double start() const { return start_; }
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& dy() const { return dy_; }
  /// What simulate() takes for this relative tolerance, one per unknown. Unknowns of index 2 and above, multipliers for
  /// instance, have about their own size: IDA's Newton iteration would fail on their last digits.
  std::vector<double> absolute(double relative) const;

 private:
  std::shared_ptr<const System::Declarations> model_;
  Held held_;
  detail::Surroundings<double> around_{};
  ActiveField field_{};
  std::unique_ptr<formulate::Form> accelerations_;  // of a mechanism
  std::unique_ptr<formulate::ImplicitForm> form_;
  double start_;
  std::vector<double> y_, dy_;
};

struct PeerOptions {
  double end;
  double relative;
  std::vector<double> absolute = {};  ///< one per unknown; empty: as simulate() would
  bool has_exact_jacobian = true;     ///< else its own differences
  double longest = 5;                 ///< seconds of processor time after which the run is cut
};

struct PeerRun {
  std::vector<double> state;  ///< of the model, at the end
  long long steps = 0, rhs = 0, jacobians = 0, factorizations = 0;
  double seconds = 0;   ///< from creating the solver to the last step
  double creating = 0;  ///< of them
  bool was_cut = false;
  std::string failure;  ///< empty: it arrived
  bool finished() const { return failure.empty(); }
};

/// BDF, Newton, dense matrices.
PeerRun run_cvode(PeerModel& model, const PeerOptions& options);
/// The same with the sparse matrices of the form and KLU; needs an exact Jacobian and a sparse form.
PeerRun run_cvode_klu(PeerModel& model, const PeerOptions& options);
/// Differential-algebraic equations, or x' = f(t, x) as 0 = f - x'; KLU where the form is sparse. Unknowns of index 2
/// and above are left out of the error test.
PeerRun run_ida(PeerModel& model, const PeerOptions& options);

/// The fastest of several, where they are short: at least `seconds` in all. A run that fails is not repeated.
PeerRun fastest(PeerRun (*run)(PeerModel&, const PeerOptions&), PeerModel& model, const PeerOptions& options,
                double seconds);

}  // namespace pawl::bench
