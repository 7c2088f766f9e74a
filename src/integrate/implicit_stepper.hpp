// ImplicitStepper: what all one-step implicit methods share: the loop over trial steps, the weights of unknowns by
// their roles, fixed steps, the correction of ends, restarts and retaken steps. A method adds how one trial step is
// computed.
#pragma once

#include <memory>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "integrate/algebraic_part.hpp"
#include "pawl/fixed_grid.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

class ImplicitStepper : public Stepper {
 public:
  ImplicitStepper(formulate::ImplicitForm& form, const StepControl& control);

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override;
  Attempt step(double limit, Correction* correction, Step& out) override;
  bool redo(double end, Correction* correction, Step& step) override;
  bool interpolate(Step& step) override;
  double next_step_size() const override { return control_.fixed_step > 0 ? control_.fixed_step : next_; }
  bool is_implicit() const override { return true; }
  std::string solver() const override { return solver_ ? solver_->describe() : std::string(); }
  std::string jacobian_kind() const override { return form_.jacobian_kind(); }
  /// With its form, which serves no other stepper.
  void carry(Memory& memory) override;

 protected:
  /// How a trial step ended.
  struct Trial {
    enum class Outcome {
      solved,     ///< end_ and error are there
      diverged,   ///< Newton's method does not converge
      singular,   ///< no factors
      not_finite  ///< a residual is not finite
    };
    Outcome outcome = Outcome::solved;
    double error = 0;   ///< in units of the tolerance
    double shrink = 1;  ///< diverged, singular, not finite: the factor for the next size
  };
  /// Computes end_ = y(t_ + h) from y_, with h (signed), and its error. The one thing a method has to do.
  virtual Trial attempt(double h) = 0;
  /// Factor for the next size after an accepted (error <= 1) or rejected step.
  virtual double grow(double error, bool accepted) = 0;
  /// The step is accepted: keep what predicts and interpolates the next one. end_ has been corrected by then.
  virtual void accept(double h) = 0;
  /// The real number c of the factors of c M - J in slot 0.
  virtual double shift() const = 0;
  /// J and M are those of the end of the trial, and slot 0 has been factored anew.
  virtual void take_matrices() = 0;
  /// The equations of the trial were not solved after all.
  virtual void distrust() = 0;
  /// The past no longer applies.
  virtual void forget() = 0;
  /// Unknowns or pattern have changed: buffers and solver_ are to be made anew.
  virtual void resize() = 0;
  virtual void make_solver() = 0;
  /// Coefficients of the polynomial of the last accepted step, Σ c_k θ^k for the states; c_0 the start. The end has
  /// been moved by `end_shift_` beyond what the polynomial says.
  virtual void write_polynomial(Step& step) = 0;
  /// A trial from the same start as the last accepted step, to another end. The method has what it needs of that step.
  virtual Trial retake(double h) { return attempt(h); }

  /// Scales of the unknowns at y_: 1 / (absolute + relative |y|).
  void set_weights();
  /// Root mean square of d, each component times its weight and h^(index - 1), as Newton's method sees it.
  double newton_norm(const double* d) const;
  /// The same for the error test: algebraic unknowns of index 2 and 3 do not count.
  double error_norm(const double* e) const;
  /// Root mean square over algebraic states of index 1 alone; infinity where anything is not finite.
  double algebraic_norm(const double* e) const;
  /// Prepares the factors h^(index - 1) for this size.
  void set_step_weights(double h);
  /// Both are counted.
  void residual(double t, const double* y, const double* dy, double* r) {
    ++work_.rhs;
    form_.residual(t, y, dy, r);
  }
  void linearize(double t, const double* y, const double* dy);
  /// Raises the tolerance where rounding in the model forbids the one asked for, and says so.
  void raise_tolerance(double factor);

  formulate::ImplicitForm& form_;
  const StepControl control_;
  int n_ = 0, states_ = 0, highest_index_ = 0;
  double t_ = 0, direction_ = 1, next_ = 0;
  std::vector<double> y_, end_;  // start and end of the trial, all unknowns
  std::vector<double> dy_;       // y' at y_: after a restart, and where a method keeps it up
  std::vector<double> weight_, newton_weight_, error_weight_;
  bool is_first_ = true, was_rejected_ = false;
  bool has_algebraic_states_ = false;                  // of index 1
  bool checks_inside_ = false;                         // those, or combinations of others that equations bind
  std::vector<double> start_residual_, end_residual_;  // r(t_, y_, 0), where it is known, and that of the end
  bool has_start_residual_ = false, has_end_residual_ = false;
  std::vector<double> start_, start_dy_;  // of the last accepted step
  std::vector<double> end_shift_;         // by which the correction moved its end
  double last_h_ = 0;
  std::unique_ptr<ShiftedSystem> solver_;

 private:
  Attempt adaptive_step(double limit, Correction* correction, Step& out);
  Attempt fixed_step(double limit, Correction* correction, Step& out);
  /// A trial with the pull of its end; error is then the larger of the two.
  Trial try_step(double t1, double h, bool retakes, Correction* correction);
  void take(double t1, double h, double rest, double error, Step& out);
  bool leave_singular_point(double limit, Step& out);
  bool solve_algebraic(double t1);
  double find_left(double t1);
  double add_left(double factor, double t1);
  void take_back();
  double improve_left(double t1);
  Attempt fail(const Trial& last, double size, int attempts);
  /// The first rate that is not finite here, or after a step of this size along the tangent; -1: none, or not known.
  int not_finite_rate(double h);
  double choose_first_step(double limit) const;

  FixedGrid grid_;
  AlgebraicPart algebraic_;
  std::vector<double> left_, added_, kept_;  // of the algebraic unknowns at the end of a step
  int version_ = -1;
  double raised_ = 1;  // the tolerance, as a multiple of what was asked for
  bool has_said_raised_ = false;
  double counting_ = 1;         // unknowns that take part in the error test
  double multiplier_unit_ = 0;  // absolute tolerance of what a formulation adds
  double last_t_ = 0, last_time_rest_ = 0;
  bool has_past_ = false;  // a step that can be retaken
  bool is_line_ = false;   // the last step left a singular point, and has no polynomial of the method
  std::string why_;        // a smooth piece cannot begin
};

}  // namespace pawl
