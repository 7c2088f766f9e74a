#include "integrate/cvode_stepper.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>

#include "integrate/sundials_parts.hpp"

namespace pawl {

namespace {

using sundials::check, sundials::made, sundials::values;

struct Finish {
  void operator()(void* memory) const { CVodeFree(&memory); }
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
};

constexpr int krylov_vectors = 20;

class Cvode final : public sundials::MultistepStepper {
 public:
  Cvode(formulate::ImplicitForm& form, const StepControl& control, CvodeKind kind, bool is_krylov)
      : MultistepStepper(form, control, "CVODE", kind == CvodeKind::bdf, is_krylov),
        corrected_(static_cast<std::size_t>(n_)),
        rate_(sundials::make_vector(context_.get(), n_)),
        memory_(made(CVodeCreate(is_bdf_ ? CV_BDF : CV_ADAMS, context_.get()))) {
    void* cvode = memory_.get();
    CVodeSetErrHandlerFn(cvode, hear, static_cast<MultistepStepper*>(this));
    check(CVodeSetUserData(cvode, this), "CVodeSetUserData");
    check(CVodeInit(cvode, rate, 0, y_.get()), "CVodeInit");
    check(CVodeWFtolerances(cvode, weigh), "CVodeWFtolerances");
    // After an event the first try is as long as the steps before it, and order 1 may need one a million times shorter.
    check(CVodeSetMaxErrTestFails(cvode, sundials::most_failures), "CVodeSetMaxErrTestFails");
    check(CVodeSetMaxConvFails(cvode, sundials::most_failures), "CVodeSetMaxConvFails");
    if (std::isfinite(control.max_step)) check(CVodeSetMaxStep(cvode, control.max_step), "CVodeSetMaxStep");
    if (is_krylov) {
      krylov_.reset(made(SUNLinSol_SPGMR(y_.get(), SUN_PREC_NONE, std::min(n_, krylov_vectors), context_.get())));
      check(CVodeSetLinearSolver(cvode, krylov_.get(), nullptr), "CVodeSetLinearSolver");
    } else if (is_bdf_) {
      direct_ = std::make_unique<sundials::DirectSolver>(context_.get(), form);
      check(CVodeSetLinearSolver(cvode, direct_->handle(), direct_->matrix()), "CVodeSetLinearSolver");
      check(CVodeSetLinSysFn(cvode, linearize), "CVodeSetLinSysFn");
    } else {
      functional_.reset(made(SUNNonlinSol_FixedPoint(y_.get(), 0, context_.get())));
      check(CVodeSetNonlinearSolver(cvode, functional_.get()), "CVodeSetNonlinearSolver");
    }
  }

  std::string solver() const override {
    if (direct_) return direct_->describe();
    if (!is_krylov_) return "functional iteration";
    return fmt::format("GMRES, {} vectors, no preconditioner", std::min(n_, krylov_vectors));
  }

 private:
  std::string start(double first_step, const double* known_rate) override {
    std::string trouble = n_ > states_ ? form_.complete(t_, values(y_.get()), values(rate_.get())) : std::string{};
    has_rate_ = known_rate && n_ == states_;
    if (has_rate_) std::copy(known_rate, known_rate + n_, values(rate_.get()));
    check(CVodeReInit(memory_.get(), 0, y_.get()), "CVodeReInit");
    check(CVodeSetInitStep(memory_.get(), first_step), "CVodeSetInitStep");
    return trouble;
  }

  Advance advance(double limit) override {
    if (const int flag = CVodeSetStopTime(memory_.get(), limit); flag < 0) return {flag, elapsed_, false};
    Advance advanced;
    advanced.flag = CVode(memory_.get(), limit, y_.get(), &advanced.elapsed, CV_ONE_STEP);
    advanced.is_at_limit = advanced.flag == CV_TSTOP_RETURN;
    return advanced;
  }

  Attempt meaning(int flag) const override {
    switch (flag) {
      case CV_RHSFUNC_FAIL:
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
        return Attempt::not_finite;
      case CV_LSETUP_FAIL:
      case CV_LSOLVE_FAIL:
        return direct_ ? Attempt::singular : Attempt::no_convergence;
      case CV_CONV_FAILURE:
      case CV_NLS_FAIL:
        return Attempt::no_convergence;
      default:
        return Attempt::step_too_small;
    }
  }

  long steps() const override {
    long steps = 0;
    CVodeGetNumSteps(memory_.get(), &steps);
    return steps;
  }
  Counts counts() const override {
    Counts now;
    now.steps = steps();
    CVodeGetNumErrTestFails(memory_.get(), &now.rejected);
    CVodeGetNumNonlinSolvIters(memory_.get(), &now.iterations);
    CVodeGetNumStepSolveFails(memory_.get(), &now.failed_solves);
    return now;
  }

  int derivative(int k, N_Vector out) override { return CVodeGetDky(memory_.get(), elapsed_, k, out); }
  int used_order() const override {
    int order = 0;
    CVodeGetLastOrder(memory_.get(), &order);
    return order;
  }
  double used_step() const override {
    double h = 0;
    CVodeGetLastStep(memory_.get(), &h);
    return h;
  }
  double coming_step() const override {
    double h = 0;
    CVodeGetCurrentStep(memory_.get(), &h);
    return h;
  }
  bool local_errors(N_Vector out) const override { return CVodeGetEstLocalErrors(memory_.get(), out) == CV_SUCCESS; }

  // CVODE projects inside a step, with BDF only (Eich, SIAM J. Numer. Anal. 30 (1993) 1467): the move enters its past.
  bool takes_correction_inside(Correction* correction) override {
    correction_ = correction;
    if (!is_bdf_ || !correction) return false;
    if (!std::exchange(is_projecting_, true)) {
      check(CVodeSetProjFn(memory_.get(), project), "CVodeSetProjFn");
      check(CVodeSetProjErrEst(memory_.get(), SUNFALSE), "CVodeSetProjErrEst");
    }
    return true;
  }

  static int rate(realtype elapsed, N_Vector y, N_Vector out, void* user) {
    auto& self = *static_cast<Cvode*>(user);
    // The first evaluation after a start is at the start, where the caller may know it.
    if (std::exchange(self.has_rate_, false) && elapsed == 0) {
      N_VScale(1, self.rate_.get(), out);
      return 0;
    }
    return self.evaluate(elapsed, values(y), nullptr, values(out));
  }

  static int weigh(N_Vector y, N_Vector weights, void* user) {
    return static_cast<Cvode*>(user)->set_weights(values(y), weights);
  }

  // I - γ J = γ (I / γ - J).
  static int linearize(realtype elapsed, N_Vector y, N_Vector, SUNMatrix, booleantype is_old_good, booleantype* is_new,
                       realtype gamma, void* user, N_Vector, N_Vector, N_Vector) {
    auto& self = *static_cast<Cvode*>(user);
    self.direct_->shift(1 / gamma, 1 / gamma);
    *is_new = is_old_good ? SUNFALSE : SUNTRUE;
    if (is_old_good) return 0;
    return self.guarded([&] {
      self.direct_->linearize(self.time(elapsed), values(y), nullptr);
      return 0;
    });
  }

  static int project(realtype elapsed, N_Vector y, N_Vector move, realtype, N_Vector, void* user) {
    auto& self = *static_cast<Cvode*>(user);
    if (!self.correction_) {
      N_VConst(0, move);
      return 0;
    }
    return self.guarded([&] {
      std::copy(values(y), values(y) + self.n_, self.corrected_.begin());
      const double size = self.correction_->apply(self.time(elapsed), self.corrected_.data());
      if (!(size <= 1)) return 1;
      for (int i = 0; i < self.n_; ++i) values(move)[i] = self.corrected_[static_cast<std::size_t>(i)] - values(y)[i];
      return 0;
    });
  }

  bool is_projecting_ = false;
  Correction* correction_ = nullptr;
  std::vector<double> corrected_;
  sundials::Owned<N_Vector> rate_;
  bool has_rate_ = false;
  std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, Finish> functional_;
  std::unique_ptr<void, Finish> memory_;
};

}  // namespace

std::unique_ptr<Stepper> make_cvode(formulate::ImplicitForm& form, const StepControl& control, CvodeKind kind,
                                    bool is_krylov) {
  return std::make_unique<Cvode>(form, control, kind, is_krylov);
}

}  // namespace pawl
