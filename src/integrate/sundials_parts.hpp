// What CVODE and IDA (Hindmarsh, Brown, Grant, Lee, Serban, Shumaker, Woodward, ACM TOMS 31 (2005) 363) share when they
// are worn as a Stepper.
//
// SUNDIALS leaves vectors and linear algebra to whoever calls it. Both are ours here, so that little of the time of a
// step is spent inside the library as it was compiled: vectors with our arithmetic, and a direct solver that factors
// c M - J through a ShiftedSystem.
#pragma once

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <array>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"

namespace pawl::sundials {

inline constexpr int max_order = 12;  ///< of Adams
inline constexpr int max_bdf_order = 5;
inline constexpr int most_failures = 40;  ///< of one step, by error test or by convergence, before it is given up

struct Release {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

/// Throws what a failed call of SUNDIALS is called there: only calls that set things up are checked by this.
void check(int flag, const char* call);
/// Throws bad_alloc where a maker of SUNDIALS had nothing to give.
template <class Pointer>
Pointer made(Pointer pointer) {
  if (!pointer) throw std::bad_alloc();
  return pointer;
}

Owned<SUNContext> make_context();
/// A vector of zeros. Its clones have the same operations.
Owned<N_Vector> make_vector(SUNContext context, int size);
double* values(N_Vector vector);

/// The direct linear solver of CVODE and IDA: x = scale (c M - J)^-1 b, with the form's last linearization.
class DirectSolver {
 public:
  DirectSolver(SUNContext context, formulate::ImplicitForm& form);

  void linearize(double t, const double* y, const double* dy);
  /// What the next setup by SUNDIALS factors.
  void shift(double c, double scale) { c_ = c, scale_ = scale; }
  /// A piece begins: the structure of the matrices may have changed.
  void restart() { is_pattern_sure_ = is_singular_ = false; }

  /// r := (c M - J)^-1 r with the factors of the last setup.
  void answer(double* r);

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver handle() const { return handle_.get(); }
  bool is_singular() const { return is_singular_; }  ///< the last factorization failed
  int culprit() const { return system_ ? system_->culprit() : -1; }
  std::string describe() const { return system_ ? system_->describe() : std::string(to_string(form_.linear_solver)); }
  long long linearizations = 0, factorizations = 0, solves = 0;

 private:
  static int setup(SUNLinearSolver handle, SUNMatrix);
  static int solve(SUNLinearSolver handle, SUNMatrix, N_Vector x, N_Vector b, realtype);

  formulate::ImplicitForm& form_;
  Owned<SUNMatrix> matrix_;  // SUNDIALS asks for one; the values stay in the form
  Owned<SUNLinearSolver> handle_;
  std::unique_ptr<ShiftedSystem> system_;
  bool is_pattern_sure_ = false, is_singular_ = false;
  int version_ = -1;  // of the form, when system_ was made
  double c_ = 0, scale_ = 1;
};

/// One step of SUNDIALS after another. CVODE and IDA add their calls.
class MultistepStepper : public Stepper {
 public:
  MultistepStepper(formulate::ImplicitForm& form, const StepControl& control, std::string library, bool is_bdf,
                   bool is_krylov);

  void restart(double t, const double* x, double direction, double first_step, const double* rate) final;
  Attempt step(double limit, Correction* correction, Step& out) final;
  bool interpolate(Step& step) final;
  /// A multistep method cuts its own polynomial.
  bool redo(double, Correction*, Step&) final { return false; }
  double next_step_size() const final;
  int order() const final { return last_order_ > 0 ? last_order_ : 5; }
  int dense_order() const final { return order(); }
  bool is_implicit() const final { return true; }
  std::string jacobian_kind() const override;
  std::vector<std::pair<std::string, long long>> steps_by_method() const final;

 protected:
  // How a call for one step ended.
  struct Advance {
    int flag = 0;
    double elapsed = 0;
    bool is_at_limit = false;
  };
  struct Counts {  // since the last start
    long steps = 0, rejected = 0, iterations = 0, failed_solves = 0;
  };

  /// y_ (and y' for IDA) at t_ from the states in state_. Returns why not; empty: done.
  virtual std::string start(double first_step, const double* rate) = 0;
  virtual Advance advance(double limit) = 0;  // all times of the library are since the last start
  virtual Attempt meaning(int flag) const = 0;
  virtual Counts counts() const = 0;
  virtual long steps() const = 0;                   // the first of them alone
  virtual int derivative(int k, N_Vector out) = 0;  // of the polynomial of the last step, at its end
  virtual int used_order() const = 0;
  virtual double used_step() const = 0;
  virtual double coming_step() const = 0;
  virtual bool local_errors(N_Vector out) const = 0;
  /// True: the correction becomes part of the steps that follow.
  virtual bool takes_correction_inside(Correction*) { return false; }

  /// r (dy null: f) into out. 0; 1: not finite, try a shorter step; -1: the model has thrown.
  int evaluate(double elapsed, const double* y, const double* dy, double* out);
  /// The same around anything of the model.
  template <class Call>
  int guarded(Call&& call) {
    try {
      return call();
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }
  /// 1 / (absolute + relative |y|), for SUNDIALS's norm. 0, or -1 where a scale is zero.
  int set_weights(const double* y, N_Vector weights);
  static void hear(int code, const char* module, const char* function, char* message, void* self);

  formulate::ImplicitForm& form_;
  StepControl control_;
  int n_, states_;
  std::string library_, method_;
  Owned<SUNContext> context_;
  Owned<N_Vector> y_;                     // all unknowns, as the library has them
  std::vector<Owned<N_Vector>> columns_;  // derivatives, for the polynomial
  std::unique_ptr<DirectSolver> direct_;  // null: Krylov or fixed-point iteration
  Owned<SUNLinearSolver> krylov_;
  bool is_krylov_, is_bdf_;
  N_Vector mask_ = nullptr;  // 1 where the error test looks; null: everywhere
  double time(double elapsed) const { return origin_ + elapsed; }

  double t_ = 0, direction_ = 1;
  double origin_ = 0, elapsed_ = 0;             // of the last start, and since: steps may be shorter than t can tell
  std::vector<double> state_;                   // where the last step ended, corrected
  bool has_stepped_ = false, is_fresh_ = true;  // since the last start
  bool must_restart_ = false;

 private:
  Attempt fail(Attempt attempt, double t, double step_size, const Counts& before, int component, std::string text);
  Advance advance_visibly(double limit);
  bool may_begin_again() const { return attempts_ < most_failures; }
  Attempt begin_again(double step_size, double limit, Correction* correction, Step& out);
  void remember_end();
  void draw_through_past(Step& step, int degree) const;
  bool draw_by_derivatives(Step& step, int degree);
  double error_in_middle(double elapsed);
  bool leave_point(double limit, Step& out);
  void gather_work();
  int worst_component();
  double error_norm();

  std::vector<double> absolute_;
  Owned<N_Vector> start_;       // all unknowns at the last start
  int attempts_ = 0;            // to begin, since the last step that was taken
  N_Vector weights_ = nullptr;  // the library's own
  double first_step_ = 0, last_t_ = 0;
  double length_ = 0;      // of the last step, as the library has it
  bool is_single_ = true;  // one step of the library, not several that t could not tell apart
  int last_order_ = 0, not_finite_ = -1;
  struct Point {
    double elapsed = 0;
    std::vector<double> states = {};  // as the library has them, corrected or not
  };
  std::array<Point, max_bdf_order + 1> past_;  // where the last steps since the start ended, as a ring
  std::size_t newest_ = 0;
  int remembered_ = 0;
  long long residuals_ = 0, dual_before_ = 0, difference_before_ = 0;
  Work before_start_;
  Counts counts_;  // after the last step
  std::array<long long, max_order + 1> steps_of_order_{};
  std::string start_trouble_, heard_;
  bool has_said_corrections_ = false;
  std::exception_ptr thrown_;
};

}  // namespace pawl::sundials
