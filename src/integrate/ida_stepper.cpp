#include "integrate/ida_stepper.hpp"

#include <fmt/format.h>
#include <ida/ida.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "integrate/sundials_parts.hpp"

namespace pawl {

namespace {

using sundials::check, sundials::made, sundials::values;

struct Finish {
  void operator()(void* memory) const { IDAFree(&memory); }
};

constexpr int krylov_vectors = 20;

class Ida final : public sundials::MultistepStepper {
 public:
  Ida(formulate::ImplicitForm& form, const StepControl& control, bool is_krylov)
      : MultistepStepper(form, control, "IDA", true, is_krylov),
        dy_(sundials::make_vector(context_.get(), n_)),
        id_(sundials::make_vector(context_.get(), n_)),
        memory_(made(IDACreate(context_.get()))) {
    void* ida = memory_.get();
    IDASetErrHandlerFn(ida, hear, static_cast<MultistepStepper*>(this));
    check(IDASetUserData(ida, this), "IDASetUserData");
    check(IDAInit(ida, residual, 0, y_.get(), dy_.get()), "IDAInit");
    check(IDAWFtolerances(ida, weigh), "IDAWFtolerances");
    // As with CVODE: after an event the first try is as long as the steps before it.
    check(IDASetMaxErrTestFails(ida, sundials::most_failures), "IDASetMaxErrTestFails");
    check(IDASetMaxConvFails(ida, sundials::most_failures), "IDASetMaxConvFails");
    if (std::isfinite(control.max_step)) check(IDASetMaxStep(ida, control.max_step), "IDASetMaxStep");
    if (is_krylov) {
      krylov_.reset(made(SUNLinSol_SPGMR(y_.get(), SUN_PREC_NONE, std::min(n_, krylov_vectors), context_.get())));
      check(IDASetLinearSolver(ida, krylov_.get(), nullptr), "IDASetLinearSolver");
    } else {
      direct_ = std::make_unique<sundials::DirectSolver>(context_.get(), form);
      check(IDASetLinearSolver(ida, direct_->handle(), direct_->matrix()), "IDASetLinearSolver");
      check(IDASetJacFn(ida, linearize), "IDASetJacFn");
    }
  }

  std::string solver() const override {
    if (direct_) return direct_->describe();
    return fmt::format("GMRES, {} vectors, no preconditioner", std::min(n_, krylov_vectors));
  }

 private:
  std::string start(double first_step, const double*) override {
    std::string trouble = form_.complete(t_, values(y_.get()), values(dy_.get()));
    is_high_index_ = false;
    for (int i = 0; i < n_; ++i) {
      const formulate::Role& role = form_.roles()[static_cast<std::size_t>(i)];
      values(id_.get())[i] = role.is_differential ? 1 : 0;
      is_high_index_ = is_high_index_ || role.index >= 2;
    }
    mask_ = is_high_index_ ? id_.get() : nullptr;
    start_step_ = std::abs(first_step);
    void* ida = memory_.get();
    check(IDAReInit(ida, 0, y_.get(), dy_.get()), "IDAReInit");
    check(IDASetId(ida, id_.get()), "IDASetId");
    check(IDASetSuppressAlg(ida, is_high_index_ ? SUNTRUE : SUNFALSE), "IDASetSuppressAlg");
    check(IDASetInitStep(ida, first_step), "IDASetInitStep");
    return trouble;
  }

  Advance advance(double limit) override {
    if (is_high_index_ && !has_stepped_ && start_step_ == 0) {
      start_step_ = guess_first_step(limit);
      IDASetInitStep(memory_.get(), std::copysign(start_step_, limit));
    }
    if (const int flag = IDASetStopTime(memory_.get(), limit); flag < 0) return {flag, elapsed_, false};
    Advance advanced;
    advanced.flag = IDASolve(memory_.get(), limit, &advanced.elapsed, y_.get(), dy_.get(), IDA_ONE_STEP);
    advanced.is_at_limit = advanced.flag == IDA_TSTOP_RETURN;
    return advanced;
  }

  // IDA's own rule for the first step (a thousandth of the way, a change by half of the tolerance). It is needed before
  // IDA applies it: the weights of the first step depend on its size.
  double guess_first_step(double limit) {
    N_Vector weights = columns_[0].get();
    const double far = 1e-3 * std::abs(limit);
    if (weigh(y_.get(), weights, this) != 0) return far;
    const double speed = N_VWrmsNormMask(dy_.get(), weights, id_.get());
    return speed * far > 0.5 ? 0.5 / speed : far;
  }

  Attempt meaning(int flag) const override {
    switch (flag) {
      case IDA_RES_FAIL:
      case IDA_REP_RES_ERR:
      case IDA_FIRST_RES_FAIL:
        return Attempt::not_finite;
      case IDA_LSETUP_FAIL:
      case IDA_LSOLVE_FAIL:
        return direct_ ? Attempt::singular : Attempt::no_convergence;
      case IDA_CONV_FAIL:
      case IDA_NLS_FAIL:
        return Attempt::no_convergence;
      default:
        return Attempt::step_too_small;
    }
  }

  long steps() const override {
    long steps = 0;
    IDAGetNumSteps(memory_.get(), &steps);
    return steps;
  }
  Counts counts() const override {
    Counts now;
    now.steps = steps();
    IDAGetNumErrTestFails(memory_.get(), &now.rejected);
    IDAGetNumNonlinSolvIters(memory_.get(), &now.iterations);
    IDAGetNumStepSolveFails(memory_.get(), &now.failed_solves);
    return now;
  }

  int derivative(int k, N_Vector out) override { return IDAGetDky(memory_.get(), elapsed_, k, out); }
  int used_order() const override {
    int order = 0;
    IDAGetLastOrder(memory_.get(), &order);
    return order;
  }
  double used_step() const override {
    double h = 0;
    IDAGetLastStep(memory_.get(), &h);
    return h;
  }
  double coming_step() const override {
    double h = 0;
    IDAGetCurrentStep(memory_.get(), &h);
    return h;
  }
  bool local_errors(N_Vector out) const override { return IDAGetEstLocalErrors(memory_.get(), out) == IDA_SUCCESS; }

  static int residual(realtype elapsed, N_Vector y, N_Vector dy, N_Vector out, void* user) {
    return static_cast<Ida*>(user)->evaluate(elapsed, values(y), values(dy), values(out));
  }

  // Errors of a multiplier of index k are h^(1 - k) times those of the states; without the factor Newton's method would
  // be asked for digits that the matrix, whose condition grows like h^-k, does not have.
  static int weigh(N_Vector y, N_Vector weights, void* user) {
    auto& self = *static_cast<Ida*>(user);
    const int flag = self.set_weights(values(y), weights);
    if (!self.is_high_index_) return flag;
    const double coming = self.has_stepped_ ? std::abs(self.coming_step()) : self.start_step_;
    const double h = coming > 0 ? std::min(1., coming) : 1;
    for (int i = 0; i < self.n_; ++i) {
      const int index = self.form_.roles()[static_cast<std::size_t>(i)].index;
      for (int k = 1; k < index; ++k) values(weights)[i] *= h;
    }
    return flag;
  }

  // dr/dy + c dr/dy' = -(c M - J).
  static int linearize(realtype elapsed, realtype c, N_Vector y, N_Vector dy, N_Vector, SUNMatrix, void* user, N_Vector,
                       N_Vector, N_Vector) {
    auto& self = *static_cast<Ida*>(user);
    self.direct_->shift(c, -1);
    return self.guarded([&] {
      self.direct_->linearize(self.time(elapsed), values(y), values(dy));
      return 0;
    });
  }

  sundials::Owned<N_Vector> dy_, id_;
  bool is_high_index_ = false;
  double start_step_ = 0;
  std::unique_ptr<void, Finish> memory_;
};

/// The number of unknowns follows the constraints in force, which are known at a restart: IDA is made then, and anew
/// where it has changed.
class SizedIda final : public Stepper {
 public:
  SizedIda(formulate::ImplicitForm& form, const StepControl& control, bool is_krylov)
      : form_(form), control_(control), is_krylov_(is_krylov) {
    if (control.fixed_step > 0)
      throw Misuse("method 'bdf' chooses its own steps: leave out the fixed step, or use radau with it");
  }

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override {
    form_.restart(t, x);
    if (!inner_ || form_.size() != size_) {
      if (inner_) {
        past_ += inner_->work();
        for (const auto& [name, steps] : inner_->steps_by_method()) past_steps_[name] += steps;
        for (Message& note : inner_->take_notes()) notes_.push_back(std::move(note));
      }
      inner_ = std::make_unique<Ida>(form_, control_, is_krylov_);
      size_ = form_.size();
    }
    inner_->restart(t, x, direction, first_step, rate);
    take_over();
  }
  Attempt step(double limit, Correction* correction, Step& out) override {
    const Attempt attempt = inner_->step(limit, correction, out);
    take_over();
    return attempt;
  }
  bool interpolate(Step& step) override {
    const bool is_full = inner_->interpolate(step);
    take_over();
    return is_full;
  }
  bool redo(double, Correction*, Step&) override { return false; }
  double next_step_size() const override { return inner_->next_step_size(); }
  int order() const override { return inner_ ? inner_->order() : 5; }
  int dense_order() const override { return inner_ ? inner_->dense_order() : 5; }
  std::vector<Message> take_notes() override {
    std::vector<Message> all = std::exchange(notes_, {});
    if (!inner_) return all;
    for (Message& note : inner_->take_notes()) all.push_back(std::move(note));
    return all;
  }
  bool has_notes() const override { return !notes_.empty() || (inner_ && inner_->has_notes()); }
  bool is_implicit() const override { return true; }
  std::string solver() const override { return inner_ ? inner_->solver() : std::string(); }
  std::string jacobian_kind() const override { return inner_ ? inner_->jacobian_kind() : std::string(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override {
    std::map<std::string, long long> all = past_steps_;
    if (inner_) {
      for (const auto& [name, steps] : inner_->steps_by_method()) all[name] += steps;
    }
    return {all.begin(), all.end()};
  }

 private:
  void take_over() {
    work_ = past_;
    work_ += inner_->work();
    failure_ = inner_->failure();
  }

  formulate::ImplicitForm& form_;
  const StepControl control_;
  bool is_krylov_;
  int size_ = -1;
  Work past_;
  std::map<std::string, long long> past_steps_;
  std::unique_ptr<Ida> inner_;
};

}  // namespace

std::unique_ptr<Stepper> make_ida(formulate::ImplicitForm& form, const StepControl& control, bool is_krylov) {
  return std::make_unique<SizedIda>(form, control, is_krylov);
}

}  // namespace pawl
