// CVODE and IDA on a hand-written mechanism (constraint_peers_models.hpp).
//
//   CVODE  q' = v, v' = a(q, v), the index-1 ODE: Adams, BDF, or BDF with the user's projection
//   IDA    stabilized index 2 (Gear, Gupta, Leimkuhler): q' = v - G^T μ, M v' = f - G^T λ, G v = 0, g = 0; or index 3:
//          q' = v, M v' = f - G^T λ, g = 0. Dense Jacobian by differences, multipliers out of the error test.
#pragma once

#include <string>
#include <vector>

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "constraint_peers_models.hpp"

namespace pawl::bench {

enum class Scheme { adams, bdf, projected_bdf, ggl, index_3 };

struct Solved {
  std::vector<double> q;  // at the end
  long long steps = 0, rhs = 0;
  double position_drift = 0, velocity_drift = 0;  // over the steps, if asked for
  double t = 0;                                   // reached
  std::string failure;                            // empty: it arrived
};

template <class Model>
class SundialsRun {
 public:
  /// multiplier_absolute: what IDA's Newton iteration may leave in them.
  SundialsRun(Scheme scheme, double relative, double absolute, double multiplier_absolute)
      : scheme_(scheme), is_ida_(scheme >= Scheme::ggl) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(size(scheme), context_);
    dy_ = N_VClone(y_);
    id_ = N_VClone(y_);
    N_VConst(0, y_);
    N_VConst(0, dy_);
    std::copy(Model::start.begin(), Model::start.end(), data(y_));
    if (is_ida_)
      prepare_ida(relative, absolute, multiplier_absolute);
    else
      prepare_cvode(relative, absolute);
  }
  ~SundialsRun() {
    if (is_ida_)
      IDAFree(&memory_);
    else
      CVodeFree(&memory_);
    if (nonlinear_ != nullptr) SUNNonlinSolFree(nonlinear_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, dy_, id_}) N_VDestroy(v);
    SUNContext_Free(&context_);
  }
  SundialsRun(const SundialsRun&) = delete;
  SundialsRun& operator=(const SundialsRun&) = delete;

  Solved go_to(double end, bool watches_drift) {
    Solved out;
    realtype t = 0;
    if (is_ida_)
      IDASetStopTime(memory_, end);  // a true step end, not an interpolated state
    else
      CVodeSetStopTime(memory_, end);
    long taken = 0;  // a limit of SUNDIALS counts within one call only
    for (int flag = 0; flag >= 0 && t < end && taken < most_steps; ++taken) {
      const int task = watches_drift ? IDA_ONE_STEP : IDA_NORMAL;  // CVODE's have the same numbers
      flag = is_ida_ ? IDASolve(memory_, end, &t, y_, dy_, task) : CVode(memory_, end, y_, &t, task);
      if (flag < 0) out.failure = name_of(flag);
      if (watches_drift) watch(out);
    }
    if (t < end && out.failure.empty()) out.failure = "too many steps";
    out.t = t;
    out.q.assign(data(y_), data(y_) + Model::n);
    long steps = 0, calls = 0, for_jacobians = 0;
    if (is_ida_) {
      IDAGetNumSteps(memory_, &steps);
      IDAGetNumResEvals(memory_, &calls);
      IDAGetNumLinResEvals(memory_, &for_jacobians);
    } else {
      CVodeGetNumSteps(memory_, &steps);
      CVodeGetNumRhsEvals(memory_, &calls);
      if (linear_ != nullptr) CVodeGetNumLinRhsEvals(memory_, &for_jacobians);
    }
    out.steps = steps;
    out.rhs = calls + for_jacobians;
    return out;
  }

 private:
  static constexpr int n = Model::n, m = Model::m;
  static constexpr long most_steps = 2'000'000, most_of_index_3 = 100'000;

  static int size(Scheme scheme) {
    return scheme == Scheme::ggl ? 2 * n + 2 * m : scheme == Scheme::index_3 ? 2 * n + m : 2 * n;
  }
  static double* data(N_Vector v) { return v == nullptr ? nullptr : NV_DATA_S(v); }

  static int rates(realtype, N_Vector y, N_Vector d, void*) {
    Model::rates(data(y), data(d));
    return 0;
  }
  static int projection(realtype, N_Vector y, N_Vector correction, realtype, N_Vector error, void*) {
    return Model::project(data(y), data(correction), data(error)) ? 0 : 1;  // 1: recoverable
  }
  template <bool is_ggl>
  static int residual(realtype, N_Vector y, N_Vector dy, N_Vector r, void*) {
    using Vector = Eigen::Matrix<double, n, 1>;
    using Rows = Eigen::Matrix<double, m, 1>;
    const double *q = data(y), *v = q + n, *lambda = v + n, *mu = lambda + m;
    const auto at = Model::terms(q, v);
    const Eigen::Map<const Vector> speed(v), q_rate(data(dy)), v_rate(data(dy) + n);
    Eigen::Map<Vector>(data(r) + n) =
        at.M.lazyProduct(v_rate) - at.f + at.G.transpose().lazyProduct(Eigen::Map<const Rows>(lambda));
    if constexpr (is_ggl) {
      Eigen::Map<Vector>(data(r)) = q_rate - speed + at.G.transpose().lazyProduct(Eigen::Map<const Rows>(mu));
      Eigen::Map<Rows>(data(r) + 2 * n) = at.G.lazyProduct(speed);
      Eigen::Map<Rows>(data(r) + 2 * n + m) = at.g;
    } else {
      Eigen::Map<Vector>(data(r)) = q_rate - speed;
      Eigen::Map<Rows>(data(r) + 2 * n) = at.g;
    }
    return 0;
  }
  static void be_quiet(int, const char*, const char*, char*, void*) {}

  void prepare_cvode(double relative, double absolute) {
    memory_ = CVodeCreate(scheme_ == Scheme::adams ? CV_ADAMS : CV_BDF, context_);
    CVodeSetErrHandlerFn(memory_, be_quiet, nullptr);
    CVodeInit(memory_, rates, 0, y_);
    CVodeSStolerances(memory_, relative, absolute);
    CVodeSetMaxNumSteps(memory_, most_steps);
    if (scheme_ == Scheme::adams) {
      nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      CVodeSetNonlinearSolver(memory_, nonlinear_);
      return;
    }
    make_dense();
    CVodeSetLinearSolver(memory_, linear_, matrix_);
    if (scheme_ == Scheme::projected_bdf) CVodeSetProjFn(memory_, projection);
  }
  void prepare_ida(double relative, double absolute, double multiplier_absolute) {
    std::array<double, 2 * n> rate{};
    Model::rates(data(y_), rate.data());
    std::copy(rate.begin(), rate.end(), data(dy_));
    Model::multipliers(data(y_), data(y_) + 2 * n);  // μ = 0: consistent
    for (int i = 0; i < size(scheme_); ++i) data(id_)[i] = i < 2 * n ? 1 : 0;
    memory_ = IDACreate(context_);
    IDASetErrHandlerFn(memory_, be_quiet, nullptr);
    IDAInit(memory_, scheme_ == Scheme::ggl ? residual<true> : residual<false>, 0, y_, dy_);
    N_Vector each = N_VClone(y_);
    for (int i = 0; i < size(scheme_); ++i) data(each)[i] = i < 2 * n ? absolute : multiplier_absolute;
    IDASVtolerances(memory_, relative, each);
    N_VDestroy(each);
    IDASetMaxNumSteps(memory_, scheme_ == Scheme::ggl ? most_steps : most_of_index_3);
    make_dense();
    IDASetLinearSolver(memory_, linear_, matrix_);
    IDASetId(memory_, id_);
    IDASetSuppressAlg(memory_, SUNTRUE);
  }
  void make_dense() {
    matrix_ = SUNDenseMatrix(size(scheme_), size(scheme_), context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
  }
  void watch(Solved& out) const {
    const auto at = Model::terms(data(y_), data(y_) + n);
    const Eigen::Map<const Eigen::Matrix<double, n, 1>> v(data(y_) + n);
    out.position_drift = std::max(out.position_drift, at.g.cwiseAbs().maxCoeff());
    out.velocity_drift = std::max(out.velocity_drift, (at.G * v).cwiseAbs().maxCoeff());
  }
  std::string name_of(int flag) const {
    char* name = is_ida_ ? IDAGetReturnFlagName(flag) : CVodeGetReturnFlagName(flag);
    std::string text = name;
    std::free(name);
    return text;
  }

  Scheme scheme_;
  bool is_ida_;
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver nonlinear_ = nullptr;
};

}  // namespace pawl::bench
