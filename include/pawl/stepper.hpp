// Stepper: advances one smooth piece by one accepted step, and can say where the state was anywhere inside it.
// Correction: may move the end of a trial step, inside the accept test.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/message.hpp"
#include "pawl/step.hpp"

namespace pawl {

/// Pulls the end of a trial step back to where it belongs (onto a constraint manifold, for instance). A step is
/// accepted only if its error estimate and the size of the pull are both within the tolerance.
class Correction {
 public:
  virtual ~Correction() = default;
  /// A step of size h (with its sign) is about to be tried from here. True: the field depends on it, so that the rate
  /// at the start has to be evaluated again.
  virtual bool begin(double /*t*/, const double* /*x*/, double /*h*/) { return false; }
  /// Moves x in place; returns the size of the move in the error norm. Must not allocate.
  virtual double apply(double t, double* x) = 0;
};

/// What decides the size of the next step.
enum class StepLaw {
  pi,       ///< PiController, with the error norm below (default)
  compere,  ///< compere_step_size() (step_size.hpp), with its own norm: to reproduce published counts
};

/// How long steps are, and what decides it.
struct StepControl {
  double relative = 1e-6;
  std::vector<double> absolute;  ///< one per component; the error norm divides by absolute + relative |x|
  double fixed_step = 0;         ///< above zero: every step has this size and no error test is made
  double max_step = std::numeric_limits<double>::infinity();
  StepLaw law = StepLaw::pi;
};

enum class Attempt {
  accepted,
  step_too_small,  ///< no step above rounding passes the error test
  not_finite,      ///< the state or its rates are not finite, however small the step
  no_convergence,  ///< the equations of a step cannot be solved, however small it is
  singular,        ///< the matrix of the equations of a step is singular, however small it is
};

/// Where and why the last attempt ended without an accepted step.
struct StepFailure {
  double t = 0;
  double step_size = 0;
  int attempts = 0;
  int component = -1;  ///< the one with the largest error, or the first that is not finite
};

/// Work done so far. Every evaluation of the right-hand side is counted, whatever it served.
struct Work {
  long long rhs = 0;
  long long accepted = 0;
  long long rejected = 0;
  // of implicit methods
  long long jacobians = 0;       ///< evaluated
  long long dual_rhs = 0;        ///< evaluations of the right-hand side with dual numbers, for Jacobians
  long long factorizations = 0;  ///< of real and complex matrices
  long long solves = 0;          ///< with these factors
  long long iterations = 0;      ///< of Newton's method
  long long divergences = 0;     ///< trial steps given up because Newton's method did not converge

  Work& operator+=(const Work& more);
};

/// A sign that the problem is stiff: stability, not accuracy, held the step back over many steps.
struct Stiffness {
  double t = 0;
  double rate = 0;  ///< estimate of the fastest rate, 1 / time
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Mode or state has jumped: start afresh here, towards `direction` (+1 or -1). first_step = 0: choose one. The rate
  /// at x, where the caller knows it, saves an evaluation.
  virtual void restart(double t, const double* x, double direction, double first_step,
                       const double* rate = nullptr) = 0;
  /// One accepted step that ends at or before limit, or why not. Without a correction the end stays where the method
  /// puts it.
  virtual Attempt step(double limit, Correction* correction, Step& out) = 0;
  /// Writes the polynomial of the last accepted step; may cost evaluations, which is why it is asked for. False: a rate
  /// inside the step or at its end is not finite, and the polynomial is a lower one through what is known at the ends.
  virtual bool interpolate(Step& step) = 0;
  /// Takes the last accepted step again, from the same start to exactly this end. False: the method cannot (a multistep
  /// method cuts its own polynomial instead), or the new end is not finite; the step is then as it was.
  virtual bool redo(double end, Correction* correction, Step& step) = 0;
  /// The rates at the two ends of the last accepted step; the one at the end may cost an evaluation, which then serves
  /// the next step too. Null: the method does not know them.
  virtual const double* start_rate() const { return nullptr; }
  virtual const double* end_rate() { return nullptr; }
  /// The size, without sign, that the next step will try first.
  virtual double next_step_size() const = 0;
  /// Order of the method, and of its polynomial inside a step.
  virtual int order() const = 0;
  virtual int dense_order() const = 0;
  /// Whether the ends of steps are corrected and their insides are not: an event is then better at an end.
  virtual bool corrects_ends() const { return false; }
  /// Size of the weights in the polynomial's coefficients, beside 1: what rounding is multiplied by inside a step.
  virtual double dense_weight() const { return 1; }

  /// What is to be said since the last call, and whether there is anything.
  virtual std::vector<Message> take_notes();
  virtual bool has_notes() const { return !notes_.empty(); }
  /// Whether ends solve equations, and are then as exact as the iteration that stopped there.
  virtual bool is_implicit() const { return false; }
  /// How the equations of a step are solved, and how many steps were taken with which order, for statistics.
  virtual std::string solver() const;
  virtual std::string jacobian_kind() const;
  virtual std::vector<std::pair<std::string, long long>> steps_by_method() const;
  /// What it remembers, for a run that is saved or continued.
  virtual void carry(Memory& memory) { memory.refuse(); }
  /// What rounding of t has left out so far: its state belongs to t + time_rest(). A method that goes on from where
  /// another one stands is given it after restart().
  double time_rest() const { return time_rest_; }
  void go_on_from_rest(double rest) { time_rest_ = rest; }
  /// Looks for stiffness afresh.
  void forget_stiffness() { stiffness_.reset(); }

  const Work& work() const { return work_; }
  const StepFailure& failure() const { return failure_; }
  const std::optional<Stiffness>& stiffness() const { return stiffness_; }

 protected:
  /// What all of them remember.
  void carry_common(Memory& memory);

  Work work_;
  double time_rest_ = 0;  // methods that do not count it leave it zero
  StepFailure failure_;
  std::optional<Stiffness> stiffness_;
  std::vector<Message> notes_;
};

inline Work& Work::operator+=(const Work& more) {
  rhs += more.rhs, accepted += more.accepted, rejected += more.rejected;
  jacobians += more.jacobians, dual_rhs += more.dual_rhs, factorizations += more.factorizations;
  solves += more.solves, iterations += more.iterations, divergences += more.divergences;
  return *this;
}

}  // namespace pawl
