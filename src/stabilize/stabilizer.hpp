// Stabilizer: what happens to the end of a trial step so that it lies on the manifold. One row each in
// stabilizations().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formulate/make_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl::stabilize {

using formulate::Form;
using formulate::Manifold;

/// How far off the manifold a run ever was, at the ends of its accepted steps.
struct Drift {
  double position = 0, velocity = 0, invariant = 0;
  double surface = 0;  ///< of g' + σ g, in formulations that have it
};

/// What keeping to the manifold cost.
struct Pulls {
  long long applied = 0;     ///< steps whose end was corrected
  long long iterations = 0;  ///< residuals taken, over all levels
  long long refactored = 0;  ///< corrections that needed new factors
};

class Stabilizer : public Correction {
 public:
  Stabilizer(Form& form, const StepControl& control, int size);

  bool begin(double t, const double* x, double h) final { return form_.begin_step(t, x, h); }
  /// Moves x onto the manifold; returns the size of the move in the error norm.
  double apply(double t, double* x) final;
  /// What it remembers, for a run that is saved or continued.
  virtual void carry(Memory& memory) {
    memory(pulls_, failure_, last_, before_, allowed_, residual_, drift_, unkept_, has_invariants_, accepted_,
           next_look_, largest_at_, move_, weighted_, largest_move_, largest_weighted_);
  }
  /// The last end that was corrected has become the end of a step.
  void accept(double t, const double* x);

  const Drift& drift() const { return drift_; }
  const Pulls& pulls() const { return pulls_; }
  double largest_move() const { return largest_move_; }                   ///< of any state
  double largest_move_in_tolerance() const { return largest_weighted_; }  ///< in the error norm
  /// When the largest move in the error norm was made, and the row that was farthest off; empty: not known.
  struct Where {
    double t = 0;
    std::string row;
  };
  const Where& largest_at() const { return largest_at_; }
  /// The row that was farthest off before the last move; empty: not known.
  virtual std::string farthest_row() const { return {}; }
  /// Why the last correction failed; empty if it did not.
  const std::string& failure() const { return failure_; }

 protected:
  /// Moves x; false (with failure_ set) where that is not possible.
  virtual bool move(double t, double* x) = 0;
  virtual bool moves() const { return true; }
  /// Whether move() has left the residuals at rounding, so that accept() need not look again; then their sizes.
  virtual bool knows_drift() const { return false; }
  void note(Manifold::Kind kind, double size);

  Form& form_;
  Manifold& manifold_;
  Pulls pulls_;
  std::string failure_;
  Drift last_;  // of the state that was corrected last
  const StepControl& control_;

 private:
  void measure(double t, const double* x);

  std::vector<double> before_, allowed_, residual_;
  Drift drift_;
  std::string unkept_;
  bool has_invariants_ = false;
  long long accepted_ = 0, next_look_ = 10;
  Where largest_at_;
  double move_ = 0, weighted_ = 0, largest_move_ = 0, largest_weighted_ = 0;
};

enum class Strategy { none, projection, s_full, s_both, s_both2, s_vel, s_pos, sweeps, koenders, state_space };

/// As it is asked for: "s-both2(euclidean,last-stage)".
struct Stabilization {
  Strategy strategy = Strategy::projection;
  std::string name = "projection";  ///< of the strategy
  std::string words = {};           ///< with its arguments, as it was asked for; empty: the name
  bool positions = true, velocities = true;
  bool is_euclidean = false;     ///< F from G^T instead of M^-1 G^T
  bool is_fresh = false;         ///< projection: new factors at every iterate
  bool uses_last_stage = false;  ///< matrices of the last stage instead of the end of the step
  bool keeps_transpose = false;  ///< s-both2: F of the end of the step in both sweeps
  bool holds_displacements = false;
  bool mixes_levels = true;  ///< sweeps: nonholonomic residuals move positions too, as printed
  int sweeps = 2;

  const std::string& in_words() const { return words.empty() ? name : words; }
};

struct StabilizationInfo {
  std::string name;     ///< with its arguments
  std::string summary;  ///< one sentence
  std::string source;
};
const std::vector<StabilizationInfo>& stabilizations();

/// "auto" chooses for the form, and says what and why. Throws Misuse.
struct StabilizationChoice {
  Stabilization stabilization;
  std::string why;  ///< empty: the user chose
};
StabilizationChoice choose_stabilization(std::string_view words, const formulate::Formulation& formulation);

std::unique_ptr<Stabilizer> make_stabilizer(const Stabilization& stabilization, Form& form, const StepControl& control,
                                            int size);

/// Pulls x onto all levels of the manifold by Newton steps, with fresh factors where the old ones do not serve. False:
/// not possible; `why` says which constraint and what to try.
struct SettleHow {
  bool invariants = true;    ///< or constraints alone
  bool takes_levels = true;  ///< what is conserved is kept at the value it has once the constraints hold
};
bool settle(Form& form, int size, double t, double* x, SettleHow how, std::string& why);

}  // namespace pawl::stabilize
